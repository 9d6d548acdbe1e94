//! Operations of streams on words of memory: streams wait for each other by them, and the host does not wait. Expected
//! values are those of the manual.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeType,
    CUresult as R, CUstream, CUstreamBatchMemOpParams, CUstreamBatchMemOpType as T,
    CUstreamCaptureMode,
};
use libloading::Library;
use std::ffi::{c_uint, c_void};
use std::ptr::{null, null_mut};

const OK: R = R::CUDA_SUCCESS;
const INVALID: R = R::CUDA_ERROR_INVALID_VALUE;
const NOT_READY: R = R::CUDA_ERROR_NOT_READY;

const GEQ: c_uint = 0;
const EQ: c_uint = 1;
const AND: c_uint = 2;
const NOR: c_uint = 3;

struct Driver(Library);

impl Driver {
    fn new() -> Driver {
        Driver(common::driver())
    }

    fn stream(&self) -> CUstream {
        let mut stream = null_mut();
        assert_eq!(call!(self.0, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
        stream
    }

    /// 64 words of 32 bits, all 0.
    fn words(&self) -> CUdeviceptr {
        let mut pointer = 0;
        assert_eq!(call!(self.0, cuMemAlloc_v2(&mut pointer, 256): (*mut CUdeviceptr, usize)), OK);
        assert_eq!(call!(self.0, cuMemsetD8_v2(pointer, 0, 256): (CUdeviceptr, u8, usize)), OK);
        assert_eq!(call!(self.0, cuCtxSynchronize(): ()), OK);
        pointer
    }

    fn wait(&self, stream: CUstream, at: CUdeviceptr, value: u32, flags: c_uint) -> R {
        call!(self.0, cuStreamWaitValue32_v2(stream, at, value, flags): (CUstream, CUdeviceptr, u32, c_uint))
    }

    fn wait_wide(&self, stream: CUstream, at: CUdeviceptr, value: u64, flags: c_uint) -> R {
        call!(self.0, cuStreamWaitValue64_v2(stream, at, value, flags): (CUstream, CUdeviceptr, u64, c_uint))
    }

    fn write(&self, stream: CUstream, at: CUdeviceptr, value: u32, flags: c_uint) -> R {
        call!(self.0, cuStreamWriteValue32_v2(stream, at, value, flags): (CUstream, CUdeviceptr, u32, c_uint))
    }

    fn write_wide(&self, stream: CUstream, at: CUdeviceptr, value: u64) -> R {
        call!(self.0, cuStreamWriteValue64_v2(stream, at, value, 0): (CUstream, CUdeviceptr, u64, c_uint))
    }

    fn batch(
        &self,
        stream: CUstream,
        operations: &mut [CUstreamBatchMemOpParams],
        flags: c_uint,
    ) -> R {
        call!(self.0, cuStreamBatchMemOp_v2(stream, operations.len() as c_uint, operations.as_mut_ptr(), flags):
            (CUstream, c_uint, *mut CUstreamBatchMemOpParams, c_uint))
    }

    fn query(&self, stream: CUstream) -> R {
        call!(self.0, cuStreamQuery(stream): (CUstream))
    }

    fn synchronize(&self, stream: CUstream) -> R {
        call!(self.0, cuStreamSynchronize(stream): (CUstream))
    }

    fn read(&self, at: CUdeviceptr) -> u64 {
        let (mut word, stream) = (0u64, self.stream());
        let to: *mut c_void = (&raw mut word).cast();
        assert_eq!(
            call!(self.0, cuMemcpyDtoHAsync_v2(to, at, 8, stream): (*mut c_void, CUdeviceptr, usize, CUstream)),
            OK
        );
        assert_eq!(self.synchronize(stream), OK);
        word
    }
}

/// An operation on a word of 32 bits.
fn operation(
    operation: T,
    address: CUdeviceptr,
    value: u32,
    flags: c_uint,
) -> CUstreamBatchMemOpParams {
    // SAFETY: all zeros is a value of every member.
    let mut params: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    params.waitValue.operation = operation;
    params.waitValue.address = address;
    params.waitValue.__bindgen_anon_1.value = value;
    params.waitValue.flags = flags;
    params
}

#[test]
fn streams_wait_for_each_other_by_words() {
    let driver = Driver::new();
    let (word, first, second) = (driver.words(), driver.stream(), driver.stream());
    // Each waits for the other, more often than there are processors.
    for round in 1..200 {
        assert_eq!(driver.wait(first, word, round, EQ), OK);
        assert_eq!(driver.write(first, word + 4, round, 0), OK);
        assert_eq!(driver.wait(second, word + 4, round, EQ), OK);
        assert_eq!(driver.write(second, word, round + 1, 0), OK);
    }
    assert_eq!([driver.query(first), driver.query(second)], [NOT_READY; 2]);
    assert_eq!(driver.write(driver.stream(), word, 1, 0), OK);
    assert_eq!([driver.synchronize(first), driver.synchronize(second)], [OK; 2]);
    assert_eq!(driver.read(word), 199 << 32 | 200);
}

/// Many streams that wait do not keep others from running.
#[test]
fn those_who_wait_hold_nobody_up() {
    let driver = Driver::new();
    let word = driver.words();
    let streams: Vec<CUstream> = (0..64).map(|_| driver.stream()).collect();
    for stream in &streams {
        assert_eq!(driver.wait(*stream, word, 1, EQ), OK);
        assert_eq!(
            call!(driver.0, cuMemsetD32Async(word + 8, 7, 1, *stream): (CUdeviceptr, u32, usize, CUstream)),
            OK
        );
    }
    assert!(streams.iter().all(|stream| driver.query(*stream) == NOT_READY));
    let other = driver.stream();
    assert_eq!(
        call!(driver.0, cuMemsetD32Async(word + 16, 9, 1, other): (CUdeviceptr, u32, usize, CUstream)),
        OK
    );
    assert_eq!(driver.synchronize(other), OK);
    assert_eq!((driver.read(word + 16), driver.read(word + 8)), (9, 0));
    assert_eq!(driver.write(other, word, 1, 0), OK);
    assert!(streams.iter().all(|stream| driver.synchronize(*stream) == OK));
    assert_eq!(driver.read(word + 8), 7);
}

/// Each comparison with a value that does not satisfy it, and one that does.
#[test]
fn comparisons() {
    let driver = Driver::new();
    let max = u32::MAX;
    for (flags, value, no, yes) in [
        (GEQ, 5, 4, 5),
        (GEQ, 5, 4, 6),
        // "Note this is a cyclic comparison which ignores wraparound."
        (GEQ, 1, max, 2),
        (GEQ, max, max - 1, 3),
        (GEQ, 5, 5u32.wrapping_add(1 << 31), 5 + (1 << 31) - 1),
        (EQ, 5, 6, 5),
        (AND, 6, 9, 4),
        // "Wait until ~(*addr | value) != 0."
        (NOR, 0xffff_fff0, 0xf, 0xe),
    ] {
        let (word, stream, other) = (driver.words(), driver.stream(), driver.stream());
        assert_eq!(driver.write(other, word, no, 0), OK);
        assert_eq!(driver.synchronize(other), OK);
        assert_eq!(driver.wait(stream, word, value, flags), OK);
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(driver.query(stream), NOT_READY, "{flags} {value:#x} {no:#x}");
        assert_eq!(driver.write(other, word, yes, 0), OK);
        assert_eq!(driver.synchronize(stream), OK);

        // The same in 64 bits, where the word is the upper half.
        let wide = |word: u32| u64::from(word) << 32 | if flags == NOR { 0xffff_ffff } else { 0 };
        let word = driver.words();
        assert_eq!(driver.write_wide(other, word, wide(no)), OK);
        assert_eq!(driver.synchronize(other), OK);
        assert_eq!(driver.wait_wide(stream, word, wide(value), flags), OK);
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(driver.query(stream), NOT_READY, "{flags} {value:#x} {no:#x}, wide");
        assert_eq!(driver.write_wide(other, word, wide(yes)), OK);
        assert_eq!(driver.synchronize(stream), OK);
    }
}

#[test]
fn batches() {
    let driver = Driver::new();
    let (word, stream, other) = (driver.words(), driver.stream(), driver.stream());
    // SAFETY: all zeros is a value of every member.
    let mut barrier: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    barrier.memoryBarrier.operation = T::CU_STREAM_MEM_OP_BARRIER;
    let mut operations = [
        operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, word, 1, 0),
        operation(T::CU_STREAM_MEM_OP_WAIT_VALUE_32, word + 4, 2, EQ),
        barrier,
        operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, word, 3, 0),
    ];
    assert_eq!(driver.batch(stream, &mut operations, 0), OK);
    assert_eq!(driver.wait(other, word, 1, EQ), OK);
    assert_eq!(driver.synchronize(other), OK);
    assert_eq!(driver.query(stream), NOT_READY);
    assert_eq!(driver.write(other, word + 4, 2, 0), OK);
    assert_eq!(driver.synchronize(stream), OK);
    assert_eq!(driver.read(word), 2 << 32 | 3);

    // Nothing is done where anything is wrong.
    operations[3].writeValue.address = word + 1;
    assert_eq!(driver.batch(stream, &mut operations, 0), INVALID);
    assert_eq!(driver.query(stream), OK);
    assert_eq!(driver.read(word), 2 << 32 | 3);
    operations[3] = operation(T(77), word, 3, 0);
    assert_eq!(driver.batch(stream, &mut operations, 0), INVALID);
    assert_eq!(driver.batch(stream, &mut operations[..1], 1), INVALID);
    let mut many = vec![operations[0]; 257];
    assert_eq!(driver.batch(stream, &mut many, 0), INVALID);
    assert_eq!(driver.batch(stream, &mut many[..255], 0), OK);
    assert_eq!(driver.synchronize(stream), OK);
}

#[test]
fn wrong_arguments() {
    let driver = Driver::new();
    let (word, stream) = (driver.words(), driver.stream());
    for at in [0, 0x1234, word + 2, u64::MAX - 3] {
        assert_eq!(driver.wait(stream, at, 0, EQ), INVALID, "{at:#x}");
        assert_eq!(driver.write(stream, at, 0, 0), INVALID, "{at:#x}");
    }
    assert_eq!(driver.wait_wide(stream, word + 4, 0, EQ), INVALID);
    assert_eq!(driver.write_wide(stream, word + 252, 0), INVALID);
    assert_eq!(driver.wait(stream, word, 0, 4), INVALID);
    assert_eq!(driver.write(stream, word, 0, 2), INVALID);
    assert_eq!(driver.wait(0x1230 as CUstream, word, 0, EQ), R::CUDA_ERROR_INVALID_HANDLE);
    assert_eq!(driver.query(stream), OK);
}

/// Nodes of batches keep what they do, do it when their turn comes, and can be changed; captured operations become such
/// nodes.
#[test]
fn nodes_of_graphs() {
    let driver = Driver::new();
    let library = &driver.0;
    let (word, stream) = (driver.words(), driver.stream());
    let mut operations = [operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, word, 5, 0)];
    let params = |operations: &mut [CUstreamBatchMemOpParams]| CUDA_BATCH_MEM_OP_NODE_PARAMS {
        ctx: null_mut(),
        count: operations.len() as c_uint,
        paramArray: operations.as_mut_ptr(),
        flags: 0,
    };
    let (mut graph, mut node, mut exec): (CUgraph, CUgraphNode, CUgraphExec) =
        (null_mut(), null_mut(), null_mut());
    assert_eq!(call!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
    assert_eq!(
        call!(library, cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, &params(&mut operations)):
        (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_BATCH_MEM_OP_NODE_PARAMS)),
        OK
    );
    // The program's array is its own again.
    operations[0].writeValue.__bindgen_anon_1.value = 6;
    let mut told = params(&mut []);
    assert_eq!(
        call!(library, cuGraphBatchMemOpNodeGetParams(node, &mut told):
        (CUgraphNode, *mut CUDA_BATCH_MEM_OP_NODE_PARAMS)),
        OK
    );
    // SAFETY: the array that the driver tells of has one element.
    let (count, value) =
        unsafe { (told.count, (*told.paramArray).writeValue.__bindgen_anon_1.value) };
    assert_eq!((count, value), (1, 5));
    assert_eq!(
        call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
        OK
    );
    let run = |exec: CUgraphExec| {
        assert_eq!(call!(library, cuGraphLaunch(exec, stream): (CUgraphExec, CUstream)), OK);
        assert_eq!(driver.synchronize(stream), OK);
        driver.read(word)
    };
    assert_eq!(run(exec), 5);
    assert_eq!(
        call!(library, cuGraphExecBatchMemOpNodeSetParams(exec, node, &params(&mut operations)):
        (CUgraphExec, CUgraphNode, *const CUDA_BATCH_MEM_OP_NODE_PARAMS)),
        OK
    );
    assert_eq!(run(exec), 6);
    operations[0].writeValue.__bindgen_anon_1.value = 7;
    assert_eq!(
        call!(library, cuGraphBatchMemOpNodeSetParams(node, &params(&mut operations)):
        (CUgraphNode, *const CUDA_BATCH_MEM_OP_NODE_PARAMS)),
        OK
    );
    assert_eq!(run(exec), 6, "it was made before");
    assert_eq!(
        call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
        OK
    );
    assert_eq!(run(exec), 7);

    // Other threads of a process that runs all tests may call what they want meanwhile.
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    assert_eq!(
        call!(library, cuStreamBeginCapture_v2(stream, mode): (CUstream, CUstreamCaptureMode)),
        OK
    );
    assert_eq!(driver.wait(stream, word, 8, EQ), OK);
    assert_eq!(driver.write(stream, word, 9, 0), OK);
    assert_eq!(
        call!(library, cuStreamEndCapture(stream, &mut graph): (CUstream, *mut CUgraph)),
        OK
    );
    let (mut nodes, mut count, mut kind) = ([null_mut(); 4], 4, CUgraphNodeType(0));
    assert_eq!(
        call!(library, cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count):
        (CUgraph, *mut CUgraphNode, *mut usize)),
        OK
    );
    assert_eq!(
        call!(library, cuGraphNodeGetType(nodes[0], &mut kind): (CUgraphNode, *mut CUgraphNodeType)),
        OK
    );
    assert_eq!((count, kind), (2, CUgraphNodeType::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP));
    assert_eq!(
        call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
        OK
    );
    assert_eq!(call!(library, cuGraphLaunch(exec, stream): (CUgraphExec, CUstream)), OK);
    assert_eq!(driver.query(stream), NOT_READY);
    assert_eq!(driver.write(driver.stream(), word, 8, 0), OK);
    assert_eq!(driver.synchronize(stream), OK);
    assert_eq!(driver.read(word), 9);
}
