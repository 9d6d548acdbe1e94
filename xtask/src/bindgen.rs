//! The generators of kept files.

pub mod cuda;
pub mod hip;
