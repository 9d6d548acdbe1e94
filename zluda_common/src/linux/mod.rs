//! This machine as `/proc` and `/sys` of Linux describe it.
//!
//! - [`files`]: reading no more than needed.
//! - [`cgroup`]: which part of the machine this process may use.
//! - [`nodes`]: the memory that this process may have.
//! - [`processes`]: what other processes have loaded.

pub mod cgroup;
pub mod files;
pub mod nodes;
pub mod processes;
