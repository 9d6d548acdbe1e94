//! Two devices: each one's memory, seen from the other.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use super::devices::{contexts, create, within};
use super::graph::Arguments;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

const MIB: usize = 1 << 20;

fn device(id: i32) -> CUmemLocation {
    CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id }
}

/// Memory of each device, whose words hold its number plus 1.
pub fn memories(api: &Api, contexts: [CUcontext; 2]) -> [CUdeviceptr; 2] {
    let mut value = 0;
    contexts.map(|context| {
        value += 1;
        within(api, context, || {
            let memory = allocate(api, MIB);
            must(api.cuMemsetD32_v2(memory, value, MIB / 4));
            must(api.cuCtxSynchronize());
            memory
        })
    })
}

/// The result of reading a word, and the word.
pub fn read(api: &Api, at: CUdeviceptr) -> [i64; 2] {
    let mut word = 0_u32;
    [api.cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4), word.into()]
}

/// The result of a launch of `store` in the current context, and of its end.
pub fn store(api: &Api, to: CUdeviceptr, value: u32) -> [i64; 2] {
    let mut module = null_mut();
    must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
    let arguments = Arguments::new(to, value);
    let function = kernel(api, module, c"store");
    let launched =
        api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), arguments.list(), null_mut());
    [launched, api.cuCtxSynchronize()]
}

fn attribute(api: &Api, which: CUpointer_attribute, at: CUdeviceptr) -> [i64; 2] {
    let mut value = 0_u64;
    let answer = api.cuPointerGetAttribute((&raw mut value).cast(), which, at);
    [answer, value as i64]
}

/// The ordinal, the type of memory, whether it is managed, whether the context is one of these and which, and whether
/// the current context has an address for it.
fn about(api: &Api, contexts: [CUcontext; 2], at: CUdeviceptr) -> Answers {
    type A = CUpointer_attribute;
    let mut answers = Vec::new();
    for which in [
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ] {
        let [answer, value] = attribute(api, which, at);
        answers.extend([answer, i64::from(value as i32)]);
    }
    let [answer, context] = attribute(api, A::CU_POINTER_ATTRIBUTE_CONTEXT, at);
    let place = contexts.iter().position(|known| *known as i64 == context);
    answers.extend([answer, place.map_or(-1, |place| place as i64), (context == 0) as i64]);
    let [answer, address] = attribute(api, A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at);
    answers.extend([answer, (address as u64 == at) as i64]);
    answers
}

fn box_of(to: (CUdeviceptr, CUcontext), from: (CUdeviceptr, CUcontext)) -> CUDA_MEMCPY3D_PEER {
    let mut copy: CUDA_MEMCPY3D_PEER = zeroed();
    copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    (copy.dstDevice, copy.dstContext) = to;
    (copy.srcDevice, copy.srcContext) = from;
    (copy.WidthInBytes, copy.Height, copy.Depth) = (16, 2, 2);
    (copy.srcPitch, copy.srcHeight, copy.dstPitch, copy.dstHeight) = (64, 4, 32, 2);
    copy
}

fn managed(api: &Api) -> CUdeviceptr {
    let mut memory = 0;
    let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.0;
    must(api.cuMemAllocManaged(&mut memory, MIB, flags));
    memory
}

pub const CASES: &[Case] = &[
    ("devices/copies_by_address", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let mut word = 9_u32;
        let mut answers = vec![api.cuMemcpy(a, b, 4)];
        answers.extend(read(api, a));
        answers.push(api.cuMemcpyDtoD_v2(b + 4, a + 4, 4));
        answers.extend(within(api, both[1], || read(api, b + 4)));
        // All of these with the first device's context current.
        answers.extend(read(api, b + 4));
        answers.push(api.cuMemcpyHtoD_v2(b + 8, (&raw const word).cast(), 4));
        answers.extend(read(api, b + 8));
        answers.push(api.cuMemcpyDtoDAsync_v2(a + 8, b + 8, 4, null_mut()));
        answers.extend(read(api, a + 8));
        answers.push(api.cuMemcpyAsync(b + 12, a + 12, 4, null_mut()));
        answers.push(api.cuCtxSynchronize());
        answers.extend(read(api, b + 12));
        answers.push(api.cuMemcpyDtoHAsync_v2((&raw mut word).cast(), b, 4, null_mut()));
        answers.push(api.cuCtxSynchronize());
        answers.push(word.into());
        answers
    }),
    ("devices/fills_of_the_other", |api| {
        let both = contexts(api);
        let [_, b] = memories(api, both);
        let mut answers = vec![api.cuMemsetD32_v2(b, 5, 1), api.cuCtxSynchronize()];
        answers.extend(read(api, b));
        answers.push(api.cuMemsetD32Async(b, 6, 1, null_mut()));
        answers.push(api.cuCtxSynchronize());
        answers
    }),
    ("devices/fills_of_the_other_with_access", |api| {
        let both = contexts(api);
        let [_, b] = memories(api, both);
        must(api.cuCtxEnablePeerAccess(both[1], 0));
        let mut answers = vec![api.cuMemsetD32_v2(b, 5, 1), api.cuCtxSynchronize()];
        answers.extend(read(api, b));
        answers
    }),
    ("devices/copies_between_contexts", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let [first, second] = both;
        let stranger = create(api, 1);
        let mut answers = vec![
            api.cuMemcpyPeer(a, first, b, second, 4),
            // The wrong way round.
            api.cuMemcpyPeer(a + 4, second, b + 4, first, 4),
            api.cuMemcpyPeer(a + 8, null_mut(), b + 8, second, 4),
            api.cuMemcpyPeer(a + 8, first, b + 8, null_mut(), 4),
            api.cuMemcpyPeer(a + 12, first, b + 12, stranger, 4),
            api.cuMemcpyPeer(a + 16, first, a, first, 4),
            api.cuMemcpyPeer(64, first, b, second, 4),
            api.cuMemcpyPeer(a, first, b, second, 0),
            api.cuMemcpyPeer(a, first, b + MIB as u64 - 2, second, 4),
            api.cuMemcpyPeerAsync(b + 20, second, a + 20, first, 4, null_mut()),
            api.cuCtxSynchronize(),
        ];
        for at in [a, a + 4, a + 12, a + 16, b + 20] {
            answers.extend(read(api, at));
        }
        must(api.cuCtxDestroy_v2(stranger));
        must(api.cuCtxSetCurrent(null_mut()));
        answers.push(api.cuMemcpyPeer(a, first, b, second, 4));
        answers
    }),
    ("devices/boxes_between_contexts", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let [first, second] = both;
        let mut answers = vec![
            api.cuMemcpy3DPeer(&box_of((a, first), (b, second))),
            api.cuMemcpy3DPeer(&box_of((a, second), (b, first))),
            api.cuMemcpy3DPeer(&box_of((a, null_mut()), (b, second))),
            api.cuMemcpy3DPeer(&box_of((a, first), (b, null_mut()))),
            api.cuMemcpy3DPeerAsync(&box_of((b + 4096, second), (a + 4096, first)), null_mut()),
            api.cuCtxSynchronize(),
        ];
        let mut from_host = box_of((b + 8192, second), (0, null_mut()));
        let words = [7_u32; 256];
        from_host.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        from_host.srcHost = words.as_ptr().cast();
        answers.push(api.cuMemcpy3DPeer(&from_host));
        for at in [a, a + 16, a + 32, a + 96, b + 4096, b + 8192] {
            answers.extend(read(api, at));
        }
        answers
    }),
    ("devices/arrays_between", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let format = CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32;
        let arrays = both
            .map(|context| within(api, context, || array(api, &shape([16, 4, 0], format, 1, 0))));
        let mut answers = vec![
            api.cuMemcpyDtoA_v2(arrays[0], 0, b, 64),
            api.cuMemcpyAtoD_v2(b + 4, arrays[0], 4, 4),
            api.cuMemcpyAtoD_v2(a + 4, arrays[0], 4, 4),
            api.cuMemcpyAtoA_v2(arrays[1], 0, arrays[0], 0, 64),
            api.cuCtxSynchronize(),
        ];
        answers.push(within(api, both[1], || api.cuMemcpyAtoD_v2(b + 8, arrays[1], 0, 4)));
        answers.extend(read(api, a + 4));
        answers.extend(within(api, both[1], || read(api, b + 8)));
        answers
    }),
    ("devices/kernels_with_access", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        must(api.cuCtxEnablePeerAccess(both[1], 0));
        let mut answers = store(api, b, 11).to_vec();
        answers.extend(store(api, a, 12));
        answers.extend(read(api, b));
        answers.extend(within(api, both[1], || read(api, b)));
        // What comes later can be accessed too.
        let later = within(api, both[1], || allocate(api, MIB));
        answers.extend(store(api, later, 13));
        answers.extend(read(api, later));
        answers
    }),
    ("devices/kernels_without_access", |api| {
        let both = contexts(api);
        let [_, b] = memories(api, both);
        let mut answers = store(api, b, 11).to_vec();
        answers.push(within(api, both[1], || api.cuCtxSynchronize()));
        answers
    }),
    ("devices/pointers", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let other = within(api, both[1], || managed(api));
        let mut host = [null_mut::<c_void>(); 2];
        within(api, both[1], || must(api.cuMemHostAlloc(&mut host[0], 64, 0)));
        within(api, both[1], || must(api.cuMemHostAlloc(&mut host[1], 64, 1)));
        let mut answers = Vec::new();
        for at in [a, b, other, host[0] as u64, host[1] as u64] {
            answers.extend(about(api, both, at));
        }
        must(api.cuCtxEnablePeerAccess(both[1], 0));
        answers.extend(about(api, both, b));
        answers.extend(store(api, host[0] as u64, 3));
        answers.extend(store(api, other, 4));
        // SAFETY: memory of the host, of 64 bytes.
        answers.push(unsafe { host[0].cast::<u32>().read() }.into());
        answers.push(api.cuMemFreeHost(host[0]));
        answers.push(api.cuMemFree_v2(other));
        answers
    }),
    ("devices/managed", |api| {
        let both = contexts(api);
        let memory = managed(api);
        let streams = both.map(|context| within(api, context, || stream(api)));
        let hint = |which: u32| {
            let mut value = 99_i32;
            let which = CUmem_range_attribute(which);
            let answer = api.cuMemRangeGetAttribute((&raw mut value).cast(), 4, which, memory, MIB);
            [answer, value.into()]
        };
        let mut answers = within(api, both[1], || store(api, memory, 21)).to_vec();
        // SAFETY: managed memory, which nothing uses now.
        answers.push(unsafe { (memory as *const u32).read() }.into());
        answers.push(api.cuMemPrefetchAsync(memory, MIB, 1, streams[0]));
        answers.extend(hint(4));
        answers.push(api.cuMemPrefetchAsync(memory, MIB, 1, streams[1]));
        answers.push(api.cuMemPrefetchAsync(memory, MIB, 2, streams[0]));
        answers.push(api.cuMemPrefetchAsync_v2(memory, MIB, device(1), 0, streams[0]));
        answers.push(api.cuMemPrefetchAsync_v2(memory, MIB, device(2), 0, streams[0]));
        for (advice, whom) in [(3, 1), (3, 2), (5, 1), (5, 0), (6, 2)] {
            answers.push(api.cuMemAdvise(memory, MIB, CUmem_advise(advice), whom));
        }
        answers.extend(hint(2));
        let mut accessed_by = [99_i32; 4];
        answers.push(api.cuMemRangeGetAttribute(
            accessed_by.as_mut_ptr().cast(),
            16,
            CUmem_range_attribute(3),
            memory,
            MIB,
        ));
        answers.extend(accessed_by.map(i64::from));
        must(api.cuStreamSynchronize(streams[0]));
        answers.extend(read(api, memory));
        answers
    }),
    ("devices/pools", |api| {
        let both = contexts(api);
        let streams = both.map(|context| within(api, context, || stream(api)));
        let mut pools = [null_mut(); 3];
        let mut answers = vec![
            api.cuDeviceGetDefaultMemPool(&mut pools[0], 0),
            api.cuDeviceGetDefaultMemPool(&mut pools[1], 1),
            api.cuDeviceGetMemPool(&mut pools[2], 2),
            (pools[0] == pools[1]) as i64,
        ];
        let access = |pool: CUmemoryPool, id: i32| {
            let mut flags = CUmemAccess_flags(77);
            let answer = api.cuMemPoolGetAccess(&mut flags, pool, &mut device(id));
            [answer, flags.0.into()]
        };
        let set = |pool: CUmemoryPool, id: i32, flags: u32| {
            let access = CUmemAccessDesc { location: device(id), flags: CUmemAccess_flags(flags) };
            api.cuMemPoolSetAccess(pool, &access, 1)
        };
        for id in [0, 1, 2] {
            answers.extend(access(pools[1], id));
        }
        answers.extend([
            set(pools[1], 0, 3),
            set(pools[1], 1, 0),
            set(pools[1], 1, 3),
            set(pools[1], 2, 3),
            set(pools[1], 0, 1),
        ]);
        answers.extend(access(pools[1], 0));
        let (mut first, mut second) = (0, 0);
        // A pool of the one device, a stream of the other.
        answers.push(api.cuMemAllocFromPoolAsync(&mut first, MIB, pools[1], streams[0]));
        answers.push(api.cuMemAllocAsync(&mut second, MIB, streams[1]));
        must(api.cuStreamSynchronize(streams[0]));
        must(api.cuStreamSynchronize(streams[1]));
        answers.extend(about(api, both, first));
        answers.extend(about(api, both, second));
        answers.extend(store(api, first, 5));
        answers.extend(read(api, first));
        answers.push(set(pools[1], 0, 0));
        answers.extend(access(pools[1], 0));
        answers.push(api.cuMemFreeAsync(first, streams[0]));
        answers.push(api.cuMemFreeAsync(second, streams[0]));
        answers.push(api.cuDeviceSetMemPool(0, pools[1]));
        answers
    }),
    ("devices/mappings", |api| {
        let both = contexts(api);
        let mut properties: CUmemAllocationProp = zeroed();
        properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = device(1);
        let (mut handle, mut at, size) = (0, 0, 2 * MIB);
        let mut answers = vec![api.cuMemCreate(&mut handle, size, &properties, 0)];
        answers.push(api.cuMemAddressReserve(&mut at, size, 0, 0, 0));
        answers.push(api.cuMemMap(at, size, 0, handle, 0));
        let access = |id: i32| {
            let mut flags = 77;
            [api.cuMemGetAccess(&mut flags, &device(id), at), flags as i64]
        };
        let set = |whom: &[(i32, u32)]| {
            let access: Vec<_> = whom
                .iter()
                .map(|(id, flags)| CUmemAccessDesc {
                    location: device(*id),
                    flags: CUmemAccess_flags(*flags),
                })
                .collect();
            api.cuMemSetAccess(at, size, access.as_ptr(), access.len())
        };
        for id in [0, 1, 2] {
            answers.extend(access(id));
        }
        answers.push(set(&[(1, 3)]));
        answers.extend([access(0), access(1)].concat());
        answers.extend(about(api, both, at));
        answers.push(set(&[(0, 3), (1, 3)]));
        answers.extend([access(0), access(1)].concat());
        answers.extend(store(api, at, 31));
        answers.extend(within(api, both[1], || read(api, at)));
        answers.push(set(&[(0, 1)]));
        answers.extend([access(0), access(1)].concat());
        answers.push(set(&[(0, 3), (2, 3)]));
        answers.push(set(&[(1, 0)]));
        answers.extend([access(0), access(1)].concat());
        answers.extend(read(api, at));
        answers.push(api.cuMemUnmap(at, size));
        answers
    }),
    ("devices/mapping_of_one", |api| {
        // Memory of the second device, which only the first may access.
        let both = contexts(api);
        let mut properties: CUmemAllocationProp = zeroed();
        properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = device(1);
        let (mut handle, mut at, size) = (0, 0, 2 * MIB);
        must(api.cuMemCreate(&mut handle, size, &properties, 0));
        must(api.cuMemAddressReserve(&mut at, size, 0, 0, 0));
        must(api.cuMemMap(at, size, 0, handle, 0));
        let access = CUmemAccessDesc { location: device(0), flags: CUmemAccess_flags(3) };
        let mut answers = vec![api.cuMemSetAccess(at, size, &access, 1)];
        answers.extend(store(api, at, 41));
        answers.extend(read(api, at));
        answers.extend(within(api, both[1], || read(api, at)));
        answers
    }),
];
