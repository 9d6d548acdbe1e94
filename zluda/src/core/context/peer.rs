//! Access of kernels to the memory of other devices.

use super::{Context, Current};
use crate::core::device::driver::driver;
use crate::core::error::check;
use cuda_types::cuda::{CUdevice, CUerror, CUres};
use hip_runtime_sys::hipError_t;
use std::sync::Arc;

/// Whether kernels of a device may be let access the memory of another one.
pub(crate) fn can_access(device: CUdevice, peer: CUdevice) -> CUres<bool> {
    let driver = driver()?;
    let (device, peer) = (driver.device(device)?.hip, driver.device(peer)?.hip);
    let mut can = 0;
    // SAFETY: `can` outlives the call.
    check(unsafe { driver.hip.hipDeviceCanAccessPeer(&mut can, device, peer) })?;
    Ok(can != 0)
}

/// Lets kernels of the current context access the memory of another one.
pub(crate) fn enable(current: &Current, peer: &Arc<Context>) -> CUres {
    if !can_access(current.context.device, peer.device)? {
        return Err(CUerror::PEER_ACCESS_UNSUPPORTED);
    }
    let mut peers = current.context.peers.lock();
    // Numbers of lives of a primary context that have ended stand for nothing.
    if peers.iter().any(|(id, _)| *id == peer.id()) {
        return Err(CUerror::PEER_ACCESS_ALREADY_ENABLED);
    }
    let device = current.driver.device(peer.device)?.hip;
    if peers.iter().all(|(_, known)| *known != device) {
        // SAFETY: has no preconditions.
        let error = unsafe { current.driver.hip.hipDeviceEnablePeerAccess(device, 0) };
        // The provider may know it from a context that has ended, or from another one of the device.
        if error != hipError_t::hipErrorPeerAccessAlreadyEnabled {
            current.check(error)?;
        }
    }
    peers.push((peer.id(), device));
    Ok(())
}

/// Takes [`enable`] back.
pub(crate) fn disable(current: &Current, peer: &Context) -> CUres {
    let mut peers = current.context.peers.lock();
    let place = peers.iter().position(|(id, _)| *id == peer.id());
    let (_, device) = peers.swap_remove(place.ok_or(CUerror::PEER_ACCESS_NOT_ENABLED)?);
    if peers.iter().all(|(_, known)| *known != device) {
        // SAFETY: as above. Where that fails, more is allowed than was asked for.
        let _ = unsafe { current.driver.hip.hipDeviceDisablePeerAccess(device) };
    }
    Ok(())
}

/// A context has ended, by number: nobody has access to its memory any more.
pub(crate) fn end_context(context: u64) {
    for (_, other) in super::CONTEXTS.all() {
        other.peers.lock().retain(|(id, _)| *id != context);
    }
}

impl Context {
    /// Whether kernels may access memory that is of this device, and of this context if of any.
    pub(crate) fn may_access(&self, device: CUdevice, owner: Option<&Arc<Context>>) -> bool {
        let Some(owner) = owner.filter(|_| device != self.device) else {
            return true;
        };
        self.peers.lock().iter().any(|(id, _)| *id == owner.id())
    }
}
