//! Kernels of several streams, and of the branches of a graph, that wait for one another run side by side, whatever the host
//! does meanwhile and however few cores there are: each case is a process of its own, which has so many.
#![cfg(target_os = "linux")]
// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CU_MEMHOSTALLOC_DEVICEMAP, CUDA_KERNEL_NODE_PARAMS, CUdeviceptr, CUfunction, CUgraph,
    CUgraphExec, CUgraphNode, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const OK: R = R::CUDA_SUCCESS;
const LIMIT: Duration = Duration::from_secs(120);
/// Words of memory.
const WORDS: usize = 32;

/// `pass_on` waits until one word is set, then sets another.
const PTX: &str = concat!(
    r#"
.version 7.0
.target sm_75
.address_size 64
.visible .entry pass_on(.param .u64 from, .param .u64 to)
{
    .reg .pred %p; .reg .b32 %r; .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [from];
    ld.param.u64 %rd1, [to];
again:
    ld.volatile.global.u32 %r, [%rd0];
    setp.eq.u32 %p, %r, 0;
    @%p bra again;
    st.volatile.global.u32 [%rd1], 1;
    ret;
}
"#,
    "\0"
);

struct Driver {
    library: Library,
    pass_on: CUfunction,
    /// Words that the host sees.
    words: *mut c_void,
}

impl Driver {
    fn new() -> Driver {
        let library = common::driver();
        let (mut module, mut pass_on): (CUmodule, CUfunction) = (null_mut(), null_mut());
        assert_eq!(
            call!(library, cuModuleLoadData(&mut module, PTX.as_ptr().cast()): (*mut CUmodule, *const c_void)),
            OK
        );
        assert_eq!(
            call!(library, cuModuleGetFunction(&mut pass_on, module, c"pass_on".as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)),
            OK
        );
        let mut words = null_mut();
        assert_eq!(
            call!(library, cuMemHostAlloc(&mut words, 4 * WORDS, CU_MEMHOSTALLOC_DEVICEMAP):
            (*mut *mut c_void, usize, c_uint)),
            OK
        );
        let driver = Driver { library, pass_on, words };
        (0..WORDS).for_each(|word| driver.word(word).store(0, Ordering::SeqCst));
        driver
    }

    fn word(&self, number: usize) -> &AtomicU32 {
        assert!(number < WORDS);
        // SAFETY: one of the words, which live as long as the process.
        unsafe { AtomicU32::from_ptr(self.words.cast::<u32>().add(number)) }
    }

    fn set(&self, number: usize) {
        self.word(number).store(1, Ordering::SeqCst);
    }

    fn stream(&self) -> CUstream {
        let mut stream = null_mut();
        assert_eq!(
            call!(self.library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)),
            OK
        );
        stream
    }

    /// Runs a function with the parameters of a kernel that waits for a word, and then sets the one before it.
    fn with_params<T>(&self, number: usize, body: impl FnOnce(*mut *mut c_void) -> T) -> T {
        let address = |number: usize| self.word(number).as_ptr() as CUdeviceptr;
        let mut words = [address(number), address(number - 1)];
        let mut list = words.each_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>());
        body(list.as_mut_ptr())
    }

    fn launch(&self, stream: CUstream, number: usize) {
        let launched = self.with_params(number, |params| {
            call!(self.library, cuLaunchKernel(self.pass_on, 1, 1, 1, 1, 1, 1, 0, stream, params, null_mut()):
            (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void))
        });
        assert_eq!(launched, OK);
    }

    fn add(&self, graph: CUgraph, before: &[CUgraphNode], number: usize) -> CUgraphNode {
        let mut node = null_mut();
        let added = self.with_params(number, |list| {
            let params = CUDA_KERNEL_NODE_PARAMS {
                kernelParams: list,
                ..common::kernel_node(self.pass_on)
            };
            call!(self.library, cuGraphAddKernelNode_v2(&mut node, graph, before.as_ptr(), before.len(), &params):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS))
        });
        assert_eq!(added, OK);
        node
    }

    /// Launches a graph that `build` adds nodes to.
    fn launch_graph(&self, stream: CUstream, build: impl FnOnce(CUgraph)) {
        let (mut graph, mut exec): (CUgraph, CUgraphExec) = (null_mut(), null_mut());
        assert_eq!(call!(self.library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
        build(graph);
        assert_eq!(
            call!(self.library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
            OK
        );
        assert_eq!(call!(self.library, cuGraphLaunch(exec, stream): (CUgraphExec, CUstream)), OK);
    }

    fn is_done(&self, stream: CUstream) -> bool {
        match call!(self.library, cuStreamQuery(stream): (CUstream)) {
            R::CUDA_ERROR_NOT_READY => false,
            result => {
                assert_eq!(result, OK);
                true
            }
        }
    }

    fn wait(&self, stream: CUstream) {
        assert_eq!(call!(self.library, cuStreamSynchronize(stream): (CUstream)), OK);
    }
}

/// Waits, in a stream, for the second of some words, then sets the first.
unsafe extern "C" fn pass_on(words: *mut c_void) {
    // SAFETY: the words live as long as the process.
    let word = |number| unsafe { AtomicU32::from_ptr(words.cast::<u32>().add(number)) };
    while word(1).load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    word(0).store(1, Ordering::SeqCst);
}

type Case = (&'static str, fn(&Driver));

const CASES: [Case; 6] = [
    ("the host waits for the first of some streams", |driver| {
        driver.set(4);
        let streams = [(); 4].map(|()| driver.stream());
        (0..4).for_each(|number| driver.launch(streams[number], 1 + number));
        driver.wait(streams[0]);
    }),
    ("the host asks", |driver| {
        driver.set(3);
        let streams = [(); 3].map(|()| driver.stream());
        (0..3).for_each(|number| driver.launch(streams[number], 1 + number));
        while !driver.is_done(streams[0]) {}
    }),
    ("branches of a graph", |driver| {
        driver.set(8);
        let stream = driver.stream();
        driver.launch_graph(stream, |graph| {
            for number in 1..=8 {
                driver.add(graph, &[], number);
            }
        });
        driver.wait(stream);
    }),
    ("chains of a graph, and another stream", |driver| {
        // What is first in a chain comes last: the second of one waits for the other's second, and that for the stream.
        driver.set(20);
        driver.set(25);
        driver.set(10);
        let streams = [driver.stream(), driver.stream()];
        driver.launch_graph(streams[0], |graph| {
            for (first, second) in [(20, 8), (25, 9)] {
                let node = driver.add(graph, &[], first);
                driver.add(graph, &[node], second);
            }
        });
        driver.launch(streams[1], 10);
        driver.wait(streams[0]);
    }),
    ("a function of the host between", |driver| {
        let streams = [(); 3].map(|()| driver.stream());
        driver.launch(streams[0], 1);
        let words = std::ptr::from_ref(driver.word(1)).cast_mut().cast();
        assert_eq!(
            call!(driver.library, cuLaunchHostFunc(streams[1], pass_on, words):
            (CUstream, unsafe extern "C" fn(*mut c_void), *mut c_void)),
            OK
        );
        driver.launch(streams[2], 3);
        driver.set(3);
        driver.wait(streams[0]);
    }),
    ("the host looks at memory, and answers", |driver| {
        let streams = [driver.stream(), driver.stream()];
        driver.launch(streams[0], 1);
        driver.launch(streams[1], 11);
        driver.set(11);
        while driver.word(10).load(Ordering::SeqCst) == 0 {}
        driver.set(1);
        while driver.word(0).load(Ordering::SeqCst) == 0 {}
        driver.wait(streams[0]);
    }),
];

/// Lets this thread, and those that it begins, run on so many of the cores that it has.
fn limit_cores(count: usize) {
    // SAFETY: a set of cores is numbers, and as large as is said.
    unsafe {
        let mut cores: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of_val(&cores), &mut cores), 0);
        let all = (0..libc::CPU_SETSIZE as usize).filter(|core| libc::CPU_ISSET(*core, &cores));
        for core in all.skip(count).collect::<Vec<_>>() {
            libc::CPU_CLR(core, &mut cores);
        }
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&cores), &cores), 0);
    }
}

#[test]
fn kernels_run_side_by_side() {
    let cache = tempfile::tempdir().unwrap();
    let mut hung = Vec::new();
    for cores in 1..=3 {
        for (name, _) in CASES {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child", "--ignored", "--nocapture"])
                .env("CASE", name)
                .env("CORES", cores.to_string())
                .env("ZLUDA_CACHE_DIR", cache.path())
                .spawn()
                .unwrap();
            match common::wait_for(&mut child, LIMIT) {
                Some(status) => assert!(status.success(), "{name}, {cores} cores"),
                None => hung.push((name, cores)),
            }
        }
    }
    assert!(hung.is_empty(), "never ended: {hung:?}");
}

#[test]
#[ignore = "a part of the test above, which runs it"]
fn child() {
    let variable = |name| std::env::var(name).expect("the test says so");
    limit_cores(variable("CORES").parse().unwrap());
    let wanted = variable("CASE");
    let case = CASES.iter().find(|(name, _)| *name == wanted).expect("one of those");
    case.1(&Driver::new());
}
