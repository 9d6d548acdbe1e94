//! Notifications about devices.

use crate::convert::Out;
use crate::core::device::driver::driver;
use crate::core::tools::notification;
use cuda_types::cuda::{CUasyncCallback, CUasyncCallbackHandle, CUdevice, CUerror, CUres};
use std::ffi::c_void;

pub(crate) fn cuDeviceRegisterAsyncNotification(
    device: CUdevice,
    function: CUasyncCallback,
    _data: *mut c_void,
    handle: Out<CUasyncCallbackHandle>,
) -> CUres {
    handle.check()?;
    driver()?.device(device)?;
    if function.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    handle.set(notification::register(device))
}

pub(crate) fn cuDeviceUnregisterAsyncNotification(
    device: CUdevice,
    handle: CUasyncCallbackHandle,
) -> CUres {
    driver()?.device(device)?;
    notification::unregister(device, handle)
}
