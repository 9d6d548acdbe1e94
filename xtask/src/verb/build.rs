//! `build`: the libraries, staged under the names that programs look for in `target/<profile>/zluda/`.

pub mod bolt;

use crate::program::{cargo, loud, quiet};
use crate::repository::{Profile, llvm_program, make};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use zluda_staged::{LIBRARIES, STAGED, STUBS, Staged, Stub};

/// The libraries above the driver, and what they compute with. Their tests take long without optimisation, and to optimise them
/// takes longer than to build all else: so they are built once, as the release is, and tested so.
pub const ABOVE_THE_DRIVER: [&str; 12] = [
    "dense",
    "fourier",
    "neural",
    "sparse",
    "spectral",
    "zluda_blas",
    "zluda_dnn",
    "zluda_dnn8",
    "zluda_fft",
    "zluda_rand",
    "zluda_solver",
    "zluda_sparse",
];

#[derive(clap::Args)]
pub struct Options {
    /// Optimised, with LLVM linked statically
    #[arg(long)]
    release: bool,
    /// Lay the compiler's code out by a profile: a release that compiles faster, and takes minutes more to build
    #[arg(long)]
    bolt: bool,
}

impl Options {
    fn profile(&self) -> Profile {
        if self.release || self.bolt { Profile::Release } else { Profile::Debug }
    }
}

/// Builds and stages the libraries; fails where cargo does.
pub fn run(options: &Options) -> Result<ExitCode> {
    build(options.profile())?;
    finish(options)
}

/// Stages libraries that are built; fails if one is not.
pub fn stage_only(options: &Options) -> Result<ExitCode> {
    stage(options.profile())?;
    finish(options)
}

fn finish(options: &Options) -> Result<ExitCode> {
    let staged = options.profile().staged();
    if options.bolt {
        lay_out(&staged, bolt::TEXTS)?;
    }
    println!("staged in {}", staged.display());
    Ok(ExitCode::SUCCESS)
}

/// Builds and stages everything.
pub fn build(profile: Profile) -> Result<()> {
    // Cargo gives a crate the features that any of the chosen packages asks for: those above the driver are chosen by themselves
    // here and for their tests, which else would build them again.
    let (above, others): (Vec<&Staged>, Vec<&Staged>) =
        STAGED.iter().partition(|staged| ABOVE_THE_DRIVER.contains(&staged.package));
    for some in [others, above] {
        let mut command = cargo();
        command.arg("build");
        if profile == Profile::Release {
            command.arg("--release");
        }
        command.args(some.iter().flat_map(|staged| ["--package", staged.package]));
        loud(&mut command)?;
    }
    stage(profile)
}

/// Puts the files that hold the compiler into a staged folder as BOLT lays them out.
pub fn lay_out(staged: &Path, texts: usize) -> Result<()> {
    let built = |product: &str| Profile::Release.folder().join(product);
    let products: Vec<(PathBuf, PathBuf)> = STAGED
        .iter()
        .filter(|file| file.compiler)
        .map(|file| (built(file.built), staged.join(file.name)))
        .collect();
    bolt::lay_out(&built("zluda_cli"), &products, texts)
}

/// Stages what cargo has built.
pub fn stage(profile: Profile) -> Result<()> {
    stage_in(profile, &profile.staged())
}

/// Stages what cargo has built in a folder.
pub fn stage_in(profile: Profile, staged: &Path) -> Result<()> {
    stage_some(profile, staged, |_| true)
}

/// Stages some of the files, and the stubs that need them.
pub fn stage_some(
    profile: Profile,
    staged: &Path,
    is_wanted: impl Fn(&Staged) -> bool,
) -> Result<()> {
    make(&staged.join("bin"))?;
    let files: Vec<_> = STAGED.iter().filter(|file| is_wanted(file)).collect();
    for Staged { built, name, .. } in &files {
        let (from, to) = (profile.folder().join(built), staged.join(name));
        match profile {
            Profile::Debug => replace(&from, &to)?,
            Profile::Release => strip(&from, &to)?,
        }
    }
    for file in &files {
        link(staged, file.link, file.name)?;
    }
    let libraries = staged.join(LIBRARIES);
    make(&libraries)?;
    for stub in STUBS.iter().filter(|stub| files.iter().any(|file| file.name == stub.library)) {
        make_stub(stub, staged, &libraries)?;
        link(&libraries, stub.link, stub.name)?;
    }
    Ok(())
}

/// A link in a folder to a file that lies beside the link.
fn link(folder: &Path, link: Option<&str>, name: &str) -> Result<()> {
    let Some(link) = link else { return Ok(()) };
    let path = folder.join(link);
    let file = Path::new(name).file_name().unwrap_or_default();
    if fs::read_link(&path).ok().as_deref() != Some(Path::new(file)) {
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(file, &path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Links a library without code that has a name of NVIDIA's, its version, and needs ours, which lies one folder above.
fn make_stub(stub: &Stub, staged: &Path, libraries: &Path) -> Result<()> {
    let Stub { name, library, .. } = stub;
    let to = libraries.join(name);
    let (versions, unfinished) = (to.with_extension("versions"), unfinished(&to));
    fs::write(&versions, format!("{name} {{ }};\n"))?;
    let mut command = Command::new("cc");
    command
        .args(["-shared", "-nostdlib", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/.."])
        // A file without a word about its stack wants an executable one, which glibc 2.41 refuses to dlopen.
        .arg("-Wl,-z,noexecstack")
        .arg(format!("-Wl,-soname,{name}"))
        .arg(format!("-Wl,--version-script,{}", versions.display()))
        .arg(format!("-L{}", staged.display()))
        .arg(format!("-l:{library}"))
        .arg("-o")
        .arg(&unfinished);
    quiet(&mut command, Duration::from_secs(60))?;
    fs::remove_file(versions)?;
    Ok(fs::rename(&unfinished, to)?)
}

/// Copies without symbols, of which LLVM has as many bytes as of code.
fn strip(from: &Path, to: &Path) -> Result<()> {
    let unfinished = unfinished(to);
    let mut command = Command::new(llvm_program("llvm-strip"));
    quiet(command.arg(from).arg("-o").arg(&unfinished), Duration::from_secs(300))?;
    Ok(fs::rename(&unfinished, to)?)
}

/// A new file comes first: a program that runs keeps the library that it has mapped.
fn unfinished(to: &Path) -> PathBuf {
    to.with_extension("unfinished")
}

fn replace(from: &Path, to: &Path) -> Result<()> {
    let copy = || {
        let unfinished = unfinished(to);
        fs::copy(from, &unfinished)?;
        fs::rename(&unfinished, to)
    };
    copy().map_err(|error| -> Error {
        format!("{} to {}: {error}", from.display(), to.display()).into()
    })
}
