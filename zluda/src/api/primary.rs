//! Primary contexts.

use crate::api::context::check_flags;
use crate::convert::Out;
use crate::core::context::primary;
use cuda_types::cuda::{CUcontext, CUctx_flags, CUdevice, CUerror, CUres};
use std::ffi::{c_int, c_uint};

pub(crate) fn cuDevicePrimaryCtxRetain(context: Out<CUcontext>, device: CUdevice) -> CUres {
    context.check()?;
    context.set(primary::of_device(device)?.retain()?)
}

pub(crate) fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) -> CUres {
    primary::of_device(device)?.release()
}

pub(crate) fn cuDevicePrimaryCtxReset_v2(device: CUdevice) -> CUres {
    primary::of_device(device)?.reset()
}

/// Nothing is wrong with a release too many, to the first version.
pub(crate) fn cuDevicePrimaryCtxRelease(device: CUdevice) -> CUres {
    match primary::of_device(device)?.release() {
        Err(CUerror::INVALID_CONTEXT) => Ok(()),
        result => result,
    }
}

/// "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", of the first version.
pub(crate) fn cuDevicePrimaryCtxSetFlags(device: CUdevice, flags: c_uint) -> CUres {
    let primary = primary::of_device(device)?;
    check_flags(flags)?;
    if primary.state().1 {
        return Err(CUerror::PRIMARY_CONTEXT_ACTIVE);
    }
    cuDevicePrimaryCtxSetFlags_v2(device, flags)
}

pub(crate) fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint) -> CUres {
    let primary = primary::of_device(device)?;
    check_flags(flags)?;
    // That memory of the host can be mapped goes without saying, and an H100 does not let it be said.
    if flags & CUctx_flags::CU_CTX_MAP_HOST.0 != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    primary.set_flags(flags)
}

pub(crate) fn cuDevicePrimaryCtxGetState(
    device: CUdevice,
    flags: Out<c_uint>,
    active: Out<c_int>,
) -> CUres {
    flags.check()?;
    active.check()?;
    let (state, alive) = primary::of_device(device)?.state();
    flags.set(state)?;
    active.set(c_int::from(alive))
}
