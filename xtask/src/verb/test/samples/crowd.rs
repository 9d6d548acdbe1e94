//! All samples at once: two processes with one new cache, in each of which two threads run all of them. Each
//! thread has its own copy of every sample, so that modules, variables and runtime libraries of the same
//! names live beside each other in one process.

use crate::Result;
use crate::program::{Output, capture, quiet};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, make_empty, root, target};
use crate::sample::Sample;
use crate::toolkit::Cuda;
use crate::verb::test::Report;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// For all samples, twice.
const LIMIT: Duration = Duration::from_secs(600);

/// Runs the samples all at once. Fails if they, or the program that loads them, cannot be built.
pub fn run(report: &mut Report, samples: &[Sample], cuda: &Cuda) -> Result<()> {
    heading("Running the CUDA programs all at once, by two threads in each of two processes");
    let folder = target().join("test/crowd");
    make_empty(&folder)?;
    let program = folder.join("crowd");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-O2", "-Wall", "-Werror", "-o"]).arg(&program);
    compiler.arg(root().join("tests/crowd/crowd.c")).args(["-ldl", "-lpthread"]);
    quiet(&mut compiler, LIMIT)?;

    let mut guests = Vec::new();
    for sample in samples {
        if let Some(library) = sample.library(cuda) {
            sample.build_library(cuda)?;
            guests.push((sample, library));
        }
    }
    let processes = ["first", "second"];
    let results = parallel(
        &processes,
        |process| format!("the {process} process"),
        |process| run_process(&program, &guests, &folder, process),
        |result| result.as_ref().is_ok_and(Output::success),
    );
    for (process, result) in processes.iter().zip(results) {
        let result = result.map_err(|error| error.to_string());
        let checked = result.and_then(|output| check(&guests, &output));
        report.check(format!("all samples at once, {process} process"), checked);
    }
    Ok(())
}

fn run_process(
    program: &Path,
    guests: &[(&Sample, PathBuf)],
    folder: &Path,
    process: &str,
) -> Result<Output> {
    let copies = folder.join(process);
    make_empty(&copies)?;
    let mut command = Command::new(program);
    for thread in 0..2 {
        for (sample, library) in guests {
            // Copies of a file are different libraries to the dynamic linker.
            let copy = copies.join(format!("{}-{thread}.so", sample.name));
            fs::copy(library, &copy)?;
            command.arg(copy);
        }
    }
    command
        .env("LD_LIBRARY_PATH", Profile::Release.staged())
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CACHE_DIR", folder.join("cache"));
    capture(&mut command, LIMIT)
}

/// Each thread must have ended each sample well.
fn check(guests: &[(&Sample, PathBuf)], output: &Output) -> std::result::Result<(), String> {
    let mut problems = Vec::new();
    if !output.success() {
        problems.push("it did not end with status 0".to_owned());
    }
    for (sample, _) in guests {
        let pass = format!("PASS {}", sample.name);
        let passes = output.stdout.lines().filter(|line| **line == pass).count();
        if passes != 2 {
            problems.push(format!("`{pass}` appears {passes} times instead of 2"));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{}", problems.join("; "), output.describe()))
    }
}
