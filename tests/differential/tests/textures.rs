//! Textures and surfaces give what an H100 gave.
//!
//! The cases run against the staged library (`cargo xtask build` makes it) on both executors and on an emulated AMD GPU, and as
//! machine code for sm_80, which the toolkit's ptxas makes of them, where a toolkit is there; the recording is
//! `answers/h100.textures/`. `answers/textures_differ.txt` lists the cases that do not agree,
//! `answers/textures_differ_sass.txt` those that do not as machine code, and both are checked
//! both ways. With `ZLUDA_BLESS=1` the test prints the names that would make it pass.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of cases that have no answer of the recorded GPU, by family. What is new is to be recorded.
const UNANSWERED: [(&str, u32); 4] =
    [("gathers", 2), ("queries", 405), ("query_shapes", 16), ("surfaces", 3)];

/// From `family: 3 of 4 cases agree, 2 have no answer` the family and the last number, where that is not 0.
fn unanswered(line: &str) -> Option<(&str, u32)> {
    let (family, rest) = line.split_once(": ")?;
    let count = rest.strip_suffix(" have no answer")?.rsplit(' ').next()?;
    Some((family, count.parse().ok()?)).filter(|(_, count)| *count != 0)
}

fn answers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("answers")
}

/// Cases whose names contain a text, of so many one.
struct Part {
    text: &'static str,
    step: usize,
}

/// Runs cases, `check` and what belongs to it, and compares those that differ with a list.
fn compare(check: &[&str], part: &Part, device: &str, executor: &str, list: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_texture"));
    let library = program.with_file_name("zluda").join("libcuda.so.1");
    assert!(library.exists(), "{} is not there: run `cargo xtask build` first", library.display());
    let listed = std::fs::read_to_string(answers().join(list)).unwrap();
    // A name, and behind it the reason.
    let name = |line: &'_ str| line.split("  # ").next().unwrap_or_default().to_owned();
    let listed: BTreeSet<String> = listed
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(name)
        .filter(|name| name.contains(part.text))
        .collect();
    let output = Command::new(program)
        .arg(&library)
        .args(check)
        .arg(answers().join("h100.textures"))
        .args([part.text, &part.step.to_string()])
        .env("ZLUDA_DEVICE", device)
        .env("ZLUDA_EXECUTOR", executor)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("cases agree"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    if part.text.is_empty() {
        let unanswered: Vec<_> = text.lines().filter_map(unanswered).collect();
        assert_eq!(unanswered, UNANSWERED, "cases that were not recorded");
    }
    let differing: BTreeSet<String> = text
        .lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("differs ").or(line.strip_prefix("refused "))?;
            rest.split(':').next().map(str::to_owned)
        })
        .collect();
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        for name in &differing {
            println!("{name}");
        }
    }
    let news: Vec<_> = differing.difference(&listed).collect();
    // Of a part, those that are listed may not have run.
    let gone: Vec<_> = listed.difference(&differing).filter(|_| part.step == 1).collect();
    assert!(
        news.is_empty() && gone.is_empty(),
        "{check:?}, {device}, {executor}: not listed as different: {news:?}; listed, but agreeing: {gone:?}"
    );
}

#[test]
fn textures_are_those_of_an_h100() {
    // The emulated GPU takes twenty times as long for a case as the processor: one of five of all there, of each family.
    for (device, executor, step) in
        [("cpu", "vector", 1), ("cpu", "reference", 1), ("emu:gfx1100", "vector", 5)]
    {
        let part = Part { text: "", step };
        compare(&["check"], &part, device, executor, "textures_differ.txt");
    }
}

#[test]
fn textures_by_machine_code_are_those_of_an_h100() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ptxas = root.join("target/toolkit/cuda-13.0/nvidia/cu13/bin/ptxas");
    if !ptxas.exists() {
        println!("{} is not there", ptxas.display());
        return;
    }
    // Each case takes a run of ptxas and compiles a kernel: one of seven of all, and all that have slopes, of which some are
    // refused.
    for part in [
        Part { text: "", step: 7 },
        Part { text: "slopes", step: 1 },
        Part { text: "grad", step: 1 },
    ] {
        let check = ["check-sass", ptxas.to_str().unwrap()];
        compare(&check, &part, "cpu", "vector", "textures_differ_sass.txt");
    }
}
