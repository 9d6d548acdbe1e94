//! Graphs that kernels launch, and nodes that kernels change: what a sample cannot show whatever the number of threads, and
//! handles that are none.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_KERNEL_NODE_PARAMS, CUdeviceptr, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUkernelNodeAttrValue, CUlaunchAttributeID, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_char, c_uint, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const OK: R = R::CUDA_SUCCESS;
/// `cudaErrorInvalidValue`, as kernels get it, and a word that no function returns.
const INVALID: u32 = 1;
const UNTOUCHED: u32 = 0xcccc_cccc;

/// `cudaStreamGraphTailLaunch` and its kin.
const TAIL: u64 = 1 << 56;
const FIRE_AND_FORGET: u64 = 2 << 56;
const SIBLING: u64 = 3 << 56;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`
const DEVICE_LAUNCH: u64 = 4;

const PTX: &str = concat!(
    r#"
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 e) cudaGraphLaunch(.param .b64 g, .param .b64 s);
.extern .func (.param .b32 e) cudaGraphKernelNodeSetEnabled(.param .b64 n, .param .b32 b);
.visible .entry launch(.param .u64 graph, .param .u64 stream, .param .u64 result)
{
    .reg .b32 %r<2>; .reg .b64 %rd<4>;
    .param .b64 g, s; .param .b32 e;
    ld.param.u64 %rd1, [graph];
    ld.param.u64 %rd2, [stream];
    ld.param.u64 %rd3, [result];
    st.param.b64 [g], %rd1;
    st.param.b64 [s], %rd2;
    call.uni (e), cudaGraphLaunch, (g, s);
    ld.param.b32 %r1, [e];
    st.global.u32 [%rd3], %r1;
    ret;
}
.visible .entry disable(.param .u64 node, .param .u64 unused, .param .u64 result)
{
    .reg .b32 %r<2>; .reg .b64 %rd<4>;
    .param .b64 n; .param .b32 b, e;
    ld.param.u64 %rd1, [node];
    ld.param.u64 %rd3, [result];
    st.param.b64 [n], %rd1;
    st.param.b32 [b], 0;
    call.uni (e), cudaGraphKernelNodeSetEnabled, (n, b);
    ld.param.b32 %r1, [e];
    st.global.u32 [%rd3], %r1;
    ret;
}
.visible .entry await(.param .u64 word, .param .u64 value, .param .u64 place)
{
    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [word];
    ld.param.u64 %rd2, [value];
    ld.param.u64 %rd3, [place];
again:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p, %r1, 0;
    @%p bra again;
    cvt.u32.u64 %r1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
.visible .entry raise(.param .u64 unused, .param .u64 value, .param .u64 place)
{
    .reg .b32 %r<2>; .reg .b64 %rd<4>;
    ld.param.u64 %rd2, [value];
    ld.param.u64 %rd3, [place];
    cvt.u32.u64 %r1, %rd2;
    st.volatile.global.u32 [%rd3], %r1;
    ret;
}
"#,
    "\0"
);

struct Driver {
    library: Library,
    module: CUmodule,
    stream: CUstream,
    memory: CUdeviceptr,
}

impl Driver {
    fn new() -> Driver {
        let library = common::driver();
        let (mut module, mut stream, mut memory) = (null_mut(), null_mut(), 0);
        assert_eq!(
            call!(library, cuModuleLoadData(&mut module, PTX.as_ptr().cast()): (*mut CUmodule, *const c_void)),
            OK
        );
        assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
        assert_eq!(call!(library, cuMemAlloc_v2(&mut memory, 256): (*mut CUdeviceptr, usize)), OK);
        Driver { library, module, stream, memory }
    }

    fn function(&self, name: &std::ffi::CStr) -> CUfunction {
        let mut function = null_mut();
        assert_eq!(
            call!(self.library, cuModuleGetFunction(&mut function, self.module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)),
            OK
        );
        function
    }

    fn graph(&self) -> CUgraph {
        let mut graph = null_mut();
        assert_eq!(call!(self.library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
        graph
    }

    /// Adds a kernel of one thread behind the last node.
    fn add(
        &self,
        graph: CUgraph,
        last: &mut CUgraphNode,
        name: &std::ffi::CStr,
        mut words: [u64; 3],
    ) {
        let mut list = words.each_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>());
        let params = CUDA_KERNEL_NODE_PARAMS {
            kernelParams: list.as_mut_ptr(),
            ..common::kernel_node(self.function(name))
        };
        let (before, count) = (*last, usize::from(!last.is_null()));
        assert_eq!(
            call!(self.library, cuGraphAddKernelNode_v2(last, graph, &before, count, &params):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS)),
            OK
        );
    }

    fn instantiate(&self, graph: CUgraph, flags: u64) -> CUgraphExec {
        let mut exec = null_mut();
        assert_eq!(
            call!(self.library, cuGraphInstantiateWithFlags(&mut exec, graph, flags): (*mut CUgraphExec, CUgraph, u64)),
            OK
        );
        exec
    }

    /// An executable graph of kernels, one behind the other, for launches by kernels.
    fn of_kernels(&self, kernels: &[(&std::ffi::CStr, [u64; 3])]) -> CUgraphExec {
        let (graph, mut last) = (self.graph(), null_mut());
        for (name, words) in kernels {
            self.add(graph, &mut last, name, *words);
        }
        self.instantiate(graph, DEVICE_LAUNCH)
    }

    fn upload(&self, exec: CUgraphExec) {
        assert_eq!(
            call!(self.library, cuGraphUpload(exec, self.stream): (CUgraphExec, CUstream)),
            OK
        );
    }

    fn place(&self, word: u64) -> u64 {
        self.memory + 4 * word
    }

    fn clear(&self, words: &[u32]) {
        assert_eq!(
            call!(self.library, cuMemcpyHtoD_v2(self.memory, words.as_ptr().cast(), 4 * words.len()):
            (CUdeviceptr, *const c_void, usize)),
            OK
        );
    }

    /// Launches a graph, and returns the first words of memory; panics where it does not end.
    fn run(&self, exec: CUgraphExec) -> [u32; 4] {
        assert_eq!(
            call!(self.library, cuGraphLaunch(exec, self.stream): (CUgraphExec, CUstream)),
            OK
        );
        let begun = Instant::now();
        while call!(self.library, cuStreamQuery(self.stream): (CUstream)) != OK {
            assert!(begun.elapsed() < Duration::from_secs(30), "the graph does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut words = [0; 4];
        assert_eq!(
            call!(self.library, cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), self.memory, 16):
            (*mut c_void, CUdeviceptr, usize)),
            OK
        );
        words
    }
}

/// A sibling waits for what its launcher has put behind itself: if that came behind the sibling too, nothing would end.
#[test]
fn a_sibling_keeps_nothing_behind_its_launcher() {
    let driver = Driver::new();
    let (word, other) = (driver.place(0), driver.place(1));
    let results = [driver.place(2), driver.place(3)];
    let sibling = driver.of_kernels(&[(c"await", [word, 7, other])]);
    let tail = driver.of_kernels(&[(c"raise", [0, 5, word])]);
    let middle = driver.of_kernels(&[
        (c"launch", [sibling as u64, SIBLING, results[0]]),
        (c"launch", [tail as u64, TAIL, results[1]]),
    ]);
    for exec in [sibling, tail, middle] {
        driver.upload(exec);
    }
    let (graph, mut last) = (driver.graph(), null_mut());
    driver.add(graph, &mut last, c"launch", [middle as u64, FIRE_AND_FORGET, driver.place(4)]);
    let outer = driver.instantiate(graph, 0);
    for _ in 0..3 {
        driver.clear(&[0, 0, UNTOUCHED, UNTOUCHED]);
        assert_eq!(driver.run(outer), [5, 7, 0, 0]);
    }
}

/// "To launch a graph from the device, it must first be uploaded", which a launch by the host does too; graphs that have
/// ended are none.
#[test]
fn graphs_that_are_not_there_are_not_launched() {
    let driver = Driver::new();
    let child = driver.of_kernels(&[(c"raise", [0, 1, driver.place(1)])]);
    let (graph, mut last) = (driver.graph(), null_mut());
    driver.add(graph, &mut last, c"launch", [child as u64, FIRE_AND_FORGET, driver.place(0)]);
    let outer = driver.instantiate(graph, 0);
    driver.clear(&[UNTOUCHED, 0]);
    assert_eq!(driver.run(outer)[..2], [INVALID, 0]);
    driver.upload(child);
    assert_eq!(driver.run(outer)[..2], [0, 1]);
    driver.clear(&[UNTOUCHED, 0]);
    assert_eq!(call!(driver.library, cuGraphExecDestroy(child): (CUgraphExec)), OK);
    assert_eq!(driver.run(outer)[..2], [INVALID, 0]);
}

/// A node's handle for kernels stands for nothing before its graph is executable, and after the end of that.
#[test]
fn nodes_change_while_their_executable_graph_is_there() {
    let driver = Driver::new();
    let (graph, mut node) = (driver.graph(), null_mut());
    driver.add(graph, &mut node, c"raise", [0, 1, driver.place(1)]);
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut value: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    let id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
    assert_eq!(
        call!(driver.library, cuGraphKernelNodeSetAttribute(node, id, &value):
        (CUgraphNode, CUlaunchAttributeID, *const CUkernelNodeAttrValue)),
        OK
    );
    // SAFETY: the driver has written the member.
    let handle = unsafe { value.deviceUpdatableKernelNode.devNode } as u64;
    assert_ne!(handle, 0);
    let disable = || {
        let (mut words, function) = ([handle, 0, driver.place(0)], driver.function(c"disable"));
        let mut list = words.each_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>());
        driver.clear(&[UNTOUCHED, 0]);
        let extra: *mut *mut c_void = null_mut();
        assert_eq!(
            call!(driver.library, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, driver.stream, list.as_mut_ptr(), extra):
            (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
            OK
        );
        assert_eq!(call!(driver.library, cuStreamSynchronize(driver.stream): (CUstream)), OK);
        let mut word = 0u32;
        assert_eq!(
            call!(driver.library, cuMemcpyDtoH_v2((&raw mut word).cast(), driver.memory, 4):
            (*mut c_void, CUdeviceptr, usize)),
            OK
        );
        word
    };
    assert_eq!(disable(), INVALID);
    let exec = driver.instantiate(graph, 0);
    assert_eq!(driver.run(exec)[1], 1);
    assert_eq!(disable(), 0);
    assert_eq!(driver.run(exec)[1], 0);
    let (mut enabled, mut second): (c_uint, CUgraphExec) = (9, null_mut());
    assert_eq!(
        call!(driver.library, cuGraphNodeGetEnabled(exec, node, &mut enabled): (CUgraphExec, CUgraphNode, *mut c_uint)),
        OK
    );
    assert_eq!(enabled, 0);
    assert_eq!(
        call!(driver.library, cuGraphInstantiateWithFlags(&mut second, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
        R::CUDA_ERROR_NOT_SUPPORTED
    );
    assert_eq!(call!(driver.library, cuGraphExecDestroy(exec): (CUgraphExec)), OK);
    assert_eq!(disable(), INVALID);
    assert_eq!(driver.run(driver.instantiate(graph, 0))[1], 1);
}
