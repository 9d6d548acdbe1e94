//! Objects that are made and destroyed ten thousand times leave nothing behind: the process's memory stays as it is, and so
//! do the mappings of which a process may have 65,530.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_KERNEL_NODE_PARAMS, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph,
    CUgraphExec, CUgraphNode, CUmemAllocationType, CUmemLocationType, CUmemPoolProps, CUmemoryPool,
    CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_char, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Holds the tests of a process apart: memory is the process's.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

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
    let (_alone, library) = (alone(), common::driver());
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
    let (_alone, library) = (alone(), common::driver());
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
    let (_alone, library) = (alone(), common::driver());
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
    let (_alone, library) = (alone(), common::driver());
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
    let (_alone, library) = (alone(), common::driver());
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
