//! docs/user/driver_support.md: each function that NVIDIA's library exports, with the questions about it that an H100 has
//! answered, or why it is not implemented.

use crate::IMPLEMENTED;
use crate::missing::MISSING;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// As many cases of a function as are named; of more there is the number.
const NAMED: usize = 3;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The name without the ending of a variant for the streams of each thread.
fn plain(name: &str) -> &str {
    name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(name)
}

/// The names of functions that a text calls as methods of `api`.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.split("api.cu").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then_some(&rest[..end])
    })
}

/// The cases of tests/differential that call each function. What a file's functions call is called by its cases.
fn cases() -> BTreeMap<String, BTreeSet<String>> {
    let mut cases = BTreeMap::<String, BTreeSet<String>>::new();
    let folder = root().join("tests/differential/src/cases");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let text = fs::read_to_string(file).expect("a file");
        // A case begins with `("object/what", `.
        let mut parts = text.split("\n    (\"");
        let shared = parts.next().unwrap_or_default();
        let mut object =
            file.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        for part in parts {
            let (name, body) = part.split_once('"').expect("a name");
            object = name.split('/').next().expect("an object").to_owned();
            for function in called(body) {
                cases.entry(format!("cu{function}")).or_default().insert(name.to_owned());
            }
        }
        for function in called(shared) {
            cases.entry(format!("cu{function}")).or_default().insert(format!("{object}/..."));
        }
    }
    cases
}

/// A part of the list of differences: its heading, and the cases with their reasons.
type Differences = (String, Vec<(String, String)>);

fn differences() -> Vec<Differences> {
    let path = root().join("tests/differential/answers/differences.txt");
    let text = fs::read_to_string(path).expect("the list");
    let part = |text: &str| {
        let (heading, lines) = text.split_once('\n').expect("a heading");
        let rows = lines.lines().filter(|line| !line.is_empty()).map(|line| {
            let (case, answer) = line.split_once(": ").expect("a case");
            let (_, reason) = answer.split_once("  # ").expect("a reason");
            (case.to_owned(), reason.to_owned())
        });
        (heading.to_owned(), rows.collect())
    };
    text.split("\n## ").skip(1).map(part).collect()
}

/// What an H100 answers otherwise, the parts with their numbers.
fn differing() -> String {
    let mut text = String::new();
    for (heading, cases) in differences() {
        let _ = writeln!(text, "\n{heading}: {} cases.\n\n| case | why |\n|---|---|", cases.len());
        for (case, reason) in cases {
            let _ = writeln!(text, "| `{case}` | {reason} |");
        }
    }
    text
}

fn page() -> String {
    let all = include_str!("../../cuda_macros/src/cuda_exports.txt").lines();
    let names: BTreeSet<_> = all.clone().map(plain).collect();
    let implemented: BTreeSet<_> = IMPLEMENTED.iter().map(|(name, _)| *name).collect();
    let cases = cases();
    let (mut done, mut missing) = (String::new(), String::new());
    let mut asked = 0;
    for name in &names {
        if implemented.contains(name) {
            let own: Vec<_> = cases.get(*name).into_iter().flatten().map(String::as_str).collect();
            asked += usize::from(!own.is_empty());
            let mut text = own.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            if own.len() > NAMED {
                let _ = write!(text, " and {} more", own.len() - NAMED);
            }
            let _ = writeln!(done, "| `{name}` | {text} |");
        } else {
            let row = MISSING.iter().find(|(beginning, ..)| name.starts_with(beginning));
            let (_, error, why) =
                row.unwrap_or_else(|| panic!("{name} is missing without a reason"));
            let _ = writeln!(
                missing,
                "| `{name}` | {} | {why} |",
                error.name().expect("known").to_str().expect("a name")
            );
        }
    }
    let count = |exported: &dyn Fn(&str) -> bool| all.clone().filter(|name| exported(name)).count();
    format!(
        "# The driver's functions\n\n\
         NVIDIA's library exports {} names of functions and of the debugger's variables, variants for the streams of each \
         thread among them. {} of them are implemented. A function has its variants with it here: {} functions are \
         implemented, of which {asked} are called by the cases whose answers an H100 has given (tests/differential); those \
         are named.\n\n\
         Programs that look a function up by `cuGetProcAddress` find those that are implemented. The others answer with an \
         error all the same, and the log names them once.\n\n\
         ## Where an H100 answers otherwise\n\n\
         Of {} cases these, on the CPU device.\n{}\n\
         ## Not implemented\n\n\
         | function | answer | why |\n|---|---|---|\n{missing}\n\
         ## Implemented\n\n\
         | function | cases |\n|---|---|\n{done}",
        all.clone().count(),
        count(&|name| implemented.contains(name)),
        names.iter().filter(|name| implemented.contains(*name)).count(),
        include_str!("../../tests/differential/answers/h100.txt")
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .count(),
        differing(),
    )
}

/// `ZLUDA_BLESS=1` writes the page.
#[test]
fn the_page_is_what_there_is() {
    let (path, page) = (root().join("docs/user/driver_support.md"), page());
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        fs::write(&path, &page).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/user/driver_support.md is not what there is: `ZLUDA_BLESS=1` writes it"
    );
}

/// Besides NVIDIA's own faults and what its hardware has.
#[test]
fn few_answers_differ() {
    let parts = differences();
    assert_eq!(parts.len(), 3, "{parts:?}");
    let (heading, others) = &parts[2];
    assert!(heading == "Others" && others.len() < 10, "{others:?}");
}

#[test]
fn every_reason_is_used() {
    for (beginning, ..) in MISSING {
        let used = include_str!("../../cuda_macros/src/cuda_exports.txt").lines().any(|name| {
            name.starts_with(beginning)
                && IMPLEMENTED.binary_search_by_key(&name, |(n, _)| *n).is_err()
        });
        assert!(used, "{beginning}: nothing is missing any more");
    }
}
