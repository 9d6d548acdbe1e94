//! An emulated AMD GPU: HIP's C ABI on this machine, with code objects executed instruction by instruction.
//!
//! Memory, streams and threads are hip_host's; its exported functions are this library's too. `ZLUDA_DEVICE`
//! names the GPU.
//!
//! - [`executor`]: what hip_host calls; [`launch`]: a launch, its arguments and workgroups.
//! - [`bundle`]: code objects of several GPUs in one piece.
//! - [`object`]: code objects; [`decode`]: their instructions, through LLVM's disassembler.
//! - [`machine`]: waves, registers and memory.
//! - [`isa`]: what instructions mean, on plain values: no registers, no memory.

pub mod arch;
mod bundle;
mod decode;
mod executor;
pub mod isa;
mod launch;
mod machine;
mod object;

pub use executor::emulate;
pub use hip_host::api;
