//! PTX of all versions and targets is taken, refused and run as by NVIDIA's driver.
//!
//! The texts of `dialects/` go to the staged library (`cargo xtask build` makes it), in those versions and for those
//! targets that stand for others; an H100's answers for all are in `answers/h100.dialects.zst`. How ours differ is in
//! `answers/dialects_differ.txt`, with reasons, and checked both ways. With `ZLUDA_BLESS=1` the test prints the lines
//! that would make it pass, the new ones with what NVIDIA's compiler says of the text.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The reasons by `case: letters`.
fn lines(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    let pairs = lines.map(|line| line.split_once("  # ").unwrap_or((line, "")));
    pairs.map(|(line, reason)| (line.to_owned(), reason.to_owned())).collect()
}

#[test]
fn old_and_new_dialects_are_taken_as_an_h100_takes_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_dialect"));
    let library = program.with_file_name("zluda").join("libcuda.so.1");
    assert!(library.exists(), "{} is not there: run `cargo xtask build` first", library.display());
    let mut command = Command::new(program);
    command.arg(library).args(
        ["grid", "declarations", "forms", "products"]
            .map(|file| folder.join("dialects").join(file).with_extension("txt")),
    );
    command.args(["--jobs", "2", "--few", "1", "--against"]).env("ZLUDA_MATH", "exact");
    let output = command.arg(folder.join("answers/h100.dialects.zst")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ours = lines(&String::from_utf8_lossy(&output.stdout));
    let kept = std::fs::read_to_string(folder.join("answers/dialects_differ.txt")).unwrap();
    let meant = lines(&kept);
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        ours.iter().for_each(|(line, reason)| {
            println!("{line}  # {}", meant.get(line).unwrap_or(reason));
        });
    }
    let missing = |these: &BTreeMap<String, String>, others: &BTreeMap<String, String>| {
        let lines = these.keys().filter(|line| !others.contains_key(*line));
        lines.cloned().collect::<Vec<_>>()
    };
    let (new, gone) = (missing(&ours, &meant), missing(&meant, &ours));
    assert!(
        new.is_empty() && gone.is_empty(),
        "not in the list:\n{}\nno longer so:\n{}",
        new.join("\n"),
        gone.join("\n")
    );
}
