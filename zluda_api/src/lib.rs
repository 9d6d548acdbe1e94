//! What all libraries that export one of NVIDIA's APIs share, the driver among them.
//!
//! - [`export`]: the layer between exported symbols and what they do.
//! - [`convert`]: arguments from C.

pub mod convert;
pub mod export;
