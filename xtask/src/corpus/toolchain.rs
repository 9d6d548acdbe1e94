//! A CUDA toolkit as foreign build files look for it, with NVIDIA's libraries to be linked with, whose nvcc makes PTX for
//! compute_80 alone, whatever they ask for: all kernels have to be compiled by the driver.

use crate::Result;
use crate::repository::{make, make_empty, target};
use crate::sample::stub_driver;
use crate::toolkit::Cuda;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of nvcc that choose architectures, and those that take the choice as the next word. A module in
/// a file is a fat binary with PTX instead of machine code, under the same name.
const NVCC: &str = r#"#!/bin/sh
# Written by `./x corpus`.
count=$# cubin= named= source=
while [ $count -gt 0 ]; do
    count=$((count - 1)); word=$1; shift
    case "$word" in
    -arch | --gpu-architecture | -gencode | --generate-code | -code | --gpu-code)
        if [ $count -gt 0 ]; then count=$((count - 1)); shift; fi
        continue ;;
    -arch=* | --gpu-architecture=* | -gencode=* | --generate-code=* | -code=* | --gpu-code=*) continue ;;
    -cubin | --cubin) word=-fatbin cubin=1 ;;
    -o | --output-file | --output-file=*) named=1 ;;
    *.cu) source=${word##*/} ;;
    esac
    set -- "$@" "$word"
done
if [ "$cubin" ] && [ -z "$named" ]; then
    set -- "$@" -o "${source%.cu}.cubin"
fi
exec "$NVCC_OF_CORPUS" -arch=compute_80 -code=compute_80 "$@"
"#;

/// Variables by which build files find a toolkit.
const VARIABLES: [&str; 5] =
    ["CUDA_HOME", "CUDA_PATH", "CUDA_DIR", "CUDA_ROOT", "CUDAToolkit_ROOT"];

#[derive(Clone, Debug)]
pub struct Toolchain {
    pub root: PathBuf,
    /// The nvcc that does the work.
    nvcc: PathBuf,
    pub version: &'static str,
}

impl Toolchain {
    /// Lays it out below `target/corpus`, unless it is there. `libraries`: the folder of NVIDIA's, whose headers lie
    /// beside it.
    pub fn new(cuda: &Cuda, libraries: &Path) -> Result<Self> {
        let nvcc = cuda.nvcc();
        let toolkit = nvcc.ancestors().nth(2).ok_or("nvcc in no folder")?.to_owned();
        let root = target().join("corpus/toolkit");
        let script = root.join("bin/nvcc");
        let toolchain = Self { root: root.clone(), nvcc, version: cuda.version };
        let headers = libraries.with_file_name("include");
        let is = |link: &str, to: PathBuf| fs::read_link(root.join(link)).is_ok_and(|at| at == to);
        let is_there = fs::read_to_string(&script).is_ok_and(|text| text == NVCC)
            && is("include/cuda.h", toolkit.join("include/cuda.h"))
            && is("include/cublas_v2.h", headers.join("cublas_v2.h"))
            && toolchain.others().is_dir();
        if is_there {
            return Ok(toolchain);
        }
        make_empty(&root)?;
        symlink(toolkit.join("nvvm"), root.join("nvvm"))?;
        for folder in ["include", "bin", "lib64"] {
            make(&root.join(folder))?;
        }
        // Before the toolkit's, which may have some of its own.
        symlink(stub_driver()?, root.join("lib64/stubs"))?;
        for folder in ["include", "bin", "lib64"] {
            link_files(&toolkit.join(folder), &root.join(folder))?;
        }
        // The runtime's headers lie there too, and are the toolkit's already.
        link_files(&headers, &root.join("include"))?;
        link_libraries(libraries, &root.join("lib64"))?;
        make(&toolchain.others())?;
        for entry in fs::read_dir(libraries)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if !zluda_staged::STUBS.iter().any(|stub| name == stub.name) {
                link(&path, &toolchain.others().join(name))?;
            }
        }
        fs::remove_file(&script)?;
        fs::write(&script, NVCC)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        Ok(toolchain)
    }

    /// For programs that need none.
    #[cfg(test)]
    pub fn none() -> Self {
        Self { root: PathBuf::from("/nonexistent"), nvcc: PathBuf::new(), version: "0" }
    }

    /// The path of the script that stands for nvcc.
    pub fn nvcc(&self) -> PathBuf {
        self.root.join("bin/nvcc")
    }

    /// The folder of NVIDIA's libraries that ZLUDA has none of: programs may be linked with them and call nothing there.
    pub fn others(&self) -> PathBuf {
        self.root.join("others")
    }

    /// Lets a build find the toolkit, by the environment.
    pub fn apply(&self, command: &mut Command) {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.root.join("bin").display()));
        let libraries = self.root.join("lib64");
        let libraries = format!("{}:{}", libraries.join("stubs").display(), libraries.display());
        command.env("LIBRARY_PATH", libraries).env("CPATH", self.root.join("include"));
        command.env("NVCC_OF_CORPUS", &self.nvcc);
        for (name, value) in self.variables() {
            command.env(name, value);
        }
    }

    /// The same for make, where Makefiles have values of their own.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        VARIABLES.into_iter().map(|name| (name, self.root.display().to_string()))
    }
}

/// Links of the same names, but for those that are there.
fn link_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        link(&path, &to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// Shared libraries also under the names that linkers look for, without their versions.
fn link_libraries(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some((stem, _)) = name.split_once(".so.") {
            link(&path, &to.join(&name))?;
            link(&path, &to.join(format!("{stem}.so")))?;
        }
    }
    Ok(())
}

fn link(path: &Path, at: &Path) -> Result<()> {
    if at.symlink_metadata().is_err() {
        symlink(path, at)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments that nvcc gets of these.
    fn of_nvcc(arguments: &[&str]) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", NVCC, "nvcc"]).args(arguments).env("NVCC_OF_CORPUS", "echo");
        String::from_utf8(command.output().unwrap().stdout).unwrap().trim_end().to_owned()
    }

    #[test]
    fn nvcc_makes_ptx_under_the_names_that_were_asked_for() {
        let ptx = "-arch=compute_80 -code=compute_80";
        for (given, wanted) in [
            (&["-arch", "sm_90", "-O3", "a.cu", "-o", "a"][..], "-O3 a.cu -o a"),
            (&["--gpu-code=sm_70", "-c", "a b.cu"], "-c a b.cu"),
            (&["--cubin", "-arch", "sm_80", "/x/k.cu"], "-fatbin /x/k.cu -o k.cubin"),
            (&["-cubin", "-o", "m", "k.cu"], "-fatbin -o m k.cu"),
        ] {
            assert_eq!(of_nvcc(given), format!("{ptx} {wanted}"));
        }
    }
}
