//! Windows.

pub mod jolt;
pub mod library;
