//! The library exports what NVIDIA's does, and nothing else; of that, programs that ask find what is implemented.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{CUdriverProcAddressQueryResult as Q, CUresult as R};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

#[test]
fn every_name_of_nvidias_library_is_exported_and_no_other() {
    let list = include_str!("../../cuda_macros/src/cuda_exports.txt");
    exported::names::assert_are_exported(&common::library_path(), list, 707);
}

#[test]
fn what_is_not_implemented_is_not_found() {
    let library = common::driver();
    let ask = |name: &CStr| {
        let (mut address, mut status) = (null_mut(), Q(77));
        let result = call!(library, cuGetProcAddress_v2(name.as_ptr(), &mut address, 13000, 0, &mut status):
            (*const c_char, *mut *mut c_void, c_int, u64, *mut Q));
        (result, address.is_null(), status)
    };
    let found = (R::CUDA_SUCCESS, false, Q::CU_GET_PROC_ADDRESS_SUCCESS);
    let missing = (R::CUDA_SUCCESS, true, Q::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_eq!(ask(c"cuLaunchKernel"), found);
    assert_eq!(ask(c"cuLaunchGrid"), found);
    assert_eq!(ask(c"cuEGLStreamProducerConnect"), missing);
    assert_eq!(ask(c"cuNoSuchFunction"), missing);
    // Who calls it all the same gets an answer: that of an H100 where there is no such program.
    assert_eq!(call!(library, cuMulticastUnbind(): ()), R::CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(call!(library, cuEGLStreamProducerConnect(): ()), R::CUDA_ERROR_UNKNOWN);
    assert_eq!(call!(library, cuGLInit(): ()), R::CUDA_ERROR_OPERATING_SYSTEM);
}

/// cuda.bindings' tests expect it of both.
#[test]
fn the_name_of_no_function_is_an_error_and_none() {
    let library = common::driver();
    let mut name: *const c_char = c"before".as_ptr();
    let no_function: *mut c_void = null_mut();
    let asked =
        call!(library, cuFuncGetName(&mut name, no_function): (*mut *const c_char, *mut c_void));
    assert_eq!((asked, name.is_null()), (R::CUDA_ERROR_INVALID_VALUE, true));
    name = c"before".as_ptr();
    let asked =
        call!(library, cuKernelGetName(&mut name, no_function): (*mut *const c_char, *mut c_void));
    assert_eq!((asked, name.is_null()), (R::CUDA_ERROR_INVALID_VALUE, true));
}
