//! Dropout. Ranges of probabilities are not checked, as NVIDIA's cuDNN checks none.

use crate::convert::{Out, check, supported};
use crate::descriptor::{Change, DropoutState, TensorState};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::dropout::{self, STATE};
use neural::{Format, Tensor};
use std::ffi::{c_ulonglong, c_void};
use std::sync::Arc;

pub(crate) fn states_size(_: Arc<Handle>, bytes: Out<usize>) -> CudnnResult {
    bytes.set(STATE)
}

/// Of a tensor that is not set: nothing.
pub(crate) fn reserve_size(x: TensorState, bytes: Out<usize>) -> CudnnResult {
    let count = if x.dims.is_empty() { 0 } else { x.layout()?.count() };
    bytes.set(dropout::kept_bytes(count))
}

/// Begins a sequence of numbers in the states, when the stream gets there. Without states those that the descriptor has stay,
/// and go on.
pub(crate) fn set(
    descriptor: Change<DropoutState>,
    handle: Arc<Handle>,
    probability: f32,
    states: *mut c_void,
    bytes: usize,
    seed: c_ulonglong,
) -> CudnnResult {
    let mut state = descriptor.lock();
    if states.is_null() {
        (state.probability, state.seed) = (probability, seed);
        return Ok(());
    }
    check(bytes >= STATE)?;
    *state = DropoutState { probability, states: states.expose_provenance(), seed };
    drop(state);
    handle.run(dropout::begin(states.expose_provenance(), seed))
}

/// Goes on with the sequence that the states have.
pub(crate) fn restore(
    descriptor: Change<DropoutState>,
    _: Arc<Handle>,
    probability: f32,
    states: *mut c_void,
    bytes: usize,
    seed: c_ulonglong,
) -> CudnnResult {
    check(bytes >= STATE)?;
    *descriptor.lock() = DropoutState { probability, states: states.expose_provenance(), seed };
    Ok(())
}

pub(crate) fn get(
    state: DropoutState,
    _: Arc<Handle>,
    probability: Out<f32>,
    states: Out<*mut c_void>,
    seed: Out<c_ulonglong>,
) -> CudnnResult {
    probability.set_if_wanted(state.probability);
    states.set_if_wanted(std::ptr::with_exposed_provenance_mut(state.states));
    seed.set_if_wanted(state.seed);
    Ok(())
}

/// Both tensors. They have as many elements of one type, and lie alike where they are the same memory.
fn pair(
    (from_state, from): (TensorState, *const c_void),
    (to_state, to): (TensorState, *const c_void),
    (reserve, bytes): (*mut c_void, usize),
) -> CudnnResult<(Tensor, Tensor)> {
    let (from, to) = (from_state.at(from)?, to_state.at(to)?);
    check(from.format == to.format && from.count() == to.count())?;
    check(from.first != to.first || (from.strides == to.strides && from.dims == to.dims))?;
    check(!reserve.is_null() && bytes >= dropout::kept_bytes(from.count()))?;
    supported(matches!(from.format, Format::F32 | Format::F64 | Format::F16 | Format::Bf16))?;
    Ok((from, to))
}

pub(crate) fn dropout_forward(
    handle: Arc<Handle>,
    state: DropoutState,
    x_state: TensorState,
    x: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
    reserve: *mut c_void,
    bytes: usize,
) -> CudnnResult {
    let dropout = state.dropout()?;
    let (x, y) = pair((x_state, x), (y_state, y), (reserve, bytes))?;
    handle.run_all(dropout::forward(dropout, x, y, reserve.expose_provenance()))
}

pub(crate) fn dropout_backward(
    handle: Arc<Handle>,
    state: DropoutState,
    dy_state: TensorState,
    dy: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
    reserve: *mut c_void,
    bytes: usize,
) -> CudnnResult {
    let dropout = state.dropout()?;
    let (dy, dx) = pair((dy_state, dy), (dx_state, dx), (reserve, bytes))?;
    handle.run(dropout::backward(dropout, dy, dx, reserve.expose_provenance()))
}
