//! Virtual memory management: addresses and memory apart from each other.

use std::ffi::c_void;
use std::sync::Arc;

use hip_runtime_sys::{
    hipError_t, hipMemAccessDesc, hipMemAccessFlags, hipMemAllocationGranularity_flags,
    hipMemAllocationHandleType, hipMemAllocationProp, hipMemAllocationType,
    hipMemGenericAllocationHandle_t, hipMemLocation, hipMemLocationType,
};

use super::{INVALID, Result, check_may_wait, hip_api, put};
use crate::core::context::{self, current};
use crate::core::device::Device;
use crate::core::tables::tables;
use crate::core::virtual_memory::{GRANULARITY, Physical};
use crate::os::backing_file::{Number, number};
use crate::os::memory;

const POSIX: hipMemAllocationHandleType =
    hipMemAllocationHandleType::hipMemHandleTypePosixFileDescriptor;

/// The unit of addresses that nothing is mapped to.
const PAGE: usize = 4 << 10;

fn find(handle: hipMemGenericAllocationHandle_t) -> Result<Arc<Physical>> {
    tables().allocations.get(handle).ok_or(INVALID)
}

/// The device of memory of these properties, and whether it can be shared.
fn check_properties(properties: &hipMemAllocationProp) -> Result<(&'static Device, bool)> {
    if properties.type_ != hipMemAllocationType::hipMemAllocationTypePinned
        || properties.location.type_ != hipMemLocationType::hipMemLocationTypeDevice
    {
        return Err(INVALID);
    }
    let device = Device::of(properties.location.id)?;
    // SAFETY: both members are the same word.
    match unsafe { properties.__bindgen_anon_1.requestedHandleTypes } {
        hipMemAllocationHandleType::hipMemHandleTypeNone => Ok((device, false)),
        POSIX => Ok((device, true)),
        _ => Err(hipError_t::hipErrorNotSupported),
    }
}

/// The bits of [`memory`] for the accesses of the device; memory that can be written can be read.
fn protection(flags: hipMemAccessFlags) -> Result<i32> {
    match flags {
        hipMemAccessFlags::hipMemAccessFlagsProtNone => Ok(memory::NONE),
        hipMemAccessFlags::hipMemAccessFlagsProtRead => Ok(memory::READ),
        hipMemAccessFlags::hipMemAccessFlagsProtReadWrite => Ok(memory::READ | memory::WRITE),
        _ => Err(INVALID),
    }
}

hip_api! {
    healthy fn hipMemAddressReserve(
        ptr: *mut *mut c_void, size: usize, alignment: usize, addr: *mut c_void, flags: u64,
    ) {
        let fits = size != 0 && size.is_multiple_of(PAGE) && (alignment == 0 || alignment.is_power_of_two());
        if ptr.is_null() || !fits || flags != 0 {
            return Err(INVALID);
        }
        let start = tables().virtual_memory.reserve(size, alignment, addr.addr())?;
        // SAFETY: the program's pointer.
        unsafe { put(ptr, start as *mut c_void) }
    }

    healthy fn hipMemAddressFree(devPtr: *mut c_void, size: usize) {
        tables().virtual_memory.free(devPtr.addr(), size)
    }

    healthy fn hipMemCreate(
        handle: *mut hipMemGenericAllocationHandle_t, size: usize, prop: *const hipMemAllocationProp, flags: u64,
    ) {
        if handle.is_null() || prop.is_null() || flags != 0 || size == 0 || !size.is_multiple_of(GRANULARITY) {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        let (device, is_shareable) = check_properties(unsafe { &*prop })?;
        let memory = Arc::new(Physical::new(device, size, is_shareable)?);
        // SAFETY: the program's pointer.
        unsafe { put(handle, tables().allocations.insert(memory)) }
    }

    healthy fn hipMemRelease(handle: hipMemGenericAllocationHandle_t) {
        tables().allocations.remove(handle).map(drop).ok_or(INVALID)
    }

    healthy fn hipMemMap(
        ptr: *mut c_void, size: usize, offset: usize, handle: hipMemGenericAllocationHandle_t, flags: u64,
    ) {
        let fits = ptr.addr().is_multiple_of(GRANULARITY) && size.is_multiple_of(GRANULARITY);
        if flags != 0 || offset != 0 || !fits {
            return Err(INVALID);
        }
        tables().virtual_memory.map(ptr.addr(), size, find(handle)?)
    }

    healthy fn hipMemUnmap(ptr: *mut c_void, size: usize) {
        check_may_wait()?;
        // Work may use the memory.
        context::wait_for_all();
        tables().virtual_memory.unmap(ptr.addr(), size)
    }

    healthy fn hipMemSetAccess(ptr: *mut c_void, size: usize, desc: *const hipMemAccessDesc, count: usize) {
        if desc.is_null() || count != 1 {
            return Err(INVALID);
        }
        // SAFETY: the program's array, which has one element.
        let description = unsafe { *desc };
        if description.location.type_ != hipMemLocationType::hipMemLocationTypeDevice {
            return Err(INVALID);
        }
        let device = Device::of(description.location.id)?;
        let access = protection(description.flags)?;
        let virtual_memory = &tables().virtual_memory;
        if !virtual_memory.is_widened(device, ptr.addr(), size, access)? {
            // Work may access the memory.
            check_may_wait()?;
            context::wait_for_all();
        }
        virtual_memory.set_access(device, ptr.addr(), size, access)
    }

    healthy fn hipMemGetAccess(flags: *mut u64, location: *const hipMemLocation, ptr: *mut c_void) {
        if location.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        let device = Device::of(unsafe { (*location).id })?;
        let (access, _) = tables().virtual_memory.find(device, ptr.addr()).ok_or(INVALID)?;
        // Both have a bit for reading and one for writing, and here the same ones.
        // SAFETY: the program's pointer.
        unsafe { put(flags, access as u64) }
    }

    healthy fn hipMemGetAllocationGranularity(
        granularity: *mut usize, prop: *const hipMemAllocationProp, _option: hipMemAllocationGranularity_flags,
    ) {
        if prop.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointers.
        unsafe {
            check_properties(&*prop)?;
            put(granularity, GRANULARITY)
        }
    }

    healthy fn hipMemRetainAllocationHandle(handle: *mut hipMemGenericAllocationHandle_t, addr: *mut c_void) {
        if handle.is_null() {
            return Err(INVALID);
        }
        let (_, memory) = tables().virtual_memory.find(current().device, addr.addr()).ok_or(INVALID)?;
        // SAFETY: the program's pointer.
        unsafe { put(handle, tables().allocations.insert(memory)) }
    }

    healthy fn hipMemExportToShareableHandle(
        shareableHandle: *mut c_void, handle: hipMemGenericAllocationHandle_t, handleType: hipMemAllocationHandleType,
        flags: u64,
    ) {
        if shareableHandle.is_null() || handleType != POSIX || flags != 0 {
            return Err(INVALID);
        }
        let descriptor = find(handle)?.piece.export()?;
        // SAFETY: the program's pointer. The descriptor is its own from now on.
        unsafe { put(shareableHandle.cast::<Number>(), number(descriptor)) }
    }

    healthy fn hipMemImportFromShareableHandle(
        handle: *mut hipMemGenericAllocationHandle_t, osHandle: *mut c_void, shHandleType: hipMemAllocationHandleType,
    ) {
        if handle.is_null() || shHandleType != POSIX {
            return Err(INVALID);
        }
        let descriptor = i32::try_from(osHandle.addr()).map_err(|_| INVALID)?;
        let memory = Arc::new(Physical::import(descriptor)?);
        // SAFETY: the program's pointer.
        unsafe { put(handle, tables().allocations.insert(memory)) }
    }
}
