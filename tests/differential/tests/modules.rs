//! Modules load, fail and link as with NVIDIA's driver.
//!
//! The cases of `modules/` run against the staged library (`cargo xtask build` makes it); the answers of an
//! H100 are in `answers/h100.modules/`. Result codes and values are compared, and of the logs what they say
//! about the text: the lines with errors, and the names in them. Sizes of logs follow the words, which are
//! ours, and are compared in tests of the driver. `answers/modules_differ.txt` lists the deliberate
//! differences. With `ZLUDA_BLESS=1` the test prints the lines that would make it pass.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `target/<profile>/zluda/libcuda.so.1`, beside this test's own executable.
fn library() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_modules"));
    let path = program.with_file_name("zluda").join("libcuda.so.1");
    assert!(path.exists(), "{} is not there: run `cargo xtask build` first", path.display());
    path
}

/// The part of a case's answers that is compared: result codes and values, and the lines that errors name.
fn essence(answers: &str) -> String {
    let mut values = Vec::new();
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for line in answers.lines() {
        if let Some(error) = line.strip_prefix("error> ") {
            // "line 3; error" and "line 3, column 5"
            if let Some((_, rest)) = error.split_once(" line ") {
                let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
                lines.insert(format!("line {number}"));
            } else if error.starts_with("error   : ") && !error.contains("Binary format") {
                lines.extend(error.split('\'').skip(1).step_by(2).map(str::to_owned));
            }
        } else if !line.contains("-size ") && !line.contains(" touched ") && !line.contains("> ") {
            values.push(line.to_owned());
        }
    }
    let lines: Vec<String> = lines.into_iter().collect();
    format!("{}; {}", values.join(", "), lines.join(" ")).trim_end().to_owned()
}

/// NVIDIA's compiler does not name the line of every error.
fn agree(ours: &str, theirs: &str) -> bool {
    ours == theirs || (theirs.ends_with(';') && ours.starts_with(theirs))
}

/// The answers by case.
fn cases(answers: &str) -> BTreeMap<String, String> {
    let answers = format!("\n{answers}");
    let cases = answers.split("\ncase ").skip(1);
    cases
        .map(|case| {
            let (name, answers) = case.split_once('\n').unwrap_or((case, ""));
            (name.to_owned(), essence(answers))
        })
        .collect()
}

/// `file/case: answer  # reason` a line.
fn differences() -> BTreeMap<String, String> {
    let path = folder().join("answers/modules_differ.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .map(|line| line.split("  #").next().unwrap_or_default())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (case, answer) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            (case.to_owned(), answer.trim().to_owned())
        })
        .collect()
}

#[test]
fn modules_are_taken_as_an_h100_takes_them() {
    let library = library();
    let mut differences = differences();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in ["calls", "directives", "link", "logs", "prototypes", "symbols"] {
        let path = folder().join("modules").join(file).with_extension("txt");
        let output =
            Command::new(env!("CARGO_BIN_EXE_modules")).args([&library, &path]).output().unwrap();
        let ours = cases(&String::from_utf8_lossy(&output.stdout));
        let path = folder().join("answers/h100.modules").join(file).with_extension("txt");
        let theirs = cases(&std::fs::read_to_string(path).unwrap());
        assert!(ours.keys().eq(theirs.keys()), "the recorded cases of {file} are others");
        count += theirs.len();
        for (name, theirs) in theirs {
            let ours = &ours[&name];
            let case = format!("{file}/{name}");
            match differences.remove(&case) {
                Some(meant) if meant == *ours && !agree(ours, &theirs) => {}
                Some(_) if agree(ours, &theirs) => {
                    wrong.push(format!("{case}: {ours}  # equal to NVIDIA's now"))
                }
                _ if !agree(ours, &theirs) => {
                    wrong.push(format!("{case}: {ours}  # NVIDIA {theirs}"))
                }
                _ => {}
            }
        }
    }
    wrong.extend(differences.keys().map(|case| format!("{case}: no such case")));
    assert!(wrong.is_empty(), "{} of {count} answers differ:\n{}", wrong.len(), wrong.join("\n"));
}
