//! Linux.

pub mod jolt;
pub mod library;
