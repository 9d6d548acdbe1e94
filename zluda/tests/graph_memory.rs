//! Managed memory that nodes of graphs allocate (`CU_MEM_ALLOCATION_TYPE_MANAGED`): while it is allocated, the host uses it at
//! the address that the device does.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdeviceptr, CUgraph,
    CUgraphExec, CUgraphNode, CUmemAllocationType, CUmemLocationType, CUmemPoolProps, CUmemoryPool,
    CUmemorytype, CUpointer_attribute as A, CUresult as R, CUstream, CUstreamCaptureMode,
};
use libloading::Library;
use std::ffi::{c_uint, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

const OK: R = R::CUDA_SUCCESS;
const BYTES: usize = 4096;
const WORDS: usize = BYTES / 4;

/// Properties of managed memory of a place.
fn managed(type_: CUmemLocationType, id: i32) -> CUmemPoolProps {
    // SAFETY: all zeros is a value of this structure.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED;
    properties.location.type_ = type_;
    properties.location.id = id;
    properties
}

fn graph(library: &Library) -> CUgraph {
    let mut graph: CUgraph = null_mut();
    assert_eq!(call!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
    graph
}

/// Adds a node that allocates memory with these properties.
fn allocate(library: &Library, graph: CUgraph, pool: CUmemPoolProps) -> Result<Allocated, R> {
    let mut node: CUgraphNode = null_mut();
    // SAFETY: all zeros is a value of this structure.
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    params.poolProps = pool;
    params.bytesize = BYTES;
    match call!(library, cuGraphAddMemAllocNode(&mut node, graph, null(), 0, &mut params):
        (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *mut CUDA_MEM_ALLOC_NODE_PARAMS))
    {
        OK => Ok(Allocated { node, memory: params.dptr }),
        error => Err(error),
    }
}

#[derive(Debug)]
struct Allocated {
    node: CUgraphNode,
    memory: CUdeviceptr,
}

/// Adds a node that fills memory with a word after it has been allocated.
fn fill(library: &Library, graph: CUgraph, allocated: &Allocated, value: u32) -> CUgraphNode {
    let (mut node, mut context): (CUgraphNode, CUcontext) = (null_mut(), null_mut());
    assert_eq!(call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
    let params = CUDA_MEMSET_NODE_PARAMS {
        dst: allocated.memory,
        pitch: 0,
        value,
        elementSize: 4,
        width: WORDS,
        height: 1,
    };
    assert_eq!(
        call!(library, cuGraphAddMemsetNode(&mut node, graph, &allocated.node, 1, &params, context):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_MEMSET_NODE_PARAMS, CUcontext)),
        OK
    );
    node
}

fn instantiate(library: &Library, graph: CUgraph) -> CUgraphExec {
    let mut exec: CUgraphExec = null_mut();
    assert_eq!(
        call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0):
            (*mut CUgraphExec, CUgraph, c_ulonglong)),
        OK
    );
    exec
}

fn run(library: &Library, exec: CUgraphExec) -> R {
    match call!(library, cuGraphLaunch(exec, null_mut()): (CUgraphExec, CUstream)) {
        OK => call!(library, cuStreamSynchronize(null_mut()): (CUstream)),
        error => error,
    }
}

fn attribute(library: &Library, attribute: A, pointer: CUdeviceptr) -> (R, u64) {
    let mut value = 0u64;
    let to: *mut c_void = (&raw mut value).cast();
    let result = call!(library, cuPointerGetAttribute(to, attribute, pointer): (*mut c_void, A, CUdeviceptr));
    (result, value)
}

/// What the host reads of managed memory.
fn read(memory: CUdeviceptr) -> Vec<u32> {
    // SAFETY: the memory is allocated, and nothing runs.
    unsafe { std::slice::from_raw_parts(memory as *const u32, WORDS) }.to_vec()
}

/// What the device reads.
fn copy(library: &Library, memory: CUdeviceptr) -> Vec<u32> {
    let mut words = vec![0; WORDS];
    assert_eq!(
        call!(library, cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), memory, BYTES): (*mut c_void, CUdeviceptr, usize)),
        OK
    );
    words
}

/// Host and device use the memory by one address.
fn check_use(library: &Library, memory: CUdeviceptr) {
    let device_memory = CUmemorytype::CU_MEMORYTYPE_DEVICE.0.into();
    for (name, expected) in [
        (A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device_memory),
        (A::CU_POINTER_ATTRIBUTE_HOST_POINTER, memory + 12),
        (A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory + 12),
    ] {
        assert_eq!(attribute(library, name, memory + 12), (OK, expected), "{name:?}");
    }
    let words: Vec<u32> = (0..WORDS as u32).map(|word| word ^ 0x5a00).collect();
    // SAFETY: the memory is allocated, and nothing runs.
    unsafe { (memory as *mut u32).copy_from_nonoverlapping(words.as_ptr(), WORDS) };
    assert_eq!(copy(library, memory), words);
}

#[test]
fn host_uses_memory_of_a_node_until_it_is_freed() {
    let library = common::driver();
    let graph = graph(&library);
    let properties = managed(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0);
    let allocated = allocate(&library, graph, properties).unwrap();
    let memory = allocated.memory;
    fill(&library, graph, &allocated, 0x1234_5678);

    // SAFETY: all zeros is a value of this structure.
    let mut kept: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    assert_eq!(
        call!(library, cuGraphMemAllocNodeGetParams(allocated.node, &mut kept):
            (CUgraphNode, *mut CUDA_MEM_ALLOC_NODE_PARAMS)),
        OK
    );
    assert_eq!(kept.poolProps.allocType, properties.allocType);
    assert_eq!((kept.dptr, kept.bytesize), (memory, BYTES));

    let exec = instantiate(&library, graph);
    for _ in 0..2 {
        // It is not there before.
        assert_eq!(
            call!(library, cuMemsetD8_v2(memory, 0, 4): (CUdeviceptr, u8, usize)),
            R::CUDA_ERROR_INVALID_VALUE
        );
        assert_eq!(run(&library, exec), OK);
        assert_eq!(read(memory), [0x1234_5678; WORDS]);
        check_use(&library, memory);
        assert_eq!(call!(library, cuMemFree_v2(memory): (CUdeviceptr)), OK);
    }
    assert_eq!(call!(library, cuMemFree_v2(memory): (CUdeviceptr)), R::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(call!(library, cuGraphExecDestroy(exec): (CUgraphExec)), OK);
    assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
    assert_eq!(
        attribute(&library, A::CU_POINTER_ATTRIBUTE_IS_MANAGED, memory).0,
        R::CUDA_ERROR_INVALID_VALUE
    );
}

/// What is not freed in the graph outlives it, and may be freed in the order of a stream or at once.
#[test]
fn memory_outlives_its_graph() {
    let library = common::driver();
    for is_ordered in [false, true] {
        let graph = graph(&library);
        let properties = managed(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0);
        let allocated = allocate(&library, graph, properties).unwrap();
        let memory = allocated.memory;
        fill(&library, graph, &allocated, 77);
        let exec = instantiate(&library, graph);
        assert_eq!(run(&library, exec), OK);
        assert_eq!(call!(library, cuGraphExecDestroy(exec): (CUgraphExec)), OK);
        assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
        assert_eq!(read(memory), [77; WORDS]);
        check_use(&library, memory);
        let free = || match is_ordered {
            true => call!(library, cuMemFreeAsync(memory, null_mut()): (CUdeviceptr, CUstream)),
            false => call!(library, cuMemFree_v2(memory): (CUdeviceptr)),
        };
        assert_eq!(free(), OK);
        assert_eq!(free(), R::CUDA_ERROR_INVALID_VALUE);
    }
}

/// Nodes free it in the graph.
#[test]
fn nodes_free_it() {
    let library = common::driver();
    let graph = graph(&library);
    let properties = managed(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0);
    let allocated = allocate(&library, graph, properties).unwrap();
    let filled = fill(&library, graph, &allocated, 5);
    let mut free: CUgraphNode = null_mut();
    assert_eq!(
        call!(library, cuGraphAddMemFreeNode(&mut free, graph, &filled, 1, allocated.memory):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, CUdeviceptr)),
        OK
    );
    let exec = instantiate(&library, graph);
    assert_eq!(run(&library, exec), OK);
    assert_eq!(run(&library, exec), OK);
    assert_eq!(
        call!(library, cuMemFree_v2(allocated.memory): (CUdeviceptr)),
        R::CUDA_ERROR_INVALID_VALUE
    );
    assert_eq!(call!(library, cuGraphExecDestroy(exec): (CUgraphExec)), OK);
    assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
}

#[test]
fn wrong_places_are_refused() {
    let library = common::driver();
    let graph = graph(&library);
    for (type_, id, error) in [
        (CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 99, R::CUDA_ERROR_INVALID_VALUE),
        (CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, -1, R::CUDA_ERROR_INVALID_VALUE),
        (CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, -1, R::CUDA_ERROR_INVALID_VALUE),
        (CUmemLocationType(77), 0, R::CUDA_ERROR_NOT_SUPPORTED),
    ] {
        let refused = allocate(&library, graph, managed(type_, id)).unwrap_err();
        assert_eq!(refused, error, "{type_:?} {id}");
    }
    assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
}

/// A stream that is captured makes nodes of the pool's kind: "The memory pool's properties are used to set the node's creation
/// parameters."
#[test]
fn captured_streams_allocate_from_managed_pools() {
    let library = common::driver();
    let properties = managed(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0);
    let (mut pool, mut stream, mut graph): (CUmemoryPool, CUstream, CUgraph) =
        (null_mut(), null_mut(), null_mut());
    let mut memory: CUdeviceptr = 0;
    let ok = |result| assert_eq!(result, OK);
    ok(
        call!(library, cuMemPoolCreate(&mut pool, &properties): (*mut CUmemoryPool, *const CUmemPoolProps)),
    );
    ok(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)));
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    ok(call!(library, cuStreamBeginCapture_v2(stream, mode): (CUstream, CUstreamCaptureMode)));
    ok(call!(library, cuMemAllocFromPoolAsync(&mut memory, BYTES, pool, stream):
        (*mut CUdeviceptr, usize, CUmemoryPool, CUstream)));
    ok(
        call!(library, cuMemsetD32Async(memory, 9, WORDS, stream): (CUdeviceptr, c_uint, usize, CUstream)),
    );
    ok(call!(library, cuStreamEndCapture(stream, &mut graph): (CUstream, *mut CUgraph)));
    let exec = instantiate(&library, graph);
    assert_eq!(run(&library, exec), OK);
    assert_eq!(read(memory), [9; WORDS]);
    check_use(&library, memory);
    ok(call!(library, cuMemFree_v2(memory): (CUdeviceptr)));
    ok(call!(library, cuGraphExecDestroy(exec): (CUgraphExec)));
    ok(call!(library, cuGraphDestroy(graph): (CUgraph)));
    ok(call!(library, cuStreamDestroy_v2(stream): (CUstream)));
    ok(call!(library, cuMemPoolDestroy(pool): (CUmemoryPool)));
}
