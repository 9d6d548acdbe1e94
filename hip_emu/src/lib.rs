//! An emulated AMD GPU: HIP's C ABI on this machine, with code objects executed instruction by instruction.
//!
//! - [`isa`]: what instructions mean, on plain values: no registers, no memory.

pub mod isa;
