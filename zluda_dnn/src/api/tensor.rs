//! Descriptors of tensors and of filters.

use crate::convert::{In, Out, check, is_type, length};
use crate::descriptor::{Change, FilterState, TensorState, packed};
use cuda_types::cudnn::*;
use std::ffi::c_int;

/// Dimensions that a tensor may have.
const MOST: c_int = CUDNN_DIM_MAX as c_int;

/// Sets what is checked: the elements of a tensor can be counted in 31 bits.
fn tensor(ty: cudnnDataType_t, dims: Vec<i32>, strides: Vec<i32>) -> CudnnResult<TensorState> {
    check(is_type(ty))?;
    check(dims.iter().all(|dim| *dim > 0) && strides.iter().all(|step| *step != 0))?;
    let last: i64 =
        dims.iter().zip(&strides).map(|(dim, step)| (i64::from(*dim) - 1) * i64::from(*step)).sum();
    if last >= i64::from(i32::MAX) {
        return Err(cudnnError::NOT_SUPPORTED);
    }
    Ok(TensorState { ty, dims, strides })
}

fn ordered(
    order: cudnnTensorFormat_t,
    ty: cudnnDataType_t,
    dims: Vec<i32>,
) -> CudnnResult<TensorState> {
    check(order.0 <= cudnnTensorFormat_t::CUDNN_TENSOR_NCHW_VECT_C.0 && is_type(ty))?;
    check(dims.iter().all(|dim| *dim > 0))?;
    if order == cudnnTensorFormat_t::CUDNN_TENSOR_NCHW_VECT_C {
        return Err(cudnnError::NOT_SUPPORTED);
    }
    let strides = packed(order == cudnnTensorFormat_t::CUDNN_TENSOR_NHWC, &dims);
    tensor(ty, dims, strides.ok_or(cudnnError::NOT_SUPPORTED)?)
}

pub(crate) fn set_4d(
    descriptor: Change<TensorState>,
    order: cudnnTensorFormat_t,
    ty: cudnnDataType_t,
    n: c_int,
    c: c_int,
    h: c_int,
    w: c_int,
) -> CudnnResult {
    *descriptor.lock() = ordered(order, ty, vec![n, c, h, w])?;
    Ok(())
}

pub(crate) fn set_4d_ex(
    descriptor: Change<TensorState>,
    ty: cudnnDataType_t,
    n: c_int,
    c: c_int,
    h: c_int,
    w: c_int,
    n_stride: c_int,
    c_stride: c_int,
    h_stride: c_int,
    w_stride: c_int,
) -> CudnnResult {
    let strides = vec![n_stride, c_stride, h_stride, w_stride];
    *descriptor.lock() = tensor(ty, vec![n, c, h, w], strides)?;
    Ok(())
}

pub(crate) fn get_4d(
    state: TensorState,
    ty: Out<cudnnDataType_t>,
    n: Out<c_int>,
    c: Out<c_int>,
    h: Out<c_int>,
    w: Out<c_int>,
    n_stride: Out<c_int>,
    c_stride: Out<c_int>,
    h_stride: Out<c_int>,
    w_stride: Out<c_int>,
) -> CudnnResult {
    check(state.dims.len() == 4)?;
    ty.set_if_wanted(state.ty);
    for (place, value) in [n, c, h, w].iter().zip(&state.dims) {
        place.set_if_wanted(*value);
    }
    for (place, value) in [n_stride, c_stride, h_stride, w_stride].iter().zip(&state.strides) {
        place.set_if_wanted(*value);
    }
    Ok(())
}

/// The number of dimensions that a function takes, at least so many.
fn rank(count: c_int, least: c_int) -> CudnnResult<usize> {
    check(count >= least)?;
    if count > MOST {
        return Err(cudnnError::NOT_SUPPORTED);
    }
    length(count)
}

pub(crate) fn set_nd(
    descriptor: Change<TensorState>,
    ty: cudnnDataType_t,
    count: c_int,
    dims: In<c_int>,
    strides: In<c_int>,
) -> CudnnResult {
    let count = rank(count, 2)?;
    *descriptor.lock() = tensor(ty, dims.array(count, count)?, strides.array(count, count)?)?;
    Ok(())
}

pub(crate) fn set_nd_ex(
    descriptor: Change<TensorState>,
    order: cudnnTensorFormat_t,
    ty: cudnnDataType_t,
    count: c_int,
    dims: In<c_int>,
) -> CudnnResult {
    let count = rank(count, 2)?;
    *descriptor.lock() = ordered(order, ty, dims.array(count, count)?)?;
    Ok(())
}

pub(crate) fn get_nd(
    state: TensorState,
    wanted: c_int,
    ty: Out<cudnnDataType_t>,
    count: Out<c_int>,
    dims: Out<c_int>,
    strides: Out<c_int>,
) -> CudnnResult {
    check(wanted >= 0)?;
    ty.set_if_wanted(state.ty);
    count.set_if_wanted(state.dims.len() as c_int);
    for (place, values) in [(dims, state.dims), (strides, state.strides)] {
        if !place.is_null() {
            place.set_all(values, wanted as usize);
        }
    }
    Ok(())
}

pub(crate) fn size_in_bytes(state: TensorState, size: Out<usize>) -> CudnnResult {
    size.check()?;
    size.set(if state.dims.is_empty() { 0 } else { state.layout()?.bytes() })
}

fn filter(
    descriptor: &Change<FilterState>,
    ty: cudnnDataType_t,
    order: cudnnTensorFormat_t,
    dims: Vec<i32>,
) -> CudnnResult {
    *descriptor.lock() = FilterState { tensor: ordered(order, ty, dims)?, order };
    Ok(())
}

pub(crate) fn set_filter_4d(
    descriptor: Change<FilterState>,
    ty: cudnnDataType_t,
    order: cudnnTensorFormat_t,
    k: c_int,
    c: c_int,
    h: c_int,
    w: c_int,
) -> CudnnResult {
    filter(&descriptor, ty, order, vec![k, c, h, w])
}

pub(crate) fn get_filter_4d(
    state: FilterState,
    ty: Out<cudnnDataType_t>,
    order: Out<cudnnTensorFormat_t>,
    k: Out<c_int>,
    c: Out<c_int>,
    h: Out<c_int>,
    w: Out<c_int>,
) -> CudnnResult {
    check(state.tensor.dims.len() == 4)?;
    ty.set_if_wanted(state.tensor.ty);
    order.set_if_wanted(state.order);
    for (place, value) in [k, c, h, w].iter().zip(&state.tensor.dims) {
        place.set_if_wanted(*value);
    }
    Ok(())
}

pub(crate) fn set_filter_nd(
    descriptor: Change<FilterState>,
    ty: cudnnDataType_t,
    order: cudnnTensorFormat_t,
    count: c_int,
    dims: In<c_int>,
) -> CudnnResult {
    let count = rank(count, 3)?;
    filter(&descriptor, ty, order, dims.array(count, count)?)
}

pub(crate) fn get_filter_nd(
    state: FilterState,
    wanted: c_int,
    ty: Out<cudnnDataType_t>,
    order: Out<cudnnTensorFormat_t>,
    count: Out<c_int>,
    dims: Out<c_int>,
) -> CudnnResult {
    check(wanted >= 0)?;
    ty.set_if_wanted(state.tensor.ty);
    order.set_if_wanted(state.order);
    count.set_if_wanted(state.tensor.dims.len() as c_int);
    if !dims.is_null() {
        dims.set_all(state.tensor.dims, wanted as usize);
    }
    Ok(())
}

pub(crate) fn filter_size_in_bytes(state: FilterState, size: Out<usize>) -> CudnnResult {
    size_in_bytes(state.tensor, size)
}
