//! Memory pools of each place: of devices, of the host and its nodes, and of managed memory; who may access them, and which
//! can be shared.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

use CUmemAccess_flags as Access;
use CUmemAllocationHandleType as Handle;
use CUmemAllocationType as Type;
use CUmemLocationType as Location;
use CUpointer_attribute as A;

pub const POSIX: Handle = Handle::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
pub const PINNED: u32 = 1;
pub const MANAGED: u32 = 2;
pub const DEVICE: u32 = 1;
const HOST: u32 = 2;
const NODE: u32 = 3;

/// Of a pool of this kind of memory, in this place, which handles of this type are for.
pub fn properties(kind: u32, location: u32, id: i32, handle: u32) -> CUmemPoolProps {
    // SAFETY: all zeros is a value of this structure.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = Type(kind as _);
    properties.location = place(location, id);
    properties.handleTypes = Handle(handle as _);
    properties
}

fn place(location: u32, id: i32) -> CUmemLocation {
    CUmemLocation { type_: Location(location as _), id }
}

fn create(api: &Api, properties: &CUmemPoolProps) -> (i64, CUmemoryPool) {
    let mut pool = null_mut();
    (api.cuMemPoolCreate(&mut pool, properties), pool)
}

/// Whether there can be such a pool.
fn try_create(api: &Api, properties: &CUmemPoolProps) -> i64 {
    let (answer, pool) = create(api, properties);
    if answer == 0 {
        must(api.cuMemPoolDestroy(pool));
    }
    answer
}

fn new_context(api: &Api) {
    let mut context = null_mut();
    must(api.cuInit(0));
    must(api.cuCtxCreate_v4(&mut context, null_mut(), 0, 0));
}

/// How a place may access a pool: the answer, and what it leaves.
fn access(api: &Api, pool: CUmemoryPool, location: u32, id: i32) -> [i64; 2] {
    let (mut flags, mut at) = (Access(77), place(location, id));
    let answer = api.cuMemPoolGetAccess(&mut flags, pool, &mut at);
    [answer, flags.0 as i64]
}

fn set_access(api: &Api, pool: CUmemoryPool, location: u32, id: i32, flags: u32) -> i64 {
    let description = CUmemAccessDesc { location: place(location, id), flags: Access(flags as _) };
    api.cuMemPoolSetAccess(pool, &description, 1)
}

/// An attribute of a pointer as the answer and the number that it leaves.
pub fn attribute(api: &Api, wanted: A, pointer: CUdeviceptr) -> [i64; 2] {
    let mut value = -7_i32;
    let answer = api.cuPointerGetAttribute((&raw mut value).cast(), wanted, pointer);
    [answer, value.into()]
}

/// As above, for an attribute that is an address or a handle: whether it is the one expected.
fn is(api: &Api, wanted: A, pointer: CUdeviceptr, expected: u64) -> [i64; 2] {
    let mut value = u64::MAX;
    let answer = api.cuPointerGetAttribute((&raw mut value).cast(), wanted, pointer);
    [answer, (value == expected) as i64]
}

/// All that can be asked of a pool and its memory.
fn ask(api: &Api, kind: u32, location: u32) -> Answers {
    new_context(api);
    let (mut default, mut current) = (null_mut(), null_mut());
    must(api.cuDeviceGetDefaultMemPool(&mut default, 0));
    let (created, pool) = create(api, &properties(kind, location, 0, 0));
    let mut answers = vec![created];
    for location in 1..5 {
        (0..2).for_each(|id| answers.extend(access(api, pool, location, id)));
    }
    let mut x = 0;
    answers.extend([
        api.cuMemAllocFromPoolAsync(&mut x, 1 << 20, pool, null_mut()),
        api.cuStreamSynchronize(null_mut()),
    ]);
    for wanted in [
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    ] {
        answers.extend(attribute(api, wanted, x));
    }
    answers.extend(is(api, A::CU_POINTER_ATTRIBUTE_CONTEXT, x, 0));
    answers.extend(is(api, A::CU_POINTER_ATTRIBUTE_HOST_POINTER, x, x));
    answers.extend(is(api, A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, x, x));
    answers.extend(is(api, A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, x, pool as u64));
    for wanted in [
        A::CU_POINTER_ATTRIBUTE_MAPPED,
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
    ] {
        answers.extend(attribute(api, wanted, x));
    }
    let (mut base, mut size) = (0, 0);
    answers.push(api.cuMemGetAddressRange_v2(&mut base, &mut size, x));
    answers.extend([(base == x) as i64, size as i64]);
    let mut word = 0_u32;
    let to: *mut c_void = (&raw mut word).cast();
    answers.extend([
        api.cuMemsetD32Async(x, 5, 1024, null_mut()),
        api.cuStreamSynchronize(null_mut()),
        api.cuMemcpyDtoH_v2(to, x, 4),
        word.into(),
    ]);
    if kind == MANAGED {
        answers.extend([
            api.cuMemPrefetchAsync_v2(x, 1 << 20, place(HOST, 0), 0, null_mut()),
            api.cuStreamSynchronize(null_mut()),
        ]);
    }
    // SAFETY: the host can access memory of the host and managed memory.
    unsafe { (x as *mut u32).add(1).write(9) };
    answers.extend([api.cuMemcpyDtoH_v2(to, x + 4, 4), word.into()]);
    for (location, flags) in
        [(DEVICE, 0), (DEVICE, 1), (DEVICE, 3), (HOST, 3), (HOST, 0), (NODE, 3)]
    {
        answers.push(set_access(api, pool, location, 0, flags));
    }
    let (mut y, mut data) = (0, CUmemPoolPtrExportData { reserved: [0; 64] });
    answers.extend([
        api.cuMemFreeHost(x as *mut c_void),
        api.cuMemFree_v2(x),
        api.cuMemAllocFromPoolAsync(&mut y, 100, pool, null_mut()),
        api.cuMemFreeAsync(y, null_mut()),
        api.cuStreamSynchronize(null_mut()),
        api.cuMemAllocFromPoolAsync(&mut y, 100, pool, null_mut()),
        api.cuMemPoolExportPointer(&mut data, y),
    ]);
    // But for what is used: an H100 still counts what cuMemFree has given back.
    for number in (1..7).chain(9..13) {
        let mut value = 77_u64;
        let to = (&raw mut value).cast();
        answers.push(api.cuMemPoolGetAttribute(pool, CUmemPool_attribute(number), to));
        answers.push(value as i64);
    }
    let mut reserved = 77_u64;
    answers.extend([
        api.cuMemFreeAsync(y, null_mut()),
        api.cuStreamSynchronize(null_mut()),
        api.cuMemPoolTrimTo(pool, 0),
        api.cuMemPoolGetAttribute(pool, CUmemPool_attribute(5), (&raw mut reserved).cast()),
        reserved as i64,
        api.cuDeviceSetMemPool(0, pool),
        api.cuDeviceGetMemPool(&mut current, 0),
        (current == pool) as i64,
        api.cuDeviceSetMemPool(0, default),
        api.cuMemSetMemPool(&mut place(HOST, 0), Type(PINNED as _), pool),
        api.cuMemSetMemPool(&mut place(DEVICE, 0), Type(PINNED as _), pool),
        api.cuMemSetMemPool(&mut place(DEVICE, 0), Type(MANAGED as _), pool),
        api.cuDeviceSetMemPool(0, default),
        api.cuMemSetMemPool(&mut place(NODE, 0), Type(PINNED as _), pool),
        api.cuMemPoolDestroy(pool),
        api.cuMemPoolDestroy(pool),
    ]);
    answers
}

/// All that can be asked of a pool that handles of this type are for.
fn share(api: &Api, types: u32) -> Answers {
    let (created, pool) = create(api, &properties(PINNED, DEVICE, 0, types));
    let mut default = null_mut();
    must(api.cuDeviceGetDefaultMemPool(&mut default, 0));
    let (mut descriptor, none, win32) = (-7_i32, Handle(0), Handle(2));
    let at: *mut c_void = (&raw mut descriptor).cast();
    let mut answers = vec![created, api.cuMemPoolExportToShareableHandle(at, pool, POSIX, 0)];
    answers.extend([
        (descriptor > 2) as i64,
        api.cuMemPoolExportToShareableHandle(at, pool, POSIX, 1),
        api.cuMemPoolExportToShareableHandle(at, pool, none, 0),
        api.cuMemPoolExportToShareableHandle(at, pool, win32, 0),
        api.cuMemPoolExportToShareableHandle(null_mut(), pool, POSIX, 0),
        api.cuMemPoolExportToShareableHandle(at, null_mut(), POSIX, 0),
    ]);
    let mut imported = null_mut();
    let shared = descriptor as usize as *mut c_void;
    answers.push(api.cuMemPoolImportFromShareableHandle(&mut imported, shared, POSIX, 0));
    answers.extend([!imported.is_null() as i64, (imported == pool) as i64]);
    let of = |number: usize| number as *mut c_void;
    answers.extend([
        api.cuMemPoolImportFromShareableHandle(&mut imported, of(1), POSIX, 0),
        api.cuMemPoolImportFromShareableHandle(&mut imported, of(999), POSIX, 0),
        api.cuMemPoolImportFromShareableHandle(null_mut(), shared, POSIX, 0),
        api.cuMemPoolImportFromShareableHandle(&mut imported, shared, none, 0),
        api.cuMemPoolImportFromShareableHandle(&mut imported, shared, POSIX, 1),
        api.cuMemPoolExportToShareableHandle(at, default, POSIX, 0),
    ]);
    answers
}

pub const CASES: &[Case] = &[
    ("pool/create", |api| {
        new_context(api);
        let mut answers = Vec::new();
        for kind in 0..4 {
            for location in 0..7 {
                for handle in [0, 1, 2, 4, 3] {
                    // There are no descriptors of a node's memory here.
                    let is_left_out = (kind, location, handle) == (PINNED, NODE, POSIX.0);
                    if is_left_out || (handle > 1 && kind != PINNED) {
                        continue;
                    }
                    answers.push(try_create(api, &properties(kind, location, 0, handle)));
                }
            }
        }
        answers
    }),
    ("pool/create_with_numbers", |api| {
        new_context(api);
        let mut answers = Vec::new();
        for location in 1..5 {
            for id in -1..3 {
                answers.push(try_create(api, &properties(PINNED, location, id, 0)));
                answers.push(try_create(api, &properties(MANAGED, location, id, 0)));
            }
        }
        answers
    }),
    ("pool/create_with_sizes", |api| {
        new_context(api);
        let mut wanted = properties(PINNED, DEVICE, 0, 0);
        wanted.maxSize = 1;
        let mut answers = vec![create(api, &wanted).0];
        wanted.maxSize = 1 << 50;
        answers.push(create(api, &wanted).0);
        (wanted.maxSize, wanted.usage) = (0, 1);
        answers.push(create(api, &wanted).0);
        (wanted.usage, wanted.reserved[0]) = (0, 1);
        answers.push(create(api, &wanted).0);
        (wanted.usage, wanted.reserved[0]) = (2, 0);
        answers.push(create(api, &wanted).0);
        answers
    }),
    ("pool/defaults", |api| {
        new_context(api);
        let mut of_device = null_mut();
        let mut answers = vec![api.cuDeviceGetDefaultMemPool(&mut of_device, 0)];
        for location in 0..6 {
            for kind in 0..4 {
                let (mut default, mut current) = (null_mut(), null_mut());
                let (mut at, kind) = (place(location, 0), Type(kind as _));
                answers.push(api.cuMemGetDefaultMemPool(&mut default, &mut at, kind));
                answers.push((default == of_device) as i64);
                answers.push(api.cuMemGetMemPool(&mut current, &mut at, kind));
                answers.push((default == current) as i64);
            }
        }
        answers
    }),
    ("pool/of_host", |api| ask(api, PINNED, HOST)),
    ("pool/of_node", |api| ask(api, PINNED, NODE)),
    ("pool/of_managed_memory", |api| ask(api, MANAGED, DEVICE)),
    ("pool/access_of_default", |api| {
        new_context(api);
        let mut pool = null_mut();
        must(api.cuDeviceGetDefaultMemPool(&mut pool, 0));
        let mut answers = Vec::new();
        (1..5).for_each(|location| answers.extend(access(api, pool, location, 0)));
        let (mut flags, mut nowhere) = (Access(0), place(DEVICE, 9));
        // SAFETY: all zeros is a value of this structure.
        let description: CUmemAccessDesc = unsafe { std::mem::zeroed() };
        answers.extend([
            api.cuMemPoolGetAccess(&mut flags, pool, &mut nowhere),
            api.cuMemPoolGetAccess(null_mut(), pool, &mut nowhere),
            api.cuMemPoolGetAccess(&mut flags, null_mut(), &mut nowhere),
            api.cuMemPoolGetAccess(&mut flags, pool, null_mut()),
            api.cuMemPoolSetAccess(pool, null_mut(), 0),
            api.cuMemPoolSetAccess(pool, &description, 0),
            set_access(api, pool, 0, 0, 0),
            set_access(api, pool, DEVICE, 0, 0),
            set_access(api, pool, DEVICE, 0, 2),
            set_access(api, pool, HOST, 0, 3),
            set_access(api, pool, DEVICE, 5, 3),
        ]);
        answers
    }),
    ("pool/share_what_is_not_shared", |api| {
        new_context(api);
        share(api, 0)
    }),
    ("pool/share", |api| {
        new_context(api);
        share(api, POSIX.0)
    }),
];
