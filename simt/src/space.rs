//! Address spaces, by the numbers of LLVM's AMDGPU backend.

pub const GENERIC: u32 = 0;
pub const GLOBAL: u32 = 1;
pub const SHARED: u32 = 3;
pub const CONSTANT: u32 = 4;
pub const LOCAL: u32 = 5;
