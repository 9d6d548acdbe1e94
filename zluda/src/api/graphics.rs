//! Resources of graphics interfaces. None can be registered, so that no handle is one.

use crate::convert::{In, Out};
use cuda_types::cuda::{
    CUarray, CUdeviceptr, CUerror, CUgraphicsResource, CUmipmappedArray, CUres, CUstream,
};
use std::ffi::c_uint;

fn no_resources(count: c_uint, resources: &In<CUgraphicsResource>) -> CUres {
    if count == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    resources.optional().ok_or(CUerror::INVALID_VALUE)?;
    Err(CUerror::INVALID_HANDLE)
}

pub(crate) fn cuGraphicsMapResources(
    count: c_uint,
    resources: In<CUgraphicsResource>,
    _stream: CUstream,
) -> CUres {
    no_resources(count, &resources)
}

pub(crate) fn cuGraphicsUnmapResources(
    count: c_uint,
    resources: In<CUgraphicsResource>,
    _stream: CUstream,
) -> CUres {
    no_resources(count, &resources)
}

pub(crate) fn cuGraphicsUnregisterResource(_resource: CUgraphicsResource) -> CUres {
    Err(CUerror::INVALID_HANDLE)
}

pub(crate) fn cuGraphicsResourceSetMapFlags_v2(
    _resource: CUgraphicsResource,
    _flags: c_uint,
) -> CUres {
    Err(CUerror::INVALID_HANDLE)
}

pub(crate) fn cuGraphicsResourceGetMappedPointer_v2(
    _pointer: Out<CUdeviceptr>,
    _size: Out<usize>,
    _resource: CUgraphicsResource,
) -> CUres {
    Err(CUerror::INVALID_HANDLE)
}

pub(crate) fn cuGraphicsSubResourceGetMappedArray(
    _array: Out<CUarray>,
    _resource: CUgraphicsResource,
    _index: c_uint,
    _level: c_uint,
) -> CUres {
    Err(CUerror::INVALID_HANDLE)
}

pub(crate) fn cuGraphicsResourceGetMappedMipmappedArray(
    _array: Out<CUmipmappedArray>,
    _resource: CUgraphicsResource,
) -> CUres {
    Err(CUerror::INVALID_HANDLE)
}
