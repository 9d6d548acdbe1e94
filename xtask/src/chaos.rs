//! Samples that run with `ZLUDA_CHAOS`: with a seed by which all varies that they may not rely on.

use crate::Result;
use crate::program::{capture, shown};
use crate::progress::parallel;
use crate::repository::{Profile, make, target};
use crate::sample::{self, Runtime, Sample};
use crate::toolkit::Cuda;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// For one program: a busy machine, and delays on purpose.
const LIMIT: Duration = Duration::from_secs(300);

/// The samples that rely on nothing that varies.
pub fn samples(filter: &str) -> Result<Vec<Sample>> {
    let mut samples = sample::all(filter)?;
    samples.retain(|sample| !sample.race);
    Ok(samples)
}

/// A sample, a seed, and what runs it.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub sample: &'a Sample,
    pub cuda: &'a Cuda,
    pub executor: &'static str,
    pub seed: u64,
}

impl Case<'_> {
    /// The sample, the seed and the executor, for messages.
    pub fn name(&self) -> String {
        format!("{} (ZLUDA_CHAOS={}, {})", self.sample.name, self.seed, self.executor)
    }

    fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("ZLUDA_CHAOS", self.seed.to_string()),
            ("ZLUDA_EXECUTOR", self.executor.to_owned()),
            ("ZLUDA_DEVICE", "cpu".to_owned()),
            ("LD_LIBRARY_PATH", Profile::Release.staged().display().to_string()),
        ]
    }

    fn program(&self) -> Command {
        Command::new(self.sample.program(self.cuda, Runtime::Static))
    }

    /// The command line by which a person runs it again.
    pub fn again(&self) -> String {
        let words = self.environment().map(|(name, value)| format!("{name}={value}"));
        format!("{} {}", words.join(" "), shown(&self.program()))
    }

    fn run(&self, cache: &Path) -> std::result::Result<(), String> {
        let mut command = self.program();
        command.envs(self.environment()).env("ZLUDA_CACHE_DIR", cache);
        let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
        let problems = self.sample.check(&output);
        if problems.is_empty() {
            return Ok(());
        }
        Err(format!("{}\n{}\n{}", problems.join("; "), output.describe(), self.again()))
    }
}

/// Runs all, on as many threads as there are processors; `None` for what has not begun by the deadline.
pub fn run_all(
    cases: &[Case<'_>],
    deadline: Instant,
) -> Result<Vec<Option<std::result::Result<(), String>>>> {
    let cache = target().join("test/chaos-cache");
    make(&cache)?;
    Ok(parallel(
        cases,
        Case::name,
        |case| (Instant::now() < deadline).then(|| case.run(&cache)),
        |result| matches!(result, Some(Ok(())) | None),
    ))
}
