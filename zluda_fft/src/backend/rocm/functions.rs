//! The functions and numbers of hipFFT that are used, as `hipfft/hipfft.h` has them. `./x test hip` holds this file against the
//! headers and the libraries of several versions.

// The names are hipFFT's.
#![allow(non_camel_case_types, non_snake_case)]

use hip_runtime_sys::hipStream_t;
use std::ffi::{c_int, c_longlong, c_void};
use zluda_api::{rocm_enumerators as enumerators, rocm_functions as functions};

pub(super) type hipfftResult = u32;
pub(super) type hipfftType = u32;
pub(super) type hipfftHandle = *mut c_void;
pub(super) type hipfftReal = f32;
pub(super) type hipfftDoubleReal = f64;
/// Two parts; only addresses of them are passed.
pub(super) type hipfftComplex = [f32; 2];
pub(super) type hipfftDoubleComplex = [f64; 2];

enumerators! {
    hipfftResult_t: HIPFFT_SUCCESS = 0 HIPFFT_INVALID_PLAN = 1 HIPFFT_ALLOC_FAILED = 2 HIPFFT_INVALID_TYPE = 3
        HIPFFT_INVALID_VALUE = 4 HIPFFT_EXEC_FAILED = 6 HIPFFT_SETUP_FAILED = 7 HIPFFT_INVALID_SIZE = 8
        HIPFFT_UNALIGNED_DATA = 9 HIPFFT_INVALID_DEVICE = 11 HIPFFT_NO_WORKSPACE = 13 HIPFFT_NOT_IMPLEMENTED = 14
        HIPFFT_NOT_SUPPORTED = 16;
    hipfftType_t: HIPFFT_C2C = 41 HIPFFT_R2C = 42 HIPFFT_C2R = 44 HIPFFT_Z2Z = 105 HIPFFT_D2Z = 106 HIPFFT_Z2D = 108;
}

type hipfftResult_t = hipfftResult;
type hipfftType_t = hipfftType;

functions! {
    hipfftCreate(plan: *mut hipfftHandle);
    hipfftDestroy(plan: hipfftHandle);
    hipfftSetStream(plan: hipfftHandle, stream: hipStream_t);
    hipfftMakePlanMany(plan: hipfftHandle, rank: c_int, n: *mut c_int, inembed: *mut c_int, istride: c_int, idist: c_int, onembed: *mut c_int, ostride: c_int, odist: c_int, type_: hipfftType, batch: c_int, workSize: *mut usize);
    hipfftMakePlanMany64(plan: hipfftHandle, rank: c_int, n: *mut c_longlong, inembed: *mut c_longlong, istride: c_longlong, idist: c_longlong, onembed: *mut c_longlong, ostride: c_longlong, odist: c_longlong, type_: hipfftType, batch: c_longlong, workSize: *mut usize);
    hipfftExecC2C(plan: hipfftHandle, idata: *mut hipfftComplex, odata: *mut hipfftComplex, direction: c_int);
    hipfftExecR2C(plan: hipfftHandle, idata: *mut hipfftReal, odata: *mut hipfftComplex);
    hipfftExecC2R(plan: hipfftHandle, idata: *mut hipfftComplex, odata: *mut hipfftReal);
    hipfftExecZ2Z(plan: hipfftHandle, idata: *mut hipfftDoubleComplex, odata: *mut hipfftDoubleComplex, direction: c_int);
    hipfftExecD2Z(plan: hipfftHandle, idata: *mut hipfftDoubleReal, odata: *mut hipfftDoubleComplex);
    hipfftExecZ2D(plan: hipfftHandle, idata: *mut hipfftDoubleComplex, odata: *mut hipfftDoubleReal);
}
