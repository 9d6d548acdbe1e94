//! docs/dev/hip_functions.md: each function of HIP that the driver calls, with the versions of ROCm whose headers have been
//! compared with the types that it is called by, and what stands in its place where the host is the device.

#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Of which `tests/rocm` says how they differ.
const VERSIONS: [&str; 3] = ["5.7", "6.4", "7.2"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The texts of all files of Rust in a folder, and in those in it.
fn texts(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, all);
        } else if path.extension().is_some_and(|end| end == "rs") {
            all.push((path.clone(), fs::read_to_string(path).unwrap()));
        }
    }
}

/// The names of HIP that stand between `before` and a parenthesis.
fn names<'a>(text: &'a str, before: &str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let is_function = rest[end..].starts_with('(') && rest.starts_with("hip");
        is_function.then_some(&rest[..end])
    })
}

/// The functions that the driver calls, by the table of the provider's functions.
fn called() -> BTreeSet<String> {
    let mut files = Vec::new();
    texts(&root().join("zluda/src"), &mut files);
    texts(&root().join("ext/hip_runtime-sys/src"), &mut files);
    let declared = files.iter().find(|(path, _)| path.ends_with("generated.rs")).unwrap();
    let (_, list) = declared.1.split_once("macro_rules! hip_functions").expect("the list");
    let list: BTreeSet<&str> =
        list.lines().filter_map(|line| line.trim().split_once('(')).map(|(name, _)| name).collect();
    let all =
        files.iter().flat_map(|(_, text)| names(text, ".")).filter(|name| list.contains(name));
    all.map(str::to_owned).collect()
}

/// The file of this crate that a function stands in.
fn places() -> BTreeMap<String, String> {
    let mut files = Vec::new();
    texts(&root().join("hip_host/src/api"), &mut files);
    let mut places = BTreeMap::new();
    for (path, text) in &files {
        let file = path.file_name().unwrap().to_str().unwrap();
        for name in names(text, "fn ") {
            places.insert(name.to_owned(), format!("`hip_host/src/api/{file}`"));
        }
    }
    places
}

fn page() -> String {
    let exported: BTreeSet<&str> = hip_host::api::names().collect();
    let places = places();
    let compared = VERSIONS.map(|version| {
        fs::read_to_string(root().join(format!("tests/rocm/{version}.txt"))).unwrap()
    });
    let called = called();
    let mut rows = String::new();
    for name in &called {
        let _ = write!(rows, "| `{name}` |");
        for text in &compared {
            let line =
                text.lines().find_map(|line| line.strip_prefix(&format!("function {name} ")));
            let _ = write!(rows, " {} |", line.unwrap_or("same"));
        }
        let place = places.get(name).filter(|_| exported.contains(name.as_str()));
        let _ = writeln!(
            rows,
            " {} |",
            place.map_or("not there: the driver does without", String::as_str)
        );
    }
    format!(
        "# The functions of HIP that the driver calls\n\n\
         {} functions. `./x test hip` compares the declaration of each with the headers of these versions of ROCm, the \
         structures and numbers that they take too (tests/rocm has what differs, and ext/hip_runtime-sys/src/versions.rs what is \
         done about it). hip_cpu and hip_emu have the functions of hip_host; what an emulated AMD GPU does of its own is to run \
         kernels (hip_emu/src/executor.rs).\n\n\
         | function | ROCm 5.7 | 6.4 | 7.2 | on the CPU and the emulated GPU |\n|---|---|---|---|---|\n{rows}",
        called.len()
    )
}

/// `ZLUDA_BLESS=1` writes the page.
#[test]
fn the_page_is_what_there_is() {
    let (path, page) = (root().join("docs/dev/hip_functions.md"), page());
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/dev/hip_functions.md is not what there is: `ZLUDA_BLESS=1` writes it"
    );
}
