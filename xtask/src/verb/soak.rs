//! `soak`: the samples with `ZLUDA_CHAOS` and ever new seeds, for as long as is asked for.

use crate::chaos::{self, Case, run_all};
use crate::progress::heading;
use crate::repository::Profile;
use crate::toolkit::CUDA_VERSIONS;
use crate::{Result, verb};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(clap::Args)]
pub struct Options {
    /// How long; a part of an hour may be said as 0.5
    #[arg(long, default_value_t = 1.0)]
    hours: f64,
    /// Only samples whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// The first seed; by default the time
    #[arg(long)]
    seed: Option<u64>,
    /// Take the staged libraries as they are
    #[arg(long)]
    no_build: bool,
}

/// Runs the chosen samples until the time is over. Fails if a run does, and prints how to run it again.
pub fn run(options: &Options) -> Result<ExitCode> {
    let time = Duration::try_from_secs_f64(options.hours * 3600.0)?;
    if !options.no_build {
        verb::build::build(Profile::Release)?;
    }
    let samples = chaos::samples(&options.filter)?;
    if samples.is_empty() {
        return Err(format!("no sample has `{}` in its name", options.filter).into());
    }
    let toolkits = verb::samples::build(&samples, &CUDA_VERSIONS[..1])?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let (deadline, mut seed) = (Instant::now() + time, options.seed.unwrap_or(now));
    let mut failures = Vec::new();
    let mut runs = 0;
    while Instant::now() < deadline {
        let left = deadline.saturating_duration_since(Instant::now()).as_secs() / 60;
        heading(&format!("Seed {seed}; {left} minutes are left, {} runs failed", failures.len()));
        let executor = if seed.is_multiple_of(4) { "reference" } else { "vector" };
        let cuda = &toolkits[0];
        let cases: Vec<_> =
            samples.iter().map(|sample| Case { sample, cuda, executor, seed }).collect();
        for (case, result) in cases.iter().zip(run_all(&cases, deadline)?) {
            runs += usize::from(result.is_some());
            if let Some(Err(reason)) = result {
                println!("FAILED {}: {reason}", case.name());
                failures.push(case.again());
            }
        }
        seed += 1;
    }
    heading(&format!("{runs} runs, {} failed", failures.len()));
    failures.iter().for_each(|again| println!("{again}"));
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
