//! The compiler: PTX to linked objects.
//!
//! - [`Program`]: what a driver uses. Start reading there.
//! - `pipeline`: the order of all passes.
//! - `check`: the rules of the language beyond its syntax.
//! - `passes`: over the tree of a module. A pass is a file.
//! - `lower`: the tree to per-thread LLVM IR (docs/dev/per_thread_ir.md), a file a family of instructions.
//! - [`Linker`]: several modules become one.
//! - `target`: who makes an object of per-thread IR, `spmd` for CPUs or `amdgcn` for AMD GPUs.
//! - [`info`]: what a driver must know of a module without compiling it.

mod architecture;
mod check;
mod diagnostics;
pub mod info;
mod link;
mod lower;
mod options;
mod passes;
mod pipeline;
mod processors;
mod program;
mod system_functions;
mod target;

pub use diagnostics::{Diagnostics, Error, ErrorKind};
pub use info::{
    GlobalLayout, GlobalSpace, GlobalVar, KernelError, KernelInfo, ParamInfo, Relocation,
};
pub use link::{LinkError, Linker, grid_barrier};
pub use llvm_zluda::Watch;
pub use options::{Options, Stage};
pub use pipeline::pass_names;
pub use processors::on_all_processors;
pub use program::{Joined, Program};
/// The version of what code for CPUs and the engine that runs it agree on.
pub use spmd::ABI_VERSION as CPU_ABI_VERSION;
pub use target::{
    Approximations, Blocks, Executor, GPUS, Gpu, Matrices, MatrixUnit, Target, UnknownTarget,
};
