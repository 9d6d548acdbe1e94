//! The programs under `tests/offload/`, built by GCC for NVIDIA's GPUs: OpenMP and OpenACC. GCC's runtime loads the
//! driver by itself, links its modules of PTX there, and launches what comes of them.

use super::Report;
use crate::Result;
use crate::program::{capture, quiet};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make, root, stem, target};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Linking and compiling some fifty modules takes its time.
const LIMIT: Duration = Duration::from_secs(600);

pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let mut sources = files(&root().join("tests/offload"), "c")?;
    sources.retain(|source| stem(source).contains(filter));
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
    let mut command = Command::new(&program);
    command
        .env("LD_LIBRARY_PATH", Profile::Release.staged())
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CACHE_DIR", "off")
        // No falling back to the host.
        .env("OMP_TARGET_OFFLOAD", "MANDATORY")
        .env("ACC_DEVICE_TYPE", "nvidia");
    let output = capture(&mut command, LIMIT)?;
    let passed = output.success() && output.stdout.contains(&format!("PASS {name}"));
    if passed { Ok(()) } else { Err(output.describe().into()) }
}
