//! Functions of CUDA 3.1 and older, which need a context of that time.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::setup::{must, zeroed};
use differential::api::Api;

/// A context of its own, of the newest version.
fn own_context(api: &Api) {
    must(api.cuInit(0));
    let mut context = null_mut();
    must(api.cuCtxCreate_v4(&mut context, null_mut(), 0, 0));
}

pub const CASES: &[Case] = &[
    ("first_version/memory", |api| {
        own_context(api);
        let (mut pointer, mut size, mut total, mut host) = (7, 7, 7, null_mut());
        vec![
            api.cuDeviceTotalMem(&mut total, 0),
            total.into(),
            api.cuMemAlloc(&mut pointer, 64),
            api.cuMemAlloc(&mut pointer, 0),
            api.cuMemFree(0),
            api.cuMemFree(12345),
            api.cuMemGetInfo(&mut size, &mut total),
            api.cuMemAllocPitch(&mut pointer, &mut size, 100, 10, 4),
            api.cuMemGetAddressRange(&mut pointer, &mut size, 0x2000),
            api.cuMemAllocHost(&mut host, 64),
        ]
    }),
    ("first_version/copies", |api| {
        own_context(api);
        let mut bytes = [0_u8; 64];
        let host: *mut c_void = bytes.as_mut_ptr().cast();
        let stream = null_mut();
        vec![
            api.cuMemcpyHtoD(0x2000, host, 16),
            api.cuMemcpyDtoH(host, 0x2000, 16),
            api.cuMemcpyDtoD(0x2000, 0x2000, 16),
            api.cuMemcpyHtoDAsync(0x2000, host, 16, stream),
            api.cuMemcpyDtoHAsync(host, 0x2000, 16, stream),
            api.cuMemcpyDtoDAsync(0x2000, 0x2000, 16, stream),
            api.cuMemcpyHtoD(0x2000, host, 0),
            api.cuMemcpyHtoA(null_mut(), 0, host, 16),
            api.cuMemcpyAtoH(host, null_mut(), 0, 16),
            api.cuMemcpyAtoA(null_mut(), 0, null_mut(), 16, 16),
            api.cuMemcpyDtoA(null_mut(), 0, 0x2000, 16),
            api.cuMemcpyAtoD(0x2000, null_mut(), 0, 16),
            api.cuMemcpyHtoAAsync(null_mut(), 0, host, 16, stream),
            api.cuMemcpyAtoHAsync(host, null_mut(), 0, 16, stream),
            api.cuMemcpy2D(null()),
            api.cuMemcpy3D(null()),
            api.cuMemcpy3DAsync(null(), stream),
        ]
    }),
    ("first_version/fills", |api| {
        own_context(api);
        vec![
            api.cuMemsetD8(0x2000, 1, 16),
            api.cuMemsetD16(0x2000, 1, 16),
            api.cuMemsetD32(0x2000, 1, 16),
            api.cuMemsetD2D8(0x2000, 64, 1, 16, 2),
            api.cuMemsetD2D16(0x2000, 64, 1, 16, 2),
            api.cuMemsetD2D32(0x2000, 64, 1, 16, 2),
        ]
    }),
    ("first_version/arrays_and_textures", |api| {
        own_context(api);
        let mut plane: CUDA_ARRAY_DESCRIPTOR_v1 = zeroed();
        let mut space: CUDA_ARRAY3D_DESCRIPTOR_v1 = zeroed();
        (plane.Width, plane.Height, plane.NumChannels) = (16, 16, 1);
        plane.Format = CUarray_format::CU_AD_FORMAT_FLOAT;
        (space.Width, space.Height, space.Depth, space.NumChannels) = (16, 16, 2, 1);
        space.Format = CUarray_format::CU_AD_FORMAT_FLOAT;
        let (mut array, mut reference) = (null_mut(), null_mut());
        must(api.cuTexRefCreate(&mut reference));
        let (mut offset, mut size) = (7, 7);
        vec![
            api.cuArrayCreate(&mut array, &plane),
            api.cuArray3DCreate(&mut array, &space),
            api.cuArrayGetDescriptor(&mut plane, null_mut()),
            api.cuArray3DGetDescriptor(&mut space, null_mut()),
            api.cuTexRefGetAddress(&mut offset, reference),
            api.cuTexRefSetAddress(&mut offset, reference, 0x2000, 64),
            api.cuTexRefSetAddress2D(reference, &plane, 0x2000, 64),
            api.cuModuleGetGlobal(&mut offset, &mut size, null_mut(), c"x".as_ptr()),
        ]
    }),
];
