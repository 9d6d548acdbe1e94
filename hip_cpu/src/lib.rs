//! The HIP C ABI on this machine's processor.
//!
//! - [`api`]: the exported functions: they check arguments and call `core`.
//! - [`core`]: memory, streams, events and modules, and the order of work.
//! - [`engine`]: the threads that run kernels, and what kernels can call.
//! - [`executor`]: the seam between those and what loads modules.
//!
//! A kernel is an x86-64 shared object that the compiler made, `cpu_abi` says what is in it; or what another
//! executor takes.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the engine knows Linux on x86-64 only");

pub mod api;
mod core;
mod engine;
pub mod executor;
