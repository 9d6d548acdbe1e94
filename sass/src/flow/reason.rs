//! Why machine code cannot be lifted.

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
