//! The answers that are right.

use crate::Kind;
use std::collections::{BTreeMap, BTreeSet};

pub struct Answer {
    pub function: &'static str,
    /// The parameter, the name of its wrong value, and what is wrong; or what is wrong with all of them.
    pub case: String,
    pub code: u32,
}

const INVALID_VALUE: u32 = 1;
const NOT_INITIALIZED: u32 = 3;
const INVALID_DEVICE: u32 = 101;
const INVALID_CONTEXT: u32 = 201;
const INVALID_HANDLE: u32 = 400;
const CONTEXT_IS_DESTROYED: u32 = 709;
const UNKNOWN: u32 = 999;

/// Codes that the documentation names for all functions, or by which NVIDIA's driver answers to a wrong
/// handle whatever the documentation of the function names.
const GENERAL: [u32; 4] = [INVALID_VALUE, INVALID_CONTEXT, INVALID_HANDLE, CONTEXT_IS_DESTROYED];

/// What a kernel leaves behind.
const OF_KERNELS: [u32; 2] = [700, 719];
const NOT_READY: u32 = 600;
/// What has to do with the capture of streams.
const CAPTURE_FIRST: u32 = 900;
const CAPTURE_LAST: u32 = 908;

pub struct Rules {
    documented: BTreeMap<&'static str, Vec<u32>>,
    /// By function and case.
    exceptions: BTreeMap<(&'static str, &'static str), u32>,
}

/// The lines of a file without comments, each cut at its first colon.
fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(|line| line.split_once(':').unwrap_or_else(|| panic!("no colon: {line}")))
}

/// The function that a variant for streams of each thread belongs to.
fn without_variant(function: &str) -> &str {
    function.trim_end_matches("_ptds").trim_end_matches("_ptsz")
}

impl Rules {
    pub fn read() -> Rules {
        let numbers = |text: &'static str| {
            text.split_whitespace().map(|code| code.parse().unwrap()).collect()
        };
        Rules {
            documented: lines(include_str!("documented.txt"))
                .map(|(function, codes)| (function, numbers(codes)))
                .collect(),
            exceptions: lines(include_str!("exceptions.txt"))
                .map(|(case, code)| {
                    (case.split_once(' ').expect("function and case"), code.trim().parse().unwrap())
                })
                .collect(),
        }
    }

    /// The documented codes of a function, or of the nearest version of it that is documented.
    fn codes(&self, function: &str) -> Option<&Vec<u32>> {
        let function = without_variant(function);
        let (stem, _) = function.split_once("_v").unwrap_or((function, ""));
        let versions = [stem.to_owned(), format!("{stem}_v2"), format!("{stem}_v4")];
        std::iter::once(function)
            .chain(versions.iter().map(String::as_str))
            .find_map(|name| self.documented.get(name))
    }

    /// Whether a call may answer so when anything may be wrong, and other threads do anything.
    pub fn allow(&self, function: &str, code: u32) -> bool {
        let of_streams = (CAPTURE_FIRST..=CAPTURE_LAST).contains(&code) || code == NOT_READY;
        let is_named = self.codes(function).is_some_and(|known| known.contains(&code));
        let is_exception = |(key, known): (&(&str, &str), &u32)| {
            without_variant(key.0) == without_variant(function) && *known == code
        };
        code != UNKNOWN
            && (is_named
                || of_streams
                || GENERAL.contains(&code)
                || OF_KERNELS.contains(&code)
                || self.exceptions.iter().any(is_exception))
    }

    /// Whether the rules for all functions are kept.
    fn is_regular(&self, answer: &Answer) -> bool {
        let code = answer.code;
        let documented = || {
            GENERAL.contains(&code)
                || self.codes(answer.function).is_some_and(|known| known.contains(&code))
        };
        // No function may be at a loss, even where the documentation allows it.
        if code == UNKNOWN {
            return false;
        }
        let kind = answer.case.rsplit(' ').next().unwrap_or_default();
        let is = |other: Kind| kind == format!("{other:?}");
        if kind == "right" {
            // Else the wrong arguments were not what is wrong with the other calls.
            code == 0
        } else if kind == "uninitialized" {
            code == NOT_INITIALIZED
        } else if kind == "contextless" || kind == "zero" {
            code != 0 && documented()
        } else if is(Kind::WrongDevice) {
            code == INVALID_DEVICE
        } else if is(Kind::NullPointer) {
            code == INVALID_VALUE
        } else if is(Kind::WrongHandle) || is(Kind::NullHandle) {
            GENERAL.contains(&code)
        } else {
            documented()
        }
    }

    /// Everything that is not as it should be, of the functions that are asked.
    pub fn check(&self, answers: &[Answer], is_asked: impl Fn(&str) -> bool) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut used = BTreeSet::new();
        for answer in answers {
            // A line of its own, or that of the function that it is a variant of.
            let exact = (answer.function, answer.case.as_str());
            let key = match self.exceptions.contains_key(&exact) {
                true => exact,
                false => (without_variant(answer.function), exact.1),
            };
            let line = format!("{} {}: {}", answer.function, answer.case, answer.code);
            let exception = self.exceptions.get(&key);
            if exception.is_some() {
                used.insert(key);
            }
            match (exception, self.is_regular(answer)) {
                // A variant need not be an exception where its function is one.
                (Some(_), true) if key.0 != answer.function => {}
                (Some(_), true) => wrong.push(format!("{line}  # regular: leaves the list")),
                (Some(code), false) if *code != answer.code => {
                    wrong.push(format!("{line}  # the list says {code}"));
                }
                (None, false) => wrong.push(line),
                _ => {}
            }
        }
        let unused = self.exceptions.keys().filter(|key| !used.contains(*key));
        for (function, case) in unused.filter(|key| is_asked(key.0)) {
            wrong.push(format!("{function} {case}: is listed, but was not asked"));
        }
        wrong.sort();
        wrong
    }
}
