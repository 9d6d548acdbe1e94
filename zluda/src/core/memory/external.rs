//! Memory of other interfaces, which programs import.

use super::{Kind, insert};
use crate::core::context::{Current, current};
use crate::core::device::driver::driver;
use cuda_types::cuda::{CUdeviceptr, CUerror, CUexternalMemory, CUres};
use hip_runtime_sys::{
    hipExternalMemory_t, hipExternalMemoryBufferDesc, hipExternalMemoryHandleDesc,
    hipExternalMemoryHandleDesc_st__bindgen_ty_1 as HipHandle, hipExternalMemoryHandleType_enum,
};
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind as HandleKind};

/// Imported memory.
#[derive(Debug)]
pub(crate) struct External {
    hip: hipExternalMemory_t,
    size: u64,
}

// SAFETY: HIP's handles may be used from any thread.
unsafe impl Send for External {}
// SAFETY: as above.
unsafe impl Sync for External {}

impl Drop for External {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the provider has given the handle, which nobody uses any more.
            let _ = unsafe { driver.hip.hipDestroyExternalMemory(self.hip) };
        }
    }
}

static EXTERNALS: LazyLock<HandleTable<External>> =
    LazyLock::new(|| HandleTable::new(HandleKind::EXTERNAL_MEMORY));

/// Imports memory by a descriptor, which the driver closes if it succeeds. `UNKNOWN` for descriptors that are of no memory.
pub(crate) fn import(descriptor: i32, size: u64, flags: u32) -> CUres<CUexternalMemory> {
    let current = current()?;
    let wanted = hipExternalMemoryHandleDesc {
        type_: hipExternalMemoryHandleType_enum::hipExternalMemoryHandleTypeOpaqueFd,
        handle: HipHandle { fd: descriptor },
        size,
        // The number is CUDA's.
        flags,
        reserved: [0; 16],
    };
    let mut hip = null_mut();
    // SAFETY: both outlive the call.
    let result =
        current.check(unsafe { current.driver.hip.hipImportExternalMemory(&mut hip, &wanted) });
    result.map_err(|error| match error {
        CUerror::INVALID_VALUE => CUerror::UNKNOWN,
        error => error,
    })?;
    let external = Arc::new(External { hip, size });
    Ok(EXTERNALS.insert(external).ok_or(CUerror::OUT_OF_MEMORY)? as CUexternalMemory)
}

/// The memory with this handle; `INVALID_VALUE` if there is none.
pub(crate) fn from_handle(handle: CUexternalMemory) -> CUres<Arc<External>> {
    EXTERNALS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
}

/// Ends a handle. Buffers stay.
pub(crate) fn destroy(handle: CUexternalMemory) -> CUres {
    EXTERNALS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_VALUE)
}

impl External {
    /// Maps a part, for as long as the program does not free it; `INVALID_VALUE` for what is none.
    pub(crate) fn buffer(&self, current: &Current, offset: u64, size: u64) -> CUres<CUdeviceptr> {
        let end = offset.checked_add(size).ok_or(CUerror::INVALID_VALUE)?;
        if size == 0 || end > self.size {
            return Err(CUerror::INVALID_VALUE);
        }
        let wanted = hipExternalMemoryBufferDesc { offset, size, flags: 0, reserved: [0; 16] };
        let mut address = null_mut();
        let alive = current.context.keep_alive()?;
        // SAFETY: both outlive the call; the handle is the provider's.
        current.check(unsafe {
            current.driver.hip.hipExternalMemoryGetMappedBuffer(&mut address, self.hip, &wanted)
        })?;
        Ok(insert(&alive, address as u64, 0, size as usize, Kind::External).base)
    }
}
