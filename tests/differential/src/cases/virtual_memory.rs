//! Virtual memory management: reservations, memory without an address, mappings, access, and what is asked of them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

type H = CUmemAllocationHandleType;

const UNIT: usize = 2 << 20;
const POSIX: H = H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const NONE: H = H::CU_MEM_HANDLE_TYPE_NONE;

fn device(id: i32) -> CUmemLocation {
    CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id }
}

fn properties(handle_types: H) -> CUmemAllocationProp {
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = device(0);
    properties.requestedHandleTypes = handle_types;
    properties
}

fn reserve(api: &Api, size: usize) -> CUdeviceptr {
    let mut address = 0;
    must(api.cuMemAddressReserve(&mut address, size, 0, 0, 0));
    address
}

fn create(api: &Api, size: usize) -> CUmemGenericAllocationHandle {
    let mut handle = 0;
    must(api.cuMemCreate(&mut handle, size, &properties(NONE), 0));
    handle
}

fn set_access(api: &Api, at: CUdeviceptr, size: usize, flags: u32) -> i64 {
    let description = CUmemAccessDesc { location: device(0), flags: CUmemAccess_flags(flags) };
    api.cuMemSetAccess(at, size, &description, 1)
}

/// The result, and how the device can access an address.
fn access(api: &Api, at: CUdeviceptr) -> [i64; 2] {
    let mut flags = 77;
    [api.cuMemGetAccess(&mut flags, &device(0), at), flags as i64]
}

/// New memory that can be accessed, at a new address, with a reservation of twice the size.
fn mapped(api: &Api, size: usize) -> (CUdeviceptr, CUmemGenericAllocationHandle) {
    let (address, handle) = (reserve(api, 2 * size), create(api, size));
    must(api.cuMemMap(address, size, 0, handle, 0));
    must(set_access(api, address, size, 3));
    (address, handle)
}

fn read(api: &Api, at: CUdeviceptr) -> [i64; 2] {
    let mut word = 0_u32;
    [api.cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4), word.into()]
}

/// The result and the value of an attribute of a pointer.
fn attribute(api: &Api, number: u32, at: CUdeviceptr) -> [i64; 2] {
    let mut value = 0_u64;
    let code = api.cuPointerGetAttribute((&raw mut value).cast(), CUpointer_attribute(number), at);
    [code, value as i64]
}

pub const CASES: &[Case] = &[
    ("virtual_memory/attributes", |api| {
        context(api);
        let mut answers = Vec::new();
        for number in [102, 103, 104, 105, 128] {
            let mut value = -1;
            answers.push(api.cuDeviceGetAttribute(&mut value, CUdevice_attribute(number), 0));
            answers.push(value.into());
        }
        answers
    }),
    ("virtual_memory/granularity", |api| {
        must(api.cuInit(0));
        let minimum = CUmemAllocationGranularity_flags(0);
        let mut size = 0;
        let mut answers = vec![
            api.cuMemGetAllocationGranularity(&mut size, &properties(NONE), minimum),
            size as i64,
            api.cuMemGetAllocationGranularity(
                &mut size,
                &properties(POSIX),
                CUmemAllocationGranularity_flags(1),
            ),
            size as i64,
            api.cuMemGetAllocationGranularity(
                &mut size,
                &properties(NONE),
                CUmemAllocationGranularity_flags(2),
            ),
            api.cuMemGetAllocationGranularity(null_mut(), &properties(NONE), minimum),
            api.cuMemGetAllocationGranularity(&mut size, null(), minimum),
        ];
        let mut wrong = properties(NONE);
        wrong.location = device(99);
        answers.push(api.cuMemGetAllocationGranularity(&mut size, &wrong, minimum));
        wrong = properties(NONE);
        wrong.type_ = CUmemAllocationType(0);
        answers.push(api.cuMemGetAllocationGranularity(&mut size, &wrong, minimum));
        answers
    }),
    ("virtual_memory/reserve", |api| {
        // No context is needed.
        must(api.cuInit(0));
        let mut address = 0;
        let mut answers = Vec::new();
        for (size, alignment, flags) in [
            (UNIT, 0, 0),
            (UNIT, 1 << 30, 0),
            (1 << 40, 0, 0),
            (0, 0, 0),
            (1, 0, 0),
            (4096, 0, 0),
            (UNIT + 4096, 0, 0),
            (UNIT, 3, 0),
            (UNIT, 4096, 0),
            (UNIT, UNIT + 1, 0),
            (UNIT, 0, 1),
            (1 << 50, 0, 0),
            (usize::MAX & !(UNIT - 1), 0, 0),
        ] {
            answers.push(api.cuMemAddressReserve(&mut address, size, alignment, 0, flags));
            let align = if alignment.is_power_of_two() { alignment.max(UNIT) } else { UNIT };
            answers.push((address % align as u64) as i64);
        }
        answers.push(api.cuMemAddressReserve(null_mut(), UNIT, 0, 0, 0));
        // An address is a hint; free ones are taken, others not, and those that are not aligned?
        let first = reserve(api, 4 * UNIT);
        must(api.cuMemAddressFree(first, 4 * UNIT));
        answers.push(api.cuMemAddressReserve(&mut address, 4 * UNIT, 0, first, 0));
        answers.push((address == first) as i64);
        answers.push(api.cuMemAddressReserve(&mut address, UNIT, 0, first, 0));
        answers.push((address == first) as i64);
        answers.push(api.cuMemAddressReserve(&mut address, UNIT, 0, first + 1, 0));
        answers
    }),
    ("virtual_memory/free", |api| {
        context(api);
        let address = reserve(api, 4 * UNIT);
        let mut answers = vec![
            api.cuMemAddressFree(0, 4 * UNIT),
            api.cuMemAddressFree(address, UNIT),
            api.cuMemAddressFree(address + UNIT as u64, 3 * UNIT),
            api.cuMemAddressFree(address, 8 * UNIT),
            api.cuMemAddressFree(address, 0),
            api.cuMemAddressFree(address, 4 * UNIT),
            api.cuMemAddressFree(address, 4 * UNIT),
            api.cuMemAddressFree(allocate(api, UNIT), UNIT),
        ];
        let (address, _) = mapped(api, UNIT);
        answers.push(api.cuMemAddressFree(address, 2 * UNIT));
        answers.extend(read(api, address));
        answers.push(api.cuMemFree_v2(address));
        answers
    }),
    ("virtual_memory/create", |api| {
        must(api.cuInit(0));
        let mut handle = 0;
        let mut answers = Vec::new();
        let plain = properties(NONE);
        for size in [UNIT, 10 * UNIT, 0, 1, 4096, UNIT + 4096, 1 << 50] {
            answers.push(api.cuMemCreate(&mut handle, size, &plain, 0));
        }
        answers.push(api.cuMemCreate(&mut handle, UNIT, &plain, 1));
        answers.push(api.cuMemCreate(null_mut(), UNIT, &plain, 0));
        answers.push(api.cuMemCreate(&mut handle, UNIT, null(), 0));
        for kind in [0, 2, 3, u32::MAX] {
            let mut wrong = plain;
            wrong.type_ = CUmemAllocationType(kind as _);
            answers.push(api.cuMemCreate(&mut handle, UNIT, &wrong, 0));
        }
        for (place, id) in [(0, 0), (1, 99), (1, -1), (9, 0)] {
            let mut wrong = plain;
            wrong.location = CUmemLocation { type_: CUmemLocationType(place), id };
            answers.push(api.cuMemCreate(&mut handle, UNIT, &wrong, 0));
        }
        for kind in [1, 2, 4, 16, 64] {
            answers.push(api.cuMemCreate(
                &mut handle,
                UNIT,
                &properties(CUmemAllocationHandleType_enum(kind)),
                0,
            ));
        }
        answers
    }),
    ("virtual_memory/properties", |api| {
        context(api);
        let mut answers = Vec::new();
        for kind in [NONE, POSIX] {
            let mut handle = 0;
            must(api.cuMemCreate(&mut handle, UNIT, &properties(kind), 0));
            let mut told = properties(H::CU_MEM_HANDLE_TYPE_WIN32);
            answers.extend([
                api.cuMemGetAllocationPropertiesFromHandle(&mut told, handle),
                told.type_.0.into(),
                told.requestedHandleTypes.0.into(),
                told.location.type_.0.into(),
                told.location.id.into(),
                told.allocFlags.compressionType.into(),
                told.allocFlags.gpuDirectRDMACapable.into(),
                told.allocFlags.usage.into(),
                api.cuMemGetAllocationPropertiesFromHandle(null_mut(), handle),
            ]);
        }
        answers
    }),
    ("virtual_memory/map", |api| {
        context(api);
        let (base, handle) = (reserve(api, 8 * UNIT), create(api, 2 * UNIT));
        let at = |units: usize| base + (units * UNIT) as u64;
        vec![
            // Where nothing is reserved, not wholly, misaligned, too much, with offsets and flags.
            api.cuMemMap(at(8), 2 * UNIT, 0, handle, 0),
            api.cuMemMap(at(7), 2 * UNIT, 0, handle, 0),
            api.cuMemMap(0, 2 * UNIT, 0, handle, 0),
            api.cuMemMap(base + 4096, 2 * UNIT, 0, handle, 0),
            api.cuMemMap(base, 4 * UNIT, 0, handle, 0),
            api.cuMemMap(base, 4096, 0, handle, 0),
            api.cuMemMap(base, 0, 0, handle, 0),
            api.cuMemMap(base, UNIT, UNIT, handle, 0),
            api.cuMemMap(base, 2 * UNIT, 4096, handle, 0),
            api.cuMemMap(base, 2 * UNIT, 0, handle, 1),
            // A part, all of it, over another one, and at a second address.
            api.cuMemMap(at(4), UNIT, 0, handle, 0),
            api.cuMemMap(base, 2 * UNIT, 0, handle, 0),
            api.cuMemMap(base, 2 * UNIT, 0, handle, 0),
            api.cuMemMap(at(1), 2 * UNIT, 0, handle, 0),
            api.cuMemMap(at(2), 2 * UNIT, 0, handle, 0),
        ]
    }),
    ("virtual_memory/unmap", |api| {
        context(api);
        let base = reserve(api, 8 * UNIT);
        let at = |units: usize| base + (units * UNIT) as u64;
        for units in [0, 2, 4] {
            must(api.cuMemMap(at(units), 2 * UNIT, 0, create(api, 2 * UNIT), 0));
        }
        vec![
            api.cuMemUnmap(base, UNIT),
            api.cuMemUnmap(at(1), UNIT),
            api.cuMemUnmap(base, 3 * UNIT),
            api.cuMemUnmap(base, 0),
            api.cuMemUnmap(at(6), 2 * UNIT),
            api.cuMemUnmap(at(4), 4 * UNIT),
            api.cuMemUnmap(0, 2 * UNIT),
            api.cuMemUnmap(at(4), 2 * UNIT),
            api.cuMemUnmap(at(4), 2 * UNIT),
            // Two at once.
            api.cuMemUnmap(base, 4 * UNIT),
            api.cuMemAddressFree(base, 8 * UNIT),
            api.cuMemUnmap(allocate(api, 2 * UNIT), 2 * UNIT),
        ]
    }),
    ("virtual_memory/access", |api| {
        context(api);
        let base = reserve(api, 8 * UNIT);
        let at = |units: usize| base + (units * UNIT) as u64;
        for units in [0, 2] {
            must(api.cuMemMap(at(units), 2 * UNIT, 0, create(api, 2 * UNIT), 0));
        }
        let mut answers = Vec::new();
        answers.extend(access(api, base));
        answers.push(api.cuMemsetD8_v2(base, 1, 16));
        answers.extend(read(api, base));
        answers.extend([
            set_access(api, base, UNIT, 3),
            set_access(api, base, 6 * UNIT, 3),
            set_access(api, base, 0, 3),
            set_access(api, base, 2 * UNIT, 2),
            set_access(api, base, 2 * UNIT, 9),
            api.cuMemSetAccess(base, 2 * UNIT, null(), 1),
        ]);
        let wrong = CUmemAccessDesc { location: device(99), flags: CUmemAccess_flags(3) };
        answers.push(api.cuMemSetAccess(base, 2 * UNIT, &wrong, 1));
        answers.push(api.cuMemSetAccess(base, 2 * UNIT, &wrong, 0));
        answers.push(set_access(api, base, 4 * UNIT, 3));
        answers.extend(access(api, base));
        answers.extend(access(api, at(3) + 5));
        answers.extend(access(api, at(4)));
        answers.extend(access(api, 0));
        answers.extend(access(api, allocate(api, 64)));
        answers.push(api.cuMemGetAccess(null_mut(), &device(0), base));
        answers.push(api.cuMemGetAccess(&mut 0, null(), base));
        answers.push(api.cuMemGetAccess(&mut 0, &device(99), base));
        // Over the border of two.
        answers.push(api.cuMemsetD8_v2(base, 1, 4 * UNIT));
        answers.extend(read(api, at(2) - 2));
        answers.push(api.cuMemsetD8_v2(base, 1, 4 * UNIT + 1));
        answers.push(set_access(api, base, 2 * UNIT, 1));
        answers.extend(access(api, base));
        answers.extend(read(api, base));
        answers.push(set_access(api, base, 2 * UNIT, 0));
        answers.extend(access(api, base));
        answers
    }),
    ("virtual_memory/fill_what_can_only_be_read", |api| {
        context(api);
        let (base, _) = mapped(api, UNIT);
        must(set_access(api, base, UNIT, 1));
        vec![api.cuMemsetD8_v2(base, 1, 4), api.cuCtxSynchronize()]
    }),
    ("virtual_memory/fill_without_access", |api| {
        context(api);
        let base = reserve(api, UNIT);
        must(api.cuMemMap(base, UNIT, 0, create(api, UNIT), 0));
        vec![api.cuMemsetD8_v2(base, 1, 4), api.cuCtxSynchronize()]
    }),
    ("virtual_memory/fill_unmapped", |api| {
        context(api);
        let (base, _) = mapped(api, UNIT);
        must(api.cuMemUnmap(base, UNIT));
        vec![api.cuMemsetD8_v2(base, 1, 4), api.cuCtxSynchronize()]
    }),
    ("virtual_memory/store_unmapped", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let mut to = reserve(api, UNIT);
        let mut value = 5_u32;
        let mut parameters: [*mut c_void; 2] = [(&raw mut to).cast(), (&raw mut value).cast()];
        vec![launch(api, store, 1, &mut parameters), api.cuCtxSynchronize()]
    }),
    ("virtual_memory/release", |api| {
        context(api);
        let (base, handle) = mapped(api, UNIT);
        let mut retained = 0;
        let mut answers = vec![
            api.cuMemsetD32_v2(base, 7, 1),
            api.cuMemRetainAllocationHandle(&mut retained, (base + 77) as *mut c_void),
            (retained == handle) as i64,
            api.cuMemRelease(handle),
            api.cuMemRelease(retained),
        ];
        // The mapping keeps it.
        answers.extend(read(api, base));
        answers.extend([
            api.cuMemRetainAllocationHandle(&mut retained, base as *mut c_void),
            api.cuMemRelease(retained),
            api.cuMemRetainAllocationHandle(&mut retained, (base + UNIT as u64) as *mut c_void),
            api.cuMemRetainAllocationHandle(&mut retained, allocate(api, 64) as *mut c_void),
            api.cuMemRetainAllocationHandle(&mut retained, null_mut()),
            api.cuMemRetainAllocationHandle(null_mut(), base as *mut c_void),
            api.cuMemUnmap(base, UNIT),
        ]);
        answers
    }),
    ("virtual_memory/release_twice", |api| {
        context(api);
        let handle = create(api, UNIT);
        vec![api.cuMemRelease(handle), api.cuMemRelease(handle)]
    }),
    ("virtual_memory/release_foreign", |api| {
        context(api);
        vec![api.cuMemRelease(0), api.cuMemRelease(foreign::<u8>() as u64)]
    }),
    ("virtual_memory/map_released", |api| {
        context(api);
        let (base, handle) = (reserve(api, UNIT), create(api, UNIT));
        vec![api.cuMemRelease(handle), api.cuMemMap(base, UNIT, 0, handle, 0)]
    }),
    ("virtual_memory/pointer", |api| {
        let context = context(api);
        let base = reserve(api, 8 * UNIT);
        for units in [2, 4] {
            must(api.cuMemMap(base + (units * UNIT) as u64, 2 * UNIT, 0, create(api, 2 * UNIT), 0));
        }
        let pointer = base + (4 * UNIT) as u64 + 100;
        let mut answers: Answers = Vec::new();
        // Before access is set, and after.
        answers.extend(attribute(api, 2, pointer));
        must(set_access(api, base + (2 * UNIT) as u64, 4 * UNIT, 3));
        for number in [2, 6, 8, 9, 10, 13, 14, 15, 16] {
            answers.extend(attribute(api, number, pointer));
        }
        let [code, value] = attribute(api, 1, pointer);
        answers.extend([code, (value == context as i64).into(), (value == 0).into()]);
        let [code, value] = attribute(api, 3, pointer);
        answers.extend([code, value - base as i64]);
        answers.push(attribute(api, 4, pointer)[0]);
        for number in [11, 18, 19] {
            let [code, value] = attribute(api, number, pointer);
            // Addresses as distances, sizes as they are.
            answers.extend([code, if number == 18 { value } else { value - base as i64 }]);
        }
        let [code, size] = attribute(api, 12, pointer);
        answers.extend([code, size]);
        answers.extend(attribute(api, 2, base));
        let (mut start, mut size) = (0, 0);
        answers.push(api.cuMemGetAddressRange_v2(&mut start, &mut size, pointer));
        answers.extend([start as i64 - base as i64, size as i64]);
        answers.push(api.cuMemGetAddressRange_v2(&mut start, &mut size, base));
        answers
    }),
    ("virtual_memory/share", |api| {
        context(api);
        let (mut private, mut handle, mut imported) = (0, 0, 0);
        must(api.cuMemCreate(&mut private, UNIT, &properties(NONE), 0));
        must(api.cuMemCreate(&mut handle, UNIT, &properties(POSIX), 0));
        let mut descriptor = -1_i32;
        let to: *mut c_void = (&raw mut descriptor).cast();
        let mut answers = vec![
            api.cuMemExportToShareableHandle(to, private, POSIX, 0),
            api.cuMemExportToShareableHandle(to, handle, NONE, 0),
            api.cuMemExportToShareableHandle(to, handle, H::CU_MEM_HANDLE_TYPE_WIN32, 0),
            api.cuMemExportToShareableHandle(to, handle, POSIX, 1),
            api.cuMemExportToShareableHandle(null_mut(), handle, POSIX, 0),
            api.cuMemExportToShareableHandle(to, handle, POSIX, 0),
            (descriptor >= 0) as i64,
        ];
        let shared = descriptor as usize as *mut c_void;
        answers.extend([
            api.cuMemImportFromShareableHandle(null_mut(), shared, POSIX),
            api.cuMemImportFromShareableHandle(&mut imported, shared, NONE),
            api.cuMemImportFromShareableHandle(&mut imported, shared, POSIX),
            (imported == handle) as i64,
        ]);
        let base = reserve(api, 2 * UNIT);
        let other = base + UNIT as u64;
        answers.extend([
            api.cuMemMap(base, UNIT, 0, handle, 0),
            api.cuMemMap(other, UNIT, 0, imported, 0),
            set_access(api, base, 2 * UNIT, 3),
            api.cuMemsetD32_v2(base, 9, 1),
        ]);
        answers.extend(read(api, other));
        answers.push(api.cuMemImportFromShareableHandle(
            &mut imported,
            99999 as *mut c_void,
            POSIX,
        ));
        answers
    }),
    ("virtual_memory/while_capturing", |api| {
        context(api);
        let stream = stream(api);
        let (base, handle) = (reserve(api, UNIT), create(api, UNIT));
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        must(api.cuStreamBeginCapture_v2(stream, mode));
        let mut status = CUstreamCaptureStatus(0);
        let (mut address, mut other, mut graph) = (0, 0, null_mut());
        vec![
            api.cuMemAddressReserve(&mut address, UNIT, 0, 0, 0),
            api.cuMemCreate(&mut other, UNIT, &properties(NONE), 0),
            api.cuMemMap(base, UNIT, 0, handle, 0),
            set_access(api, base, UNIT, 3),
            api.cuMemUnmap(base, UNIT),
            api.cuMemRelease(handle),
            api.cuMemAddressFree(base, UNIT),
            api.cuStreamIsCapturing(stream, &mut status),
            status.0.into(),
            api.cuStreamEndCapture(stream, &mut graph),
        ]
    }),
];
