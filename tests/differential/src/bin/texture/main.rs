//! `texture LIBRARY record FOLDER [FAMILY ...]` samples textures and uses surfaces on the library's device 0
//! and writes what came out; with NVIDIA's library that makes `answers/<GPU>.textures/<family>.zst`.
//! `texture LIBRARY check FOLDER [FILTER [STEP]]` does it again and prints, per family, how many cases agree; of so many
//! cases one.
//! `texture LIBRARY check-sass PTXAS FOLDER [FILTER [STEP]]` does so with machine code for sm_80 that ptxas makes of the cases; those that
//! it makes none of are left out.
//!
//! All cases have to agree in every bit; those that do not are named with the first difference.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../conformance/answers.rs"]
mod answers;
mod case;
mod cases;
mod device;
mod random;
mod resource;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use answers::Answers;
use case::{Case, OUTPUTS};
use device::{Device, NOT_FOR_SM_80};

/// The first words that differ, and how many do.
fn difference(case: &Case, expected: &[u64], outputs: &[u64]) -> Option<String> {
    let differing: Vec<usize> = (0..expected.len().max(outputs.len()))
        .filter(|&i| expected.get(i) != outputs.get(i))
        .collect();
    let &first = differing.first()?;
    let thread = first / OUTPUTS;
    let operands =
        case.operands.get(thread).map(|words| words.map(|word| format!("{word:x}")).join(" "));
    Some(format!(
        "{} words, first {} of thread {thread} ({}): {:x?}, expected {:x?}",
        differing.len(),
        first % OUTPUTS,
        operands.unwrap_or_default(),
        outputs.get(first),
        expected.get(first)
    ))
}

fn check(mut device: Device, folder: &Path, filter: &str, step: usize) -> bool {
    let recorded = Answers::read_folder(folder);
    // That agree, that have an answer, and that have none.
    let mut families: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    let all = cases::all();
    let wanted = all.iter().filter(|case| case.name.contains(filter));
    for (number, case) in wanted.enumerate() {
        let count = families.entry(case.family).or_default();
        let Some(expected) = recorded.get(&case.name) else {
            count[2] += 1;
            continue;
        };
        if number % step != 0 {
            continue;
        }
        let result = device.run(case);
        if result == Err(NOT_FOR_SM_80) {
            continue;
        }
        count[1] += 1;
        match result {
            Err(code) => println!("refused {}: error {code}", case.name),
            Ok(outputs) => match difference(case, expected, &outputs) {
                None => count[0] += 1,
                Some(text) => println!("differs {}: {text}", case.name),
            },
        }
    }
    for (family, [agreeing, all, unanswered]) in &families {
        println!("{family}: {agreeing} of {all} cases agree, {unanswered} have no answer");
    }
    families.values().all(|[agreeing, all, _]| agreeing == all)
}

fn record(library: &Path, folder: &Path, wanted: &[&str]) {
    let mut device = Device::open(library);
    let mut families: BTreeMap<&str, Answers> = BTreeMap::new();
    for case in &cases::all() {
        if !wanted.is_empty() && !wanted.contains(&case.family) {
            continue;
        }
        match device.run(case) {
            Ok(outputs) => {
                families.entry(case.family).or_default().insert(case.name.clone(), outputs)
            }
            Err(code) => println!("not recorded {}: error {code}", case.name),
        }
    }
    std::fs::create_dir_all(folder).unwrap();
    for (family, answers) in families {
        answers.write(&folder.join(format!("{family}.zst")));
        println!("{family}: recorded {} cases", answers.len());
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [library, "record", folder, families @ ..] => {
            record(Path::new(library), Path::new(folder), families);
        }
        [library, "check", folder, rest @ ..] | [library, "check-sass", _, folder, rest @ ..] => {
            let filter = rest.first().unwrap_or(&"");
            let step = rest.get(1).map_or(Some(1), |step| step.parse().ok());
            let Some(step) = step.filter(|step| *step > 0) else {
                eprintln!("`{}` is no number of cases", rest[1]);
                return ExitCode::from(2);
            };
            let mut device = Device::open(Path::new(library));
            if words[1] == "check-sass" {
                device = device.with_assembler(Path::new(words[2]));
            }
            if !check(device, Path::new(folder), filter, step) {
                return ExitCode::FAILURE;
            }
        }
        [library, "run", name] | [library, "run-sass", _, name] => {
            let mut device = Device::open(Path::new(library));
            if words[1] == "run-sass" {
                device = device.with_assembler(Path::new(words[2]));
            }
            for case in cases::all().iter().filter(|case| case.name == *name) {
                device.run_to_print(case);
            }
        }
        [_, "show", name] => {
            for case in cases::all().iter().filter(|case| case.name == *name) {
                println!("{}", case.ptx());
            }
        }
        [_, "list"] => cases::all().iter().for_each(|case| println!("{}", case.name)),
        _ => {
            eprintln!(
                "usage: texture LIBRARY record FOLDER [FAMILY ...] | check FOLDER [FILTER [STEP]] | check-sass PTXAS FOLDER [FILTER [STEP]] | run CASE | show CASE | list"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
