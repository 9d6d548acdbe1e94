//! Stream-ordered memory and its pools.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::context::check_permitted;
use crate::core::graph::work::Work;
use crate::core::memory;
use crate::core::memory::graph_memory::{Memory, check_is_of_graph};
use crate::core::memory::pool::{self, Pool};
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUdevice, CUdeviceptr, CUerror, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationType,
    CUmemLocation, CUmemLocationType, CUmemPool_attribute as A, CUmemPoolProps, CUmemoryPool,
    CUres,
};
use std::ffi::c_void;
use std::sync::Arc;

/// Of the memory that a device's own pool gives.
fn properties_of(device: CUdevice) -> CUmemPoolProps {
    // SAFETY: all zeros is a value of this structure.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    properties
}

pub(crate) fn cuMemAllocAsync(pointer: Out<CUdeviceptr>, size: usize, stream: StreamArg) -> CUres {
    allocate(pointer, size, None, stream)
}

/// From a pool, or from the current one of the stream's device.
fn allocate(
    pointer: Out<CUdeviceptr>,
    size: usize,
    pool: Option<Arc<Pool>>,
    stream: StreamArg,
) -> CUres {
    pointer.check()?;
    check_permitted()?;
    let target = stream.enter_to_work()?;
    if target.recorder.is_none() {
        capture::check_unsafe_call()?;
    }
    if size == 0 {
        return pointer.set(0);
    }
    if let Some(recorder) = &target.recorder {
        let properties = properties_of(target.stream.current.context.device);
        let memory = Memory::new(&target.stream.current, size, properties)?;
        let address = memory.address();
        recorder.add(Work::Allocate(Arc::new(memory)))?;
        return pointer.set(address);
    }
    let pool = match pool {
        Some(pool) => pool,
        None => pool::of_device(target.stream.current.context.device)?[1].clone(),
    };
    let address = memory::allocate_async(&target.stream.current, size, target.stream.hip)?.base;
    pool::take(&pool, address, size);
    pointer.set(address)
}

pub(crate) fn cuMemAllocFromPoolAsync(
    pointer: Out<CUdeviceptr>,
    size: usize,
    pool: Arc<Pool>,
    stream: StreamArg,
) -> CUres {
    allocate(pointer, size, Some(pool), stream)
}

pub(crate) fn cuMemFreeAsync(pointer: CUdeviceptr, stream: StreamArg) -> CUres {
    let target = stream.enter_to_work()?;
    if target.recorder.is_none() {
        capture::check_unsafe_call()?;
    }
    if pointer == 0 {
        return Ok(());
    }
    if let Some(recorder) = &target.recorder {
        check_is_of_graph(pointer)?;
        return recorder.add(Work::Free(pointer));
    }
    memory::free_async(&target.stream.current, pointer, target.stream.hip)
}

pub(crate) fn cuDeviceGetDefaultMemPool(pool: Out<CUmemoryPool>, device: CUdevice) -> CUres {
    pool.check()?;
    let [default, _] = pool::of_device(device)?;
    pool.set(default.handle())
}

pub(crate) fn cuDeviceGetMemPool(pool: Out<CUmemoryPool>, device: CUdevice) -> CUres {
    pool.check()?;
    let [_, current] = pool::of_device(device)?;
    pool.set(current.handle())
}

pub(crate) fn cuDeviceSetMemPool(device: CUdevice, pool: Arc<Pool>) -> CUres {
    if pool.device != device {
        return Err(CUerror::INVALID_VALUE);
    }
    pool::set_current(device, pool)
}

/// The device of a location; `INVALID_VALUE` for a place that is none.
fn device_of(location: CUmemLocation) -> CUres<CUdevice> {
    match location.type_ {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => Ok(location.id),
        CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST => Err(CUerror::NOT_SUPPORTED),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

fn check_type(kind: CUmemAllocationType) -> CUres {
    match kind {
        CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED => Ok(()),
        CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED => Err(CUerror::NOT_SUPPORTED),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuMemGetDefaultMemPool(
    pool: Out<CUmemoryPool>,
    location: In<CUmemLocation>,
    kind: CUmemAllocationType,
) -> CUres {
    check_type(kind)?;
    cuDeviceGetDefaultMemPool(pool, device_of(location.get()?)?)
}

pub(crate) fn cuMemGetMemPool(
    pool: Out<CUmemoryPool>,
    location: In<CUmemLocation>,
    kind: CUmemAllocationType,
) -> CUres {
    check_type(kind)?;
    cuDeviceGetMemPool(pool, device_of(location.get()?)?)
}

pub(crate) fn cuMemSetMemPool(
    location: In<CUmemLocation>,
    kind: CUmemAllocationType,
    pool: Arc<Pool>,
) -> CUres {
    check_type(kind)?;
    cuDeviceSetMemPool(device_of(location.get()?)?, pool)
}

pub(crate) fn cuMemPoolCreate(pool: Out<CUmemoryPool>, properties: In<CUmemPoolProps>) -> CUres {
    capture::check_unsafe_call()?;
    pool.check()?;
    let properties = properties.get()?;
    check_type(properties.allocType)?;
    if properties.handleTypes.0 != 0 {
        // Sharing between processes.
        return Err(CUerror::NOT_SUPPORTED);
    }
    pool.set(pool::create(device_of(properties.location)?, false)?.handle())
}

pub(crate) fn cuMemPoolDestroy(pool: Arc<Pool>) -> CUres {
    capture::check_unsafe_call()?;
    pool::destroy(&pool)
}

pub(crate) fn cuMemPoolTrimTo(pool: Arc<Pool>, keep: usize) -> CUres {
    capture::check_unsafe_call()?;
    pool.ledger.lock().trim(keep as u64);
    Ok(())
}

/// Whether an attribute is an `int`; the others are 64 bits. `INVALID_VALUE` for one that does not exist.
fn is_int(attribute: A) -> CUres<bool> {
    match attribute.0 {
        1..=3 => Ok(true),
        4..=8 => Ok(false),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuMemPoolSetAttribute(pool: Arc<Pool>, attribute: A, value: *mut c_void) -> CUres {
    capture::check_unsafe_call()?;
    if value.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: the attribute says how large its value is.
    let value = unsafe {
        match is_int(attribute)? {
            true => value.cast::<u32>().read_unaligned().into(),
            false => value.cast::<u64>().read_unaligned(),
        }
    };
    match (attribute, value) {
        // Marks can be set to 0, which means what there is now.
        (A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0) => pool.ledger.lock().reset_reserved_high(),
        (A::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0) => pool.ledger.lock().reset_used_high(),
        (A(5..=8), _) => return Err(CUerror::INVALID_VALUE),
        _ => drop(pool.attributes.lock().insert(attribute.0, value)),
    }
    Ok(())
}

pub(crate) fn cuMemPoolGetAttribute(pool: Arc<Pool>, attribute: A, value: *mut c_void) -> CUres {
    if value.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    let int = is_int(attribute)?;
    let ledger = pool.ledger.lock();
    let kept = match attribute {
        A::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => ledger.reserved(),
        A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => ledger.reserved_high(),
        A::CU_MEMPOOL_ATTR_USED_MEM_CURRENT => ledger.used(),
        A::CU_MEMPOOL_ATTR_USED_MEM_HIGH => ledger.used_high(),
        // Reuse is allowed unless a program forbids it.
        _ => pool.attributes.lock().get(&attribute.0).copied().unwrap_or(u64::from(int)),
    };
    // SAFETY: as above.
    unsafe {
        match int {
            true => value.cast::<u32>().write_unaligned(kept as u32),
            false => value.cast::<u64>().write_unaligned(kept),
        }
    }
    Ok(())
}

/// There are fewer places than this that a pool can be accessed from. A program that passes more has passed
/// a wrong count.
const MOST_DESCRIPTIONS: usize = 1024;

pub(crate) fn cuMemPoolSetAccess(pool: Arc<Pool>, map: In<CUmemAccessDesc>, count: usize) -> CUres {
    for description in map.array(count, MOST_DESCRIPTIONS)? {
        let device = device_of(description.location)?;
        crate::core::device::driver::driver()?.device(device)?;
        // "revoking access of a device to its own memory is not possible"
        if device == pool.device
            && description.flags != CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        {
            return Err(CUerror::INVALID_VALUE);
        }
    }
    Ok(())
}

pub(crate) fn cuMemPoolGetAccess(
    flags: Out<CUmemAccess_flags>,
    _pool: Arc<Pool>,
    location: In<CUmemLocation>,
) -> CUres {
    flags.check()?;
    crate::core::device::driver::driver()?.device(device_of(location.get()?)?)?;
    flags.set(CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
}
