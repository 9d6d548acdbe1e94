//! Copies and fills of memory.

pub(crate) mod copy;
pub(crate) mod fill;
