//! Tensors of graphs, as their descriptors say.

use super::Backend;
use crate::convert::format;
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnDataType_t, cudnnError,
};
use neural::{Format, Layout};
use std::sync::Arc;

/// A tensor of a graph.
pub(crate) struct Described {
    pub(crate) uid: i64,
    /// Of one that is ragged: with room for all rows of each item.
    pub(crate) layout: Layout,
    pub(crate) is_virtual: bool,
    pub(crate) by_value: bool,
    /// Where items begin in the program's memory, if that is told by a tensor.
    pub(crate) ragged: Option<Offsets>,
}

/// Where the items of a ragged tensor begin.
pub(crate) struct Offsets {
    pub(crate) tensor: Arc<Backend>,
    /// The elements that each of them counts.
    pub(crate) multiplier: i64,
}

impl Described {
    /// Whether it has a place in the workspace.
    pub(crate) fn is_placed(&self) -> bool {
        self.is_virtual || self.by_value || self.ragged.is_some()
    }
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
    let format = format(cudnnDataType_t(ty)).ok_or(cudnnError::NOT_SUPPORTED_DATA_TYPE)?;
    let is_virtual = tensor.integer(Name::CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0) != 0;
    // Between operations nothing is rounded to less than single precision.
    let format = match format {
        _ if !is_virtual => format,
        Format::F64 | Format::I32 | Format::I64 => Format::F64,
        _ => Format::F32,
    };
    let mut layout = Layout {
        format,
        dims: dims.iter().map(|dim| *dim as usize).collect(),
        strides: strides.iter().map(|step| *step as isize).collect(),
    };
    if !layout.fits() {
        return Err(cudnnError::NOT_SUPPORTED_SHAPE);
    }
    if is_virtual && (overlaps(&layout) || layout.strides.iter().any(|step| *step < 0)) {
        // cudnn-frontend describes one of the tensors of attention's gradients so; only their indices mean something.
        layout = Layout::packed(layout.format, &layout.dims);
    }
    let offsets = tensor.descriptor(Name::CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC);
    let ragged = offsets.map(|offsets| Offsets {
        tensor: offsets,
        multiplier: tensor.integer(Name::CUDNN_ATTR_TENSOR_RAGGED_OFFSET_MULTIPLIER, 1),
    });
    if let Some(Offsets { tensor, multiplier }) = &ragged {
        give_room(&mut layout)?;
        let count = described(tensor)?.layout.dims[0];
        if *multiplier <= 0 || count != layout.dims[0] + 1 {
            return Err(cudnnError::BAD_PARAM);
        }
    }
    Ok(Described {
        uid: tensor.integer(Name::CUDNN_ATTR_TENSOR_UNIQUE_ID, 0),
        layout,
        is_virtual,
        by_value: tensor.integer(Name::CUDNN_ATTR_TENSOR_IS_BY_VALUE, 0) != 0,
        // What is virtual has room anyway.
        ragged: ragged.filter(|_| !is_virtual),
    })
}

/// Whether elements of different indices may lie at the same place.
fn overlaps(layout: &Layout) -> bool {
    let pairs = layout.dims.iter().zip(&layout.strides).filter(|(dim, _)| **dim > 1);
    let mut pairs: Vec<_> = pairs.map(|(dim, step)| (step.abs(), *dim as isize)).collect();
    pairs.sort_unstable();
    let mut reach = 0;
    pairs.into_iter().any(|(step, dim)| {
        let is_within = step <= reach;
        reach += (dim - 1) * step;
        is_within
    })
}

/// Makes items lie so far from each other that there is room for all of their rows. Views on a tensor have the same steps
/// then as the tensor has.
fn give_room(layout: &mut Layout) -> CudnnResult {
    if layout.dims.len() != 4 || layout.strides.iter().any(|step| *step < 0) {
        return Err(cudnnError::NOT_SUPPORTED_LAYOUT);
    }
    let pairs = layout.dims.iter().zip(&layout.strides).skip(1);
    layout.strides[0] = pairs.map(|(dim, step)| (*dim as isize - 1) * step).sum::<isize>() + 1;
    Ok(())
}
