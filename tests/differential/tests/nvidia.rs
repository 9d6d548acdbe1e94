//! This project's driver answers as NVIDIA's does.
//!
//! Each case runs in a process of its own against the staged library (`cargo xtask build` makes it) and
//! is compared with what an H100 answered. `answers/differences.txt` lists the deliberate differences, and
//! `answers/differences_amd.txt` those that an emulated AMD GPU has besides.
//! `answers/differences_windows.txt` lists those of the build for Windows, besides, and `answers/not_on_windows.txt` the
//! cases that are not run there.
//! With `ZLUDA_BLESS=1` the test prints the lines that would make it pass.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use differential::child;

const LIMIT: Duration = Duration::from_secs(300);

/// `case: answer  # reason` a line.
fn table(name: &str) -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("answers").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (case, answer) =
                line.split_once(':').unwrap_or_else(|| panic!("{}: {line}", path.display()));
            (case.to_owned(), answer.trim().to_owned())
        })
        .collect()
}

/// `target/<profile>/zluda/libcuda.so.1`, beside this test's own executable. On Windows the staged folder is
/// `target/windows/zluda`, and the executable lies in `target/windows/build/<target>/<profile>`.
fn library() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_differential"));
    let (above, name) = if cfg!(windows) { (4, "nvcuda.dll") } else { (1, "libcuda.so.1") };
    let folder = program.ancestors().nth(above).unwrap();
    let path = folder.join("zluda").join(name);
    assert!(path.exists(), "{} is not there: run `cargo xtask build` first", path.display());
    path
}

/// The cases that run on this system, with NVIDIA's answers, and the deliberate differences.
fn tables() -> [BTreeMap<String, String>; 2] {
    let [mut nvidia, mut differences] = [table("h100.txt"), table("differences.txt")];
    if cfg!(windows) {
        differences.extend(table("differences_windows.txt"));
        for case in table("not_on_windows.txt").keys() {
            assert!(nvidia.remove(case).is_some(), "{case}: not on Windows, but no such case");
            differences.remove(case);
        }
    }
    [nvidia, differences]
}

/// The executors that run the kernels of a case: what a driver answers does not depend on it, but where barriers meet.
fn executors(case: &str) -> &'static [&'static str] {
    if case.starts_with("barrier/") { &["vector", "reference"] } else { &["vector"] }
}

/// The device of the emulated runs: the answers of a driver do not depend on the GPU.
#[cfg(not(windows))]
const EMULATED: &str = "emu:gfx1100";

/// The devices of a case, as `ZLUDA_DEVICES` says it.
fn devices(case: &str) -> &'static str {
    if case.starts_with("devices/") { "2:divided" } else { "1" }
}

/// Runs one case; a crash or a hang is an answer too.
fn answer(library: &Path, case: &str, device: &str, executor: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_differential"));
    command.env("ZLUDA_DEVICE", device).env("ZLUDA_DEVICES", devices(case));
    command.env("ZLUDA_EXECUTOR", executor).arg(library).arg(case);
    let (output, has_ended) = child::output(command.stderr(Stdio::piped()), LIMIT);
    if !has_ended {
        return "hang".to_owned();
    }
    if output.status.success() {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    } else {
        format!("crash ({}) {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
    }
}

/// A case that runs in one way, and what NVIDIA's driver answers.
type Run<'a> = (&'a str, &'a str, &'a str, &'a str);

/// What NVIDIA answers, of answers with names those that are others.
fn difference(ours: &str, theirs: &str) -> String {
    let ours: Vec<_> = ours.split(' ').collect();
    let named = theirs.split(' ').filter(|answer| answer.contains('=') && !ours.contains(answer));
    let named: Vec<_> = named.collect();
    format!("NVIDIA {}", if named.is_empty() { theirs.to_owned() } else { named.join(" ") })
}

/// Runs cases, each with a device and an executor, and compares.
fn compare(runs: &[Run<'_>], differences: &BTreeMap<String, String>) {
    let library = library();
    let mut wrong = Vec::new();
    for &(case, theirs, device, executor) in runs {
        let ours = answer(&library, case, device, executor);
        let how = format!("{device}, {executor}");
        match differences.get(case) {
            Some(meant) if *meant == ours && ours != theirs => {}
            Some(meant) if ours == theirs => wrong.push(format!(
                "{case}: {ours}  # {how}: equal to NVIDIA's now; `{meant}` can leave the list"
            )),
            Some(meant) => wrong.push(format!(
                "{case}: {ours}  # {how}: listed as {meant}, {}",
                difference(&ours, theirs)
            )),
            None if ours != theirs => {
                wrong.push(format!("{case}: {ours}  # {how}: {}", difference(&ours, theirs)))
            }
            None => {}
        }
    }
    for case in differences.keys().filter(|case| !runs.iter().any(|run| run.0 == **case)) {
        wrong.push(format!("{case}: listed as a difference, but no such case"));
    }
    assert!(
        wrong.is_empty(),
        "{} of {} answers differ:\n{}",
        wrong.len(),
        runs.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_case_has_an_answer() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_differential")).args(["", "list"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let nvidia = table("h100.txt");
    let unanswered: Vec<_> = list.lines().filter(|case| !nvidia.contains_key(*case)).collect();
    let listed: Vec<_> = include_str!("../answers/unanswered.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(unanswered, listed, "cases without an answer, and those that are listed as such");
    let library = library();
    for case in unanswered {
        let ours = answer(&library, case, "cpu", "vector");
        assert!(!ours.starts_with("crash") && ours != "hang", "{case}: {ours}");
    }
}

#[test]
fn answers_are_those_of_an_h100() {
    let [nvidia, differences] = tables();
    let runs: Vec<Run<'_>> = nvidia
        .iter()
        .flat_map(|(case, theirs)| {
            executors(case).iter().map(move |e| (case.as_str(), theirs.as_str(), "cpu", *e))
        })
        .collect();
    compare(&runs, &differences);
}

/// Builds for Windows have no emulated GPU.
#[cfg(not(windows))]
#[test]
fn answers_on_an_emulated_amd_gpu_are_too() {
    let nvidia = table("h100.txt");
    let mut differences = table("differences.txt");
    differences.extend(table("differences_amd.txt"));
    let runs: Vec<Run<'_>> = nvidia
        .iter()
        .map(|(case, theirs)| (case.as_str(), theirs.as_str(), EMULATED, "vector"))
        .collect();
    compare(&runs, &differences);
}
