//! Memory of the device for other hardware, "GPUDirect RDMA": there is none that could reach it past the processor.

use crate::convert::{In, Out};
use crate::core::context::current;
use crate::core::device::driver::driver;
use crate::core::memory;
use cuda_types::cuda::{
    CUdevice, CUdeviceptr, CUerror, CUflushGPUDirectRDMAWritesScope as Scope,
    CUflushGPUDirectRDMAWritesTarget as Target, CUmemRangeHandleType, CUres,
};
use std::ffi::{c_int, c_ulonglong, c_void};

/// Nothing writes past the processor, so that everything has been seen.
pub(crate) fn cuFlushGPUDirectRDMAWrites(target: Target, scope: Scope) -> CUres {
    current()?;
    match (target, scope) {
        (
            Target::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
            Scope::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER
            | Scope::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES,
        ) => Ok(()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// Arguments are checked; there is no `dma_buf` of the memory.
pub(crate) fn cuMemGetHandleForAddressRange(
    handle: Out<c_void>,
    pointer: CUdeviceptr,
    size: usize,
    kind: CUmemRangeHandleType,
    _flags: c_ulonglong,
) -> CUres {
    handle.check()?;
    if size == 0 || kind != CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD {
        return Err(CUerror::INVALID_VALUE);
    }
    memory::check_range(pointer, size)?;
    Err(CUerror::NOT_SUPPORTED)
}

/// NvSciSync is of NVIDIA's embedded systems. Arguments are checked.
pub(crate) fn cuDeviceGetNvSciSyncAttributes(
    list: In<c_void>,
    device: CUdevice,
    flags: c_int,
) -> CUres {
    /// `CUDA_NVSCISYNC_ATTR_SIGNAL` and `CUDA_NVSCISYNC_ATTR_WAIT`
    const KNOWN: c_int = 3;
    list.cast::<u8>().optional().ok_or(CUerror::INVALID_HANDLE)?;
    driver()?.device(device)?;
    if flags == 0 || flags & !KNOWN != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    Err(CUerror::NOT_SUPPORTED)
}
