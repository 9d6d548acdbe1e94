//! A kernel's error is that of its context: the next one on the device, or the next life of a primary one, is without
//! fault. A trap ends the grid, those who wait for the trapped thread included; so do barriers to which nobody can come any
//! more.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{CUcontext, CUdevice, CUresult as R};
use libloading::Library;
use std::ffi::{CStr, c_uint};
use std::process::Command;
use std::ptr::null_mut;

const TEXT: &CStr = c".version 8.0
.target sm_75
.address_size 64
.visible .entry good(.param .u64 to) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1], 17;
    ret; }
.visible .entry trapping(.param .u64 to) {
    trap; }
.visible .entry elsewhere(.param .u64 to) {
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 64;
    st.global.u32 [%rd1], 17;
    ret; }
.visible .entry waiting(.param .u64 to) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 40;
    @%p1 bra wait;
    trap;
wait:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra wait;
    ret; }
.visible .entry parting(.param .u64 to) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<4>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    and.b32 %r3, %r1, 3;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra together;
wait:
    atom.global.cas.b32 %r2, [%rd1], 0, 0;
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.u32 %p2, %r1, 40;
    @%p2 trap;
    @%p1 bra wait;
together:
    bar.warp.sync 0xffffffff;
    bar.sync 0;
    ret; }
.visible .entry lanes_apart(.param .u64 to) {
    .reg .b32 %r<3>;
    .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra odd;
    barrier.sync 1, 64;
    ret;
odd:
    barrier.sync 2, 64;
    ret; }
.visible .entry warps_apart(.param .u64 to) {
    .reg .b32 %r<3>;
    .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    barrier.sync %r2, 64;
    ret; }
";

/// What the end of the work of a kernel in the current context says, and the word that it wrote.
fn run(library: &Library, kernel: &CStr) -> (R, u32) {
    common::run(library, TEXT, &[kernel])[0]
}

/// The child, which has a device of its own.
#[test]
#[ignore = "the other test runs it, once for each device"]
fn program() {
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    let mut context = null_mut();
    ok(call!(library, cuInit(0): (c_uint)));
    for (kernel, expected) in [
        (c"trapping", R::CUDA_ERROR_LAUNCH_FAILED),
        (c"elsewhere", R::CUDA_ERROR_ILLEGAL_ADDRESS),
        (c"waiting", R::CUDA_ERROR_LAUNCH_FAILED),
        (c"parting", R::CUDA_ERROR_LAUNCH_FAILED),
        (c"lanes_apart", R::CUDA_ERROR_ILLEGAL_INSTRUCTION),
        (c"warps_apart", R::CUDA_ERROR_LAUNCH_FAILED),
    ] {
        for is_primary in [true, false] {
            if is_primary {
                ok(call!(library, cuDevicePrimaryCtxRetain(&mut context, 0):
                    (*mut CUcontext, CUdevice)));
                ok(call!(library, cuCtxSetCurrent(context): (CUcontext)));
            } else {
                ok(call!(library, cuCtxCreate_v2(&mut context, 0, 0):
                    (*mut CUcontext, c_uint, CUdevice)));
            }
            assert_eq!(run(&library, c"good"), (R::CUDA_SUCCESS, 17));
            assert_eq!(run(&library, kernel).0, expected, "{kernel:?}");
            assert_eq!(call!(library, cuCtxSynchronize(): ()), expected, "{kernel:?}");
            // CUDA's runtime asks before it resets a device.
            let mut version = 0;
            ok(call!(library, cuCtxGetApiVersion(context, &mut version):
                (CUcontext, *mut c_uint)));
            if is_primary {
                ok(call!(library, cuDevicePrimaryCtxReset_v2(0): (CUdevice)));
            } else {
                ok(call!(library, cuCtxDestroy_v2(context): (CUcontext)));
            }
        }
    }
}

#[test]
fn the_next_context_is_without_fault() {
    for device in ["cpu", "emu:gfx1100", "emu:gfx942"] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "program", "--ignored"])
            .env("ZLUDA_DEVICE", device)
            .env("ZLUDA_CACHE_DIR", "off")
            .output()
            .unwrap();
        let told = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{device}:\n{}", String::from_utf8_lossy(&told));
    }
}
