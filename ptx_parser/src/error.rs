//! Errors with a place, and their rendering.

use std::fmt;

use crate::span::{Lines, Span};

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// PTX that this implementation does not know yet.
    Unsupported,
    /// PTX that breaks the language's rules.
    Invalid,
    /// A mistake of this implementation.
    Bug,
}

impl ErrorKind {
    /// The word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Bug => "bug",
        }
    }
}

/// One error. `Display` gives kind and message; [`Error::render`] adds the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub span: Span,
    /// The kernel or function that holds it; none at module scope.
    pub function: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.kind.name(), self.message)
    }
}

impl Error {
    /// An error outside of functions, or in one that is not known yet.
    pub fn new(kind: ErrorKind, span: Span, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), span, function: None }
    }

    /// An error in PTX that breaks the language's rules.
    pub fn invalid(span: Span, message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Invalid, span, message)
    }

    /// An error in PTX that this implementation does not know yet.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unsupported, span, message)
    }

    /// An error that is this implementation's mistake.
    pub fn bug(span: Span, message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Bug, span, message)
    }

    /// The same error, said to be in `function`.
    pub fn in_function(mut self, function: &str) -> Self {
        self.function = Some(function.to_owned());
        self
    }

    /// The error with its line of `source` and a caret, as a user reads it:
    ///
    /// ```text
    /// error[unsupported]: unknown instruction `foo`
    ///   --> kernel `k`, line 7, column 5
    ///    |
    ///  7 |     foo.u32 %r1;
    ///    |     ^^^^^^^
    /// ```
    pub fn render(&self, source: &str) -> String {
        self.render_in(&Lines::new(source))
    }

    /// The same, for who renders several.
    pub fn render_in(&self, lines: &Lines<'_>) -> String {
        use fmt::Write;
        let (line, column) = lines.line_column(self.span.start);
        let text = lines.text(line);
        let text = if text.len() > 400 { "" } else { text };
        let width = (self.span.end.saturating_sub(self.span.start) as usize)
            .clamp(1, (text.len() + 1).saturating_sub(column).max(1));
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let mut out = format!("{self}\n {margin}--> ");
        if let Some(function) = &self.function {
            let _ = write!(out, "function `{function}`, ");
        }
        let _ = writeln!(out, "line {line}, column {column}");
        if !text.is_empty() {
            let indent: String =
                text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let _ = writeln!(out, " {margin} |");
            let _ = writeln!(out, " {number} | {text}");
            let _ = writeln!(out, " {margin} | {indent}{}", "^".repeat(width));
        }
        out
    }
}
