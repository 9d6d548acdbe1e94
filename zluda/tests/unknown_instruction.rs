//! An instruction that is not known costs the kernels that reach it, and nothing else of their module: the
//! others run, and asking for one of those gives an error and a line in the log that names the place.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUfunction, CUkernel, CUlibrary, CUmodule, CUresult as R,
    CUstream,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;

/// The unknown instructions stand in lines 11 and 19.
const TEXT: &CStr = c".version 99.0
.target sm_75
.address_size 64
.visible .entry before(.param .u64 to) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1], 17;
    ret; }
.visible .entry strange(.param .u64 to) {
    .reg .b32 %r<3>;
    frobnicate.sync.u32 %r1, %r2, 7;
    ret; }
.func inner() {
    .reg .b32 %r<3>;
    mov.u32 %r1, 1;
    // Only who calls this function has to do with it.
    mov.u32 %r2, 2;

    transmogrify.u32 %r1, %r2;
    ret; }
.visible .entry caller(.param .u64 to) {
    call.uni inner;
    ret; }
.visible .entry after(.param .u64 to) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1+4], 39;
    ret; }
";

/// The child: its log is what the other test reads.
#[test]
#[ignore = "the other test runs it, and reads its log"]
fn program() {
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    let (mut context, mut module, mut pointer) = (null_mut(), null_mut(), 0);
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    ok(call!(library, cuInit(0): (c_uint)));
    ok(call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice)));
    ok(call!(library, cuCtxSetCurrent(context): (CUcontext)));
    ok(call!(library, cuMemAlloc_v2(&mut pointer, 8): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()):
        (*mut CUmodule, *const c_void)));
    let get = |name: &CStr| {
        let mut function: CUfunction = null_mut();
        let result = call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char));
        (result, function)
    };
    for name in [c"strange", c"caller"] {
        assert_eq!(get(name).0, R::CUDA_ERROR_NOT_SUPPORTED, "{name:?}");
        // The answer stays the same.
        assert_eq!(get(name).0, R::CUDA_ERROR_NOT_SUPPORTED, "{name:?}");
    }
    for name in [c"before", c"after"] {
        let (result, function) = get(name);
        ok(result);
        let mut params = [(&raw mut pointer).cast::<c_void>()];
        ok(call!(library, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(),
            params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
            c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)));
    }
    let mut values = [0u32; 2];
    ok(call!(library, cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), pointer, 8):
        (*mut c_void, CUdeviceptr, usize)));
    assert_eq!(values, [17, 39]);

    let (mut loaded, mut kernel) = (null_mut(), null_mut());
    ok(
        call!(library, cuLibraryLoadData(&mut loaded, TEXT.as_ptr().cast(), null_mut(), null_mut(), 0,
        null_mut(), null_mut(), 0): (*mut CUlibrary, *const c_void, *mut c_void, *mut c_void, c_uint,
        *mut c_void, *mut c_void, c_uint)),
    );
    for (name, expected) in [
        (c"before", R::CUDA_SUCCESS),
        (c"strange", R::CUDA_ERROR_NOT_SUPPORTED),
        (c"caller", R::CUDA_ERROR_NOT_SUPPORTED),
    ] {
        let result = call!(library, cuLibraryGetKernel(&mut kernel, loaded, name.as_ptr()):
            (*mut CUkernel, CUlibrary, *const c_char));
        assert_eq!(result, expected, "{name:?}");
    }
}

#[test]
fn only_who_asks_for_an_unknown_instruction_is_told_where_it_is() {
    let cache = tempfile::tempdir().unwrap();
    // What the second run knows comes from the cache.
    for run in ["first", "second"] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "program", "--ignored"])
            .env("ZLUDA_DEVICE", "cpu")
            .env("ZLUDA_CACHE_DIR", cache.path())
            .env_remove("ZLUDA_LOG")
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{run}:\n{log}\n{}",
            String::from_utf8_lossy(&output.stdout)
        );
        for (kernel, instruction, line) in
            [("strange", "frobnicate.sync.u32", 11), ("caller", "transmogrify.u32", 19)]
        {
            let told = format!("kernel {kernel} cannot be compiled");
            let entry = log.split("[zluda]").find(|entry| entry.contains(&told));
            let entry = entry.unwrap_or_else(|| panic!("{run}: {kernel} is not named:\n{log}"));
            assert!(entry.contains(instruction), "{run}: {entry}");
            assert!(entry.contains(&format!("line {line},")), "{run}: {entry}");
            assert_eq!(log.matches(&told).count(), 1, "{run}, told more than once:\n{log}");
        }
        assert!(!log.contains("kernel before") && !log.contains("kernel after"), "{run}:\n{log}");
    }
}
