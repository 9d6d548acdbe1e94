//! Memory of other interfaces. What can be imported is memory that this library has exported, here or in another process.

use std::ffi::c_void;
use std::fs::File;
use std::sync::Arc;

use hip_runtime_sys::{
    hipError_t, hipExternalMemory_t, hipExternalMemoryBufferDesc, hipExternalMemoryHandleDesc,
    hipExternalMemoryHandleType_enum,
};

use super::{INVALID, hip_api, put};
use crate::core::tables::tables;
use crate::core::virtual_memory::Physical;
use crate::os::backing_file::{self, Piece};

const OPAQUE_FD: hipExternalMemoryHandleType_enum =
    hipExternalMemoryHandleType_enum::hipExternalMemoryHandleTypeOpaqueFd;

hip_api! {
    healthy fn hipImportExternalMemory(
        extMem_out: *mut hipExternalMemory_t, memHandleDesc: *const hipExternalMemoryHandleDesc,
    ) {
        if extMem_out.is_null() || memHandleDesc.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer; a descriptor is the member for this type, and any number is one.
        let (kind, descriptor, size) = unsafe {
            let wanted = &*memHandleDesc;
            (wanted.type_, wanted.handle.fd, wanted.size)
        };
        if kind != OPAQUE_FD {
            return Err(hipError_t::hipErrorNotSupported);
        }
        let memory = Physical::import(descriptor)?;
        if size == 0 || size > memory.piece.size as u64 {
            return Err(INVALID);
        }
        // The descriptor is the device's from now on.
        backing_file::close(descriptor);
        // SAFETY: the program's pointer.
        unsafe { put(extMem_out, tables().external_memory.insert(Arc::new(memory))) }
    }

    healthy fn hipExternalMemoryGetMappedBuffer(
        devPtr: *mut *mut c_void, extMem: hipExternalMemory_t, bufferDesc: *const hipExternalMemoryBufferDesc,
    ) {
        if devPtr.is_null() || bufferDesc.is_null() {
            return Err(INVALID);
        }
        let whole = tables().external_memory.get(extMem).ok_or(INVALID)?;
        // SAFETY: the program's pointer.
        let wanted = unsafe { &*bufferDesc };
        let end = wanted.offset.checked_add(wanted.size).ok_or(INVALID)?;
        if wanted.size == 0 || end > whole.piece.size as u64 {
            return Err(INVALID);
        }
        // Each buffer holds the file.
        let piece = Piece::of_file(File::from(whole.piece.export()?))?;
        let range = tables().memory.map(piece, wanted.offset as usize, wanted.size as usize)?;
        // SAFETY: the program's pointer.
        unsafe { put(devPtr, range.start as *mut c_void) }
    }

    healthy fn hipDestroyExternalMemory(extMem: hipExternalMemory_t) {
        tables().external_memory.remove(extMem).map(drop).ok_or(INVALID)
    }
}
