//! Connectionist temporal classification.

use crate::convert::{In, Out, check, is_type, size, supported};
use crate::descriptor::{Change, CtcState, TensorState, optional};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::ctc::{Loss, Numbers, loss};
use neural::{Format, Layout};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Sets what all versions of the descriptor have in common.
fn describe(
    descriptor: &Change<CtcState>,
    compute: cudnnDataType_t,
    change: impl FnOnce(&mut CtcState),
) -> CudnnResult {
    check(is_type(compute))?;
    supported(matches!(
        compute,
        cudnnDataType_t::CUDNN_DATA_FLOAT | cudnnDataType_t::CUDNN_DATA_DOUBLE
    ))?;
    let mut state = CtcState { is_set: true, compute, ..CtcState::default() };
    change(&mut state);
    check(state.norm.0 <= cudnnLossNormalizationMode_t::CUDNN_LOSS_NORMALIZATION_SOFTMAX.0)?;
    check(state.nan.0 <= cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0)?;
    check(state.beyond.0 <= cudnnCTCGradMode_t::CUDNN_CTC_SKIP_OOB_GRADIENTS.0)?;
    *descriptor.lock() = state;
    Ok(())
}

pub(crate) fn set(descriptor: Change<CtcState>, compute: cudnnDataType_t) -> CudnnResult {
    describe(&descriptor, compute, |_| {})
}

pub(crate) fn set_ex(
    descriptor: Change<CtcState>,
    compute: cudnnDataType_t,
    norm: cudnnLossNormalizationMode_t,
    nan: cudnnNanPropagation_t,
) -> CudnnResult {
    describe(&descriptor, compute, |state| (state.norm, state.nan) = (norm, nan))
}

pub(crate) fn set_v8(
    descriptor: Change<CtcState>,
    compute: cudnnDataType_t,
    norm: cudnnLossNormalizationMode_t,
    nan: cudnnNanPropagation_t,
    longest: c_int,
) -> CudnnResult {
    describe(&descriptor, compute, |state| {
        (state.norm, state.nan, state.longest) = (norm, nan, longest);
    })
}

pub(crate) fn set_v9(
    descriptor: Change<CtcState>,
    compute: cudnnDataType_t,
    norm: cudnnLossNormalizationMode_t,
    beyond: cudnnCTCGradMode_t,
    longest: c_int,
) -> CudnnResult {
    describe(&descriptor, compute, |state| {
        (state.norm, state.beyond, state.longest) = (norm, beyond, longest);
    })
}

pub(crate) fn get(state: CtcState, compute: Out<cudnnDataType_t>) -> CudnnResult {
    check(state.is_set)?;
    compute.set(state.compute)
}

pub(crate) fn get_ex(
    state: CtcState,
    compute: Out<cudnnDataType_t>,
    norm: Out<cudnnLossNormalizationMode_t>,
    nan: Out<cudnnNanPropagation_t>,
) -> CudnnResult {
    norm.set_if_wanted(state.norm);
    nan.set_if_wanted(state.nan);
    get(state, compute)
}

pub(crate) fn get_v8(
    state: CtcState,
    compute: Out<cudnnDataType_t>,
    norm: Out<cudnnLossNormalizationMode_t>,
    nan: Out<cudnnNanPropagation_t>,
    longest: Out<c_int>,
) -> CudnnResult {
    longest.set_if_wanted(state.longest);
    get_ex(state, compute, norm, nan)
}

pub(crate) fn get_v9(
    state: CtcState,
    compute: Out<cudnnDataType_t>,
    norm: Out<cudnnLossNormalizationMode_t>,
    beyond: Out<cudnnCTCGradMode_t>,
    longest: Out<c_int>,
) -> CudnnResult {
    norm.set_if_wanted(state.norm);
    beyond.set_if_wanted(state.beyond);
    longest.set_if_wanted(state.longest);
    get(state, compute)
}

/// Checks what all calls have in common: there are probabilities of `[steps, batch, labels]`, and gradients alike.
fn checked(
    state: &CtcState,
    algorithm: cudnnCTCLossAlgo_t,
    x: &TensorState,
    gradient: Option<&TensorState>,
) -> CudnnResult<Layout> {
    check(state.is_set && x.dims.len() == 3)?;
    let last = cudnnCTCLossAlgo_t::CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC;
    supported(algorithm.0 <= last.0)?;
    let layout = x.layout()?;
    supported(matches!(layout.format, Format::F32 | Format::F64))?;
    if let Some(gradient) = gradient {
        check(gradient.dims == x.dims)?;
        supported(gradient.ty == x.ty)?;
    }
    Ok(layout)
}

/// Numbers of labels and steps on the host, for a batch.
fn of_host(
    layout: &Layout,
    labels: In<c_int>,
    label_lengths: In<c_int>,
    steps: In<c_int>,
) -> CudnnResult<[Numbers; 3]> {
    let batch = layout.dims[1];
    let (lengths, steps) = (label_lengths.array(batch, batch)?, steps.array(batch, batch)?);
    check(steps.iter().all(|steps| (0..=layout.dims[0] as c_int).contains(steps)))?;
    let mut count = 0;
    for length in &lengths {
        count += size(*length)?;
    }
    let labels = labels.array(count, count)?;
    check(labels.iter().all(|label| (0..layout.dims[2] as c_int).contains(label)))?;
    Ok([labels, lengths, steps].map(|numbers| Numbers::Known(numbers.into())))
}

/// Nothing is kept outside of the call.
pub(crate) fn workspace(
    _: Arc<Handle>,
    x: TensorState,
    gradient: cudnnTensorDescriptor_t,
    labels: In<c_int>,
    label_lengths: In<c_int>,
    steps: In<c_int>,
    algorithm: cudnnCTCLossAlgo_t,
    state: CtcState,
    bytes: Out<usize>,
) -> CudnnResult {
    let gradient = optional(gradient)?;
    let layout = checked(&state, algorithm, &x, gradient.as_ref())?;
    of_host(&layout, labels, label_lengths, steps)?;
    bytes.set(0)
}

pub(crate) fn workspace_v8(
    _: Arc<Handle>,
    algorithm: cudnnCTCLossAlgo_t,
    state: CtcState,
    x: TensorState,
    gradient: cudnnTensorDescriptor_t,
    bytes: Out<usize>,
) -> CudnnResult {
    let gradient = optional(gradient)?;
    checked(&state, algorithm, &x, gradient.as_ref())?;
    bytes.set(0)
}

/// Puts the work into the stream.
fn enqueue(
    handle: &Handle,
    state: &CtcState,
    layout: &Layout,
    (x, costs): (*const c_void, *mut c_void),
    gradient: Option<(&TensorState, *mut c_void)>,
    [labels, label_lengths, steps]: [Numbers; 3],
) -> CudnnResult {
    check(!x.is_null() && !costs.is_null())?;
    let gradient = gradient.filter(|(_, place)| !place.is_null());
    handle.run(loss(Loss {
        x: layout.at(x.cast()),
        softmax: state.norm == cudnnLossNormalizationMode_t::CUDNN_LOSS_NORMALIZATION_SOFTMAX,
        labels,
        label_lengths,
        steps,
        costs: Layout::packed(layout.format, &[layout.dims[1]]).at(costs.cast_const().cast()),
        gradient: gradient.map(|(state, place)| state.at(place)).transpose()?,
        zero_beyond: state.beyond == cudnnCTCGradMode_t::CUDNN_CTC_ZERO_OOB_GRADIENTS,
    }))
}

pub(crate) fn ctc_loss(
    handle: Arc<Handle>,
    x_state: TensorState,
    x: *const c_void,
    labels: In<c_int>,
    label_lengths: In<c_int>,
    steps: In<c_int>,
    costs: *mut c_void,
    gradient: cudnnTensorDescriptor_t,
    gradient_place: *mut c_void,
    algorithm: cudnnCTCLossAlgo_t,
    state: CtcState,
    _workspace: *mut c_void,
    _bytes: usize,
) -> CudnnResult {
    let gradient = optional(gradient)?;
    let layout = checked(&state, algorithm, &x_state, gradient.as_ref())?;
    let numbers = of_host(&layout, labels, label_lengths, steps)?;
    let gradient = gradient.as_ref().map(|state| (state, gradient_place));
    enqueue(&handle, &state, &layout, (x, costs), gradient, numbers)
}

/// As [`ctc_loss`], of labels and lengths that are in the device's memory, and not looked at before the stream gets there.
pub(crate) fn ctc_loss_v8(
    handle: Arc<Handle>,
    algorithm: cudnnCTCLossAlgo_t,
    state: CtcState,
    x_state: TensorState,
    x: *const c_void,
    labels: *const c_int,
    label_lengths: *const c_int,
    steps: *const c_int,
    costs: *mut c_void,
    gradient: cudnnTensorDescriptor_t,
    gradient_place: *mut c_void,
    _bytes: usize,
    _workspace: *mut c_void,
) -> CudnnResult {
    let gradient = optional(gradient)?;
    let layout = checked(&state, algorithm, &x_state, gradient.as_ref())?;
    let places = [labels, label_lengths, steps];
    check(places.iter().all(|place| !place.is_null()))?;
    let numbers = places.map(|place| Numbers::In(place.expose_provenance()));
    let gradient = gradient.as_ref().map(|state| (state, gradient_place));
    enqueue(&handle, &state, &layout, (x, costs), gradient, numbers)
}
