//! Arithmetic of whole tensors: sums, products, reductions, copies between layouts, local response normalisation.

use crate::api::activation::alike;
use crate::convert::{INVALID, Out, check, factor, factors, is_type};
use crate::descriptor::{Change, LrnState, OpTensorState, ReduceState, TensorState};
use crate::graph::operation::reduction_of;
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::elementwise::{Elementwise, elementwise};
use neural::lrn::{self, Lrn};
use neural::{Scale, Tensor, reduction};
use std::ffi::{c_uint, c_void};
use std::sync::Arc;

/// Whether a tensor has the lengths of another one, or 1 where it is repeated.
fn repeats(from: &TensorState, to: &TensorState) -> CudnnResult {
    check(from.dims.len() == to.dims.len())?;
    check(from.dims.iter().zip(&to.dims).all(|(from, to)| *from == 1 || from == to))
}

/// One input, taken as it is.
fn copied(x: Tensor, output: Tensor, scale: Scale) -> neural::Stage {
    elementwise(Elementwise { inputs: vec![x], output, scale }, |inputs, to| {
        to.copy_from_slice(inputs[0]);
    })
}

pub(crate) unsafe fn add_tensor(
    handle: Arc<Handle>,
    alpha: *const c_void,
    a_state: TensorState,
    a: *const c_void,
    beta: *const c_void,
    c_state: TensorState,
    c: *mut c_void,
) -> CudnnResult {
    repeats(&a_state, &c_state)?;
    check(a_state.ty == c_state.ty)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, c_state.is_double()) }?;
    handle.run(copied(a_state.at(a)?, c_state.at(c)?, scale))
}

pub(crate) unsafe fn transform_tensor(
    handle: Arc<Handle>,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    check(x_state.dims == y_state.dims)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    handle.run(copied(x_state.at(x)?, y_state.at(y)?, scale))
}

pub(crate) unsafe fn scale_tensor(
    handle: Arc<Handle>,
    state: TensorState,
    y: *mut c_void,
    alpha: *const c_void,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { factor(alpha, state.is_double()) }?;
    let y = state.at(y)?;
    handle.run(copied(y.clone(), y, Scale { alpha, beta: 0.0 }))
}

/// The value has the tensor's own type.
pub(crate) unsafe fn set_tensor(
    handle: Arc<Handle>,
    state: TensorState,
    y: *mut c_void,
    value: *const c_void,
) -> CudnnResult {
    check(!value.is_null())?;
    let y = state.at(y)?;
    let mut number = [0.0];
    // SAFETY: the caller passes what the API asks for.
    unsafe { y.format.load(value.cast(), 0, 1, &mut number) };
    let [number] = number;
    let all = Elementwise { inputs: Vec::new(), output: y, scale: Scale::ONE };
    handle.run(elementwise(all, move |_, to| to.fill(number)))
}

pub(crate) fn set_op(
    descriptor: Change<OpTensorState>,
    operation: cudnnOpTensorOp_t,
    compute: cudnnDataType_t,
    nan: cudnnNanPropagation_t,
) -> CudnnResult {
    check(operation.0 <= cudnnOpTensorOp_t::CUDNN_OP_TENSOR_NOT.0 && is_type(compute))?;
    check(nan.0 <= cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0)?;
    *descriptor.lock() = OpTensorState { operation, compute, nan };
    Ok(())
}

pub(crate) fn get_op(
    state: OpTensorState,
    operation: Out<cudnnOpTensorOp_t>,
    compute: Out<cudnnDataType_t>,
    nan: Out<cudnnNanPropagation_t>,
) -> CudnnResult {
    operation.set_if_wanted(state.operation);
    compute.set_if_wanted(state.compute);
    nan.set_if_wanted(state.nan);
    Ok(())
}

pub(crate) unsafe fn op_tensor(
    handle: Arc<Handle>,
    state: OpTensorState,
    alpha1: *const c_void,
    a_state: TensorState,
    a: *const c_void,
    alpha2: *const c_void,
    b_state: TensorState,
    b: *const c_void,
    beta: *const c_void,
    c_state: TensorState,
    c: *mut c_void,
) -> CudnnResult {
    use cudnnOpTensorOp_t as O;
    check(a_state.dims == c_state.dims)?;
    let double = state.compute == cudnnDataType_t::CUDNN_DATA_DOUBLE;
    // SAFETY: the caller passes what the API asks for.
    let (first, beta) = unsafe { (factor(alpha1, double)?, factor(beta, double)?) };
    let one = matches!(state.operation, O::CUDNN_OP_TENSOR_SQRT | O::CUDNN_OP_TENSOR_NOT);
    let mut inputs = vec![a_state.at(a)?];
    let mut second = 0.0;
    if !one {
        repeats(&b_state, &c_state)?;
        // SAFETY: the caller passes what the API asks for.
        second = unsafe { factor(alpha2, double) }?;
        inputs.push(b_state.at(b)?);
    }
    let f: fn(f64, f64) -> f64 = match state.operation {
        O::CUDNN_OP_TENSOR_ADD => |a, b| a + b,
        O::CUDNN_OP_TENSOR_MUL => |a, b| a * b,
        O::CUDNN_OP_TENSOR_MIN => f64::min,
        O::CUDNN_OP_TENSOR_MAX => f64::max,
        O::CUDNN_OP_TENSOR_SQRT => |a, _| a.sqrt(),
        O::CUDNN_OP_TENSOR_NOT => |a, _| 1.0 - a,
        _ => return Err(INVALID),
    };
    let scale = Scale { alpha: 1.0, beta };
    let all = Elementwise { inputs, output: c_state.at(c)?, scale };
    handle.run(elementwise(all, move |inputs, to| {
        for (i, to) in to.iter_mut().enumerate() {
            *to = f(first * inputs[0][i], inputs.get(1).map_or(0.0, |b| second * b[i]));
        }
    }))
}

pub(crate) fn set_reduce(
    descriptor: Change<ReduceState>,
    operation: cudnnReduceTensorOp_t,
    compute: cudnnDataType_t,
    nan: cudnnNanPropagation_t,
    indices: cudnnReduceTensorIndices_t,
    indices_type: cudnnIndicesType_t,
) -> CudnnResult {
    reduction_of(operation).ok_or(INVALID)?;
    check(is_type(compute) && nan.0 <= cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0)?;
    check(indices.0 <= cudnnReduceTensorIndices_t::CUDNN_REDUCE_TENSOR_FLATTENED_INDICES.0)?;
    check(indices_type.0 <= cudnnIndicesType_t::CUDNN_8BIT_INDICES.0)?;
    *descriptor.lock() = ReduceState { operation, compute, nan, indices, indices_type };
    Ok(())
}

pub(crate) fn get_reduce(
    state: ReduceState,
    operation: Out<cudnnReduceTensorOp_t>,
    compute: Out<cudnnDataType_t>,
    nan: Out<cudnnNanPropagation_t>,
    indices: Out<cudnnReduceTensorIndices_t>,
    indices_type: Out<cudnnIndicesType_t>,
) -> CudnnResult {
    operation.set_if_wanted(state.operation);
    compute.set_if_wanted(state.compute);
    nan.set_if_wanted(state.nan);
    indices.set_if_wanted(state.indices);
    indices_type.set_if_wanted(state.indices_type);
    Ok(())
}

/// Whether places of results are wanted, which the least and the greatest elements have.
fn wants_indices(state: &ReduceState) -> bool {
    use cudnnReduceTensorOp_t as R;
    state.indices == cudnnReduceTensorIndices_t::CUDNN_REDUCE_TENSOR_FLATTENED_INDICES
        && matches!(
            state.operation,
            R::CUDNN_REDUCE_TENSOR_MIN | R::CUDNN_REDUCE_TENSOR_MAX | R::CUDNN_REDUCE_TENSOR_AMAX
        )
}

pub(crate) fn indices_size(
    _: Arc<Handle>,
    state: ReduceState,
    a: TensorState,
    c: TensorState,
    bytes: Out<usize>,
) -> CudnnResult {
    repeats(&c, &a)?;
    bytes.set(if wants_indices(&state) { c.layout()?.count() * 4 } else { 0 })
}

pub(crate) fn reduce_workspace(
    _: Arc<Handle>,
    _: ReduceState,
    a: TensorState,
    c: TensorState,
    bytes: Out<usize>,
) -> CudnnResult {
    repeats(&c, &a)?;
    bytes.set(0)
}

pub(crate) unsafe fn reduce_tensor(
    handle: Arc<Handle>,
    state: ReduceState,
    indices: *mut c_void,
    bytes: usize,
    _workspace: *mut c_void,
    _workspace_bytes: usize,
    alpha: *const c_void,
    a_state: TensorState,
    a: *const c_void,
    beta: *const c_void,
    c_state: TensorState,
    c: *mut c_void,
) -> CudnnResult {
    repeats(&c_state, &a_state)?;
    let reduction = reduction_of(state.operation).ok_or(INVALID)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, c_state.is_double()) }?;
    let (a, c) = (a_state.at(a)?, c_state.at(c)?);
    if wants_indices(&state) {
        if state.indices_type != cudnnIndicesType_t::CUDNN_32BIT_INDICES {
            return Err(cudnnError::NOT_SUPPORTED);
        }
        check(!indices.is_null() && bytes >= c.count() * 4)?;
        handle.run(reduction::indices(reduction, a.clone(), c.clone(), indices.cast()))?;
    }
    handle.run(reduction::reduce(reduction, a, c, scale))
}

pub(crate) fn set_lrn(
    descriptor: Change<LrnState>,
    window: c_uint,
    alpha: f64,
    beta: f64,
    k: f64,
) -> CudnnResult {
    check((CUDNN_LRN_MIN_N..=CUDNN_LRN_MAX_N).contains(&window))?;
    check(beta >= CUDNN_LRN_MIN_BETA && k >= CUDNN_LRN_MIN_K)?;
    *descriptor.lock() = LrnState { window, alpha, beta, k };
    Ok(())
}

pub(crate) fn get_lrn(
    state: LrnState,
    window: Out<c_uint>,
    alpha: Out<f64>,
    beta: Out<f64>,
    k: Out<f64>,
) -> CudnnResult {
    window.set_if_wanted(state.window);
    alpha.set_if_wanted(state.alpha);
    beta.set_if_wanted(state.beta);
    k.set_if_wanted(state.k);
    Ok(())
}

impl LrnState {
    fn lrn(&self, mode: cudnnLRNMode_t) -> CudnnResult<Lrn> {
        check(mode == cudnnLRNMode_t::CUDNN_LRN_CROSS_CHANNEL_DIM1)?;
        let LrnState { window, alpha, beta, k } = *self;
        Ok(Lrn { window: window as usize, alpha, beta, k })
    }
}

pub(crate) unsafe fn lrn_forward(
    handle: Arc<Handle>,
    state: LrnState,
    mode: cudnnLRNMode_t,
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
    handle.run(lrn::forward(state.lrn(mode)?, x_state.at(x)?, y_state.at(y)?, scale))
}

pub(crate) unsafe fn lrn_backward(
    handle: Arc<Handle>,
    state: LrnState,
    mode: cudnnLRNMode_t,
    alpha: *const c_void,
    _y_state: TensorState,
    _y: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
) -> CudnnResult {
    alike(&[&x_state, &dy_state, &dx_state])?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    let (x, dy, dx) = (x_state.at(x)?, dy_state.at(dy)?, dx_state.at(dx)?);
    handle.run(lrn::backward(state.lrn(mode)?, x, dy, dx, scale))
}
