//! Access from one device to the memory of another. Devices here do not have it.

use crate::convert::Out;
use crate::core::context::{Context, current};
use crate::core::device::driver::driver;
use cuda_types::cuda::{CUcontext, CUdevice, CUdevice_P2PAttribute, CUerror, CUres};
use std::ffi::{c_int, c_uint};

pub(crate) fn cuDeviceCanAccessPeer(can: Out<c_int>, device: CUdevice, peer: CUdevice) -> CUres {
    can.check()?;
    driver()?.device(device)?;
    driver()?.device(peer)?;
    can.set(0)
}

pub(crate) fn cuDeviceGetP2PAttribute(
    value: Out<c_int>,
    attribute: CUdevice_P2PAttribute,
    from: CUdevice,
    to: CUdevice,
) -> CUres {
    value.check()?;
    driver()?.device(from)?;
    driver()?.device(to)?;
    // "CUDA_ERROR_INVALID_DEVICE is returned if srcDevice or dstDevice are not valid or if they represent the
    // same device."
    if from == to {
        return Err(CUerror::INVALID_DEVICE);
    }
    match attribute.0 {
        1..=5 => value.set(0),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// `INVALID_CONTEXT` unless there is such a context, alive, and a current one.
fn check_peer(peer: CUcontext) -> CUres {
    current()?;
    match Context::from_handle(peer)?.is_alive() {
        true => Ok(()),
        false => Err(CUerror::INVALID_CONTEXT),
    }
}

pub(crate) fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint) -> CUres {
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    check_peer(peer)?;
    Err(CUerror::PEER_ACCESS_UNSUPPORTED)
}

pub(crate) fn cuCtxDisablePeerAccess(peer: CUcontext) -> CUres {
    check_peer(peer)?;
    Err(CUerror::PEER_ACCESS_NOT_ENABLED)
}
