//! The driver API as a library loaded at run time, shared by the programs of this package.

// Test programs stop by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

pub mod api;
pub mod assembler;
pub mod child;
pub mod view;
