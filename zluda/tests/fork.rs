//! Processes that fork: before the driver is initialised that is harmless; after it every call in the child says that there
//! is no driver (`NOT_INITIALIZED`, as an H100's does), whatever the parent's threads were doing at that moment, and nothing
//! that the child does waits for them. What a child executes is a process of its own.
//!
//! Each test runs a process that forks.
#![cfg(target_os = "linux")]
// A test stops by panicking; processes tell what they see.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CU_MEMHOSTALLOC_DEVICEMAP, CUcontext, CUcoredumpSettings, CUdevice, CUdeviceptr, CUerror,
    CUfunction, CUlogIterator, CUlogsCallback, CUlogsCallbackHandle, CUmodule, CUresult as R,
    CUstream, CUuuid,
};
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Says what a process is to do.
const VARIABLE: &str = "ZLUDA_TEST_FORK";
const LIMIT: Duration = Duration::from_secs(300);
/// For how long a child may run, which asks, or runs one kernel. All is slow with a sanitizer.
const CHILD_LIMIT: Duration =
    Duration::from_secs(if cfg!(any(zluda_sanitizer = "address", zluda_sanitizer = "thread")) {
        300
    } else {
        60
    });
const OK: R = R::CUDA_SUCCESS;
const NONE: R = R::CUDA_ERROR_NOT_INITIALIZED;
const DEVICES: [&str; 2] = ["cpu", "emu:gfx1100"];
const FORKS: usize = 60;

/// Runs a process to its end, which is to be a good one; gives what it wrote.
fn run(what: &str, device: &str) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, what)
        .env("ZLUDA_DEVICE", device)
        .env("ZLUDA_CACHE_DIR", "off")
        // Lines of all levels are written while others fork.
        .env("ZLUDA_LOG", "trace")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let Some(status) = common::wait_for(&mut child, LIMIT) else {
        panic!("{what} on {device} hangs");
    };
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    assert!(status.success(), "{what} on {device}: {status}\n{text}");
    text
}

/// Forks; gives the status with which the child ends, which does `what` and no more. It has no other thread, and so may use
/// nothing that one could have locked; but it ends as programs do, with its handlers and destructors.
fn fork(what: impl FnOnce() -> i32) -> Result<i32, String> {
    // SAFETY: as above.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = what();
        // SAFETY: ends the child.
        unsafe { libc::exit(code) }
    }
    wait(child)
}

/// The code with which a child ends.
fn wait(child: libc::pid_t) -> Result<i32, String> {
    assert!(child > 0);
    let (begun, mut status) = (Instant::now(), 0);
    // SAFETY: the child is this process's.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if begun.elapsed() > CHILD_LIMIT {
            // SAFETY: as above.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &mut status, 0);
            }
            return Err("a child hangs".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    if libc::WIFEXITED(status) {
        return Ok(libc::WEXITSTATUS(status));
    }
    Err(format!("a child ends with signal {}", libc::WTERMSIG(status)))
}

const TEXT: &std::ffi::CStr = c".version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 to) {
    .reg .b64 %rd;
    ld.param.u64 %rd, [to];
    st.global.u32 [%rd], 7;
    ret;
}
";

/// What works of a driver: 0 if all does.
fn use_driver(library: &Library) -> i32 {
    let (mut context, mut memory) = (null_mut(), 0);
    let begins = [
        call!(library, cuInit(0): (c_uint)),
        call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice)),
        call!(library, cuCtxSetCurrent(context): (CUcontext)),
        call!(library, cuMemAlloc_v2(&mut memory, 64): (*mut CUdeviceptr, usize)),
    ];
    if let Some(at) = begins.iter().position(|code| *code != OK) {
        return 1 + at as i32;
    }
    match common::run(library, TEXT, &[c"store"])[..] {
        [(OK, 7)] => 0,
        _ => 9,
    }
}

extern "C" fn listen(_: *mut c_void, _: cuda_types::cuda::CUlogLevel, _: *mut c_char, _: usize) {}

/// What a forked child is told, by functions that need memory, locks and threads to do their work, and those that work before
/// the driver is initialised: 0 if it is that there is no driver, or else the number of the first that says something else.
fn ask(library: &Library) -> i32 {
    let (mut context, mut pointer, mut stream, mut module) =
        (null_mut(), 0, null_mut(), null_mut());
    let (mut number, mut word, mut host, mut text) = (0, 0u64, null_mut(), [0; 256]);
    let (mut handle, mut iterator, mut size): (CUlogsCallbackHandle, CUlogIterator, usize) =
        (null_mut(), 0, 256);
    let on_exception = CUcoredumpSettings::CU_COREDUMP_FILE;
    let answers = [
        call!(library, cuInit(0): (c_uint)),
        call!(library, cuDeviceGetCount(&mut number): (*mut c_int)),
        call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice)),
        call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)),
        call!(library, cuCtxSynchronize(): ()),
        call!(library, cuDevicePrimaryCtxReset_v2(0): (CUdevice)),
        call!(library, cuMemAlloc_v2(&mut pointer, 64): (*mut CUdeviceptr, usize)),
        call!(library, cuMemFree_v2(64): (CUdeviceptr)),
        call!(library, cuMemHostAlloc(&mut host, 64, CU_MEMHOSTALLOC_DEVICEMAP): (*mut *mut c_void, usize, c_uint)),
        call!(library, cuStreamCreate(&mut stream, 0): (*mut CUstream, c_uint)),
        call!(library, cuStreamSynchronize(null_mut()): (CUstream)),
        call!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()): (*mut CUmodule, *const c_void)),
        call!(library, cuModuleLoadData(&mut module, null()): (*mut CUmodule, *const c_void)),
        call!(library, cuLogsRegisterCallback(Some(listen), null_mut(), &mut handle):
            (CUlogsCallback, *mut c_void, *mut CUlogsCallbackHandle)),
        call!(library, cuLogsUnregisterCallback(null_mut()): (CUlogsCallbackHandle)),
        call!(library, cuLogsCurrent(&mut iterator, 0): (*mut CUlogIterator, c_uint)),
        call!(library, cuLogsDumpToMemory(null_mut(), text.as_mut_ptr(), &mut size, 0):
            (*mut CUlogIterator, *mut c_char, *mut usize, c_uint)),
        call!(library, cuCoredumpGetAttributeGlobal(on_exception, text.as_mut_ptr().cast(), &mut size):
            (CUcoredumpSettings, *mut c_void, *mut usize)),
        call!(library, cuCoredumpSetAttributeGlobal(on_exception, text.as_mut_ptr().cast(), &mut size):
            (CUcoredumpSettings, *mut c_void, *mut usize)),
    ];
    if let Some(at) = answers.iter().position(|code| *code != NONE) {
        return 1 + at as i32;
    }
    // What needs no driver says what it always says.
    let mut name: *const c_char = null();
    let id = CUuuid { bytes: [1; 16] };
    let mut table: *const c_void = null();
    let answers = [
        call!(library, cuDriverGetVersion(&mut number): (*mut c_int)),
        call!(library, cuGetErrorName(CUerror::INVALID_VALUE.into(), &mut name): (R, *mut *const c_char)),
        call!(library, cuGetErrorString(CUerror::INVALID_VALUE.into(), &mut name): (R, *mut *const c_char)),
        call!(library, cuGetProcAddress_v2(c"cuMemAlloc".as_ptr(), (&raw mut word).cast(), 13000, 0, null_mut()):
            (*const c_char, *mut *mut c_void, c_int, u64, *mut c_void)),
    ];
    let unknown =
        call!(library, cuGetExportTable(&mut table, &id): (*mut *const c_void, *const CUuuid));
    match answers.iter().position(|code| *code != OK) {
        Some(at) => 50 + at as i32,
        None if unknown != R::CUDA_ERROR_INVALID_VALUE => 60,
        None => 0,
    }
}

/// Both this process and one that it forks begin to use a driver that neither has initialised; so does the child of a child.
fn fork_before_init() {
    let library = common::library();
    let mut number = 0;
    assert_eq!(call!(library, cuDriverGetVersion(&mut number): (*mut c_int)), OK);
    assert_eq!(call!(library, cuDeviceGetCount(&mut number): (*mut c_int)), NONE);
    let child = fork(|| match fork(|| use_driver(&library)) {
        Ok(0) => use_driver(&library),
        Ok(code) => 100 + code,
        Err(_) => 99,
    });
    assert_eq!(child, Ok(0));
    assert_eq!(use_driver(&library), 0);
    assert_eq!(fork(|| ask(&library)), Ok(0));
}

/// Calls of all kinds by other threads, until `all` is done.
fn while_threads_call(library: &Library, all: impl FnOnce()) {
    let mut context = null_mut();
    assert_eq!(call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
    let (context, is_over) = (context as usize, AtomicBool::new(false));
    let begin = || {
        let context = context as CUcontext;
        assert_eq!(call!(library, cuCtxSetCurrent(context): (CUcontext)), OK);
    };
    let goes_on = || !is_over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        // Memory, of contexts and of pools, and failures with their lines.
        scope.spawn(|| {
            begin();
            while goes_on() {
                let mut pointer = 0;
                call!(library, cuMemAlloc_v2(&mut pointer, 4096): (*mut CUdeviceptr, usize));
                call!(library, cuMemFree_v2(pointer): (CUdeviceptr));
                call!(library, cuMemFree_v2(3): (CUdeviceptr));
                call!(library, cuMemAllocAsync(&mut pointer, 64, null_mut()): (*mut CUdeviceptr, usize, CUstream));
                call!(library, cuMemFreeAsync(pointer, null_mut()): (CUdeviceptr, CUstream));
                let mut iterator = 0;
                call!(library, cuLogsCurrent(&mut iterator, 0): (*mut CUlogIterator, c_uint));
            }
        });
        // Modules, compiled each time, and kernels.
        scope.spawn(|| {
            begin();
            let mut number = 0;
            while goes_on() {
                number += 1;
                let text = TEXT.to_str().unwrap().replace("7;", &format!("{number};"));
                let text = CString::new(text).unwrap();
                let expected = [(OK, number)];
                assert_eq!(common::run(library, &text, &[c"store"])[..], expected);
            }
        });
        // Streams, contexts, and functions of the host.
        scope.spawn(|| {
            while goes_on() {
                begin();
                let (mut stream, mut other) = (null_mut(), null_mut());
                call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint));
                call!(library, cuLaunchHostFunc(stream, Some(nothing), null_mut()):
                    (CUstream, Option<unsafe extern "C" fn(*mut c_void)>, *mut c_void));
                call!(library, cuStreamSynchronize(stream): (CUstream));
                call!(library, cuCtxCreate_v2(&mut other, 0, 0): (*mut CUcontext, c_uint, CUdevice));
                call!(library, cuCtxDestroy_v2(other): (CUcontext));
                call!(library, cuStreamDestroy_v2(stream): (CUstream));
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(all));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// Children, and children of children, are told that there is no driver, and end well.
fn fork_while_threads_call() {
    let library = common::driver();
    while_threads_call(&library, || {
        for number in 0..FORKS {
            let child = fork(|| {
                if number % 2 == 0 {
                    return ask(&library);
                }
                match fork(|| ask(&library)) {
                    Ok(0) => ask(&library),
                    Ok(code) => 100 + code,
                    Err(_) => 99,
                }
            });
            assert_eq!(child, Ok(0), "fork {number}");
        }
    });
    assert_eq!(use_driver(&library), 0);
}

/// This program, which only uses the driver.
fn own_program() -> (CString, Vec<CString>) {
    let program = std::env::current_exe().unwrap();
    let program = CString::new(program.into_os_string().into_encoded_bytes()).unwrap();
    let arguments = ["child", "--exact", "child", "--ignored", "--nocapture", "--test-threads=1"];
    (program, arguments.map(|argument| CString::new(argument).unwrap()).to_vec())
}

/// A program that a child executes, and one that is spawned, use the driver as any other.
fn execute_while_threads_call() {
    let library = common::driver();
    let (program, arguments) = own_program();
    let mut pointers: Vec<_> =
        arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
    pointers.push(null_mut());
    // SAFETY: no thread changes the environment, nor reads it but those of the driver.
    unsafe { std::env::set_var(VARIABLE, "use") };
    while_threads_call(&library, || {
        for number in 0..4 {
            let child = fork(|| {
                // SAFETY: arrays of texts that end with null.
                unsafe { libc::execv(program.as_ptr(), pointers.as_ptr().cast()) };
                98
            });
            assert_eq!(child, Ok(0), "execution {number}");
            let mut child = 0;
            // SAFETY: as above.
            let error = unsafe {
                libc::posix_spawn(
                    &mut child,
                    program.as_ptr(),
                    null(),
                    null(),
                    pointers.as_ptr(),
                    libc::environ.cast_const().cast(),
                )
            };
            assert_eq!(error, 0);
            assert_eq!(wait(child), Ok(0), "spawn {number}");
        }
    });
    assert_eq!(use_driver(&library), 0);
}

/// The answer of a child of a function that runs in a stream.
static IN_STREAM: AtomicI32 = AtomicI32::new(-1);

unsafe extern "C" fn fork_in_stream(library: *mut c_void) {
    // SAFETY: the library of the process, which stays.
    let library = unsafe { &*library.cast::<Library>() };
    IN_STREAM.store(fork(|| ask(library)).unwrap_or(97), Ordering::Release);
}

/// A function that runs in a stream, on a thread of the driver's, forks.
fn fork_in_a_stream() {
    let library = Box::leak(Box::new(common::driver()));
    let mut stream = null_mut();
    assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
    let data = (&raw mut *library).cast::<c_void>();
    for _ in 0..4 {
        IN_STREAM.store(-1, Ordering::Release);
        let put = call!(library, cuLaunchHostFunc(stream, Some(fork_in_stream), data):
            (CUstream, Option<unsafe extern "C" fn(*mut c_void)>, *mut c_void));
        assert_eq!(put, OK);
        assert_eq!(call!(library, cuStreamSynchronize(stream): (CUstream)), OK);
        assert_eq!(IN_STREAM.load(Ordering::Acquire), 0);
    }
    assert_eq!(use_driver(library), 0);
}

/// While one thread initialises the driver, another one forks: the child has a driver or none, and does not wait.
fn fork_while_the_driver_begins() {
    let library = common::library();
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(call!(library, cuInit(0): (c_uint)), OK));
        for number in 0..20 {
            let child = fork(|| match call!(library, cuInit(0): (c_uint)) {
                OK => use_driver(&library),
                NONE => ask(&library),
                _ => 96,
            });
            assert_eq!(child, Ok(0), "fork {number}");
        }
    });
    assert_eq!(fork(|| ask(&library)), Ok(0));
    assert_eq!(use_driver(&library), 0);
}

/// Says what it is asked to say, and stores what says that it has.
const SAY: &std::ffi::CStr = c".version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[] = {102, 111, 114, 107, 101, 100, 10, 0};
.visible .entry say(.param .u64 to) {
    .reg .b64 %rd<2>;
    mov.u64 %rd0, text;
    cvta.global.u64 %rd0, %rd0;
    mov.u64 %rd1, 0;
    {
        .param .b32 result;
        .param .b64 format;
        .param .b64 arguments;
        st.param.b64 [format], %rd0;
        st.param.b64 [arguments], %rd1;
        call (result), vprintf, (format, arguments);
    }
    membar.sys;
    ld.param.u64 %rd1, [to];
    st.volatile.global.u32 [%rd1], 1;
    ret;
}
";

/// What a kernel has printed, and nobody has waited for, is written by the process that launched it when that waits, and not by
/// the child that ends before.
fn fork_with_text() {
    let library = common::driver();
    let (mut host, mut device) = (null_mut(), 0);
    let got = call!(library, cuMemHostAlloc(&mut host, 64, CU_MEMHOSTALLOC_DEVICEMAP):
        (*mut *mut c_void, usize, c_uint));
    assert_eq!(got, OK);
    // SAFETY: the memory is there, and stays.
    let said = unsafe { AtomicI32::from_ptr(host.cast()) };
    said.store(0, Ordering::Release);
    let got = call!(library, cuMemHostGetDevicePointer_v2(&mut device, host, 0):
        (*mut CUdeviceptr, *mut c_void, c_uint));
    assert_eq!(got, OK);
    let (mut module, mut function): (CUmodule, CUfunction) = (null_mut(), null_mut());
    assert_eq!(
        call!(library, cuModuleLoadData(&mut module, SAY.as_ptr().cast()): (*mut CUmodule, *const c_void)),
        OK
    );
    let got = call!(library, cuModuleGetFunction(&mut function, module, c"say".as_ptr()):
        (*mut CUfunction, CUmodule, *const c_char));
    assert_eq!(got, OK);
    let mut params = [(&raw mut device).cast::<c_void>()];
    let got = call!(library, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut()):
        (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
        *mut *mut c_void));
    assert_eq!(got, OK);
    while said.load(Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    assert_eq!(fork(|| ask(&library)), Ok(0));
    assert_eq!(call!(library, cuCtxSynchronize(): ()), OK);
}

/// The process of the tests.
#[test]
#[ignore = "the other tests run it, each in a process"]
fn child() {
    match std::env::var(VARIABLE).expect("the other tests set it").as_str() {
        "before" => fork_before_init(),
        "threads" => fork_while_threads_call(),
        "execute" => execute_while_threads_call(),
        "stream" => fork_in_a_stream(),
        "text" => fork_with_text(),
        "init" => fork_while_the_driver_begins(),
        "use" => assert_eq!(use_driver(&common::library()), 0),
        what => panic!("{what} is nothing to do"),
    }
}

#[test]
fn before_the_driver_begins_a_fork_is_harmless() {
    DEVICES.iter().for_each(|device| _ = run("before", device));
}

#[test]
fn children_of_a_process_whose_threads_call_find_no_driver() {
    DEVICES.iter().for_each(|device| _ = run("threads", device));
}

#[test]
fn programs_that_are_executed_or_spawned_use_the_driver() {
    DEVICES.iter().for_each(|device| _ = run("execute", device));
}

#[test]
fn children_of_functions_in_streams_find_no_driver() {
    DEVICES.iter().for_each(|device| _ = run("stream", device));
}

#[test]
fn text_of_kernels_is_written_once() {
    for device in DEVICES {
        let text = run("text", device);
        assert_eq!(text.matches("forked").count(), 1, "{device}: {text}");
    }
}

#[test]
fn a_fork_while_the_driver_begins_does_not_wait() {
    for _ in 0..4 {
        DEVICES.iter().for_each(|device| _ = run("init", device));
    }
}
