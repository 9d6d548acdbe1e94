//! PTX for GPUs whose warps keep step: what all threads of a warp read at one place is the same for all, whatever another block
//! writes meanwhile.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{CUdeviceptr, CUfunction, CUmodule, CUresult as R, CUstream};
use libloading::Library;
use std::ffi::{CString, c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;

const LANES: usize = 32;
const ROUNDS: u32 = 3000;

/// Block 0 counts in `words[0]` until `words[1]` says that block 1 has ended, whose warp reads the count again and again, each
/// lane by an address of its own, all of which are the same. A lane counts the rounds in which it has not read what the first has.
fn text(load: &str) -> CString {
    CString::new(format!(
        ".version 6.0\n.target sm_35\n.address_size 64
        .visible .entry compare(.param .u64 words, .param .u64 addresses, .param .u64 results)
        {{
            .reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %rd<6>;
            ld.param.u64 %rd1, [words];
            ld.param.u64 %rd2, [results];
            mov.u32 %r1, %tid.x;
            mov.u32 %r2, %ctaid.x;
            mov.u32 %r3, 0;
            setp.ne.u32 %p, %r2, 0;
            @%p bra read;
            setp.ne.u32 %q, %r1, 0;
            @%q ret;
        count:
            add.u32 %r3, %r3, 1;
            st.volatile.global.u32 [%rd1], %r3;
            ld.volatile.global.u32 %r4, [%rd1+4];
            setp.eq.u32 %q, %r4, 0;
            @%q bra count;
            ret;
        read:
            mov.u32 %r5, 0;
            ld.param.u64 %rd4, [addresses];
            mul.wide.u32 %rd5, %r1, 8;
            add.u64 %rd4, %rd4, %rd5;
            ld.global.u64 %rd4, [%rd4];
        again:
            membar.gl;
            {load} %r4, [%rd4];
            shfl.idx.b32 %r6, %r4, 0, 31;
            setp.ne.u32 %q, %r4, %r6;
            @%q add.u32 %r5, %r5, 1;
            add.u32 %r3, %r3, 1;
            setp.lt.u32 %q, %r3, {ROUNDS};
            @%q bra again;
            mul.wide.u32 %rd3, %r1, 4;
            add.u64 %rd3, %rd2, %rd3;
            st.global.u32 [%rd3], %r5;
            mov.u32 %r4, 1;
            st.volatile.global.u32 [%rd1+4], %r4;
            ret;
        }}\n"
    ))
    .unwrap()
}

/// The rounds in which each lane read something else than the first.
fn differences(library: &Library, load: &str) -> [u32; LANES] {
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    let text = text(load);
    let mut module: CUmodule = null_mut();
    ok(call!(library, cuModuleLoadData(&mut module, text.as_ptr().cast()):
        (*mut CUmodule, *const c_void)));
    let mut function: CUfunction = null_mut();
    ok(call!(library, cuModuleGetFunction(&mut function, module, c"compare".as_ptr()):
        (*mut CUfunction, CUmodule, *const c_char)));
    let mut found = [u32::MAX; LANES];
    let [mut words, mut addresses, mut results]: [CUdeviceptr; 3] = [0; 3];
    ok(call!(library, cuMemAlloc_v2(&mut words, 8): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemAlloc_v2(&mut results, size_of_val(&found)): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemsetD32_v2(words, 0, 2): (CUdeviceptr, c_uint, usize)));
    let all = [words; LANES];
    ok(call!(library, cuMemAlloc_v2(&mut addresses, size_of_val(&all)): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemcpyHtoD_v2(addresses, all.as_ptr().cast(), size_of_val(&all)):
        (CUdeviceptr, *const c_void, usize)));
    let mut parameters =
        [(&raw mut words).cast::<c_void>(), (&raw mut addresses).cast(), (&raw mut results).cast()];
    ok(
        call!(library, cuLaunchKernel(function, 2, 1, 1, LANES as u32, 1, 1, 0, null_mut(), parameters.as_mut_ptr(), null_mut()):
        (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
    );
    ok(call!(library, cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), results, size_of_val(&found)):
        (*mut c_void, CUdeviceptr, usize)));
    found
}

#[test]
#[ignore = "a part of the tests below, which run it by one executor each"]
fn reads_once() {
    let library = common::driver();
    for load in ["ld.global.u32", "ld.volatile.global.u32"] {
        assert_eq!(differences(&library, load), [0; LANES], "{load}");
    }
}

/// A process has one executor.
fn reads_once_by(executor: &str) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "reads_once"]).env("ZLUDA_EXECUTOR", executor);
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

#[test]
fn a_warp_of_coroutines_reads_once() {
    reads_once_by("reference");
}

#[test]
fn a_warp_of_vectors_reads_once() {
    reads_once_by("vector");
}
