//! Kernels beside the same algorithms in C++, and launches of kernels that do nothing.

use super::{best, folder, median};
use crate::program::{capture, quiet};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make, make_empty, root, stem};
use crate::toolkit::Cuda;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// For a compiler, or for one run of a program.
const LIMIT: Duration = Duration::from_secs(300);

/// Without errno, which nobody asks, square roots can be vectors.
const NATIVE_FLAGS: [&str; 5] =
    ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-std=c++17"];

/// Sums are rounded in another order.
const TOLERANCE: f64 = 1e-3;

/// The line that a program prints of one kernel, times in microseconds.
#[derive(Clone, Debug)]
struct Times {
    kernel: String,
    best: f64,
    median: f64,
    checksum: f64,
}

impl Times {
    /// Reads a line `kernel best median checksum`.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let kernel = words.next()?.to_owned();
        let mut number = || words.next()?.parse().ok();
        let (best, median, checksum) = (number()?, number()?, number()?);
        words.next().is_none().then_some(Self { kernel, best, median, checksum })
    }
}

/// All times of a kernel over some runs.
#[derive(Debug, Default)]
struct Series {
    best: Vec<f64>,
    median: Vec<f64>,
    checksum: f64,
}

type Table = BTreeMap<String, Series>;

fn add(table: &mut Table, times: Vec<Times>) {
    for times in times {
        let series = table.entry(times.kernel).or_default();
        series.best.push(times.best);
        series.median.push(times.median);
        series.checksum = times.checksum;
    }
}

/// Measures the programs of `bench/` that have a native counterpart.
pub fn compare(cuda: &Cuda, filter: &str, rounds: usize) -> Result<String> {
    let programs: Vec<String> = files(&root().join("bench"), "cpp")?
        .iter()
        .map(|file| stem(file))
        .filter(|name| name.contains(filter))
        .collect();
    build(cuda, &programs, "compute_75", true)?;
    heading("Measuring kernels and their native counterparts");
    let mut text = format!(
        "## Kernels\n\nLaunch and synchronisation of kernels built by nvcc, beside the same algorithm in C++ \
         (`g++ {}`), in microseconds, from {rounds} runs of each program in turn. Checksums agree.\n\n\
         | kernel | native, best | median | ZLUDA, best | median | ZLUDA / native, best |\n\
         |---|---|---|---|---|---|\n",
        NATIVE_FLAGS.join(" ")
    );
    let cache = fresh_cache()?;
    for program in &programs {
        let (mut native, mut ours) = (Table::new(), Table::new());
        for _ in 0..rounds {
            add(&mut native, run(Command::new(native_program(program)))?);
            add(&mut ours, run(on_zluda(program, &cache))?);
        }
        for (kernel, native) in &native {
            let ours = ours.get(kernel).ok_or_else(|| -> Error {
                format!("{program}.cu does not measure {kernel}").into()
            })?;
            text += &format!(
                "| {kernel} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} |\n",
                best(&native.best),
                median(&native.median),
                best(&ours.best),
                median(&ours.median),
                best(&ours.best) / best(&native.best)
            );
            let difference = (native.checksum - ours.checksum).abs();
            if difference > TOLERANCE * native.checksum.abs() {
                let (native, ours) = (native.checksum, ours.checksum);
                return Err(format!("{kernel}: the checksum is {ours} for {native}").into());
            }
        }
    }
    Ok(text)
}

/// What a program measures that has nothing beside it.
fn without_native(
    cuda: &Cuda,
    program: &str,
    architecture: &str,
    what: &str,
    rounds: usize,
) -> Result<Table> {
    build(cuda, &[program.to_owned()], architecture, false)?;
    heading(&format!("Measuring {what}"));
    let cache = fresh_cache()?;
    let mut table = Table::new();
    for _ in 0..rounds {
        add(&mut table, run(on_zluda(program, &cache))?);
    }
    Ok(table)
}

/// Measures launches.
pub fn launches(cuda: &Cuda, rounds: usize) -> Result<String> {
    let table = without_native(cuda, "launch", "compute_75", "launches", rounds)?;
    let mut text = "## Launches\n\nMicroseconds for each launch.\n\n\
                    | what | best | median |\n|---|---|---|\n"
        .to_owned();
    for (kernel, series) in &table {
        text += &format!(
            "| {} | {:.2} | {:.2} |\n",
            kernel.replace('_', " "),
            best(&series.best),
            median(&series.median)
        );
    }
    Ok(text)
}

/// Measures matrix instructions.
pub fn matrices(cuda: &Cuda, rounds: usize) -> Result<String> {
    // The oldest with bf16.
    let table = without_native(cuda, "matrix", "compute_80", "matrix instructions", rounds)?;
    let mut text = "## Matrix instructions\n\nOne warp's `mma`, on one core. Sums are f32 or s32 but where it \
                    says so; a multiplication and an addition are two operations.\n\n\
                    | instruction | nanoseconds, best | median | GOP/s, best |\n|---|---|---|---|\n"
        .to_owned();
    for (instruction, series) in &table {
        let nanoseconds = best(&series.best);
        text += &format!(
            "| {} | {nanoseconds:.0} | {:.0} | {:.1} |\n",
            instruction.replace('_', " "),
            median(&series.median),
            series.checksum / nanoseconds
        );
    }
    Ok(text)
}

fn fresh_cache() -> Result<PathBuf> {
    let cache = folder().join("cache");
    make_empty(&cache)?;
    Ok(cache)
}

fn native_program(program: &str) -> PathBuf {
    folder().join("native").join(program)
}

fn cuda_program(program: &str) -> PathBuf {
    folder().join("cuda").join(program)
}

fn on_zluda(program: &str, cache: &Path) -> Command {
    let mut command = Command::new(cuda_program(program));
    command
        .env("LD_LIBRARY_PATH", Profile::Release.staged())
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CACHE_DIR", cache);
    command
}

fn run(mut command: Command) -> Result<Vec<Times>> {
    let output = capture(&mut command, LIMIT)?;
    let times: Option<Vec<Times>> = output.stdout.lines().map(Times::parse).collect();
    match times {
        Some(times) if output.success() && !times.is_empty() => Ok(times),
        _ => Err(format!("{}: {}", crate::program::shown(&command), output.describe()).into()),
    }
}

/// Builds the CUDA programs and, if `native`, their counterparts.
fn build(cuda: &Cuda, programs: &[String], architecture: &str, native: bool) -> Result<()> {
    heading("Building the programs to measure");
    let sources = root().join("bench");
    let mut commands = Vec::new();
    for program in programs {
        let to = cuda_program(program);
        make(to.parent().unwrap_or(&to))?;
        let mut nvcc = vec![cuda.nvcc().into_os_string()];
        // PTX alone, so that the driver has to compile it.
        nvcc.extend(["-O3", "-std=c++17"].map(Into::into));
        nvcc.extend(["-arch", architecture, "-code", architecture].map(Into::into));
        nvcc.extend(["-o".into(), to.into(), sources.join(format!("{program}.cu")).into()]);
        commands.push(nvcc);
        if native {
            let to = native_program(program);
            make(to.parent().unwrap_or(&to))?;
            let mut compiler: Vec<std::ffi::OsString> = vec!["g++".into()];
            compiler.extend(NATIVE_FLAGS.map(Into::into));
            compiler.extend(["-o".into(), to.into()]);
            compiler.push(sources.join(format!("{program}.cpp")).into());
            commands.push(compiler);
        }
    }
    let results = parallel(
        &commands,
        |words| words.last().map(|source| source.display().to_string()).unwrap_or_default(),
        |words| match words.split_first() {
            Some((program, arguments)) => {
                quiet(Command::new(program).args(arguments), LIMIT).map(drop)
            }
            None => Ok(()),
        },
        Result::is_ok,
    );
    results.into_iter().collect()
}
