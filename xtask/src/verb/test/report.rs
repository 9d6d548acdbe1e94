//! The count of checks, with what was wrong and what could not be looked at.

use std::process::ExitCode;

/// The number of checks that passed, what is wrong with the others, and what was not looked at.
#[derive(Debug, Default)]
pub struct Report {
    passed: usize,
    failures: Vec<(String, String)>,
    not_looked_at: Vec<String>,
}

impl Report {
    /// Counts checks that passed.
    pub fn pass(&mut self, count: usize) {
        self.passed += count;
    }

    /// Counts a check. The reason of a failure is shown at once, and the name again at the end.
    pub fn check(&mut self, name: impl Into<String>, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(reason) => {
                let name = name.into();
                println!("FAILED {name}: {reason}");
                self.failures.push((name, reason));
            }
        }
    }

    /// A check for which something is missing that could be there. In continuous integration that is a failure.
    pub fn skip(&mut self, name: &str, missing: &str) {
        self.skip_in(name, missing, is_continuous_integration());
    }

    fn skip_in(&mut self, name: &str, missing: &str, is_failure: bool) {
        if is_failure {
            self.check(name, Err(missing.to_owned()));
        } else {
            self.cannot(name, missing);
        }
    }

    /// A check that this machine's processor cannot make.
    pub fn cannot(&mut self, name: &str, reason: &str) {
        println!("NOT LOOKED AT {name}: {reason}");
        self.not_looked_at.push(format!("{name}: {reason}"));
    }

    /// Counts what another report has, and shows at the end what it would have shown.
    pub fn add(&mut self, other: Report) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        self.not_looked_at.extend(other.not_looked_at);
    }

    /// Everything that was counted.
    pub fn count(&self) -> usize {
        self.passed + self.failures.len()
    }

    /// The first failure, as name and reason.
    pub fn failure(&self) -> Option<&(String, String)> {
        self.failures.first()
    }

    /// Shows what was not looked at, what failed, and the counts. A report without a single check is a failure.
    pub fn finish(mut self) -> ExitCode {
        if self.count() == 0 {
            self.check("the chosen tests", Err("there are none".to_owned()));
        }
        for line in &self.not_looked_at {
            println!("NOT LOOKED AT {line}");
        }
        for (name, _) in &self.failures {
            println!("FAILED {name}");
        }
        println!("{} passed, {} failed", self.passed, self.failures.len());
        if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Whether `CI` is set, as all services of continuous integration do it.
pub fn is_continuous_integration() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_fails_in_continuous_integration_alone() {
        let mut report = Report::default();
        report.skip_in("words", "there is no text", false);
        assert_eq!((report.count(), report.failure()), (0, None));
        assert_eq!(report.not_looked_at, ["words: there is no text"]);
        report.skip_in("words", "there is no text", true);
        assert_eq!(report.failure(), Some(&("words".to_owned(), "there is no text".to_owned())));
        assert_eq!(report.finish(), ExitCode::FAILURE);
    }

    #[test]
    fn a_report_of_nothing_fails() {
        assert_eq!(Report::default().finish(), ExitCode::FAILURE);
        let mut report = Report::default();
        report.pass(1);
        report.cannot("code for another processor", "this one does not run it");
        let mut all = Report::default();
        all.add(report);
        assert_eq!((all.count(), all.not_looked_at.len()), (1, 1));
        assert_eq!(all.finish(), ExitCode::SUCCESS);
    }
}
