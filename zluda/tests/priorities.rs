//! Priorities that launches have by an attribute, and nodes of graphs: of two kernels that wait for the one processor that this
//! process has, the more urgent one begins first, though it was launched last.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_KERNEL_NODE_PARAMS, CUdeviceptr, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUlaunchAttribute, CUlaunchAttributeID as Id, CUlaunchAttributeValue, CUlaunchConfig, CUmodule,
    CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::process::Command;
use std::ptr::null_mut;
use std::time::Duration;

const OK: R = R::CUDA_SUCCESS;
/// `CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY`
const USE_NODE_PRIORITY: c_ulonglong = 8;

/// `hold` keeps its processor until a word is set; `mark` takes a number from a counter and leaves it in a place.
const PTX: &str = concat!(
    r#"
.version 7.0
.target sm_75
.address_size 64
.visible .entry hold(.param .u64 word)
{
    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [word];
again:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p, %r1, 0;
    @%p bra again;
    ret;
}
.visible .entry mark(.param .u64 counter, .param .u64 place)
{
    .reg .b32 %r<2>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [place];
    atom.global.add.u32 %r1, [%rd1], 1;
    st.global.u32 [%rd2], %r1;
    ret;
}
"#,
    "\0"
);

struct Driver {
    library: Library,
    hold: CUfunction,
    mark: CUfunction,
    /// The word that lets go, the counter, and two places.
    words: *mut u32,
    /// The most urgent priority.
    greatest: c_int,
}

impl Driver {
    fn new() -> Driver {
        let library = common::driver();
        let mut module: CUmodule = null_mut();
        assert_eq!(
            call!(library, cuModuleLoadData(&mut module, PTX.as_ptr().cast()): (*mut CUmodule, *const c_void)),
            OK
        );
        let [hold, mark] = [c"hold", c"mark"].map(|name: &CStr| {
            let mut function: CUfunction = null_mut();
            assert_eq!(
                call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
                (*mut CUfunction, CUmodule, *const c_char)),
                OK
            );
            function
        });
        let mut words: *mut c_void = null_mut();
        assert_eq!(
            call!(library, cuMemHostAlloc(&mut words, 16, 2): (*mut *mut c_void, usize, c_uint)),
            OK
        );
        let (mut least, mut greatest) = (0, 0);
        assert_eq!(
            call!(library, cuCtxGetStreamPriorityRange(&mut least, &mut greatest): (*mut c_int, *mut c_int)),
            OK
        );
        assert!(greatest < least, "{least} {greatest}");
        Driver { library, hold, mark, words: words.cast(), greatest }
    }

    fn stream(&self) -> CUstream {
        let mut stream: CUstream = null_mut();
        assert_eq!(
            call!(self.library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)),
            OK
        );
        stream
    }

    /// Runs a function with the parameters of a kernel that marks a place.
    fn with_mark<T>(&self, place: u64, body: impl FnOnce(*mut *mut c_void) -> T) -> T {
        let words = self.words as CUdeviceptr;
        let mut parameters = [words + 4, words + 8 + 4 * place];
        let mut list = parameters.each_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>());
        body(list.as_mut_ptr())
    }

    fn launch(&self, stream: CUstream, place: u64, priority: Option<c_int>) {
        let mut attribute = CUlaunchAttribute {
            id: Id::CU_LAUNCH_ATTRIBUTE_PRIORITY,
            // SAFETY: a structure of numbers and pointers.
            ..unsafe { std::mem::zeroed() }
        };
        attribute.value.priority = priority.unwrap_or(0);
        let config = CUlaunchConfig {
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 1,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: stream,
            attrs: &mut attribute,
            numAttrs: priority.is_some().into(),
        };
        let result = self.with_mark(place, |list| {
            call!(self.library, cuLaunchKernelEx(&config, self.mark, list, null_mut()):
                (*const CUlaunchConfig, CUfunction, *mut *mut c_void, *mut *mut c_void))
        });
        assert_eq!(result, OK);
    }

    fn mark_node(&self, graph: CUgraph, place: u64) -> CUgraphNode {
        let mut node: CUgraphNode = null_mut();
        let result = self.with_mark(place, |list| {
            let params =
                CUDA_KERNEL_NODE_PARAMS { kernelParams: list, ..common::kernel_node(self.mark) };
            call!(self.library, cuGraphAddKernelNode_v2(&mut node, graph, std::ptr::null(), 0, &params):
                (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS))
        });
        assert_eq!(result, OK);
        node
    }

    /// Puts work into streams while the processor is held: in which turns the two places were marked.
    fn turns(&self, streams: &[CUstream], work: impl FnOnce()) -> [u32; 2] {
        let holding = self.stream();
        // SAFETY: no kernel runs.
        unsafe { std::slice::from_raw_parts_mut(self.words, 4).fill(0) };
        let mut word = self.words;
        let mut list = [(&raw mut word).cast::<c_void>()];
        assert_eq!(
            call!(self.library, cuLaunchKernel(self.hold, 1, 1, 1, 1, 1, 1, 0, holding, list.as_mut_ptr(), null_mut()):
            (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
            OK
        );
        // The processor has begun with it by then: it has nothing else to do.
        std::thread::sleep(Duration::from_millis(200));
        work();
        // SAFETY: the kernel reads it as one word.
        unsafe { self.words.write_volatile(1) };
        // Who waits for a stream helps with its work.
        for stream in streams.iter().chain([&holding]) {
            while call!(self.library, cuStreamQuery(*stream): (CUstream)) == R::CUDA_ERROR_NOT_READY
            {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        // SAFETY: all kernels have ended.
        let places = unsafe { std::slice::from_raw_parts(self.words.add(2), 2) };
        [places[0], places[1]]
    }

    /// The turns of two nodes of a graph, of which the second one has a priority.
    fn turns_of_nodes(&self, flags: c_ulonglong) -> [u32; 2] {
        let (mut graph, mut exec): (CUgraph, CUgraphExec) = (null_mut(), null_mut());
        assert_eq!(call!(self.library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
        self.mark_node(graph, 0);
        let urgent = self.mark_node(graph, 1);
        // SAFETY: a union of numbers and pointers.
        let mut value: CUlaunchAttributeValue = unsafe { std::mem::zeroed() };
        value.priority = self.greatest;
        assert_eq!(
            call!(self.library, cuGraphKernelNodeSetAttribute(urgent, Id::CU_LAUNCH_ATTRIBUTE_PRIORITY, &value):
            (CUgraphNode, Id, *const CUlaunchAttributeValue)),
            OK
        );
        assert_eq!(
            call!(self.library, cuGraphInstantiateWithFlags(&mut exec, graph, flags): (*mut CUgraphExec, CUgraph, c_ulonglong)),
            OK
        );
        let stream = self.stream();
        self.turns(&[stream], || {
            assert_eq!(
                call!(self.library, cuGraphLaunch(exec, stream): (CUgraphExec, CUstream)),
                OK
            );
        })
    }
}

/// The child, which has one processor.
#[test]
#[ignore = "the other test runs it, on one processor"]
fn program() {
    let driver = Driver::new();
    let greatest = driver.greatest;
    for (priorities, turns) in [
        ([None, None], [0, 1]),
        ([None, Some(greatest)], [1, 0]),
        ([Some(greatest), None], [0, 1]),
        ([Some(0), Some(greatest)], [1, 0]),
        ([Some(greatest), Some(greatest)], [0, 1]),
    ] {
        let streams = [driver.stream(), driver.stream()];
        let found = driver.turns(&streams, || {
            for (place, (stream, priority)) in streams.iter().zip(priorities).enumerate() {
                driver.launch(*stream, place as u64, priority);
            }
        });
        assert_eq!(found, turns, "{priorities:?}");
    }
    assert_eq!(driver.turns_of_nodes(USE_NODE_PRIORITY), [1, 0]);
    // "Run the graph using the per-node priority attributes rather than the priority of the stream it is launched into."
    assert_eq!(driver.turns_of_nodes(0), [0, 1]);
}

#[test]
fn what_is_more_urgent_begins_first() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.split_once("Cpus_allowed_list:").unwrap().1.trim_start();
    let first: String = allowed.chars().take_while(char::is_ascii_digit).collect();
    let output = Command::new("taskset")
        .args(["-c", &first])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "program", "--ignored"])
        .env("ZLUDA_DEVICE", "cpu")
        .output()
        .unwrap();
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{out}\n{err}");
}
