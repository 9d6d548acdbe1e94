//! `build`: the libraries, staged under the names that programs look for in `target/<profile>/zluda/`.

use crate::program::{cargo, loud};
use crate::repository::{Profile, make};
use crate::{Error, Result};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// What cargo builds (the package, the file that comes out) and what it is staged as.
const PRODUCTS: &[(&str, &str, &str)] = &[
    ("zluda", "libzluda_cuda.so", "libcuda.so.1"),
    ("hip_cpu", "libzluda_hip_cpu.so", "libzluda_hip_cpu.so"),
    ("hip_emu", "libzluda_hip_emu.so", "libzluda_hip_emu.so"),
    ("zluda_ld", "libzluda_ld.so", "libzluda_ld.so"),
    ("zluda_cli", "zluda_cli", "bin/zluda"),
];

/// Programs that are linked at build time look for this one.
const LINKS: &[(&str, &str)] = &[("libcuda.so", "libcuda.so.1")];

#[derive(clap::Args)]
pub struct Options {
    /// Optimised, with LLVM linked statically
    #[arg(long)]
    release: bool,
}

impl Options {
    fn profile(&self) -> Profile {
        if self.release { Profile::Release } else { Profile::Debug }
    }
}

pub fn run(options: &Options) -> Result<ExitCode> {
    build(options.profile())?;
    println!("staged in {}", options.profile().staged().display());
    Ok(ExitCode::SUCCESS)
}

pub fn stage_only(options: &Options) -> Result<ExitCode> {
    stage(options.profile())?;
    println!("staged in {}", options.profile().staged().display());
    Ok(ExitCode::SUCCESS)
}

/// Builds and stages everything.
pub fn build(profile: Profile) -> Result<()> {
    let mut command = cargo();
    command.arg("build");
    if profile == Profile::Release {
        command.arg("--release");
    }
    for (package, ..) in PRODUCTS {
        command.args(["--package", package]);
    }
    loud(&mut command)?;
    stage(profile)
}

fn stage(profile: Profile) -> Result<()> {
    let staged = profile.staged();
    make(&staged.join("bin"))?;
    for (_, product, name) in PRODUCTS {
        replace(&profile.folder().join(product), &staged.join(name))?;
    }
    for (name, target) in LINKS {
        let path = staged.join(name);
        if fs::read_link(&path).ok().as_deref() != Some(Path::new(target)) {
            let _ = fs::remove_file(&path);
            std::os::unix::fs::symlink(target, &path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Copies to a new file first: a program that runs keeps the library that it has mapped.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let copy = || {
        let unfinished = to.with_extension("unfinished");
        fs::copy(from, &unfinished)?;
        fs::rename(&unfinished, to)
    };
    copy().map_err(|error| -> Error {
        format!("{} to {}: {error}", from.display(), to.display()).into()
    })
}
