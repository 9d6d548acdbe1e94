//! `bindgen`: generates the kept bindings again, or compares them with what would be generated.

use crate::bindgen::api::{APIS, Source};
use crate::repository::{files, make, root};
use crate::toolkit::{CUDA_13_0, cuda, hip_headers, nvidia_libraries, wheel_headers};
use crate::{Result, bindgen};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The bindings to HIP.
const HIP: &str = "ext/hip_runtime-sys/src/generated.rs";

#[derive(clap::Args)]
pub struct Options {
    /// Change nothing; fail if a kept file is not what would be generated
    #[arg(long)]
    check: bool,
}

/// Writes the files that differ, or with `--check` names them and fails if there are any.
pub fn run(options: &Options) -> Result<ExitCode> {
    let differing = differing()?;
    for (file, text) in &differing {
        if options.check {
            println!("{} is not what `cargo xtask bindgen` makes", file.display());
        } else {
            fs::write(root().join(file), text)?;
            println!("wrote {}", file.display());
        }
    }
    if differing.is_empty() {
        println!("all generated files are up to date");
    }
    Ok(if options.check && !differing.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The generated files, relative to the root, that are not what is kept, with what they should hold.
pub fn differing() -> Result<Vec<(PathBuf, String)>> {
    let cuda = cuda(CUDA_13_0)?;
    let hip = hip_headers()?;
    bindgen::find_libclang();
    let fresh = tempfile::tempdir()?;
    for api in APIS {
        let exports = fresh.path().join(api.exports());
        make(exports.parent().unwrap_or(&exports))?;
        fs::copy(root().join(api.exports()), &exports)?;
        let headers = match api.source {
            Source::Toolkit => vec![cuda.headers()],
            Source::Wheel(package) => vec![wheel_headers(package)?, cuda.headers()],
            Source::Libraries => {
                vec![nvidia_libraries()?.with_file_name("include"), cuda.headers()]
            }
        };
        api.generate(&headers, fresh.path()).map_err(|error| format!("{}: {error}", api.name))?;
    }
    bindgen::proc_address::generate(&cuda.headers(), fresh.path())
        .map_err(|error| error.to_string())?;
    let hip_file = fresh.path().join(HIP);
    make(hip_file.parent().unwrap_or(&hip_file))?;
    fs::write(&hip_file, bindgen::hip::generate(&hip)?)?;

    let mut differing = Vec::new();
    for file in all_files(fresh.path())? {
        let text = fs::read_to_string(&file)?;
        let relative = file.strip_prefix(fresh.path())?.to_owned();
        if fs::read_to_string(root().join(&relative)).ok().as_ref() != Some(&text) {
            differing.push((relative, text));
        }
    }
    Ok(differing)
}

/// All Rust files below `folder`.
fn all_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = files(folder, "rs")?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(all_files(&path)?);
        }
    }
    Ok(found)
}
