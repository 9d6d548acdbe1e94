//! What all devices have in common: the memory, by address, and the objects, by handle.

use std::sync::LazyLock;

use super::array::{Array, Mipmapped};
use super::context::Context;
use super::event::Event;
use super::handle::Handles;
use super::memory::Memory;
use super::module::{Kernel, Module};
use super::pool::Pool;
use super::stream::Stream;
use super::virtual_memory::{Physical, VirtualMemory};

#[derive(Default)]
pub struct Tables {
    pub memory: Memory,
    pub virtual_memory: VirtualMemory,
    pub contexts: Handles<&'static Context>,
    pub streams: Handles<Stream>,
    pub events: Handles<Event>,
    pub modules: Handles<Module>,
    pub kernels: Handles<Kernel>,
    pub pools: Handles<Pool>,
    /// Memory without an address, which outlives a reset of the device.
    pub allocations: Handles<Physical>,
    /// `hipExternalMemory_t`
    pub external_memory: Handles<Physical>,
    pub arrays: Handles<Array>,
    pub mipmapped: Handles<Mipmapped>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::default);

/// The tables of this process.
#[inline]
pub fn tables() -> &'static Tables {
    &TABLES
}
