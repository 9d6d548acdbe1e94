//! Memory and events that processes share by handles.

use crate::convert::Out;
use crate::core::context::current;
use crate::core::memory::{current_or_owner, ipc};
use crate::core::stream::event;
use cuda_types::cuda::{
    CUdeviceptr, CUerror, CUevent, CUipcEventHandle, CUipcMem_flags, CUipcMemHandle, CUres,
};
use std::ffi::c_uint;

pub(crate) fn cuIpcGetMemHandle(handle: Out<CUipcMemHandle>, pointer: CUdeviceptr) -> CUres {
    handle.check()?;
    handle.set(ipc::export(pointer)?)
}

pub(crate) fn cuIpcOpenMemHandle_v2(
    pointer: Out<CUdeviceptr>,
    handle: CUipcMemHandle,
    flags: c_uint,
) -> CUres {
    pointer.check()?;
    // "Flags for this operation. Must be specified as CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS"
    if CUipcMem_flags(flags) != CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS {
        return Err(CUerror::INVALID_VALUE);
    }
    pointer.set(ipc::open(&current()?, handle)?)
}

pub(crate) fn cuIpcCloseMemHandle(pointer: CUdeviceptr) -> CUres {
    // An H100 says nothing else of pointers that are none, whatever context there is.
    let current = current_or_owner(pointer).map_err(|_| CUerror::INVALID_VALUE)?;
    ipc::close(&current, pointer)
}

pub(crate) fn cuIpcGetEventHandle(handle: Out<CUipcEventHandle>, event: CUevent) -> CUres {
    handle.check()?;
    if event.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    handle.set(event::from_handle(event)?.export()?)
}

pub(crate) fn cuIpcOpenEventHandle(event: Out<CUevent>, handle: CUipcEventHandle) -> CUres {
    event.check()?;
    event.set(event::open(&current()?, handle)?)
}
