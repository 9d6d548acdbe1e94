//! Every operation of the emulated GPU against AMD's pseudo code for it.
//!
//! The pseudo code lies in a package of the test suites' Python, and is read there: `source`. `syntax` and
//! `evaluate` understand it, `compare` holds the operations against it, `known` says what is not compared and why.

mod compare;
mod evaluate;
mod functions;
mod known;
mod operands;
mod source;
mod syntax;
mod value;

use compare::Subject;
use known::{DIFFERENT, Difference, NOT_HERE, NOT_INTERPRETED};
use source::Entry;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use syntax::Statement;
use value::Rounding;

/// The pseudo code of each generation's operations.
type Bodies<'a> = HashMap<(&'a str, &'a str), Rc<Vec<Statement>>>;

/// Whether a pattern, which may end with `*`, has this name.
fn has(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

#[test]
fn operations_are_as_in_the_manuals() -> std::io::Result<()> {
    let entries = source::entries()?;
    let mut bodies = Bodies::new();
    for entry in &entries {
        if let Ok(body) = syntax::parse(&entry.text) {
            bodies.entry((entry.generation, &entry.mnemonic)).or_insert(Rc::new(body));
        }
    }
    let mut report = Report::default();
    let mut seen = BTreeSet::new();
    for entry in &entries {
        if Subject::of(&entry.mnemonic).is_none() {
            match NOT_HERE.iter().position(|(pattern, _)| has(pattern, &entry.mnemonic)) {
                Some(line) => _ = report.absent.insert(line),
                None => report.failures.push(format!("{} has no operation", entry.mnemonic)),
            }
        } else if seen.insert((&entry.mnemonic, &entry.text)) {
            report.compare(entry, &bodies);
        }
    }
    println!("{} entries of the manuals compared", report.compared);
    let failures = report.finish();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    Ok(())
}

#[derive(Default)]
struct Report {
    compared: usize,
    failures: Vec<String>,
    /// Lines of the lists that hold.
    absent: BTreeSet<usize>,
    unclear: BTreeSet<usize>,
    different: BTreeSet<usize>,
}

impl Report {
    fn compare(&mut self, entry: &Entry, bodies: &Bodies) {
        let unclear = NOT_INTERPRETED.iter().position(|(pattern, _)| has(pattern, &entry.mnemonic));
        let is_of_entry =
            |line: &usize| DIFFERENT[*line].names.iter().any(|name| has(name, &entry.mnemonic));
        let different: Vec<usize> = (0..DIFFERENT.len()).filter(is_of_entry).collect();
        let outcome = match check(entry, bodies, &different) {
            Err(_) if unclear.is_some() => {
                self.unclear.extend(unclear);
                return;
            }
            Err(failure) => Err(failure),
            Ok(_) if unclear.is_some() => Err("can be interpreted".to_owned()),
            Ok(differences) => {
                self.compared += 1;
                self.different.extend(differences);
                Ok(())
            }
        };
        if let Err(failure) = outcome {
            self.failures.push(format!(
                "{} {} {}: {failure}",
                entry.generation, entry.encoding, entry.mnemonic
            ));
        }
    }

    /// All failures, and what is listed in vain.
    fn finish(mut self) -> Vec<String> {
        let unused = |used: &BTreeSet<usize>, count: usize| {
            (0..count).filter(|line| !used.contains(line)).collect()
        };
        let absent: Vec<usize> = unused(&self.absent, NOT_HERE.len());
        let unclear: Vec<usize> = unused(&self.unclear, NOT_INTERPRETED.len());
        let different: Vec<usize> = unused(&self.different, DIFFERENT.len());
        let lines = absent.into_iter().map(|line| NOT_HERE[line]);
        let lines = lines.chain(unclear.into_iter().map(|line| NOT_INTERPRETED[line]));
        let lines = lines.chain(
            different.into_iter().map(|line| (DIFFERENT[line].names[0], DIFFERENT[line].reason)),
        );
        let lines: Vec<String> =
            lines.map(|(name, reason)| format!("{name} is listed ({reason}), in vain")).collect();
        self.failures.extend(lines);
        self.failures
    }
}

/// Compares an operation with its pseudo code; returns which of the listed differences there are.
fn check(entry: &Entry, bodies: &Bodies, different: &[usize]) -> Result<BTreeSet<usize>, String> {
    let subject = Subject::of(&entry.mnemonic).ok_or("no operation")?;
    let body = syntax::parse(&entry.text)?;
    let operations = |name: &str| {
        let generations = [entry.generation, "rdna3", "rdna4", "cdna"];
        generations.iter().find_map(|generation| bodies.get(&(*generation, name)).cloned())
    };
    let tuples = operands::tuples(subject.sources());
    let mut found = BTreeSet::new();
    for extra in subject.extras(&entry.text) {
        let step = if extra.rounding == Rounding::NearestEven { 1 } else { 4 };
        for sources in tuples.iter().copied().step_by(step) {
            let theirs = subject.interpret(&entry.mnemonic, &body, &operations, sources, extra)?;
            let ours = subject.run(sources, extra);
            if subject.agree(ours, theirs) {
                continue;
            }
            let is_allowed = |line: &&usize| {
                let Difference { skip, relative, absolute, .. } = DIFFERENT[**line];
                skip(sources, extra) || subject.near(ours, theirs, relative, absolute)
            };
            match different.iter().find(is_allowed) {
                Some(line) => _ = found.insert(*line),
                None => {
                    return Err(format!(
                        "{sources:x?} with {extra:?}: {ours:x?}, but the manual says {theirs:x?}"
                    ));
                }
            }
        }
    }
    Ok(found)
}
