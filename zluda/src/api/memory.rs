//! Allocation of memory, and questions about it.

use crate::convert::Out;
use crate::core::capture;
use crate::core::context::{current, error_of_current};
use crate::core::memory::{self, Kind};
use cuda_types::cuda::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_WRITECOMBINED,
    CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_PORTABLE, CU_MEMHOSTREGISTER_READ_ONLY,
    CUdeviceptr, CUerror, CUmemAttach_flags, CUres,
};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

pub(crate) fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> CUres {
    let current = current()?;
    let (mut free_bytes, mut total_bytes) = (0, 0);
    let hip = &current.driver.hip;
    // SAFETY: both outlive the call.
    current.check(unsafe { hip.hipMemGetInfo(&mut free_bytes, &mut total_bytes) })?;
    free.set_if_wanted(free_bytes);
    total.set_if_wanted(total_bytes);
    Ok(())
}

pub(crate) fn cuMemAlloc_v2(pointer: Out<CUdeviceptr>, size: usize) -> CUres {
    capture::check_unsafe_call()?;
    pointer.check()?;
    // "If bytesize is 0, cuMemAlloc() returns CUDA_ERROR_INVALID_VALUE."
    if size == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    pointer.set(memory::allocate(&current()?, size, Kind::Device)?.base)
}

pub(crate) fn cuMemAllocPitch_v2(
    pointer: Out<CUdeviceptr>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: c_uint,
) -> CUres {
    capture::check_unsafe_call()?;
    pointer.check()?;
    pitch.check()?;
    // "ElementSizeBytes may be 4, 8, or 16"
    if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(CUerror::INVALID_VALUE);
    }
    // Rows begin where textures could, as on GPUs.
    let row = width.checked_next_multiple_of(512).ok_or(CUerror::OUT_OF_MEMORY)?;
    let size = row.checked_mul(height).ok_or(CUerror::OUT_OF_MEMORY)?;
    let allocation = memory::allocate(&current()?, size, Kind::Device)?;
    pitch.set(row)?;
    pointer.set(allocation.base)
}

pub(crate) fn cuMemAllocManaged(pointer: Out<CUdeviceptr>, size: usize, flags: c_uint) -> CUres {
    capture::check_unsafe_call()?;
    pointer.check()?;
    let attach = CUmemAttach_flags(flags);
    let known = [CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL, CUmemAttach_flags::CU_MEM_ATTACH_HOST];
    if size == 0 || !known.contains(&attach) {
        return Err(CUerror::INVALID_VALUE);
    }
    pointer.set(memory::allocate_managed(&current()?, size, Kind::Managed)?.base)
}

pub(crate) fn cuMemFree_v2(pointer: CUdeviceptr) -> CUres {
    capture::check_unsafe_call()?;
    if pointer == 0 {
        return error_of_current().map_or(Ok(()), Err);
    }
    memory::free(&memory::current_or_owner(pointer)?, pointer)
}

pub(crate) fn cuMemGetAddressRange_v2(
    base: Out<CUdeviceptr>,
    size: Out<usize>,
    pointer: CUdeviceptr,
) -> CUres {
    current()?;
    // "CUDA_ERROR_NOT_FOUND"
    let allocation = memory::find(pointer).filter(|found| !found.is_of_host_alone());
    let allocation = allocation.ok_or(CUerror::NOT_FOUND)?;
    base.set_if_wanted(allocation.base);
    size.set_if_wanted(allocation.size);
    Ok(())
}

pub(crate) fn cuMemAllocHost_v2(pointer: Out<*mut c_void>, size: usize) -> CUres {
    cuMemHostAlloc(pointer, size, 0)
}

pub(crate) fn cuMemHostAlloc(pointer: Out<*mut c_void>, size: usize, flags: c_uint) -> CUres {
    capture::check_unsafe_call()?;
    pointer.check()?;
    let known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if flags & !known != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let current = current()?;
    // Nothing of host memory is no error, other than nothing of device memory.
    if size == 0 {
        return pointer.set(null_mut());
    }
    pointer.set(memory::allocate_host(&current, size, flags)?.host as *mut c_void)
}

pub(crate) fn cuMemFreeHost(pointer: *mut c_void) -> CUres {
    capture::check_unsafe_call()?;
    if pointer.is_null() {
        return error_of_current().map_or(Ok(()), Err);
    }
    memory::free_host(&memory::current_or_owner(pointer as u64)?, pointer)
}

pub(crate) fn cuMemHostRegister_v2(pointer: *mut c_void, size: usize, flags: c_uint) -> CUres {
    capture::check_unsafe_call()?;
    // Memory of other devices, CU_MEMHOSTREGISTER_IOMEMORY, is none here.
    let known =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if pointer.is_null()
        || size == 0
        || flags & !known != 0
        || (pointer as usize).checked_add(size).is_none()
    {
        return Err(CUerror::INVALID_VALUE);
    }
    memory::register_host(&current()?, pointer, size, flags)
}

pub(crate) fn cuMemHostUnregister(pointer: *mut c_void) -> CUres {
    capture::check_unsafe_call()?;
    if pointer.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    memory::unregister_host(&memory::current_or_owner(pointer as u64)?, pointer)
}

pub(crate) fn cuMemHostGetDevicePointer_v2(
    device: Out<CUdeviceptr>,
    host: *mut c_void,
    flags: c_uint,
) -> CUres {
    device.check()?;
    // "Flags provides for future releases. For now, it must be set to 0."
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    current()?;
    let allocation =
        memory::find_host(host as u64).filter(|a| a.is_host()).ok_or(CUerror::INVALID_VALUE)?;
    device.set(allocation.base + (host as u64 - allocation.host))
}

pub(crate) fn cuMemHostGetFlags(flags: Out<c_uint>, pointer: *mut c_void) -> CUres {
    flags.check()?;
    current()?;
    match memory::find_host(pointer as u64).map(|allocation| allocation.kind) {
        // All memory is mapped where addresses are unified. An H100 tells these flags, and keeps others to itself.
        Some(Kind::Host(given)) => {
            flags.set(given & CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP)
        }
        Some(Kind::Registered(given)) => {
            flags.set(given & CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP)
        }
        _ => Err(CUerror::INVALID_VALUE),
    }
}
