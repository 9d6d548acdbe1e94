//! Builds and runs of a collection's programs, and what is in the list about each.

use crate::Result;
use crate::corpus::build::Collection;
use crate::corpus::compare;
use crate::corpus::discover::Program;
use crate::corpus::expectations::{self, Expectation, Expectations};
use crate::corpus::record;
use crate::corpus::run::{self, Driver, Limits, Platform};
use crate::corpus::shares::Shares;
use crate::corpus::table::Row;
use crate::corpus::verdict::{self, Verdict};
use crate::program::Output;
use crate::progress::{heading, parallel_on};
use std::time::Duration;

/// The settings that all programs of a run share.
pub struct Session {
    pub collection: Collection,
    pub driver: Driver,
    pub list: Expectations,
    pub limits: Limits,
    pub shares: Shares,
    /// Whether what a program did before is good enough.
    pub resume: bool,
}

impl Session {
    /// Builds programs, `jobs` at once. `Err`: the verdict on what is not built.
    pub fn build(
        &self,
        programs: &[&Program],
        jobs: usize,
    ) -> Vec<std::result::Result<(), Verdict>> {
        heading(&format!("Building {} programs", programs.len()));
        parallel_on(
            jobs,
            programs,
            |program| program.name.clone(),
            |program| {
                let expected = self.list.of(&program.name);
                if let Some(reason) = expected.left_out() {
                    return Err(Verdict::LeftOut(reason.to_owned()));
                }
                if let Some(library) = program.needs {
                    return Err(Verdict::LeftOut(format!("needs {library}")));
                }
                self.collection.build(program)
            },
            |result| !matches!(result, Err(Verdict::DidNotBuild(_))),
        )
    }

    /// Runs what is built, as many programs side by side as there are shares of processors, and in `others` what passes.
    pub fn run(
        &self,
        programs: &[&Program],
        built: Vec<std::result::Result<(), Verdict>>,
        place: &Platform,
        others: &[Platform],
    ) -> Result<Vec<Row>> {
        heading(&format!(
            "Running {} programs",
            built.iter().filter(|result| result.is_ok()).count()
        ));
        let jobs: Vec<_> = programs.iter().copied().zip(built).collect();
        parallel_on(
            self.shares.count,
            &jobs,
            |(program, _)| program.name.clone(),
            |(program, built)| match built {
                Ok(()) => self.run_one(program, place, others),
                Err(verdict) => Ok(self.row(program, verdict.clone(), None)),
            },
            |row| row.as_ref().is_ok_and(|row| row.problem.is_none()),
        )
        .into_iter()
        .collect()
    }

    fn run_one(&self, program: &Program, place: &Platform, others: &[Platform]) -> Result<Row> {
        let expected = self.list.of(&program.name);
        let mut runs = self.collection.runs(program)?;
        let Some(first) = runs.first().cloned() else {
            return Ok(self.row(
                program,
                Verdict::DidNotBuild("the build makes no program".into()),
                None,
            ));
        };
        if !expected.arguments.is_empty() {
            let name = first.line.split_whitespace().next().unwrap_or_default();
            let line = |arguments: &String| run::with_arguments(&first, name, arguments);
            runs = expected.arguments.iter().map(line).collect();
        }
        if !expected.cases.is_empty() {
            let cases: Vec<&str> = expected.cases.iter().map(|(case, _)| case.as_str()).collect();
            runs = runs.iter().map(|run| run::with_cases(run, &cases)).collect();
        }
        if let Some((count, _)) = expected.devices {
            runs = runs.iter().map(|run| run::with_devices(run, count)).collect();
        }
        let run = |place: &Platform| -> Result<Output> {
            let output = self
                .shares
                .with(|share| run::run(&self.driver, place, &runs, self.limits, share))?;
            let [stdout, stderr] =
                [&output.stdout, &output.stderr].map(|text| self.collection.without_tree(text));
            Ok(Output { stdout, stderr, ..output })
        };
        let folder = self.collection.tree.join(&program.folder);
        let kept = folder.join(program.file(record::NAME));
        let key = record::key(&self.driver, place, &runs);
        let before = if self.resume { record::recall(&kept, &key) } else { None };
        let output = match before {
            Some(output) => output,
            None => run(place)?,
        };
        record::keep(&kept, &key, &output)?;
        let verdict = verdict::of_output(&output, &expected.ignored);
        let text = output.stdout.clone() + &output.stderr;
        let passed = verdict == Verdict::Passed;
        let mut row = self.row(program, verdict, Some(&text));
        row.seconds = output.time.as_secs_f64();
        if passed && !others.is_empty() {
            // Not in the same second: the time seeds many programs' random numbers.
            std::thread::sleep(Duration::from_secs(2).saturating_sub(output.time));
            let again = run(place)?;
            for other in others {
                let there = run(other)?;
                let found = match verdict::of_output(&there, &expected.ignored) {
                    Verdict::Passed => compare::difference(
                        &output.stdout,
                        &again.stdout,
                        &there.stdout,
                        &expected.ignored,
                    ),
                    verdict => Some(format!("{} {}", verdict.word(), verdict.detail())),
                };
                row.differences.extend(found.map(|text| (other.name.clone(), text)));
            }
            row.problem = row.problem.or_else(|| {
                expectations::difference_problem(&expected, !row.differences.is_empty())
            });
        }
        Ok(row)
    }

    fn row(&self, program: &Program, verdict: Verdict, output: Option<&str>) -> Row {
        let expected: Expectation = self.list.of(&program.name);
        let problem = expectations::problem(&expected, &verdict, output);
        Row {
            name: program.name.clone(),
            verdict,
            seconds: 0.0,
            reasons: expected.reasons(),
            differences: Vec::new(),
            problem,
        }
    }
}
