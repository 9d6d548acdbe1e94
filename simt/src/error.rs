//! The errors of analyses and checks.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The IR breaks the contract of docs/dev/per_thread_ir.md, or a step of ours broke it.
    #[error("{0}")]
    Bug(String),
    #[error(transparent)]
    Passes(#[from] llvm_zluda::PassError),
}
