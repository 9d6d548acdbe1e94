//! `amd-targets`: all PTX of the tests, for all AMD GPUs. Each text becomes one code object for each GPU, which links
//! without undefined symbols and has the right headers, symbols and metadata. None is refused.
//!
//! The tests compile each of the compilers' texts for one GPU only (suite `ptx`), because all of it takes long.

use crate::code_object::{self, PROCESSORS};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, make, make_empty, root, stem, target};
use crate::verb::{build, collect_ptx, test};
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Files, and folders with all that is below them, instead of the tests' PTX
    paths: Vec<PathBuf>,
    /// Only for these GPUs
    #[arg(long, value_delimiter = ',')]
    targets: Vec<String>,
    /// Only texts whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// Take the staged libraries as they are
    #[arg(long)]
    no_build: bool,
}

/// Compiles the texts for the chosen GPUs, all by default. Fails if a code object is not as it should be.
pub fn run(options: &Options) -> Result<ExitCode> {
    let processors = selected(&options.targets)?;
    if !options.no_build {
        heading("Building");
        build::build(Profile::Debug)?;
    }
    let folder = target().join("amd-targets");
    make_empty(&folder)?;
    let mut texts = match options.paths.as_slice() {
        [] => of_tests(&folder.join("ptx"))?,
        paths => {
            for path in paths {
                collect_ptx::files(path, &folder.join("ptx").join(stem(path)))?;
            }
            collect_ptx::below(&folder.join("ptx"))?
        }
    };
    texts.retain(|text| stem(text).contains(&options.filter));
    // In each round every text has its turn, for another GPU: whoever has no time for all sees much of both.
    let rounds = 0..processors.len();
    let jobs: Vec<(&PathBuf, &str)> = rounds
        .flat_map(|round| {
            let processors = &processors;
            texts
                .iter()
                .enumerate()
                .map(move |(index, text)| (text, processors[(index + round) % processors.len()]))
        })
        .collect();
    heading(&format!("Compiling {} texts for {} GPUs", texts.len(), processors.len()));
    let results = parallel(
        &jobs,
        |(text, processor)| format!("{} for {processor}", stem(text)),
        |(text, processor)| {
            let object = folder.join(format!("{}-{processor}.hsaco", stem(text)));
            let result = code_object::compile(Profile::Debug, text, processor, &object);
            if object.exists() {
                fs::remove_file(&object).map_err(|error| error.to_string())?;
            }
            result
        },
        |result| result.is_ok(),
    );
    let failures: Vec<_> = jobs
        .iter()
        .zip(results)
        .filter_map(|((text, processor), result)| {
            Some(format!("{} for {processor}: {}", text.display(), result.err()?))
        })
        .collect();
    failures.iter().for_each(|failure| println!("{failure}"));
    println!("{} of {} are as they should be", jobs.len() - failures.len(), jobs.len());
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The processors that are named, or all.
fn selected(names: &[String]) -> Result<Vec<&'static str>> {
    if names.is_empty() {
        return Ok(PROCESSORS.iter().map(|(name, _)| *name).collect());
    }
    let known = |name: &String| {
        let found = PROCESSORS.iter().find(|(processor, _)| processor == name);
        found.map(|(processor, _)| *processor).ok_or_else(|| Error::from(format!("no GPU {name}")))
    };
    names.iter().map(known).collect()
}

/// The texts that the suites compile: the compiler's own tests, the samples of each nvcc, and what programs in Python
/// and those of GCC load, in the order of their sizes.
fn of_tests(folder: &Path) -> Result<Vec<PathBuf>> {
    make(folder)?;
    let mut texts = collect_ptx::below(&root().join("ptx/tests/filetests/run"))?;
    texts.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    for (text, name) in test::compilers_texts()? {
        let path = folder.join(format!("{name}.ptx"));
        fs::write(&path, text)?;
        texts.push(path);
    }
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    texts.sort_by_cached_key(size);
    Ok(texts)
}
