//! The functions and numbers of hipBLASLt that are used, as `hipblaslt/hipblaslt.h` of ROCm 7 has them. `./x test hip` holds this
//! file against the headers of several versions.

// The names are hipBLASLt's.
#![allow(non_camel_case_types, non_snake_case)]

use std::ffi::c_void;
use zluda_api::{rocm_enumerators as enumerators, rocm_functions as functions};

type hipblasLtHandle_t = *mut c_void;
type hipblasLtMatmulDesc_t = *mut c_void;
type hipblasLtMatrixLayout_t = *mut c_void;
type hipblasLtMatmulAlgo_t = c_void;
type hipStream_t = *mut c_void;
type hipDataType = u32;
type hipblasComputeType_t = u32;
pub(super) type hipblasLtMatmulDescAttributes_t = u32;
pub(super) type hipblasLtMatrixLayoutAttribute_t = u32;
type hipblasLtPointerMode_t = u32;

enumerators! {
    hipblasLtMatmulDescAttributes_t: HIPBLASLT_MATMUL_DESC_TRANSA = 0 HIPBLASLT_MATMUL_DESC_TRANSB = 1
        HIPBLASLT_MATMUL_DESC_EPILOGUE = 2 HIPBLASLT_MATMUL_DESC_BIAS_POINTER = 3
        HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 4 HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER = 5
        HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER = 6 HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER = 7
        HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER = 8 HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 10
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 11 HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 12
        HIPBLASLT_MATMUL_DESC_POINTER_MODE = 13 HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER = 14
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22;
    hipblasLtMatrixLayoutAttribute_t: HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 0
        HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 1;
    hipblasLtPointerMode_t: HIPBLASLT_POINTER_MODE_HOST = 0 HIPBLASLT_POINTER_MODE_DEVICE = 1;
    hipblasLtEpilogue_t: HIPBLASLT_EPILOGUE_DEFAULT = 1 HIPBLASLT_EPILOGUE_RELU = 2 HIPBLASLT_EPILOGUE_BIAS = 4
        HIPBLASLT_EPILOGUE_RELU_BIAS = 6 HIPBLASLT_EPILOGUE_GELU = 32 HIPBLASLT_EPILOGUE_GELU_BIAS = 36
        HIPBLASLT_EPILOGUE_GELU_AUX = 160 HIPBLASLT_EPILOGUE_GELU_AUX_BIAS = 164
        HIPBLASLT_EPILOGUE_DGELU = 192 HIPBLASLT_EPILOGUE_DGELU_BGRAD = 208
        HIPBLASLT_EPILOGUE_BGRADA = 256 HIPBLASLT_EPILOGUE_BGRADB = 512;
    hipDataType: HIP_R_8F_E4M3 = 28 HIP_R_8F_E5M2 = 29;
}

type hipblasLtEpilogue_t = u32;

functions! {
    hipblasLtCreate(handle: *mut hipblasLtHandle_t);
    hipblasLtDestroy(handle: hipblasLtHandle_t);
    hipblasLtMatrixLayoutCreate(matLayout: *mut hipblasLtMatrixLayout_t, type_: hipDataType, rows: u64, cols: u64, ld: i64);
    hipblasLtMatrixLayoutDestroy(matLayout: hipblasLtMatrixLayout_t);
    hipblasLtMatrixLayoutSetAttribute(matLayout: hipblasLtMatrixLayout_t, attr: hipblasLtMatrixLayoutAttribute_t, buf: *const c_void, sizeInBytes: usize);
    hipblasLtMatmulDescCreate(matmulDesc: *mut hipblasLtMatmulDesc_t, computeType: hipblasComputeType_t, scaleType: hipDataType);
    hipblasLtMatmulDescDestroy(matmulDesc: hipblasLtMatmulDesc_t);
    hipblasLtMatmulDescSetAttribute(matmulDesc: hipblasLtMatmulDesc_t, attr: hipblasLtMatmulDescAttributes_t, buf: *const c_void, sizeInBytes: usize);
    hipblasLtMatmul(handle: hipblasLtHandle_t, matmulDesc: hipblasLtMatmulDesc_t, alpha: *const c_void, A: *const c_void, Adesc: hipblasLtMatrixLayout_t, B: *const c_void, Bdesc: hipblasLtMatrixLayout_t, beta: *const c_void, C: *const c_void, Cdesc: hipblasLtMatrixLayout_t, D: *mut c_void, Ddesc: hipblasLtMatrixLayout_t, algo: *const hipblasLtMatmulAlgo_t, workspace: *mut c_void, workspaceSizeInBytes: usize, stream: hipStream_t);
}
