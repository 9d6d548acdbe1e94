//! Allocation, copies, sets, host memory, pointer attributes.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;

pub const CASES: &[Case] = &[
    ("memory/alloc", |api| {
        context(api);
        let mut pointer = 0;
        vec![
            api.cuMemAlloc_v2(null_mut(), 16),
            api.cuMemAlloc_v2(&mut pointer, 0),
            api.cuMemAlloc_v2(&mut pointer, usize::MAX),
            api.cuMemAlloc_v2(&mut pointer, 1 << 50),
            api.cuMemAlloc_v2(&mut pointer, 1),
            (pointer % 256) as i64,
        ]
    }),
    ("memory/free", |api| {
        context(api);
        let pointer = allocate(api, 1024);
        vec![
            api.cuMemFree_v2(0),
            api.cuMemFree_v2(pointer + 4),
            api.cuMemFree_v2(0x1234),
            api.cuMemFree_v2(pointer),
            api.cuMemFree_v2(pointer),
        ]
    }),
    ("memory/alloc_pitch", |api| {
        context(api);
        let (mut pointer, mut pitch) = (0, 0);
        vec![
            api.cuMemAllocPitch_v2(&mut pointer, &mut pitch, 100, 4, 4),
            (pitch >= 100 && pitch % 32 == 0) as i64,
            api.cuMemAllocPitch_v2(&mut pointer, &mut pitch, 0, 4, 4),
            api.cuMemAllocPitch_v2(&mut pointer, &mut pitch, 100, 0, 4),
            api.cuMemAllocPitch_v2(&mut pointer, &mut pitch, 100, 4, 3),
            api.cuMemAllocPitch_v2(null_mut(), &mut pitch, 100, 4, 4),
            api.cuMemAllocPitch_v2(&mut pointer, null_mut(), 100, 4, 4),
        ]
    }),
    ("memory/info", |api| {
        context(api);
        let (mut free, mut total) = (0, 0);
        vec![
            api.cuMemGetInfo_v2(&mut free, &mut total),
            (free > 0 && free <= total) as i64,
            api.cuMemGetInfo_v2(null_mut(), &mut total),
            api.cuMemGetInfo_v2(&mut free, null_mut()),
        ]
    }),
    ("memory/address_range", |api| {
        context(api);
        let pointer = allocate(api, 1000);
        let (mut base, mut size) = (0, 0);
        vec![
            api.cuMemGetAddressRange_v2(&mut base, &mut size, pointer + 999),
            (base == pointer) as i64,
            size as i64,
            api.cuMemGetAddressRange_v2(null_mut(), &mut size, pointer),
            api.cuMemGetAddressRange_v2(&mut base, null_mut(), pointer),
            api.cuMemGetAddressRange_v2(&mut base, &mut size, pointer + 1000),
            api.cuMemGetAddressRange_v2(&mut base, &mut size, 0),
            api.cuMemGetAddressRange_v2(&mut base, &mut size, 0x1234),
        ]
    }),
    ("memory/copy", |api| {
        context(api);
        let pointer = allocate(api, 64);
        let bytes = [3_u8; 64];
        let mut back = [0_u8; 64];
        vec![
            api.cuMemcpyHtoD_v2(pointer, bytes.as_ptr().cast(), 64),
            api.cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), pointer, 64),
            back[63] as i64,
            api.cuMemcpyHtoD_v2(pointer, null(), 0),
            api.cuMemcpyHtoD_v2(0, bytes.as_ptr().cast(), 0),
            api.cuMemcpyHtoD_v2(0, bytes.as_ptr().cast(), 64),
            api.cuMemcpyHtoD_v2(pointer, null(), 64),
            api.cuMemcpyDtoH_v2(null_mut(), pointer, 64),
            api.cuMemcpyDtoD_v2(pointer, 0, 64),
        ]
    }),
    ("memory/copy_beyond", |api| {
        context(api);
        let pointer = allocate(api, 64);
        let bytes = vec![3_u8; 8 << 20];
        vec![api.cuMemcpyHtoD_v2(pointer, bytes.as_ptr().cast(), 8 << 20)]
    }),
    ("memory/copy_freed", |api| {
        context(api);
        let pointer = allocate(api, 64 << 20);
        must(api.cuMemFree_v2(pointer));
        let bytes = [3_u8; 64];
        vec![api.cuMemcpyHtoD_v2(pointer, bytes.as_ptr().cast(), 64)]
    }),
    ("memory/copy_between", |api| {
        context(api);
        let pointer = allocate(api, 64);
        let bytes = [5_u8; 64];
        let mut back = [0_u8; 64];
        vec![
            api.cuMemcpy(pointer, bytes.as_ptr() as u64, 64),
            api.cuMemcpy(back.as_mut_ptr() as u64, pointer, 64),
            back[0] as i64,
        ]
    }),
    ("memory/copy_async_bad_stream", |api| {
        context(api);
        let pointer = allocate(api, 64);
        let bytes = [5_u8; 64];
        vec![api.cuMemcpyHtoDAsync_v2(pointer, bytes.as_ptr().cast(), 64, foreign())]
    }),
    ("memory/set", |api| {
        context(api);
        let pointer = allocate(api, 64);
        let mut back = [0_u8; 64];
        vec![
            api.cuMemsetD8_v2(pointer, 9, 64),
            api.cuMemsetD16_v2(pointer, 0x0102, 4),
            api.cuMemsetD32_v2(pointer + 16, 0x0304_0506, 2),
            api.cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), pointer, 64),
            back[0] as i64,
            back[8] as i64,
            back[19] as i64,
            api.cuMemsetD16_v2(pointer + 1, 0, 4),
            api.cuMemsetD32_v2(pointer + 2, 0, 4),
            api.cuMemsetD8_v2(0, 0, 4),
            api.cuMemsetD8_v2(0, 0, 0),
            api.cuMemsetD8_v2(pointer, 0, 0),
        ]
    }),
    ("memory/set_beyond", |api| {
        context(api);
        let pointer = allocate(api, 64);
        vec![api.cuMemsetD8_v2(pointer, 0, 64 << 20)]
    }),
    ("memory/set_2d", |api| {
        context(api);
        let pointer = allocate(api, 4096);
        let mut back = [0_u8; 256];
        vec![
            api.cuMemsetD2D8_v2(pointer, 128, 7, 16, 2),
            api.cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), pointer, 256),
            back[15] as i64,
            back[143] as i64,
            api.cuMemsetD2D8_v2(pointer, 8, 7, 16, 2),
        ]
    }),
    ("memory/copy_2d", |api| {
        context(api);
        let pointer = allocate(api, 4096);
        let bytes = [1_u8; 1024];
        // SAFETY: a plain structure.
        let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
        copy.srcMemoryType = CUmemorytype(1);
        copy.srcHost = bytes.as_ptr().cast();
        copy.srcPitch = 32;
        copy.dstMemoryType = CUmemorytype(2);
        copy.dstDevice = pointer;
        copy.dstPitch = 64;
        copy.WidthInBytes = 32;
        copy.Height = 4;
        let mut answers = vec![api.cuMemcpy2D_v2(&copy), api.cuMemcpy2D_v2(null())];
        copy.dstPitch = 16;
        answers.push(api.cuMemcpy2D_v2(&copy));
        copy.dstPitch = 64;
        copy.dstMemoryType = CUmemorytype(77);
        answers.push(api.cuMemcpy2D_v2(&copy));
        copy.dstMemoryType = CUmemorytype(2);
        copy.Height = 0;
        answers.push(api.cuMemcpy2D_v2(&copy));
        answers
    }),
    ("memory/host_alloc", |api| {
        context(api);
        let mut pointer: *mut c_void = null_mut();
        let mut device = 0;
        let mut flags = 99;
        let mut answers = vec![
            api.cuMemHostAlloc(null_mut(), 64, 0),
            api.cuMemHostAlloc(&mut pointer, 0, 0),
            api.cuMemHostAlloc(&mut pointer, 64, 0xff00),
            api.cuMemHostAlloc(&mut pointer, 64, 2),
            api.cuMemHostGetDevicePointer_v2(&mut device, pointer, 0),
            (device != 0) as i64,
            api.cuMemHostGetDevicePointer_v2(&mut device, pointer, 1),
            api.cuMemHostGetDevicePointer_v2(null_mut(), pointer, 0),
            api.cuMemHostGetFlags(&mut flags, pointer),
            (flags & 2) as i64,
            api.cuMemHostGetFlags(&mut flags, foreign()),
            api.cuMemFreeHost(pointer),
            api.cuMemFreeHost(pointer),
        ];
        answers.push(api.cuMemFreeHost(null_mut()));
        answers.push(api.cuMemFreeHost(foreign()));
        answers
    }),
    ("memory/alloc_host", |api| {
        context(api);
        let mut pointer = null_mut();
        vec![
            api.cuMemAllocHost_v2(null_mut(), 64),
            api.cuMemAllocHost_v2(&mut pointer, 0),
            api.cuMemAllocHost_v2(&mut pointer, 64),
            api.cuMemFreeHost(pointer),
        ]
    }),
    ("memory/host_register", |api| {
        context(api);
        let mut bytes = vec![0_u8; 1 << 16];
        let pointer: *mut c_void = bytes.as_mut_ptr().cast();
        vec![
            api.cuMemHostRegister_v2(null_mut(), 64, 0),
            api.cuMemHostRegister_v2(pointer, 0, 0),
            api.cuMemHostRegister_v2(pointer, 1 << 16, 0xff00),
            api.cuMemHostRegister_v2(pointer, 1 << 16, 0),
            api.cuMemHostRegister_v2(pointer, 1 << 16, 0),
            api.cuMemHostUnregister(pointer),
            api.cuMemHostUnregister(pointer),
            api.cuMemHostUnregister(null_mut()),
        ]
    }),
    ("memory/managed", |api| {
        context(api);
        let mut pointer = 0;
        vec![
            api.cuMemAllocManaged(null_mut(), 64, 1),
            api.cuMemAllocManaged(&mut pointer, 0, 1),
            api.cuMemAllocManaged(&mut pointer, 64, 0),
            api.cuMemAllocManaged(&mut pointer, 64, 9),
            api.cuMemAllocManaged(&mut pointer, 64, 1),
            api.cuMemFree_v2(pointer),
        ]
    }),
    ("memory/pointer_attribute", |api| {
        let context = context(api);
        let pointer = allocate(api, 64);
        let host = 5_u64;
        let mut kind = 0_u32;
        let mut owner: CUcontext = null_mut();
        let ask = |data: *mut c_void, number: u32, pointer: u64| {
            api.cuPointerGetAttribute(data, CUpointer_attribute(number as _), pointer)
        };
        vec![
            ask((&raw mut kind).cast(), 2, pointer),
            kind as i64,
            ask((&raw mut kind).cast(), 2, &raw const host as u64),
            ask((&raw mut kind).cast(), 2, 0),
            ask((&raw mut owner).cast(), 1, pointer),
            (owner == context) as i64,
            ask((&raw mut kind).cast(), 8, pointer),
            kind as i64,
            ask((&raw mut kind).cast(), 9, pointer + 5),
            kind as i64,
            ask(null_mut(), 2, pointer),
            ask((&raw mut kind).cast(), 9999, pointer),
        ]
    }),
    ("memory/pointer_attributes_of_host", |api| {
        context(api);
        let host = 5_u64;
        let mut kind = 77_u32;
        let mut ordinal = 77_i32;
        let mut attributes = [CUpointer_attribute(2), CUpointer_attribute(9)];
        let mut data: [*mut c_void; 2] = [(&raw mut kind).cast(), (&raw mut ordinal).cast()];
        let pointer = &raw const host as u64;
        vec![
            api.cuPointerGetAttributes(2, attributes.as_mut_ptr(), data.as_mut_ptr(), pointer),
            kind as i64,
            ordinal as i64,
            api.cuPointerGetAttributes(2, null_mut(), data.as_mut_ptr(), pointer),
            api.cuPointerGetAttributes(2, attributes.as_mut_ptr(), null_mut(), pointer),
        ]
    }),
    ("memory/pointer_attributes_without_context", |api| {
        context(api);
        let host = 5_u64;
        let pointers = [allocate(api, 4096), &raw const host as u64];
        must(api.cuCtxSetCurrent(null_mut()));
        let mut answers = vec![];
        for pointer in pointers {
            let (mut kind, mut ordinal, mut id) = (77_u32, -5_i32, 9_u64);
            let mut attributes =
                [CUpointer_attribute(2), CUpointer_attribute(9), CUpointer_attribute(7)];
            let mut data: [*mut c_void; 3] =
                [(&raw mut kind).cast(), (&raw mut ordinal).cast(), (&raw mut id).cast()];
            answers.extend([
                api.cuPointerGetAttributes(3, attributes.as_mut_ptr(), data.as_mut_ptr(), pointer),
                kind as i64,
                ordinal as i64,
                i64::from(id != 0),
                api.cuPointerGetAttribute(data[0], attributes[0], pointer),
            ]);
        }
        answers
    }),
    ("memory/async_alloc", |api| {
        context(api);
        let mut pointer = 0;
        vec![
            api.cuMemAllocAsync(null_mut(), 64, null_mut()),
            api.cuMemAllocAsync(&mut pointer, 0, null_mut()),
            api.cuMemAllocAsync(&mut pointer, 64, null_mut()),
            api.cuMemFreeAsync(pointer, null_mut()),
            api.cuMemFreeAsync(0, null_mut()),
        ]
    }),
    ("memory/without_context", |api| {
        must(api.cuInit(0));
        let mut bytes = [0_u8; 16];
        let mut pointer = null_mut();
        vec![
            api.cuMemFree_v2(0),
            api.cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), 0x1000, 16),
            api.cuMemHostAlloc(&mut pointer, 16, 0),
            api.cuMemsetD8_v2(0x1000, 0, 16),
        ]
    }),
];
