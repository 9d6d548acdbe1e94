//! Memory: allocation, and what is known of pointers.

use std::ffi::c_void;

use hip_runtime_sys::{
    hipDeviceptr_t, hipError_t, hipMallocSignalMemory, hipMemoryType, hipPointer_attribute,
    hipPointerAttribute_t,
};

use super::pool::count_freed;
use super::{INVALID, Result, check_may_wait, hip_api, put};
use crate::core::context::{self, current};
use crate::core::memory::{Kind, Range};
use crate::core::tables::tables;

/// Allocates; what was freed in streams may be needed first.
fn allocate(kind: Kind, size: usize, flags: u32) -> Result<*mut c_void> {
    if size == 0 {
        return Ok(std::ptr::null_mut());
    }
    let memory = &tables().memory;
    let allocate = || memory.allocate(kind, size, flags, 0);
    let range = allocate().or_else(|error| {
        check_may_wait().map_err(|_| error)?;
        memory.allocate_again(error, allocate)
    })?;
    Ok(range.start as *mut c_void)
}

/// # Safety
/// `to` is null or valid.
unsafe fn allocate_to(to: *mut *mut c_void, kind: Kind, size: usize, flags: u32) -> Result {
    if to.is_null() {
        return Err(INVALID);
    }
    // SAFETY: the caller's promise.
    unsafe { put(to, allocate(kind, size, flags)?) }
}

pub(super) fn free(pointer: *mut c_void, wanted: impl Fn(Kind) -> bool) -> Result {
    if pointer.is_null() {
        return Ok(());
    }
    check_may_wait()?;
    let tables = tables();
    // Nobody finds it from now on.
    let range = tables.memory.detach(pointer.addr(), wanted).ok_or(INVALID)?;
    tables.memory.wait_for_claims();
    // "Waits for all work that may use the memory."
    match range.kind.is_of_all_devices() {
        true => context::wait_for_all(),
        false => context::wait_for_users(range.context),
    }
    count_freed(&range);
    tables.memory.release(range);
    Ok(())
}

/// # Safety
/// The pointers are null or valid.
unsafe fn allocate_pitch(
    to: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
    depth: usize,
) -> Result<usize> {
    const ALIGN: usize = 512;
    if to.is_null() || pitch.is_null() {
        return Err(INVALID);
    }
    let row = width.checked_next_multiple_of(ALIGN).ok_or(INVALID)?;
    let size = row
        .checked_mul(height)
        .and_then(|size| size.checked_mul(depth))
        .ok_or(hipError_t::hipErrorOutOfMemory)?;
    // SAFETY: the caller's promise.
    unsafe {
        put(to, allocate(Kind::Device, size, 0)?)?;
        put(pitch, row)?;
    }
    Ok(row)
}

/// Whether a whole range of addresses is of one known allocation.
pub(super) fn check_known(pointer: *const c_void, size: usize) -> Result {
    let range = tables().memory.find(pointer.addr()).ok_or(INVALID)?;
    if size != 0 && size <= range.start + range.size - pointer.addr() {
        Ok(())
    } else {
        Err(INVALID)
    }
}

fn memory_type(kind: Kind) -> hipMemoryType {
    match kind {
        Kind::Array => hipMemoryType::hipMemoryTypeArray,
        Kind::Device | Kind::Variable | Kind::Reserved | Kind::Imported | Kind::Opened => {
            hipMemoryType::hipMemoryTypeDevice
        }
        Kind::Managed => hipMemoryType::hipMemoryTypeManaged,
        Kind::Host | Kind::Registered => hipMemoryType::hipMemoryTypeHost,
    }
}

/// Writes one attribute of a pointer.
///
/// # Safety
/// `to` has room for the attribute's type.
unsafe fn put_attribute(
    to: *mut c_void,
    attribute: hipPointer_attribute,
    pointer: *mut c_void,
    range: &Range,
) -> Result {
    use hipPointer_attribute as A;
    let on_host = matches!(range.kind, Kind::Host | Kind::Registered | Kind::Managed);
    // SAFETY: the caller's promise.
    unsafe {
        match attribute {
            A::HIP_POINTER_ATTRIBUTE_MEMORY_TYPE => put(to.cast(), memory_type(range.kind)),
            A::HIP_POINTER_ATTRIBUTE_DEVICE_POINTER => put(to.cast(), pointer),
            A::HIP_POINTER_ATTRIBUTE_HOST_POINTER if on_host => put(to.cast(), pointer),
            A::HIP_POINTER_ATTRIBUTE_BUFFER_ID => put(to.cast(), range.id),
            A::HIP_POINTER_ATTRIBUTE_IS_MANAGED => {
                put(to.cast::<u32>(), (range.kind == Kind::Managed).into())
            }
            A::HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL => {
                put(to.cast::<i32>(), range.context.device.ordinal as i32)
            }
            A::HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR => put(to.cast(), range.start),
            A::HIP_POINTER_ATTRIBUTE_RANGE_SIZE => put(to.cast(), range.size),
            A::HIP_POINTER_ATTRIBUTE_MAPPED => put(to.cast::<u32>(), 1),
            A::HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE => {
                put(to.cast::<u32>(), range.is_shareable().into())
            }
            A::HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
            | A::HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => put(to.cast::<u32>(), 0),
            A::HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => put(to.cast::<u64>(), 0),
            A::HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS => put(to.cast::<u32>(), 3),
            A::HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => put(to.cast(), range.pool),
            _ => Err(INVALID),
        }
    }
}

fn find(pointer: *const c_void) -> Result<Range> {
    tables().memory.find(pointer.addr()).ok_or(INVALID)
}

hip_api! {
    healthy fn hipMalloc(ptr: *mut *mut c_void, size: usize) {
        // SAFETY: the program's pointer.
        unsafe { allocate_to(ptr, Kind::Device, size, 0) }
    }

    healthy fn hipExtMallocWithFlags(ptr: *mut *mut c_void, sizeBytes: usize, flags: u32) {
        // Of signals, ROCm gives the words that the host reads and writes too.
        let kind = if flags == hipMallocSignalMemory { Kind::Managed } else { Kind::Device };
        // SAFETY: the program's pointer.
        unsafe { allocate_to(ptr, kind, sizeBytes, flags) }
    }

    healthy fn hipMallocManaged(dev_ptr: *mut *mut c_void, size: usize, flags: u32) {
        // "Either hipMemAttachGlobal or hipMemAttachHost."
        if !matches!(flags, 1 | 2) || size == 0 {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        unsafe { allocate_to(dev_ptr, Kind::Managed, size, flags) }
    }

    healthy fn hipMallocPitch(ptr: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) {
        // SAFETY: the program's pointers.
        unsafe { allocate_pitch(ptr, pitch, width, height, 1) }.map(drop)
    }

    healthy fn hipMemAllocPitch(
        dptr: *mut hipDeviceptr_t, pitch: *mut usize, widthInBytes: usize, height: usize, elementSizeBytes: u32,
    ) {
        if widthInBytes == 0 || height == 0 || !matches!(elementSizeBytes, 4 | 8 | 16) {
            return Err(INVALID);
        }
        // SAFETY: the program's pointers.
        unsafe { allocate_pitch(dptr, pitch, widthInBytes, height, 1) }.map(drop)
    }

    healthy fn hipMalloc3D(pitchedDevPtr: *mut hip_runtime_sys::hipPitchedPtr, extent: hip_runtime_sys::hipExtent) {
        let (mut pointer, mut pitch) = (std::ptr::null_mut(), 0);
        // SAFETY: local variables, then the program's pointer.
        unsafe {
            allocate_pitch(&mut pointer, &mut pitch, extent.width, extent.height, extent.depth)?;
            let result =
                hip_runtime_sys::hipPitchedPtr { ptr: pointer, pitch, xsize: extent.width, ysize: extent.height };
            put(pitchedDevPtr, result)
        }
    }

    healthy fn hipFree(ptr: *mut c_void) {
        free(ptr, |kind| matches!(kind, Kind::Device | Kind::Managed | Kind::Imported))
    }

    healthy fn hipHostMalloc(ptr: *mut *mut c_void, size: usize, flags: u32) {
        // SAFETY: the program's pointer.
        unsafe { allocate_to(ptr, Kind::Host, size, flags) }
    }

    healthy fn hipHostAlloc(ptr: *mut *mut c_void, size: usize, flags: u32) {
        // SAFETY: the program's pointer.
        unsafe { allocate_to(ptr, Kind::Host, size, flags) }
    }

    healthy fn hipMemAllocHost(ptr: *mut *mut c_void, size: usize) {
        // SAFETY: the program's pointer.
        unsafe { allocate_to(ptr, Kind::Host, size, 0) }
    }

    healthy fn hipMallocHost(ptr: *mut *mut c_void, size: usize) {
        // SAFETY: the program's pointer.
        unsafe { allocate_to(ptr, Kind::Host, size, 0) }
    }

    healthy fn hipHostFree(ptr: *mut c_void) {
        free(ptr, |kind| kind == Kind::Host)
    }

    healthy fn hipFreeHost(ptr: *mut c_void) {
        free(ptr, |kind| kind == Kind::Host)
    }

    healthy fn hipHostRegister(hostPtr: *mut c_void, sizeBytes: usize, flags: u32) {
        if hostPtr.is_null() || sizeBytes == 0 {
            return Err(INVALID);
        }
        tables().memory.register(hostPtr.addr(), sizeBytes, Kind::Registered, flags)
    }

    healthy fn hipHostUnregister(hostPtr: *mut c_void) {
        if hostPtr.is_null() {
            return Err(INVALID);
        }
        check_may_wait()?;
        context::wait_for_all();
        let range = tables().memory.detach(hostPtr.addr(), |kind| kind == Kind::Registered);
        range.map(drop).ok_or(hipError_t::hipErrorHostMemoryNotRegistered)
    }

    healthy fn hipHostGetDevicePointer(devPtr: *mut *mut c_void, hstPtr: *mut c_void, flags: u32) {
        let range = find(hstPtr)?;
        if flags != 0 || !matches!(range.kind, Kind::Host | Kind::Registered | Kind::Managed) {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        unsafe { put(devPtr, hstPtr) }
    }

    healthy fn hipHostGetFlags(flagsPtr: *mut u32, hostPtr: *mut c_void) {
        let range = find(hostPtr)?;
        if !matches!(range.kind, Kind::Host | Kind::Registered) {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        unsafe { put(flagsPtr, range.flags) }
    }

    healthy fn hipMemGetInfo(free: *mut usize, total: *mut usize) {
        let memory = &tables().memory;
        let used = memory.used(current().device);
        // SAFETY: the program's pointers.
        unsafe {
            put(free, memory.limit() - used.min(memory.limit()))?;
            put(total, memory.limit())
        }
    }

    healthy fn hipMemGetAddressRange(pbase: *mut hipDeviceptr_t, psize: *mut usize, dptr: hipDeviceptr_t) {
        let range = tables().memory.find(dptr.addr()).ok_or(hipError_t::hipErrorNotFound)?;
        // SAFETY: the program's pointers; "either may be null".
        unsafe {
            if !pbase.is_null() {
                put(pbase, range.start as hipDeviceptr_t)?;
            }
            if !psize.is_null() {
                put(psize, range.size)?;
            }
        }
        Ok(())
    }

    healthy fn hipMemPtrGetInfo(ptr: *mut c_void, size: *mut usize) {
        // SAFETY: the program's pointer.
        unsafe { put(size, find(ptr)?.size) }
    }

    healthy fn hipPointerGetAttributes(attributes: *mut hipPointerAttribute_t, ptr: *const c_void) {
        let ptr = ptr.cast_mut();
        let unknown = hipPointerAttribute_t {
            type_: hipMemoryType::hipMemoryTypeUnregistered,
            device: -2,
            devicePointer: std::ptr::null_mut(),
            hostPointer: ptr,
            isManaged: 0,
            allocationFlags: 0,
        };
        let result = match tables().memory.find(ptr.addr()) {
            None => unknown,
            Some(range) => {
                let on_host = matches!(range.kind, Kind::Host | Kind::Registered | Kind::Managed);
                hipPointerAttribute_t {
                    type_: memory_type(range.kind),
                    device: range.context.device.ordinal as i32,
                    devicePointer: ptr,
                    hostPointer: if on_host { ptr } else { std::ptr::null_mut() },
                    isManaged: (range.kind == Kind::Managed).into(),
                    allocationFlags: range.flags,
                }
            }
        };
        // SAFETY: the program's pointer.
        unsafe { put(attributes, result) }
    }

    healthy fn hipPointerGetAttribute(data: *mut c_void, attribute: hipPointer_attribute, ptr: hipDeviceptr_t) {
        let range = find(ptr)?;
        // SAFETY: the program's pointer.
        unsafe { put_attribute(data, attribute, ptr, &range) }
    }

    healthy fn hipDrvPointerGetAttributes(
        numAttributes: u32, attributes: *mut hipPointer_attribute, data: *mut *mut c_void, ptr: hipDeviceptr_t,
    ) {
        if attributes.is_null() || data.is_null() {
            return Err(INVALID);
        }
        let range = tables().memory.find(ptr.addr());
        for index in 0..numAttributes as usize {
            // SAFETY: the program's arrays, as long as it says. "A pointer that is unknown has null
            // attributes": what they point to is left as it is.
            unsafe {
                if let Some(range) = &range {
                    let _ = put_attribute(*data.add(index), *attributes.add(index), ptr, range);
                }
            }
        }
        Ok(())
    }

    healthy fn hipPointerSetAttribute(_value: *const c_void, attribute: hipPointer_attribute, ptr: hipDeviceptr_t) {
        find(ptr)?;
        if attribute == hipPointer_attribute::HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS { Ok(()) } else { Err(INVALID) }
    }
}
