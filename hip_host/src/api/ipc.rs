//! Memory and events that processes share by handles.

use std::ffi::{c_char, c_void};

use hip_runtime_sys::{
    hipEvent_t, hipEventDisableTiming, hipEventInterprocess, hipIpcEventHandle_t,
    hipIpcMemHandle_t, hipIpcMemLazyEnablePeerAccess,
};
use std::sync::Arc;

use super::event::event;
use super::memory::free;
use super::{INVALID, check_may_wait, hip_api, put};
use crate::core::context::{self, current};
use crate::core::event::Event;
use crate::core::memory::Kind;
use crate::core::tables::tables;
use crate::os::shared_table::{Bytes, open_memory};

/// A handle as C has it.
fn to_c(bytes: Bytes) -> [c_char; 64] {
    bytes.map(|byte| byte as c_char)
}

fn from_c(reserved: [c_char; 64]) -> Bytes {
    reserved.map(|byte| byte as u8)
}

hip_api! {
    healthy fn hipIpcGetMemHandle(handle: *mut hipIpcMemHandle_t, devPtr: *mut c_void) {
        if handle.is_null() {
            return Err(INVALID);
        }
        let memory = &tables().memory;
        let bytes = match memory.shared(devPtr.addr())? {
            Some(bytes) => bytes,
            None => {
                // The memory moves, which nothing must see.
                check_may_wait()?;
                context::alone(|| memory.share(devPtr.addr()))?
            }
        };
        // SAFETY: the program's pointer.
        unsafe { put(handle, hipIpcMemHandle_t { reserved: to_c(bytes) }) }
    }

    healthy fn hipIpcOpenMemHandle(devPtr: *mut *mut c_void, handle: hipIpcMemHandle_t, flags: u32) {
        if devPtr.is_null() || flags != hipIpcMemLazyEnablePeerAccess {
            return Err(INVALID);
        }
        let (piece, offset, size) = open_memory(&from_c(handle.reserved))?;
        let range = tables().memory.import(piece, offset, size, Kind::Opened, 0)?;
        // SAFETY: the program's pointer.
        unsafe { put(devPtr, range.start as *mut c_void) }
    }

    healthy fn hipIpcCloseMemHandle(devPtr: *mut c_void) {
        if devPtr.is_null() {
            return Err(INVALID);
        }
        free(devPtr, |kind| kind == Kind::Opened)
    }

    healthy fn hipIpcGetEventHandle(handle: *mut hipIpcEventHandle_t, event: hipEvent_t) {
        if handle.is_null() {
            return Err(INVALID);
        }
        let bytes = self::event(event)?.handle()?;
        // SAFETY: the program's pointer.
        unsafe { put(handle, hipIpcEventHandle_t { reserved: to_c(bytes) }) }
    }

    healthy fn hipIpcOpenEventHandle(event: *mut hipEvent_t, handle: hipIpcEventHandle_t) {
        if event.is_null() {
            return Err(INVALID);
        }
        let flags = hipEventInterprocess | hipEventDisableTiming;
        let opened = Arc::new(Event::open(current(), flags, &from_c(handle.reserved))?);
        // SAFETY: the program's pointer.
        unsafe { put(event, tables().events.insert(opened)) }
    }
}
