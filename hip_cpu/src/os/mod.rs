//! What the operating system does, in a folder for each system:
//!
//! - [`library`]: loading compiled code.
//! - [`jolt`]: stopping threads that run kernels, for `ZLUDA_CHAOS`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
