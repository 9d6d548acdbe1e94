//! The functions by subject, in the order of NVML's manual. Each gets arguments that have been converted and a library that
//! is initialised.

// The names are NVML's.
#![allow(non_snake_case)]

pub(crate) mod absent;
pub(crate) mod affinity;
pub(crate) mod clocks;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod handles;
pub(crate) mod identity;
pub(crate) mod init;
pub(crate) mod load;
pub(crate) mod memory;
pub(crate) mod pcie;
pub(crate) mod power;
pub(crate) mod processes;
pub(crate) mod settings;
pub(crate) mod system;
pub(crate) mod system_events;
pub(crate) mod temperature;
pub(crate) mod topology;
pub(crate) mod versions;
