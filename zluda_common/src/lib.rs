//! The parts that the driver, the CPU device, the compiler and the command line share.
//!
//! - [`c_path`]: paths as C programs give them.
//! - [`config`]: the environment variables, one table.
//! - [`linux`]: this machine as Linux describes it.
//! - [`log`]: where log lines go, and lines that appear once.
//! - [`handle`]: tables of generation-checked handles.
//! - [`own_file`]: the library that holds this code, and its folder.
//! - [`pci`]: addresses of PCI devices.
//! - [`printf`]: what kernels print.
//! - [`program_memory`]: accesses of memory that the program may change meanwhile.

pub mod c_path;
pub mod config;
pub mod handle;
#[cfg(target_os = "linux")]
pub mod linux;
pub mod log;
pub mod own_file;
pub mod pci;
#[cfg(any(target_os = "linux", windows))]
pub mod printf;
pub mod program_memory;
