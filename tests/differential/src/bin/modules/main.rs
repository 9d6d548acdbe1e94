//! `modules LIBRARY FILE`: loads and links the modules of a file of `modules/`, and prints what the library
//! answered: with NVIDIA's library that makes a file of `answers/h100.modules/`.
//!
//! The cases run in one process, as setting up a GPU takes long; where a case ends it, the next one begins
//! another. A file holds cases, each with one module or, behind `//! input NAME`, several to link:
//!
//! | line | meaning |
//! |---|---|
//! | `//! case NAME` | begins a case |
//! | `//! input NAME` | what follows is added to a link under this name, `-` is none |
//! | `//! link` | a link without inputs |
//! | `//! file KIND PATH` | a file is added by its path; the kind is a number of `CUjitInputType` |
//! | `//! error N`, `//! info N` | the log buffers have this size; `error-buffer`, `error-size`: one option of the two |
//! | `//! verbose 1`, `//! wall 1` | these options are given too |
//! | `//! option NUMBER VALUE` | any option |
//! | `//! global NAME` | prints result, size and bytes of a variable |
//! | `//! run KERNEL` | one thread, with a buffer of eight words as its parameter, which is printed |

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod case;
mod options;
mod run;

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use differential::api::Api;

/// Runs the cases from `first` on, in this process.
fn run_from(library: &str, file: &str, first: usize) {
    let api = Api::load(Path::new(library)).unwrap();
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    run::set_up(&api);
    for case in case::read(&text).iter().skip(first) {
        print!("case {}\n{}", case.name, run::answers(&api, case));
        println!("//end");
        std::io::stdout().flush().unwrap();
    }
}

/// All cases, in as many processes as it takes.
fn run_all(library: &str, file: &str) {
    let this = std::env::current_exe().unwrap();
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let cases = case::read(&text);
    let mut done = 0;
    while done < cases.len() {
        let output = Command::new(&this)
            .args([library, file, &done.to_string()])
            .stderr(std::process::Stdio::null())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        for answers in printed.split_inclusive("//end\n").filter(|a| a.ends_with("//end\n")) {
            print!("{}", answers.trim_end_matches("//end\n"));
            done += 1;
        }
        if done < cases.len() {
            println!("case {}\ncrash", cases[done].name);
            done += 1;
        } else if !output.status.success() {
            // It ended badly when all had been said, which belongs to the last one.
            println!("crash");
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [library, file] => run_all(library, file),
        [library, file, first] => run_from(library, file, first.parse().unwrap()),
        _ => {
            eprintln!("usage: modules LIBRARY FILE");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
