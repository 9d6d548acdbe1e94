//! [`Diagnostics`]: what a user reads when PTX does not compile.

use std::fmt;

use llvm_zluda::Stopped;

pub use ptx_parser::{Error, ErrorKind};

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
        let text = errors.iter().map(|error| error.render(source)).collect::<Vec<_>>().join("\n");
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
