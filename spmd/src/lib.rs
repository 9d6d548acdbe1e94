//! Per-thread LLVM IR to code for x86-64 CPUs.
//!
//! Start with [`compile_object`]; `pipeline` is the table of its passes. [`KernelKind::Vector`] makes 32-lane vector code, one call a block
//! (`vectorize`); [`KernelKind::Reference`] makes scalar code, one coroutine a thread (`reference`), the
//! yardstick that every vector result has to equal. `docs/dev/per_thread_ir.md` is what comes in, the crate
//! `cpu_abi` what goes out.

mod block_run;
mod compile;
mod descriptor;
mod emit;
mod entry;
mod float_atomics;
mod groups;
mod local_memory;
mod options;
mod passes;
mod pipeline;
mod processor;
mod reference;
mod round;
mod rows;
mod runtime_helpers;
mod shortcut_vectors;
mod stack_sizes;
mod unflushed;
mod vectorize;

pub use compile::{DATA_LAYOUT, TRIPLE, compile_assembly, compile_object, lower, run_pass};
pub use cpu_abi::{ABI_VERSION, KernelKind};
pub use options::{Error, Options};
pub use pipeline::pass_names;
pub use simt::{Approximations, Blocks};
