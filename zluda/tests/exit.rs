//! The end of a process, and of its last context: each test runs a child that ends in one way, while something goes on.
//!
//! "CUDA_ERROR_DEINITIALIZED: This indicates that the CUDA driver is in the process of shutting down."
#![cfg(target_os = "linux")]
// A test stops by panicking; children tell what they see.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::io::Read;
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Says what a child process is to do.
const VARIABLE: &str = "ZLUDA_TEST_END";
const LIMIT: Duration = Duration::from_secs(60);
const OK: R = R::CUDA_SUCCESS;
const GONE: u32 = R::CUDA_ERROR_DEINITIALIZED.0;
const MARK: &str = "answer:";

/// Runs a child to its end, which is to be a good one; gives the lines that it told.
fn run(what: &str, device: &str) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, what)
        .env("ZLUDA_DEVICE", device)
        .env("ZLUDA_CACHE_DIR", "off")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let Some(status) = common::wait_for(&mut child, LIMIT) else {
        panic!("{what} on {device} hangs");
    };
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(status.success(), "{what} on {device}: {status}\n{text}");
    text.lines().filter_map(|line| line.strip_prefix(MARK)).map(str::to_owned).collect()
}

fn tell(line: &str) {
    println!("\n{MARK}{line}");
}

/// What a child has while it ends.
struct Objects {
    library: Library,
    context: CUcontext,
    stream: CUstream,
    event: CUevent,
    module: CUmodule,
    function: CUfunction,
    memory: CUdeviceptr,
}

// SAFETY: handles, which any thread may use.
unsafe impl Send for Objects {}
// SAFETY: as above.
unsafe impl Sync for Objects {}

static OBJECTS: OnceLock<Objects> = OnceLock::new();

const ENDLESS: &str = ".version 7.0
.target sm_75
.address_size 64
.visible .entry endless(.param .u64 to) {
    .reg .pred %p;
    .reg .b32 %r;
    .reg .b64 %rd;
    ld.param.u64 %rd, [to];
again:
    ld.volatile.global.u32 %r, [%rd];
    setp.eq.u32 %p, %r, 0;
@%p bra again;
    ret;
}
";

fn load(library: &Library, text: &str) -> CUmodule {
    let (mut module, text) = (null_mut(), CString::new(text).unwrap());
    let loaded = call!(library, cuModuleLoadData(&mut module, text.as_ptr().cast()): (*mut CUmodule, *const c_void));
    assert_eq!(loaded, OK);
    module
}

fn function(library: &Library, module: CUmodule, name: &std::ffi::CStr) -> CUfunction {
    let mut function = null_mut();
    let found = call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
        (*mut CUfunction, CUmodule, *const c_char));
    assert_eq!(found, OK);
    function
}

fn begin() -> &'static Objects {
    OBJECTS.get_or_init(|| {
        let library = common::driver();
        let (mut context, mut stream, mut event, mut memory) =
            (null_mut(), null_mut(), null_mut(), 0);
        assert_eq!(call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
        assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
        assert_eq!(call!(library, cuEventCreate(&mut event, 0): (*mut CUevent, c_uint)), OK);
        assert_eq!(call!(library, cuMemAlloc_v2(&mut memory, 64): (*mut CUdeviceptr, usize)), OK);
        assert_eq!(call!(library, cuMemsetD8_v2(memory, 0, 64): (CUdeviceptr, u8, usize)), OK);
        let module = load(&library, ENDLESS);
        let function = function(&library, module, c"endless");
        Objects { library, context, stream, event, module, function, memory }
    })
}

impl Objects {
    fn launch(&self) -> R {
        self.launch_of(self.function)
    }

    fn launch_of(&self, function: CUfunction) -> R {
        let mut memory = self.memory;
        let mut params = [(&raw mut memory).cast::<c_void>()];
        call!(self.library, cuLaunchKernel(function, 64, 1, 1, 64, 1, 1, 0, self.stream,
            params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
            c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void))
    }

    /// What programs call in the end, and what they should not.
    fn answers(&self) -> Vec<(&'static str, R)> {
        let library = &self.library;
        let (mut pointer, mut context, mut number, mut version) = (0, null_mut(), 0, 0);
        let mut name = null();
        vec![
            ("cuMemFree", call!(library, cuMemFree_v2(self.memory): (CUdeviceptr))),
            ("cuStreamSynchronize", call!(library, cuStreamSynchronize(self.stream): (CUstream))),
            ("cuStreamDestroy", call!(library, cuStreamDestroy_v2(self.stream): (CUstream))),
            ("cuEventQuery", call!(library, cuEventQuery(self.event): (CUevent))),
            ("cuEventDestroy", call!(library, cuEventDestroy_v2(self.event): (CUevent))),
            ("cuLaunchKernel", self.launch()),
            ("cuModuleUnload", call!(library, cuModuleUnload(self.module): (CUmodule))),
            (
                "cuMemAlloc",
                call!(library, cuMemAlloc_v2(&mut pointer, 8): (*mut CUdeviceptr, usize)),
            ),
            ("cuCtxSynchronize", call!(library, cuCtxSynchronize(): ())),
            ("cuCtxGetCurrent", call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext))),
            ("cuCtxDestroy", call!(library, cuCtxDestroy_v2(self.context): (CUcontext))),
            (
                "cuDevicePrimaryCtxRelease",
                call!(library, cuDevicePrimaryCtxRelease_v2(0): (CUdevice)),
            ),
            ("cuDeviceGetCount", call!(library, cuDeviceGetCount(&mut number): (*mut c_int))),
            ("cuInit", call!(library, cuInit(0): (c_uint))),
            ("cuDriverGetVersion", call!(library, cuDriverGetVersion(&mut version): (*mut c_int))),
            (
                "cuGetErrorName",
                call!(library, cuGetErrorName(R(4), &mut name): (R, *mut *const c_char)),
            ),
        ]
    }
}

extern "C" fn tell_answers() {
    if let Some(objects) = OBJECTS.get() {
        for (name, result) in objects.answers() {
            tell(&format!("{name}={}", result.0));
        }
    }
}

extern "C" fn tell_free() {
    if let Some(objects) = OBJECTS.get() {
        let free = call!(objects.library, cuMemFree_v2(objects.memory): (CUdeviceptr));
        tell(&format!("{}", free.0));
    }
}

extern "C" fn take_long() {
    std::thread::sleep(Duration::from_secs(2));
}

extern "C" fn sleep_for_ever(_: *mut c_void) {
    IS_IN_FUNCTION.store(true, Ordering::Release);
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

static IS_LOADED: AtomicBool = AtomicBool::new(false);
static IS_IN_FUNCTION: AtomicBool = AtomicBool::new(false);

/// Whether the destructors of the program tell what they see: those of static objects, which run behind all exit handlers.
static IN_DESTRUCTORS: AtomicBool = AtomicBool::new(false);

extern "C" fn destructor() {
    if IN_DESTRUCTORS.load(Ordering::Relaxed) {
        tell_answers();
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destructor;

fn at_exit(handler: extern "C" fn()) {
    // SAFETY: a plain function.
    assert_eq!(unsafe { libc::atexit(handler) }, 0);
}

/// PTX that takes the compiler some seconds.
fn long_text() -> String {
    let mut text = String::from(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry long(.param .u64 to) {\n.reg .pred %p;\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd;\nld.param.u64 %rd, [to];\nmov.u32 %r0, %tid.x;\n",
    );
    for number in 0..4_000 {
        text += &format!(
            "setp.gt.u32 %p, %r0, {number};\n@%p bra next{number};\nmad.lo.u32 %r0, %r0, %r0, {number};\n\
             st.global.u32 [%rd], %r0;\nnext{number}:\nxor.b32 %r0, %r0, {number};\n"
        );
    }
    text + "st.global.u32 [%rd], %r0;\nret;\n}\n"
}

/// The signals of faults, which the driver handles.
const FAULTS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// The handlers of all signals, by number, those of real time among them.
fn handlers() -> [usize; 65] {
    std::array::from_fn(|signal| {
        let signal = signal as i32;
        // SAFETY: all zeros is a value of this structure, which outlives the call.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, null(), &mut action);
            action.sa_sigaction
        }
    })
}

extern "C" fn own_handler(_: c_int) {}

fn handle(signal: i32, handler: usize) {
    // SAFETY: all zeros is a value of this structure, which outlives the call; the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        libc::sigaction(signal, &action, null_mut());
    }
}

fn create(library: &Library) -> CUcontext {
    let mut context = null_mut();
    assert_eq!(
        call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice)),
        OK
    );
    context
}

fn destroy(library: &Library, context: CUcontext) {
    assert_eq!(call!(library, cuCtxDestroy_v2(context): (CUcontext)), OK);
}

const STORE: &str = ".version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 to) {
    .reg .b64 %rd;
    ld.param.u64 %rd, [to];
    st.global.u32 [%rd], 7;
    ret;
}
";

/// What a kernel ends with that stores to an address.
fn store(library: &Library, to: CUdeviceptr) -> R {
    let function = function(library, load(library, STORE), c"store");
    let mut to = to;
    let mut params = [(&raw mut to).cast::<c_void>()];
    assert_eq!(
        call!(library, cuLaunchKernel(function, 64, 1, 1, 64, 1, 1, 0, null_mut(),
            params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
            c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
        OK
    );
    call!(library, cuCtxSynchronize(): ())
}

/// Handlers of signals come with the first context and go with the last, as often as there are such.
fn watch_handlers() {
    handle(libc::SIGFPE, own_handler as *const () as usize);
    let before = handlers();
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("cargo built it");
    assert_eq!(call!(library, cuInit(0): (c_uint)), OK);
    assert_eq!(handlers(), before, "cuInit installed handlers");
    for _ in 0..3 {
        let context = create(&library);
        let mut memory = 0;
        assert_eq!(call!(library, cuMemAlloc_v2(&mut memory, 8): (*mut CUdeviceptr, usize)), OK);
        assert_eq!(store(&library, memory), OK);
        let during = handlers();
        for signal in 0..65 {
            let is_ours = during[signal] != before[signal];
            assert_eq!(is_ours, FAULTS.contains(&(signal as i32)), "signal {signal}");
        }
        let second = create(&library);
        destroy(&library, context);
        assert_eq!(handlers(), during, "handlers went with a context that is not the last");
        assert_eq!(store(&library, 64), R::CUDA_ERROR_ILLEGAL_ADDRESS);
        destroy(&library, second);
        assert_eq!(handlers(), before, "handlers stayed");
    }
    // A handler that the program installs above the driver's stays, and the driver's goes when it is uncovered.
    let context = create(&library);
    let during = handlers();
    handle(libc::SIGSEGV, own_handler as *const () as usize);
    destroy(&library, context);
    let mut covered = before;
    covered[libc::SIGSEGV as usize] = own_handler as *const () as usize;
    assert_eq!(handlers(), covered);
    let context = create(&library);
    handle(libc::SIGSEGV, during[libc::SIGSEGV as usize]);
    destroy(&library, context);
    assert_eq!(handlers(), before);
    tell("done");
}

/// The child of the other tests.
#[test]
#[ignore = "the other tests run it, each in a process"]
fn child() {
    let what = std::env::var(VARIABLE).expect("the other tests set it");
    match what.as_str() {
        "handler before" => {
            at_exit(tell_answers);
            begin();
        }
        "handler behind" => {
            begin();
            at_exit(tell_free);
        }
        "destructors" => {
            begin();
            IN_DESTRUCTORS.store(true, Ordering::Relaxed);
        }
        "kernel in flight" => {
            at_exit(take_long);
            assert_eq!(begin().launch(), OK);
            std::thread::sleep(Duration::from_millis(100));
        }
        "function in flight" => {
            at_exit(take_long);
            let objects = begin();
            let put = call!(objects.library, cuLaunchHostFunc(objects.stream, Some(sleep_for_ever), null_mut()):
                (CUstream, Option<unsafe extern "C" fn(*mut c_void)>, *mut c_void));
            assert_eq!(put, OK);
            while !IS_IN_FUNCTION.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        }
        "compiler at work" => {
            at_exit(take_long);
            let objects = begin();
            let context = objects.context as usize;
            std::thread::spawn(move || {
                let current =
                    call!(objects.library, cuCtxSetCurrent(context as CUcontext): (CUcontext));
                assert_eq!(current, OK);
                let function =
                    self::function(&objects.library, load(&objects.library, &long_text()), c"long");
                IS_LOADED.store(true, Ordering::Release);
                let launched = objects.launch_of(function);
                tell(&format!("the compiler was done too soon: {launched:?}"));
            });
            while !IS_LOADED.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(600));
        }
        "threads" => {
            at_exit(take_long);
            let objects = begin();
            assert_eq!(
                call!(objects.library, cuMemsetD8_v2(objects.memory, 1, 64): (CUdeviceptr, u8, usize)),
                OK
            );
            // The kernel is compiled before: where LLVM is a library of its own, as in debug builds, its objects end with the
            // process, in the middle of what is compiled.
            assert_eq!(objects.launch(), OK);
            let waited = call!(objects.library, cuStreamSynchronize(objects.stream): (CUstream));
            assert_eq!(waited, OK);
            let context = objects.context as usize;
            for _ in 0..4 {
                std::thread::spawn(move || {
                    call!(objects.library, cuCtxSetCurrent(context as CUcontext): (CUcontext));
                    loop {
                        objects.launch();
                        let mut stream = null_mut();
                        call!(objects.library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint));
                        call!(objects.library, cuStreamSynchronize(objects.stream): (CUstream));
                        call!(objects.library, cuStreamDestroy_v2(stream): (CUstream));
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        "signal handlers" => watch_handlers(),
        _ => panic!("{what} is nothing to do"),
    }
    std::process::exit(0);
}

const DEVICES: [&str; 2] = ["cpu", "emu:gfx1100"];

/// All but the functions that need no driver say that it has gone.
fn check_gone(what: &str) {
    for device in DEVICES {
        let answers = run(what, device);
        assert_eq!(answers.len(), 16, "{answers:?}");
        for answer in answers {
            let (name, code) = answer.split_once('=').unwrap();
            let expected = if name == "cuGetErrorName" { 0 } else { GONE };
            assert_eq!(code.parse(), Ok(expected), "{what}: {name}");
        }
    }
}

#[test]
fn exit_handlers_from_before_the_driver_find_it_gone() {
    check_gone("handler before");
}

#[test]
fn destructors_find_the_driver_gone() {
    check_gone("destructors");
}

#[test]
fn exit_handlers_from_behind_the_driver_find_it_there() {
    for device in DEVICES {
        assert_eq!(run("handler behind", device), ["0"]);
    }
}

#[test]
fn a_process_ends_while_a_kernel_runs() {
    for device in DEVICES {
        assert!(run("kernel in flight", device).is_empty());
    }
}

#[test]
fn a_process_ends_while_a_function_runs_in_a_stream() {
    for device in DEVICES {
        assert!(run("function in flight", device).is_empty());
    }
}

#[test]
fn a_process_ends_while_a_kernel_is_compiled() {
    for device in DEVICES {
        assert!(run("compiler at work", device).is_empty());
    }
}

#[test]
fn a_process_ends_while_threads_call() {
    for device in DEVICES {
        assert!(run("threads", device).is_empty());
    }
}

#[test]
fn handlers_of_signals_go_with_the_last_context() {
    for device in DEVICES {
        assert_eq!(run("signal handlers", device), ["done"]);
    }
}
