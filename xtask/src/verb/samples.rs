//! `samples`: builds the programs of `samples/` with every toolkit and both kinds of runtime library.

use crate::Result;
use crate::progress::{heading, parallel};
use crate::sample::{self, Sample};
use crate::toolkit::{CUDA_VERSIONS, Cuda, CudaVersion, cuda};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Only samples whose name contains this
    #[arg(default_value = "")]
    filter: String,
}

/// Builds the chosen samples; fails where a compiler does.
pub fn run(options: &Options) -> Result<ExitCode> {
    let samples = sample::all(&options.filter)?;
    build(&samples, &CUDA_VERSIONS)?;
    Ok(ExitCode::SUCCESS)
}

/// Builds `samples` with the first toolkit, and one of five with each of the newer ones, whose programs differ by the runtime
/// library. Gives each toolkit with what is built with it.
pub fn build_for_tests(samples: &[Sample]) -> Result<Vec<(Cuda, Vec<Sample>)>> {
    let some: Vec<Sample> = samples.iter().step_by(5).cloned().collect();
    let mut built = Vec::new();
    for (index, version) in CUDA_VERSIONS.into_iter().enumerate() {
        let samples = if index == 0 { samples } else { &some };
        let toolkits = build(samples, &[version])?;
        built.extend(toolkits.into_iter().map(|cuda| (cuda, samples.to_vec())));
    }
    Ok(built)
}

/// Builds `samples` with the toolkits of `versions`, which it returns.
pub fn build(samples: &[Sample], versions: &[CudaVersion]) -> Result<Vec<Cuda>> {
    let toolkits = versions.iter().map(|version| cuda(*version)).collect::<Result<Vec<_>>>()?;
    heading(&format!("Building {} CUDA programs with nvcc", samples.len()));
    let jobs: Vec<(&Sample, &Cuda)> =
        toolkits.iter().flat_map(|cuda| samples.iter().map(move |sample| (sample, cuda))).collect();
    let results = parallel(
        &jobs,
        |(sample, cuda)| format!("{} with CUDA {}", sample.name, cuda.version),
        |(sample, cuda)| {
            sample.build(cuda)?;
            sample.build_ptx(cuda)
        },
        Result::is_ok,
    );
    fail_if_any(results)?;
    Ok(toolkits)
}

/// Builds those of `samples` that are to be there as machine code alone.
pub fn build_machine_code(samples: &[Sample], cuda: &Cuda) -> Result<()> {
    let samples: Vec<&Sample> = samples.iter().filter(|sample| sample.machine_code).collect();
    heading(&format!("Building {} CUDA programs as machine code", samples.len()));
    fail_if_any(parallel(
        &samples,
        |sample| sample.name.clone(),
        |sample| sample.build_machine_code(cuda),
        Result::is_ok,
    ))
}

fn fail_if_any(results: Vec<Result<()>>) -> Result<()> {
    let failures: Vec<String> =
        results.into_iter().filter_map(|result| Some(result.err()?.to_string())).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
