//! Per-thread LLVM IR to code objects for AMD GPUs.
//!
//! Start with [`Machine`]; `pipeline` is the table of its passes. The `zluda.` intrinsics are functions of a prelude in
//! LLVM IR (`prelude/`) and of a device library in C (`library/`), which are linked to the kernel's module. What neither
//! has is refused at its place. `docs/dev/per_thread_ir.md` is what comes in, `docs/dev/amd.md` says what goes out.

mod code_object;
mod compile;
mod gpu;
mod intrinsics;
mod library;
mod options;
mod passes;
mod pipeline;
mod refuse;

pub use code_object::{Relocatable, link};
pub use compile::Machine;
pub use gpu::{GPUS, Gpu, MatrixUnit};
pub use intrinsics::OWN;
pub use options::{Error, Matrices, Options, Refusal};
pub use pipeline::pass_names;
pub use simt::{Approximations, Blocks};
