//! NVML for the devices that the driver runs programs on.
//!
//! - [`backend`]: what a device says of itself while it works, without any of NVML's types.

pub mod backend;
