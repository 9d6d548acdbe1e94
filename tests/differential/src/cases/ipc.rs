//! Memory, events and pools that other processes can get, as far as one process sees them.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use super::pool_place::{POSIX, properties};
use crate::setup::*;
use differential::api::Api;

const MIB: usize = 1 << 20;

fn new_context(api: &Api) {
    let mut context = null_mut();
    must(api.cuInit(0));
    must(api.cuCtxCreate_v4(&mut context, null_mut(), 0, 0));
}

fn is_capable(api: &Api, pointer: CUdeviceptr) -> [i64; 2] {
    let mut value = -7_i32;
    let wanted = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
    let answer = api.cuPointerGetAttribute((&raw mut value).cast(), wanted, pointer);
    [answer, value.into()]
}

/// Memory that is mapped, of which a file descriptor could be had.
fn mapped(api: &Api) -> CUdeviceptr {
    let location = CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
    // SAFETY: all zeros is a value of this structure.
    let mut wanted: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    wanted.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = location;
    wanted.requestedHandleTypes = POSIX;
    let (mut memory, mut address) = (0, 0);
    must(api.cuMemCreate(&mut memory, 2 * MIB, &wanted, 0));
    must(api.cuMemAddressReserve(&mut address, 2 * MIB, 0, 0, 0));
    must(api.cuMemMap(address, 2 * MIB, 0, memory, 0));
    let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    must(api.cuMemSetAccess(address, 2 * MIB, &CUmemAccessDesc { location, flags }, 1));
    address
}

pub const CASES: &[Case] = &[
    ("ipc/memory", |api| {
        let mut first = CUipcMemHandle { reserved: [0; 64] };
        let (mut second, mut other) = (first, first);
        must(api.cuInit(0));
        let mut answers = vec![api.cuIpcGetMemHandle(&mut other, 0)];
        new_context(api);
        let a = allocate(api, 4096);
        answers.extend([
            api.cuIpcGetMemHandle(&mut first, a),
            api.cuIpcGetMemHandle(&mut second, a + 256),
            (first.reserved != second.reserved) as i64,
            api.cuIpcGetMemHandle(null_mut(), a),
            api.cuIpcGetMemHandle(&mut other, 0),
            api.cuIpcGetMemHandle(&mut other, a + 4096),
        ]);
        let mut own = 0;
        answers.extend([
            api.cuIpcOpenMemHandle_v2(&mut own, first, 1),
            api.cuIpcOpenMemHandle_v2(&mut own, first, 0),
        ]);
        let large = allocate(api, 4 * MIB);
        let mut host = null_mut();
        answers.push(api.cuIpcGetMemHandle(&mut other, large));
        must(api.cuMemAllocHost_v2(&mut host, 4096));
        answers.push(api.cuIpcGetMemHandle(&mut other, host as CUdeviceptr));
        let (mut managed, mut pooled, mut rows, mut pitch) = (0, 0, 0, 0);
        must(api.cuMemAllocManaged(&mut managed, 4096, 1));
        answers.push(api.cuIpcGetMemHandle(&mut other, managed));
        must(api.cuMemAllocAsync(&mut pooled, 4096, null_mut()));
        answers.push(api.cuIpcGetMemHandle(&mut other, pooled));
        must(api.cuMemAllocPitch_v2(&mut rows, &mut pitch, 100, 100, 4));
        answers.push(api.cuIpcGetMemHandle(&mut other, rows));
        answers.push(api.cuIpcGetMemHandle(&mut other, mapped(api)));
        answers.extend(is_capable(api, a));
        answers.extend(is_capable(api, managed));
        answers
    }),
    ("ipc/event", |api| {
        new_context(api);
        let mut handle = CUipcEventHandle { reserved: [0; 64] };
        let mut again = handle;
        let [mut plain, mut untimed, mut shared, mut opened] = [null_mut(); 4];
        let (disable_timing, interprocess) = (2, 4);
        let mut answers = vec![
            api.cuEventCreate(&mut plain, 0),
            api.cuIpcGetEventHandle(&mut handle, plain),
            api.cuEventCreate(&mut shared, interprocess),
            api.cuEventCreate(&mut untimed, disable_timing),
            api.cuIpcGetEventHandle(&mut handle, untimed),
            api.cuEventCreate(&mut shared, interprocess | disable_timing),
            api.cuIpcGetEventHandle(null_mut(), shared),
            api.cuIpcGetEventHandle(&mut handle, null_mut()),
            api.cuIpcGetEventHandle(&mut handle, shared),
            api.cuIpcOpenEventHandle(&mut opened, handle),
            api.cuEventRecord(shared, null_mut()),
            api.cuIpcGetEventHandle(&mut again, shared),
            (handle.reserved != again.reserved) as i64,
        ];
        let mut milliseconds = 0.0;
        answers.push(api.cuEventElapsedTime(&mut milliseconds, shared, shared));
        answers
    }),
    ("ipc/pool", |api| {
        new_context(api);
        let (a, mut pooled) = (allocate(api, 4096), 0);
        must(api.cuMemAllocAsync(&mut pooled, 4096, null_mut()));
        let wanted = properties(1, 1, 0, POSIX.0);
        let (mut pool, mut descriptor, mut x) = (null_mut(), -7_i32, 0);
        let at: *mut c_void = (&raw mut descriptor).cast();
        let mut answers = vec![
            api.cuMemPoolCreate(&mut pool, &wanted),
            api.cuMemPoolExportToShareableHandle(at, pool, POSIX, 0),
            api.cuMemAllocFromPoolAsync(&mut x, 1000, pool, null_mut()),
            api.cuStreamSynchronize(null_mut()),
            api.cuMemsetD32_v2(x, 11, 1),
        ];
        let mut data = CUmemPoolPtrExportData { reserved: [0; 64] };
        let (mut other, mut imported) = (data, 0);
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        answers.extend([
            api.cuMemPoolExportPointer(&mut data, x),
            api.cuMemPoolExportPointer(&mut other, x + 4),
            api.cuMemPoolExportPointer(&mut other, a),
            api.cuMemPoolExportPointer(&mut other, pooled),
            api.cuMemPoolExportPointer(null_mut(), x),
            api.cuMemPoolExportPointer(&mut other, 0),
            api.cuMemPoolImportPointer(&mut imported, pool, &mut data),
            api.cuIpcGetMemHandle(&mut handle, x),
        ]);
        answers.extend(is_capable(api, x));
        answers
    }),
];
