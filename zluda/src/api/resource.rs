//! Resources of devices and contexts: multiprocessors.

use crate::convert::Out;
use crate::core::context::handle_or_current;
use crate::core::device::Device;
use crate::core::device::driver::driver;
use cuda_types::cuda::{
    CUcontext, CUdevResource, CUdevResource_st__bindgen_ty_1 as Union, CUdevResourceType,
    CUdevSmResource, CUdevice, CUerror, CUres,
};
use std::ffi::c_uint;
use zluda_common::config::config;

pub(crate) fn cuDeviceGetDevResource(
    device: CUdevice,
    resource: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> CUres {
    resource.check()?;
    get(driver()?.device(device)?, resource, kind)
}

/// All of the device's: a context is of a whole device.
pub(crate) fn cuCtxGetDevResource(
    context: CUcontext,
    resource: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> CUres {
    resource.check()?;
    if context.is_null() {
        return Err(CUerror::INVALID_CONTEXT);
    }
    let current = handle_or_current(context)?;
    get(current.driver.device(current.context.device)?, resource, kind)
}

fn get(device: &Device, resource: Out<CUdevResource>, kind: CUdevResourceType) -> CUres {
    if kind != CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM {
        return Err(CUerror::INVALID_RESOURCE_TYPE);
    }
    let (least, multiple) = partition(config().compute_capability.major);
    let sm = CUdevSmResource {
        smCount: device.properties.multiprocessors as c_uint,
        minSmPartitionSize: least,
        smCoscheduledAlignment: multiple,
    };
    resource.set(CUdevResource {
        type_: kind,
        _internal_padding: [0; 92],
        __bindgen_anon_1: Union { sm },
    })
}

/// The least number of multiprocessors in a part of a device, and what it is a multiple of: "On Compute Architecture 6.X:
/// The minimum count is 1 SM. 7.X: 2 SMs and must be a multiple of 2. 8.X: 4 SMs and must be a multiple of 2. 9.0+: 8 SMs
/// and must be a multiple of 8."
fn partition(major: u32) -> (c_uint, c_uint) {
    match major {
        0..=6 => (1, 1),
        7 => (2, 2),
        8 => (4, 2),
        _ => (8, 8),
    }
}
