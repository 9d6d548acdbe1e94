//! The options of callers, and the errors.

use std::ops::Range;

use llvm_zluda::Watch;
use simt::{Approximations, Blocks};

/// Options for compiling a kernel for an AMD GPU.
#[derive(Clone, Debug)]
pub struct Options {
    /// The launches that the code is for.
    pub blocks: Blocks,
    /// The launches are in clusters of several blocks: behind the parameters such kernels find an
    /// [`amd_abi::cluster_launch::ClusterLaunch`].
    pub clusters: bool,
    pub matrices: Matrices,
    pub approximations: Approximations,
    /// Checks the IR after every step.
    pub verify: bool,
    /// The passes whose results are shown.
    pub watch: Watch,
}

/// The way in which floats of matrices are multiplied on GPUs that have instructions for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Matrices {
    /// With the bits of an NVIDIA GPU.
    #[default]
    Exact,
    /// By these instructions, which round differently.
    Fast,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the GPU {0}; there are: {names}", names = crate::Gpu::names())]
    UnknownGpu(String),
    /// The kernel uses what this target does not do yet.
    #[error("{} instructions have no code", .0.len())]
    Refused(Vec<Refusal>),
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

/// An instruction of the PTX that has no code on the GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub message: String,
    /// The kernel or function that has it.
    pub function: String,
    /// Its bytes of the PTX, if they are known.
    pub span: Option<Range<u32>>,
}
