//! `conformance LIBRARY record FOLDER [FAMILY ...]` runs every form of the families (of all) on the library's
//! device 0 and writes the outputs; with NVIDIA's library that makes `answers/<GPU>.forms/<family>.zst`.
//! `conformance LIBRARY check-sass PTXAS ARCHITECTURE FOLDER [FILTER [I/N]]` does so with machine code that ptxas makes of the
//! forms, which the library has to run; those that it makes none of are left out.
//! `conformance LIBRARY check FOLDER [FILTER [I/N]]` runs those with FILTER in their names again, or every
//! N-th from the I-th on, and prints, per family, how many agree.
//!
//! Exact forms have to agree in every bit, the payloads of NaNs included, and with `ZLUDA_MATH=exact` and on the reference
//! executor all do; otherwise approximate ones have to lie within the bound that the PTX manual states. For instructions that the recording GPU does not have, it recorded
//! those that define them, or a model computes what is expected ([`model`]).

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod device;
mod elements;
mod form;
mod forms;
mod model;
mod values;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use answers::Answers;
use device::{Device, NOT_ASSEMBLED};
use form::{Form, Runner};

/// The result of one form.
enum Verdict {
    Agrees,
    /// The recording GPU does not have it.
    NotRecorded,
    Refused(i64),
    Differs(String),
}

fn judge(device: &mut Device, form: &Form, recorded: &Answers) -> Verdict {
    let computed = form.computed();
    let Some(expected) = computed.as_ref().or_else(|| recorded.get(&form.name)) else {
        return Verdict::NotRecorded;
    };
    match device.run(form, Runner::Tested) {
        Err(code) => Verdict::Refused(code),
        Ok(outputs) => match form.first_difference(expected, &outputs, is_exact()) {
            None => Verdict::Agrees,
            Some(difference) => Verdict::Differs(difference),
        },
    }
}

/// Whether approximate forms have the recording GPU's bits.
fn is_exact() -> bool {
    let is = |name, value| std::env::var(name).is_ok_and(|found| found == value);
    is("ZLUDA_MATH", "exact") || is("ZLUDA_EXECUTOR", "reference")
}

/// Every `of`-th form, from the `index`-th on.
#[derive(Clone, Copy)]
struct Part {
    index: usize,
    of: usize,
}

impl Part {
    fn parse(text: &str) -> Option<Self> {
        let (index, of) = text.split_once('/')?;
        let part = Self { index: index.parse().ok()?, of: of.parse().ok()? };
        (part.index < part.of).then_some(part)
    }
}

fn check(mut device: Device, folder: &Path, filter: &str, part: Part) -> bool {
    let recorded = Answers::read_folder(folder);
    let mut families: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    let forms = forms::all();
    let chosen = forms.iter().filter(|form| form.name.contains(filter));
    for form in chosen.skip(part.index).step_by(part.of) {
        let count = families.entry(form.family).or_default();
        match judge(&mut device, form, &recorded) {
            Verdict::NotRecorded => continue,
            Verdict::Agrees => count[0] += 1,
            Verdict::Refused(NOT_ASSEMBLED) => continue,
            Verdict::Refused(code) => println!("refused {}: error {code}", form.name),
            Verdict::Differs(difference) => println!("differs {}: {difference}", form.name),
        }
        count[1] += 1;
    }
    let mut total = [0; 2];
    for (family, counts) in families {
        println!("{family}: {} of {} forms agree", counts[0], counts[1]);
        total = std::array::from_fn(|i| total[i] + counts[i]);
    }
    println!("{} of {} forms agree", total[0], total[1]);
    total[0] == total[1]
}

fn record(library: &Path, folder: &Path, wanted: &[&str]) {
    let mut device = Device::open(library);
    let mut families: BTreeMap<&str, (usize, Answers)> = BTreeMap::new();
    for form in &forms::all() {
        if !wanted.is_empty() && !wanted.contains(&form.family) {
            continue;
        }
        if form.computed().is_some() {
            continue;
        }
        let (count, answers) = families.entry(form.family).or_default();
        *count += 1;
        match device.run(form, Runner::Recorder) {
            Ok(outputs) => answers.insert(form.name.clone(), outputs),
            Err(code) => println!("not recorded {}: error {code}", form.name),
        }
    }
    std::fs::create_dir_all(folder).unwrap();
    for (family, (count, answers)) in families {
        answers.write(&folder.join(format!("{family}.zst")));
        println!("{family}: recorded {} of {count} forms", answers.len());
    }
}

/// The operands of every case of a form, and what was recorded.
fn print_cases(folder: &Path, name: &str) {
    let recorded = Answers::read_folder(folder);
    for form in forms::all().iter().filter(|form| form.name == name) {
        let Some(outputs) = recorded.get(name) else { continue };
        let columns = form.inputs();
        for (case, words) in outputs.chunks(2).enumerate() {
            let operands: Vec<String> =
                columns.iter().map(|column| format!("{:#x}", column[case])).collect();
            println!("{} -> {:#x} {:#x}", operands.join(" "), words[0], words[1]);
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [library, "record", folder, families @ ..] => {
            record(Path::new(library), Path::new(folder), families)
        }
        [library, "check", folder, rest @ ..]
        | [library, "check-sass", _, _, folder, rest @ ..] => {
            let filter = rest.first().unwrap_or(&"");
            let Some(part) = Part::parse(rest.get(1).unwrap_or(&"0/1")) else {
                eprintln!("a part is I/N, with I from 0 to N - 1");
                return ExitCode::from(2);
            };
            let mut device = Device::open(Path::new(library));
            if words[1] == "check-sass" {
                device = device.with_assembler(Path::new(words[2]), words[3]);
            }
            if !check(device, Path::new(folder), filter, part) {
                return ExitCode::FAILURE;
            }
        }
        [_, "show", name, rest @ ..] => {
            let runner = if rest == ["recorded"] { Runner::Recorder } else { Runner::Tested };
            for form in forms::all()
                .iter()
                .filter(|form| *name == "all" || form.name == *name || form.family == *name)
            {
                println!("// {}\n{}", form.name, form.ptx(runner));
            }
        }
        [_, "cases", folder, name] => print_cases(Path::new(folder), name),
        _ => {
            eprintln!(
                "usage: conformance LIBRARY record FOLDER [FAMILY ...] | check FOLDER [FILTER [I/N]] | check-sass PTXAS ARCHITECTURE FOLDER [FILTER [I/N]] | cases FOLDER FORM | show FORM|FAMILY|all [recorded]"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of forms that the recorded GPU does not have, by family. What is new is to be recorded.
    const UNANSWERED: [(&str, usize); 2] = [("convert", 284), ("narrow", 4)];

    #[test]
    fn new_forms_have_an_answer() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("answers/h100.forms");
        let recorded = Answers::read_folder(&folder);
        let mut unanswered = BTreeMap::new();
        let forms = forms::all();
        for form in forms.iter().filter(|form| form.computed().is_none()) {
            if recorded.get(&form.name).is_none() {
                *unanswered.entry(form.family).or_insert(0) += 1;
            }
        }
        assert_eq!(unanswered, BTreeMap::from(UNANSWERED), "forms that were not recorded");
    }
}
