//! The samples with `ZLUDA_CHAOS`, by a few seeds that are always the same; `./x soak` takes new ones.

use super::Report;
use crate::chaos::{self, Case, run_all};
use crate::progress::heading;
use crate::toolkit::CUDA_VERSIONS;
use crate::{Result, verb};
use std::time::{Duration, Instant};

/// Odd seeds have code that can be left before each access, even ones the usual code; the reference executor's always can.
const SEEDS: [(u64, &str); 3] = [(1, "vector"), (2, "vector"), (3, "reference")];

const LONGEST: Duration = Duration::from_secs(3600);

/// Runs the chosen samples by each seed. Fails if they cannot be built.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let mut samples = chaos::samples(filter)?;
    samples.retain(|sample| !sample.long);
    let toolkits = verb::samples::build(&samples, &CUDA_VERSIONS[..1])?;
    heading("Running the CUDA programs in orders by chance");
    let cases: Vec<Case<'_>> = SEEDS
        .into_iter()
        .flat_map(|(seed, executor)| {
            let cuda = &toolkits[0];
            samples.iter().map(move |sample| Case { sample, cuda, executor, seed })
        })
        .collect();
    let results = run_all(&cases, Instant::now() + LONGEST)?;
    for (case, result) in cases.iter().zip(results) {
        let late = || Err(format!("it did not begin within {} s", LONGEST.as_secs()));
        report.check(case.name(), result.unwrap_or_else(late));
    }
    Ok(())
}
