//! cuDNN, NVIDIA's library of neural networks' layers (libcudnn.so and its sub-libraries), for the devices that the driver
//! runs programs on. Stubs of NVIDIA's names lead here.
//!
//! This file is the list of exports; names that are not in it answer "not supported". What they do stands in [`api`];
//! [`descriptor`] has what descriptors lead to, [`rocm`] what MIOpen computes on AMD GPUs. The arithmetic is that of the crate `neural`.

mod api;
mod convert;
mod descriptor;
mod export;
mod graph;
mod handle;
mod rocm;

#[allow(unused_imports)]
use cuda_types::cudnn::*;

cuda_macros::export_api! {
    cudnn;
    context {
        cudnnCreate => create_handle, cudnnDestroy => destroy_handle, cudnnSetStream => set_stream,
        cudnnGetStream => get_stream, cudnnGetVersion => version, cudnnGetMaxDeviceVersion => max_device_version,
        cudnnGetCudartVersion => cudart_version, cudnnGetProperty => property,
        cudnn[Graph Ops Cnn Adv]VersionCheck => version_check, cudnnGetErrorString => error_string,
        cudnnGetLastErrorString => last_error_string, cudnnQueryRuntimeError => query_runtime_error,
        cudnnSetCallback => set_callback, cudnnGetCallback => get_callback,
    },
    descriptor {
        cudnnCreate[Tensor Filter Convolution Pooling Activation OpTensor ReduceTensor LRN Dropout CTCLoss SpatialTransformer
            RNN RNNData]Descriptor
            => create,
        cudnnDestroy[Tensor Filter Convolution Pooling Activation OpTensor ReduceTensor LRN Dropout CTCLoss SpatialTransformer
            RNN RNNData]Descriptor
            => destroy,
    },
    tensor {
        cudnnSetTensor4dDescriptor => set_4d, cudnnSetTensor4dDescriptorEx => set_4d_ex,
        cudnnGetTensor4dDescriptor => get_4d, cudnnSetTensorNdDescriptor => set_nd,
        cudnnSetTensorNdDescriptorEx => set_nd_ex, cudnnGetTensorNdDescriptor => get_nd,
        cudnnGetTensorSizeInBytes => size_in_bytes, cudnnSetFilter4dDescriptor => set_filter_4d,
        cudnnGetFilter4dDescriptor => get_filter_4d, cudnnSetFilterNdDescriptor => set_filter_nd,
        cudnnGetFilterNdDescriptor => get_filter_nd, cudnnGetFilterSizeInBytes => filter_size_in_bytes,
    },
    convolution {
        cudnnSetConvolution2dDescriptor => set_2d, cudnnGetConvolution2dDescriptor => get_2d,
        cudnnSetConvolutionNdDescriptor => set_nd, cudnnGetConvolutionNdDescriptor => get_nd,
        cudnnSetConvolutionGroupCount => set_groups, cudnnGetConvolutionGroupCount => get_groups,
        cudnnSetConvolutionMathType => set_math, cudnnGetConvolutionMathType => get_math,
        cudnnSetConvolutionReorderType => set_reorder, cudnnGetConvolutionReorderType => get_reorder,
        cudnnGetConvolution2dForwardOutputDim => output_2d, cudnnGetConvolutionNdForwardOutputDim => output_nd,
        cudnnConvolutionForward => convolution_forward,
        cudnnConvolutionBiasActivationForward => convolution_bias_activation_forward,
        cudnnConvolutionBackwardBias => convolution_backward_bias,
        cudnnConvolutionBackwardData => convolution_backward_data,
        cudnnConvolutionBackwardFilter => convolution_backward_filter,
        cudnnGetConvolutionForwardAlgorithmMaxCount => forward_count,
        cudnnGetConvolutionForwardAlgorithm_v7 => forward_get, cudnnFindConvolutionForwardAlgorithm => forward_get,
        cudnnFindConvolutionForwardAlgorithmEx => forward_find_ex,
        cudnnGetConvolutionForwardWorkspaceSize => forward_workspace,
        cudnnGetConvolutionBackwardDataAlgorithmMaxCount => data_count,
        cudnnGetConvolutionBackwardDataAlgorithm_v7 => data_get, cudnnFindConvolutionBackwardDataAlgorithm => data_get,
        cudnnFindConvolutionBackwardDataAlgorithmEx => data_find_ex,
        cudnnGetConvolutionBackwardDataWorkspaceSize => data_workspace,
        cudnnGetConvolutionBackwardFilterAlgorithmMaxCount => filter_count,
        cudnnGetConvolutionBackwardFilterAlgorithm_v7 => filter_get,
        cudnnFindConvolutionBackwardFilterAlgorithm => filter_get,
        cudnnFindConvolutionBackwardFilterAlgorithmEx => filter_find_ex,
        cudnnGetConvolutionBackwardFilterWorkspaceSize => filter_workspace, cudnnReorderFilterAndBias => reorder,
    },
    pooling {
        cudnnSetPooling2dDescriptor => set_2d, cudnnGetPooling2dDescriptor => get_2d,
        cudnnSetPoolingNdDescriptor => set_nd, cudnnGetPoolingNdDescriptor => get_nd,
        cudnnGetPooling2dForwardOutputDim => output_2d, cudnnGetPoolingNdForwardOutputDim => output_nd,
        cudnnPoolingForward => pooling_forward, cudnnPoolingBackward => pooling_backward,
    },
    activation {
        cudnnSetActivationDescriptor => set_activation, cudnnGetActivationDescriptor => get_activation,
        cudnnSetActivationDescriptorSwishBeta => set_swish_beta, cudnnGetActivationDescriptorSwishBeta => get_swish_beta,
        cudnnActivationForward => activation_forward, cudnnActivationBackward => activation_backward,
        cudnnSoftmaxForward => softmax_forward, cudnnSoftmaxBackward => softmax_backward,
    },
    norm {
        cudnnDeriveBNTensorDescriptor => derive, cudnnBatchNormalizationForwardInference => inference,
        cudnnBatchNormalizationForwardTraining => training, cudnnBatchNormalizationForwardTrainingEx => training_ex,
        cudnnBatchNormalizationBackward => backward, cudnnBatchNormalizationBackwardEx => backward_ex,
        cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize => training_workspace,
        cudnnGetBatchNormalizationBackwardExWorkspaceSize => backward_workspace,
        cudnnGetBatchNormalizationTrainingExReserveSpaceSize => reserve,
    },
    arithmetic {
        cudnnAddTensor => add_tensor, cudnnTransformTensor => transform_tensor, cudnnScaleTensor => scale_tensor,
        cudnnSetTensor => set_tensor, cudnnSetOpTensorDescriptor => set_op, cudnnGetOpTensorDescriptor => get_op,
        cudnnOpTensor => op_tensor, cudnnSetReduceTensorDescriptor => set_reduce,
        cudnnGetReduceTensorDescriptor => get_reduce, cudnnGetReductionIndicesSize => indices_size,
        cudnnGetReductionWorkspaceSize => reduce_workspace, cudnnReduceTensor => reduce_tensor,
        cudnnSetLRNDescriptor => set_lrn, cudnnGetLRNDescriptor => get_lrn,
        cudnnLRNCrossChannelForward => lrn_forward, cudnnLRNCrossChannelBackward => lrn_backward,
    },
    dropout {
        cudnnDropoutGetStatesSize => states_size, cudnnDropoutGetReserveSpaceSize => reserve_size,
        cudnnSetDropoutDescriptor => set, cudnnRestoreDropoutDescriptor => restore, cudnnGetDropoutDescriptor => get,
        cudnnDropoutForward => dropout_forward, cudnnDropoutBackward => dropout_backward,
    },
    ctc {
        cudnnSetCTCLossDescriptor => set, cudnnSetCTCLossDescriptorEx => set_ex,
        cudnnSetCTCLossDescriptor_v8 => set_v8, cudnnSetCTCLossDescriptor_v9 => set_v9,
        cudnnGetCTCLossDescriptor => get, cudnnGetCTCLossDescriptorEx => get_ex,
        cudnnGetCTCLossDescriptor_v8 => get_v8, cudnnGetCTCLossDescriptor_v9 => get_v9,
        cudnnGetCTCLossWorkspaceSize => workspace, cudnnGetCTCLossWorkspaceSize_v8 => workspace_v8,
        cudnnCTCLoss => ctc_loss, cudnnCTCLoss_v8 => ctc_loss_v8,
    },
    spatial {
        cudnnSetSpatialTransformerNdDescriptor => set, cudnnSpatialTfGridGeneratorForward => grid_forward,
        cudnnSpatialTfGridGeneratorBackward => grid_backward, cudnnSpatialTfSamplerForward => sampler_forward,
        cudnnSpatialTfSamplerBackward => sampler_backward,
    },
    rnn {
        cudnnSetRNNDescriptor_v8 => set, cudnnGetRNNDescriptor_v8 => get, cudnnBuildRNNDynamic => build,
        cudnnGetRNNTempSpaceSizes => temporary, cudnnGetRNNWeightSpaceSize => weight_space,
        cudnnGetRNNWeightParams => weight_parameters, cudnnSetRNNDataDescriptor => set_data,
        cudnnGetRNNDataDescriptor => get_data, cudnnRNNForward => forward,
        cudnnRNNSetClip_v8 => set_clip, cudnnRNNSetClip_v9 => set_clip_v9, cudnnRNNGetClip_v8 => get_clip,
        cudnnRNNGetClip_v9 => get_clip_v9, cudnnRNNBackwardData_v8 => backward_data, cudnnRNNBackwardWeights_v8 => backward_weights,
    },
    graph {
        cudnnBackendCreateDescriptor => create, cudnnBackendDestroyDescriptor => destroy,
        cudnnBackendInitialize => initialize, cudnnBackendSetAttribute => set_attribute,
        cudnnBackendGetAttribute => get_attribute, cudnnBackendFinalize => finalize, cudnnBackendExecute => execute,
        cudnnGetExecutionPlanWorkspaceSize => workspace_size, cudnnBackendPopulateCudaGraph => populate,
        cudnnBackendUpdateCudaGraph => update,
    },
}
