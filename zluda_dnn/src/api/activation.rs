//! Activations and softmax.

use crate::convert::{INVALID, Out, check, factors};
use crate::descriptor::{ActivationState, Change, TensorState};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::activation::{self, Activation};
use neural::softmax;
use std::ffi::c_void;
use std::sync::Arc;

pub(crate) fn set_activation(
    descriptor: Change<ActivationState>,
    mode: cudnnActivationMode_t,
    nan: cudnnNanPropagation_t,
    coefficient: f64,
) -> CudnnResult {
    check(mode.0 <= cudnnActivationMode_t::CUDNN_ACTIVATION_SWISH.0)?;
    check(nan.0 <= cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0)?;
    let mut state = descriptor.lock();
    (state.mode, state.nan, state.coefficient) = (mode, nan, coefficient);
    Ok(())
}

pub(crate) fn get_activation(
    state: ActivationState,
    mode: Out<cudnnActivationMode_t>,
    nan: Out<cudnnNanPropagation_t>,
    coefficient: Out<f64>,
) -> CudnnResult {
    mode.set_if_wanted(state.mode);
    nan.set_if_wanted(state.nan);
    coefficient.set_if_wanted(state.coefficient);
    Ok(())
}

pub(crate) fn set_swish_beta(descriptor: Change<ActivationState>, beta: f64) -> CudnnResult {
    descriptor.lock().swish_beta = beta;
    Ok(())
}

pub(crate) fn get_swish_beta(state: ActivationState, beta: Out<f64>) -> CudnnResult {
    beta.set(state.swish_beta)
}

/// Tensors of one type and of the same dimensions.
pub(crate) fn alike(tensors: &[&TensorState]) -> CudnnResult {
    check(tensors.windows(2).all(|pair| pair[0].ty == pair[1].ty && pair[0].dims == pair[1].dims))
}

/// The function of a call by itself, which the identity is not: that one is for convolutions.
fn function(state: &ActivationState) -> CudnnResult<Activation> {
    check(state.mode != cudnnActivationMode_t::CUDNN_ACTIVATION_IDENTITY)?;
    state.activation()
}

pub(crate) unsafe fn activation_forward(
    handle: Arc<Handle>,
    state: ActivationState,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    alike(&[&x_state, &y_state])?;
    let function = function(&state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    handle.run(activation::forward(function, x_state.at(x)?, y_state.at(y)?, scale))
}

pub(crate) unsafe fn activation_backward(
    handle: Arc<Handle>,
    state: ActivationState,
    alpha: *const c_void,
    y_state: TensorState,
    y: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
) -> CudnnResult {
    alike(&[&x_state, &y_state, &dy_state, &dx_state])?;
    let function = function(&state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    // The other of the two may be null, or overwritten by an activation in place.
    let of = if function.derives_by_value() { y_state.at(y)? } else { x_state.at(x)? };
    handle.run(activation::backward(function, of, dy_state.at(dy)?, dx_state.at(dx)?, scale))
}

/// The function that is computed, and the dimensions along which.
fn softmax_of(
    algorithm: cudnnSoftmaxAlgorithm_t,
    mode: cudnnSoftmaxMode_t,
    rank: usize,
) -> CudnnResult<(softmax::Kind, Vec<usize>)> {
    use cudnnSoftmaxAlgorithm_t as A;
    let kind = match algorithm {
        A::CUDNN_SOFTMAX_FAST => softmax::Kind::Fast,
        A::CUDNN_SOFTMAX_ACCURATE => softmax::Kind::Accurate,
        A::CUDNN_SOFTMAX_LOG => softmax::Kind::Log,
        _ => return Err(INVALID),
    };
    let axes = match mode {
        cudnnSoftmaxMode_t::CUDNN_SOFTMAX_MODE_INSTANCE => (1..rank).collect(),
        cudnnSoftmaxMode_t::CUDNN_SOFTMAX_MODE_CHANNEL => vec![1],
        _ => return Err(INVALID),
    };
    Ok((kind, axes))
}

pub(crate) unsafe fn softmax_forward(
    handle: Arc<Handle>,
    algorithm: cudnnSoftmaxAlgorithm_t,
    mode: cudnnSoftmaxMode_t,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    alike(&[&x_state, &y_state])?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    let (x, y) = (x_state.at(x)?, y_state.at(y)?);
    let (kind, axes) = softmax_of(algorithm, mode, x.dims.len())?;
    handle.run(softmax::forward(kind, &axes, x, y, scale))
}

pub(crate) unsafe fn softmax_backward(
    handle: Arc<Handle>,
    algorithm: cudnnSoftmaxAlgorithm_t,
    mode: cudnnSoftmaxMode_t,
    alpha: *const c_void,
    y_state: TensorState,
    y: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    beta: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
) -> CudnnResult {
    alike(&[&y_state, &dy_state, &dx_state])?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, y_state.is_double()) }?;
    let (y, dy, dx) = (y_state.at(y)?, dy_state.at(dy)?, dx_state.at(dx)?);
    let (kind, axes) = softmax_of(algorithm, mode, y.dims.len())?;
    handle.run(softmax::backward(kind, &axes, y, dy, dx, scale))
}
