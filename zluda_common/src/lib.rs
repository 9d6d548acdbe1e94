//! What the driver, the CPU device, the compiler and the command line share.
//!
//! - [`config`]: the environment variables, one table.
//! - [`log`]: where log lines go, and lines that appear once.
//! - [`handle`]: tables of generation-checked handles.

pub mod config;
pub mod handle;
pub mod log;
