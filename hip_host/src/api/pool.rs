//! Allocation in stream order, and memory pools.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hip_runtime_sys::{
    POOL_LOCATION, PoolLocation, hipError_t, hipMemAccessDesc, hipMemAccessFlags,
    hipMemAllocationHandleType, hipMemLocation, hipMemLocationType, hipMemPool_t, hipMemPoolAttr,
    hipMemPoolProps, hipMemPoolPtrExportData, hipStream_t,
};

use super::{INVALID, Result, healthy, hip_api, put};
use crate::core::context::current;
use crate::core::device::Device;
use crate::core::handle::Found;
use crate::core::memory::{Kind, Range};
use crate::core::pool::{self, Pool, default_pool};
use crate::core::stream;
use crate::core::tables::tables;
use crate::os::backing_file::{Number, number};
use crate::work::chaos;
use crate::work::op::Work;

const POSIX: hipMemAllocationHandleType =
    hipMemAllocationHandleType::hipMemHandleTypePosixFileDescriptor;

fn find(handle: hipMemPool_t) -> Result<Arc<Pool>> {
    tables().pools.get(handle).ok_or(INVALID)
}

/// The pool that a device allocates from, and its handle.
fn current_pool(device: &'static Device) -> (hipMemPool_t, Found<Pool>) {
    let handle = device.current_pool.load(Ordering::Relaxed);
    if handle != 0
        && let Some(pool) = pool::find(device, handle)
    {
        return (std::ptr::without_provenance_mut(handle), pool);
    }
    let (handle, pool) = default_pool(device);
    (handle, Found::Default(pool))
}

/// # Safety
/// `to` is null or valid.
unsafe fn allocate(to: *mut *mut c_void, size: usize, handle: hipMemPool_t, pool: &Pool) -> Result {
    if to.is_null() {
        return Err(INVALID);
    }
    let start = if size == 0 { 0 } else { pool.allocate(handle, size)?.start };
    // SAFETY: the caller's promise.
    unsafe { put(to, start as *mut c_void) }
}

/// Tells the pool of a range that it is free.
pub(super) fn count_freed(range: &Range) {
    if range.pool == 0 {
        return;
    }
    if let Some(pool) = pool::find(range.context.device, range.pool) {
        pool.freed(range.size);
    }
}

hip_api! {
    healthy fn hipMallocAsync(dev_ptr: *mut *mut c_void, size: usize, stream: hipStream_t) {
        let (handle, pool) = current_pool(stream::find(stream)?.context.device);
        // SAFETY: the program's pointer.
        unsafe { allocate(dev_ptr, size, handle, &pool) }
    }

    healthy fn hipMallocFromPoolAsync(
        dev_ptr: *mut *mut c_void, size: usize, mem_pool: hipMemPool_t, stream: hipStream_t,
    ) {
        let pool = find(mem_pool)?;
        stream::find(stream)?;
        // SAFETY: the program's pointer.
        unsafe { allocate(dev_ptr, size, mem_pool, &pool) }
    }

    healthy fn hipFreeAsync(dev_ptr: *mut c_void, stream: hipStream_t) {
        let (tables, stream) = (tables(), stream::find(stream)?);
        if dev_ptr.is_null() {
            return Ok(());
        }
        // Memory of the host and managed memory come from pools too.
        let is_wanted = |kind| matches!(kind, Kind::Device | Kind::Host | Kind::Managed | Kind::Imported);
        // Most streams have nothing to do by then. Where there is to be chaos, memory goes later.
        if chaos::seed().is_none()
            && let Some(_now) = stream.context.streams.at_once(&stream)
        {
            let range = tables.memory.free(dev_ptr.addr(), is_wanted).ok_or(INVALID)?;
            count_freed(&range);
            return Ok(());
        }
        let range = tables.memory.detach(dev_ptr.addr(), is_wanted).ok_or(INVALID)?;
        let free = move || {
            count_freed(&range);
            tables.memory.release(range);
        };
        let op = stream.enqueue(false, None, Work::Quick(Box::new(free)));
        tables.memory.add_leaving(op);
        Ok(())
    }

    healthy fn hipMemPoolCreate(mem_pool: *mut hipMemPool_t, pool_props: *const hipMemPoolProps) {
        if mem_pool.is_null() || pool_props.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        let properties = unsafe { &*pool_props };
        let pinned = hip_runtime_sys::hipMemAllocationType::hipMemAllocationTypePinned;
        let location = (properties.location.type_, properties.location.id);
        // Memory of the host is a device's here.
        let device = match location {
            (hipMemLocationType::hipMemLocationTypeDevice, id) => Device::of(id)?,
            (hipMemLocationType::hipMemLocationTypeHostNuma, _) => current().device,
            _ => return Err(INVALID),
        };
        if properties.allocType != pinned {
            return Err(INVALID);
        }
        let limit = properties.maxSize as u64;
        let pool = Arc::new(match properties.handleTypes {
            hipMemAllocationHandleType::hipMemHandleTypeNone => Pool::new(device, false, limit),
            POSIX => Pool::shareable(device, location, limit)?,
            _ => return Err(hipError_t::hipErrorNotSupported),
        });
        // SAFETY: the program's pointer.
        unsafe { put(mem_pool, tables().pools.insert(pool)) }
    }

    healthy fn hipMemPoolDestroy(mem_pool: hipMemPool_t) {
        if find(mem_pool)?.is_default() {
            return Err(INVALID);
        }
        tables().pools.remove(mem_pool);
        Ok(())
    }

    healthy fn hipDeviceGetDefaultMemPool(mem_pool: *mut hipMemPool_t, device: i32) {
        // SAFETY: the program's pointer.
        unsafe { put(mem_pool, default_pool(Device::of(device)?).0) }
    }

    healthy fn hipDeviceGetMemPool(mem_pool: *mut hipMemPool_t, device: i32) {
        // SAFETY: the program's pointer.
        unsafe { put(mem_pool, current_pool(Device::of(device)?).0) }
    }

    healthy fn hipDeviceSetMemPool(device: i32, mem_pool: hipMemPool_t) {
        let device = Device::of(device)?;
        find(mem_pool)?;
        device.current_pool.store(mem_pool.addr(), Ordering::Relaxed);
        Ok(())
    }

    healthy fn hipMemPoolTrimTo(mem_pool: hipMemPool_t, _min_bytes_to_hold: usize) {
        // A pool holds nothing that is not in use.
        find(mem_pool).map(drop)
    }

    healthy fn hipMemPoolGetAttribute(mem_pool: hipMemPool_t, attr: hipMemPoolAttr, value: *mut c_void) {
        let pool = find(mem_pool)?;
        let number = pool.attribute(attr).ok_or(INVALID)?.0.load(Ordering::Relaxed);
        // SAFETY: the program's pointer, to 32 bits for the first three attributes and 64 for the others.
        unsafe {
            if attr.0 <= 3 { put(value.cast::<i32>(), number as i32) } else { put(value.cast::<u64>(), number) }
        }
    }

    healthy fn hipMemPoolSetAttribute(mem_pool: hipMemPool_t, attr: hipMemPoolAttr, value: *mut c_void) {
        let pool = find(mem_pool)?;
        let (place, true) = pool.attribute(attr).ok_or(INVALID)? else { return Err(INVALID) };
        if value.is_null() {
            return Err(INVALID);
        }
        // SAFETY: as above.
        let number =
            unsafe { if attr.0 <= 3 { value.cast::<i32>().read() as u64 } else { value.cast::<u64>().read() } };
        place.store(number, Ordering::Relaxed);
        Ok(())
    }

    healthy fn hipMemPoolGetAccess(
        flags: *mut hipMemAccessFlags, mem_pool: hipMemPool_t, location: *mut hipMemLocation,
    ) {
        find(mem_pool)?;
        if location.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        unsafe { put(flags, hipMemAccessFlags::hipMemAccessFlagsProtReadWrite) }
    }

    healthy fn hipMemPoolSetAccess(mem_pool: hipMemPool_t, desc_list: *const hipMemAccessDesc, count: usize) {
        find(mem_pool)?;
        if desc_list.is_null() && count != 0 { Err(INVALID) } else { Ok(()) }
    }

    healthy fn hipMemPoolExportToShareableHandle(
        shared_handle: *mut c_void, mem_pool: hipMemPool_t, handle_type: hipMemAllocationHandleType, flags: u32,
    ) {
        if shared_handle.is_null() || handle_type != POSIX || flags != 0 {
            return Err(INVALID);
        }
        let descriptor = find(mem_pool)?.export()?;
        // SAFETY: the program's pointer. The descriptor is its own from now on.
        unsafe { put(shared_handle.cast::<Number>(), number(descriptor)) }
    }

    healthy fn hipMemPoolImportFromShareableHandle(
        mem_pool: *mut hipMemPool_t, shared_handle: *mut c_void, handle_type: hipMemAllocationHandleType, flags: u32,
    ) {
        if mem_pool.is_null() || handle_type != POSIX || flags != 0 {
            return Err(INVALID);
        }
        // What is no descriptor at all is none that is open, either.
        let descriptor = i32::try_from(shared_handle.addr()).unwrap_or(-1);
        let pool = Arc::new(Pool::import(descriptor)?);
        // SAFETY: the program's pointer.
        unsafe { put(mem_pool, tables().pools.insert(pool)) }
    }

    healthy fn hipMemPoolExportPointer(export_data: *mut hipMemPoolPtrExportData, dev_ptr: *mut c_void) {
        let range = tables().memory.find(dev_ptr.addr()).filter(|range| range.start == dev_ptr.addr());
        let range = range.ok_or(INVALID)?;
        let reserved = find(std::ptr::without_provenance_mut(range.pool))?.export_range(&range)?;
        // SAFETY: the program's pointer.
        unsafe { put(export_data, hipMemPoolPtrExportData { reserved }) }
    }

    healthy fn hipMemPoolImportPointer(
        dev_ptr: *mut *mut c_void, mem_pool: hipMemPool_t, export_data: *mut hipMemPoolPtrExportData,
    ) {
        let pool = find(mem_pool)?;
        if dev_ptr.is_null() || export_data.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        let range = pool.import_range(mem_pool, unsafe { &(*export_data).reserved })?;
        // SAFETY: the program's pointer.
        unsafe { put(dev_ptr, range.start as *mut c_void) }
    }
}

/// See [`PoolLocation`].
///
/// # Safety
/// The pointer is null or valid; the pool may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_pool_location(
    pool: hipMemPool_t,
    location: *mut hipMemLocation,
) -> hipError_t {
    healthy(|| {
        let (type_, id) = find(pool)?.location;
        // SAFETY: the caller's promise.
        unsafe { put(location, hipMemLocation { type_, id }) }
    })
}

const _: PoolLocation = zluda_pool_location;

/// The function above.
pub(super) const OWN_NAMES: &[&str] = &[POOL_LOCATION];
