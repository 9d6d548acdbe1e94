//! Access from one device to the memory of another.

use crate::convert::Out;
use crate::core::context::{Context, current, peer};
use crate::core::device::driver::driver;
use crate::core::error::check;
use cuda_types::cuda::{CUcontext, CUdevice, CUdevice_P2PAttribute as P, CUerror, CUres};
use hip_runtime_sys::hipDeviceP2PAttr;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

pub(crate) fn cuDeviceCanAccessPeer(can: Out<c_int>, device: CUdevice, peer: CUdevice) -> CUres {
    can.check()?;
    can.set(peer::can_access(device, peer)?.into())
}

pub(crate) fn cuDeviceGetP2PAttribute(
    value: Out<c_int>,
    attribute: P,
    from: CUdevice,
    to: CUdevice,
) -> CUres {
    value.check()?;
    let driver = driver()?;
    let (from, to) = (driver.device(from)?.hip, driver.device(to)?.hip);
    // "CUDA_ERROR_INVALID_DEVICE is returned if srcDevice or dstDevice are not valid or if they represent the
    // same device."
    if from == to {
        return Err(CUerror::INVALID_DEVICE);
    }
    let hip = match attribute {
        P::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK => {
            hipDeviceP2PAttr::hipDevP2PAttrPerformanceRank
        }
        P::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED => {
            hipDeviceP2PAttr::hipDevP2PAttrAccessSupported
        }
        P::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED => {
            hipDeviceP2PAttr::hipDevP2PAttrNativeAtomicSupported
        }
        P::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => {
            hipDeviceP2PAttr::hipDevP2PAttrHipArrayAccessSupported
        }
        // CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: HIP has all or none.
        P(5) => return value.set(0),
        _ => return Err(CUerror::INVALID_VALUE),
    };
    let mut answer = 0;
    // SAFETY: `answer` outlives the call.
    check(unsafe { driver.hip.hipDeviceGetP2PAttribute(&mut answer, hip, from, to) })?;
    value.set(answer)
}

/// The other context, alive; `INVALID_CONTEXT` if there is none, or no current one.
fn alive(peer: CUcontext) -> CUres<Arc<Context>> {
    let peer = Context::from_handle(peer)?;
    if peer.is_alive() { Ok(peer) } else { Err(CUerror::INVALID_CONTEXT) }
}

pub(crate) fn cuCtxEnablePeerAccess(other: CUcontext, flags: c_uint) -> CUres {
    let current = current()?;
    // "Flags: Reserved for future use and must be set to 0"
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    peer::enable(&current, &alive(other)?)
}

pub(crate) fn cuCtxDisablePeerAccess(other: CUcontext) -> CUres {
    let current = current()?;
    // An H100 does not tell contexts that have ended from those without access.
    peer::disable(&current, &*Context::from_handle(other)?)
}
