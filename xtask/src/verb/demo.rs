//! `demo`: real CUDA programs, built by NVIDIA's own nvcc, on this machine's processor.

use crate::Result;
use crate::program::{Output, capture, loud};
use crate::progress::heading;
use crate::repository::{Profile, make_empty, target};
use crate::sample::{self, Runtime, Sample};
use crate::toolkit::{CUDA_13_0, Cuda};
use crate::verb;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

#[derive(clap::Args)]
pub struct Options {
    /// Only programs whose name contains this
    #[arg(default_value = "")]
    filter: String,
}

/// Builds the release and the samples, and runs them twice. Fails if one does not pass.
pub fn run(options: &Options) -> Result<ExitCode> {
    heading("Building the release");
    verb::build::build(Profile::Release)?;
    let samples: Vec<Sample> = sample::all(&options.filter)?
        .into_iter()
        .filter(|sample| sample.runtimes().contains(&Runtime::Shared))
        .collect();
    let toolkits = verb::samples::build(&samples, &[CUDA_13_0])?;
    let [cuda] = toolkits.as_slice() else { return Err("one toolkit is expected".into()) };

    let staged = Profile::Release.staged();
    heading("The device, as CUDA programs see it");
    let cache = target().join("demo/cache");
    make_empty(&cache)?;
    loud(
        Command::new(staged.join("bin/zluda"))
            .arg("info")
            .env("ZLUDA_DEVICE", "cpu")
            .env("ZLUDA_CACHE_DIR", &cache),
    )?;

    heading(&format!(
        "Running {} CUDA programs on the CPU; each checks its own results",
        samples.len()
    ));
    println!(
        "{:26} {:7} {:>22} {:>22}",
        "program", "result", "first run (compiles)", "second run (cached)"
    );
    let mut wrong = 0;
    for sample in &samples {
        let first = run_one(sample, cuda, &staged, &cache)?;
        let second = run_one(sample, cuda, &staged, &cache)?;
        let problems = [sample.check(&first), sample.check(&second)].concat();
        let verdict = if problems.is_empty() { "ok" } else { "FAILED" };
        println!(
            "{:26} {verdict:7} {:>22} {:>22}",
            sample.name,
            milliseconds(&first),
            milliseconds(&second)
        );
        if !problems.is_empty() {
            wrong += 1;
            println!("    {}", problems.join("; "));
            println!(
                "{}",
                if sample.check(&first).is_empty() { second.describe() } else { first.describe() }
            );
        }
    }
    println!(
        "\n{} of {} programs ran and checked their results.",
        samples.len() - wrong,
        samples.len()
    );
    println!("Run your own: {} run PROGRAM", staged.join("bin/zluda").display());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_one(sample: &Sample, cuda: &Cuda, staged: &Path, cache: &Path) -> Result<Output> {
    let mut command = Command::new(sample.program(cuda, Runtime::Static));
    command.env("LD_LIBRARY_PATH", staged).env("ZLUDA_DEVICE", "cpu").env("ZLUDA_CACHE_DIR", cache);
    capture(&mut command, LIMIT)
}

fn milliseconds(output: &Output) -> String {
    format!("{:.0} ms", output.time.as_secs_f64() * 1e3)
}
