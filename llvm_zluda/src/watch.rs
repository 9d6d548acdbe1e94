//! The passes of a compilation whose results are shown, for `ZLUDA_DEBUG=print=<pass>,stop-after=<pass>`.

/// The passes that are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// The IR after each of these is a line of `pass` in the log, at the level *info*.
    pub print: Vec<String>,
    /// Compilation ends after this one.
    pub stop_after: Option<String>,
}

/// A compilation that ended where it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("compilation stopped after {pass}, as ZLUDA_DEBUG says")]
pub struct Stopped {
    pub pass: &'static str,
    /// The IR after the pass.
    pub text: String,
}

impl Watch {
    /// Whether nobody looks.
    pub fn is_idle(&self) -> bool {
        self.print.is_empty() && self.stop_after.is_none()
    }

    /// All names that are looked for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.print.iter().chain(&self.stop_after).map(String::as_str)
    }

    /// For each pass, when it has run.
    pub fn after(&self, pass: &'static str, show: impl FnOnce() -> String) -> Result<(), Stopped> {
        let prints = self.print.iter().any(|name| name == pass);
        let stops = self.stop_after.as_deref() == Some(pass);
        if !prints && !stops {
            return Ok(());
        }
        let text = show();
        if prints {
            tracing::info!(target: "pass", "after {pass}:\n{text}");
        }
        if stops { Err(Stopped { pass, text }) } else { Ok(()) }
    }
}
