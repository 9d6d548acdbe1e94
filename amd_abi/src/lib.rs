//! What kernels on AMD GPUs and the driver agree on: structures in memory that both see. The device library says the same
//! in C (`amdgcn/library/*.h`).

pub mod cluster_launch;
pub mod services;
pub mod texture_object;
