//! Transforms are work of streams: in their order, in captures, and on other streams when the graph is launched there.

use cuda_types::cuda::*;
use cuda_types::cufft::*;
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use zluda_api::driver::Driver;

/// The driver and the library, with a current context and two streams.
struct Stage {
    driver: Driver,
    library: Library,
    streams: [CUstream; 2],
}

type Complex = [f32; 2];

impl Stage {
    fn new() -> Stage {
        let driver = exported::file::staged("libcuda.so.1");
        let driver = Driver::open_file(&driver).expect("our driver");
        // SAFETY: the library has no initialisers of its own.
        let library = unsafe { Library::new(exported::file::staged("libzluda_fft.so")) };
        let (mut context, mut streams) = (null_mut(), [null_mut(); 2]);
        // SAFETY: the places live during the calls.
        unsafe {
            driver.cuInit(0).expect("cuInit");
            driver.cuDevicePrimaryCtxRetain(&mut context, 0).expect("a context");
            driver.cuCtxSetCurrent(context).expect("it is current");
            for stream in &mut streams {
                driver.cuStreamCreate(stream, 1).expect("a stream");
            }
        }
        Stage { driver, library: library.expect("the library loads"), streams }
    }

    fn plan(&self, lengths: &[c_int], ty: cufftType, batch: c_int) -> cufftHandle {
        type Many = unsafe extern "C" fn(
            *mut cufftHandle,
            c_int,
            *const c_int,
            *const c_int,
            c_int,
            c_int,
            *const c_int,
            c_int,
            c_int,
            cufftType,
            c_int,
        ) -> cufftResult;
        let (mut plan, none) = (0, std::ptr::null());
        let rank = lengths.len() as c_int;
        // SAFETY: the function has this type; the places live during the calls.
        let status = unsafe {
            let many = self.library.get::<Many>(b"cufftPlanMany").expect("it is there");
            many(&mut plan, rank, lengths.as_ptr(), none, 1, 0, none, 1, 0, ty, batch)
        };
        assert_eq!(status, cufftResult::CUFFT_SUCCESS);
        plan
    }

    fn exec(&self, plan: cufftHandle, stream: CUstream, from: u64, to: u64, direction: c_int) {
        let status = self.try_exec(plan, stream, from, to, direction);
        assert_eq!(status, cufftResult::CUFFT_SUCCESS);
    }

    fn try_exec(
        &self,
        plan: cufftHandle,
        stream: CUstream,
        from: u64,
        to: u64,
        direction: c_int,
    ) -> cufftResult {
        type SetStream = unsafe extern "C" fn(cufftHandle, CUstream) -> cufftResult;
        type Exec = unsafe extern "C" fn(cufftHandle, u64, u64, c_int) -> cufftResult;
        // SAFETY: the functions have these types: addresses are numbers.
        unsafe {
            let set = self.library.get::<SetStream>(b"cufftSetStream").expect("it is there");
            assert_eq!(set(plan, stream), cufftResult::CUFFT_SUCCESS);
            self.library.get::<Exec>(b"cufftXtExec").expect("it is there")(
                plan, from, to, direction,
            )
        }
    }

    fn memory(&self, numbers: usize) -> CUdeviceptr {
        let mut memory = 0;
        // SAFETY: the place lives during the call.
        unsafe { self.driver.cuMemAlloc_v2(&mut memory, numbers * 8) }.expect("memory");
        memory
    }

    fn write(&self, stream: CUstream, to: CUdeviceptr, numbers: &[Complex]) {
        let from = numbers.as_ptr().cast::<c_void>();
        // SAFETY: the memory has room for the numbers, which are not pinned: they are read at once.
        unsafe { self.driver.cuMemcpyHtoDAsync_v2(to, from, size_of_val(numbers), stream) }
            .expect("a copy");
    }

    fn read(&self, stream: CUstream, from: CUdeviceptr, count: usize) -> Vec<Complex> {
        let mut numbers = vec![[0.0; 2]; count];
        let to = numbers.as_mut_ptr().cast();
        // SAFETY: the memory has so many numbers; the places stay until the stream has ended.
        unsafe {
            self.driver.cuMemcpyDtoHAsync_v2(to, from, count * 8, stream).expect("a copy");
            self.driver.cuStreamSynchronize(stream).expect("it ends well");
        }
        numbers
    }
}

/// A wave that turns `turns` times, and some more.
fn wave(count: usize, turns: usize, size: f64) -> Vec<Complex> {
    (0..count)
        .map(|i| {
            let angle = std::f64::consts::TAU * ((turns * i) % count) as f64 / count as f64;
            [(size * angle.cos()) as f32, (size * angle.sin()) as f32]
        })
        .collect()
}

/// All numbers are 0 but one.
fn assert_is_peak(numbers: &[Complex], at: usize, size: f64) {
    for (i, [re, im]) in numbers.iter().enumerate() {
        let wanted = if i == at { size } else { 0.0 };
        let error = (f64::from(*re) - wanted).hypot((*im).into());
        assert!(error < 1e-5 * size.abs(), "{re} + {im}i at {i} of a peak at {at}");
    }
}

/// Longer than what a part of the work takes, and longer than what one pass takes.
const COUNT: usize = 1 << 17;

#[test]
fn transforms_are_in_stream_order() {
    let stage = Stage::new();
    let stream = stage.streams[0];
    let (from, to) = (stage.memory(COUNT), stage.memory(COUNT));
    let plan = stage.plan(&[COUNT as c_int], cufftType::CUFFT_C2C, 1);
    for turns in [3, 77] {
        stage.write(stream, from, &wave(COUNT, turns, 1.0));
        stage.exec(plan, stream, from, to, -1);
        stage.exec(plan, stream, to, to, 1);
        stage.exec(plan, stream, to, to, -1);
        let size = (COUNT * COUNT) as f64;
        assert_is_peak(&stage.read(stream, to, COUNT), turns, size);
    }
}

#[test]
fn several_dimensions_are_stages_of_the_stream() {
    let stage = Stage::new();
    let stream = stage.streams[0];
    let memory = stage.memory(COUNT);
    let plan = stage.plan(&[64, 32, 64], cufftType::CUFFT_C2C, 1);
    let numbers = |turns| (0..64 * 32).flat_map(move |_| wave(64, turns, 1.0)).collect::<Vec<_>>();
    for turns in [5, 9] {
        stage.write(stream, memory, &numbers(turns));
        stage.exec(plan, stream, memory, memory, -1);
        assert_is_peak(&stage.read(stream, memory, COUNT), turns, COUNT as f64);
    }
}

#[test]
fn captured_transforms_run_with_their_graph_on_any_stream() {
    let stage = Stage::new();
    let driver = &stage.driver;
    let [captured, other] = stage.streams;
    let (from, to) = (stage.memory(COUNT), stage.memory(COUNT));
    let line = stage.plan(&[COUNT as c_int], cufftType::CUFFT_C2C, 1);
    stage.write(captured, from, &wave(COUNT, 8, 1.0));
    stage.write(captured, to, &vec![[7.0; 2]; COUNT]);
    let (mut graph, mut exec) = (null_mut(), null_mut());
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    // SAFETY: the places live during the calls.
    unsafe {
        driver.cuStreamBeginCapture_v2(captured, mode).expect("a capture");
        stage.exec(line, captured, from, to, -1);
        driver.cuStreamEndCapture(captured, &mut graph).expect("a graph");
        driver.cuGraphInstantiateWithFlags(&mut exec, graph, 0).expect("an executable graph");
        driver.cuGraphDestroy(graph).expect("destroyed");
    }
    assert_eq!(stage.read(captured, to, COUNT), vec![[7.0; 2]; COUNT]);
    type Destroy = unsafe extern "C" fn(cufftHandle) -> cufftResult;
    // SAFETY: the function has this type. The graph keeps what it needs of the plan.
    let status =
        unsafe { stage.library.get::<Destroy>(b"cufftDestroy").expect("it is there")(line) };
    assert_eq!(status, cufftResult::CUFFT_SUCCESS);
    for (turns, stream) in [(8, other), (100, other), (4321, captured)] {
        stage.write(stream, from, &wave(COUNT, turns, 2.0));
        // SAFETY: the graph is not destroyed yet.
        unsafe { driver.cuGraphLaunch(exec, stream) }.expect("a launch");
        assert_is_peak(&stage.read(stream, to, COUNT), turns, 2.0 * COUNT as f64);
    }
    // SAFETY: it has ended.
    unsafe { driver.cuGraphExecDestroy(exec) }.expect("destroyed");
}

#[test]
fn a_stream_that_is_none_is_refused() {
    let stage = Stage::new();
    let memory = stage.memory(8);
    let plan = stage.plan(&[8], cufftType::CUFFT_C2C, 1);
    let stale = std::ptr::without_provenance_mut(0x1234_5670);
    let status = stage.try_exec(plan, stale, memory, memory, -1);
    assert_eq!(status, cufftResult::CUFFT_EXEC_FAILED);
    stage.exec(plan, stage.streams[1], memory, memory, -1);
}
