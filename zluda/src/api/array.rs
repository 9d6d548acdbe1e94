//! Arrays and mipmapped arrays.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::context::{current, enter};
use crate::core::stream::StreamArg;
use crate::core::texture::array::{self, Array, MipmappedArray};
use cuda_types::cuda::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES,
    CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUarrayMapInfo, CUdevice, CUerror, CUmipmappedArray, CUres,
};
use std::ffi::c_uint;
use std::sync::Arc;

pub(crate) fn cuArrayCreate_v2(
    array: Out<CUarray>,
    descriptor: In<CUDA_ARRAY_DESCRIPTOR>,
) -> CUres {
    capture::check_unsafe_call()?;
    array.check()?;
    let plane = descriptor.get()?;
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        Width: plane.Width,
        Height: plane.Height,
        Depth: 0,
        Format: plane.Format,
        NumChannels: plane.NumChannels,
        Flags: 0,
    };
    array.set(array::create(&current()?, &descriptor)?)
}

pub(crate) fn cuArray3DCreate_v2(
    array: Out<CUarray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
) -> CUres {
    capture::check_unsafe_call()?;
    array.check()?;
    let descriptor = descriptor.get()?;
    array.set(array::create(&current()?, &descriptor)?)
}

pub(crate) fn cuArrayDestroy(array: CUarray) -> CUres {
    capture::check_unsafe_call()?;
    array::destroy(array)
}

pub(crate) fn cuArrayGetDescriptor_v2(
    descriptor: Out<CUDA_ARRAY_DESCRIPTOR>,
    array: Arc<Array>,
) -> CUres {
    let d = &array.descriptor;
    descriptor.set(CUDA_ARRAY_DESCRIPTOR {
        Width: d.Width,
        Height: d.Height,
        Format: d.Format,
        NumChannels: d.NumChannels,
    })
}

pub(crate) fn cuArray3DGetDescriptor_v2(
    descriptor: Out<CUDA_ARRAY3D_DESCRIPTOR>,
    array: Arc<Array>,
) -> CUres {
    descriptor.set(array.descriptor)
}

/// Arrays of several planes are of formats that are not here.
pub(crate) fn cuArrayGetPlane(plane: Out<CUarray>, _array: Arc<Array>, _index: c_uint) -> CUres {
    plane.check()?;
    Err(CUerror::INVALID_VALUE)
}

/// "CUDA_ERROR_INVALID_VALUE if the array was not created with the flag CUDA_ARRAY3D_SPARSE."
pub(crate) fn cuArrayGetSparseProperties(
    _properties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
    _array: CUarray,
) -> CUres {
    Err(CUerror::INVALID_VALUE)
}

pub(crate) fn cuMipmappedArrayGetSparseProperties(
    _properties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
    _array: CUmipmappedArray,
) -> CUres {
    Err(CUerror::INVALID_VALUE)
}

/// "CUDA_ERROR_INVALID_VALUE if the array was not created with CUDA_ARRAY3D_DEFERRED_MAPPING."
pub(crate) fn cuArrayGetMemoryRequirements(
    _requirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    _array: CUarray,
    _device: CUdevice,
) -> CUres {
    Err(CUerror::INVALID_VALUE)
}

pub(crate) fn cuMipmappedArrayGetMemoryRequirements(
    _requirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    _array: CUmipmappedArray,
    _device: CUdevice,
) -> CUres {
    Err(CUerror::INVALID_VALUE)
}

pub(crate) fn cuMipmappedArrayCreate(
    array: Out<CUmipmappedArray>,
    descriptor: In<CUDA_ARRAY3D_DESCRIPTOR>,
    levels: c_uint,
) -> CUres {
    capture::check_unsafe_call()?;
    array.check()?;
    let descriptor = descriptor.get()?;
    array.set(array::create_mipmapped(&current()?, &descriptor, levels)?)
}

pub(crate) fn cuMipmappedArrayDestroy(array: CUmipmappedArray) -> CUres {
    capture::check_unsafe_call()?;
    array::destroy_mipmapped(array)
}

pub(crate) fn cuMipmappedArrayGetLevel(
    level_array: Out<CUarray>,
    array: Arc<MipmappedArray>,
    level: c_uint,
) -> CUres {
    level_array.check()?;
    level_array.set(array::level(&enter(&array.context)?, &array, level)?)
}

/// Maps parts of sparse arrays: there are none, so that no part is valid.
pub(crate) fn cuMemMapArrayAsync(
    _parts: In<CUarrayMapInfo>,
    _count: c_uint,
    stream: StreamArg,
) -> CUres {
    stream.enter_uncaptured()?;
    Err(CUerror::INVALID_VALUE)
}
