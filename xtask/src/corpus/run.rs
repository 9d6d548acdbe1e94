//! Running a program that is built, on this project's driver.

use crate::Result;
use crate::corpus::build::Run;
use crate::program::{Output, capture_group};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// The device, executor and processor on which programs run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// As tables have it.
    pub name: String,
    variables: Vec<(&'static str, String)>,
}

impl Platform {
    /// `device` as ZLUDA_DEVICE has it, `executor` as ZLUDA_EXECUTOR, `level` as ZLUDA_CPU_TARGET.
    pub fn new(device: &str, executor: Option<&str>, level: Option<&str>) -> Self {
        let mut variables = vec![("ZLUDA_DEVICE", device.to_owned())];
        variables.extend(executor.map(|value| ("ZLUDA_EXECUTOR", value.to_owned())));
        variables.extend(level.map(|value| ("ZLUDA_CPU_TARGET", value.to_owned())));
        let words = [Some(device).filter(|device| *device != "cpu"), executor, level];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        let name = if words.is_empty() { "cpu".to_owned() } else { words.join(" ") };
        Self { name, variables }
    }
}

/// The driver that programs find.
#[derive(Clone, Debug)]
pub struct Driver {
    /// A folder with `libcuda.so.1`, and the libraries above it in the folder `libraries` there.
    pub libraries: PathBuf,
    /// Compiled kernels.
    pub cache: PathBuf,
    /// nvcc's libraries, for programs with the shared runtime.
    pub runtime: PathBuf,
    /// NVIDIA's libraries that ZLUDA has none of.
    pub others: PathBuf,
}

/// The time that a program may take. Others may keep the processors busy, so that the clock alone says little.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of the processors' time, all threads together, in each of its processes.
    pub processors: Duration,
    /// By the clock, for all of its runs.
    pub clock: Duration,
}

impl Limits {
    /// Those of a program that may keep its processors busy for some time.
    pub fn busy_for(time: Duration, processors: usize) -> Self {
        let processors = u32::try_from(processors).unwrap_or(1);
        Self { processors: time * processors, clock: time * 5 }
    }
}

/// Runs a program's lines one after the other on its share of the processors until one does not end well. The output is
/// that of all that ran.
pub fn run(
    driver: &Driver,
    place: &Platform,
    runs: &[Run],
    limits: Limits,
    share: &str,
) -> Result<Output> {
    let seconds = limits.processors.as_secs();
    let above = driver.libraries.join(zluda_staged::LIBRARIES);
    let mut all =
        Output { status: None, stdout: String::new(), stderr: String::new(), time: Duration::ZERO };
    for run in runs {
        let mut command = Command::new("taskset");
        // At the first it is told by SIGXCPU; one that goes on is ended at the second.
        let line = format!("ulimit -S -t {seconds}; ulimit -H -t {}; {}", seconds + 2, run.line);
        command.args(["-c", share, "sh", "-c", &line]).current_dir(&run.folder);
        let path = [&driver.libraries, &above, &driver.runtime, &driver.others];
        command.env("LD_LIBRARY_PATH", search_path(&path));
        command.env("ZLUDA_CACHE_DIR", &driver.cache);
        command.envs(place.variables.iter().map(|(name, value)| (name, value)));
        let output = capture_group(&mut command, limits.clock.saturating_sub(all.time))?;
        all.stdout += &output.stdout;
        all.stderr += &output.stderr;
        all.time += output.time;
        all.status = output.status;
        if !output.success() {
            break;
        }
    }
    Ok(all)
}

/// The same program with other arguments.
pub fn with_arguments(run: &Run, program: &str, arguments: &str) -> Run {
    Run { folder: run.folder.clone(), line: format!("{program} {arguments}") }
}

/// The same program, told which of its cases fail: by tabs in a variable.
pub fn with_cases(run: &Run, cases: &[&str]) -> Run {
    let cases = cases.join("\t").replace('\'', "'\\''");
    Run { folder: run.folder.clone(), line: format!("CORPUS_CASES='{cases}' {}", run.line) }
}

/// The same program on so many devices.
pub fn with_devices(run: &Run, count: u32) -> Run {
    let line = format!("export ZLUDA_DEVICES={count}; {}", run.line);
    Run { folder: run.folder.clone(), line }
}

fn search_path(folders: &[&PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":")
}
