//! The results of a collection's programs where they do not simply pass: `tests/corpus/<collection>.txt`.
//!
//! A line is `program: what  # reason`, where `what` is
//!
//! - a word of a verdict: `failed`, `crashed`, `wrong result`, `timed out`, `did not build`;
//! - `left out`: the program is neither built nor run;
//! - `differs`: with `--compare`, its outputs are not the same everywhere;
//! - `run ARGUMENTS`: its arguments instead of the collection's; several lines are several runs;
//! - `ignore TEXT`: lines of its output with this text say nothing about the result.
//!
//! The list is checked both ways: what it says has to be so.

use crate::Result;
use crate::corpus::verdict::Verdict;
use std::collections::BTreeMap;

const VERDICTS: [&str; 6] =
    ["failed", "crashed", "wrong result", "timed out", "did not build", "left out"];

/// The list's lines about one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// A verdict's word other than `passed`, and the reason.
    pub verdict: Option<(String, String)>,
    /// The reason why outputs differ.
    pub differs: Option<String>,
    pub arguments: Vec<String>,
    /// The reason for these arguments.
    pub arguments_reason: Option<String>,
    pub ignored: Vec<String>,
}

impl Expectation {
    /// The verdict's word; `passed` where the list has no other.
    pub fn word(&self) -> &str {
        self.verdict.as_ref().map_or("passed", |(word, _)| word)
    }

    /// All that the list gives as reasons.
    pub fn reasons(&self) -> Vec<String> {
        let verdict = self.verdict.as_ref().map(|(_, reason)| reason.clone());
        let arguments = self.arguments.join("`, `");
        let arguments = self
            .arguments_reason
            .as_ref()
            .map(|reason| format!("run with `{arguments}`: {reason}"));
        verdict.into_iter().chain(arguments).chain(self.differs.clone()).collect()
    }

    /// The reason why the program is not built, if it is not.
    pub fn left_out(&self) -> Option<&str> {
        let (word, reason) = self.verdict.as_ref()?;
        (word == "left out").then_some(reason)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Expectations {
    programs: BTreeMap<String, Expectation>,
}

impl Expectations {
    /// `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut expectations = Self::default();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            expectations
                .add(line)
                .map_err(|problem| format!("{name}:{}: {problem}", number + 1))?;
        }
        Ok(expectations)
    }

    fn add(&mut self, line: &str) -> std::result::Result<(), String> {
        let (line, reason) = line.rsplit_once("  # ").ok_or("no `  # reason`")?;
        let (program, what) = line.split_once(": ").ok_or("no `program: what`")?;
        let (what, reason) = (what.trim(), reason.trim().to_owned());
        if reason.is_empty() {
            return Err("the reason is empty".to_owned());
        }
        let expectation = self.programs.entry(program.trim().to_owned()).or_default();
        if VERDICTS.contains(&what) {
            if expectation.verdict.is_some() {
                return Err(format!("a second verdict on {program}"));
            }
            expectation.verdict = Some((what.to_owned(), reason));
        } else if what == "differs" {
            expectation.differs = Some(reason);
        } else if what == "run" {
            expectation.arguments.push(String::new());
            expectation.arguments_reason = Some(reason);
        } else if let Some(arguments) = what.strip_prefix("run ") {
            expectation.arguments.push(arguments.to_owned());
            expectation.arguments_reason = Some(reason);
        } else if let Some(text) = what.strip_prefix("ignore ") {
            expectation.ignored.push(text.to_owned());
        } else {
            return Err(format!(
                "`{what}` is none of {}, differs, run, ignore",
                VERDICTS.join(", ")
            ));
        }
        Ok(())
    }

    /// The lines about this program; none of them where it is expected to pass.
    pub fn of(&self, program: &str) -> Expectation {
        self.programs.get(program).cloned().unwrap_or_default()
    }

    /// Programs of the list that the checkout does not have.
    pub fn strangers<'a>(&'a self, programs: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.programs.keys().map(String::as_str).filter(|name| !programs.contains(name))
    }
}

/// The difference between a verdict and what is expected, if there is one. `output` is what the program wrote, if it
/// ran.
pub fn problem(expected: &Expectation, verdict: &Verdict, output: Option<&str>) -> Option<String> {
    if expected.word() != verdict.word() && !matches!(verdict, Verdict::LeftOut(_)) {
        return Some(match &expected.verdict {
            Some((word, reason)) => format!("the list says: {word} ({reason})"),
            None => "the list does not have it".to_owned(),
        });
    }
    let output = output?;
    let unused = expected.ignored.iter().find(|text| !output.contains(text.as_str()))?;
    Some(format!("the list ignores `{unused}`, which it does not say"))
}

/// The difference between a comparison and what is expected, if there is one.
pub fn difference_problem(expected: &Expectation, differs: bool) -> Option<String> {
    match (&expected.differs, differs) {
        (None, true) => Some("its outputs differ, and the list does not have it".to_owned()),
        (Some(reason), false) => Some(format!("the list says that outputs differ ({reason})")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let text = "# a remark\n\na: failed  # needs two GPUs\nb: run -n 5  # smaller\nb: run  # and none\n\
                    b: ignore FAILED: x  # a title\nc/d: left out  # a # b\na: differs  # times\n";
        let list = Expectations::parse("x", text).unwrap();
        assert_eq!(list.of("a").verdict, Some(("failed".into(), "needs two GPUs".into())));
        assert_eq!(list.of("a").differs.as_deref(), Some("times"));
        assert_eq!(list.of("b").arguments, ["-n 5", ""]);
        assert_eq!(list.of("b").ignored, ["FAILED: x"]);
        assert_eq!(list.of("c/d").left_out(), Some("a # b"));
        assert_eq!(list.of("z"), Expectation::default());
        assert_eq!(list.strangers(&["a", "c/d"]).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn lines_that_make_no_sense_are_refused_by_number() {
        for (line, problem) in [
            ("a: failed", "x.txt:2: no `  # reason`"),
            ("a failed  # why", "x.txt:2: no `program: what`"),
            ("a: fails  # why", "x.txt:2: `fails` is none of"),
            ("a: failed  #  ", "x.txt:2: the reason is empty"),
        ] {
            let error = Expectations::parse("x.txt", &format!("# list\n{line}\n")).unwrap_err();
            assert!(error.to_string().starts_with(problem), "{error}");
        }
        let twice = "a: failed  # why\na: crashed  # why\n";
        assert!(
            Expectations::parse("x", twice).unwrap_err().to_string().contains("second verdict")
        );
    }

    #[test]
    fn a_list_is_checked_both_ways() {
        let list = "a: failed  # why\nb: ignore FAILED here  # a title\n";
        let list = Expectations::parse("x", list).unwrap();
        let (a, b, c) = (list.of("a"), list.of("b"), list.of("c"));
        assert_eq!(problem(&c, &Verdict::Passed, Some("")), None);
        assert_eq!(problem(&a, &Verdict::Failed(2), Some("")), None);
        assert!(problem(&a, &Verdict::Passed, Some("")).unwrap().contains("failed (why)"));
        assert!(problem(&a, &Verdict::TimedOut, None).is_some());
        assert!(problem(&c, &Verdict::Failed(1), Some("")).is_some());
        assert!(problem(&c, &Verdict::DidNotBuild("x".into()), None).is_some());
        assert_eq!(difference_problem(&a, false), None);
        assert!(difference_problem(&a, true).is_some());
        let differs = Expectation { differs: Some("times".into()), ..Expectation::default() };
        assert_eq!(difference_problem(&differs, true), None);
        assert!(difference_problem(&differs, false).unwrap().contains("times"));
        assert_eq!(problem(&b, &Verdict::Passed, Some("FAILED here")), None);
        assert!(problem(&b, &Verdict::Passed, Some("PASS")).unwrap().contains("FAILED here"));
    }
}
