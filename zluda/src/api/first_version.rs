//! The functions of CUDA 3.1 and older, whose addresses and sizes have 32 bits.
//!
//! An H100's driver has them for contexts of that time alone, which are 32-bit ones and cannot be made: to what needs one, the
//! current context is none.

use crate::convert::Out;
use crate::core::device::driver::driver;
use crate::core::module::Module;
use crate::core::texture::array::Array;
use cuda_types::cuda::{
    CUDA_ARRAY_DESCRIPTOR_v1, CUDA_ARRAY3D_DESCRIPTOR_v1, CUDA_MEMCPY2D_v1, CUDA_MEMCPY3D_v1,
    CUarray, CUdevice, CUdeviceptr_v1, CUerror, CUres, CUstream, CUtexref,
};
use std::ffi::{c_char, c_uchar, c_uint, c_ushort, c_void};
use std::sync::Arc;

/// Functions that need a context of CUDA 3.1, by the types of their arguments.
macro_rules! need_old_context {
    ($($name:ident($($argument:ty),*);)*) => {
        $(
            pub(crate) fn $name($(_: $argument),*) -> CUres {
                Err(CUerror::INVALID_CONTEXT)
            }
        )*
    };
}

need_old_context! {
    cuMemAlloc(*mut CUdeviceptr_v1, c_uint);
    cuMemAllocPitch(*mut CUdeviceptr_v1, *mut c_uint, c_uint, c_uint, c_uint);
    cuMemFree(CUdeviceptr_v1);
    cuMemAllocHost(*mut *mut c_void, c_uint);
    cuMemGetInfo(*mut c_uint, *mut c_uint);
    cuMemGetAddressRange(*mut CUdeviceptr_v1, *mut c_uint, CUdeviceptr_v1);
    cuMemHostGetDevicePointer(*mut CUdeviceptr_v1, *mut c_void, c_uint);
    cuMemcpyHtoD(CUdeviceptr_v1, *const c_void, c_uint);
    cuMemcpyHtoDAsync(CUdeviceptr_v1, *const c_void, c_uint, CUstream);
    cuMemcpyDtoH(*mut c_void, CUdeviceptr_v1, c_uint);
    cuMemcpyDtoHAsync(*mut c_void, CUdeviceptr_v1, c_uint, CUstream);
    cuMemcpyDtoD(CUdeviceptr_v1, CUdeviceptr_v1, c_uint);
    cuMemcpyDtoDAsync(CUdeviceptr_v1, CUdeviceptr_v1, c_uint, CUstream);
    cuMemcpyHtoA(CUarray, c_uint, *const c_void, c_uint);
    cuMemcpyHtoAAsync(CUarray, c_uint, *const c_void, c_uint, CUstream);
    cuMemcpyAtoH(*mut c_void, CUarray, c_uint, c_uint);
    cuMemcpyAtoHAsync(*mut c_void, CUarray, c_uint, c_uint, CUstream);
    cuMemcpyDtoA(CUarray, c_uint, CUdeviceptr_v1, c_uint);
    cuMemcpyAtoD(CUdeviceptr_v1, CUarray, c_uint, c_uint);
    cuMemcpyAtoA(CUarray, c_uint, CUarray, c_uint, c_uint);
    cuMemcpy2D(*const CUDA_MEMCPY2D_v1);
    cuMemcpy2DUnaligned(*const CUDA_MEMCPY2D_v1);
    cuMemcpy2DAsync(*const CUDA_MEMCPY2D_v1, CUstream);
    cuMemcpy3D(*const CUDA_MEMCPY3D_v1);
    cuMemcpy3DAsync(*const CUDA_MEMCPY3D_v1, CUstream);
    cuMemsetD8(CUdeviceptr_v1, c_uchar, c_uint);
    cuMemsetD16(CUdeviceptr_v1, c_ushort, c_uint);
    cuMemsetD32(CUdeviceptr_v1, c_uint, c_uint);
    cuMemsetD2D8(CUdeviceptr_v1, c_uint, c_uchar, c_uint, c_uint);
    cuMemsetD2D16(CUdeviceptr_v1, c_uint, c_ushort, c_uint, c_uint);
    cuMemsetD2D32(CUdeviceptr_v1, c_uint, c_uint, c_uint, c_uint);
    cuArrayCreate(*mut CUarray, *const CUDA_ARRAY_DESCRIPTOR_v1);
    cuArray3DCreate(*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR_v1);
    cuTexRefSetAddress(*mut c_uint, CUtexref, CUdeviceptr_v1, c_uint);
    cuTexRefSetAddress2D(CUtexref, *const CUDA_ARRAY_DESCRIPTOR_v1, CUdeviceptr_v1, c_uint);
    cuTexRefGetAddress(*mut CUdeviceptr_v1, CUtexref);
}

/// "the total amount of memory on the device in bytes", as far as 32 bits can say it.
pub(crate) fn cuDeviceTotalMem(bytes: Out<c_uint>, device: CUdevice) -> CUres {
    bytes.check()?;
    let size = driver()?.device(device)?.total_memory;
    bytes.set(c_uint::try_from(size).unwrap_or(c_uint::MAX))
}

pub(crate) fn cuArrayGetDescriptor(
    _descriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1,
    _array: Arc<Array>,
) -> CUres {
    Err(CUerror::INVALID_CONTEXT)
}

pub(crate) fn cuArray3DGetDescriptor(
    _descriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1,
    _array: Arc<Array>,
) -> CUres {
    Err(CUerror::INVALID_CONTEXT)
}

pub(crate) fn cuModuleGetGlobal(
    _address: *mut CUdeviceptr_v1,
    _bytes: *mut c_uint,
    _module: Arc<Module>,
    _name: *const c_char,
) -> CUres {
    Err(CUerror::INVALID_CONTEXT)
}
