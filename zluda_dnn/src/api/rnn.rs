//! Recurrent networks: descriptors, the space of weights, and the passes.

use crate::convert::{INVALID, In, Out, check, format, length, supported};
use crate::descriptor::{Change, RnnDataState, RnnState, TensorState, find, optional, packed};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::Format;
use neural::rnn::{self, Cell, DataGradients, Rnn, Sequences, States, Training};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

pub(crate) fn set(
    descriptor: Change<RnnState>,
    algorithm: cudnnRNNAlgo_t,
    cell: cudnnRNNMode_t,
    bias: cudnnRNNBiasMode_t,
    direction: cudnnDirectionMode_t,
    input_mode: cudnnRNNInputMode_t,
    ty: cudnnDataType_t,
    compute: cudnnDataType_t,
    math: cudnnMathType_t,
    input: i32,
    hidden: i32,
    projected: i32,
    layers: i32,
    dropout: cudnnDropoutDescriptor_t,
    flags: u32,
) -> CudnnResult {
    check(
        algorithm.0 < cudnnRNNAlgo_t::CUDNN_RNN_ALGO_COUNT.0
            && cell.0 <= cudnnRNNMode_t::CUDNN_GRU.0,
    )?;
    check(bias.0 <= cudnnRNNBiasMode_t::CUDNN_RNN_SINGLE_REC_BIAS.0)?;
    check(direction.0 <= cudnnDirectionMode_t::CUDNN_BIDIRECTIONAL.0)?;
    check(input_mode.0 <= cudnnRNNInputMode_t::CUDNN_SKIP_INPUT.0)?;
    check(math.0 <= cudnnMathType_t::CUDNN_FMA_MATH.0)?;
    for value in [input, hidden, projected, layers] {
        length(value)?;
    }
    check(projected <= hidden)?;
    supported(matches!(format(ty), Some(Format::F32 | Format::F64 | Format::F16 | Format::Bf16)))?;
    supported(projected == hidden || cell == cudnnRNNMode_t::CUDNN_LSTM)?;
    // Inputs without weights.
    supported(input_mode == cudnnRNNInputMode_t::CUDNN_LINEAR_INPUT)?;
    let dropout = if dropout.is_null() { None } else { Some((dropout as u64, find(dropout)?)) };
    *descriptor.lock() = RnnState {
        is_set: true,
        algorithm,
        cell,
        bias,
        direction,
        ty,
        compute,
        math,
        input,
        hidden,
        projected,
        layers,
        dropout,
        flags,
        ..RnnState::default()
    };
    Ok(())
}

pub(crate) fn get(
    state: RnnState,
    algorithm: Out<cudnnRNNAlgo_t>,
    cell: Out<cudnnRNNMode_t>,
    bias: Out<cudnnRNNBiasMode_t>,
    direction: Out<cudnnDirectionMode_t>,
    input_mode: Out<cudnnRNNInputMode_t>,
    ty: Out<cudnnDataType_t>,
    compute: Out<cudnnDataType_t>,
    math: Out<cudnnMathType_t>,
    input: Out<i32>,
    hidden: Out<i32>,
    projected: Out<i32>,
    layers: Out<i32>,
    dropout: Out<cudnnDropoutDescriptor_t>,
    flags: Out<u32>,
) -> CudnnResult {
    check(state.is_set)?;
    algorithm.set_if_wanted(state.algorithm);
    cell.set_if_wanted(state.cell);
    bias.set_if_wanted(state.bias);
    direction.set_if_wanted(state.direction);
    input_mode.set_if_wanted(cudnnRNNInputMode_t::CUDNN_LINEAR_INPUT);
    ty.set_if_wanted(state.ty);
    compute.set_if_wanted(state.compute);
    math.set_if_wanted(state.math);
    input.set_if_wanted(state.input);
    hidden.set_if_wanted(state.hidden);
    projected.set_if_wanted(state.projected);
    layers.set_if_wanted(state.layers);
    let handle = state.dropout.map_or(0, |(handle, _)| handle);
    dropout.set_if_wanted(std::ptr::without_provenance_mut(handle as usize));
    flags.set_if_wanted(state.flags);
    Ok(())
}

pub(crate) fn set_clip(
    descriptor: Change<RnnState>,
    mode: cudnnRNNClipMode_t,
    nan: cudnnNanPropagation_t,
    least: f64,
    most: f64,
) -> CudnnResult {
    check(mode.0 <= cudnnRNNClipMode_t::CUDNN_RNN_CLIP_MINMAX.0 && least <= most)?;
    check(nan.0 <= cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0)?;
    let mut state = descriptor.lock();
    (state.clip, state.clip_nan, state.limits) = (mode, nan, [least, most]);
    Ok(())
}

pub(crate) fn set_clip_v9(
    descriptor: Change<RnnState>,
    mode: cudnnRNNClipMode_t,
    least: f64,
    most: f64,
) -> CudnnResult {
    let nan = cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN;
    set_clip(descriptor, mode, nan, least, most)
}

pub(crate) fn get_clip(
    state: RnnState,
    mode: Out<cudnnRNNClipMode_t>,
    nan: Out<cudnnNanPropagation_t>,
    least: Out<f64>,
    most: Out<f64>,
) -> CudnnResult {
    nan.set_if_wanted(state.clip_nan);
    get_clip_v9(state, mode, least, most)
}

pub(crate) fn get_clip_v9(
    state: RnnState,
    mode: Out<cudnnRNNClipMode_t>,
    least: Out<f64>,
    most: Out<f64>,
) -> CudnnResult {
    mode.set(state.clip)?;
    least.set_if_wanted(state.limits[0]);
    most.set_if_wanted(state.limits[1]);
    Ok(())
}

impl RnnState {
    fn rnn(&self) -> CudnnResult<Rnn> {
        use cudnnRNNBiasMode_t as B;
        check(self.is_set)?;
        let cell = match self.cell {
            cudnnRNNMode_t::CUDNN_RNN_RELU => Cell::Relu,
            cudnnRNNMode_t::CUDNN_RNN_TANH => Cell::Tanh,
            cudnnRNNMode_t::CUDNN_LSTM => Cell::Lstm,
            _ => Cell::Gru,
        };
        let biases = match self.bias {
            B::CUDNN_RNN_NO_BIAS => [false, false],
            B::CUDNN_RNN_SINGLE_INP_BIAS => [true, false],
            B::CUDNN_RNN_SINGLE_REC_BIAS => [false, true],
            _ => [true, true],
        };
        Ok(Rnn {
            cell,
            layers: self.layers as usize,
            bidirectional: self.direction == cudnnDirectionMode_t::CUDNN_BIDIRECTIONAL,
            input: self.input as usize,
            hidden: self.hidden as usize,
            state: self.projected as usize,
            clip: (self.clip == cudnnRNNClipMode_t::CUDNN_RNN_CLIP_MINMAX).then_some(self.limits),
            biases,
            format: format(self.ty).ok_or(cudnnError::NOT_SUPPORTED)?,
        })
    }
}

/// Steps are not planned ahead.
pub(crate) fn build(_: Arc<Handle>, state: RnnState, batch: c_int) -> CudnnResult {
    length(batch)?;
    check(state.is_set)
}

pub(crate) fn temporary(
    _: Arc<Handle>,
    state: RnnState,
    mode: cudnnForwardMode_t,
    data: RnnDataState,
    workspace: Out<usize>,
    reserve: Out<usize>,
) -> CudnnResult {
    check(state.is_set && data.batch > 0)?;
    check(mode.0 <= cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING.0)?;
    let is_training = mode == cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING;
    let kept = if is_training { state.rnn()?.reserve(data.steps, data.batch) } else { 0 };
    workspace.set_if_wanted(0);
    reserve.set_if_wanted(kept);
    Ok(())
}

pub(crate) fn weight_space(_: Arc<Handle>, state: RnnState, bytes: Out<usize>) -> CudnnResult {
    let rnn = state.rnn()?;
    bytes.set(rnn.elements() * rnn.format.size())
}

/// Tells where a matrix and a bias of a product are. Either may be left out, with its descriptor; what the network does not
/// have is nowhere, and has no dimensions.
pub(crate) fn weight_parameters(
    _: Arc<Handle>,
    state: RnnState,
    pseudo: i32,
    bytes: usize,
    space: *const c_void,
    number: i32,
    matrix: cudnnTensorDescriptor_t,
    matrix_place: Out<*mut c_void>,
    bias: cudnnTensorDescriptor_t,
    bias_place: Out<*mut c_void>,
) -> CudnnResult {
    let rnn = state.rnn()?;
    check(bytes >= rnn.elements() * rnn.format.size())?;
    let pseudo = usize::try_from(pseudo).map_err(|_| INVALID)?;
    let number = usize::try_from(number).map_err(|_| INVALID)?;
    let gates = rnn.cell.gates();
    // One more stands for the projection, which not all have.
    check(pseudo < rnn.layers * rnn.directions() && number <= 2 * gates)?;
    let (gate, of_state) = (number % gates, number >= gates);
    let (weights, biases) = match number == 2 * gates {
        true if rnn.cell == Cell::Lstm => (rnn.projection(pseudo), None),
        true => (None, None),
        false => (Some(rnn.weights(pseudo, gate, of_state)), rnn.bias(pseudo, gate, of_state)),
    };
    let wanted = |descriptor: cudnnTensorDescriptor_t, place: &Out<*mut c_void>| {
        check(descriptor.is_null() == place.is_null())?;
        if descriptor.is_null() { Ok(None) } else { find(descriptor).map(Some) }
    };
    let both = [
        (wanted(matrix, &matrix_place)?, matrix_place, weights),
        (wanted(bias, &bias_place)?, bias_place, biases),
    ];
    for (descriptor, place, block) in both {
        let Some(descriptor) = descriptor else { continue };
        let Some(block) = block else {
            *descriptor.lock() = TensorState::default();
            place.set(std::ptr::null_mut())?;
            continue;
        };
        let dims = vec![1, block.rows as i32, block.columns as i32];
        let strides = packed(false, &dims).unwrap_or_default();
        *descriptor.lock() = TensorState { ty: state.ty, dims, strides };
        let first = space.cast_mut().cast::<u8>().wrapping_add(block.first * rnn.format.size());
        place.set(if space.is_null() { std::ptr::null_mut() } else { first.cast() })?;
    }
    Ok(())
}

pub(crate) fn set_data(
    descriptor: Change<RnnDataState>,
    ty: cudnnDataType_t,
    layout: cudnnRNNDataLayout_t,
    steps: c_int,
    batch: c_int,
    width: c_int,
    lengths: In<c_int>,
    fill: *mut c_void,
) -> CudnnResult {
    use cudnnRNNDataLayout_t as L;
    check(layout.0 <= L::CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED.0)?;
    let (steps, batch) = (length(steps)?, length(batch)?);
    length(width)?;
    let kind = format(ty).ok_or(INVALID)?;
    let lengths = lengths.array(batch, batch)?;
    check(lengths.iter().all(|length| (0..=steps as i32).contains(length)))?;
    let is_packed = layout == L::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
    // The longest come first where nothing lies between them.
    check(!is_packed || lengths.windows(2).all(|pair| pair[0] >= pair[1]))?;
    let fill = (!fill.is_null()).then(|| {
        let mut value = [0.0];
        // SAFETY: the program passes an element.
        unsafe { kind.load(fill.cast_const().cast(), 0, 1, &mut value) };
        value[0]
    });
    let lengths = lengths.iter().map(|length| *length as usize).collect();
    *descriptor.lock() =
        RnnDataState { ty, layout, steps, batch, width: width as usize, lengths, fill };
    Ok(())
}

pub(crate) fn get_data(
    state: RnnDataState,
    ty: Out<cudnnDataType_t>,
    layout: Out<cudnnRNNDataLayout_t>,
    steps: Out<c_int>,
    batch: Out<c_int>,
    width: Out<c_int>,
    wanted: c_int,
    lengths: Out<c_int>,
    fill: *mut c_void,
) -> CudnnResult {
    check(state.batch > 0 && wanted >= 0)?;
    ty.set_if_wanted(state.ty);
    layout.set_if_wanted(state.layout);
    steps.set_if_wanted(state.steps as c_int);
    batch.set_if_wanted(state.batch as c_int);
    width.set_if_wanted(state.width as c_int);
    if !lengths.is_null() {
        lengths.set_all(state.lengths.iter().map(|length| *length as c_int), wanted as usize);
    }
    if let (Some(value), Some(kind), false) = (state.fill, format(state.ty), fill.is_null()) {
        // SAFETY: the program has room for an element.
        unsafe { kind.store(fill.cast(), 0, 1, &[value]) };
    }
    Ok(())
}

impl RnnDataState {
    /// The places of its vectors at an address.
    fn sequences(&self, first: *const c_void) -> Sequences {
        use cudnnRNNDataLayout_t as L;
        let mut places = Vec::new();
        let mut beyond = Vec::new();
        let mut before = 0;
        for step in 0..self.steps {
            let mut of_step = Vec::new();
            for item in 0..self.batch {
                let place = match self.layout {
                    L::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED => before + item,
                    L::CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED => item * self.steps + step,
                    _ => step * self.batch + item,
                };
                of_step.push(place);
                if step >= self.lengths[item] {
                    beyond.push(place);
                }
            }
            before += self.lengths.iter().filter(|length| step < **length).count();
            places.push(of_step);
        }
        let is_packed = self.layout == L::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
        let fill = self.fill.filter(|_| !is_packed).map(|value| (value, beyond));
        Sequences {
            first: first.expose_provenance(),
            places,
            lengths: self.lengths.clone(),
            width: self.width,
            fill,
        }
    }
}

impl RnnState {
    /// Checks the sequences of a pass.
    fn check_data(&self, x: &RnnDataState, y: &RnnDataState) -> CudnnResult {
        check(x.ty == self.ty && y.ty == self.ty && x.lengths == y.lengths)?;
        check(x.batch > 0 && x.steps == y.steps && x.width == self.input as usize)?;
        check(y.width == self.rnn()?.state * self.rnn()?.directions())
    }

    /// Checks a descriptor of states, which lie in memory without gaps. It may be left out where there are none.
    fn check_states(
        &self,
        descriptor: cudnnTensorDescriptor_t,
        (batch, width): (usize, i32),
        there: &[*const c_void],
    ) -> CudnnResult {
        let Some(states) = optional(descriptor)? else {
            return check(there.iter().all(|place| place.is_null()));
        };
        let dims = vec![self.layers * self.rnn()?.directions() as i32, batch as i32, width];
        // Programs add dimensions of length 1.
        check(states.ty == self.ty && states.dims.starts_with(&dims))?;
        check(states.dims.iter().skip(dims.len()).all(|dim| *dim == 1))?;
        check(packed(false, &dims).is_some_and(|strides| states.strides.starts_with(&strides)))
    }

    /// Checks the space of weights.
    fn check_weights(&self, bytes: usize, weights: *const c_void) -> CudnnResult {
        let rnn = self.rnn()?;
        check(!weights.is_null() && bytes >= rnn.elements() * rnn.format.size())
    }

    /// The address of what training keeps.
    fn reserve(&self, data: &RnnDataState, bytes: usize, place: *mut c_void) -> CudnnResult<usize> {
        check(!place.is_null() && bytes >= self.rnn()?.reserve(data.steps, data.batch))?;
        Ok(place.expose_provenance())
    }

    /// The address of a cell's states, which there are only of some networks.
    fn of_cell(&self, place: *const c_void) -> usize {
        if self.cell == cudnnRNNMode_t::CUDNN_LSTM { place.expose_provenance() } else { 0 }
    }
}

pub(crate) fn forward(
    handle: Arc<Handle>,
    state: RnnState,
    mode: cudnnForwardMode_t,
    _lengths: *const i32,
    x_state: RnnDataState,
    x: *const c_void,
    y_state: RnnDataState,
    y: *mut c_void,
    h: cudnnTensorDescriptor_t,
    hx: *const c_void,
    hy: *mut c_void,
    c: cudnnTensorDescriptor_t,
    cx: *const c_void,
    cy: *mut c_void,
    bytes: usize,
    weights: *const c_void,
    _workspace_bytes: usize,
    _workspace: *mut c_void,
    reserve_bytes: usize,
    reserve: *mut c_void,
) -> CudnnResult {
    let rnn = state.rnn()?;
    check(mode.0 <= cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING.0)?;
    check(!x.is_null() && !y.is_null())?;
    state.check_weights(bytes, weights)?;
    state.check_data(&x_state, &y_state)?;
    state.check_states(h, (x_state.batch, state.projected), &[hx, hy.cast_const()])?;
    if rnn.cell == Cell::Lstm {
        state.check_states(c, (x_state.batch, state.hidden), &[cx, cy.cast_const()])?;
    }
    let training = if mode == cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING {
        let reserve = state.reserve(&x_state, reserve_bytes, reserve)?;
        // A network of one layer has nothing to leave out.
        let dropout = state.dropout.as_ref().filter(|_| rnn.layers > 1);
        let dropout = dropout.map(|(_, dropout)| *dropout.lock());
        let dropout = dropout.filter(|dropout| dropout.probability != 0.0);
        let dropout = dropout.map(|dropout| dropout.dropout()).transpose()?;
        Some(Training { reserve, dropout })
    } else {
        None
    };
    let states = States {
        weights: weights.expose_provenance(),
        hx: hx.expose_provenance(),
        hy: hy.expose_provenance(),
        cx: state.of_cell(cx),
        cy: state.of_cell(cy),
    };
    handle.run(rnn::forward(rnn, x_state.sequences(x), y_state.sequences(y), states, training))
}

pub(crate) fn backward_data(
    handle: Arc<Handle>,
    state: RnnState,
    _lengths: *const i32,
    y_state: RnnDataState,
    y: *const c_void,
    dy: *const c_void,
    x_state: RnnDataState,
    dx: *mut c_void,
    h: cudnnTensorDescriptor_t,
    hx: *const c_void,
    dhy: *const c_void,
    dhx: *mut c_void,
    c: cudnnTensorDescriptor_t,
    cx: *const c_void,
    dcy: *const c_void,
    dcx: *mut c_void,
    bytes: usize,
    weights: *const c_void,
    _workspace_bytes: usize,
    _workspace: *mut c_void,
    reserve_bytes: usize,
    reserve: *mut c_void,
) -> CudnnResult {
    let rnn = state.rnn()?;
    check(!y.is_null() && !dy.is_null() && !dx.is_null())?;
    state.check_weights(bytes, weights)?;
    state.check_data(&x_state, &y_state)?;
    state.check_states(h, (x_state.batch, state.projected), &[hx, dhy, dhx.cast_const()])?;
    if rnn.cell == Cell::Lstm {
        state.check_states(c, (x_state.batch, state.hidden), &[cx, dcy, dcx.cast_const()])?;
    }
    let places = DataGradients {
        weights: weights.expose_provenance(),
        reserve: state.reserve(&x_state, reserve_bytes, reserve)?,
        hx: hx.expose_provenance(),
        cx: state.of_cell(cx),
        dhy: dhy.expose_provenance(),
        dcy: state.of_cell(dcy),
        dhx: dhx.expose_provenance(),
        dcx: state.of_cell(dcx),
    };
    let (dy, dx) = (y_state.sequences(dy), x_state.sequences(dx));
    handle.run(rnn::backward_data(rnn, dy, dx, places))
}

pub(crate) fn backward_weights(
    handle: Arc<Handle>,
    state: RnnState,
    mode: cudnnWgradMode_t,
    _lengths: *const i32,
    x_state: RnnDataState,
    x: *const c_void,
    h: cudnnTensorDescriptor_t,
    hx: *const c_void,
    y_state: RnnDataState,
    y: *const c_void,
    bytes: usize,
    weights: *mut c_void,
    _workspace_bytes: usize,
    _workspace: *mut c_void,
    reserve_bytes: usize,
    reserve: *mut c_void,
) -> CudnnResult {
    let rnn = state.rnn()?;
    check(mode.0 <= cudnnWgradMode_t::CUDNN_WGRAD_MODE_SET.0)?;
    supported(mode == cudnnWgradMode_t::CUDNN_WGRAD_MODE_ADD)?;
    check(!x.is_null() && !y.is_null())?;
    state.check_weights(bytes, weights)?;
    state.check_data(&x_state, &y_state)?;
    state.check_states(h, (x_state.batch, state.projected), &[hx])?;
    let reserve = state.reserve(&x_state, reserve_bytes, reserve)?;
    let (hx, weights) = (hx.expose_provenance(), weights.expose_provenance());
    handle.run(rnn::backward_weights(rnn, x_state.sequences(x), hx, weights, reserve))
}
