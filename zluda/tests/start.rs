//! The library as a program meets it that looks functions up by itself.

mod common;

use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUfunction, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

const TEXT: &[u8] = b".version 99.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 value) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry strange() {
    nonsense.u32 %r1;
    ret;
}
\0";

/// A function of the library, by its name and signature.
macro_rules! function {
    ($library:expr, $name:ident($($argument:ty),* $(,)?)) => {
        // SAFETY: the signature is that of `cuda.h`.
        *unsafe {
            $library.get::<unsafe extern "C" fn($($argument),*) -> R>(stringify!($name).as_bytes())
        }
        .expect(stringify!($name))
    };
}

// One test: the environment and what is loaded belong to the process.
#[test]
fn a_program_starts_runs_a_kernel_and_is_told_about_a_strange_one() {
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("ZLUDA_DEVICE", "cpu");
        std::env::set_var("ZLUDA_CACHE_DIR", "off");
        std::env::set_var("ZLUDA_LOG", "off");
    }
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    assert!(!common::is_mapped("libzluda_hip_cpu"), "loading the driver opened the device");

    let version = function!(library, cuDriverGetVersion(*mut c_int));
    let count = function!(library, cuDeviceGetCount(*mut c_int));
    let state = function!(library, cuCheckpointProcessGetState(c_int, *mut c_int));
    let init = function!(library, cuInit(c_uint));
    let retain = function!(library, cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice));
    let set = function!(library, cuCtxSetCurrent(CUcontext));
    let allocate = function!(library, cuMemAlloc_v2(*mut CUdeviceptr, usize));
    let copy = function!(library, cuMemcpyDtoH_v2(*mut c_void, CUdeviceptr, usize));
    let load = function!(library, cuModuleLoadData(*mut CUmodule, *const c_void));
    let get = function!(library, cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char));
    let unload = function!(library, cuModuleUnload(CUmodule));
    let launch = function!(
        library,
        cuLaunchKernel(
            CUfunction,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            CUstream,
            *mut *mut c_void,
            *mut *mut c_void,
        )
    );

    let (mut number, mut context, mut pointer) = (0, null_mut(), 0);
    let (mut module, mut store, mut strange) = (null_mut(), null_mut(), null_mut());
    let (mut value, mut back) = (42u32, 0u32);
    // SAFETY: every pointer is that of a local variable, or of text that ends with NUL.
    unsafe {
        assert_eq!(version(&mut number), R::CUDA_SUCCESS);
        assert_eq!(number, 13000);
        assert_eq!(count(&mut number), R::CUDA_ERROR_NOT_INITIALIZED);
        // Processes are asked about without `cuInit`; this one does not use a device yet.
        let own = std::process::id() as c_int;
        assert_eq!(state(own, &mut number), R::CUDA_ERROR_NOT_INITIALIZED);
        assert_eq!(state(c_int::MAX, &mut number), R::CUDA_ERROR_OPERATING_SYSTEM);
        assert_eq!(init(1), R::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(init(0), R::CUDA_SUCCESS);
        assert_eq!(state(own, &mut number), R::CUDA_SUCCESS);
        assert_eq!(number, 0);
        assert_eq!(count(&mut number), R::CUDA_SUCCESS);
        assert_eq!(number, 1);
        assert_eq!(allocate(&mut pointer, 4), R::CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(retain(&mut context, 0), R::CUDA_SUCCESS);
        assert_eq!(set(context), R::CUDA_SUCCESS);
        assert_eq!(allocate(&mut pointer, 4), R::CUDA_SUCCESS);
        assert_eq!(load(&mut module, TEXT.as_ptr().cast()), R::CUDA_SUCCESS);
        assert_eq!(get(&mut store, module, c"store".as_ptr()), R::CUDA_SUCCESS);
        let asked = get(&mut strange, module, c"strange".as_ptr());
        assert!(
            [R::CUDA_ERROR_NOT_SUPPORTED, R::CUDA_ERROR_INVALID_PTX].contains(&asked),
            "{asked:?}"
        );
        let mut params = [(&raw mut pointer).cast(), (&raw mut value).cast()];
        let run = |function, params: &mut [*mut c_void]| {
            launch(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut())
        };
        assert_eq!(run(store, &mut params), R::CUDA_SUCCESS);
        assert_eq!(copy((&raw mut back).cast(), pointer, 4), R::CUDA_SUCCESS);
        assert_eq!(back, 42);
        // Freed and foreign handles.
        assert_eq!(unload(module), R::CUDA_SUCCESS);
        assert_eq!(unload(module), R::CUDA_ERROR_INVALID_HANDLE);
        for handle in [store, module.cast(), null_mut(), (&raw mut value).cast()] {
            assert_eq!(run(handle, &mut params), R::CUDA_ERROR_INVALID_HANDLE);
        }
    }
    assert!(common::is_mapped("libzluda_hip_cpu"));
}
