//! Addresses in shared memory that count from the first byte, in kernels that name none of it, as Halide's code has them.
//! An H200 gives the same numbers.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{CUdeviceptr, CUfunction, CUmodule, CUresult as R, CUstream};
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::null_mut;

/// Each thread stores its number and 100, and adds 1000 times what the third one stored to what its neighbour did;
/// `generic` reads both by generic addresses.
const TEXT: &CStr = c".version 7.0
.target sm_80
.address_size 64
.visible .entry own(.param .u64 to) {
    .reg .b64 %rd<9>;
    .reg .b32 %r<9>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u32 %r2, %r1, 100;
    st.shared.u32 [%rd2], %r2;
    bar.sync 0;
    xor.b32 %r3, %r1, 1;
    mul.wide.u32 %rd3, %r3, 4;
    ld.shared.u32 %r4, [%rd3];
    mov.u32 %r6, 4;
    ld.shared.u32 %r5, [%r6+4];
    mad.lo.u32 %r4, %r5, 1000, %r4;
    add.s64 %rd4, %rd1, %rd2;
    st.global.u32 [%rd4], %r4;
    ret; }
.visible .entry generic(.param .u64 to) {
    .reg .b64 %rd<9>;
    .reg .b32 %r<9>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u32 %r2, %r1, 100;
    st.shared.u32 [%rd2], %r2;
    bar.sync 0;
    xor.b64 %rd3, %rd2, 4;
    cvta.shared.u64 %rd5, %rd3;
    ld.u32 %r4, [%rd5];
    add.u64 %rd6, %rd5, 4;
    cvta.to.shared.u64 %rd7, %rd6;
    sub.u64 %rd7, %rd7, %rd3;
    ld.shared.u32 %r5, [%rd7+4];
    mad.lo.u32 %r4, %r5, 1000, %r4;
    add.s64 %rd4, %rd1, %rd2;
    st.global.u32 [%rd4], %r4;
    ret; }
";

#[test]
fn count_from_the_first_byte() {
    let library = common::driver();
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    let (mut module, mut function, mut pointer): (CUmodule, CUfunction, CUdeviceptr) =
        (null_mut(), null_mut(), 0);
    ok(call!(library, cuMemAlloc_v2(&mut pointer, 256): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()):
        (*mut CUmodule, *const c_void)));
    for name in [c"own", c"generic"] {
        ok(call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)));
        let mut params = [(&raw mut pointer).cast::<c_void>()];
        ok(call!(library, cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 256, null_mut(),
            params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
            c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)));
        let mut values = [0u32; 64];
        ok(call!(library, cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), pointer, 256):
            (*mut c_void, CUdeviceptr, usize)));
        let wanted: Vec<u32> = (0..64).map(|thread| 102_000 + 100 + (thread ^ 1)).collect();
        assert_eq!(values[..], wanted, "{name:?}");
    }
}
