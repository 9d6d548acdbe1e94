//! Work of libraries above the driver: in streams, in captures, and what its errors do.

mod common;

use cuda_types::cuda::*;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use zluda_api::driver::{Driver, ProviderKind, compute, enqueue};

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
    fn increment(&self, stream: CUstream, parts: usize) -> CUres {
        let (memory, counted) = (self.memory, Counted(self.released.clone()));
        compute(&self.driver, stream, parts, move |part| {
            let _ = &counted;
            // SAFETY: there are no more parts than numbers.
            unsafe { *(memory as *mut u32).add(part) += 1 };
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
    stage.increment(stage.stream, COUNT).expect("work");
    stage.increment(stage.stream, COUNT).expect("work");
    assert_eq!(stage.read(), plus(&numbers(), 2));
    stage.wait_for_released(2);
}

#[test]
fn work_finds_memory_of_each_kind() {
    const LARGE: usize = 5 << 20;
    let stage = Stage::new();
    let driver = &stage.driver;
    let (mut small, mut large, mut pooled, mut managed) = (0, 0, 0, 0);
    let mut pinned = null_mut();
    // SAFETY: the places live during the calls.
    unsafe {
        driver.cuMemAlloc_v2(&mut small, 4).expect("memory");
        driver.cuMemAlloc_v2(&mut large, LARGE).expect("memory");
        driver.cuMemAllocAsync(&mut pooled, 4, stage.stream).expect("memory");
        driver.cuMemAllocManaged(&mut managed, 4, 1).expect("memory");
        driver.cuMemHostAlloc(&mut pinned, 4, 0).expect("memory");
    }
    let mapped = map_twice(driver);
    let places = [
        small,
        large,
        large + (LARGE - 4) as u64,
        pooled,
        managed,
        pinned.addr() as u64,
        mapped,
        mapped + GRANULE as u64 - 4,
        mapped + GRANULE as u64,
        mapped + 2 * GRANULE as u64 - 4,
    ];
    for (place, value) in places.into_iter().zip(100..) {
        // SAFETY: the memory has room.
        unsafe { driver.cuMemsetD32Async(place, value, 1, stage.stream) }.expect("a fill");
    }
    compute(driver, stage.stream, places.len(), move |part| {
        // SAFETY: as above.
        unsafe { *(places[part] as *mut u32) += part as u32 }
    })
    .expect("work");
    let mut values = [0u32; 10];
    for (place, value) in places.into_iter().zip(&mut values) {
        let to = (&raw mut *value).cast();
        // SAFETY: as above; the numbers stay until the stream has ended.
        unsafe { driver.cuMemcpyDtoHAsync_v2(to, place, 4, stage.stream) }.expect("a copy");
    }
    // SAFETY: no places.
    unsafe { driver.cuStreamSynchronize(stage.stream) }.expect("it ends well");
    assert_eq!(values, std::array::from_fn(|index| 100 + 2 * index as u32));
}

/// Bytes of what is mapped together.
const GRANULE: usize = 2 << 20;

/// Maps two pieces of memory to addresses behind each other.
fn map_twice(driver: &Driver) -> CUdeviceptr {
    let mut start = 0;
    // SAFETY: all zeros is a value of both structures, and the places live during the calls.
    unsafe {
        let mut properties: CUmemAllocationProp = std::mem::zeroed();
        properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        let mut access: CUmemAccessDesc = std::mem::zeroed();
        access.location = properties.location;
        access.flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        driver.cuMemAddressReserve(&mut start, 2 * GRANULE, 0, 0, 0).expect("addresses");
        for address in [start, start + GRANULE as u64] {
            let mut handle = 0;
            driver.cuMemCreate(&mut handle, GRANULE, &properties, 0).expect("memory");
            driver.cuMemMap(address, GRANULE, 0, handle, 0).expect("mapped");
        }
        driver.cuMemSetAccess(start, 2 * GRANULE, &access, 1).expect("access");
    }
    start
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
        stage.increment(stage.stream, COUNT).expect("captured");
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
    assert_eq!(stage.increment(stale(), 1), Err(CUerror::INVALID_HANDLE));
    let counted = Counted(stage.released.clone());
    let nothing = enqueue(&stage.driver, stage.stream, 0, move |_| {
        let _ = &counted;
        Ok(())
    });
    assert_eq!(nothing, Err(CUerror::INVALID_VALUE));
    assert_eq!(stage.released.load(Ordering::SeqCst), 2);
}

/// Runs tests of this program by a device, in a process of their own.
fn runs_on(device: &str, tests: &[&str]) {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--include-ignored", "--exact"]).args(tests).env("ZLUDA_DEVICE", device);
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let passed = format!("{} passed", tests.len());
    assert!(output.status.success() && text.contains(&passed), "{output:?}");
}

/// Its context is of no use any more.
#[test]
fn a_fault_is_the_error_of_the_context() {
    runs_on("cpu", &["fault"]);
    #[cfg(target_os = "linux")]
    runs_on(EMULATED, &["fault"]);
}

/// A device whose memory the host does not find at its addresses.
#[cfg(target_os = "linux")]
const EMULATED: &str = "emu:gfx1100";

#[cfg(target_os = "linux")]
#[test]
fn memory_may_lie_apart() {
    let tests = [
        "captured_work_runs_with_its_graph",
        "refused_work_is_released",
        "work_finds_memory_of_each_kind",
        "work_is_in_stream_order",
    ];
    runs_on(EMULATED, &tests);
}

#[test]
#[ignore = "a part of the test above, which runs it"]
fn fault() {
    let stage = Stage::new();
    let touch_nothing = |part: usize| {
        let nothing = std::ptr::without_provenance_mut::<u32>(0x1000 + 4 * part);
        // SAFETY: none. It is the fault that is wanted.
        unsafe { nothing.write_volatile(1) }
    };
    // Where the call waits for the work it tells of the error itself.
    let put = compute(&stage.driver, stage.stream, 3, touch_nothing);
    assert!(matches!(put, Ok(()) | Err(CUerror::ILLEGAL_ADDRESS)), "{put:?}");
    // SAFETY: no places.
    let result = unsafe { stage.driver.cuStreamSynchronize(stage.stream) };
    assert_eq!(result, Err(CUerror::ILLEGAL_ADDRESS));
    assert_eq!(stage.increment(stage.stream, 1), Err(CUerror::ILLEGAL_ADDRESS));
    stage.wait_for_released(1);
}
