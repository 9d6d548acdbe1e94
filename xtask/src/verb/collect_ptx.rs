//! `collect-ptx`: PTX as compilers make it, in `target/ptx/`, and whether it is understood.
//!
//! It takes the kernels of `samples/`, as the toolkits compile them, and the PTX in files that are named:
//! texts, and whatever holds fat binaries (programs, libraries, also those in Python packages). Each text has
//! to parse, print, and parse to the same tree again, and to keep the rules of the language.

use crate::Result;
use crate::progress::{heading, parallel};
use crate::ptx_text::{fat_binaries, understood};
use crate::repository::{make, make_empty, stem, target};
use crate::sample::{self, Sample};
use crate::toolkit::{CUDA_VERSIONS, cuda};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Files, and folders with all that is below them
    paths: Vec<PathBuf>,

    /// Leave out the programs of samples/
    #[arg(long)]
    no_samples: bool,
}

/// Collects the texts and reads each. Fails if one is not understood.
pub fn run(options: &Options) -> Result<ExitCode> {
    let folder = target().join("ptx");
    make_empty(&folder)?;
    if !options.no_samples {
        samples(&folder.join("samples"))?;
    }
    for path in &options.paths {
        files(path, &folder.join(stem(path)))?;
    }
    let texts = below(&folder)?;
    heading(&format!("Reading {} texts of PTX", texts.len()));
    let results =
        parallel(&texts, |path| stem(path), |path| understood(&fs::read(path)?), Result::is_ok);
    let failures: Vec<String> = texts
        .iter()
        .zip(results)
        .filter_map(|(path, result)| Some(format!("{}: {}", path.display(), result.err()?)))
        .collect();
    failures.iter().for_each(|failure| println!("{failure}"));
    println!("{} of {} are understood", texts.len() - failures.len(), texts.len());
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The kernels of `samples/`, with each toolkit.
fn samples(to: &Path) -> Result<()> {
    let samples = sample::all("")?;
    for version in CUDA_VERSIONS {
        let cuda = cuda(version)?;
        heading(&format!("Compiling {} programs with CUDA {}", samples.len(), cuda.version));
        let made = |sample: &Sample| -> Result<Vec<PathBuf>> {
            sample.build_ptx(&cuda)?;
            Ok(sample.ptx(&cuda))
        };
        let name = |sample: &Sample| sample.name.clone();
        let made = parallel(&samples, name, made, Result::is_ok);
        let to = to.join(cuda.version);
        make(&to)?;
        for path in made.into_iter().collect::<Result<Vec<_>>>()?.concat() {
            fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// All files below a folder, or the file itself.
pub fn below(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        found.extend(below(&entry?.path())?);
    }
    found.sort();
    Ok(found)
}

/// The PTX in files.
pub fn files(from: &Path, to: &Path) -> Result<()> {
    make(to)?;
    for path in below(from)? {
        let bytes = fs::read(&path)?;
        if path.extension().is_some_and(|extension| extension == "ptx") {
            fs::write(to.join(path.file_name().unwrap_or_default()), bytes)?;
            continue;
        }
        for (number, text) in fat_binaries(&bytes).into_iter().enumerate() {
            fs::write(to.join(format!("{}-{number}.ptx", stem(&path))), text)?;
        }
    }
    Ok(())
}
