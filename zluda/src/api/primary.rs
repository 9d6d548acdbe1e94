//! Primary contexts.

use crate::api::context::check_flags;
use crate::convert::Out;
use crate::core::device::driver::driver;
use cuda_types::cuda::{CUcontext, CUdevice, CUres};
use std::ffi::{c_int, c_uint};

pub(crate) fn cuDevicePrimaryCtxRetain(context: Out<CUcontext>, device: CUdevice) -> CUres {
    context.check()?;
    context.set(driver()?.device(device)?.retain_primary()?)
}

pub(crate) fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) -> CUres {
    driver()?.device(device)?.release_primary()
}

pub(crate) fn cuDevicePrimaryCtxReset_v2(device: CUdevice) -> CUres {
    driver()?.device(device)?.reset_primary()
}

pub(crate) fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint) -> CUres {
    let device = driver()?.device(device)?;
    check_flags(flags)?;
    device.set_primary_flags(flags)
}

pub(crate) fn cuDevicePrimaryCtxGetState(
    device: CUdevice,
    flags: Out<c_uint>,
    active: Out<c_int>,
) -> CUres {
    flags.check()?;
    active.check()?;
    let (state, alive) = driver()?.device(device)?.primary_state();
    flags.set(state)?;
    active.set(c_int::from(alive))
}
