//! Pooling.

use crate::api::activation::alike;
use crate::convert::{INVALID, In, Out, check, factors, length, size};
use crate::descriptor::{Change, PoolingState, TensorState};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::pooling::{self, Kind, Pooling};
use neural::window::{Axis, SPACE};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

fn set(descriptor: &Change<PoolingState>, state: PoolingState) -> CudnnResult {
    check(state.mode.0 <= cudnnPoolingMode_t::CUDNN_POOLING_MAX_DETERMINISTIC.0)?;
    check(state.nan.0 <= cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0)?;
    check(state.window.iter().chain(&state.strides).all(|value| *value > 0))?;
    *descriptor.lock() = state;
    Ok(())
}

pub(crate) fn set_2d(
    descriptor: Change<PoolingState>,
    mode: cudnnPoolingMode_t,
    nan: cudnnNanPropagation_t,
    height: c_int,
    width: c_int,
    vertical_pad: c_int,
    horizontal_pad: c_int,
    vertical_stride: c_int,
    horizontal_stride: c_int,
) -> CudnnResult {
    let state = PoolingState {
        mode,
        nan,
        window: vec![height, width],
        pads: vec![vertical_pad, horizontal_pad],
        strides: vec![vertical_stride, horizontal_stride],
    };
    set(&descriptor, state)
}

pub(crate) fn get_2d(
    state: PoolingState,
    mode: Out<cudnnPoolingMode_t>,
    nan: Out<cudnnNanPropagation_t>,
    height: Out<c_int>,
    width: Out<c_int>,
    vertical_pad: Out<c_int>,
    horizontal_pad: Out<c_int>,
    vertical_stride: Out<c_int>,
    horizontal_stride: Out<c_int>,
) -> CudnnResult {
    check(state.window.len() == 2)?;
    mode.set_if_wanted(state.mode);
    nan.set_if_wanted(state.nan);
    let places = [height, width, vertical_pad, horizontal_pad, vertical_stride, horizontal_stride];
    let values = [&state.window, &state.pads, &state.strides].into_iter().flatten();
    places.iter().zip(values).for_each(|(place, value)| place.set_if_wanted(*value));
    Ok(())
}

/// The dimensions that windows move along.
const MOST: c_int = CUDNN_DIM_MAX as c_int - 2;

pub(crate) fn set_nd(
    descriptor: Change<PoolingState>,
    mode: cudnnPoolingMode_t,
    nan: cudnnNanPropagation_t,
    count: c_int,
    window: In<c_int>,
    pads: In<c_int>,
    strides: In<c_int>,
) -> CudnnResult {
    if count > MOST {
        return Err(cudnnError::NOT_SUPPORTED);
    }
    let count = length(count)?;
    let all = |values: In<c_int>| values.array(count, count);
    let (window, pads, strides) = (all(window)?, all(pads)?, all(strides)?);
    set(&descriptor, PoolingState { mode, nan, window, pads, strides })
}

pub(crate) fn get_nd(
    state: PoolingState,
    wanted: c_int,
    mode: Out<cudnnPoolingMode_t>,
    nan: Out<cudnnNanPropagation_t>,
    count: Out<c_int>,
    window: Out<c_int>,
    pads: Out<c_int>,
    strides: Out<c_int>,
) -> CudnnResult {
    let wanted = size(wanted)?;
    mode.set_if_wanted(state.mode);
    nan.set_if_wanted(state.nan);
    count.set_if_wanted(state.window.len() as c_int);
    for (place, values) in [(window, state.window), (pads, state.pads), (strides, state.strides)] {
        if !place.is_null() {
            place.set_all(values, wanted);
        }
    }
    Ok(())
}

impl PoolingState {
    /// Windows along each dimension, filled up to three.
    fn pooling(&self) -> CudnnResult<Pooling> {
        use cudnnPoolingMode_t as M;
        let count = self.window.len();
        check(count > 0)?;
        if count > SPACE {
            return Err(cudnnError::NOT_SUPPORTED);
        }
        let mut axes = [Axis::NONE; SPACE];
        for i in 0..count {
            axes[SPACE - count + i] = Axis {
                window: self.window[i] as usize,
                pad: self.pads[i] as isize,
                stride: self.strides[i] as usize,
                dilation: 1,
            };
        }
        let kind = match self.mode {
            M::CUDNN_POOLING_MAX | M::CUDNN_POOLING_MAX_DETERMINISTIC => {
                Kind::Max { propagates_nan: self.nan == cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN }
            }
            M::CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING => Kind::Average { with_padding: true },
            M::CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING => Kind::Average { with_padding: false },
            _ => return Err(INVALID),
        };
        Ok(Pooling { kind, axes })
    }

    /// The dimensions of what is pooled.
    fn output(&self, input: &TensorState) -> CudnnResult<Vec<i32>> {
        let count = self.window.len();
        check(count > 0 && input.dims.len() == count + 2)?;
        let axes = self.pooling()?.axes;
        let mut dims = input.dims[..2].to_vec();
        for (dim, axis) in input.dims[2..].iter().zip(&axes[SPACE - count..]) {
            let outputs = axis.outputs(*dim as usize);
            check(outputs > 0)?;
            dims.push(outputs as i32);
        }
        Ok(dims)
    }
}

pub(crate) fn output_2d(
    state: PoolingState,
    input: TensorState,
    n: Out<c_int>,
    c: Out<c_int>,
    h: Out<c_int>,
    w: Out<c_int>,
) -> CudnnResult {
    check(state.window.len() == 2)?;
    let places = [n, c, h, w];
    places.iter().try_for_each(|place| place.check())?;
    let dims = state.output(&input)?;
    places.iter().zip(dims).try_for_each(|(place, dim)| place.set(dim))
}

pub(crate) fn output_nd(
    state: PoolingState,
    input: TensorState,
    count: c_int,
    dims: Out<c_int>,
) -> CudnnResult {
    dims.check()?;
    let found = state.output(&input)?;
    check(count as usize == found.len())?;
    dims.set_all(found, count as usize);
    Ok(())
}

/// The checks of both directions.
fn checked(state: &PoolingState, x: &TensorState, y: &TensorState) -> CudnnResult<Pooling> {
    check(x.ty == y.ty && x.dims.len() == y.dims.len())?;
    check(state.output(x)? == y.dims)?;
    state.pooling()
}

pub(crate) unsafe fn pooling_forward(
    handle: Arc<Handle>,
    state: PoolingState,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    let pooling = checked(&state, &x_state, &y_state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    handle.run(pooling::forward(pooling, x_state.at(x)?, y_state.at(y)?, scale))
}

pub(crate) unsafe fn pooling_backward(
    handle: Arc<Handle>,
    state: PoolingState,
    alpha: *const c_void,
    y_state: TensorState,
    _y: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
) -> CudnnResult {
    alike(&[&y_state, &dy_state])?;
    alike(&[&x_state, &dx_state])?;
    let pooling = checked(&state, &x_state, &y_state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    // Means need no values.
    let needs_x = matches!(pooling.kind, Kind::Max { .. });
    let x = if needs_x { Some(x_state.at(x)?) } else { None };
    handle.run(pooling::backward(pooling, x, dy_state.at(dy)?, dx_state.at(dx)?, scale, None))
}
