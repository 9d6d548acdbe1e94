//! The errors of analyses, checks and passes.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The IR breaks the contract of docs/dev/per_thread_ir.md, or a step of ours broke it.
    #[error("{0}")]
    Bug(String),
    /// Compilation ended where it was asked to.
    #[error(transparent)]
    Stopped(#[from] llvm_zluda::Stopped),
    #[error(transparent)]
    Passes(#[from] llvm_zluda::PassError),
}
