//! Functions that want to know what happens to a device. Nothing does here that CUDA has a notification for: no program gets a
//! budget of memory that it could be over.

use cuda_types::cuda::{CUasyncCallbackHandle, CUdevice, CUerror, CUres};
use parking_lot::Mutex;

struct Registry {
    last: usize,
    /// The devices and the numbers of those that are registered.
    registered: Vec<(CUdevice, usize)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { last: 0, registered: Vec::new() });

pub(crate) fn register(device: CUdevice) -> CUasyncCallbackHandle {
    let mut registry = REGISTRY.lock();
    registry.last += 1;
    let id = registry.last;
    registry.registered.push((device, id));
    id as CUasyncCallbackHandle
}

/// `INVALID_VALUE` for a handle that is none of the device's.
pub(crate) fn unregister(device: CUdevice, handle: CUasyncCallbackHandle) -> CUres {
    let registered = &mut REGISTRY.lock().registered;
    let at = registered.iter().position(|entry| *entry == (device, handle as usize));
    registered.remove(at.ok_or(CUerror::INVALID_VALUE)?);
    Ok(())
}
