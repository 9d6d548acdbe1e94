//! Textures and surfaces give what an H100 gave.
//!
//! The cases run against the staged library (`cargo xtask build` makes it) on both executors and on an emulated AMD GPU; the recording is
//! `answers/h100.textures/`. `answers/textures_differ.txt` lists the cases that do not agree, and is checked
//! both ways. With `ZLUDA_BLESS=1` the test prints the names that would make it pass.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;
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

#[test]
fn textures_are_those_of_an_h100() {
    let program = Path::new(env!("CARGO_BIN_EXE_texture"));
    let library = program.with_file_name("zluda").join("libcuda.so.1");
    assert!(library.exists(), "{} is not there: run `cargo xtask build` first", library.display());
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("answers");
    let listed = std::fs::read_to_string(answers.join("textures_differ.txt")).unwrap();
    let listed: BTreeSet<&str> =
        listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    for (device, executor) in [("cpu", "vector"), ("cpu", "reference"), ("emu:gfx1100", "vector")] {
        let output = Command::new(program)
            .arg(&library)
            .arg("check")
            .arg(answers.join("h100.textures"))
            .env("ZLUDA_DEVICE", device)
            .env("ZLUDA_EXECUTOR", executor)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("cases agree"), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let unanswered: Vec<_> = text.lines().filter_map(unanswered).collect();
        assert_eq!(unanswered, UNANSWERED, "cases that were not recorded");
        let differing: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| {
                let rest = line.strip_prefix("differs ").or(line.strip_prefix("refused "))?;
                rest.split(':').next()
            })
            .collect();
        if std::env::var_os("ZLUDA_BLESS").is_some() {
            for name in &differing {
                println!("{name}");
            }
        }
        let news: Vec<_> = differing.difference(&listed).collect();
        let gone: Vec<_> = listed.difference(&differing).collect();
        assert!(
            news.is_empty() && gone.is_empty(),
            "{device}, {executor}: not listed as different: {news:?}; listed, but agreeing: {gone:?}"
        );
    }
}
