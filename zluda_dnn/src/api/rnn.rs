//! Recurrent networks: descriptors, the space of weights, and inference.

use crate::convert::{INVALID, In, Out, check, format, length, supported};
use crate::descriptor::{Change, RnnDataState, RnnState, TensorState, packed};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::Format;
use neural::rnn::{self, Cell, Rnn, Sequences, States};
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
    // Projections, and inputs without weights.
    supported(projected == hidden && input_mode == cudnnRNNInputMode_t::CUDNN_LINEAR_INPUT)?;
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
        layers,
        dropout: dropout as u64,
        flags,
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
    projected.set_if_wanted(state.hidden);
    layers.set_if_wanted(state.layers);
    dropout.set_if_wanted(std::ptr::without_provenance_mut(state.dropout as usize));
    flags.set_if_wanted(state.flags);
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
    workspace.set_if_wanted(0);
    reserve.set_if_wanted(0);
    Ok(())
}

pub(crate) fn weight_space(_: Arc<Handle>, state: RnnState, bytes: Out<usize>) -> CudnnResult {
    let rnn = state.rnn()?;
    bytes.set(rnn.elements() * rnn.format.size())
}

pub(crate) fn weight_parameters(
    _: Arc<Handle>,
    state: RnnState,
    pseudo: i32,
    bytes: usize,
    space: *const c_void,
    number: i32,
    matrix: Change<TensorState>,
    matrix_place: Out<*mut c_void>,
    bias: Change<TensorState>,
    bias_place: Out<*mut c_void>,
) -> CudnnResult {
    let rnn = state.rnn()?;
    check(bytes >= rnn.elements() * rnn.format.size())?;
    let pseudo = usize::try_from(pseudo).map_err(|_| INVALID)?;
    let number = usize::try_from(number).map_err(|_| INVALID)?;
    let gates = rnn.cell.gates();
    // One more stands for projections, of which there are none.
    let is_projection = rnn.cell == Cell::Lstm && number == 2 * gates;
    check(pseudo < rnn.layers * rnn.directions() && (number < 2 * gates || is_projection))?;
    let tell =
        |descriptor: &Change<TensorState>, place: Out<*mut c_void>, block: Option<rnn::Block>| {
            let Some(block) = block else {
                *descriptor.lock() = TensorState::default();
                place.set_if_wanted(std::ptr::null_mut());
                return;
            };
            let dims = vec![1, block.rows as i32, block.columns as i32];
            let strides = packed(false, &dims).unwrap_or_default();
            *descriptor.lock() = TensorState { ty: state.ty, dims, strides };
            let first = space.cast_mut().cast::<u8>().wrapping_add(block.first * rnn.format.size());
            place.set_if_wanted(if space.is_null() { std::ptr::null_mut() } else { first.cast() });
        };
    let (gate, of_state) = (number % gates, number >= gates);
    let there = !is_projection;
    tell(&matrix, matrix_place, there.then(|| rnn.weights(pseudo, gate, of_state)));
    tell(&bias, bias_place, there.then(|| rnn.bias(pseudo, gate, of_state)).flatten());
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
    fill: Out<c_void>,
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
    if let Some(value) = state.fill {
        match format(state.ty) {
            Some(Format::F64) => fill.cast::<f64>().set_if_wanted(value),
            Some(Format::F32) => fill.cast::<f32>().set_if_wanted(value as f32),
            _ => return Err(cudnnError::NOT_SUPPORTED),
        }
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
    _reserve_bytes: usize,
    _reserve: *mut c_void,
) -> CudnnResult {
    let rnn = state.rnn()?;
    let _ = (h, c);
    // Gradients need what training keeps.
    supported(mode == cudnnForwardMode_t::CUDNN_FWD_MODE_INFERENCE)?;
    check(!x.is_null() && !y.is_null() && !weights.is_null())?;
    check(x_state.ty == state.ty && y_state.ty == state.ty && x_state.lengths == y_state.lengths)?;
    check(x_state.steps == y_state.steps && x_state.width == rnn.input)?;
    check(y_state.width == rnn.hidden * rnn.directions())?;
    check(bytes >= rnn.elements() * rnn.format.size())?;
    let is_lstm = rnn.cell == Cell::Lstm;
    let states = States {
        weights: weights.expose_provenance(),
        hx: hx.expose_provenance(),
        hy: hy.expose_provenance(),
        cx: if is_lstm { cx.expose_provenance() } else { 0 },
        cy: if is_lstm { cy.expose_provenance() } else { 0 },
    };
    handle.run(rnn::forward(rnn, x_state.sequences(x), y_state.sequences(y), states))
}
