//! The HIP C ABI in memory of this machine, whatever runs the kernels.
//!
//! - [`api`]: the exported functions: they check arguments and call `core`.
//! - [`core`]: memory, streams, events, arrays and modules.
//! - [`work`]: the order of work, and the threads that do it.
//! - [`os`]: what the operating system does.
//! - [`guard`]: code whose faults end it instead of the process.
//! - [`pieces`]: accesses of memory that nobody sees half of.
//! - [`ranges`]: ranges that are free.
//! - [`executor`]: the seam to what loads modules and runs kernels.
//!
//! A library that is a HIP device links this one, whose functions it exports, and brings an executor.

#[cfg(not(all(any(target_os = "linux", windows), target_arch = "x86_64")))]
compile_error!("the host is known as Linux or Windows on x86-64 only");

pub mod api;
pub mod core;
pub mod executor;
pub mod guard;
pub mod os;
pub mod pieces;
pub mod ranges;
pub mod work;
