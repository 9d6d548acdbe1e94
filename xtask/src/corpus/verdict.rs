//! The verdict on a program.

use crate::program::Output;
use std::os::unix::process::ExitStatusExt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// It ended with this status.
    Failed(i32),
    /// A signal ended it.
    Crashed(i32),
    /// It ended with status 0 and said this.
    Wrong(String),
    TimedOut,
    DidNotBuild(String),
    LeftOut(String),
}

impl Verdict {
    /// As the lists of expectations have it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Crashed(_) => "crashed",
            Self::Wrong(_) => "wrong result",
            Self::TimedOut => "timed out",
            Self::DidNotBuild(_) => "did not build",
            Self::LeftOut(_) => "left out",
        }
    }

    /// The rest that is known: a status, a signal or a reason; empty where there is none.
    pub fn detail(&self) -> String {
        match self {
            Self::Passed | Self::TimedOut => String::new(),
            Self::Failed(code) => format!("exit status {code}"),
            Self::Crashed(signal) => format!("signal {signal}"),
            Self::Wrong(text) | Self::DidNotBuild(text) | Self::LeftOut(text) => text.clone(),
        }
    }
}

/// The verdict on a run. Lines of its output that hold one of the texts of `ignored` count for nothing.
pub fn of_output(output: &Output, ignored: &[String]) -> Verdict {
    let Some(status) = output.status else { return Verdict::TimedOut };
    // A shell says with 128 and its number that a signal ended what it ran; there are 64. 255 is what `exit(-1)` gives.
    let signal = status
        .signal()
        .or_else(|| status.code()?.checked_sub(128).filter(|signal| (1..=64).contains(signal)));
    match (signal, status.code()) {
        (Some(libc::SIGXCPU), _) => return Verdict::TimedOut,
        (Some(signal), _) => return Verdict::Crashed(signal),
        (None, Some(0)) => {}
        (None, code) => return Verdict::Failed(code.unwrap_or(-1)),
    }
    let lines = output.stdout.lines().chain(output.stderr.lines());
    let lines = lines.filter(|line| !ignored.iter().any(|text| line.contains(text)));
    match lines.into_iter().find(|line| complains(line)) {
        Some(line) => Verdict::Wrong(line.trim().chars().take(160).collect()),
        None => Verdict::Passed,
    }
}

/// Words by which programs say that they have wrong results.
const COMPLAINTS: &[&str] = &[
    "fail",
    "failed",
    "failure",
    "failures",
    "mismatch",
    "mismatches",
    "mismatched",
    "incorrect",
    "wrong",
];

/// Whether a line says that something is wrong, and not that nothing is.
fn complains(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty())
        .collect();
    let nothing = |word: Option<&&str>| {
        word.is_some_and(|word| {
            matches!(*word, "no" | "not" | "without" | "never")
                || word.parse::<f64>().is_ok_and(|number| number == 0.0)
        })
    };
    let bad = words.iter().enumerate().any(|(at, word)| {
        let word = word.trim_end_matches('.');
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        COMPLAINTS.contains(&word) && !nothing(before) && !nothing(words.get(at + 1))
    });
    // The driver says what a program did not ask about.
    let driver = line.starts_with("[zluda] error")
        || line.starts_with("[zluda]") && line.contains("cannot be compiled");
    // A norm is called an error too, and is a number.
    let error = ["cuda error", "error:"].iter().any(|start| {
        line.trim_start().strip_prefix(start).is_some_and(|rest| {
            let rest = rest.trim_start_matches([' ', '=', ':']);
            !rest.is_empty()
                && !rest.starts_with(|c: char| c.is_ascii_digit())
                && !number_at_end(rest)
        })
    });
    bad || driver || error
}

fn number_at_end(text: &str) -> bool {
    text.split_whitespace().next_back().is_some_and(|word| word.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitStatus;
    use std::time::Duration;

    fn output(status: i32, text: &str) -> Output {
        let status = Some(ExitStatus::from_raw(status));
        Output { status, stdout: text.to_owned(), stderr: String::new(), time: Duration::ZERO }
    }

    #[test]
    fn the_end_of_a_program_decides_first() {
        assert_eq!(of_output(&output(0, "PASS\n"), &[]), Verdict::Passed);
        assert_eq!(of_output(&output(3 << 8, "PASS\n"), &[]), Verdict::Failed(3));
        assert_eq!(of_output(&output(11, ""), &[]), Verdict::Crashed(11));
        assert_eq!(of_output(&output(139 << 8, ""), &[]), Verdict::Crashed(11));
        assert_eq!(of_output(&output(255 << 8, ""), &[]), Verdict::Failed(255));
        assert_eq!(of_output(&output(libc::SIGXCPU, ""), &[]), Verdict::TimedOut);
        assert_eq!(of_output(&Output { status: None, ..output(0, "") }, &[]), Verdict::TimedOut);
    }

    #[test]
    fn words_of_a_program_that_ends_well_decide_next() {
        let wrong = |text: &str| matches!(of_output(&output(0, text), &[]), Verdict::Wrong(_));
        for text in [
            "FAIL",
            "Test FAILED!",
            "result: mismatch at 3",
            "12 mismatches",
            "Error: results differ",
            "CUDA error at a.cu:3",
            "failed with 7",
            "ERROR: invalid value",
            "[zluda] warn x: kernel k cannot be compiled: y",
        ] {
            assert!(wrong(text), "{text}");
        }
        for text in [
            "PASS",
            "0 failed",
            "failures: 0",
            "no mismatch",
            "mismatches = 0.0",
            "Error = 0.25",
            "error: 1e-7",
            "max error 3",
            "failover is on",
            "Error rate: 0.01",
            "Error statistics for the kernels:",
        ] {
            assert!(!wrong(text), "{text}");
        }
    }

    #[test]
    fn lines_that_are_ignored_do_not_decide() {
        let ignored = ["FAILED to be fast".to_owned()];
        assert_eq!(of_output(&output(0, "it FAILED to be fast\n"), &ignored), Verdict::Passed);
        assert_ne!(of_output(&output(0, "it FAILED\n"), &ignored), Verdict::Passed);
    }
}
