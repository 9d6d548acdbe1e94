//! Work of libraries above the driver: in streams, in captures, and what its errors do.

mod common;

use cuda_types::cuda::*;
use hip_runtime_sys::hipError_t;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use zluda_api::driver::{Driver, Part, ProviderKind, enqueue};

/// The numbers that the work changes.
const COUNT: usize = 1000;
const BYTES: usize = COUNT * 4;

/// A driver with a current context, a stream, memory for numbers, and a count of the work that was released.
struct Stage {
    driver: Driver,
    stream: CUstream,
    memory: CUdeviceptr,
    released: Arc<AtomicU64>,
}

impl Stage {
    fn new() -> Stage {
        let driver = Driver::open_file(&common::library_path()).expect("our driver");
        let (mut context, mut stream, mut memory) = (null_mut(), null_mut(), 0);
        // SAFETY: the places live during the calls.
        unsafe {
            driver.cuInit(0).expect("cuInit");
            driver.cuDevicePrimaryCtxRetain(&mut context, 0).expect("a context");
            driver.cuCtxSetCurrent(context).expect("it is current");
            driver.cuStreamCreate(&mut stream, 1).expect("a stream");
            driver.cuMemAlloc_v2(&mut memory, BYTES).expect("memory");
        }
        Stage { driver, stream, memory, released: Arc::default() }
    }

    /// Puts work into a stream that adds one to each number, in a part for each.
    fn increment(&self, stream: CUstream, parts: u64) -> CUres {
        let (memory, counted) = (self.memory, Counted(self.released.clone()));
        enqueue(&self.driver, stream, parts, move |part| {
            let _ = &counted;
            assert!(part.stream.is_null());
            // SAFETY: there are no more parts than numbers.
            unsafe { *(memory as *mut u32).add(part.number as usize) += 1 };
            Ok(())
        })
    }

    fn write(&self, numbers: &[u32]) {
        let from = numbers.as_ptr().cast();
        // SAFETY: the memory is as large as all numbers.
        let result =
            unsafe { self.driver.cuMemcpyHtoDAsync_v2(self.memory, from, BYTES, self.stream) };
        result.expect("a copy");
    }

    /// The numbers, once the stream has come to its end.
    fn read(&self) -> Vec<u32> {
        let mut numbers = vec![0; COUNT];
        let to = numbers.as_mut_ptr().cast();
        // SAFETY: the memory is as large as all numbers, which stay until the stream has ended.
        unsafe {
            self.driver.cuMemcpyDtoHAsync_v2(to, self.memory, BYTES, self.stream).expect("a copy");
            self.driver.cuStreamSynchronize(self.stream).expect("it ends well");
        }
        numbers
    }

    /// Threads of the engine let go of work a little after its stream has gone on.
    fn wait_for_released(&self, wanted: u64) {
        let released = || self.released.load(Ordering::SeqCst);
        for _ in 0..10_000 {
            if released() >= wanted {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(released(), wanted);
    }
}

/// Counts its end.
struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn numbers() -> Vec<u32> {
    (0..COUNT as u32).collect()
}

fn plus(numbers: &[u32], more: u32) -> Vec<u32> {
    numbers.iter().map(|number| number + more).collect()
}

#[test]
fn devices_and_streams_are_known() {
    let stage = Stage::new();
    let device = stage.driver.device(0).expect("a device");
    assert_eq!((device.provider, device.hip_device), (ProviderKind::Cpu, 0));
    assert_eq!(stage.driver.device(99).err(), Some(CUerror::INVALID_DEVICE));
    let stream = stage.driver.stream(stage.stream).expect("a stream");
    assert!(!stream.is_captured && !stream.context.is_null() && stream.device == 0);
    assert_eq!(stage.driver.stream(stale()).err(), Some(CUerror::INVALID_HANDLE));
}

fn stale() -> CUstream {
    std::ptr::without_provenance_mut(0x1234_5670)
}

#[test]
fn work_is_in_stream_order() {
    let stage = Stage::new();
    stage.write(&numbers());
    stage.increment(stage.stream, COUNT as u64).expect("work");
    stage.increment(stage.stream, COUNT as u64).expect("work");
    assert_eq!(stage.read(), plus(&numbers(), 2));
    stage.wait_for_released(2);
}

#[test]
fn captured_work_runs_with_its_graph() {
    let stage = Stage::new();
    let driver = &stage.driver;
    stage.write(&numbers());
    let (mut graph, mut exec, mut node, mut count) = (null_mut(), null_mut(), null_mut(), 1);
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    let mut kind = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
    // SAFETY: the places live during the calls.
    unsafe {
        driver.cuStreamBeginCapture_v2(stage.stream, mode).expect("a capture");
        assert!(driver.stream(stage.stream).expect("a stream").is_captured);
        stage.increment(stage.stream, COUNT as u64).expect("captured");
        driver.cuStreamEndCapture(stage.stream, &mut graph).expect("a graph");
        driver.cuGraphGetNodes(graph, &mut node, &mut count).expect("nodes");
        driver.cuGraphNodeGetType(node, &mut kind).expect("a type");
        assert_eq!((count, kind), (1, CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL));
        let mut params = std::mem::zeroed();
        let asked = driver.cuGraphKernelNodeGetParams_v2(node, &mut params);
        assert_eq!(asked, Err(CUerror::INVALID_VALUE));
    }
    assert_eq!(stage.read(), numbers());
    // SAFETY: as above.
    unsafe {
        driver.cuGraphInstantiateWithFlags(&mut exec, graph, 0).expect("an executable graph");
        for _ in 0..3 {
            driver.cuGraphLaunch(exec, stage.stream).expect("a launch");
        }
        assert_eq!(stage.read(), plus(&numbers(), 3));
        driver.cuGraphDestroy(graph).expect("destroyed");
        assert_eq!(stage.released.load(Ordering::SeqCst), 0);
        driver.cuGraphExecDestroy(exec).expect("destroyed");
    }
    stage.wait_for_released(1);
}

#[test]
fn refused_work_is_released() {
    let stage = Stage::new();
    assert_eq!(stage.increment(stage.stream, 0), Err(CUerror::INVALID_VALUE));
    assert_eq!(stage.increment(stale(), 1), Err(CUerror::INVALID_HANDLE));
    assert_eq!(stage.released.load(Ordering::SeqCst), 2);
}

/// Its context is of no use any more, so it runs in a process of its own.
#[test]
fn a_fault_is_the_error_of_the_context() {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).args(["--ignored", "--exact", "fault"]).output();
    let output = output.expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

#[test]
#[ignore = "a part of the test above, which runs it"]
fn fault() {
    let stage = Stage::new();
    let touch_nothing = |_: Part| {
        // SAFETY: none. It is the fault that is wanted.
        unsafe { std::ptr::without_provenance_mut::<u32>(0x1000).write_volatile(1) };
        Ok::<(), hipError_t>(())
    };
    enqueue(&stage.driver, stage.stream, 3, touch_nothing).expect("work");
    // SAFETY: no places.
    let result = unsafe { stage.driver.cuStreamSynchronize(stage.stream) };
    assert_eq!(result, Err(CUerror::ILLEGAL_ADDRESS));
    assert_eq!(stage.increment(stage.stream, 1), Err(CUerror::ILLEGAL_ADDRESS));
    stage.wait_for_released(1);
}
