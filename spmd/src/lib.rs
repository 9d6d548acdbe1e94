//! Per-thread LLVM IR to code for x86-64 CPUs.
//!
//! Start with [`compile_object`]. [`KernelKind::Vector`] makes 32-lane vector code, one call a block
//! (`vectorize`); [`KernelKind::Reference`] makes scalar code, one coroutine a thread (`reference`), the
//! yardstick that every vector result has to equal. `docs/dev/per_thread_ir.md` is what comes in, the crate
//! `cpu_abi` what goes out.

mod addresses;
mod clusters;
mod compile;
mod cut;
mod descriptor;
mod displacements;
mod emit;
mod emulated;
mod float_atomics;
mod groups;
mod masked_loads;
mod options;
mod outlined;
mod processor;
mod reference;
mod regions;
mod rows;
mod sections;
mod shared;
mod strips;
mod vectorize;

pub use compile::{DATA_LAYOUT, Form, PASSES, TRIPLE, compile_assembly, compile_object, lower};
pub use cpu_abi::{ABI_VERSION, KernelKind};
pub use options::{Error, Options};
pub use simt::{Approximations, Blocks};
