//! Per-thread LLVM IR: what all targets know about it.
//!
//! `ptx/` makes per-thread IR, `spmd/` and the AMD target make code of it. [`intrinsics`] is the table of the functions
//! that it may call, [`parameters`] the layout of what the driver hands to kernels. `docs/dev/per_thread_ir.md` is the whole contract.

pub mod intrinsics;
pub mod parameters;
