//! The programs under `tests/offload/`, built by GCC for NVIDIA's GPUs: OpenMP and OpenACC. GCC's runtime loads the
//! driver by itself, links its modules of PTX there, and launches what comes of them. Its PTX is kept for the suite
//! [`super::ptx`].

use super::Report;
use crate::Result;
use crate::program::{capture, quiet};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make, make_empty, root, stem, target};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Linking and compiling some fifty modules takes its time.
const LIMIT: Duration = Duration::from_secs(600);

/// The executors of kernels. The reference executor has a coroutine for each thread, which GCC's kernels count on to keep step.
const EXECUTORS: [&str; 2] = ["vector", "reference"];

/// The programs whose name contains `filter`.
pub fn programs(filter: &str) -> Result<Vec<PathBuf>> {
    let all = files(&root().join("tests/offload"), "c")?;
    Ok(all.into_iter().filter(|program| stem(program).contains(filter)).collect())
}

/// The folder in which a program's run has left the PTX that it loaded.
pub fn texts(program: &Path) -> PathBuf {
    target().join("test/offload-ptx").join(stem(program))
}

/// Builds and runs the chosen programs, on the CPU.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let sources = programs(filter)?;
    heading("Running programs that GCC offloads, on the CPU");
    let results = parallel(
        &sources,
        |source| stem(source),
        |source| check(source).map_err(|error| error.to_string()),
        |result| result.is_ok(),
    );
    for (source, result) in sources.iter().zip(results) {
        report.check(format!("offload {}", stem(source)), result);
    }
    Ok(())
}

fn check(source: &Path) -> Result<()> {
    let folder = target().join("test/offload");
    make(&folder)?;
    let name = stem(source);
    let program = folder.join(&name);
    let mut compiler = Command::new("gcc");
    compiler
        .args([&format!("-f{name}"), "-std=gnu11", "-O2", "-foffload=nvptx-none"])
        // The tables of what is offloaded hold addresses that cannot be moved.
        .args(["-foffload-options=nvptx-none=-lm", "-no-pie", "-o"])
        .args([&program, source])
        .arg("-lm");
    quiet(&mut compiler, LIMIT)?;
    let texts = texts(source);
    make_empty(&texts)?;
    for executor in EXECUTORS {
        run_program(&program, &name, executor, &texts)
            .map_err(|error| format!("{executor}: {error}"))?;
    }
    Ok(())
}

fn run_program(program: &Path, name: &str, executor: &str, texts: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command
        .env("LD_LIBRARY_PATH", Profile::Release.staged())
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_EXECUTOR", executor)
        .env("ZLUDA_CACHE_DIR", "off")
        .env("ZLUDA_DEBUG", format!("ptx={}", texts.display()))
        // No falling back to the host.
        .env("OMP_TARGET_OFFLOAD", "MANDATORY")
        .env("ACC_DEVICE_TYPE", "nvidia");
    let output = capture(&mut command, LIMIT)?;
    let passed = output.success() && output.stdout.contains(&format!("PASS {name}"));
    if passed { Ok(()) } else { Err(output.describe().into()) }
}
