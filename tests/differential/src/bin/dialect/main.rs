//! `dialect LIBRARY FILE... [--jobs N] [--seconds N] [--few 1] [--against ANSWERS]`: loads the texts of `dialects/` for many versions of PTX and targets, runs
//! what can run, and prints what the library answered: with NVIDIA's library that makes `answers/h100.dialects.zst`.
//!
//! | line of a file | meaning |
//! |---|---|
//! | `//! case NAME` | begins a case: a module without its header |
//! | `//! case NAME run` | its kernel `k` runs, too |
//! | `//! template NAME` | begins a module with a `$` for what each of its forms is |
//! | `//! forms NAME` | behind it each line is a case: a form to put into the template, which runs; `[[.rn\|.rz]]` is a choice |
//! | `//! forms NAME old`, `new` | likewise, forms that only versions before 1.4 have, or that old targets lack |
//! | `//! grid` | begins cases that are asked for every version with every target |
//!
//! `$V` and `$T` are version and target, for modules that bring a header of their own.
//! With `--few` a few dialects stand for all; with `--against` it prints how the answers differ from kept ones.
//! The answers are shared out among processes, and where one ends a process, another goes on behind it.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod answer;
mod case;
mod grid;
mod kept;
mod run;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

use answer::Answer;
use case::Case;
use differential::api::Api;

/// Each case with the place of a dialect in its grid.
fn questions(cases: &[Case]) -> Vec<(usize, usize)> {
    let all = cases.iter().enumerate();
    all.flat_map(|(case, asked)| asked.places().into_iter().map(move |place| (case, place)))
        .collect()
}

/// Answers every `jobs`-th question from `first` on, in this process, until one spoils it.
fn work(library: &str, cases: &[Case], first: usize, jobs: usize, end: SystemTime) {
    let api = Api::load(Path::new(library)).unwrap();
    let device = run::Device::new(&api);
    for (number, (case, dialect)) in
        questions(cases).into_iter().enumerate().skip(first).step_by(jobs)
    {
        if SystemTime::now() > end {
            return;
        }
        let (answer, spoilt) = device.ask(&cases[case], &cases[case].grid[dialect]);
        println!("{number} {answer}");
        std::io::stdout().flush().unwrap();
        if spoilt {
            // The context is of no more use.
            std::process::exit(1);
        }
    }
}

/// The answers to every `jobs`-th question.
fn share(
    arguments: &[String],
    count: usize,
    mut first: usize,
    jobs: usize,
    few: bool,
    end: SystemTime,
) -> Vec<(usize, Answer)> {
    let this = std::env::current_exe().unwrap();
    let mut answers = Vec::new();
    while first < count && SystemTime::now() < end {
        let left = end.duration_since(SystemTime::now()).unwrap_or_default();
        let output = Command::new(&this)
            .args(arguments)
            .args(["--from", &first.to_string(), "--step", &jobs.to_string()])
            .args(if few { &["--few", "1"][..] } else { &[] })
            .args(["--seconds", &left.as_secs().to_string()])
            .stderr(Stdio::null())
            .output()
            .unwrap();
        let before = first;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((number, answer)) = line.split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            answers.push((number, Answer::parse(answer)));
            first = number + jobs;
        }
        if !output.status.success() && (first == before || output.status.code() != Some(1)) {
            if first < count {
                answers.push((first, Answer::crash()));
                first += jobs;
            } else if let Some((_, last)) = answers.last_mut() {
                // It ended badly when all had been said, which belongs to the last one.
                *last = Answer::crash();
            }
        }
    }
    answers
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let against = arguments.iter().position(|a| a == "--against").map(|at| {
        let path = arguments.drain(at..at + 2).nth(1).unwrap();
        kept::Kept::read(Path::new(&path))
    });
    let mut option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        let value = arguments.get(at + 1)?.parse::<usize>().ok()?;
        arguments.drain(at..at + 2);
        Some(value)
    };
    let (jobs, from, step) = (option("--jobs").unwrap_or(1), option("--from"), option("--step"));
    let few = option("--few").is_some();
    let seconds = option("--seconds").unwrap_or(3600);
    let end = SystemTime::now() + Duration::from_secs(seconds as u64);
    let [library, files @ ..] = &arguments[..] else {
        eprintln!("usage: dialect LIBRARY FILE... [--jobs N]");
        return ExitCode::FAILURE;
    };
    let mut cases: Vec<Case> =
        files.iter().flat_map(|file| case::read_file(Path::new(file))).collect();
    if few {
        cases.iter_mut().for_each(Case::ask_few);
    }
    if let (Some(from), Some(step)) = (from, step) {
        work(library, &cases, from, step, end);
        return ExitCode::SUCCESS;
    }
    let questions = questions(&cases);
    let answers: BTreeMap<usize, Answer> = std::thread::scope(|scope| {
        let (arguments, count) = (&arguments, questions.len());
        let shares: Vec<_> = (0..jobs)
            .map(|first| scope.spawn(move || share(arguments, count, first, jobs, few, end)))
            .collect();
        shares.into_iter().flat_map(|share| share.join().unwrap()).collect()
    });
    match against {
        Some(kept) => print!("{}", kept::differences(&kept, &cases, &questions, &answers)),
        None => print!("{}", answer::summary(&cases, &questions, &answers)),
    }
    ExitCode::SUCCESS
}
