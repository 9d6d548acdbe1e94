//! Batch normalisation.

use crate::convert::{INVALID, Out, check, factors, supported};
use crate::descriptor::{ActivationState, Change, TensorState, optional, packed};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::norm::{self, Finish, Given, Gradients, Norm, Parameter, Running, Statistics};
use neural::{Layout, Tensor};
use std::ffi::c_void;
use std::sync::Arc;

/// The dimensions of statistics: for each element of an image, or for each channel.
fn kept(mode: cudnnBatchNormMode_t, x: &TensorState) -> CudnnResult<Vec<i32>> {
    use cudnnBatchNormMode_t as M;
    check(x.dims.len() >= 3)?;
    Ok(match mode {
        M::CUDNN_BATCHNORM_PER_ACTIVATION => {
            [1].into_iter().chain(x.dims[1..].iter().copied()).collect()
        }
        M::CUDNN_BATCHNORM_SPATIAL | M::CUDNN_BATCHNORM_SPATIAL_PERSISTENT => {
            (0..x.dims.len()).map(|i| if i == 1 { x.dims[1] } else { 1 }).collect()
        }
        _ => return Err(INVALID),
    })
}

pub(crate) fn derive(
    descriptor: Change<TensorState>,
    x: TensorState,
    mode: cudnnBatchNormMode_t,
) -> CudnnResult {
    let dims = kept(mode, &x)?;
    let strides = packed(false, &dims).ok_or(cudnnError::NOT_SUPPORTED)?;
    let ty = if x.is_double() { x.ty } else { cudnnDataType_t::CUDNN_DATA_FLOAT };
    *descriptor.lock() = TensorState { ty, dims, strides };
    Ok(())
}

/// The layout of statistics and parameters, as the program describes it.
fn parameters(
    mode: cudnnBatchNormMode_t,
    x: &TensorState,
    state: &TensorState,
) -> CudnnResult<Layout> {
    check(state.dims == kept(mode, x)?)?;
    state.layout()
}

/// A tensor of statistics that may be left out.
fn maybe(layout: &Layout, first: *const c_void) -> Option<Tensor> {
    (!first.is_null()).then(|| layout.at(first.cast()))
}

fn some(layout: &Layout, first: *const c_void) -> CudnnResult<Tensor> {
    maybe(layout, first).ok_or(INVALID)
}

fn norm(x: Tensor, layout: &Layout, epsilon: f64) -> CudnnResult<Norm> {
    check(epsilon >= CUDNN_BN_MIN_EPSILON)?;
    Ok(Norm { x, kept: layout.dims.clone(), epsilon: Parameter::Known(epsilon), centred: true })
}

pub(crate) unsafe fn inference(
    handle: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    alpha: *const c_void,
    beta: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
    state: TensorState,
    scale: *const c_void,
    bias: *const c_void,
    mean: *const c_void,
    variance: *const c_void,
    epsilon: f64,
) -> CudnnResult {
    check(x_state.dims == y_state.dims && x_state.ty == y_state.ty)?;
    let layout = parameters(mode, &x_state, &state)?;
    // SAFETY: the caller passes what the API asks for.
    let blend = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    let finish = Finish {
        scale: Some(some(&layout, scale)?),
        bias: Some(some(&layout, bias)?),
        z: None,
        relu: false,
        y: y_state.at(y)?,
        blend,
    };
    let norm = norm(x_state.at(x)?, &layout, epsilon)?;
    let (mean, variance) = (some(&layout, mean)?, some(&layout, variance)?);
    handle.run(norm::inference(norm, finish, Some(mean), variance, Given::Variance))
}

/// The operations after a normalisation: whether something is added, and whether it is a ReLU.
fn following(
    operations: cudnnBatchNormOps_t,
    activation: *mut cudnnActivationStruct,
) -> CudnnResult<(bool, bool)> {
    use cudnnBatchNormOps_t as O;
    let (adds, relu) = match operations {
        O::CUDNN_BATCHNORM_OPS_BN => return Ok((false, false)),
        O::CUDNN_BATCHNORM_OPS_BN_ACTIVATION => (false, true),
        O::CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION => (true, true),
        _ => return Err(INVALID),
    };
    let activation: ActivationState = optional(activation)?.ok_or(INVALID)?;
    supported(activation.mode == cudnnActivationMode_t::CUDNN_ACTIVATION_RELU)?;
    Ok((adds, relu))
}

pub(crate) unsafe fn training(
    handle: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    alpha: *const c_void,
    beta: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
    state: TensorState,
    scale: *const c_void,
    bias: *const c_void,
    factor: f64,
    running_mean: *mut c_void,
    running_variance: *mut c_void,
    epsilon: f64,
    saved_mean: *mut c_void,
    saved_inverse: *mut c_void,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        training_ex(
            handle,
            mode,
            cudnnBatchNormOps_t::CUDNN_BATCHNORM_OPS_BN,
            alpha,
            beta,
            x_state,
            x,
            std::ptr::null_mut(),
            std::ptr::null(),
            y_state,
            y,
            state,
            scale,
            bias,
            factor,
            running_mean,
            running_variance,
            epsilon,
            saved_mean,
            saved_inverse,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
            0,
        )
    }
}

pub(crate) unsafe fn training_ex(
    handle: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    operations: cudnnBatchNormOps_t,
    alpha: *const c_void,
    beta: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    z_descriptor: cudnnTensorDescriptor_t,
    z: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
    state: TensorState,
    scale: *const c_void,
    bias: *const c_void,
    factor: f64,
    running_mean: *mut c_void,
    running_variance: *mut c_void,
    epsilon: f64,
    saved_mean: *mut c_void,
    saved_inverse: *mut c_void,
    activation: cudnnActivationDescriptor_t,
    _workspace: *mut c_void,
    _workspace_bytes: usize,
    _reserve: *mut c_void,
    _reserve_bytes: usize,
) -> CudnnResult {
    check(x_state.dims == y_state.dims && x_state.ty == y_state.ty)?;
    let (adds, relu) = following(operations, activation)?;
    let layout = parameters(mode, &x_state, &state)?;
    // What is kept comes in pairs.
    check(running_mean.is_null() == running_variance.is_null())?;
    check(saved_mean.is_null() == saved_inverse.is_null())?;
    // SAFETY: the caller passes what the API asks for.
    let blend = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    let z = match adds {
        true => Some(optional(z_descriptor)?.ok_or(INVALID)?.at(z)?),
        false => None,
    };
    let finish = Finish {
        scale: Some(some(&layout, scale)?),
        bias: Some(some(&layout, bias)?),
        z,
        relu,
        y: y_state.at(y)?,
        blend,
    };
    let norm = norm(x_state.at(x)?, &layout, epsilon)?;
    let saved =
        Statistics { mean: maybe(&layout, saved_mean), inverse: maybe(&layout, saved_inverse) };
    let pair = maybe(&layout, running_mean).zip(maybe(&layout, running_variance));
    let running = pair.map(|(mean, variance)| Running {
        old_mean: mean.clone(),
        old_variance: variance.clone(),
        mean,
        variance,
        factor: Parameter::Known(factor),
    });
    handle.run(norm::training(norm, finish, saved, running))
}

pub(crate) unsafe fn backward(
    handle: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    alpha_data: *const c_void,
    beta_data: *const c_void,
    alpha_parameters: *const c_void,
    beta_parameters: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
    state: TensorState,
    scale: *const c_void,
    dscale: *mut c_void,
    dbias: *mut c_void,
    epsilon: f64,
    saved_mean: *const c_void,
    saved_inverse: *const c_void,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        backward_ex(
            handle,
            mode,
            cudnnBatchNormOps_t::CUDNN_BATCHNORM_OPS_BN,
            alpha_data,
            beta_data,
            alpha_parameters,
            beta_parameters,
            x_state,
            x,
            std::ptr::null_mut(),
            std::ptr::null(),
            dy_state,
            dy,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            dx_state,
            dx,
            state,
            scale,
            std::ptr::null(),
            dscale,
            dbias,
            epsilon,
            saved_mean,
            saved_inverse,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
            0,
        )
    }
}

pub(crate) unsafe fn backward_ex(
    handle: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    operations: cudnnBatchNormOps_t,
    alpha_data: *const c_void,
    beta_data: *const c_void,
    alpha_parameters: *const c_void,
    beta_parameters: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    y_descriptor: cudnnTensorDescriptor_t,
    y: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    dz_descriptor: cudnnTensorDescriptor_t,
    dz: *mut c_void,
    dx_state: TensorState,
    dx: *mut c_void,
    state: TensorState,
    scale: *const c_void,
    _bias: *const c_void,
    dscale: *mut c_void,
    dbias: *mut c_void,
    epsilon: f64,
    saved_mean: *const c_void,
    saved_inverse: *const c_void,
    activation: cudnnActivationDescriptor_t,
    _workspace: *mut c_void,
    _workspace_bytes: usize,
    _reserve: *mut c_void,
    _reserve_bytes: usize,
) -> CudnnResult {
    check(x_state.dims == dy_state.dims && x_state.dims == dx_state.dims)?;
    let (adds, relu) = following(operations, activation)?;
    let layout = parameters(mode, &x_state, &state)?;
    check(saved_mean.is_null() == saved_inverse.is_null())?;
    // SAFETY: the caller passes what the API asks for.
    let (data, parameters) = unsafe {
        (
            factors(alpha_data, beta_data, x_state.is_double())?,
            factors(alpha_parameters, beta_parameters, x_state.is_double())?,
        )
    };
    let of = |descriptor: cudnnTensorDescriptor_t,
              first: *const c_void,
              wanted: bool|
     -> CudnnResult<Option<Tensor>> {
        if !wanted {
            return Ok(None);
        }
        optional(descriptor)?.ok_or(INVALID)?.at(first).map(Some)
    };
    let gradients = Gradients {
        dy: dy_state.at(dy)?,
        y: of(y_descriptor, y, relu)?,
        scale: Some(some(&layout, scale)?),
        dx: Some(dx_state.at(dx)?),
        dx_blend: data,
        dscale: Some(some(&layout, dscale)?),
        dbias: Some(some(&layout, dbias)?),
        parameter_blend: parameters,
        dz: of(dz_descriptor, dz, adds)?,
    };
    let norm = norm(x_state.at(x)?, &layout, epsilon)?;
    let saved =
        Statistics { mean: maybe(&layout, saved_mean), inverse: maybe(&layout, saved_inverse) };
    handle.run_all(norm::backward(norm, gradients, saved))
}

pub(crate) fn training_workspace(
    _: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    _: cudnnBatchNormOps_t,
    x: TensorState,
    _z: cudnnTensorDescriptor_t,
    _y: TensorState,
    _parameters: cudnnTensorDescriptor_t,
    _activation: cudnnActivationDescriptor_t,
    bytes: Out<usize>,
) -> CudnnResult {
    kept(mode, &x)?;
    bytes.set(0)
}

pub(crate) fn backward_workspace(
    _: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    _: cudnnBatchNormOps_t,
    x: TensorState,
    _y: cudnnTensorDescriptor_t,
    _dy: cudnnTensorDescriptor_t,
    _dz: cudnnTensorDescriptor_t,
    _dx: cudnnTensorDescriptor_t,
    _parameters: cudnnTensorDescriptor_t,
    _activation: cudnnActivationDescriptor_t,
    bytes: Out<usize>,
) -> CudnnResult {
    kept(mode, &x)?;
    bytes.set(0)
}

pub(crate) fn reserve(
    _: Arc<Handle>,
    mode: cudnnBatchNormMode_t,
    _: cudnnBatchNormOps_t,
    _activation: cudnnActivationDescriptor_t,
    x: TensorState,
    bytes: Out<usize>,
) -> CudnnResult {
    kept(mode, &x)?;
    bytes.set(0)
}
