//! Arrays and mipmapped arrays.

use hip_runtime_sys::{
    HIP_ARRAY_DESCRIPTOR, HIP_ARRAY3D_DESCRIPTOR, hipArray_t, hipError_t, hipMipmappedArray_t,
};

use super::{INVALID, Result, check_may_wait, hip_api, put};
use crate::core::array::{Array, Mipmapped};
use crate::core::context;
use crate::core::tables::tables;

/// # Safety
/// The pointers are null or valid.
unsafe fn create(to: *mut hipArray_t, descriptor: *const HIP_ARRAY3D_DESCRIPTOR) -> Result {
    // SAFETY: the caller's promise.
    let descriptor = unsafe { descriptor.as_ref() }.ok_or(INVALID)?;
    if to.is_null() {
        return Err(INVALID);
    }
    let handle = tables().arrays.insert(Array::new(descriptor)?);
    // SAFETY: the caller's promise.
    unsafe { put(to, handle) }
}

fn destroy(array: hipArray_t) -> Result {
    let found = tables().arrays.get(array).ok_or(hipError_t::hipErrorInvalidHandle)?;
    // Copies may be under way.
    check_may_wait()?;
    context::wait_for_users(found.context());
    tables().arrays.remove(array).map(drop).ok_or(hipError_t::hipErrorInvalidHandle)
}

hip_api! {
    healthy fn hipArrayCreate(pHandle: *mut hipArray_t, pAllocateArray: *const HIP_ARRAY_DESCRIPTOR) {
        // SAFETY: the program's pointer.
        let plane = unsafe { pAllocateArray.as_ref() }.ok_or(INVALID)?;
        let descriptor = HIP_ARRAY3D_DESCRIPTOR {
            Width: plane.Width,
            Height: plane.Height,
            Depth: 0,
            Format: plane.Format,
            NumChannels: plane.NumChannels,
            Flags: 0,
        };
        // SAFETY: the program's pointer.
        unsafe { create(pHandle, &descriptor) }
    }

    healthy fn hipArray3DCreate(array: *mut hipArray_t, pAllocateArray: *const HIP_ARRAY3D_DESCRIPTOR) {
        // SAFETY: the program's pointers.
        unsafe { create(array, pAllocateArray) }
    }

    always fn hipArrayDestroy(array: hipArray_t) {
        destroy(array)
    }

    always fn hipFreeArray(array: hipArray_t) {
        if array.is_null() { Ok(()) } else { destroy(array) }
    }

    healthy fn hipArrayGetDescriptor(pArrayDescriptor: *mut HIP_ARRAY_DESCRIPTOR, array: hipArray_t) {
        let array = tables().arrays.get(array).ok_or(hipError_t::hipErrorInvalidHandle)?;
        let d = array.descriptor;
        let plane = HIP_ARRAY_DESCRIPTOR {
            Width: d.Width,
            Height: d.Height,
            Format: d.Format,
            NumChannels: d.NumChannels,
        };
        // SAFETY: the program's pointer.
        unsafe { put(pArrayDescriptor, plane) }
    }

    healthy fn hipArray3DGetDescriptor(pArrayDescriptor: *mut HIP_ARRAY3D_DESCRIPTOR, array: hipArray_t) {
        let array = tables().arrays.get(array).ok_or(hipError_t::hipErrorInvalidHandle)?;
        // SAFETY: the program's pointer.
        unsafe { put(pArrayDescriptor, array.descriptor) }
    }

    healthy fn hipMipmappedArrayCreate(
        pHandle: *mut hipMipmappedArray_t, pMipmappedArrayDesc: *mut HIP_ARRAY3D_DESCRIPTOR, numMipmapLevels: u32,
    ) {
        // SAFETY: the program's pointer.
        let descriptor = unsafe { pMipmappedArrayDesc.as_ref() }.ok_or(INVALID)?;
        if pHandle.is_null() {
            return Err(INVALID);
        }
        let handle = tables().mipmapped.insert(Mipmapped::new(descriptor, numMipmapLevels)?);
        // SAFETY: the program's pointer.
        unsafe { put(pHandle, handle) }
    }

    always fn hipMipmappedArrayDestroy(hMipmappedArray: hipMipmappedArray_t) {
        let tables = tables();
        let array = tables.mipmapped.get(hMipmappedArray).ok_or(hipError_t::hipErrorInvalidHandle)?;
        check_may_wait()?;
        if let Some(level) = array.levels.first() {
            context::wait_for_users(level.context());
        }
        tables.mipmapped.remove(hMipmappedArray);
        tables.arrays.retain(|other| !array.levels.iter().any(|level| std::ptr::eq(&**level, other)));
        Ok(())
    }

    healthy fn hipMipmappedArrayGetLevel(
        pLevelArray: *mut hipArray_t, hMipMappedArray: hipMipmappedArray_t, level: u32,
    ) {
        let tables = tables();
        let array = tables.mipmapped.get(hMipMappedArray).ok_or(hipError_t::hipErrorInvalidHandle)?;
        let level = array.levels.get(level as usize).ok_or(INVALID)?;
        if pLevelArray.is_null() {
            return Err(INVALID);
        }
        let handle = tables.arrays.insert(level.clone());
        // SAFETY: the program's pointer.
        unsafe { put(pLevelArray, handle) }
    }
}
