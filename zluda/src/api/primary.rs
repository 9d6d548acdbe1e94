//! Primary contexts.

use crate::api::context::check_flags;
use crate::convert::Out;
use crate::core::context::primary;
use cuda_types::cuda::{CUcontext, CUdevice, CUres};
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

pub(crate) fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint) -> CUres {
    let primary = primary::of_device(device)?;
    check_flags(flags)?;
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
