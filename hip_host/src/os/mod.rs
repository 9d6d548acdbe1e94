//! What the operating system does, in a folder for each system:
//!
//! - [`memory`]: addresses and the memory that is there.
//! - [`futex`]: sleeping on a word of memory until somebody changes it.
//! - [`signal`]: faults of code on stacks of this library's.
//! - [`stack`]: stacks of kernels.
//! - [`copied`]: copies of memory that may not be there.
//! - [`backing_file`] and [`shared_table`]: memory and events that other processes can have.
//! - [`machine`]: processors and memory.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
