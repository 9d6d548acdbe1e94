//! The time of a small program as a whole, when its kernel must be compiled, and when the cache has it.

use super::{best, folder, median};
use crate::Result;
use crate::program::capture;
use crate::progress::heading;
use crate::repository::{Profile, make_empty};
use crate::sample::{self, Runtime};
use crate::toolkit::Cuda;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// Short runs need more of them.
const RUNS_PER_ROUND: usize = 5;

/// The section of the page, in milliseconds. Fails if the program cannot be built or does not pass.
pub fn measure(cuda: &Cuda, rounds: usize) -> Result<String> {
    let samples = sample::all("vector_add")?;
    let sample = samples.first().ok_or("there is no sample vector_add")?;
    sample.build(cuda)?;
    heading("Measuring the start of a program");
    let cache = folder().join("start-cache");
    let run = || -> Result<f64> {
        let mut command = Command::new(sample.program(cuda, Runtime::Static));
        command
            .env("LD_LIBRARY_PATH", Profile::Release.staged())
            .env("ZLUDA_DEVICE", "cpu")
            .env("ZLUDA_CACHE_DIR", &cache);
        let output = capture(&mut command, LIMIT)?;
        let problems = sample.check(&output);
        if problems.is_empty() {
            Ok(output.time.as_secs_f64() * 1e3)
        } else {
            Err(format!("{}\n{}", problems.join("; "), output.describe()).into())
        }
    };
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..rounds * RUNS_PER_ROUND {
        make_empty(&cache)?;
        cold.push(run()?);
        warm.push(run()?);
    }
    Ok(format!(
        "## Start of a program\n\nThe sample vector_add as a whole process, in milliseconds.\n\n\
         | cache | best | median |\n|---|---|---|\n\
         | empty | {:.1} | {:.1} |\n| full | {:.1} | {:.1} |\n",
        best(&cold),
        median(&cold),
        best(&warm),
        median(&warm)
    ))
}
