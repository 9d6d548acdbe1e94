//! What the program's user reads of assertions that fail in a kernel.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{CUfunction, CUmodule, CUresult as R, CUstream};
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;

/// Threads from the third on fail.
const TEXT: &CStr = c".version 8.0
.target sm_75
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 word[2] = {120, 0};
.visible .entry asserts() {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 3;
    @%p bra end;
    cvta.global.u64 %rd1, word;
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 7;
    st.param.b64 [d], %rd1; st.param.b64 [e], 1;
    call __assertfail, (a, b, c, d, e); }
end:
    ret; }
";

/// All threads of a warp that fail together say so, as on an H100.
#[test]
fn each_thread_that_fails_says_so() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_fails", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    let found: Vec<&str> = text.lines().filter(|line| line.contains("Assertion")).collect();
    let line =
        |thread| format!("x:7: x: block: [0,0,0], thread: [{thread},0,0] Assertion `x` failed.");
    assert_eq!(found, (3..8).map(line).collect::<Vec<_>>());
}

#[test]
#[ignore = "run by each_thread_that_fails_says_so"]
fn child_fails() {
    let library = common::driver();
    let (mut module, mut function): (CUmodule, CUfunction) = (null_mut(), null_mut());
    let results = [
        call!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()): (*mut CUmodule, *const c_void)),
        call!(library, cuModuleGetFunction(&mut function, module, c"asserts".as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)),
        call!(library, cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, null_mut(), null_mut(), null_mut()):
            (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
        call!(library, cuCtxSynchronize(): ()),
    ];
    assert_eq!(results, [R::CUDA_SUCCESS, R::CUDA_SUCCESS, R::CUDA_SUCCESS, R::CUDA_ERROR_ASSERT]);
}
