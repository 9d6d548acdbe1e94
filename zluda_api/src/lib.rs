//! The parts that all libraries share that export one of NVIDIA's APIs, the driver among them.
//!
//! - [`export`]: the layer between exported symbols and what they do.
//! - [`convert`]: arguments from C.
//! - [`driver`]: how a library above the driver asks it for devices and streams, and gives it work.
//! - [`rocm`]: how it finds and calls ROCm's libraries.

pub mod convert;
pub mod driver;
pub mod export;
pub mod rocm;
