//! Where machine code cannot be lifted, and why.

pub use crate::flow::Reason;

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
