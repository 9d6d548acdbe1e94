//! The functions and numbers of MIOpen that are used, as `miopen/miopen.h` has them. `./x test hip` holds this file against the
//! headers and the libraries of several versions.

// The names are MIOpen's.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

use std::ffi::{c_int, c_void};
use zluda_api::{rocm_enumerators as enumerators, rocm_functions as functions};

pub(super) type miopenHandle_t = *mut c_void;
pub(super) type miopenTensorDescriptor_t = *mut c_void;
pub(super) type miopenConvolutionDescriptor_t = *mut c_void;
pub(super) type miopenActivationDescriptor_t = *mut c_void;
pub(super) type miopenPoolingDescriptor_t = *mut c_void;
type miopenAcceleratorQueue_t = hip_runtime_sys::hipStream_t;
pub(super) type miopenStatus_t = u32;
pub(super) type miopenDataType_t = u32;
type miopenConvolutionMode_t = u32;
pub(super) type miopenActivationMode_t = u32;
pub(super) type miopenPoolingMode_t = u32;
pub(super) type miopenSoftmaxAlgorithm_t = u32;
pub(super) type miopenSoftmaxMode_t = u32;
type miopenIndexType_t = u32;
type miopenPoolingWorkspaceIndexMode_t = u32;
type miopenTensorOp_t = u32;
type miopenBatchNormMode_t = u32;

/// A way to compute a convolution.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct miopenConvSolution_t {
    /// Milliseconds, by an estimate.
    pub(super) time: f32,
    pub(super) workspace_size: usize,
    pub(super) solution_id: u64,
    pub(super) algorithm: u32,
}

enumerators! {
    miopenStatus_t: miopenStatusSuccess = 0 miopenStatusNotInitialized = 1 miopenStatusInvalidValue = 2
        miopenStatusBadParm = 3 miopenStatusAllocFailed = 4 miopenStatusInternalError = 5
        miopenStatusNotImplemented = 6 miopenStatusUnknownError = 7 miopenStatusUnsupportedOp = 8;
    miopenDataType_t: miopenHalf = 0 miopenFloat = 1 miopenBFloat16 = 5;
    miopenConvolutionMode_t: miopenConvolution = 0;
    miopenBatchNormMode_t: miopenBNSpatial = 1;
    miopenTensorOp_t: miopenTensorOpAdd = 0;
    miopenActivationMode_t: miopenActivationLOGISTIC = 1 miopenActivationTANH = 2 miopenActivationRELU = 3
        miopenActivationCLIPPEDRELU = 7 miopenActivationLEAKYRELU = 8 miopenActivationELU = 9;
    miopenPoolingMode_t: miopenPoolingMax = 0 miopenPoolingAverage = 1 miopenPoolingAverageInclusive = 2;
    miopenIndexType_t: miopenIndexUint32 = 2;
    miopenPoolingWorkspaceIndexMode_t: miopenPoolingWorkspaceIndexImage = 1;
    miopenSoftmaxAlgorithm_t: MIOPEN_SOFTMAX_FAST = 0 MIOPEN_SOFTMAX_ACCURATE = 1 MIOPEN_SOFTMAX_LOG = 2;
    miopenSoftmaxMode_t: MIOPEN_SOFTMAX_MODE_INSTANCE = 0 MIOPEN_SOFTMAX_MODE_CHANNEL = 1;
}

functions! {
    miopenCreate(handle: *mut miopenHandle_t);
    miopenDestroy(handle: miopenHandle_t);
    miopenSetStream(handle: miopenHandle_t, streamID: miopenAcceleratorQueue_t);
    miopenCreateTensorDescriptor(tensorDesc: *mut miopenTensorDescriptor_t);
    miopenSetTensorDescriptor(tensorDesc: miopenTensorDescriptor_t, dataType: miopenDataType_t, nbDims: c_int, dimsA: *const c_int, stridesA: *const c_int);
    miopenDestroyTensorDescriptor(tensorDesc: miopenTensorDescriptor_t);
    miopenCreateConvolutionDescriptor(convDesc: *mut miopenConvolutionDescriptor_t);
    miopenInitConvolutionNdDescriptor(convDesc: miopenConvolutionDescriptor_t, spatialDim: c_int, padA: *const c_int, strideA: *const c_int, dilationA: *const c_int, c_mode: miopenConvolutionMode_t);
    miopenSetConvolutionGroupCount(convDesc: miopenConvolutionDescriptor_t, groupCount: c_int);
    miopenDestroyConvolutionDescriptor(convDesc: miopenConvolutionDescriptor_t);
    miopenConvolutionForwardGetSolutionCount(handle: miopenHandle_t, wDesc: miopenTensorDescriptor_t, xDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, yDesc: miopenTensorDescriptor_t, solutionCount: *mut usize);
    miopenConvolutionForwardGetSolution(handle: miopenHandle_t, wDesc: miopenTensorDescriptor_t, xDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, yDesc: miopenTensorDescriptor_t, maxSolutionCount: usize, solutionCount: *mut usize, solutions: *mut miopenConvSolution_t);
    miopenConvolutionForwardCompileSolution(handle: miopenHandle_t, wDesc: miopenTensorDescriptor_t, xDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, yDesc: miopenTensorDescriptor_t, solution_id: u64);
    miopenConvolutionForwardImmediate(handle: miopenHandle_t, wDesc: miopenTensorDescriptor_t, w: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, convDesc: miopenConvolutionDescriptor_t, yDesc: miopenTensorDescriptor_t, y: *mut c_void, workSpace: *mut c_void, workSpaceSize: usize, solution_id: u64);
    miopenConvolutionBackwardDataGetSolutionCount(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, wDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, dxDesc: miopenTensorDescriptor_t, solutionCount: *mut usize);
    miopenConvolutionBackwardDataGetSolution(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, wDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, dxDesc: miopenTensorDescriptor_t, maxSolutionCount: usize, solutionCount: *mut usize, solutions: *mut miopenConvSolution_t);
    miopenConvolutionBackwardDataCompileSolution(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, wDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, dxDesc: miopenTensorDescriptor_t, solution_id: u64);
    miopenConvolutionBackwardDataImmediate(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, wDesc: miopenTensorDescriptor_t, w: *const c_void, convDesc: miopenConvolutionDescriptor_t, dxDesc: miopenTensorDescriptor_t, dx: *mut c_void, workSpace: *mut c_void, workSpaceSize: usize, solution_id: u64);
    miopenConvolutionBackwardWeightsGetSolutionCount(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, xDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, dwDesc: miopenTensorDescriptor_t, solutionCount: *mut usize);
    miopenConvolutionBackwardWeightsGetSolution(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, xDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, dwDesc: miopenTensorDescriptor_t, maxSolutionCount: usize, solutionCount: *mut usize, solutions: *mut miopenConvSolution_t);
    miopenConvolutionBackwardWeightsCompileSolution(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, xDesc: miopenTensorDescriptor_t, convDesc: miopenConvolutionDescriptor_t, dwDesc: miopenTensorDescriptor_t, solution_id: u64);
    miopenConvolutionBackwardWeightsImmediate(handle: miopenHandle_t, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, convDesc: miopenConvolutionDescriptor_t, dwDesc: miopenTensorDescriptor_t, dw: *mut c_void, workSpace: *mut c_void, workSpaceSize: usize, solution_id: u64);
    miopenConvolutionBackwardBias(handle: miopenHandle_t, alpha: *const c_void, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, beta: *const c_void, dbDesc: miopenTensorDescriptor_t, db: *mut c_void);
    miopenOpTensor(handle: miopenHandle_t, tensorOp: miopenTensorOp_t, alpha1: *const c_void, aDesc: miopenTensorDescriptor_t, A: *const c_void, alpha2: *const c_void, bDesc: miopenTensorDescriptor_t, B: *const c_void, beta: *const c_void, cDesc: miopenTensorDescriptor_t, C: *mut c_void);
    miopenBatchNormalizationForwardTraining(handle: miopenHandle_t, bn_mode: miopenBatchNormMode_t, alpha: *mut c_void, beta: *mut c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, yDesc: miopenTensorDescriptor_t, y: *mut c_void, bnScaleBiasMeanVarDesc: miopenTensorDescriptor_t, bnScale: *mut c_void, bnBias: *mut c_void, expAvgFactor: f64, resultRunningMean: *mut c_void, resultRunningVariance: *mut c_void, epsilon: f64, resultSaveMean: *mut c_void, resultSaveInvVariance: *mut c_void);
    miopenBatchNormalizationForwardInference(handle: miopenHandle_t, bn_mode: miopenBatchNormMode_t, alpha: *mut c_void, beta: *mut c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, yDesc: miopenTensorDescriptor_t, y: *mut c_void, bnScaleBiasMeanVarDesc: miopenTensorDescriptor_t, bnScale: *mut c_void, bnBias: *mut c_void, estimatedMean: *mut c_void, estimatedVariance: *mut c_void, epsilon: f64);
    miopenBatchNormalizationBackward(handle: miopenHandle_t, bn_mode: miopenBatchNormMode_t, alphaDataDiff: *const c_void, betaDataDiff: *const c_void, alphaParamDiff: *const c_void, betaParamDiff: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, dxDesc: miopenTensorDescriptor_t, dx: *mut c_void, bnScaleBiasDiffDesc: miopenTensorDescriptor_t, bnScale: *const c_void, resultBnScaleDiff: *mut c_void, resultBnBiasDiff: *mut c_void, epsilon: f64, savedMean: *const c_void, savedInvVariance: *const c_void);
    miopenCreateActivationDescriptor(activDesc: *mut miopenActivationDescriptor_t);
    miopenSetActivationDescriptor(activDesc: miopenActivationDescriptor_t, mode: miopenActivationMode_t, activAlpha: f64, activBeta: f64, activGamma: f64);
    miopenDestroyActivationDescriptor(activDesc: miopenActivationDescriptor_t);
    miopenActivationBackward(handle: miopenHandle_t, activDesc: miopenActivationDescriptor_t, alpha: *const c_void, yDesc: miopenTensorDescriptor_t, y: *const c_void, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void, dxDesc: miopenTensorDescriptor_t, dx: *mut c_void);
    miopenSoftmaxForward_V2(handle: miopenHandle_t, alpha: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void, yDesc: miopenTensorDescriptor_t, y: *mut c_void, algorithm: miopenSoftmaxAlgorithm_t, mode: miopenSoftmaxMode_t);
    miopenSoftmaxBackward_V2(handle: miopenHandle_t, alpha: *const c_void, yDesc: miopenTensorDescriptor_t, y: *const c_void, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, beta: *const c_void, dxDesc: miopenTensorDescriptor_t, dx: *mut c_void, algorithm: miopenSoftmaxAlgorithm_t, mode: miopenSoftmaxMode_t);
    miopenCreatePoolingDescriptor(poolDesc: *mut miopenPoolingDescriptor_t);
    miopenSetNdPoolingDescriptor(poolDesc: miopenPoolingDescriptor_t, mode: miopenPoolingMode_t, nbDims: c_int, windowDimA: *const c_int, padA: *const c_int, stridesA: *const c_int);
    miopenSetPoolingIndexType(poolDesc: miopenPoolingDescriptor_t, index_type: miopenIndexType_t);
    miopenSetPoolingWorkSpaceIndexMode(poolDesc: miopenPoolingDescriptor_t, workspace_index: miopenPoolingWorkspaceIndexMode_t);
    miopenDestroyPoolingDescriptor(poolDesc: miopenPoolingDescriptor_t);
    miopenPoolingGetWorkSpaceSizeV2(poolDesc: miopenPoolingDescriptor_t, yDesc: miopenTensorDescriptor_t, workSpaceSize: *mut usize);
    miopenPoolingForward(handle: miopenHandle_t, poolDesc: miopenPoolingDescriptor_t, alpha: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void, yDesc: miopenTensorDescriptor_t, y: *mut c_void, do_backward: bool, workSpace: *mut c_void, workSpaceSize: usize);
    miopenPoolingBackward(handle: miopenHandle_t, poolDesc: miopenPoolingDescriptor_t, alpha: *const c_void, yDesc: miopenTensorDescriptor_t, y: *const c_void, dyDesc: miopenTensorDescriptor_t, dy: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void, dxDesc: miopenTensorDescriptor_t, dx: *mut c_void, workSpace: *mut c_void);
    miopenActivationForward(handle: miopenHandle_t, activDesc: miopenActivationDescriptor_t, alpha: *const c_void, xDesc: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void, yDesc: miopenTensorDescriptor_t, y: *mut c_void);
}
