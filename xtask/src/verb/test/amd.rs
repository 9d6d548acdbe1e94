//! PTX of the samples and of the compiler's tests becomes code objects that are what they should be, for every AMD GPU;
//! and the kernels of `bench/amd` about as many instructions as clang makes of them.

use super::Report;
use crate::code_object::{self, PROCESSORS};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, make_empty, stem, target};
use crate::toolkit::CUDA_13_0;
use crate::verb::amd_quality;
use crate::{Result, sample, verb};
use std::path::PathBuf;

/// One of wave32's generations, one of wave64's, and a newer one: the samples are for these, each of the small texts of the
/// compiler's tests for a third of all.
const TARGETS: [&str; 3] = ["gfx1100", "gfx942", "gfx1201"];

/// A file of PTX for a processor.
struct Job {
    ptx: PathBuf,
    target: &'static str,
}

/// Checks the code objects of the chosen samples; without a filter also those of the tests, and the amount of code.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    if filter.is_empty() {
        heading("Counting instructions beside clang's");
        for comparison in amd_quality::compare(Profile::Release, filter)? {
            report.check(format!("code for {}", comparison.target), comparison.check());
        }
    }
    let mut jobs = Vec::new();
    let samples = sample::all(filter)?;
    for cuda in verb::samples::build(&samples, &[CUDA_13_0])? {
        for sample in &samples {
            let texts = sample.ptx(&cuda);
            jobs.extend(texts.into_iter().flat_map(|ptx| {
                TARGETS.iter().map(move |target| Job { ptx: ptx.clone(), target })
            }));
        }
    }
    let mut texts = verb::build::bolt::texts()?;
    texts.retain(|ptx| stem(ptx).contains(filter));
    for (number, ptx) in texts.into_iter().enumerate() {
        let some = PROCESSORS.iter().skip(number % 3).step_by(3);
        jobs.extend(some.map(|(target, _)| Job { ptx: ptx.clone(), target }));
    }
    let folder = target().join("test/amd");
    for target in PROCESSORS.iter().map(|(target, _)| target) {
        make_empty(&folder.join(target))?;
    }
    heading("Compiling kernels for AMD GPUs");
    let name = |job: &Job| format!("{} for {}", stem(&job.ptx), job.target);
    let results = parallel(
        &jobs,
        name,
        |job| {
            let to = folder.join(job.target).join(format!("{}.hsaco", stem(&job.ptx)));
            code_object::compile(Profile::Release, &job.ptx, job.target, &to)
        },
        |result| result.is_ok(),
    );
    for (job, result) in jobs.iter().zip(results) {
        report.check(name(job), result);
    }
    Ok(())
}
