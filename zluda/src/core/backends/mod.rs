//! The backends of devices: an implementation of [`Backend`](crate::core::device::backend::Backend) for each
//! kind.

pub(crate) mod amd;
pub(crate) mod cpu;
