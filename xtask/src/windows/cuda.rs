//! CUDA programs for Windows. nvcc on Linux knows no other system, so that its parts are called one by one, with mingw's
//! compiler for the host: the preprocessor, NVIDIA's `cudafe++` and `cicc`, and the compiler again. They are linked with
//! NVIDIA's static runtime library for Windows by LLVM's linker, which knows what Microsoft's compiler writes.

use super::{MINGW, folder, mingw};
use crate::Result;
use crate::program::quiet;
use crate::repository::{llvm_program, make, root};
use crate::toolkit::{Cuda, wheel_for_windows};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The runtime of the toolkit's version.
const RUNTIME: &str = "nvidia-cuda-runtime==13.0.96";
/// For one part, on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

/// NVIDIA's parts take `long` for 64 bits wide: types of pointers' width are `long` to them, and `long long` to mingw.
const WIDE_TYPES: &[&str] = &["size_t", "rsize_t", "uintptr_t", "ssize_t", "ptrdiff_t", "intptr_t"];

/// What a program is compiled from and for.
#[derive(Debug)]
pub struct Source<'a> {
    pub name: &'a str,
    pub file: &'a Path,
    /// As nvcc takes it: `compute_75`.
    pub architecture: &'a str,
    /// Options of nvcc.
    pub flags: &'a [String],
}

/// What nvcc gives to its parts for an option.
#[derive(Debug, Default, PartialEq, Eq)]
struct Flags {
    preprocessor: Vec<String>,
    no_fused_products: bool,
}

impl Flags {
    /// Fails for an option that is not known here.
    fn of_nvcc(flags: &[String]) -> Result<Flags> {
        let mut known = Flags::default();
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            match flag.as_str() {
                // It is the default.
                "-std=c++17" => {}
                "-fmad=false" => known.no_fused_products = true,
                "--default-stream" if flags.next().is_some_and(|of| of == "per-thread") => {
                    let per_thread = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1";
                    known.preprocessor.push(per_thread.to_owned());
                }
                flag if flag.starts_with("-D") => known.preprocessor.push(flag.to_owned()),
                flag => return Err(format!("{flag}: not known for Windows").into()),
            }
        }
        Ok(known)
    }
}

/// Compiles a program of CUDA C++, with its kernels as PTX.
pub fn compile(cuda: &Cuda, source: &Source<'_>, to: &Path) -> Result<()> {
    let number = source.architecture.trim_start_matches("compute_");
    let work = folder().join("cuda").join(source.name);
    make(&work)?;
    let of = |file: &str| work.join(file);
    let flags = Flags::of_nvcc(source.flags)?;
    for (file, kernels) in [("host.ii", false), ("kernels.ii", true)] {
        let mut command = preprocessor(cuda, source, number, kernels);
        command.args(&flags.preprocessor);
        quiet(command.arg("-o").arg(of(file)), LIMIT)?;
        rewrite(&of(file), narrow)?;
    }
    let tool = |name: &str| {
        let bin = if name == "cicc" { "nvvm/bin" } else { "bin" };
        let path = cuda.nvcc().ancestors().nth(2).unwrap_or(Path::new("")).join(bin).join(name);
        let mut command = Command::new(path);
        command.current_dir(&work);
        command
    };
    let frontend = |command: &mut Command| {
        command.args(["--c++17", "--static-host-stub", "--device-hidden-visibility"]);
        command.args(["--gnu_version=120200", "--display_error_number", "--allow_managed", "-w"]);
        command.arg("--orig_src_file_name").arg(source.file);
        command.arg("--orig_src_path_name").arg(source.file);
    };
    let mut host = tool("cudafe++");
    frontend(&mut host);
    host.args(["--m64", "--parse_templates", "--gen_c_file_name", "host.cpp"]);
    host.args(["--stub_file_name", "stub.c", "--gen_module_id_file"]);
    quiet(host.args(["--module_id_file_name", "module_id", "host.ii"]), LIMIT)?;
    let mut kernels = tool("cicc");
    frontend(&mut kernels);
    kernels.args(["-arch", source.architecture, "-m64", "--no-version-ident"]);
    kernels.args(["-ftz=0", "-prec_div=1", "-prec_sqrt=1"]);
    kernels.arg(format!("-fmad={}", u8::from(!flags.no_fused_products)));
    kernels.args(["--include_file_name", "fatbin.c", "-tused"]);
    kernels.args(["--module_id_file_name", "module_id", "--gen_c_file_name", "kernels.c"]);
    kernels.args(["--stub_file_name", "stub.c", "--gen_device_file_name", "kernels.gpu"]);
    quiet(kernels.args(["kernels.ii", "-o", "kernels.ptx"]), LIMIT)?;
    let mut binary = tool("fatbinary");
    binary.arg("-64").arg(format!("--image3=kind=ptx,sm={number},file=kernels.ptx"));
    quiet(binary.arg("--embedded-fatbin=fatbin.c"), LIMIT)?;
    rewrite(&of("host.cpp"), widen)?;
    let mut compiler = mingw("g++-posix");
    compiler.args(["-std=c++17", "-O2", "-w", "-fpermissive", "-c", "-x", "c++"]);
    compiler.arg(format!("-D__CUDA_ARCH__={number}0")).arg("-DCUDA_DOUBLE_MATH_FUNCTIONS");
    includes(&mut compiler, cuda);
    compiler.arg("-I").arg(&work).arg(of("host.cpp")).arg("-o").arg(to);
    quiet(&mut compiler, LIMIT).map(drop)
}

fn includes(command: &mut Command, cuda: &Cuda) {
    command.arg("-I").arg(root().join("tests/windows/cuda")).arg("-I").arg(cuda.headers());
    command.arg("-isystem").arg(cuda.headers().join("cccl"));
    command.arg("-D__NV_NO_HOST_COMPILER_CHECK=1");
}

fn preprocessor(cuda: &Cuda, source: &Source<'_>, number: &str, kernels: bool) -> Command {
    let mut command = mingw("g++-posix");
    command.args(["-std=c++17", "-E", "-x", "c++", "-D__LP64__"]);
    // Printing is the C library's own, which is declared in C.
    command.args(["-D__USE_MINGW_ANSI_STDIO=0", "-D__CUDACC__", "-D__NVCC__"]);
    let [major, minor] = [0, 1].map(|at| cuda.version.split('.').nth(at).unwrap_or("0"));
    command.arg(format!("-D__CUDACC_VER_MAJOR__={major}"));
    command.arg(format!("-D__CUDACC_VER_MINOR__={minor}"));
    command.args(["-D__CUDACC_VER_BUILD__=0", "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1"]);
    command.arg(format!("-D__CUDA_API_VER_MAJOR__={major}"));
    command.arg(format!("-D__CUDA_API_VER_MINOR__={minor}"));
    command.arg("-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1");
    command.arg(format!("-D__CUDA_ARCH_LIST__={number}0"));
    if kernels {
        command.arg(format!("-D__CUDA_ARCH__={number}0")).arg("-DCUDA_DOUBLE_MATH_FUNCTIONS");
    }
    includes(&mut command, cuda);
    command.args(["-include", "first.h", "-include", "cuda_runtime.h"]);
    command.arg(source.file);
    command
}

fn rewrite(file: &Path, change: fn(&str) -> String) -> Result<()> {
    let text = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    Ok(fs::write(file, change(&text))?)
}

/// What mingw's headers declare, for NVIDIA's parts.
fn narrow(text: &str) -> String {
    let text = text
        .replace("typedef long long unsigned int size_t", "typedef unsigned long size_t")
        .replace("typedef long long int ptrdiff_t", "typedef long ptrdiff_t");
    retype(&text, "long long", "long")
}

/// What NVIDIA's part made of it, for mingw's compiler.
fn widen(text: &str) -> String {
    retype(text, "long", "long long")
}

/// Gives the types of pointers' width another definition.
fn retype(text: &str, from: &str, to: &str) -> String {
    let mut text = text.to_owned();
    for name in WIDE_TYPES {
        for sign in ["unsigned ", ""] {
            let of = |type_: &str| format!("typedef {sign}{type_} {name};");
            text = text.replace(&of(from), &of(to));
        }
    }
    text
}

/// Links programs with NVIDIA's static runtime library.
#[derive(Debug)]
pub struct Linker {
    runtime: PathBuf,
    /// The folder of what Microsoft's compiler asks the linker for.
    libraries: PathBuf,
    lacking: PathBuf,
}

impl Linker {
    /// Fetches the runtime library, and makes what it needs.
    pub fn new() -> Result<Linker> {
        let wheel = wheel_for_windows(RUNTIME, &folder().join("nvidia"))?;
        let libraries = folder().join("cuda/libraries");
        make(&libraries)?;
        // What is in mingw's own libraries, or in none.
        for name in ["LIBCMT", "OLDNAMES", "Shell32", "Advapi32"] {
            let archive = libraries.join(format!("lib{name}.a"));
            quiet(mingw("ar").arg("rcs").arg(archive), LIMIT)?;
        }
        let lacking = libraries.join("lacking.o");
        let mut compiler = mingw("gcc-posix");
        compiler.args(["-O2", "-Wall", "-c"]).arg(root().join("tests/windows/cuda/lacking.c"));
        quiet(compiler.arg("-o").arg(&lacking), LIMIT)?;
        Ok(Linker { runtime: wheel.join("nvidia/cu13/lib/x64"), libraries, lacking })
    }

    /// Links one.
    pub fn link(&self, objects: &[PathBuf], to: &Path) -> Result<()> {
        let mut linker = Command::new(llvm_program("clang++"));
        linker.arg(format!("--target={}", MINGW.trim_end_matches('-')));
        linker.arg(format!("--ld-path={}", llvm_program("ld.lld").display()));
        linker.args(["-rtlib=libgcc", "-stdlib=libstdc++", "-static", "-L"]).arg(&self.libraries);
        linker.args(objects).arg(&self.lacking).arg(self.runtime.join("cudart_static.lib"));
        linker.arg(self.runtime.join("cuda.lib"));
        linker.args(["-lpthread", "-lshell32", "-ladvapi32", "-o"]).arg(to);
        quiet(&mut linker, LIMIT).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_nvcc_are_known_or_refused() {
        let flags =
            |flags: &str| Flags::of_nvcc(&flags.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let found = flags("-std=c++17 -DA=1 --default-stream per-thread").unwrap();
        assert_eq!(found.preprocessor, ["-DA=1", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"]);
        assert!(!found.no_fused_products && flags("-fmad=false").unwrap().no_fused_products);
        for unknown in ["-rdc=true", "--default-stream legacy", "--default-stream"] {
            assert!(flags(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn types_are_as_wide_to_both() {
        let theirs = "__extension__ typedef unsigned long long size_t;\ntypedef long long ptrdiff_t;\n\
                      typedef unsigned long long other;\n";
        let narrowed = narrow(theirs);
        assert_eq!(
            narrowed,
            "__extension__ typedef unsigned long size_t;\ntypedef long ptrdiff_t;\n\
             typedef unsigned long long other;\n"
        );
        assert_eq!(widen(&narrowed), theirs);
        assert_eq!(
            narrow("typedef long long unsigned int size_t;"),
            "typedef unsigned long size_t;"
        );
    }
}
