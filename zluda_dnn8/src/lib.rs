//! The ABI of cuDNN 8 (libcudnn.so.8 and its sub-libraries), which programs of CUDA 11 and 12 load. Stubs of NVIDIA's names
//! lead here.
//!
//! What version 9 has too is done by our cuDNN 9, which lies beside this library ([`engine`]): the headers differ in the
//! numbers of statuses alone ([`status`]). All statuses that it stores in a program's memory are success, whose number is
//! the same. This file lists the rest: what tells versions apart, and the recurrent networks that version 9 has dropped.

mod api;
mod convert;
mod engine;
mod export;
mod status;

#[allow(unused_imports)]
use cuda_types::cudnn8::*;

cuda_macros::export_api! {
    cudnn8;
    context {
        cudnnGetVersion => version, cudnnGetMaxDeviceVersion => max_device_version,
        cudnnGetCudartVersion => cudart_version, cudnnGetProperty => property, cudnnGetErrorString => error_string,
        cudnn[Ops Cnn Adv][Infer Train]VersionCheck => version_check,
    },
    rnn_descriptor {
        cudnnSetRNNDescriptor_v6 => set, cudnnGetRNNDescriptor_v6 => get, cudnnSetRNNMatrixMathType => set_math,
        cudnnGetRNNMatrixMathType => get_math, cudnnSetRNNBiasMode => set_bias, cudnnGetRNNBiasMode => get_bias,
        cudnnSetRNNPaddingMode => set_padding, cudnnGetRNNPaddingMode => get_padding,
        cudnnSetRNNProjectionLayers => set_projection, cudnnGetRNNProjectionLayers => get_projection,
        cudnnRNNSetClip => set_clip, cudnnRNNGetClip => get_clip,
    },
    rnn_weights {
        cudnnGetRNNParamsSize => size, cudnnGetRNNLinLayerMatrixParams => matrix, cudnnGetRNNLinLayerBiasParams => bias,
    },
    rnn {
        cudnnGetRNNWorkspaceSize => workspace_size, cudnnGetRNNTrainingReserveSize => reserve_size,
        cudnnRNNForwardInference => infer, cudnnRNNForwardInferenceEx => infer_ex,
        cudnnRNNForwardTraining => train, cudnnRNNForwardTrainingEx => train_ex,
        cudnnRNNBackwardData => backward_data, cudnnRNNBackwardDataEx => backward_data_ex,
        cudnnRNNBackwardWeights => backward_weights, cudnnRNNBackwardWeightsEx => backward_weights_ex,
    },
    ..engine
}
