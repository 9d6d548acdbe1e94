//! Memory and semaphores of other interfaces.

use crate::convert::{In, Out};
use crate::core::context::current;
use crate::core::memory::external;
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_DEDICATED,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUdeviceptr,
    CUerror, CUexternalMemory, CUexternalMemoryHandleType_enum as M, CUexternalSemaphore,
    CUexternalSemaphoreHandleType_enum as S, CUres,
};
use std::ffi::c_uint;

/// File descriptors alone are handles of this system; an H100 tells handles of another one from those that want a flag or
/// are none.
pub(crate) fn cuImportExternalMemory(
    memory: Out<CUexternalMemory>,
    wanted: In<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>,
) -> CUres {
    memory.check()?;
    let wanted = wanted.get()?;
    match wanted.type_ {
        M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD => {}
        M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32
        | M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT
        | M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP
        | M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF
        | M(9) => return Err(CUerror::NOT_SUPPORTED),
        _ => return Err(CUerror::INVALID_VALUE),
    }
    if wanted.size == 0 || wanted.flags & !CUDA_EXTERNAL_MEMORY_DEDICATED != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: the type says that it is a descriptor; any number may be one.
    let descriptor = unsafe { wanted.handle.fd };
    memory.set(external::import(descriptor, wanted.size, wanted.flags)?)
}

pub(crate) fn cuExternalMemoryGetMappedBuffer(
    pointer: Out<CUdeviceptr>,
    memory: CUexternalMemory,
    wanted: In<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>,
) -> CUres {
    pointer.check()?;
    let wanted = wanted.get()?;
    let memory = external::from_handle(memory)?;
    // "flags: Flags reserved for future use. Must be zero."
    if wanted.flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    pointer.set(memory.buffer(&current()?, wanted.offset, wanted.size)?)
}

pub(crate) fn cuDestroyExternalMemory(memory: CUexternalMemory) -> CUres {
    external::destroy(memory)
}

/// Nothing here makes semaphores that could be imported, so that no descriptor is of one.
pub(crate) fn cuImportExternalSemaphore(
    semaphore: Out<CUexternalSemaphore>,
    wanted: In<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>,
) -> CUres {
    semaphore.check()?;
    let wanted = wanted.get()?;
    current()?;
    if wanted.flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    match wanted.type_ {
        S::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
        | S::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD => Err(CUerror::UNKNOWN),
        S(2..=10) => Err(CUerror::NOT_SUPPORTED),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuDestroyExternalSemaphore(_semaphore: CUexternalSemaphore) -> CUres {
    Err(CUerror::INVALID_VALUE)
}

pub(crate) fn cuSignalExternalSemaphoresAsync(
    _semaphores: In<CUexternalSemaphore>,
    _params: In<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
    _count: c_uint,
    stream: StreamArg,
) -> CUres {
    stream.enter()?;
    Err(CUerror::INVALID_VALUE)
}

pub(crate) fn cuWaitExternalSemaphoresAsync(
    _semaphores: In<CUexternalSemaphore>,
    _params: In<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    _count: c_uint,
    stream: StreamArg,
) -> CUres {
    stream.enter()?;
    Err(CUerror::INVALID_VALUE)
}
