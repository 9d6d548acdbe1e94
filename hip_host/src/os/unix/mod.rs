//! Linux.

pub mod backing_file;
pub mod copied;
pub mod futex;
pub mod machine;
pub mod memory;
pub mod shared_table;
pub mod signal;
pub mod stack;
