//! Green contexts: what their streams run on, and events of all that a context does. Answers are those of the manual; those of
//! an H100 to the calls stand in `tests/differential`.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CU_STREAM_PER_THREAD, CUcontext, CUdevResource, CUdevResourceDesc, CUdevResourceType,
    CUdeviceptr, CUevent, CUfunction, CUgreenCtx, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::MutexGuard;

const OK: R = R::CUDA_SUCCESS;
const NOT_READY: R = R::CUDA_ERROR_NOT_READY;
const NON_BLOCKING: c_uint = 1;
const GEQ: c_uint = 0;

/// Each block writes the number of its multiprocessor, after a while. `meet` writes its own word and waits for another.
const TEXT: &str = concat!(
    r#"
.version 7.0
.target sm_75
.address_size 64
.visible .entry places(.param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %smid;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    mov.u32 %r3, 0;
again:
    st.volatile.global.u32 [%rd2], %r2;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 2000;
    @%p1 bra again;
    ret;
}
.visible .entry meet(.param .u64 own, .param .u64 other)
{
    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [own];
    ld.param.u64 %rd2, [other];
    mov.u32 %r1, 1;
    st.volatile.global.u32 [%rd1], %r1;
again:
    ld.volatile.global.u32 %r1, [%rd2];
    setp.eq.u32 %p, %r1, 0;
    @%p bra again;
    ret;
}
"#,
    "\0"
);
const BLOCKS: usize = 1024;

struct Driver(Library, #[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Driver {
    /// For one test at a time: all streams of the primary context are those of all.
    fn new() -> Driver {
        let alone = common::alone();
        Driver(common::driver(), alone)
    }

    /// A green context of a group of the least size.
    fn green(&self) -> CUgreenCtx {
        let sm = CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM;
        // SAFETY: numbers.
        let [mut all, mut group]: [CUdevResource; 2] = unsafe { std::mem::zeroed() };
        let (mut groups, mut description, mut green) = (1, null_mut(), null_mut());
        type Resource = *mut CUdevResource;
        let calls = [
            call!(self.0, cuDeviceGetDevResource(0, &mut all, sm): (i32, Resource, CUdevResourceType)),
            call!(self.0, cuDevSmResourceSplitByCount(&mut group, &mut groups, &all, null_mut(), 0, 0):
                (Resource, *mut c_uint, *const CUdevResource, Resource, c_uint, c_uint)),
            call!(self.0, cuDevResourceGenerateDesc(&mut description, &mut group, 1):
                (*mut CUdevResourceDesc, Resource, c_uint)),
            call!(self.0, cuGreenCtxCreate(&mut green, description, 0, 1):
                (*mut CUgreenCtx, CUdevResourceDesc, i32, c_uint)),
        ];
        assert_eq!(calls, [OK; 4]);
        green
    }

    fn stream_of(&self, green: CUgreenCtx) -> CUstream {
        let mut stream = null_mut();
        let result = call!(self.0, cuGreenCtxStreamCreate(&mut stream, green, NON_BLOCKING, 0):
            (*mut CUstream, CUgreenCtx, c_uint, i32));
        assert_eq!(result, OK);
        stream
    }

    fn stream(&self) -> CUstream {
        let mut stream = null_mut();
        let result =
            call!(self.0, cuStreamCreate(&mut stream, NON_BLOCKING): (*mut CUstream, c_uint));
        assert_eq!(result, OK);
        stream
    }

    fn set_current(&self, context: CUcontext) {
        assert_eq!(call!(self.0, cuCtxSetCurrent(context): (CUcontext)), OK);
    }

    fn current(&self) -> CUcontext {
        let mut context = null_mut();
        assert_eq!(call!(self.0, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
        context
    }

    fn context_of(&self, green: CUgreenCtx) -> CUcontext {
        let mut context = null_mut();
        let result =
            call!(self.0, cuCtxFromGreenCtx(&mut context, green): (*mut CUcontext, CUgreenCtx));
        assert_eq!(result, OK);
        context
    }

    fn event(&self) -> CUevent {
        let mut event = null_mut();
        assert_eq!(call!(self.0, cuEventCreate(&mut event, 0): (*mut CUevent, c_uint)), OK);
        event
    }

    /// Words, all 0.
    fn words(&self, count: usize) -> CUdeviceptr {
        let mut pointer = 0;
        let calls = [
            call!(self.0, cuMemAlloc_v2(&mut pointer, 4 * count): (*mut CUdeviceptr, usize)),
            call!(self.0, cuMemsetD8_v2(pointer, 0, 4 * count): (CUdeviceptr, u8, usize)),
            call!(self.0, cuCtxSynchronize(): ()),
        ];
        assert_eq!(calls, [OK; 3]);
        pointer
    }

    /// Holds a stream until another one writes 1 to a word.
    fn hold(&self, stream: CUstream, word: CUdeviceptr) {
        let result = call!(self.0, cuStreamWaitValue32_v2(stream, word, 1, GEQ):
            (CUstream, CUdeviceptr, u32, c_uint));
        assert_eq!(result, OK);
    }

    fn write(&self, stream: CUstream, word: CUdeviceptr) {
        let result = call!(self.0, cuStreamWriteValue32_v2(stream, word, 1, 0):
            (CUstream, CUdeviceptr, u32, c_uint));
        assert_eq!(result, OK);
    }

    fn query(&self, stream: CUstream) -> R {
        call!(self.0, cuStreamQuery(stream): (CUstream))
    }

    fn synchronize(&self, stream: CUstream) {
        assert_eq!(call!(self.0, cuStreamSynchronize(stream): (CUstream)), OK);
    }

    fn destroy(&self, green: CUgreenCtx) {
        assert_eq!(call!(self.0, cuGreenCtxDestroy(green): (CUgreenCtx)), OK);
    }

    fn places(&self) -> CUfunction {
        self.function(c"places")
    }

    fn function(&self, name: &CStr) -> CUfunction {
        let (mut module, mut function): (CUmodule, CUfunction) = (null_mut(), null_mut());
        let calls = [
            call!(self.0, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()):
                (*mut CUmodule, *const c_void)),
            call!(self.0, cuModuleGetFunction(&mut function, module, name.as_ptr()):
                (*mut CUfunction, CUmodule, *const c_char)),
        ];
        assert_eq!(calls, [OK; 2]);
        function
    }

    /// The numbers of the multiprocessors that the blocks of a launch in a stream run on.
    fn run(&self, stream: CUstream, places: CUfunction, mut out: CUdeviceptr) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; BLOCKS];
        let mut parameters: [*mut c_void; 1] = [(&raw mut out).cast()];
        let to: *mut c_void = numbers.as_mut_ptr().cast();
        let calls = [
            call!(self.0, cuLaunchKernel(places, BLOCKS as c_uint, 1, 1, 1, 1, 1, 0, stream,
                parameters.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
                c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
            call!(self.0, cuMemcpyDtoHAsync_v2(to, out, 4 * BLOCKS, stream):
                (*mut c_void, CUdeviceptr, usize, CUstream)),
            call!(self.0, cuStreamSynchronize(stream): (CUstream)),
        ];
        assert_eq!(calls, [OK; 3]);
        numbers
    }
}

/// On this machine's processor the least part is one core.
#[test]
fn launches_run_on_the_cores_of_their_part() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("ZLUDA_DEVICE", "cpu") };
    let driver = Driver::new();
    let (green, primary) = (driver.green(), driver.current());
    let (places, out) = (driver.places(), driver.words(BLOCKS));
    driver.set_current(driver.context_of(green));
    let own = driver.stream();
    driver.set_current(primary);
    for stream in [driver.stream_of(green), own] {
        for _ in 0..8 {
            assert_eq!(driver.run(stream, places, out), [0; BLOCKS]);
        }
    }
    driver.destroy(green);
}

/// Those of two parts, which have one core here, and of a part and the whole device.
#[test]
fn kernels_that_wait_for_each_other_run_side_by_side() {
    let driver = Driver::new();
    let greens = [driver.green(), driver.green()];
    let [one, two] = greens.map(|green| driver.stream_of(green));
    let (meet, whole) = (driver.function(c"meet"), driver.stream());
    for streams in [[one, two], [two, whole], [whole, one]] {
        let words = driver.words(2);
        let words = [words, words + 4];
        for (stream, mut words) in streams.into_iter().zip([words, [words[1], words[0]]]) {
            let mut parameters = words.each_mut().map(|word| (&raw mut *word).cast::<c_void>());
            let result = call!(driver.0, cuLaunchKernel(meet, 1, 1, 1, 1, 1, 1, 0, stream,
                parameters.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
                c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void));
            assert_eq!(result, OK);
        }
        streams.iter().for_each(|stream| driver.synchronize(*stream));
    }
    greens.iter().for_each(|green| driver.destroy(*green));
}

/// As an H100 answers.
#[test]
fn default_streams_of_threads_are_of_no_green_context() {
    let driver = Driver::new();
    let (green, primary) = (driver.green(), driver.current());
    let of = |stream| {
        let mut of = null_mut();
        let result =
            call!(driver.0, cuStreamGetGreenCtx(stream, &mut of): (CUstream, *mut CUgreenCtx));
        (result, of)
    };
    assert_eq!(of(CU_STREAM_PER_THREAD), (OK, null_mut()));
    driver.set_current(driver.context_of(green));
    assert_eq!(of(null_mut()), (OK, green));
    assert_eq!(of(CU_STREAM_PER_THREAD).0, R::CUDA_ERROR_INVALID_HANDLE);
    driver.set_current(primary);
    driver.destroy(green);
}

#[test]
fn an_event_of_a_context_waits_for_all_its_streams() {
    let driver = Driver::new();
    let (green, other, primary) = (driver.green(), driver.green(), driver.current());
    let (stream, writer, word) = (driver.stream_of(green), driver.stream(), driver.words(1));
    let (event, quick, all) = (driver.event(), driver.event(), driver.event());
    driver.hold(stream, word);
    let record =
        |green, event| call!(driver.0, cuGreenCtxRecordEvent(green, event): (CUgreenCtx, CUevent));
    let query = |event| call!(driver.0, cuEventQuery(event): (CUevent));
    assert_eq!([record(green, event), record(other, quick)], [OK; 2]);
    assert_eq!(call!(driver.0, cuCtxRecordEvent(primary, all): (CUcontext, CUevent)), OK);
    // Another green context has nothing to do; the primary one has what all of them have.
    assert_eq!(call!(driver.0, cuEventSynchronize(quick): (CUevent)), OK);
    assert_eq!([query(event), query(all)], [NOT_READY; 2]);
    driver.write(writer, word);
    for event in [event, all] {
        assert_eq!(call!(driver.0, cuEventSynchronize(event): (CUevent)), OK);
    }
    assert_eq!(driver.query(stream), OK);
    driver.destroy(green);
    driver.destroy(other);
}

#[test]
fn all_streams_of_a_context_wait_for_an_event() {
    let driver = Driver::new();
    let (green, other, primary) = (driver.green(), driver.green(), driver.current());
    let (held, early, free) = (driver.stream(), driver.stream_of(green), driver.stream_of(other));
    let (writer, words, event) = (driver.stream(), driver.words(4), driver.event());
    driver.hold(held, words);
    let record = || call!(driver.0, cuEventRecord(event, held): (CUevent, CUstream));
    assert_eq!(record(), OK);
    assert_eq!(call!(driver.0, cuGreenCtxWaitEvent(green, event): (CUgreenCtx, CUevent)), OK);
    // Those that there are, and those that come.
    let late = driver.stream_of(green);
    for stream in [early, late, free] {
        driver.write(stream, words + 4);
    }
    driver.synchronize(free);
    assert_eq!([driver.query(early), driver.query(late)], [NOT_READY; 2]);
    driver.write(writer, words);
    driver.synchronize(early);
    driver.synchronize(late);
    // The primary context, and all green ones.
    driver.hold(held, words + 8);
    assert_eq!(record(), OK);
    assert_eq!(call!(driver.0, cuCtxWaitEvent(primary, event): (CUcontext, CUevent)), OK);
    let late = driver.stream_of(other);
    for stream in [early, late, free] {
        driver.write(stream, words + 4);
    }
    let asked = [early, late, free].map(|stream| driver.query(stream));
    assert_eq!(asked, [NOT_READY; 3]);
    // A word of the host's own, for every stream of the context waits.
    let word = words + 8;
    driver.write_by_context_of_its_own(word);
    for stream in [early, late, free] {
        driver.synchronize(stream);
    }
    driver.destroy(green);
    driver.destroy(other);
}

impl Driver {
    /// Writes 1 to a word in a context that waits for no other one.
    fn write_by_context_of_its_own(&self, word: CUdeviceptr) {
        let (mut context, mut popped) = (null_mut(), null_mut());
        let create =
            call!(self.0, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, i32));
        assert_eq!(create, OK);
        let stream = self.stream();
        self.write(stream, word);
        self.synchronize(stream);
        let pop = call!(self.0, cuCtxPopCurrent_v2(&mut popped): (*mut CUcontext));
        assert_eq!((pop, popped), (OK, context));
    }
}
