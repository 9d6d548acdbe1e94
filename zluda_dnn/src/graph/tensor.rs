//! Tensors of graphs, as their descriptors say.

use super::Backend;
use crate::convert::format;
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnDataType_t, cudnnError,
};
use neural::{Format, Layout};

/// A tensor of a graph.
pub(crate) struct Described {
    pub(crate) uid: i64,
    pub(crate) layout: Layout,
    pub(crate) is_virtual: bool,
    pub(crate) by_value: bool,
}

/// A tensor by its descriptor.
pub(crate) fn described(tensor: &Backend) -> CudnnResult<Described> {
    let ty = tensor.integer(Name::CUDNN_ATTR_TENSOR_DATA_TYPE, -1);
    let ty = u32::try_from(ty).map_err(|_| cudnnError::BAD_PARAM)?;
    let dims = tensor.integers(Name::CUDNN_ATTR_TENSOR_DIMENSIONS);
    let strides = tensor.integers(Name::CUDNN_ATTR_TENSOR_STRIDES);
    if dims.is_empty() || dims.len() != strides.len() || dims.iter().any(|dim| *dim <= 0) {
        return Err(cudnnError::BAD_PARAM);
    }
    if tensor.integer(Name::CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1) != 1 {
        return Err(cudnnError::NOT_SUPPORTED_LAYOUT);
    }
    if tensor.descriptor(Name::CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC).is_some() {
        return Err(cudnnError::NOT_SUPPORTED_LAYOUT);
    }
    let format = format(cudnnDataType_t(ty)).ok_or(cudnnError::NOT_SUPPORTED_DATA_TYPE)?;
    let is_virtual = tensor.integer(Name::CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0) != 0;
    // Between operations nothing is rounded to less than single precision.
    let format = match format {
        _ if !is_virtual => format,
        Format::F64 | Format::I32 | Format::I64 => Format::F64,
        _ => Format::F32,
    };
    let dims = dims.iter().map(|dim| *dim as usize).collect();
    Ok(Described {
        uid: tensor.integer(Name::CUDNN_ATTR_TENSOR_UNIQUE_ID, 0),
        layout: Layout {
            format,
            dims,
            strides: strides.iter().map(|step| *step as isize).collect(),
        },
        is_virtual,
        by_value: tensor.integer(Name::CUDNN_ATTR_TENSOR_IS_BY_VALUE, 0) != 0,
    })
}
