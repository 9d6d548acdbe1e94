//! What functions answer in a context in which a kernel has failed, when something else is wrong besides.
//!
//! An H100 was asked: most functions look at the context first and answer with its error, whatever their arguments are.
//! Those that look at arguments first are not in the table.

use crate::core::context;
use cuda_types::cuda::CUerror;

/// How the names of the functions begin that look at the context first.
const CONTEXT_FIRST: &[&str] = &[
    "cuArray3DCreate",
    "cuArrayCreate",
    "cuCtxGetApiVersion",
    "cuCtxGetCacheConfig",
    "cuCtxGetLimit",
    "cuCtxGetSharedMemConfig",
    "cuCtxGetStreamPriorityRange",
    "cuCtxSetCacheConfig",
    "cuCtxSetLimit",
    "cuEventCreate",
    "cuEventRecord",
    "cuFuncSetAttribute",
    "cuGraphInstantiate",
    "cuGraphLaunch",
    "cuLaunchCooperativeKernel",
    "cuMemAdvise",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocHost",
    "cuMemAllocPitch",
    "cuMemFree",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer",
    "cuMemHostRegister",
    "cuMemHostUnregister",
    "cuMemRangeGetAttribute",
    "cuMemcpy",
    "cuMemset",
    "cuMipmappedArrayCreate",
    "cuModuleLoad",
    "cuOccupancyMax",
    "cuStreamBatchMemOp",
    "cuStreamEndCapture",
    "cuStreamWaitEvent",
    "cuStreamWaitValue",
    "cuStreamWriteValue",
    "cuSurfObjectCreate",
    "cuTexObjectCreate",
];

/// As above, whole names: there are longer ones that answer otherwise.
const CONTEXT_FIRST_EXACTLY: &[&str] = &[
    "cuLaunchKernel",
    "cuLaunchKernel_ptsz",
    "cuMemAlloc",
    "cuMemAlloc_v2",
    "cuMemPrefetchAsync",
    "cuMemPrefetchAsync_ptsz",
];

/// The error that a function answers with in the place of another one.
#[cold]
pub(crate) fn answer(name: &str, error: CUerror) -> CUerror {
    let is_listed = CONTEXT_FIRST_EXACTLY.contains(&name)
        || CONTEXT_FIRST.iter().any(|beginning| name.starts_with(beginning));
    match context::error_of_current() {
        Some(first) if is_listed => first,
        _ => error,
    }
}
