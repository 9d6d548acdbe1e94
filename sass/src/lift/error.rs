//! Why machine code cannot be lifted, and where.

use std::fmt::{self, Display, Formatter};

/// What is wrong with an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Right, and not known here.
    Unsupported(String),
    /// Against the rules of machine code.
    Invalid(String),
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "unsupported: {what}"),
            Self::Invalid(what) => write!(f, "invalid: {what}"),
        }
    }
}

/// A kernel that cannot be lifted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{section}+{address:#x} `{instruction}`: {reason}")]
pub struct Error {
    /// The section of code.
    pub section: String,
    pub address: u64,
    /// The instruction's text; empty where it could not be decoded.
    pub instruction: String,
    pub reason: Reason,
}
