//! Memory that processes share by handles: bytes that come to another process in any way.

use super::{Kind, find, insert, release, take};
use crate::core::context::{Current, enter};
use cuda_types::cuda::{CUdeviceptr, CUerror, CUipcMemHandle, CUres};
use hip_runtime_sys::hipIpcMemHandle_t;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::LazyLock;

/// The handle of memory of `cuMemAlloc`, any address of which will do; `INVALID_VALUE` for other memory.
pub(crate) fn export(address: CUdeviceptr) -> CUres<CUipcMemHandle> {
    let found = find(address).filter(|found| found.kind == Kind::Device);
    let found = found.ok_or(CUerror::INVALID_VALUE)?;
    let current = enter(found.context().ok_or(CUerror::INVALID_VALUE)?)?;
    let mut handle = hipIpcMemHandle_t { reserved: [0; 64] };
    // SAFETY: `handle` outlives the call; the memory is the provider's.
    current.check(unsafe {
        current.driver.hip.hipIpcGetMemHandle(&mut handle, found.base as *mut c_void)
    })?;
    Ok(CUipcMemHandle { reserved: handle.reserved })
}

/// Memory that a context has opened: its address, and how often it has to be closed.
struct Opened {
    address: CUdeviceptr,
    count: usize,
}

/// A context and a handle.
type Key = (u64, [c_char; 64]);

/// What is open.
static OPENED: LazyLock<Mutex<HashMap<Key, Opened>>> = LazyLock::new(Mutex::default);

/// The address of another process's memory: the same one as long as it is open.
pub(crate) fn open(current: &Current, handle: CUipcMemHandle) -> CUres<CUdeviceptr> {
    let mut all = OPENED.lock();
    let key = (current.context.id(), handle.reserved);
    if let Some(opened) = all.get_mut(&key) {
        opened.count += 1;
        return Ok(opened.address);
    }
    let alive = current.context.keep_alive()?;
    let hip = &current.driver.hip;
    let handle = hipIpcMemHandle_t { reserved: handle.reserved };
    let (mut address, mut start, mut size) = (null_mut(), null_mut(), 0);
    // SAFETY: all outlive the calls.
    current.check(unsafe { hip.ipc_open_memory(&mut address, handle) })?;
    // SAFETY: as above.
    current.check(unsafe { hip.hipMemGetAddressRange(&mut start, &mut size, address) })?;
    // Providers may open more than what was asked for.
    let size = size.saturating_sub(address as usize - start as usize);
    let address = insert(&alive, address as u64, 0, size, Kind::Opened).base;
    all.insert(key, Opened { address, count: 1 });
    Ok(address)
}

/// Closes memory once; the last time it goes. `INVALID_VALUE` unless an address of [`open`] is given.
pub(crate) fn close(current: &Current, address: CUdeviceptr) -> CUres {
    let mut all = OPENED.lock();
    let found = all.iter_mut().find(|(_, opened)| opened.address == address);
    let (key, opened) = found.ok_or(CUerror::INVALID_VALUE)?;
    opened.count -= 1;
    if opened.count != 0 {
        return Ok(());
    }
    let key = *key;
    all.remove(&key);
    let allocation = take(address, |found| found.kind == Kind::Opened)?;
    drop(all);
    current.check(release(&allocation)?)
}

/// Forgets what a context has open, which goes with it.
pub(super) fn end_context(context: u64) {
    OPENED.lock().retain(|(of, _), _| *of != context);
}
