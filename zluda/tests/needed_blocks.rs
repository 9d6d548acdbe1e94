//! Kernels that say by `.reqntid` which blocks they need. An H200 runs them with such blocks where a launch has blocks of one
//! thread, as CUDA Tile launches its kernels, and refuses all others.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_KERNEL_NODE_PARAMS, CUdeviceptr, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUmodule,
    CUresult as R, CUstream,
};
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::null_mut;

const OK: R = R::CUDA_SUCCESS;
const INVALID: R = R::CUDA_ERROR_INVALID_VALUE;

const TEXT: &CStr = c".version 7.0
.target sm_80
.address_size 64
.visible .entry needed(.param .u64 to) .reqntid 32, 2, 1 {
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %ntid.y;
    atom.global.add.u32 %r2, [%rd1], %r1;
    ret; }
";

#[test]
fn replace_blocks_of_one_thread() {
    let library = common::driver();
    let ok = |result| assert_eq!(result, OK);
    let (mut module, mut function, mut pointer): (CUmodule, CUfunction, CUdeviceptr) =
        (null_mut(), null_mut(), 0);
    ok(call!(library, cuMemAlloc_v2(&mut pointer, 4): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()):
        (*mut CUmodule, *const c_void)));
    ok(call!(library, cuModuleGetFunction(&mut function, module, c"needed".as_ptr()):
        (*mut CUfunction, CUmodule, *const c_char)));
    let mut params = [(&raw mut pointer).cast::<c_void>()];
    let sum = || {
        let mut value = 0u32;
        ok(call!(library, cuMemcpyDtoH_v2((&raw mut value).cast(), pointer, 4):
            (*mut c_void, CUdeviceptr, usize)));
        value
    };
    let cases = [([1, 1, 1], OK), ([32, 2, 1], OK), ([64, 1, 1], INVALID), ([1, 2, 1], INVALID)];
    for (block, wanted) in cases {
        ok(call!(library, cuMemsetD32_v2(pointer, 0, 1): (CUdeviceptr, c_uint, usize)));
        let result = call!(library, cuLaunchKernel(function, 3, 1, 1, block[0], block[1], block[2], 0,
            null_mut(), params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint,
            c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void));
        assert_eq!(result, wanted, "{block:?}");
        // Each thread of three blocks adds the rows of its block.
        assert_eq!(sum(), if wanted == OK { 3 * 64 * 2 } else { 0 }, "{block:?}");
    }
    ok(call!(library, cuMemsetD32_v2(pointer, 0, 1): (CUdeviceptr, c_uint, usize)));
    let (mut graph, mut node, mut exec) = (null_mut(), null_mut(), null_mut());
    ok(call!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)));
    let mut kernel = common::kernel_node(function);
    kernel.kernelParams = params.as_mut_ptr();
    ok(call!(library, cuGraphAddKernelNode_v2(&mut node, graph, null_mut(), 0, &kernel):
        (*mut CUgraphNode, CUgraph, *mut CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS)));
    ok(call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0):
        (*mut CUgraphExec, CUgraph, u64)));
    ok(call!(library, cuGraphLaunch(exec, null_mut()): (CUgraphExec, CUstream)));
    assert_eq!(sum(), 64 * 2);
}
