//! The built library, as programs see it.

#![allow(dead_code, unused_macros)]

use cuda_types::cuda::{CUcontext, CUresult as R};
use libloading::Library;
use std::ffi::{c_int, c_uint};
use std::path::PathBuf;

/// The file that cargo built for these tests.
pub fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.with_file_name("libzluda_cuda.so")
}

/// Whether this process has some part of a file of this name in its memory.
pub fn is_mapped(file: &str) -> bool {
    std::fs::read_to_string("/proc/self/maps").expect("Linux has it").contains(file)
}

/// Calls a function of the driver, `call!(library, name(arguments): (types))`, where `R` is its result.
macro_rules! call {
    ($library:expr, $name:ident($($argument:expr),* $(,)?): ($($ty:ty),*)) => {{
        // SAFETY: the signature is that of `cuda.h`.
        let function = unsafe {
            $library.get::<unsafe extern "C" fn($($ty),*) -> R>(stringify!($name).as_bytes())
        }
        .expect(stringify!($name));
        // SAFETY: pointers are those of local variables, handles those that were given.
        unsafe { function($($argument),*) }
    }};
}

/// The library with the primary context of device 0, which is current.
pub fn driver() -> Library {
    const OK: R = R::CUDA_SUCCESS;
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(library_path()) }.expect("cargo built it");
    let mut context: CUcontext = std::ptr::null_mut();
    assert_eq!(call!(library, cuInit(0): (c_uint)), OK);
    assert_eq!(
        call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, c_int)),
        OK
    );
    assert_eq!(call!(library, cuCtxSetCurrent(context): (CUcontext)), OK);
    library
}
