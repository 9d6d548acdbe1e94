//! The driver itself: the meaning of the API's objects, on top of the HIP function table.

pub(crate) mod backends;
pub(crate) mod capture;
pub(crate) mod compile;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod graph;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod stream;
pub(crate) mod texture;
pub(crate) mod transfer;
