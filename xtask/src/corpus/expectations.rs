//! The results of a collection's programs where they do not simply pass: `tests/corpus/<collection>.txt`.
//!
//! A line is `program: what  # reason`, where `what` is
//!
//! - a word of a verdict: `failed`, `crashed`, `wrong result`, `timed out`, `did not build`;
//! - `left out`: the program is neither built nor run;
//! - `differs`: with `--compare`, its outputs are not the same everywhere;
//! - `run ARGUMENTS`: its arguments instead of the collection's; several lines are several runs;
//! - `devices N`: it runs with so many devices (`ZLUDA_DEVICES`);
//! - `ignore TEXT`: lines of its output with this text say nothing about the result;
//! - `case NAME`: of its cases this one fails; the program is told and holds them against what it finds.
//!
//! - `source COMMAND`: each file of this name is a program, which this line of a shell builds;
//! - `variants COMMAND`: each word that this line of a shell writes about such a file is one more program of it,
//!   `file@word`;
//! - `setup COMMAND`: under the name `*`, a line that runs once before programs are built.
//!
//! `program` may be a glob ([`Pattern`]). Of several lines with another verdict, other arguments or another command for a
//! program, the last one counts.
//!
//! The list is checked both ways: what it says has to be so.

use crate::Result;
use crate::corpus::pattern::Pattern;
use crate::corpus::verdict::Verdict;

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
    /// The number of devices that it runs with, and why.
    pub devices: Option<(u32, String)>,
    pub ignored: Vec<String>,
    /// Those of them that the program has to say: the list has them for it alone.
    pub said: Vec<String>,
    /// The cases that fail, and why.
    pub cases: Vec<(String, String)>,
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
        let devices = self
            .devices
            .as_ref()
            .map(|(count, reason)| format!("run with {count} devices: {reason}"));
        let cases = self.cases.iter().map(|(case, reason)| format!("`{case}` fails: {reason}"));
        let all = verdict.into_iter().chain(arguments).chain(devices).chain(self.differs.clone());
        all.chain(cases).collect()
    }

    /// Adds the lines of another name that stands for the program too, and comes later in the list.
    fn extend(&mut self, later: &Self) {
        if later.verdict.is_some() {
            self.verdict.clone_from(&later.verdict);
        }
        if later.differs.is_some() {
            self.differs.clone_from(&later.differs);
        }
        if later.arguments_reason.is_some() {
            self.arguments.clone_from(&later.arguments);
            self.arguments_reason.clone_from(&later.arguments_reason);
        }
        if later.devices.is_some() {
            self.devices.clone_from(&later.devices);
        }
        self.ignored.extend_from_slice(&later.ignored);
        self.said.extend_from_slice(&later.said);
        self.cases.extend_from_slice(&later.cases);
    }

    /// The reason why the program is not built, if it is not.
    pub fn left_out(&self) -> Option<&str> {
        let (word, reason) = self.verdict.as_ref()?;
        (word == "left out").then_some(reason)
    }
}

/// Files that are programs, and how they are built, or which programs else they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub files: Pattern,
    /// A line for a shell.
    pub command: String,
}

#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// In the list's order.
    programs: Vec<(Pattern, Expectation)>,
    /// In the list's order. Where there are some, no other programs are looked for.
    pub rules: Vec<Rule>,
    /// What says which files are several programs, in the list's order.
    pub variants: Vec<Rule>,
    /// Lines for a shell that run before programs are built.
    pub setup: Vec<String>,
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
        let name = Pattern::parse(program.trim())?;
        if let Some(command) = what.strip_prefix("source ") {
            self.rules.push(Rule { files: name, command: command.to_owned() });
            return Ok(());
        }
        if let Some(command) = what.strip_prefix("variants ") {
            self.variants.push(Rule { files: name, command: command.to_owned() });
            return Ok(());
        }
        if let Some(command) = what.strip_prefix("setup ") {
            if name.text() != "*" {
                return Err(format!("`setup` is for all programs, not for {program}"));
            }
            self.setup.push(command.to_owned());
            return Ok(());
        }
        let expectation = self.entry(name.clone());
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
        } else if let Some(count) = what.strip_prefix("devices ") {
            let count = count.parse().map_err(|_| format!("`{count}` is no number of devices"))?;
            expectation.devices = Some((count, reason));
        } else if let Some(case) = what.strip_prefix("case ") {
            expectation.cases.push((case.to_owned(), reason));
        } else if let Some(text) = what.strip_prefix("ignore ") {
            expectation.ignored.push(text.to_owned());
            if matches!(name, Pattern::Name(_)) {
                expectation.said.push(text.to_owned());
            }
        } else {
            return Err(format!(
                "`{what}` is none of {}, differs, run, devices, ignore, case, source, variants, setup",
                VERDICTS.join(", ")
            ));
        }
        Ok(())
    }

    fn entry(&mut self, name: Pattern) -> &mut Expectation {
        let at = self.programs.iter().position(|(known, _)| *known == name);
        let at = at.unwrap_or_else(|| {
            self.programs.push((name, Expectation::default()));
            self.programs.len() - 1
        });
        &mut self.programs[at].1
    }

    /// The lines about this program; none of them where it is expected to pass.
    pub fn of(&self, program: &str) -> Expectation {
        let mut all = Expectation::default();
        for (_, lines) in self.programs.iter().filter(|(name, _)| name.matches(program)) {
            all.extend(lines);
        }
        all
    }

    /// Programs of the list that the checkout does not have.
    pub fn strangers<'a>(&'a self, programs: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let names = self.programs.iter().map(|(name, _)| name);
        let rules = self.rules.iter().chain(&self.variants);
        let names = names.chain(rules.map(|rule| &rule.files));
        names
            .filter(|name| !programs.iter().any(|program| name.matches(program)))
            .map(Pattern::text)
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
    let unused = expected.said.iter().find(|text| !output.contains(text.as_str()))?;
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
                    b: ignore FAILED: x  # a title\nc/d: left out  # a # b\na: differs  # times\n\
                    d: case T::one[a b]  # why\nd: devices 2  # sends\n";
        let list = Expectations::parse("x", text).unwrap();
        assert_eq!(list.of("a").verdict, Some(("failed".into(), "needs two GPUs".into())));
        assert_eq!(list.of("a").differs.as_deref(), Some("times"));
        assert_eq!(list.of("b").arguments, ["-n 5", ""]);
        assert_eq!(list.of("b").ignored, ["FAILED: x"]);
        assert_eq!(list.of("c/d").left_out(), Some("a # b"));
        assert_eq!(list.of("d").cases, [("T::one[a b]".to_owned(), "why".to_owned())]);
        assert_eq!(list.of("d").devices, Some((2, "sends".to_owned())));
        assert_eq!(
            list.of("d").reasons(),
            ["run with 2 devices: sends", "`T::one[a b]` fails: why"]
        );
        assert_eq!(list.of("z"), Expectation::default());
        assert_eq!(list.strangers(&["a", "c/d", "d"]).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn later_lines_count_where_several_names_stand_for_a_program() {
        let text = "a/**: left out  # all\na/*: failed  # here\na/**: run 1  # fewer\na/b: run 2  # more\n\
                    a/*: ignore x  # all say it\na/b: ignore y  # it says so\nc/*: failed  # none\n\
                    a/*.cu: source nvcc $source  # sources\n*: setup make -C x  # a library\n";
        let list = Expectations::parse("x", text).unwrap();
        assert_eq!(list.of("a/c/d").left_out(), Some("all"));
        let b = list.of("a/b");
        assert_eq!((b.word(), b.arguments.as_slice()), ("failed", ["2".to_owned()].as_slice()));
        assert_eq!(b.ignored, ["x", "y"]);
        assert_eq!(problem(&b, &Verdict::Failed(1), Some("y")), None);
        assert!(problem(&b, &Verdict::Failed(1), Some("x")).unwrap().contains("`y`"));
        assert_eq!(list.of("a/d").arguments, ["1"]);
        let rule =
            Rule { files: Pattern::parse("a/*.cu").unwrap(), command: "nvcc $source".into() };
        assert_eq!(
            (list.rules.as_slice(), list.setup.as_slice()),
            ([rule].as_slice(), ["make -C x".to_owned()].as_slice())
        );
        assert_eq!(list.strangers(&["a/b", "a/c/d"]).collect::<Vec<_>>(), ["c/*", "a/*.cu"]);
    }

    #[test]
    fn lines_that_make_no_sense_are_refused_by_number() {
        for (line, problem) in [
            ("a: failed", "x.txt:2: no `  # reason`"),
            ("a failed  # why", "x.txt:2: no `program: what`"),
            ("a: fails  # why", "x.txt:2: `fails` is none of"),
            ("a: failed  #  ", "x.txt:2: the reason is empty"),
            ("a**: failed  # why", "x.txt:2: `a**`: "),
            ("a: setup make  # why", "x.txt:2: `setup` is for all programs"),
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
