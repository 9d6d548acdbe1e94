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

/// The kinds of handles, which are numbers in [`zluda_common::handle`]'s tables.
pub(crate) mod kind {
    pub(crate) const CONTEXT: u8 = 1;
    pub(crate) const STREAM: u8 = 2;
    pub(crate) const EVENT: u8 = 3;
    pub(crate) const MODULE: u8 = 4;
    pub(crate) const FUNCTION: u8 = 5;
    pub(crate) const LIBRARY: u8 = 6;
    pub(crate) const KERNEL: u8 = 7;
    pub(crate) const LINK: u8 = 8;
    pub(crate) const POOL: u8 = 9;
    pub(crate) const GRAPH: u8 = 10;
    pub(crate) const GRAPH_NODE: u8 = 11;
    pub(crate) const GRAPH_EXEC: u8 = 12;
    pub(crate) const ARRAY: u8 = 13;
    pub(crate) const MIPMAPPED_ARRAY: u8 = 14;
    pub(crate) const TEXTURE_REFERENCE: u8 = 15;
    pub(crate) const SURFACE_REFERENCE: u8 = 16;
    pub(crate) const USER_OBJECT: u8 = 17;
}
