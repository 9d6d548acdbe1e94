//! Convolutions: descriptors, and all three directions.

use crate::convert::{INVALID, In, Out, check, factor, factors, is_type, length, size, supported};
use crate::descriptor::{ActivationState, Change, ConvolutionState, FilterState, TensorState};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::convolution::{self, Convolution, Epilogue};
use neural::window::{Axis, SPACE};
use neural::{Format, Scale};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

fn set(
    descriptor: &Change<ConvolutionState>,
    (pads, strides, dilations): (Vec<i32>, Vec<i32>, Vec<i32>),
    mode: cudnnConvolutionMode_t,
    compute: cudnnDataType_t,
) -> CudnnResult {
    check(mode.0 <= cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION.0 && is_type(compute))?;
    check(pads.iter().all(|value| *value >= 0))?;
    check(strides.iter().chain(&dilations).all(|value| *value > 0))?;
    let mut state = descriptor.lock();
    (state.pads, state.strides, state.dilations) = (pads, strides, dilations);
    (state.mode, state.compute) = (mode, compute);
    Ok(())
}

pub(crate) fn set_2d(
    descriptor: Change<ConvolutionState>,
    pad_h: c_int,
    pad_w: c_int,
    stride_h: c_int,
    stride_w: c_int,
    dilation_h: c_int,
    dilation_w: c_int,
    mode: cudnnConvolutionMode_t,
    compute: cudnnDataType_t,
) -> CudnnResult {
    let all = (vec![pad_h, pad_w], vec![stride_h, stride_w], vec![dilation_h, dilation_w]);
    set(&descriptor, all, mode, compute)
}

pub(crate) fn get_2d(
    state: ConvolutionState,
    pad_h: Out<c_int>,
    pad_w: Out<c_int>,
    stride_h: Out<c_int>,
    stride_w: Out<c_int>,
    dilation_h: Out<c_int>,
    dilation_w: Out<c_int>,
    mode: Out<cudnnConvolutionMode_t>,
    compute: Out<cudnnDataType_t>,
) -> CudnnResult {
    check(state.pads.len() == 2)?;
    let places = [pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w];
    let values = [&state.pads, &state.strides, &state.dilations].into_iter().flatten();
    places.iter().zip(values).for_each(|(place, value)| place.set_if_wanted(*value));
    mode.set_if_wanted(state.mode);
    compute.set_if_wanted(state.compute);
    Ok(())
}

/// The dimensions that filters move along.
const MOST: c_int = CUDNN_DIM_MAX as c_int - 2;

pub(crate) fn set_nd(
    descriptor: Change<ConvolutionState>,
    count: c_int,
    pads: In<c_int>,
    strides: In<c_int>,
    dilations: In<c_int>,
    mode: cudnnConvolutionMode_t,
    compute: cudnnDataType_t,
) -> CudnnResult {
    supported(count <= MOST)?;
    let count = size(count)?;
    let all = |values: In<c_int>| values.array(count, count);
    let all = (all(pads)?, all(strides)?, all(dilations)?);
    set(&descriptor, all, mode, compute)
}

pub(crate) fn get_nd(
    state: ConvolutionState,
    wanted: c_int,
    count: Out<c_int>,
    pads: Out<c_int>,
    strides: Out<c_int>,
    dilations: Out<c_int>,
    mode: Out<cudnnConvolutionMode_t>,
    compute: Out<cudnnDataType_t>,
) -> CudnnResult {
    let wanted = size(wanted)?;
    count.set_if_wanted(state.pads.len() as c_int);
    for (place, values) in
        [(pads, state.pads), (strides, state.strides), (dilations, state.dilations)]
    {
        if !place.is_null() {
            place.set_all(values, wanted);
        }
    }
    mode.set_if_wanted(state.mode);
    compute.set_if_wanted(state.compute);
    Ok(())
}

pub(crate) fn set_groups(descriptor: Change<ConvolutionState>, groups: c_int) -> CudnnResult {
    length(groups)?;
    descriptor.lock().groups = groups;
    Ok(())
}

pub(crate) fn get_groups(state: ConvolutionState, groups: Out<c_int>) -> CudnnResult {
    groups.set(state.groups)
}

/// Sums are as exact as the types allow in each mode.
pub(crate) fn set_math(descriptor: Change<ConvolutionState>, math: cudnnMathType_t) -> CudnnResult {
    check(math.0 <= cudnnMathType_t::CUDNN_FMA_MATH.0)?;
    descriptor.lock().math = math;
    Ok(())
}

pub(crate) fn get_math(state: ConvolutionState, math: Out<cudnnMathType_t>) -> CudnnResult {
    math.set(state.math)
}

pub(crate) fn set_reorder(
    descriptor: Change<ConvolutionState>,
    reorder: cudnnReorderType_t,
) -> CudnnResult {
    check(reorder.0 <= cudnnReorderType_t::CUDNN_NO_REORDER.0)?;
    descriptor.lock().reorder = reorder;
    Ok(())
}

pub(crate) fn get_reorder(
    state: ConvolutionState,
    reorder: Out<cudnnReorderType_t>,
) -> CudnnResult {
    reorder.set(state.reorder)
}

impl ConvolutionState {
    /// The convolution by a filter, filled up to three dimensions.
    fn convolution(&self, filter: &FilterState) -> CudnnResult<Convolution> {
        let count = self.pads.len();
        check(count > 0 && filter.tensor.dims.len() == count + 2)?;
        supported(count <= SPACE)?;
        let mut axes = [Axis::NONE; SPACE];
        for i in 0..count {
            axes[SPACE - count + i] = Axis {
                window: filter.tensor.dims[2 + i] as usize,
                pad: self.pads[i] as isize,
                stride: self.strides[i] as usize,
                dilation: self.dilations[i] as usize,
            };
        }
        let flip = self.mode == cudnnConvolutionMode_t::CUDNN_CONVOLUTION;
        Ok(Convolution { axes, groups: self.groups as usize, flip })
    }

    /// The dimensions of the result.
    fn output(&self, input: &TensorState, filter: &FilterState) -> CudnnResult<Vec<i32>> {
        let convolution = self.convolution(filter)?;
        let count = self.pads.len();
        check(input.dims.len() == count + 2)?;
        let w = &filter.tensor.dims;
        check(input.dims[1] == w[1].saturating_mul(self.groups) && w[0] % self.groups == 0)?;
        let mut dims = vec![input.dims[0], w[0]];
        for (dim, axis) in input.dims[2..].iter().zip(&convolution.axes[SPACE - count..]) {
            let outputs = axis.outputs(*dim as usize);
            check(outputs > 0)?;
            dims.push(outputs as i32);
        }
        Ok(dims)
    }
}

pub(crate) fn output_2d(
    state: ConvolutionState,
    input: TensorState,
    filter: FilterState,
    n: Out<c_int>,
    c: Out<c_int>,
    h: Out<c_int>,
    w: Out<c_int>,
) -> CudnnResult {
    check(state.pads.len() == 2)?;
    let places = [n, c, h, w];
    places.iter().try_for_each(|place| place.check())?;
    let dims = state.output(&input, &filter)?;
    places.iter().zip(dims).try_for_each(|(place, dim)| place.set(dim))
}

pub(crate) fn output_nd(
    state: ConvolutionState,
    input: TensorState,
    filter: FilterState,
    count: c_int,
    dims: Out<c_int>,
) -> CudnnResult {
    dims.check()?;
    let found = state.output(&input, &filter)?;
    check(count as usize == found.len())?;
    dims.set_all(found, count as usize);
    Ok(())
}

/// The checks of all directions: dimensions that belong together, and types that there are products of.
fn checked(
    state: &ConvolutionState,
    x: &TensorState,
    filter: &FilterState,
    y: &TensorState,
) -> CudnnResult<Convolution> {
    check(state.output(x, filter)? == y.dims)?;
    let (input, output) = (x.layout()?.format, y.layout()?.format);
    check(x.ty == filter.tensor.ty)?;
    supported(match input {
        Format::F32 | Format::F64 => output == input,
        Format::F16 | Format::Bf16 => output == input || output == Format::F32,
        Format::I8 => matches!(output, Format::I8 | Format::F32 | Format::I32),
        Format::U8 => matches!(output, Format::U8 | Format::F32 | Format::I32),
        _ => false,
    })?;
    state.convolution(filter)
}

pub(crate) unsafe fn convolution_forward(
    handle: Arc<Handle>,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    filter: FilterState,
    w: *const c_void,
    state: ConvolutionState,
    algorithm: cudnnConvolutionFwdAlgo_t,
    _workspace: *mut c_void,
    _bytes: usize,
    beta: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    check(algorithm.0 < cudnnConvolutionFwdAlgo_t::CUDNN_CONVOLUTION_FWD_ALGO_COUNT.0)?;
    let convolution = checked(&state, &x_state, &filter, &y_state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    let (x, w, y) = (x_state.at(x)?, filter.tensor.at(w)?, y_state.at(y)?);
    handle.run(convolution::forward(&convolution, x, w, y, scale, None))
}

pub(crate) unsafe fn convolution_bias_activation_forward(
    handle: Arc<Handle>,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    filter: FilterState,
    w: *const c_void,
    state: ConvolutionState,
    algorithm: cudnnConvolutionFwdAlgo_t,
    _workspace: *mut c_void,
    _bytes: usize,
    alpha2: *const c_void,
    z_state: TensorState,
    z: *const c_void,
    bias_state: TensorState,
    bias: *const c_void,
    activation: ActivationState,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    check(algorithm.0 < cudnnConvolutionFwdAlgo_t::CUDNN_CONVOLUTION_FWD_ALGO_COUNT.0)?;
    let convolution = checked(&state, &x_state, &filter, &y_state)?;
    check(z_state.dims == y_state.dims)?;
    // One bias for each channel.
    let channels = y_state.dims[1];
    let wanted = bias_state
        .dims
        .iter()
        .enumerate()
        .all(|(i, dim)| *dim == if i == 1 { channels } else { 1 });
    check(wanted && bias_state.dims.len() == y_state.dims.len())?;
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) =
        unsafe { (factor(alpha, x_state.is_double())?, factor(alpha2, x_state.is_double())?) };
    let (x, w, y) = (x_state.at(x)?, filter.tensor.at(w)?, y_state.at(y)?);
    let z = if beta == 0.0 { None } else { Some(z_state.at(z)?) };
    let bias = Some(bias_state.at(bias)?);
    let epilogue = Epilogue { z, bias, activation: activation.activation()? };
    let scale = Scale { alpha, beta };
    handle.run(convolution::forward(&convolution, x, w, y, scale, Some(epilogue)))
}

pub(crate) unsafe fn convolution_backward_bias(
    handle: Arc<Handle>,
    alpha: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    beta: *const c_void,
    db_state: TensorState,
    db: *mut c_void,
) -> CudnnResult {
    check(dy_state.ty == db_state.ty && dy_state.dims.len() == db_state.dims.len())?;
    let mut pairs = dy_state.dims.iter().zip(&db_state.dims).enumerate();
    check(pairs.all(|(i, (dy, db))| if i == 1 { dy == db } else { *db == 1 }))?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, dy_state.is_double()) }?;
    handle.run(convolution::backward_bias(dy_state.at(dy)?, db_state.at(db)?, scale))
}

pub(crate) unsafe fn convolution_backward_data(
    handle: Arc<Handle>,
    alpha: *const c_void,
    filter: FilterState,
    w: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    state: ConvolutionState,
    algorithm: cudnnConvolutionBwdDataAlgo_t,
    _workspace: *mut c_void,
    _bytes: usize,
    beta: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
) -> CudnnResult {
    check(algorithm.0 < cudnnConvolutionBwdDataAlgo_t::CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT.0)?;
    let convolution = checked(&state, &dx_state, &filter, &dy_state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, dy_state.is_double()) }?;
    let (w, dy, dx) = (filter.tensor.at(w)?, dy_state.at(dy)?, dx_state.at(dx)?);
    handle.run(convolution::backward_data(&convolution, w, dy, dx, scale))
}

pub(crate) unsafe fn convolution_backward_filter(
    handle: Arc<Handle>,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    state: ConvolutionState,
    algorithm: cudnnConvolutionBwdFilterAlgo_t,
    _workspace: *mut c_void,
    _bytes: usize,
    beta: *const c_void,
    filter: FilterState,
    dw: *mut c_void,
) -> CudnnResult {
    check(
        algorithm.0 < cudnnConvolutionBwdFilterAlgo_t::CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT.0,
    )?;
    let convolution = checked(&state, &x_state, &filter, &dy_state)?;
    // SAFETY: the caller passes what the API asks for.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    let (x, dy, dw) = (x_state.at(x)?, dy_state.at(dy)?, filter.tensor.at(dw)?);
    handle.run(convolution::backward_filter(&convolution, x, dy, dw, scale))
}

/// The functions that choose an algorithm of a direction: all of them are one, which needs no workspace. The descriptors are
/// in the order that the direction's functions have them in.
macro_rules! algorithms {
    ($($perf:ident, $ty:ident [$($algorithm:ident),*]: $most:literal,
       $count:ident, $get:ident, $find_ex:ident, $workspace:ident;
       ($first:ident: $first_ty:ty, $second:ident: $second_ty:ty, $state:ident, $third:ident: $third_ty:ty)
       => ($x:ident, $w:ident, $y:ident);)*) => {$(
        pub(crate) fn $count(_: Arc<Handle>, count: Out<c_int>) -> CudnnResult {
            count.set($most)
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $get(
            _: Arc<Handle>,
            $first: $first_ty,
            $second: $second_ty,
            $state: ConvolutionState,
            $third: $third_ty,
            wanted: c_int,
            found: Out<c_int>,
            results: Out<$perf>,
        ) -> CudnnResult {
            check(wanted > 0)?;
            found.check()?;
            results.check()?;
            checked(&$state, &$x, &$w, &$y)?;
            let all = [$($ty::$algorithm),*].map(|algo| $perf {
                algo,
                status: cudnnStatus_t::CUDNN_STATUS_SUCCESS,
                time: -1.0,
                memory: 0,
                determinism: cudnnDeterminism_t::CUDNN_DETERMINISTIC,
                mathType: $state.math,
                reserved: [0; 3],
            });
            let count = all.len().min(wanted as usize);
            results.set_all(all, count);
            found.set(count as c_int)
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $find_ex(
            handle: Arc<Handle>,
            $first: $first_ty,
            _first: *const c_void,
            $second: $second_ty,
            _second: *const c_void,
            $state: ConvolutionState,
            $third: $third_ty,
            _third: *mut c_void,
            wanted: c_int,
            found: Out<c_int>,
            results: Out<$perf>,
            _workspace: *mut c_void,
            _bytes: usize,
        ) -> CudnnResult {
            $get(handle, $first, $second, $state, $third, wanted, found, results)
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $workspace(
            _: Arc<Handle>,
            $first: $first_ty,
            $second: $second_ty,
            $state: ConvolutionState,
            $third: $third_ty,
            algorithm: $ty,
            bytes: Out<usize>,
        ) -> CudnnResult {
            check((algorithm.0) < $most)?;
            checked(&$state, &$x, &$w, &$y)?;
            bytes.set(0)
        }
    )*};
}

algorithms! {
    cudnnConvolutionFwdAlgoPerf_t, cudnnConvolutionFwdAlgo_t [
        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM
    ]: 8, forward_count, forward_get, forward_find_ex, forward_workspace;
    (x: TensorState, w: FilterState, state, y: TensorState) => (x, w, y);
    cudnnConvolutionBwdDataAlgoPerf_t, cudnnConvolutionBwdDataAlgo_t [
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0
    ]: 6, data_count, data_get, data_find_ex, data_workspace;
    (w: FilterState, y: TensorState, state, x: TensorState) => (x, w, y);
    cudnnConvolutionBwdFilterAlgoPerf_t, cudnnConvolutionBwdFilterAlgo_t [
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0
    ]: 7, filter_count, filter_get, filter_find_ex, filter_workspace;
    (x: TensorState, y: TensorState, state, w: FilterState) => (x, w, y);
}

/// A filter in the order that a product with it wants: ours wants none. Vectors of channels are not supported.
pub(crate) fn reorder(
    _: Arc<Handle>,
    _filter: FilterState,
    reorder: cudnnReorderType_t,
    _data: *const c_void,
    _reordered: *mut c_void,
    _with_bias: c_int,
    _bias: *const c_void,
    _reordered_bias: *mut c_void,
) -> CudnnResult {
    if reorder.0 > cudnnReorderType_t::CUDNN_NO_REORDER.0 {
        return Err(INVALID);
    }
    Err(cudnnError::NOT_SUPPORTED)
}
