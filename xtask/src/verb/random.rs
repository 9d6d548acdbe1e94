//! `random`: random kernels on both executors, and against the recorded answers of an NVIDIA GPU.

use crate::program::{capture, cargo, loud};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, make_empty, root, target};
use crate::{Result, verb};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, ExitCode};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);

const EXECUTORS: [&str; 2] = ["vector", "reference"];

/// Kernels that the test command runs, from 1 on. Answers of more are kept.
pub const TESTED: u64 = 240;

/// Kernels that one process runs.
const PART: u64 = 50;

#[derive(clap::Args)]
pub struct Options {
    /// The number of the first kernel
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many kernels
    #[arg(long, default_value_t = 1000)]
    count: u64,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    verb::build::build(Profile::Release)?;
    let (agreeing, disagreeing) = compare(options.seed, options.count)?;
    println!("{agreeing} kernels agree, {} do not", disagreeing.len());
    for (kernel, reason) in &disagreeing {
        println!("{kernel}: {reason}");
    }
    Ok(if disagreeing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Kernels that are known not to agree.
pub fn known() -> Result<BTreeSet<u64>> {
    let list = std::fs::read_to_string(root().join("tests/twin/answers/random_missing.txt"))?;
    let number = |line: &str| line.split('#').next().unwrap_or_default().trim().parse().ok();
    Ok(list.lines().filter_map(number).collect())
}

/// How many of the kernels agree on both executors and with what is recorded, and what is wrong with others.
pub fn compare(first: u64, count: u64) -> Result<(usize, BTreeMap<u64, String>)> {
    heading(&format!("Running random kernels {first} to {}", first + count - 1));
    loud(cargo().args(["build", "--release", "--package", "twin", "--bin", "random"]))?;
    let cache = target().join("test/random-cache");
    make_empty(&cache)?;
    let recorded = std::fs::read_to_string(root().join("tests/twin/answers/h100.random.txt"))?;
    let recorded = hashes(&recorded);
    let jobs: Vec<(&str, u64)> = (0..count.div_ceil(PART))
        .flat_map(|part| EXECUTORS.map(|executor| (executor, part * PART)))
        .collect();
    let results = parallel(
        &jobs,
        |(executor, start)| format!("kernels from {} on ({executor})", first + start),
        |&(executor, start)| {
            let mut command = Command::new(Profile::Release.folder().join("random"));
            command
                .arg(Profile::Release.staged().join("libcuda.so.1"))
                .args(["hashes".to_owned(), (first + start).to_string()])
                .arg(PART.min(count - start).to_string())
                .env("ZLUDA_DEVICE", "cpu")
                .env("ZLUDA_EXECUTOR", executor)
                .env("ZLUDA_CACHE_DIR", &cache);
            capture(&mut command, LIMIT).map(|output| hashes(&output.stdout)).unwrap_or_default()
        },
        |result| !result.is_empty(),
    );
    let mut answers: BTreeMap<&str, BTreeMap<u64, String>> = BTreeMap::new();
    for ((executor, _), result) in jobs.iter().zip(results) {
        answers.entry(executor).or_default().extend(result);
    }
    let nothing = "no answer".to_owned();
    let mut disagreeing = BTreeMap::new();
    for kernel in first..first + count {
        let [vector, reference] = EXECUTORS.map(|executor| {
            answers.get(executor).and_then(|hashes| hashes.get(&kernel)).unwrap_or(&nothing)
        });
        let expected = recorded.get(&kernel).unwrap_or(reference);
        if vector != expected || reference != expected || vector.contains(' ') {
            let reason = format!("vector {vector}, reference {reference}, expected {expected}");
            disagreeing.insert(kernel, reason);
        }
    }
    Ok((count as usize - disagreeing.len(), disagreeing))
}

/// From lines `<number> <hash>`; those of a comment say why a kernel has none.
fn hashes(text: &str) -> BTreeMap<u64, String> {
    text.lines()
        .filter_map(|line| {
            let (number, hash) = line.split_once(' ')?;
            Some((number.parse().ok()?, hash.to_owned()))
        })
        .collect()
}
