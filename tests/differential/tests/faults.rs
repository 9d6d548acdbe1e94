//! Kernels that do wrong end as on NVIDIA's GPU.
//!
//! Each case of `faults` runs in a process of its own, with misaligned accesses looked for (`ZLUDA_CHECK=align`);
//! `answers/h100.faults` has what an H100 answered. `answers/faults_differ.txt` lists the differences, with reasons.
//! With `ZLUDA_BLESS=1` the test prints the lines that would make it pass.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use differential::child;

/// `case: answer  # reason` a line.
fn table(name: &str) -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("answers").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let line = line.split("  #").next().unwrap_or_default();
            let (case, answer) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            (case.to_owned(), answer.trim().to_owned())
        })
        .collect()
}

/// The answer to a case, on the executor that it is asked of.
fn answer(library: &Path, case: &str, executor: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_faults"))
        .args([library.as_os_str(), case.as_ref()])
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CHECK", "align")
        .env("ZLUDA_EXECUTOR", executor)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    child::said(&output)
}

/// New cases have to be recorded.
#[test]
fn new_cases_have_an_answer() {
    let output = Command::new(env!("CARGO_BIN_EXE_faults")).args(["", "list"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let theirs = table("h100.faults");
    let unanswered: Vec<_> = list.lines().filter(|case| !theirs.contains_key(*case)).collect();
    assert!(unanswered.is_empty(), "without an answer: {unanswered:?}");
}

#[test]
fn kernels_end_as_on_an_h100() {
    let program = Path::new(env!("CARGO_BIN_EXE_faults"));
    let library = program.with_file_name("zluda").join("libcuda.so.1");
    assert!(library.exists(), "{} is not there: run `cargo xtask build` first", library.display());
    let (theirs, differences) = (table("h100.faults"), table("faults_differ.txt"));
    let cases = Mutex::new(theirs.iter().enumerate());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((number, (case, theirs))) = cases.lock().unwrap().next() else {
                        return;
                    };
                    // Every fourth check of alignment on the reference executor.
                    let other = number % 4 == 0 && theirs == "0 0 716";
                    let executor = if other { "reference" } else { "vector" };
                    let ours = answer(&library, case, executor);
                    let line = match differences.get(case) {
                        Some(meant) if meant == "any" && !ours.ends_with("crash") => continue,
                        Some(_) if ours == *theirs => format!("{case}: equal to NVIDIA's now"),
                        Some(meant) if ours == *meant => continue,
                        None if ours == *theirs => continue,
                        _ => format!("{case}: {ours}  # {executor}, NVIDIA {theirs}"),
                    };
                    wrong.lock().unwrap().push(line);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.extend(
        differences
            .keys()
            .filter(|case| !theirs.contains_key(*case))
            .map(|case| format!("{case}: no such case")),
    );
    assert!(
        wrong.is_empty(),
        "{} of {} answers differ:\n{}",
        wrong.len(),
        theirs.len(),
        wrong.join("\n")
    );
}
