//! The DLL that `zluda run` puts into processes: whoever loads NVIDIA's driver by any name or path gets ours, and child
//! processes get this DLL, too.
//!
//! - [`hooks`]: the functions of Windows that do something else.
//! - [`names`]: which DLL a program means.

#[cfg(windows)]
mod hooks;
#[cfg(windows)]
mod names;
