//! [`Diagnostics`]: what a user reads when PTX does not compile.

use std::fmt;

use llvm_zluda::Stopped;
use ptx_parser::Lines;

pub use ptx_parser::{Error, ErrorKind};

/// How many errors of a module are shown; of the rest it is said how many there are.
const MOST_SHOWN: usize = 100;

/// One or more errors with the text that shows their places. `Display` is what goes into
/// `CU_JIT_ERROR_LOG_BUFFER` and the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    errors: Vec<Error>,
    text: String,
    /// The text of the IR after the last pass, where compilation ended because it was asked to.
    left: Option<String>,
}

impl Diagnostics {
    /// Renders `errors`, of which there is at least one, against the PTX that they point into.
    pub fn new(errors: Vec<Error>, source: &str) -> Self {
        let lines = Lines::new(source);
        let shown = errors.iter().take(MOST_SHOWN).map(|error| error.render_in(&lines));
        let mut text = shown.collect::<Vec<_>>().join("\n");
        let more = errors.len().saturating_sub(MOST_SHOWN);
        if more > 0 {
            text.push_str(&format!("\n{more} more errors\n"));
        }
        Self { errors, text, left: None }
    }

    /// An error of ours that has no place in the source.
    pub(crate) fn bug(function: &str, message: String) -> Self {
        let error = Error::bug(ptx_parser::Span::default(), message).in_function(function);
        let text = format!("{error}\n  in function `{function}`\n");
        Self { errors: vec![error], text, left: None }
    }

    /// The error of a pass, or the end of a compilation that is not to go on.
    pub(crate) fn of_pass(function: &str, error: simt::Error) -> Self {
        match error {
            simt::Error::Stopped(stopped) => Self::stopped(function, stopped),
            error => Self::bug(function, error.to_string()),
        }
    }

    /// The end of a compilation that is not to go on.
    pub(crate) fn stopped(function: &str, stopped: Stopped) -> Self {
        let left = Some(stopped.text.clone());
        Self { left, ..Self::unsupported(function, stopped.to_string()) }
    }

    /// The text of the IR after the pass that compilation was to end after; none unless it ended there.
    pub fn left(&self) -> Option<&str> {
        self.left.as_deref()
    }

    /// Something that is not there yet, without a place in the source.
    pub(crate) fn unsupported(function: &str, message: String) -> Self {
        let error = Error::unsupported(ptx_parser::Span::default(), message).in_function(function);
        let text = format!("{error}\n  in function `{function}`\n");
        Self { errors: vec![error], text, left: None }
    }

    /// All errors, of which there is at least one.
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// The worst kind among the errors: bug, then invalid, then unsupported.
    pub fn kind(&self) -> ErrorKind {
        let has = |kind| self.errors.iter().any(|error| error.kind == kind);
        if has(ErrorKind::Bug) {
            ErrorKind::Bug
        } else if has(ErrorKind::Invalid) {
            ErrorKind::Invalid
        } else {
            ErrorKind::Unsupported
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_errors_the_first_are_shown() {
        let source = "foo;\n".repeat(MOST_SHOWN + 20);
        let errors = |count: u32| {
            let at = |line: u32| ptx_parser::Span { start: 5 * line, end: 5 * line + 3 };
            (0..count).map(|line| Error::invalid(at(line), "unknown")).collect::<Vec<_>>()
        };
        let all = Diagnostics::new(errors(120), &source);
        assert_eq!(all.errors().len(), 120);
        let text = all.to_string();
        assert!(text.contains("line 100, column 1") && !text.contains("line 101,"), "{text}");
        assert!(text.ends_with("\n20 more errors\n"), "{text}");
        assert!(!Diagnostics::new(errors(100), &source).to_string().contains("more errors"));
    }
}
