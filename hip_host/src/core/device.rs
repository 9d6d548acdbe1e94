//! The device: one for the process, and everything that belongs to it.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use hip_runtime_sys::hipError_t;

use super::array::{Array, Mipmapped};
use super::event::Event;
use super::handle::Handles;
use super::heap::Heap;
use super::memory::Memory;
use super::module::{Kernel, Module};
use super::pool::Pool;
use super::stream::{Stream, Streams};
use super::virtual_memory::{Physical, VirtualMemory};
use crate::work::failure;
use zluda_common::printf;

pub struct Device {
    pub memory: Memory,
    pub virtual_memory: VirtualMemory,
    pub heap: Heap,
    pub limits: Limits,
    pub streams: Streams,
    pub stream_handles: Handles<Stream>,
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
    grids: AtomicU64,
}

/// Limits that programs set.
pub struct Limits {
    stack: AtomicUsize,
    printf: AtomicUsize,
}

impl Limits {
    /// Bytes of stack for each thread.
    #[inline]
    pub fn stack(&self) -> usize {
        self.stack.load(Ordering::Relaxed)
    }

    /// Sets the bytes of stack for each thread.
    pub fn set_stack(&self, bytes: usize) {
        self.stack.store(bytes, Ordering::Relaxed);
    }

    /// The size of the `printf` buffer in bytes, as the program set it; the text of kernels grows as it must.
    pub fn printf(&self) -> usize {
        self.printf.load(Ordering::Relaxed)
    }

    /// Sets the size of the `printf` buffer, in bytes.
    pub fn set_printf(&self, bytes: usize) {
        self.printf.store(bytes, Ordering::Relaxed);
    }
}

static DEVICE: LazyLock<Device> = LazyLock::new(|| {
    zluda_common::log::init_beside();
    // Times count from here.
    crate::work::op::origin();
    Device {
        memory: Memory::default(),
        virtual_memory: VirtualMemory::default(),
        heap: Heap::default(),
        // CUDA's defaults.
        limits: Limits { stack: AtomicUsize::new(1 << 10), printf: AtomicUsize::new(1 << 20) },
        streams: Streams::default(),
        stream_handles: Handles::default(),
        events: Handles::default(),
        modules: Handles::default(),
        kernels: Handles::default(),
        pools: Handles::default(),
        allocations: Handles::default(),
        external_memory: Handles::default(),
        arrays: Handles::default(),
        mipmapped: Handles::default(),
        grids: AtomicU64::new(1),
    }
});

impl Device {
    /// The device of this process.
    #[inline]
    pub fn get() -> &'static Device {
        &DEVICE
    }

    /// The error that a kernel left, which every call returns from then on.
    pub fn error(&self) -> Option<hipError_t> {
        failure::get()
    }

    /// Leaves an error, unless there is one already.
    pub fn set_error(&self, error: hipError_t) {
        failure::set(error);
    }

    /// A number for a launch.
    pub fn new_grid(&self) -> u64 {
        self.grids.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits for all work, shows what kernels printed, and returns the error that they left.
    pub fn synchronize(&self) -> Result<(), hipError_t> {
        self.streams.wait_for_all();
        printf::flush();
        self.error().map_or(Ok(()), Err)
    }

    /// Ends all work, and makes the device as it was in the beginning.
    pub fn reset(&self) {
        let _ = self.synchronize();
        self.stream_handles.retain(|stream| {
            stream.forsake();
            false
        });
        self.events.retain(|_| false);
        self.kernels.retain(|_| false);
        self.modules.retain(|_| false);
        self.pools.retain(|pool| pool.is_default());
        super::texture::end_all();
        self.arrays.retain(|_| false);
        self.mipmapped.retain(|_| false);
        self.memory.reset();
        self.heap.reset();
        failure::clear();
    }
}
