//! The objects of the device: memory, streams, events, modules, and their rules.

pub mod apart;
pub mod array;
pub mod context;
pub mod copy;
pub mod device;
pub mod event;
pub(crate) mod executor;
pub use simt_abi::texel_format as format;
pub mod handle;
pub mod heap;
pub mod image;
pub mod launch;
pub mod line;
pub mod memory;
pub mod module;
pub mod pool;
pub mod request;
pub mod runner;
pub mod sequence;
pub mod stream;
pub mod tables;
pub mod task;
pub mod texture;
pub mod virtual_memory;
