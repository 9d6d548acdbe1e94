//! The CUDA driver: exports NVIDIA's driver API on top of HIP.
//!
//! This file is the list of exports. What they do stands in `api` (arguments) and `core` (meaning);
//! `api::export_table` has the interfaces that NVIDIA's libraries find by GUID, `proc_address` the table of
//! `cuGetProcAddress`.

mod after_fault;
mod api;
mod convert;
mod core;
mod export;
mod missing;
mod os;
#[rustfmt::skip]
mod proc_address;
#[cfg(test)]
mod support;

#[allow(unused_imports)]
use cuda_types::cuda::*;

cuda_macros::export_api! {
    cuda;
    #[before_init]
    init { cuInit, cuDriverGetVersion, cuGetErrorName, cuGetErrorString, cuGetExportTable },
    #[before_init]
    proc_address { cuGetProcAddress, cuGetProcAddress_v2 },
    device {
        cuDeviceGet, cuDeviceGetCount, cuDeviceGetName, cuDeviceGetUuid, cuDeviceGetUuid_v2 => cuDeviceGetUuid,
        cuDeviceGetLuid, cuDeviceTotalMem_v2, cuDeviceGetAttribute, cuDeviceComputeCapability,
        cuDeviceGetProperties, cuDeviceGetByPCIBusId, cuDeviceGetPCIBusId, cuDeviceGetTexture1DLinearMaxWidth,
        cuDeviceGetExecAffinitySupport,
    },
    primary {
        cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2,
        cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxGetState,
        cuDevicePrimaryCtxRelease,
        cuDevicePrimaryCtxReset => cuDevicePrimaryCtxReset_v2,
        cuDevicePrimaryCtxSetFlags,
    },
    context {
        cuCtxCreate => cuCtxCreate_v2, cuCtxCreate_v2, cuCtxCreate_v3, cuCtxCreate_v4,
        cuCtxDestroy => cuCtxDestroy_v2, cuCtxDestroy_v2, cuCtxAttach, cuCtxDetach,
        cuCtxPushCurrent => cuCtxPushCurrent_v2, cuCtxPushCurrent_v2,
        cuCtxPopCurrent => cuCtxPopCurrent_v2, cuCtxPopCurrent_v2,
        cuCtxSetCurrent, cuCtxGetCurrent, cuCtxGetDevice, cuCtxGetDevice_v2, cuCtxGetFlags, cuCtxSetFlags,
        cuCtxGetId, cuCtxSynchronize, cuCtxSynchronize_v2, cuCtxGetApiVersion, cuCtxGetLimit, cuCtxSetLimit,
        cuCtxGetCacheConfig, cuCtxSetCacheConfig, cuCtxGetSharedMemConfig, cuCtxSetSharedMemConfig,
        cuCtxGetStreamPriorityRange, cuCtxResetPersistingL2Cache, cuCtxGetExecAffinity,
    },
    resource {
        cuDeviceGetDevResource, cuCtxGetDevResource, cuGreenCtxGetDevResource, cuDevSmResourceSplitByCount,
        cuDevResourceGenerateDesc,
    },
    green {
        cuGreenCtxCreate, cuGreenCtxDestroy, cuCtxFromGreenCtx, cuGreenCtxGetId, cuGreenCtxStreamCreate,
        cuGreenCtxRecordEvent, cuGreenCtxWaitEvent, cuCtxRecordEvent, cuCtxWaitEvent,
    },
    peer { cuDeviceCanAccessPeer, cuDeviceGetP2PAttribute, cuCtxEnablePeerAccess, cuCtxDisablePeerAccess },
    memory {
        cuMemGetInfo_v2, cuMemAlloc_v2, cuMemAllocPitch_v2, cuMemAllocManaged, cuMemFree_v2,
        cuMemGetAddressRange_v2, cuMemAllocHost_v2, cuMemHostAlloc, cuMemFreeHost, cuMemHostRegister_v2,
        cuMemHostRegister => cuMemHostRegister_v2, cuMemHostUnregister, cuMemHostGetDevicePointer_v2,
        cuMemHostGetFlags,
    },
    managed {
        cuMemAdvise, cuMemAdvise_v2, cuMemPrefetchAsync, cuMemPrefetchAsync_v2, cuMemPrefetchBatchAsync,
        cuMemDiscardBatchAsync, cuMemDiscardAndPrefetchBatchAsync, cuMemRangeGetAttribute, cuMemRangeGetAttributes,
    },
    copy {
        cuMemcpy, cuMemcpyAsync, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2,
        cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cuMemcpyPeer, cuMemcpyPeerAsync, cuMemcpy2D_v2,
        cuMemcpy2DUnaligned_v2, cuMemcpy2DAsync_v2, cuMemcpy3D_v2, cuMemcpy3DAsync_v2, cuMemcpy3DPeer,
        cuMemcpy3DPeerAsync, cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2, cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2,
        cuMemcpyAtoD_v2, cuMemcpyDtoA_v2, cuMemcpyAtoA_v2,
    },
    copy_batch { cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2 },
    copy_batch_3d { cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2 },
    array {
        cuArrayCreate_v2, cuArray3DCreate_v2, cuArrayDestroy, cuArrayGetDescriptor_v2, cuArray3DGetDescriptor_v2,
        cuArrayGetPlane, cuArrayGetSparseProperties, cuArrayGetMemoryRequirements, cuMipmappedArrayCreate,
        cuMipmappedArrayDestroy, cuMipmappedArrayGetLevel, cuMipmappedArrayGetSparseProperties,
        cuMipmappedArrayGetMemoryRequirements, cuMemMapArrayAsync,
    },
    reference {
        cuModuleGetTexRef, cuModuleGetSurfRef, cuTexRefCreate, cuTexRefDestroy, cuTexRefSetArray,
        cuTexRefSetMipmappedArray, cuTexRefSetAddress_v2, cuTexRefSetAddress2D_v3,
        cuTexRefSetAddress2D_v2, cuTexRefSetFormat, cuTexRefSetAddressMode,
        cuTexRefSetFilterMode, cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapLevelBias,
        cuTexRefSetMipmapLevelClamp, cuTexRefSetMaxAnisotropy, cuTexRefSetBorderColor, cuTexRefSetFlags,
        cuTexRefGetArray, cuTexRefGetMipmappedArray, cuTexRefGetAddress_v2, cuTexRefGetAddressMode,
        cuTexRefGetFilterMode, cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapLevelBias,
        cuTexRefGetMipmapLevelClamp, cuTexRefGetMaxAnisotropy, cuTexRefGetBorderColor, cuTexRefGetFlags,
        cuTexRefGetFormat, cuSurfRefSetArray, cuSurfRefGetArray,
    },
    texture {
        cuTexObjectCreate, cuTexObjectDestroy, cuTexObjectGetResourceDesc, cuTexObjectGetTextureDesc,
        cuTexObjectGetResourceViewDesc, cuSurfObjectCreate, cuSurfObjectDestroy, cuSurfObjectGetResourceDesc,
    },
    memset {
        cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD32_v2, cuMemsetD32Async,
        cuMemsetD2D8_v2, cuMemsetD2D8Async, cuMemsetD2D16_v2, cuMemsetD2D16Async, cuMemsetD2D32_v2,
        cuMemsetD2D32Async,
    },
    pool {
        cuMemAllocAsync, cuMemAllocFromPoolAsync, cuMemFreeAsync, cuDeviceGetDefaultMemPool, cuDeviceGetMemPool,
        cuDeviceSetMemPool, cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemSetMemPool, cuMemPoolCreate,
        cuMemPoolDestroy, cuMemPoolTrimTo, cuMemPoolSetAttribute, cuMemPoolGetAttribute, cuMemPoolSetAccess,
        cuMemPoolGetAccess, cuMemPoolExportToShareableHandle, cuMemPoolImportFromShareableHandle,
        cuMemPoolExportPointer, cuMemPoolImportPointer,
    },
    ipc {
        cuIpcGetMemHandle, cuIpcOpenMemHandle => cuIpcOpenMemHandle_v2, cuIpcOpenMemHandle_v2, cuIpcCloseMemHandle,
        cuIpcGetEventHandle, cuIpcOpenEventHandle,
    },
    virtual_memory {
        cuMemGetAllocationGranularity, cuMemAddressReserve, cuMemAddressFree, cuMemCreate, cuMemRelease, cuMemMap,
        cuMemUnmap, cuMemSetAccess, cuMemGetAccess, cuMemGetAllocationPropertiesFromHandle,
        cuMemRetainAllocationHandle, cuMemExportToShareableHandle, cuMemImportFromShareableHandle,
    },
    pointer { cuPointerGetAttribute, cuPointerGetAttributes, cuPointerSetAttribute },
    stream {
        cuStreamCreate, cuStreamCreateWithPriority, cuStreamDestroy => cuStreamDestroy_v2, cuStreamDestroy_v2,
        cuStreamGetPriority, cuStreamGetFlags, cuStreamGetId, cuStreamGetDevice, cuStreamGetCtx,
        cuStreamGetCtx_v2, cuStreamGetGreenCtx, cuStreamWaitEvent, cuStreamAddCallback, cuLaunchHostFunc,
        cuStreamQuery, cuStreamSynchronize, cuStreamAttachMemAsync, cuStreamCopyAttributes,
        cuStreamGetAttribute, cuStreamSetAttribute,
    },
    memory_operation {
        cuStreamWaitValue32_v2, cuStreamWaitValue64_v2, cuStreamWriteValue32_v2, cuStreamWriteValue64_v2,
        cuStreamBatchMemOp_v2,
    },
    event {
        cuEventCreate, cuEventDestroy => cuEventDestroy_v2, cuEventDestroy_v2, cuEventRecord,
        cuEventRecordWithFlags, cuEventQuery, cuEventSynchronize, cuEventElapsedTime,
        cuEventElapsedTime_v2 => cuEventElapsedTime,
    },
    module {
        cuModuleLoad, cuModuleLoadData, cuModuleLoadDataEx, cuModuleLoadFatBinary, cuModuleUnload,
        cuModuleGetLoadingMode, cuModuleGetFunction, cuModuleGetFunctionCount, cuModuleEnumerateFunctions,
        cuModuleGetGlobal_v2,
    },
    library {
        cuLibraryLoadData, cuLibraryLoadFromFile, cuLibraryUnload, cuLibraryGetKernel, cuLibraryGetKernelCount,
        cuLibraryEnumerateKernels, cuLibraryGetModule, cuLibraryGetGlobal, cuLibraryGetManaged,
        cuLibraryGetUnifiedFunction,
    },
    kernel {
        cuKernelGetFunction, cuKernelGetLibrary, cuKernelGetName, cuKernelGetAttribute, cuKernelSetAttribute,
        cuKernelSetCacheConfig, cuKernelGetParamInfo,
    },
    function {
        cuFuncGetAttribute, cuFuncSetAttribute, cuFuncSetCacheConfig, cuFuncSetSharedMemConfig, cuFuncGetModule,
        cuFuncGetName, cuFuncGetParamInfo, cuFuncIsLoaded, cuFuncLoad,
    },
    launch {
        cuLaunchKernel, cuLaunchKernelEx, cuLaunchCooperativeKernel, cuLaunchCooperativeKernelMultiDevice,
    },
    graph {
        cuGraphCreate, cuGraphDestroy, cuGraphClone, cuGraphNodeFindInClone, cuGraphDestroyNode, cuGraphNodeGetType,
        cuGraphAddDependencies, cuGraphAddDependencies_v2, cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2,
        cuGraphGetNodes, cuGraphGetRootNodes, cuGraphGetEdges, cuGraphGetEdges_v2, cuGraphNodeGetDependencies,
        cuGraphNodeGetDependencies_v2, cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2,
        cuGraphDebugDotPrint, cuUserObjectCreate, cuUserObjectRetain, cuUserObjectRelease, cuGraphRetainUserObject,
        cuGraphReleaseUserObject,
    },
    graph_node {
        cuGraphAddEmptyNode, cuGraphAddKernelNode, cuGraphAddKernelNode_v2, cuGraphAddMemcpyNode,
        cuGraphAddMemsetNode, cuGraphAddHostNode, cuGraphAddChildGraphNode, cuGraphAddEventRecordNode,
        cuGraphAddEventWaitNode, cuGraphAddMemAllocNode, cuGraphAddMemFreeNode, cuGraphAddNode, cuGraphAddNode_v2,
        cuGraphNodeSetParams, cuGraphExecNodeSetParams, cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2,
        cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams,
        cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeGetAttribute, cuGraphKernelNodeSetAttribute,
        cuGraphKernelNodeCopyAttributes, cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeSetParams,
        cuGraphExecMemcpyNodeSetParams, cuGraphMemsetNodeGetParams, cuGraphMemsetNodeSetParams,
        cuGraphExecMemsetNodeSetParams, cuGraphHostNodeGetParams, cuGraphHostNodeSetParams,
        cuGraphExecHostNodeSetParams, cuGraphChildGraphNodeGetGraph, cuGraphEventRecordNodeGetEvent,
        cuGraphEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, cuGraphEventWaitNodeGetEvent,
        cuGraphEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, cuGraphMemAllocNodeGetParams,
        cuGraphMemFreeNodeGetParams, cuGraphConditionalHandleCreate, cuGraphAddBatchMemOpNode,
        cuGraphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeSetParams, cuGraphExecBatchMemOpNodeSetParams,
        cuGraphAddExternalSemaphoresSignalNode, cuGraphAddExternalSemaphoresWaitNode,
        cuGraphExternalSemaphoresSignalNodeGetParams, cuGraphExternalSemaphoresSignalNodeSetParams,
        cuGraphExecExternalSemaphoresSignalNodeSetParams, cuGraphExternalSemaphoresWaitNodeGetParams,
        cuGraphExternalSemaphoresWaitNodeSetParams, cuGraphExecExternalSemaphoresWaitNodeSetParams,
    },
    graph_exec {
        cuGraphInstantiate, cuGraphInstantiate_v2 => cuGraphInstantiate, cuGraphInstantiateWithFlags,
        cuGraphInstantiateWithParams, cuGraphExecGetFlags, cuGraphLaunch, cuGraphUpload, cuGraphExecDestroy,
        cuGraphNodeSetEnabled, cuGraphNodeGetEnabled, cuGraphExecUpdate, cuGraphExecUpdate_v2,
        cuGraphExecChildGraphNodeSetParams, cuDeviceGetGraphMemAttribute, cuDeviceSetGraphMemAttribute,
        cuDeviceGraphMemTrim,
    },
    capture {
        cuStreamBeginCapture, cuStreamBeginCapture_v2, cuStreamBeginCaptureToGraph, cuStreamEndCapture,
        cuStreamIsCapturing, cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v3,
        cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, cuThreadExchangeStreamCaptureMode,
    },
    legacy_launch {
        cuFuncSetBlockShape, cuFuncSetSharedSize, cuParamSetSize, cuParamSeti, cuParamSetf, cuParamSetv,
        cuParamSetTexRef, cuLaunch, cuLaunchGrid, cuLaunchGridAsync,
    },
    occupancy {
        cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
        cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSizeWithFlags,
        cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyMaxPotentialClusterSize,
        cuOccupancyMaxActiveClusters,
    },
    link {
        cuLinkCreate => cuLinkCreate_v2, cuLinkCreate_v2, cuLinkAddData => cuLinkAddData_v2, cuLinkAddData_v2,
        cuLinkAddFile => cuLinkAddFile_v2, cuLinkAddFile_v2, cuLinkComplete, cuLinkDestroy,
    },
    external {
        cuImportExternalMemory, cuExternalMemoryGetMappedBuffer, cuDestroyExternalMemory, cuImportExternalSemaphore,
        cuDestroyExternalSemaphore, cuSignalExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync,
    },
    first_version {
        cuMemAlloc, cuMemAllocPitch, cuMemFree, cuMemAllocHost, cuMemGetInfo, cuMemGetAddressRange,
        cuMemHostGetDevicePointer, cuMemcpyHtoD, cuMemcpyHtoDAsync, cuMemcpyDtoH, cuMemcpyDtoHAsync, cuMemcpyDtoD,
        cuMemcpyDtoDAsync, cuMemcpyHtoA, cuMemcpyHtoAAsync, cuMemcpyAtoH, cuMemcpyAtoHAsync, cuMemcpyDtoA,
        cuMemcpyAtoD, cuMemcpyAtoA, cuMemcpy2D, cuMemcpy2DUnaligned, cuMemcpy2DAsync, cuMemcpy3D, cuMemcpy3DAsync,
        cuMemsetD8, cuMemsetD16, cuMemsetD32, cuMemsetD2D8, cuMemsetD2D16, cuMemsetD2D32, cuArrayCreate,
        cuArray3DCreate, cuTexRefSetAddress, cuTexRefSetAddress2D, cuTexRefGetAddress, cuDeviceTotalMem,
        cuArrayGetDescriptor, cuArray3DGetDescriptor, cuModuleGetGlobal,
    },
    #[before_init]
    error_log {
        cuLogsRegisterCallback, cuLogsUnregisterCallback, cuLogsCurrent, cuLogsDumpToFile, cuLogsDumpToMemory,
    },
    #[before_init]
    core_dump {
        cuCoredumpGetAttribute, cuCoredumpSetAttribute, cuCoredumpGetAttributeGlobal, cuCoredumpSetAttributeGlobal,
    },
    #[before_init]
    checkpoint {
        cuCheckpointProcessGetState, cuCheckpointProcessGetRestoreThreadId, cuCheckpointProcessLock,
        cuCheckpointProcessUnlock, cuCheckpointProcessCheckpoint, cuCheckpointProcessRestore,
    },
    notification { cuDeviceRegisterAsyncNotification, cuDeviceUnregisterAsyncNotification },
    atomic_capability { cuDeviceGetHostAtomicCapabilities, cuDeviceGetP2PAtomicCapabilities },
    remote {
        cuFlushGPUDirectRDMAWrites, cuMemGetHandleForAddressRange, cuDeviceGetNvSciSyncAttributes,
    },
    graphics {
        cuGraphicsMapResources, cuGraphicsUnmapResources, cuGraphicsUnregisterResource,
        cuGraphicsResourceSetMapFlags_v2, cuGraphicsResourceGetMappedPointer_v2,
        cuGraphicsSubResourceGetMappedArray, cuGraphicsResourceGetMappedMipmappedArray,
    },
    tensor_map { cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide,
        cuTensorMapReplaceAddress },
    profiler { cuProfilerInitialize, cuProfilerStart, cuProfilerStop },
}
