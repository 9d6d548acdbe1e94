//! Fat binaries and PTX, cut off everywhere and spoilt in many ways: each is loaded, or refused with an error
//! that says what is wrong. Nothing is read behind the end that an image states.
//!
//! Each group has a process of its own, which says what it does before it does it.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout)]
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod images;

use cuda_types::cuda::{CUcontext, CUdevice, CUlibrary, CUlinkState, CUmodule, CUresult as R};
use images::{Guarded, HEADER, PACKINGS, Seeded, TEXT, container, cut};
use libloading::Library;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;

/// Names the group that a child process is for.
const VARIABLE: &str = "ZLUDA_TEST_GROUP";

/// The answers that an image may be given.
const ANSWERS: [R; 6] = [
    R::CUDA_SUCCESS,
    R::CUDA_ERROR_INVALID_IMAGE,
    R::CUDA_ERROR_INVALID_PTX,
    R::CUDA_ERROR_NO_BINARY_FOR_GPU,
    R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    R::CUDA_ERROR_NOT_SUPPORTED,
];

macro_rules! call {
    ($driver:expr, $name:ident($($argument:expr),* $(,)?): ($($ty:ty),*)) => {{
        // SAFETY: the signature is that of `cuda.h`.
        let function = unsafe {
            $driver.library.get::<unsafe extern "C" fn($($ty),*) -> R>(stringify!($name).as_bytes())
        }
        .expect(stringify!($name));
        // SAFETY: all arguments but images are right, and images end where they say, or before memory does.
        unsafe { function($($argument),*) }
    }};
}

struct Driver {
    library: Library,
    memory: Guarded,
    /// The number of times that each answer was given.
    answers: BTreeMap<u32, usize>,
}

impl Driver {
    fn new() -> Driver {
        // SAFETY: the library has no initialisers of its own.
        let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
        let driver = Driver { library, memory: Guarded::new(), answers: BTreeMap::new() };
        let mut context = null_mut();
        assert_eq!(call!(driver, cuInit(0): (c_uint)), R::CUDA_SUCCESS);
        assert_eq!(
            call!(driver, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice)),
            R::CUDA_SUCCESS
        );
        assert_eq!(call!(driver, cuCtxSetCurrent(context): (CUcontext)), R::CUDA_SUCCESS);
        driver
    }

    fn answer(&mut self, result: R) {
        println!("{result:?}");
        assert!(ANSWERS.contains(&result), "{result:?}");
        *self.answers.entry(result.0).or_default() += 1;
    }

    /// An image that ends where memory does, as a module and as a library.
    fn load(&mut self, what: &str, image: &[u8]) {
        println!("{what} as a module");
        let image = self.memory.put(image);
        let mut module = null_mut();
        let result =
            call!(self, cuModuleLoadData(&mut module, image): (*mut CUmodule, *const c_void));
        self.answer(result);
        if result == R::CUDA_SUCCESS {
            assert_eq!(call!(self, cuModuleUnload(module): (CUmodule)), R::CUDA_SUCCESS);
        }
        println!("{what} as a library");
        let mut library = null_mut();
        let result = call!(self, cuLibraryLoadData(&mut library, image, null_mut(), null_mut(), 0,
            null_mut(), null_mut(), 0): (*mut CUlibrary, *const c_void, *mut c_void,
            *mut c_void, c_uint, *mut c_void, *mut c_void, c_uint));
        self.answer(result);
        if result == R::CUDA_SUCCESS {
            assert_eq!(call!(self, cuLibraryUnload(library): (CUlibrary)), R::CUDA_SUCCESS);
        }
    }

    /// Bytes with their number, to be linked, and as a file.
    fn link(&mut self, what: &str, kind: c_uint, bytes: &[u8]) {
        println!("{what} as input {kind} of a link");
        let data = self.memory.put(bytes);
        let mut link = null_mut();
        let result = call!(self, cuLinkCreate_v2(0, null_mut(), null_mut(), &mut link):
            (c_uint, *mut c_void, *mut c_void, *mut CUlinkState));
        assert_eq!(result, R::CUDA_SUCCESS);
        let result = call!(self, cuLinkAddData_v2(link, kind, data, bytes.len(), c"spoilt".as_ptr(), 0,
            null_mut(), null_mut()): (CUlinkState, c_uint, *mut c_void, usize, *const c_char,
            c_uint, *mut c_void, *mut c_void));
        if bytes.is_empty() {
            assert_eq!(result, R::CUDA_ERROR_INVALID_VALUE);
        } else {
            self.answer(result);
        }
        assert_eq!(call!(self, cuLinkDestroy(link): (CUlinkState)), R::CUDA_SUCCESS);
    }

    fn file(&mut self, what: &str, bytes: &[u8], path: &std::path::Path) {
        println!("{what} as a file");
        std::fs::write(path, bytes).unwrap();
        let path = CString::new(path.to_str().unwrap()).unwrap();
        let mut module = null_mut();
        let result =
            call!(self, cuModuleLoad(&mut module, path.as_ptr()): (*mut CUmodule, *const c_char));
        self.answer(result);
    }

    /// Some images have to have been good, and some not: else nothing has been tested.
    fn end(&self) {
        assert!(self.answers.contains_key(&0), "{:?}", self.answers);
        assert!(self.answers.len() > 1, "{:?}", self.answers);
        println!("end");
    }
}

const CU_JIT_INPUT_PTX: c_uint = 1;
const CU_JIT_INPUT_FATBINARY: c_uint = 2;

fn cut_containers(driver: &mut Driver) {
    for packing in PACKINGS {
        let whole = container(packing);
        driver.load("a whole one", &whole);
        for length in HEADER..whole.len() {
            driver.load(&format!("{packing:?} cut at {length}"), &cut(&whole, length));
            // The header still promises all of it, and there it is: zeros.
            let mut zeroed = whole.clone();
            zeroed[length..].fill(0);
            driver.load(&format!("{packing:?} zero from {length}"), &zeroed);
        }
        for length in 0..=whole.len() {
            let what = format!("{packing:?} cut at {length}");
            driver.link(&what, CU_JIT_INPUT_FATBINARY, &whole[..length]);
        }
    }
}

fn spoilt_containers(driver: &mut Driver) {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..3000 {
        let packing = PACKINGS[seed % 3];
        let mut random = Seeded::new(seed as u64);
        // Sizes in the first header are promises about memory: they stay where only the program knows it.
        let mut bytes = container(packing);
        random.flip(&mut bytes, HEADER);
        driver.load(&format!("{packing:?} with seed {seed}"), &bytes);
        let mut bytes = container(packing);
        let first_header = seed % 2 == 0;
        random.flip(if first_header { &mut bytes[..HEADER] } else { &mut bytes }, 0);
        let what = format!("{packing:?} with seed {seed}, all of it");
        driver.link(&what, CU_JIT_INPUT_FATBINARY, &bytes);
        driver.file(&what, &bytes, &folder.path().join("spoilt"));
    }
}

fn cut_text(driver: &mut Driver) {
    for length in 0..=TEXT.len() {
        let text = &TEXT.as_bytes()[..length];
        driver.load(&format!("text cut at {length}"), &[text, b"\0"].concat());
        driver.link(&format!("text cut at {length}"), CU_JIT_INPUT_PTX, text);
    }
}

fn spoilt_text(driver: &mut Driver) {
    driver.load("good text", &[TEXT.as_bytes(), b"\0"].concat());
    for seed in 0..2000 {
        let mut random = Seeded::new(seed);
        let text = random.reword(TEXT);
        driver.load(&format!("words with seed {seed}"), &[text.as_bytes(), b"\0"].concat());
        let mut bytes = TEXT.as_bytes().to_vec();
        random.flip(&mut bytes, 0);
        driver.load(&format!("bytes with seed {seed}"), &[&*bytes, b"\0"].concat());
        driver.link(&format!("bytes with seed {seed}"), CU_JIT_INPUT_PTX, &bytes);
    }
}

/// Compiles what can be parsed, too: what is wrong with it then is not the compiler's fault.
fn compiled_text(driver: &mut Driver) {
    let target = ptx::Target::cpu_host(ptx::Blocks::WholeWarps, ptx::Executor::Vector);
    for seed in 0..1000 {
        let text = Seeded::new(seed).reword(TEXT);
        println!("compiling with seed {seed}");
        let Ok(program) = ptx::Program::parse(&text) else { continue };
        for kernel in program.kernels() {
            let compiled = program.compile(
                &kernel.name,
                &target,
                &ptx::Options { verify: true, ..ptx::Options::default() },
            );
            let result = match compiled.map_err(|diagnostics| diagnostics.kind()) {
                Ok(_) => R::CUDA_SUCCESS,
                Err(ptx::ErrorKind::Unsupported) => R::CUDA_ERROR_NOT_SUPPORTED,
                Err(ptx::ErrorKind::Invalid) => R::CUDA_ERROR_INVALID_PTX,
                Err(ptx::ErrorKind::Bug) => panic!("{text}"),
            };
            driver.answer(result);
        }
    }
}

/// The child: one group.
#[test]
#[ignore = "the others run it, in a process of its own"]
fn one_group() {
    let mut driver = Driver::new();
    match &*std::env::var(VARIABLE).expect("the others set it") {
        "cut_containers" => cut_containers(&mut driver),
        "spoilt_containers" => spoilt_containers(&mut driver),
        "cut_text" => cut_text(&mut driver),
        "spoilt_text" => spoilt_text(&mut driver),
        "compiled_text" => compiled_text(&mut driver),
        other => panic!("no group {other}"),
    }
    driver.end();
}

fn run(group: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_group", "--ignored", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, group)
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CACHE_DIR", "off")
        .env("ZLUDA_LOG", "off")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        output.status.success() && lines.contains(&"end"),
        "{}:\n{}\n{}",
        output.status,
        lines[lines.len().saturating_sub(40)..].join("\n"),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn containers_cut_off_are_refused() {
    run("cut_containers");
}

#[test]
fn spoilt_containers_are_refused_or_loaded() {
    run("spoilt_containers");
}

#[test]
fn text_cut_off_is_refused() {
    run("cut_text");
}

#[test]
fn spoilt_text_is_refused_or_loaded() {
    run("spoilt_text");
}

#[test]
fn spoilt_text_is_compiled_or_refused() {
    run("compiled_text");
}
