//! The options of callers, and the errors.

use llvm_zluda::Watch;
use simt::{Approximations, Blocks};

/// Options for compiling a kernel for a CPU.
#[derive(Clone, Debug)]
pub struct Options {
    /// The launches that the code is for.
    pub blocks: Blocks,
    /// A processor in LLVM's spelling, such as `znver3` or `x86-64-v3`.
    pub cpu: String,
    /// Processor features in LLVM's spelling, such as `+avx2,-avx512f`.
    pub features: String,
    pub approximations: Approximations,
    /// Threads of a warp keep step, and read once what all of them read at one address: the kernel is for GPUs that had no other
    /// way. Vector code keeps step by itself.
    pub in_step: bool,
    /// Warps may return where they wait for others; else the engine has a coroutine for each.
    pub returns: bool,
    /// Warps that may return go through loops together.
    pub jams: bool,
    /// Checks the IR after every step. Tests do; it costs about a third of the time.
    pub verify: bool,
    /// The passes whose results are shown.
    pub watch: Watch,
}

impl Options {
    /// For the processor that this process runs on.
    pub fn host(blocks: Blocks) -> Self {
        Self {
            blocks,
            cpu: llvm_zluda::host_cpu(),
            features: llvm_zluda::host_features(),
            approximations: Approximations::default(),
            in_step: false,
            returns: true,
            jams: true,
            verify: cfg!(debug_assertions),
            watch: Watch::default(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel uses something that this target does not do yet.
    #[error("{0} is not supported on the CPU")]
    Unsupported(String),
    /// The IR breaks the contract of docs/dev/per_thread_ir.md, or a step of ours broke it.
    #[error("{0}")]
    Bug(String),
    #[error(transparent)]
    Simt(#[from] simt::Error),
    #[error(transparent)]
    Target(#[from] llvm_zluda::TargetError),
    #[error(transparent)]
    Link(#[from] llvm_zluda::LinkError),
}

impl From<llvm_zluda::PassError> for Error {
    fn from(error: llvm_zluda::PassError) -> Self {
        Error::Simt(error.into())
    }
}
