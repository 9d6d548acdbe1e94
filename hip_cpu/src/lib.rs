//! HIP on this machine's processor: hip_host, whose functions this library exports, with an executor of x86-64 code.
//!
//! - [`native`]: the executor: modules of x86-64 code, which are ELF shared objects that the compiler made. `cpu_abi`
//!   says what is in them.
//! - [`engine`]: how threads run the blocks of a launch, and what kernels can call.
//! - [`os`]: what the operating system does.
//! - [`device_runtime`]: what the driver gives the engine.

#[cfg(not(all(any(target_os = "linux", windows), target_arch = "x86_64")))]
compile_error!("the engine knows Linux and Windows on x86-64 only");

pub use hip_host::api;

mod device_runtime;
mod engine;
mod native;
mod os;
