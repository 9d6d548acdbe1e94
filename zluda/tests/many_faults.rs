//! A CPU device works again after every kind of fault, however often: when the primary context was reset, or when all
//! contexts were destroyed.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use common::run;
use cuda_types::cuda::{CUcontext, CUdevice, CUresult as R};
use libloading::Library;
use std::ffi::{CStr, c_uint};
use std::process::Command;
use std::ptr::null_mut;

const TEXT: &CStr = c".version 8.0
.target sm_75
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 words[4] = {97, 98, 99, 0};
.func (.param .b32 result) deeper(.param .b32 depth) {
    .local .align 16 .b8 own[4096];
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.b32 %r1, [depth];
    mov.b64 %rd1, own;
    st.local.b32 [%rd1], %r1;
    add.u32 %r1, %r1, 1;
    { .param .b32 result; .param .b32 depth;
    st.param.b32 [depth], %r1;
    call (result), deeper, (depth);
    ld.param.b32 %r2, [result]; }
    ld.local.b32 %r3, [%rd1];
    add.u32 %r2, %r2, %r3;
    st.param.b32 [result], %r2;
    ret; }
.visible .entry good(.param .u64 to) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1], 17;
    ret; }
.visible .entry traps(.param .u64 to) {
    trap; }
.visible .entry breaks(.param .u64 to) {
    brkpt; }
.visible .entry asserts(.param .u64 to) {
    .reg .b64 %rd<2>;
    cvta.global.u64 %rd1, words;
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 1;
    st.param.b64 [d], %rd1; st.param.b64 [e], 1;
    call __assertfail, (a, b, c, d, e); }
    ret; }
.visible .entry elsewhere(.param .u64 to) {
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 64;
    st.global.u32 [%rd1], 17;
    ret; }
.visible .entry misaligned(.param .u64 to) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1+2], 17;
    ret; }
.visible .entry beyond_shared(.param .u64 to) {
    .shared .align 16 .b8 tile[64];
    .reg .b64 %rd<2>;
    mov.u64 %rd1, tile;
    st.volatile.shared.u32 [%rd1+0x10000000], 17;
    ret; }
.visible .entry overflows(.param .u64 to) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    { .param .b32 result; .param .b32 depth;
    st.param.b32 [depth], 1;
    call (result), deeper, (depth);
    ld.param.b32 %r1, [result]; }
    st.global.u32 [%rd1], %r1;
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
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    barrier.sync %r2, 64;
    ret; }
";

/// The kernels, and what an H100 says of them: but for the end of the stack, which is a page here that cannot be accessed.
const FAULTS: [(&CStr, R); 9] = [
    (c"traps", R::CUDA_ERROR_LAUNCH_FAILED),
    (c"breaks", R::CUDA_ERROR_LAUNCH_FAILED),
    (c"asserts", R::CUDA_ERROR_ASSERT),
    (c"elsewhere", R::CUDA_ERROR_ILLEGAL_ADDRESS),
    (c"misaligned", R::CUDA_ERROR_MISALIGNED_ADDRESS),
    (c"beyond_shared", R::CUDA_ERROR_ILLEGAL_ADDRESS),
    (c"overflows", R::CUDA_ERROR_ILLEGAL_ADDRESS),
    (c"lanes_apart", R::CUDA_ERROR_ILLEGAL_INSTRUCTION),
    (c"warps_apart", R::CUDA_ERROR_LAUNCH_FAILED),
];

/// ThreadSanitizer makes each of them slow, and keeps notes of memory that has gone.
const ROUNDS: usize = if cfg!(zluda_sanitizer = "thread") { 100 } else { 1000 };

fn ok(result: R) {
    assert_eq!(result, R::CUDA_SUCCESS);
}

fn create(library: &Library) -> CUcontext {
    let mut context = null_mut();
    ok(call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice)));
    context
}

/// Parts of this process's memory.
fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().count()
}

/// The child, which has a device of its own.
#[test]
#[ignore = "the other test runs it"]
fn program() {
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    ok(call!(library, cuInit(0): (c_uint)));
    for (kernel, expected) in FAULTS {
        let mut after_some = 0;
        for round in 0..ROUNDS {
            if round == ROUNDS / 2 {
                after_some = mappings();
            }
            let mut other = null_mut();
            let mut context: CUcontext = null_mut();
            let is_primary = round % 2 == 0;
            if is_primary {
                ok(call!(library, cuDevicePrimaryCtxRetain(&mut context, 0):
                    (*mut CUcontext, CUdevice)));
                ok(call!(library, cuCtxSetCurrent(context): (CUcontext)));
            } else {
                other = create(&library);
                context = create(&library);
            }
            let results = run(&library, TEXT, &[c"good", kernel]);
            assert_eq!(results[0], (R::CUDA_SUCCESS, 17), "before {kernel:?} {round}");
            assert_eq!(results[1].0, expected, "{kernel:?} {round}");
            if is_primary {
                ok(call!(library, cuDevicePrimaryCtxReset_v2(0): (CUdevice)));
            } else {
                // All contexts of the device have failed.
                ok(call!(library, cuCtxDestroy_v2(context): (CUcontext)));
                assert_eq!(call!(library, cuCtxSynchronize(): ()), expected);
                ok(call!(library, cuCtxDestroy_v2(other): (CUcontext)));
            }
        }
        let grown = mappings().saturating_sub(after_some);
        assert!(grown < 100, "{grown} mappings more after {} rounds of {kernel:?}", ROUNDS / 2);
    }
    let _context = create(&library);
    assert_eq!(run(&library, TEXT, &[c"good"]), [(R::CUDA_SUCCESS, 17)]);
}

#[test]
fn a_device_works_again_after_every_fault() {
    let folder = std::env::temp_dir().join(format!("zluda-many-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "program", "--ignored"])
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CHECK", "align")
        .env("ZLUDA_LOG", "off")
        .env("ZLUDA_CACHE_DIR", &folder)
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let told = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&told));
}
