//! The interface between kernels on AMD GPUs and the driver: structures in memory that both see. The device
//! library has the same in C (`amdgcn/library/*.h`).

pub mod cluster_launch;
pub mod services;
