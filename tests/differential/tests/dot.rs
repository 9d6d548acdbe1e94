//! Graphs are printed as NVIDIA's driver prints them.
//!
//! `dot` builds a graph with nodes of each kind and prints it under each flag; what an H100's driver printed is in
//! `answers/h100.dot`. `answers/dot_differ.txt` lists the texts that differ, with reasons.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

/// The texts by graph and flags.
fn texts(printed: &str) -> BTreeMap<String, String> {
    let printed = format!("\n{printed}");
    let texts = printed.split("\n==== ").skip(1);
    texts
        .map(|text| {
            let (head, text) = text.split_once('\n').unwrap_or((text, ""));
            let name: Vec<&str> = head.split(' ').take(2).collect();
            (name.join(" "), format!("{head}\n{}", text.trim_end()))
        })
        .collect()
}

/// `GRAPH FLAGS  # reason` a line; without flags all of a graph's texts.
fn differences() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("answers/dot_differ.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split("  #").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn graphs_are_printed_as_an_h100_prints_them() {
    let program = Path::new(env!("CARGO_BIN_EXE_dot"));
    let library = program.with_file_name("zluda").join("libcuda.so.1");
    assert!(library.exists(), "{} is not there: run `cargo xtask build` first", library.display());
    let output = Command::new(program).arg(library).stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    let ours = texts(&String::from_utf8_lossy(&output.stdout));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("answers/h100.dot");
    let theirs = texts(&std::fs::read_to_string(path).unwrap());
    let differences = differences();
    let (mut wrong, mut met) = (Vec::new(), BTreeSet::new());
    for name in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
        let graph = name.split(' ').next().unwrap_or_default();
        let (ours, theirs) = (ours.get(name), theirs.get(name));
        let listed = [name.as_str(), graph].into_iter().find(|name| differences.contains(*name));
        match listed {
            _ if ours == theirs => {}
            Some(listed) => drop(met.insert(listed.to_owned())),
            None => wrong.push(format!("{name}:\n--- ours\n{ours:#?}\n--- NVIDIA's\n{theirs:#?}")),
        }
    }
    wrong.extend(differences.difference(&met).map(|name| format!("{name}: equal to NVIDIA's now")));
    assert!(wrong.is_empty(), "{} texts differ:\n{}", wrong.len(), wrong.join("\n"));
}
