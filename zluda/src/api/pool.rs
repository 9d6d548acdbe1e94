//! Stream-ordered memory and its pools.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::context::{check_permitted, current};
use crate::core::device::driver::driver;
use crate::core::graph::work::Work;
use crate::core::memory::graph_memory::{Memory as GraphMemory, check_is_of_graph};
use crate::core::memory::pool::{self, Place, Pool};
use crate::core::memory::{self, Memory, pool_export};
use crate::core::stream::{StreamArg, Target};
use cuda_types::cuda::{
    CUdevice, CUdeviceptr, CUerror, CUmemAccess_flags, CUmemAccessDesc,
    CUmemAllocationHandleType as H, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUmemPool_attribute as A, CUmemPoolProps, CUmemPoolPtrExportData, CUmemoryPool, CUres,
};
use std::ffi::{c_int, c_ulonglong, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
    if let Some(pool) = &pool {
        pool.check_own()?;
    }
    if size == 0 {
        return pointer.set(0);
    }
    if let Some(recorder) = &target.recorder {
        // "The memory pool's properties are used to set the node's creation parameters."
        let mut properties = properties_of(target.stream.current.context.device);
        match pool.map_or(Memory::Device, |pool| pool.memory()) {
            Memory::Device => {}
            Memory::Managed => {
                properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED;
            }
            Memory::Host => {
                tracing::warn!("unsupported: nodes of graphs that allocate host memory");
                return Err(CUerror::NOT_SUPPORTED);
            }
        }
        let memory = GraphMemory::new(&target.stream.current, size, properties)?;
        let address = memory.address();
        recorder.add(Work::Allocate(Arc::new(memory)))?;
        return pointer.set(address);
    }
    let pool = match pool {
        Some(pool) => pool,
        None => pool::current_of_device(target.stream.current.context.device)?,
    };
    let Some(taken) = pool.ledger.lock().take(size as u64) else {
        // libcu++'s tests look for that.
        pointer.set(0)?;
        return Err(CUerror::OUT_OF_MEMORY);
    };
    let Target { current, hip } = &target.stream;
    pointer.set(memory::allocate_async(current, pool, taken, size, *hip)?)
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
    // An H100 names the device in one of the two.
    let found = pool::of_device(device).map_err(|_| CUerror::INVALID_VALUE);
    let [_, current] = found?;
    pool.set(current.handle())
}

pub(crate) fn cuDeviceSetMemPool(device: CUdevice, pool: Arc<Pool>) -> CUres {
    if pool.place.device() != Some(device) {
        return Err(CUerror::INVALID_VALUE);
    }
    pool::set_current(pool)
}

/// Default pools are those of places with a number.
fn default_place(location: In<CUmemLocation>, kind: CUmemAllocationType) -> CUres<Place> {
    let location = location.get()?;
    if location.type_.0 >= CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT.0 {
        return Err(CUerror::NOT_SUPPORTED);
    }
    Place::new(kind, location)
}

pub(crate) fn cuMemGetDefaultMemPool(
    pool: Out<CUmemoryPool>,
    location: In<CUmemLocation>,
    kind: CUmemAllocationType,
) -> CUres {
    pool.check()?;
    let [default, _] = pool::of_place(default_place(location, kind)?)?;
    pool.set(default.handle())
}

pub(crate) fn cuMemGetMemPool(
    pool: Out<CUmemoryPool>,
    location: In<CUmemLocation>,
    kind: CUmemAllocationType,
) -> CUres {
    pool.check()?;
    let [_, current] = pool::of_place(default_place(location, kind)?)?;
    pool.set(current.handle())
}

pub(crate) fn cuMemSetMemPool(
    location: In<CUmemLocation>,
    kind: CUmemAllocationType,
    pool: Arc<Pool>,
) -> CUres {
    if default_place(location, kind)? != pool.place {
        return Err(CUerror::INVALID_VALUE);
    }
    pool::set_current(pool)
}

/// The handles of a pool's memory that there can be: file descriptors, of what is of a device or of a node.
fn check_handle_types(types: H, place: &Place) -> CUres {
    match (types, place.memory()) {
        (H::CU_MEM_HANDLE_TYPE_NONE, _) => Ok(()),
        (H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, Memory::Device | Memory::Host)
            if place.is_of_device_or_node() && driver()?.shares_memory() =>
        {
            Ok(())
        }
        // Only what is of one node can be shared.
        (
            H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | H::CU_MEM_HANDLE_TYPE_FABRIC | H(9),
            Memory::Device | Memory::Host,
        ) if place.is_of_device_or_node() => {
            tracing::warn!(
                "unsupported: memory pools that are shared by handles of type {}",
                types.0
            );
            Err(CUerror::NOT_SUPPORTED)
        }
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuMemPoolCreate(pool: Out<CUmemoryPool>, properties: In<CUmemPoolProps>) -> CUres {
    capture::check_unsafe_call()?;
    pool.check()?;
    let properties = properties.get()?;
    if properties.reserved.iter().any(|byte| *byte != 0) {
        return Err(CUerror::INVALID_VALUE);
    }
    let place = match Place::new(properties.allocType, properties.location) {
        // Handles are refused first.
        Err(CUerror::NOT_SUPPORTED) if properties.handleTypes != H::CU_MEM_HANDLE_TYPE_NONE => {
            return Err(CUerror::INVALID_VALUE);
        }
        place => place?,
    };
    check_handle_types(properties.handleTypes, &place)?;
    // "Maximum pool size": no pool becomes larger than what there is.
    if properties.maxSize > place.total_memory()? {
        return Err(CUerror::OUT_OF_MEMORY);
    }
    let maximum = properties.maxSize as u64;
    pool.set(pool::create(place, properties.handleTypes, maximum)?.handle())
}

pub(crate) fn cuMemPoolDestroy(pool: Arc<Pool>) -> CUres {
    capture::check_unsafe_call()?;
    pool::destroy(&pool)
}

pub(crate) fn cuMemPoolTrimTo(pool: Arc<Pool>, keep: usize) -> CUres {
    capture::check_unsafe_call()?;
    pool.check_own()?;
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
    pool.check_own()?;
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
        // What policies are is yes or no.
        _ => {
            let value = if is_int(attribute)? { u64::from(value != 0) } else { value };
            pool.attributes.lock().insert(attribute.0, value);
        }
    }
    Ok(())
}

pub(crate) fn cuMemPoolGetAttribute(pool: Arc<Pool>, attribute: A, value: *mut c_void) -> CUres {
    pool.check_own()?;
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
    map.check()?;
    for CUmemAccessDesc { location, flags } in map.array(count, MOST_DESCRIPTIONS)? {
        match pool.memory() {
            Memory::Device => {
                check_access_of_device_memory(&pool, location, flags)?;
                pool.set_peer(location.id, flags.0 != 0);
            }
            memory => {
                check_access(memory, location, flags)?;
                match location.type_ {
                    CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => pool.set_access(flags),
                    _ => pool.host_access.store(flags.0, Ordering::Release),
                }
            }
        }
    }
    Ok(())
}

/// Device memory: its device has all access, and the host none.
fn check_access_of_device_memory(
    pool: &Pool,
    location: CUmemLocation,
    flags: CUmemAccess_flags,
) -> CUres {
    if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
        return Err(CUerror::NOT_SUPPORTED);
    }
    driver()?.device(location.id)?;
    let is_own = pool.place.device() == Some(location.id);
    match flags {
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok(()),
        // "revoking access of a device to its own memory is not possible"; an H100 names the device.
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE if is_own => Err(CUerror::INVALID_DEVICE),
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE => Ok(()),
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ => Err(CUerror::NOT_SUPPORTED),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// Memory of the host, or of all: devices have access or none, and the host keeps that to its own.
fn check_access(memory: Memory, location: CUmemLocation, flags: CUmemAccess_flags) -> CUres {
    let is_host = match location.type_ {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => {
            driver()?.device(location.id)?;
            false
        }
        CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
        | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA => true,
        _ => return Err(CUerror::NOT_SUPPORTED),
    };
    match flags {
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok(()),
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE
            if !(is_host && memory == Memory::Host) =>
        {
            Ok(())
        }
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE
        | CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ => Err(CUerror::NOT_SUPPORTED),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuMemPoolGetAccess(
    flags: Out<CUmemAccess_flags>,
    pool: Arc<Pool>,
    location: In<CUmemLocation>,
) -> CUres {
    flags.check()?;
    let location = location.get()?;
    let (all, none) = (
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
    );
    let is_host = match location.type_ {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => {
            driver()?.device(location.id).map_err(|_| CUerror::INVALID_VALUE)?;
            false
        }
        CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
        | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA => true,
        _ => return Err(CUerror::INVALID_VALUE),
    };
    flags.set(match (pool.memory(), is_host) {
        (Memory::Device, false) if !pool.is_accessible_from(location.id) => none,
        (Memory::Device, false) | (Memory::Host, true) => all,
        (Memory::Device, true) => none,
        (Memory::Managed, true) => CUmemAccess_flags(pool.host_access.load(Ordering::Acquire)),
        (_, false) => pool.access(),
    })
}

pub(crate) fn cuMemPoolExportToShareableHandle(
    shared: Out<c_void>,
    pool: Arc<Pool>,
    kind: H,
    flags: c_ulonglong,
) -> CUres {
    shared.check()?;
    // "flags: must be 0"
    if flags != 0 || kind != H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
        return Err(CUerror::INVALID_VALUE);
    }
    shared.cast::<c_int>().set(pool_export::export(&pool, kind)?)
}

pub(crate) fn cuMemPoolImportFromShareableHandle(
    pool: Out<CUmemoryPool>,
    shared: *mut c_void,
    kind: H,
    flags: c_ulonglong,
) -> CUres {
    pool.check()?;
    if flags != 0 || kind == H::CU_MEM_HANDLE_TYPE_NONE {
        return Err(CUerror::INVALID_VALUE);
    }
    check_handle_types(kind, &Place::of_device(0))?;
    pool.set(pool::import(shared as usize, kind)?.handle())
}

pub(crate) fn cuMemPoolExportPointer(
    data: Out<CUmemPoolPtrExportData>,
    pointer: CUdeviceptr,
) -> CUres {
    data.check()?;
    data.set(pool_export::export_pointer(pointer)?)
}

pub(crate) fn cuMemPoolImportPointer(
    pointer: Out<CUdeviceptr>,
    pool: Arc<Pool>,
    data: In<CUmemPoolPtrExportData>,
) -> CUres {
    pointer.check()?;
    let data = data.get()?;
    let current = match current() {
        Err(CUerror::INVALID_CONTEXT) => None,
        current => Some(current?),
    };
    pointer.set(pool_export::import_pointer(current.as_ref(), &pool, data)?)
}
