//! Objects that are made and destroyed ten thousand times leave nothing behind: the process's memory stays as it is, and so
//! do the mappings of which a process may have 65,530.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CU_STREAM_PER_THREAD, CUDA_ARRAY3D_DESCRIPTOR, CUDA_KERNEL_NODE_PARAMS, CUDA_RESOURCE_DESC,
    CUDA_TEXTURE_DESC, CUarray, CUarray_format, CUcontext, CUdevResource, CUdevResourceDesc,
    CUdevResourceType, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec,
    CUgraphNode, CUgreenCtx, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationProp,
    CUmemAllocationType, CUmemLocationType, CUmemPoolProps, CUmemoryPool, CUmodule, CUresourcetype,
    CUresult as R, CUstream, CUstreamCaptureMode,
};
use libloading::Library;
use std::ffi::{c_char, c_uint, c_void};
use std::ptr::{null, null_mut};

const OK: R = R::CUDA_SUCCESS;
const ROUNDS: usize = 10_000;
/// The rounds before memory is looked at: tables and arenas have grown by then.
const WARM: usize = 2_000;
/// KiB that the rounds behind may take all together: 128 bytes a round would be seen.
const MOST: usize = 1 << 10;
/// Mappings that they may take: one in a hundred rounds would be seen.
const MOST_MAPPINGS: usize = 64;

const PTX: &str = concat!(
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .u32 word;\n.visible .entry nothing() { ret; }\n",
    "\0"
);

/// KiB of memory that the process has.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Mappings of the process.
fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().count()
}

fn is_flat(what: &str, mut round: impl FnMut()) {
    (0..WARM).for_each(|_| round());
    let (before, mapped) = (resident(), mappings());
    (WARM..ROUNDS).for_each(|_| round());
    let mapped = mappings().saturating_sub(mapped);
    assert!(
        mapped < MOST_MAPPINGS,
        "{what}: {mapped} mappings more after {} rounds",
        ROUNDS - WARM
    );
    let grown = resident().saturating_sub(before);
    assert!(grown < MOST, "{what}: {grown} KiB more after {} rounds", ROUNDS - WARM);
}

#[test]
fn streams_and_events() {
    let (_alone, library) = (common::alone(), common::driver());
    is_flat("streams and events", || {
        let (mut stream, mut event): (CUstream, CUevent) = (null_mut(), null_mut());
        assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
        assert_eq!(call!(library, cuEventCreate(&mut event, 2): (*mut CUevent, c_uint)), OK);
        assert_eq!(call!(library, cuEventRecord(event, stream): (CUevent, CUstream)), OK);
        assert_eq!(call!(library, cuStreamSynchronize(stream): (CUstream)), OK);
        assert_eq!(call!(library, cuEventDestroy_v2(event): (CUevent)), OK);
        assert_eq!(call!(library, cuStreamDestroy_v2(stream): (CUstream)), OK);
    });
}

fn load(library: &Library) -> CUmodule {
    let mut module = null_mut();
    assert_eq!(
        call!(library, cuModuleLoadData(&mut module, PTX.as_ptr().cast()): (*mut CUmodule, *const c_void)),
        OK
    );
    module
}

#[test]
fn modules() {
    let (_alone, library) = (common::alone(), common::driver());
    is_flat("modules", || {
        let module = load(&library);
        let (mut pointer, mut size) = (0, 0);
        assert_eq!(
            call!(library, cuModuleGetGlobal_v2(&mut pointer, &mut size, module, c"word".as_ptr()):
            (*mut CUdeviceptr, *mut usize, CUmodule, *const c_char)),
            OK
        );
        assert_eq!(call!(library, cuModuleUnload(module): (CUmodule)), OK);
    });
}

#[test]
fn graphs() {
    let (_alone, library) = (common::alone(), common::driver());
    let (module, mut function): (_, CUfunction) = (load(&library), null_mut());
    assert_eq!(
        call!(library, cuModuleGetFunction(&mut function, module, c"nothing".as_ptr()):
        (*mut CUfunction, CUmodule, *const c_char)),
        OK
    );
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut params: CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
    params.func = function;
    (params.gridDimX, params.gridDimY, params.gridDimZ) = (1, 1, 1);
    (params.blockDimX, params.blockDimY, params.blockDimZ) = (1, 1, 1);
    is_flat("graphs", || {
        let (mut graph, mut exec): (CUgraph, CUgraphExec) = (null_mut(), null_mut());
        assert_eq!(call!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
        // Two branches, one of them of several kernels.
        let mut last: CUgraphNode = null_mut();
        for count in [0, 1, 1, 0] {
            let before = last;
            assert_eq!(
                call!(library, cuGraphAddKernelNode_v2(&mut last, graph, &before, count, &params):
                (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS)),
                OK
            );
        }
        assert_eq!(
            call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
            OK
        );
        assert_eq!(call!(library, cuGraphLaunch(exec, null_mut()): (CUgraphExec, CUstream)), OK);
        assert_eq!(call!(library, cuCtxSynchronize(): ()), OK);
        assert_eq!(call!(library, cuGraphExecDestroy(exec): (CUgraphExec)), OK);
        assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
    });
}

#[test]
fn pools() {
    let (_alone, library) = (common::alone(), common::driver());
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    let stream: CUstream = null_mut();
    is_flat("pools", || {
        let (mut pool, mut memory): (CUmemoryPool, CUdeviceptr) = (null_mut(), 0);
        assert_eq!(
            call!(library, cuMemPoolCreate(&mut pool, &properties): (*mut CUmemoryPool, *const CUmemPoolProps)),
            OK
        );
        assert_eq!(
            call!(library, cuMemAllocFromPoolAsync(&mut memory, 4096, pool, stream):
            (*mut CUdeviceptr, usize, CUmemoryPool, CUstream)),
            OK
        );
        assert_eq!(call!(library, cuMemFreeAsync(memory, stream): (CUdeviceptr, CUstream)), OK);
        assert_eq!(call!(library, cuMemPoolDestroy(pool): (CUmemoryPool)), OK);
        assert_eq!(call!(library, cuCtxSynchronize(): ()), OK);
    });
}

#[test]
fn contexts() {
    let (_alone, library) = (common::alone(), common::driver());
    is_flat("contexts", || {
        let mut context: CUcontext = null_mut();
        assert_eq!(
            call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice)),
            OK
        );
        let mut memory: CUdeviceptr = 0;
        assert_eq!(call!(library, cuMemAlloc_v2(&mut memory, 64): (*mut CUdeviceptr, usize)), OK);
        assert_eq!(call!(library, cuCtxDestroy_v2(context): (CUcontext)), OK);
    });
}

/// Each has a default stream of its own, and memory that its stream frees.
#[test]
fn threads() {
    let (_alone, library) = (common::alone(), common::driver());
    let mut context: CUcontext = null_mut();
    assert_eq!(call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
    let (library, context) = (&library, context.expose_provenance());
    is_flat("threads", || {
        let work = || {
            let (mut memory, stream): (CUdeviceptr, CUstream) = (0, CU_STREAM_PER_THREAD);
            let context: CUcontext = std::ptr::with_exposed_provenance_mut(context);
            let calls = [
                call!(library, cuCtxSetCurrent(context): (CUcontext)),
                call!(library, cuMemAllocAsync(&mut memory, 4096, stream): (*mut CUdeviceptr, usize, CUstream)),
                call!(library, cuMemsetD8Async(memory, 1, 4096, stream): (CUdeviceptr, u8, usize, CUstream)),
                call!(library, cuMemFreeAsync(memory, stream): (CUdeviceptr, CUstream)),
                call!(library, cuStreamSynchronize(stream): (CUstream)),
            ];
            assert_eq!(calls, [OK; 5]);
        };
        std::thread::scope(|scope| scope.spawn(work).join().unwrap());
    });
}

/// A primary context lives again and again, with what the driver makes in it.
#[test]
fn primary_contexts() {
    let (_alone, library) = (common::alone(), common::driver());
    is_flat("primary contexts", || {
        let mut context: CUcontext = null_mut();
        let calls = [
            call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice)),
            call!(library, cuCtxSetCurrent(context): (CUcontext)),
        ];
        assert_eq!(calls, [OK; 2]);
        let (module, mut function): (_, CUfunction) = (load(&library), null_mut());
        let (mut stream, mut memory): (CUstream, CUdeviceptr) = (null_mut(), 0);
        let calls = [
            call!(library, cuModuleGetFunction(&mut function, module, c"nothing".as_ptr()):
                (*mut CUfunction, CUmodule, *const c_char)),
            call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)),
            call!(library, cuMemAlloc_v2(&mut memory, 64): (*mut CUdeviceptr, usize)),
            call!(library, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut()):
                (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
                *mut *mut c_void, *mut *mut c_void)),
            call!(library, cuDevicePrimaryCtxReset_v2(0): (CUdevice)),
        ];
        assert_eq!(calls, [OK; 5]);
    });
}

#[test]
fn green_contexts() {
    let (_alone, library) = (common::alone(), common::driver());
    let sm = CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM;
    is_flat("green contexts", || {
        // SAFETY: numbers.
        let [mut all, mut group]: [CUdevResource; 2] = unsafe { std::mem::zeroed() };
        let (mut groups, mut description, mut green) = (1, null_mut(), null_mut());
        let mut stream: CUstream = null_mut();
        type Resource = *mut CUdevResource;
        let calls = [
            call!(library, cuDeviceGetDevResource(0, &mut all, sm): (i32, Resource, CUdevResourceType)),
            call!(library, cuDevSmResourceSplitByCount(&mut group, &mut groups, &all, null_mut(), 0, 0):
                (Resource, *mut c_uint, *const CUdevResource, Resource, c_uint, c_uint)),
            call!(library, cuDevResourceGenerateDesc(&mut description, &mut group, 1):
                (*mut CUdevResourceDesc, Resource, c_uint)),
            call!(library, cuGreenCtxCreate(&mut green, description, 0, 1):
                (*mut CUgreenCtx, CUdevResourceDesc, i32, c_uint)),
            call!(library, cuGreenCtxStreamCreate(&mut stream, green, 1, 0):
                (*mut CUstream, CUgreenCtx, c_uint, i32)),
            call!(library, cuGreenCtxDestroy(green): (CUgreenCtx)),
        ];
        assert_eq!(calls, [OK; 6]);
    });
}

#[test]
fn virtual_memory() {
    const SIZE: usize = 2 << 20;
    let (_alone, library) = (common::alone(), common::driver());
    // SAFETY: plain structures, of which all zeros is a value.
    let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    let access = CUmemAccessDesc {
        location: properties.location,
        flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    is_flat("virtual memory", || {
        let (mut at, mut handle): (CUdeviceptr, u64) = (0, 0);
        let calls = [
            call!(library, cuMemAddressReserve(&mut at, SIZE, 0, 0, 0):
                (*mut CUdeviceptr, usize, usize, CUdeviceptr, u64)),
            call!(library, cuMemCreate(&mut handle, SIZE, &properties, 0):
                (*mut u64, usize, *const CUmemAllocationProp, u64)),
            call!(library, cuMemMap(at, SIZE, 0, handle, 0): (CUdeviceptr, usize, usize, u64, u64)),
            call!(library, cuMemSetAccess(at, SIZE, &access, 1):
                (CUdeviceptr, usize, *const CUmemAccessDesc, usize)),
            call!(library, cuMemsetD8_v2(at, 1, 64): (CUdeviceptr, u8, usize)),
            call!(library, cuMemUnmap(at, SIZE): (CUdeviceptr, usize)),
            call!(library, cuMemRelease(handle): (u64)),
            call!(library, cuMemAddressFree(at, SIZE): (CUdeviceptr, usize)),
        ];
        assert_eq!(calls, [OK; 8]);
    });
}

#[test]
fn textures_and_surfaces() {
    let (_alone, library) = (common::alone(), common::driver());
    let shape = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 64,
        Height: 64,
        Depth: 0,
        Format: CUarray_format::CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        // CUDA_ARRAY3D_SURFACE_LDST
        Flags: 2,
    };
    is_flat("textures and surfaces", || {
        let (mut array, mut texture, mut surface): (CUarray, u64, u64) = (null_mut(), 0, 0);
        let made = call!(library, cuArray3DCreate_v2(&mut array, &shape):
            (*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR));
        // SAFETY: plain structures, of which all zeros is a value; the kind of resource says which member there is.
        let (resource, sampler): (CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC) = unsafe {
            let mut resource: CUDA_RESOURCE_DESC = std::mem::zeroed();
            resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
            resource.res.array.hArray = array;
            (resource, std::mem::zeroed())
        };
        let calls = [
            made,
            call!(library, cuTexObjectCreate(&mut texture, &resource, &sampler, null()):
                (*mut u64, *const CUDA_RESOURCE_DESC, *const CUDA_TEXTURE_DESC, *const c_void)),
            call!(library, cuSurfObjectCreate(&mut surface, &resource): (*mut u64, *const CUDA_RESOURCE_DESC)),
            call!(library, cuTexObjectDestroy(texture): (u64)),
            call!(library, cuSurfObjectDestroy(surface): (u64)),
            call!(library, cuArrayDestroy(array): (CUarray)),
        ];
        assert_eq!(calls, [OK; 6]);
    });
}

/// A stream is captured, with another one that joins it.
#[test]
fn captures() {
    let (_alone, library) = (common::alone(), common::driver());
    let (mut streams, mut events): ([CUstream; 2], [CUevent; 2]) =
        ([null_mut(); 2], [null_mut(); 2]);
    let mut memory: CUdeviceptr = 0;
    assert_eq!(call!(library, cuMemAlloc_v2(&mut memory, 64): (*mut CUdeviceptr, usize)), OK);
    for (stream, event) in streams.iter_mut().zip(&mut events) {
        assert_eq!(call!(library, cuStreamCreate(stream, 1): (*mut CUstream, c_uint)), OK);
        assert_eq!(call!(library, cuEventCreate(event, 2): (*mut CUevent, c_uint)), OK);
    }
    is_flat("captures", || {
        let (mut graph, mut exec): (CUgraph, CUgraphExec) = (null_mut(), null_mut());
        let record =
            |at: usize| call!(library, cuEventRecord(events[at], streams[at]): (CUevent, CUstream));
        let wait = |at: usize, event: usize| {
            call!(library, cuStreamWaitEvent(streams[at], events[event], 0):
            (CUstream, CUevent, c_uint))
        };
        let fill = |at: usize| {
            call!(library, cuMemsetD8Async(memory, 1, 64, streams[at]):
            (CUdeviceptr, u8, usize, CUstream))
        };
        let calls = [
            call!(library, cuStreamBeginCapture_v2(streams[0], CUstreamCaptureMode(2)):
                (CUstream, CUstreamCaptureMode)),
            record(0),
            wait(1, 0),
            fill(1),
            fill(0),
            record(1),
            wait(0, 1),
            call!(library, cuStreamEndCapture(streams[0], &mut graph): (CUstream, *mut CUgraph)),
            call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
            call!(library, cuGraphLaunch(exec, streams[0]): (CUgraphExec, CUstream)),
            // While it may run.
            call!(library, cuGraphExecDestroy(exec): (CUgraphExec)),
            call!(library, cuGraphDestroy(graph): (CUgraph)),
            call!(library, cuStreamSynchronize(streams[0]): (CUstream)),
        ];
        assert_eq!(calls, [OK; 13]);
    });
}
