//! Memory that nodes of graphs allocate and free. Its address is known when the node is made, and its place is kept
//! from then on; whether it is there changes when launches put such nodes into streams.

use crate::core::context::Current;
use crate::core::memory::{self, Allocation, Kind};
use cuda_types::cuda::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUdevice, CUerror, CUmemAllocationType, CUmemPoolProps, CUres,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[derive(Debug)]
pub(crate) struct Memory {
    allocation: Arc<Allocation>,
    properties: Properties,
    bytes: usize,
}

/// The properties of the memory that a program asked for.
#[derive(Clone, Copy, Debug)]
struct Properties(CUmemPoolProps);

// SAFETY: the pointer in it is null: there are no security attributes here.
unsafe impl Send for Properties {}
// SAFETY: as above.
unsafe impl Sync for Properties {}

/// Bytes of a device's graphs. What is freed counts as used until somebody trims it, as on an H100.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    allocated: u64,
    pub(crate) used: u64,
    pub(crate) used_high: u64,
    pub(crate) reserved_high: u64,
}

impl Usage {
    /// Counts what has been freed as used no more.
    pub(crate) fn trim(&mut self) {
        self.used = self.allocated;
    }
}

static USAGE: Mutex<Option<HashMap<CUdevice, Usage>>> = Mutex::new(None);

/// Looks at what a device's graphs use, or changes it.
pub(crate) fn with_usage<R>(device: CUdevice, change: impl FnOnce(&mut Usage) -> R) -> R {
    change(USAGE.lock().get_or_insert_default().entry(device).or_default())
}

impl Memory {
    /// Reserves the memory of a node, which is not there before the node has run; `bytes` is its size. It is managed
    /// memory where the properties say so, a device's otherwise.
    pub(crate) fn new(
        current: &Current,
        bytes: usize,
        properties: CUmemPoolProps,
    ) -> CUres<Memory> {
        let allocation = match properties.allocType {
            CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED => {
                memory::allocate_managed(current, bytes, Kind::Graph(memory::Memory::Managed))?
            }
            _ => memory::allocate(current, bytes, Kind::Graph(memory::Memory::Device))?,
        };
        let properties =
            CUmemPoolProps { win32SecurityAttributes: std::ptr::null_mut(), ..properties };
        Ok(Memory { allocation, properties: Properties(properties), bytes })
    }

    /// The device's address of the memory.
    pub(crate) fn address(&self) -> u64 {
        self.allocation.base
    }

    /// The parameters of a node that allocates the memory.
    pub(crate) fn params(&self) -> CUDA_MEM_ALLOC_NODE_PARAMS {
        CUDA_MEM_ALLOC_NODE_PARAMS {
            poolProps: self.properties.0,
            accessDescs: std::ptr::null(),
            accessDescCount: 0,
            bytesize: self.bytes,
            dptr: self.address(),
        }
    }

    /// Whether a node has allocated the memory, and none has freed it.
    pub(crate) fn is_allocated(&self) -> bool {
        !self.allocation.is_absent.load(Ordering::Acquire)
    }

    /// From now on the memory is there; `INVALID_VALUE` if it is already.
    pub(crate) fn allocate(&self) -> CUres {
        if !self.allocation.is_absent.swap(false, Ordering::AcqRel) {
            return Err(CUerror::INVALID_VALUE);
        }
        with_usage(self.allocation.device(), |usage| {
            usage.allocated += self.bytes as u64;
            usage.used = usage.used.max(usage.allocated);
            usage.used_high = usage.used_high.max(usage.used);
            usage.reserved_high = usage.reserved_high.max(usage.used);
        });
        Ok(())
    }

    /// Frees the memory; `INVALID_VALUE` if it is not there.
    pub(crate) fn free(&self) -> CUres {
        free(self.address())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        memory::leave_graph(&self.allocation);
    }
}

/// From now on memory of a graph is not there; `INVALID_VALUE` if it is not now.
pub(crate) fn free(address: u64) -> CUres {
    let allocation = find(address)?;
    if !matches!(allocation.kind, Kind::Graph(_)) {
        // Its graphs are gone.
        let context = allocation.context().ok_or(CUerror::INVALID_VALUE)?;
        return memory::free(&crate::core::context::enter(context)?, address);
    }
    if allocation.is_absent.swap(true, Ordering::AcqRel) {
        return Err(CUerror::INVALID_VALUE);
    }
    with_usage(allocation.device(), |usage| {
        usage.allocated = usage.allocated.saturating_sub(allocation.size as u64);
    });
    Ok(())
}

fn find(address: u64) -> CUres<Arc<Allocation>> {
    memory::find(address).filter(|found| found.base == address).ok_or(CUerror::INVALID_VALUE)
}

/// `INVALID_VALUE` unless a node allocates memory at this address.
pub(crate) fn check_is_of_graph(address: u64) -> CUres {
    match find(address)?.kind {
        Kind::Graph(_) => Ok(()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}
