//! The parts that the driver, the CPU device, the compiler and the command line share.
//!
//! - [`config`]: the environment variables, one table.
//! - [`log`]: where log lines go, and lines that appear once.
//! - [`handle`]: tables of generation-checked handles.
//! - [`printf`]: what kernels print.

pub mod config;
pub mod handle;
pub mod log;
#[cfg(target_os = "linux")]
pub mod printf;
