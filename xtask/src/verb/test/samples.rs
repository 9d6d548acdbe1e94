//! The samples in every way into the driver: with both toolkits, both kinds of runtime library, by search
//! path, audit library and `zluda run`; as vector code, on the reference executor and for less than this
//! processor, with the same results; some of them as machine code alone;
//! on emulated AMD GPUs; in pairs that share a new cache; and all at once in two processes.

mod crowd;

use super::Report;
use crate::program::{Output, capture};
use crate::progress::{heading, parallel};
use crate::repository::{EMULATED, NO_AVX512, Profile, has_avx512, make_empty, target};
use crate::sample::{self, Runtime, Sample, hashes};
use crate::toolkit::Cuda;
use crate::{Result, verb};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The reference executor is slow by design, and a machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

/// The way in which a program finds the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    SearchPath,
    Audit,
    Command,
}

/// One way to run a sample.
#[derive(Clone, Copy, Debug)]
struct Way<'a> {
    cuda: &'a Cuda,
    runtime: Runtime,
    entry: Entry,
    /// As ZLUDA_DEVICE names it.
    device: &'static str,
    executor: &'static str,
    /// The processor that the code is compiled for.
    processor: &'static str,
    /// The program has kernels as machine code alone.
    machine_code: bool,
}

impl Way<'_> {
    fn name(&self) -> String {
        let entry = match self.entry {
            Entry::SearchPath => "LD_LIBRARY_PATH",
            Entry::Audit => "LD_AUDIT",
            Entry::Command => "zluda run",
        };
        if self.device != "cpu" {
            return self.device.to_owned();
        }
        if self.machine_code {
            return "machine code".to_owned();
        }
        format!(
            "CUDA {}, {} cudart, {entry}, {}, {}",
            self.cuda.version,
            self.runtime.name(),
            self.executor,
            self.processor
        )
    }

    /// As `ZLUDA_MATH` names it.
    fn math(&self) -> &'static str {
        if self.device == "cpu" { "exact" } else { "fast" }
    }

    fn command(&self, sample: &Sample, cache: &Path) -> Command {
        let staged = Profile::Release.staged();
        let program = match self.machine_code {
            true => sample.machine_code_program(self.cuda),
            false => sample.program(self.cuda, self.runtime),
        };
        let mut libraries = Vec::new();
        if self.runtime == Runtime::Shared {
            libraries.push(self.cuda.libraries());
        }
        let mut command = match self.entry {
            Entry::Command => {
                let mut command = Command::new(staged.join("bin/zluda"));
                command.arg("run").arg(program);
                command
            }
            _ => Command::new(program),
        };
        match self.entry {
            Entry::SearchPath => libraries.push(staged),
            Entry::Audit => {
                command.env("LD_AUDIT", staged.join("libzluda_ld.so"));
            }
            Entry::Command => {}
        }
        let libraries =
            libraries.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":");
        command
            .env("LD_LIBRARY_PATH", libraries)
            .env("ZLUDA_DEVICE", self.device)
            .env("ZLUDA_EXECUTOR", self.executor)
            .env("ZLUDA_CPU_TARGET", self.processor)
            // The results of all ways are compared, and the reference executor's have an H100's bits.
            .env("ZLUDA_MATH", self.math())
            .env("ZLUDA_CACHE_DIR", cache);
        command
    }
}

/// Runs the chosen samples in every way. Fails if they cannot be built.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let samples = sample::all(filter)?;
    let built = verb::samples::build_for_tests(&samples)?;
    let [(first, _), (second, of_second)] = built.as_slice() else {
        return Err("two toolkits are expected".into());
    };
    let way = |cuda, runtime, entry, executor| Way {
        cuda,
        runtime,
        entry,
        device: "cpu",
        executor,
        processor: "native",
        machine_code: false,
    };
    let mut ways = vec![
        way(first, Runtime::Static, Entry::SearchPath, "vector"),
        way(first, Runtime::Static, Entry::SearchPath, "reference"),
        way(first, Runtime::Shared, Entry::SearchPath, "vector"),
        way(first, Runtime::Static, Entry::Audit, "vector"),
        way(first, Runtime::Static, Entry::Command, "vector"),
        way(second, Runtime::Static, Entry::SearchPath, "vector"),
        way(second, Runtime::Shared, Entry::SearchPath, "vector"),
        Way { processor: "x86-64-v2", ..way(first, Runtime::Static, Entry::SearchPath, "vector") },
    ];
    if has_avx512() {
        let usual = way(first, Runtime::Static, Entry::SearchPath, "vector");
        ways.push(Way { processor: "x86-64-v3", ..usual });
    } else {
        report.cannot("samples as code for AVX-512", NO_AVX512);
    }
    let usual = way(first, Runtime::Static, Entry::SearchPath, "vector");
    ways.extend(EMULATED.map(|device| Way { device, ..usual }));
    verb::samples::build_machine_code(&samples, first)?;
    ways.push(Way { machine_code: true, ..usual });
    let cache = target().join("test/cache");
    make_empty(&cache)?;
    heading("Running the CUDA programs on the CPU and on emulated GPUs");
    let built_with = |cuda: &Cuda| if cuda.version == first.version { &samples } else { of_second };
    let jobs: Vec<(&Sample, &Way<'_>)> = ways
        .iter()
        .flat_map(|way| built_with(way.cuda).iter().map(move |sample| (sample, way)))
        .filter(|(sample, way)| sample.runtimes().contains(&way.runtime))
        .filter(|(sample, way)| !sample.cpu || way.device == "cpu")
        .filter(|(sample, way)| !sample.long || way.device != EMULATED[1])
        .filter(|(sample, way)| sample.machine_code || !way.machine_code)
        .collect();
    let results = run_all(&jobs, &cache);
    let mut first_results = BTreeMap::new();
    for ((sample, way), result) in jobs.iter().zip(&results) {
        let name = format!("{} ({})", sample.name, way.name());
        report.check(name, result.as_ref().map(drop).map_err(Clone::clone));
        let Ok(output) = result else { continue };
        if way.device != "cpu" {
            // What approximates does so in its own way.
            continue;
        }
        // The same PTX gives the same results, bit by bit, whatever runs it, and so does what ptxas makes of it.
        let usual = way.executor == "vector" && way.processor == "native" && !way.machine_code;
        if usual && way.cuda.version == first.version {
            first_results.entry(&sample.name).or_insert(hashes(output));
        } else if !usual && let Some(expected) = first_results.get(&sample.name) {
            let other = match way.processor {
                _ if way.machine_code => "machine code".to_owned(),
                "native" => "the reference executor".to_owned(),
                processor => format!("code for {processor}"),
            };
            let same = *expected == hashes(output);
            let reason = || format!("vector code gives {expected:?}, {other} {:?}", hashes(output));
            report.check(
                format!("{}: {other} gives equal results", sample.name),
                same.then_some(()).ok_or_else(reason),
            );
        }
    }
    at_once(report, &samples, &ways[0])?;
    crowd::run(report, &samples, first)
}

/// All samples at once, twice, in a cache that is new.
fn at_once(report: &mut Report, samples: &[Sample], way: &Way<'_>) -> Result<()> {
    heading("Running the CUDA programs in pairs that share a new cache");
    let cache: PathBuf = target().join("test/shared-cache");
    make_empty(&cache)?;
    let samples: Vec<&Sample> = samples.iter().filter(|sample| !sample.long).collect();
    let results = parallel(
        &samples,
        |sample| format!("{} twice at once", sample.name),
        |sample| {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| run_one(sample, way, &cache));
                let mine = run_one(sample, way, &cache);
                let other = other.join().map_err(|_| "a thread ended badly".to_owned())?;
                mine.and(other).map(drop)
            })
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for (sample, result) in samples.iter().zip(results) {
        report.check(format!("{} twice at once", sample.name), result);
    }
    Ok(())
}

fn run_all(jobs: &[(&Sample, &Way<'_>)], cache: &Path) -> Vec<std::result::Result<Output, String>> {
    parallel(
        jobs,
        |(sample, way)| format!("{} ({})", sample.name, way.name()),
        |(sample, way)| run_one(sample, way, cache),
        |result| result.is_ok(),
    )
}

fn run_one(sample: &Sample, way: &Way<'_>, cache: &Path) -> std::result::Result<Output, String> {
    let output =
        capture(&mut way.command(sample, cache), LIMIT).map_err(|error| error.to_string())?;
    let problems = sample.check(&output);
    if problems.is_empty() {
        Ok(output)
    } else {
        Err(format!("{}\n{}", problems.join("; "), output.describe()))
    }
}
