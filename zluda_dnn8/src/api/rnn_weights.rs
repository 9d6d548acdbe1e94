//! The space of a network's weights, and where its matrices and biases are in it.

use super::made::Made;
use super::rnn_descriptor::Description;
use crate::convert::{Out, check};
use crate::engine;
use cuda_types::cudnn8::*;
use std::ffi::{c_int, c_void};

/// A tensor as far as networks look at it: its first three dimensions, the others are of length 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) ty: cudnnDataType_t,
    pub(super) dims: [c_int; 3],
    pub(super) strides: [c_int; 3],
}

impl Shape {
    pub(super) fn of(descriptor: cudnnTensorDescriptor_t) -> CudnnResult<Self> {
        let mut shape =
            Shape { ty: cudnnDataType_t::CUDNN_DATA_FLOAT, dims: [0; 3], strides: [0; 3] };
        let mut rank = 0;
        // SAFETY: the places have as many elements as are asked for.
        unsafe {
            engine::cudnnGetTensorNdDescriptor(
                descriptor,
                3,
                &mut shape.ty,
                &mut rank,
                shape.dims.as_mut_ptr(),
                shape.strides.as_mut_ptr(),
            )
        }?;
        check(rank >= 3)?;
        Ok(shape)
    }
}

/// The type of a filter's elements, and how many bytes it has.
pub(super) fn filter(descriptor: cudnnFilterDescriptor_t) -> CudnnResult<(cudnnDataType_t, usize)> {
    let (mut ty, mut order) =
        (cudnnDataType_t::CUDNN_DATA_FLOAT, cudnnTensorFormat_t::CUDNN_TENSOR_NCHW);
    let (mut rank, mut bytes, none) = (0, 0, std::ptr::null_mut());
    // SAFETY: the places live during the calls.
    unsafe {
        engine::cudnnGetFilterNdDescriptor(descriptor, 0, &mut ty, &mut order, &mut rank, none)?;
        engine::cudnnGetFilterSizeInBytes(descriptor, &mut bytes)?;
    }
    Ok((ty, bytes))
}

pub(crate) unsafe fn size(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    x: cudnnTensorDescriptor_t,
    bytes: *mut usize,
    ty: cudnnDataType_t,
) -> CudnnResult {
    let x = Shape::of(x)?;
    check(ty == x.ty)?;
    let network = Description::of(descriptor)?.made(ty, x.dims[1])?;
    // SAFETY: the caller passes what the API asks for.
    unsafe { engine::cudnnGetRNNWeightSpaceSize(handle, network.get(), bytes) }
}

/// A matrix with its bias, each none where the network has none.
struct Product {
    matrix: (Made<cudnnTensorStruct>, *mut c_void),
    bias: (Made<cudnnTensorStruct>, *mut c_void),
    /// Whether it is the projection of states, which has no bias.
    is_projection: bool,
    ty: cudnnDataType_t,
}

fn product(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    pseudo: c_int,
    x: cudnnTensorDescriptor_t,
    w: cudnnFilterDescriptor_t,
    space: *const c_void,
    number: c_int,
) -> CudnnResult<Product> {
    let x = Shape::of(x)?;
    check(filter(w)?.0 == x.ty)?;
    let description = Description::of(descriptor)?;
    let network = description.made(x.ty, x.dims[1])?;
    let products = match description.cell {
        cudnnRNNMode_t::CUDNN_LSTM => 8,
        cudnnRNNMode_t::CUDNN_GRU => 6,
        _ => 2,
    };
    let mut found = Product {
        matrix: (Made::new()?, std::ptr::null_mut()),
        bias: (Made::new()?, std::ptr::null_mut()),
        is_projection: number == products,
        ty: x.ty,
    };
    let mut bytes = 0;
    // SAFETY: the places live during the calls. The space is not looked at.
    unsafe {
        // NVIDIA's does not compare the size of the filter either.
        engine::cudnnGetRNNWeightSpaceSize(handle, network.get(), &mut bytes)?;
        engine::cudnnGetRNNWeightParams(
            handle,
            network.get(),
            pseudo,
            bytes,
            space,
            number,
            found.matrix.0.get(),
            &mut found.matrix.1,
            found.bias.0.get(),
            &mut found.bias.1,
        )?;
    }
    Ok(found)
}

/// Tells where a matrix or a bias is, and that it is a filter of three dimensions. There is no filter of no dimension: where
/// there is none the address alone says so.
fn tell(
    (tensor, address): (Made<cudnnTensorStruct>, *mut c_void),
    ty: cudnnDataType_t,
    filter: cudnnFilterDescriptor_t,
    place: Out<*mut c_void>,
) -> CudnnResult {
    if let Ok(shape) = Shape::of(tensor.get()) {
        let order = cudnnTensorFormat_t::CUDNN_TENSOR_NCHW;
        // SAFETY: there are as many dimensions.
        unsafe { engine::cudnnSetFilterNdDescriptor(filter, ty, order, 3, shape.dims.as_ptr()) }?;
    }
    place.set(address)
}

pub(crate) fn matrix(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    pseudo: c_int,
    x: cudnnTensorDescriptor_t,
    w: cudnnFilterDescriptor_t,
    space: *const c_void,
    number: c_int,
    filter: cudnnFilterDescriptor_t,
    place: Out<*mut c_void>,
) -> CudnnResult {
    place.check()?;
    let found = product(handle, descriptor, pseudo, x, w, space, number)?;
    tell(found.matrix, found.ty, filter, place)
}

pub(crate) fn bias(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    pseudo: c_int,
    x: cudnnTensorDescriptor_t,
    w: cudnnFilterDescriptor_t,
    space: *const c_void,
    number: c_int,
    filter: cudnnFilterDescriptor_t,
    place: Out<*mut c_void>,
) -> CudnnResult {
    place.check()?;
    let found = product(handle, descriptor, pseudo, x, w, space, number)?;
    check(!found.is_projection)?;
    tell(found.bias, found.ty, filter, place)
}
