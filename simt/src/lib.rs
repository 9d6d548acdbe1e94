//! Per-thread LLVM IR: what all targets know about it.
//!
//! `ptx/` makes per-thread IR, `spmd/` and `amdgcn/` make code of it. [`intrinsics`] is the table of the functions
//! that it may call, [`parameters`] the layout of what the driver hands to kernels; [`analysis`] finds out where threads
//! of a warp go together, and [`math`] is PTX's approximate functions as arithmetic. [`passes`] runs the pipelines of all
//! three. `docs/dev/per_thread_ir.md` is the whole contract.

pub mod analysis;
mod error;
pub mod intrinsics;
mod kernel;
pub mod math;
mod options;
pub mod parameters;
pub mod passes;
pub mod shortcuts;
pub mod space;
pub mod span;

pub use error::Error;
pub use kernel::{Kernel, find_kernel};
pub use options::{Approximations, Blocks};

/// Threads of a warp.
pub const LANES: u32 = 32;
