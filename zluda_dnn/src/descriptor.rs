//! Descriptors: what a program has set in them.

use crate::convert::{FromC, INVALID, Out, check, format};
use cuda_types::cudnn::*;
use neural::dropout::Dropout;
use neural::{Format, Layout, Tensor};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// An opaque structure of the API that descriptors point to.
pub(crate) trait Opaque: Sized + 'static {
    type State: Default + Clone + Send + 'static;

    fn table() -> &'static HandleTable<Mutex<Self::State>>;
}

/// A descriptor that is changed.
pub(crate) type Change<S> = Arc<Mutex<S>>;

pub(crate) fn create<C: Opaque>(place: Out<*mut C>) -> CudnnResult {
    place.check()?;
    zluda_common::log::init();
    let handle = C::table().insert(Arc::default());
    let handle = handle.ok_or(cudnnError::INTERNAL_ERROR_HOST_ALLOCATION_FAILED)?;
    place.set(std::ptr::without_provenance_mut(handle as usize))
}

/// None is destroyed too.
pub(crate) fn destroy<C: Opaque>(handle: *mut C) -> CudnnResult {
    if handle.is_null() {
        return Ok(());
    }
    C::table().remove(handle as u64).map(drop).ok_or(INVALID)
}

/// The descriptor that a handle leads to.
pub(crate) fn find<C: Opaque>(handle: *mut C) -> CudnnResult<Change<C::State>> {
    C::table().get(handle as u64).ok_or(INVALID)
}

/// The state of a descriptor that may be left out.
pub(crate) fn optional<C: Opaque>(handle: *mut C) -> CudnnResult<Option<C::State>> {
    if handle.is_null() {
        return Ok(None);
    }
    find(handle).map(|descriptor| Some(descriptor.lock().clone()))
}

/// Descriptors: the API's structure, what is set, and the kind of handle.
macro_rules! descriptors {
    ($($opaque:ident => $state:ty, $kind:ident;)*) => {$(
        impl Opaque for $opaque {
            type State = $state;

            fn table() -> &'static HandleTable<Mutex<$state>> {
                static TABLE: LazyLock<HandleTable<Mutex<$state>>> =
                    LazyLock::new(|| HandleTable::new(Kind::$kind));
                &TABLE
            }
        }

        impl FromC<*mut $opaque> for Change<$state> {
            unsafe fn from_c(handle: *mut $opaque) -> CudnnResult<Self> {
                find(handle)
            }
        }

        impl FromC<*mut $opaque> for $state {
            unsafe fn from_c(handle: *mut $opaque) -> CudnnResult<Self> {
                Ok(find(handle)?.lock().clone())
            }
        }
    )*};
}

descriptors! {
    cudnnTensorStruct => TensorState, CUDNN_TENSOR;
    cudnnFilterStruct => FilterState, CUDNN_FILTER;
    cudnnConvolutionStruct => ConvolutionState, CUDNN_CONVOLUTION;
    cudnnPoolingStruct => PoolingState, CUDNN_POOLING;
    cudnnActivationStruct => ActivationState, CUDNN_ACTIVATION;
    cudnnOpTensorStruct => OpTensorState, CUDNN_OP_TENSOR;
    cudnnReduceTensorStruct => ReduceState, CUDNN_REDUCE_TENSOR;
    cudnnLRNStruct => LrnState, CUDNN_LRN;
    cudnnDropoutStruct => DropoutState, CUDNN_DROPOUT;
    cudnnCTCLossStruct => CtcState, CUDNN_CTC_LOSS;
    cudnnSpatialTransformerStruct => SpatialState, CUDNN_SPATIAL_TRANSFORMER;
    cudnnRNNStruct => RnnState, CUDNN_RNN;
    cudnnRNNDataStruct => RnnDataState, CUDNN_RNN_DATA;
}

/// A tensor; without dimensions before it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TensorState {
    pub(crate) ty: cudnnDataType_t,
    pub(crate) dims: Vec<i32>,
    pub(crate) strides: Vec<i32>,
}

impl Default for TensorState {
    fn default() -> Self {
        TensorState { ty: cudnnDataType_t::CUDNN_DATA_FLOAT, dims: vec![], strides: vec![] }
    }
}

/// The steps of dimensions without gaps: the last one innermost, or the channels.
pub(crate) fn packed(channels_last: bool, dims: &[i32]) -> Option<Vec<i32>> {
    let mut order: Vec<usize> = (0..dims.len()).collect();
    if channels_last && dims.len() > 1 {
        order.remove(1);
        order.push(1);
    }
    let (mut strides, mut step) = (vec![0; dims.len()], 1i32);
    for i in order.into_iter().rev() {
        strides[i] = step;
        step = step.checked_mul(dims[i])?;
    }
    Some(strides)
}

impl TensorState {
    /// Its elements; `BAD_PARAM` before it is set, `NOT_SUPPORTED` of types that nothing computes with, and of tensors that are too
    /// large for any memory.
    pub(crate) fn layout(&self) -> CudnnResult<Layout> {
        check(!self.dims.is_empty())?;
        let format = format(self.ty).ok_or(cudnnError::NOT_SUPPORTED)?;
        let dims = self.dims.iter().map(|dim| *dim as usize).collect();
        let strides = self.strides.iter().map(|step| *step as isize).collect();
        let layout = Layout { format, dims, strides };
        if layout.fits() { Ok(layout) } else { Err(cudnnError::NOT_SUPPORTED) }
    }

    /// The tensor at an address. Tensors of which there are few dimensions have some of length 1 more: of channels, of width.
    pub(crate) fn at(&self, first: *const c_void) -> CudnnResult<Tensor> {
        check(!first.is_null())?;
        let mut layout = self.layout()?;
        while layout.dims.len() < 3 {
            layout.dims.push(1);
            layout.strides.push(1);
        }
        Ok(layout.at(first.cast()))
    }

    pub(crate) fn is_double(&self) -> bool {
        self.ty == cudnnDataType_t::CUDNN_DATA_DOUBLE
    }
}

/// A filter.
#[derive(Clone, Debug)]
pub(crate) struct FilterState {
    pub(crate) tensor: TensorState,
    pub(crate) order: cudnnTensorFormat_t,
}

impl Default for FilterState {
    fn default() -> Self {
        FilterState {
            tensor: TensorState::default(),
            order: cudnnTensorFormat_t::CUDNN_TENSOR_NCHW,
        }
    }
}

/// A convolution, along as many dimensions as it has paddings.
#[derive(Clone, Debug)]
pub(crate) struct ConvolutionState {
    pub(crate) pads: Vec<i32>,
    pub(crate) strides: Vec<i32>,
    pub(crate) dilations: Vec<i32>,
    pub(crate) mode: cudnnConvolutionMode_t,
    pub(crate) compute: cudnnDataType_t,
    pub(crate) math: cudnnMathType_t,
    pub(crate) reorder: cudnnReorderType_t,
    pub(crate) groups: i32,
}

impl Default for ConvolutionState {
    fn default() -> Self {
        ConvolutionState {
            pads: vec![],
            strides: vec![],
            dilations: vec![],
            mode: cudnnConvolutionMode_t::CUDNN_CONVOLUTION,
            compute: cudnnDataType_t::CUDNN_DATA_FLOAT,
            math: cudnnMathType_t::CUDNN_DEFAULT_MATH,
            reorder: cudnnReorderType_t::CUDNN_DEFAULT_REORDER,
            groups: 1,
        }
    }
}

/// A pooling, along as many dimensions as its window has.
#[derive(Clone, Debug)]
pub(crate) struct PoolingState {
    pub(crate) mode: cudnnPoolingMode_t,
    pub(crate) nan: cudnnNanPropagation_t,
    pub(crate) window: Vec<i32>,
    pub(crate) pads: Vec<i32>,
    pub(crate) strides: Vec<i32>,
}

impl Default for PoolingState {
    fn default() -> Self {
        PoolingState {
            mode: cudnnPoolingMode_t::CUDNN_POOLING_MAX,
            nan: cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
            window: vec![],
            pads: vec![],
            strides: vec![],
        }
    }
}

/// An activation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActivationState {
    pub(crate) mode: cudnnActivationMode_t,
    pub(crate) nan: cudnnNanPropagation_t,
    pub(crate) coefficient: f64,
    pub(crate) swish_beta: f64,
}

impl Default for ActivationState {
    fn default() -> Self {
        ActivationState {
            mode: cudnnActivationMode_t::CUDNN_ACTIVATION_IDENTITY,
            nan: cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
            coefficient: 0.0,
            swish_beta: 1.0,
        }
    }
}

impl ActivationState {
    pub(crate) fn activation(&self) -> CudnnResult<neural::activation::Activation> {
        use cudnnActivationMode_t as M;
        use neural::activation::Activation as A;
        let propagates_nan = self.nan == cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN;
        let relu = |upper| A::Relu { lower: 0.0, upper, slope: 0.0, propagates_nan };
        Ok(match self.mode {
            M::CUDNN_ACTIVATION_SIGMOID => A::Sigmoid,
            M::CUDNN_ACTIVATION_RELU => relu(f64::INFINITY),
            M::CUDNN_ACTIVATION_TANH => A::Tanh,
            M::CUDNN_ACTIVATION_CLIPPED_RELU => relu(self.coefficient),
            M::CUDNN_ACTIVATION_ELU => A::Elu { alpha: self.coefficient },
            M::CUDNN_ACTIVATION_IDENTITY => A::Identity,
            M::CUDNN_ACTIVATION_SWISH => A::Swish { beta: self.swish_beta },
            _ => return Err(INVALID),
        })
    }
}

/// An operation of two tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpTensorState {
    pub(crate) operation: cudnnOpTensorOp_t,
    pub(crate) compute: cudnnDataType_t,
    pub(crate) nan: cudnnNanPropagation_t,
}

impl Default for OpTensorState {
    fn default() -> Self {
        OpTensorState {
            operation: cudnnOpTensorOp_t::CUDNN_OP_TENSOR_ADD,
            compute: cudnnDataType_t::CUDNN_DATA_FLOAT,
            nan: cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
        }
    }
}

/// A reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReduceState {
    pub(crate) operation: cudnnReduceTensorOp_t,
    pub(crate) compute: cudnnDataType_t,
    pub(crate) nan: cudnnNanPropagation_t,
    pub(crate) indices: cudnnReduceTensorIndices_t,
    pub(crate) indices_type: cudnnIndicesType_t,
}

impl Default for ReduceState {
    fn default() -> Self {
        ReduceState {
            operation: cudnnReduceTensorOp_t::CUDNN_REDUCE_TENSOR_ADD,
            compute: cudnnDataType_t::CUDNN_DATA_FLOAT,
            nan: cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
            indices: cudnnReduceTensorIndices_t::CUDNN_REDUCE_TENSOR_NO_INDICES,
            indices_type: cudnnIndicesType_t::CUDNN_32BIT_INDICES,
        }
    }
}

/// A local response normalisation, of what the manual recommends before it is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LrnState {
    pub(crate) window: u32,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    pub(crate) k: f64,
}

impl Default for LrnState {
    fn default() -> Self {
        LrnState { window: 5, alpha: 1e-4, beta: 0.75, k: 2.0 }
    }
}

/// Elements that are left out by chance; without states before it is set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DropoutState {
    pub(crate) probability: f32,
    /// The address of the program's memory for the sequence of numbers.
    pub(crate) states: usize,
    pub(crate) seed: u64,
}

impl DropoutState {
    /// `BAD_PARAM` where there are no states.
    pub(crate) fn dropout(&self) -> CudnnResult<Dropout> {
        check(self.states != 0)?;
        Ok(Dropout { probability: self.probability.into(), state: self.states })
    }
}

/// A loss of sequences of labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CtcState {
    pub(crate) is_set: bool,
    pub(crate) compute: cudnnDataType_t,
    pub(crate) norm: cudnnLossNormalizationMode_t,
    pub(crate) nan: cudnnNanPropagation_t,
    /// What becomes of gradients where there is no step.
    pub(crate) beyond: cudnnCTCGradMode_t,
    pub(crate) longest: i32,
}

impl Default for CtcState {
    fn default() -> Self {
        CtcState {
            is_set: false,
            compute: cudnnDataType_t::CUDNN_DATA_FLOAT,
            norm: cudnnLossNormalizationMode_t::CUDNN_LOSS_NORMALIZATION_NONE,
            nan: cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
            beyond: cudnnCTCGradMode_t::CUDNN_CTC_SKIP_OOB_GRADIENTS,
            longest: 0,
        }
    }
}

/// A spatial transformer: the type and the dimensions of its results.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpatialState {
    pub(crate) format: Option<Format>,
    pub(crate) dims: Vec<usize>,
}

/// A recurrent network.
#[derive(Clone, Debug)]
pub(crate) struct RnnState {
    pub(crate) is_set: bool,
    pub(crate) algorithm: cudnnRNNAlgo_t,
    pub(crate) cell: cudnnRNNMode_t,
    pub(crate) bias: cudnnRNNBiasMode_t,
    pub(crate) direction: cudnnDirectionMode_t,
    pub(crate) ty: cudnnDataType_t,
    pub(crate) compute: cudnnDataType_t,
    pub(crate) math: cudnnMathType_t,
    pub(crate) input: i32,
    pub(crate) hidden: i32,
    pub(crate) projected: i32,
    pub(crate) layers: i32,
    /// A descriptor and its handle.
    pub(crate) dropout: Option<(u64, Change<DropoutState>)>,
    pub(crate) flags: u32,
    /// Whether the states of cells are clipped, to which values, and what that does with what is no number.
    pub(crate) clip: cudnnRNNClipMode_t,
    pub(crate) limits: [f64; 2],
    pub(crate) clip_nan: cudnnNanPropagation_t,
}

impl Default for RnnState {
    fn default() -> Self {
        RnnState {
            is_set: false,
            algorithm: cudnnRNNAlgo_t::CUDNN_RNN_ALGO_STANDARD,
            cell: cudnnRNNMode_t::CUDNN_RNN_RELU,
            bias: cudnnRNNBiasMode_t::CUDNN_RNN_DOUBLE_BIAS,
            direction: cudnnDirectionMode_t::CUDNN_UNIDIRECTIONAL,
            ty: cudnnDataType_t::CUDNN_DATA_FLOAT,
            compute: cudnnDataType_t::CUDNN_DATA_FLOAT,
            math: cudnnMathType_t::CUDNN_DEFAULT_MATH,
            input: 0,
            hidden: 0,
            projected: 0,
            layers: 0,
            dropout: None,
            flags: 0,
            clip: cudnnRNNClipMode_t::CUDNN_RNN_CLIP_NONE,
            limits: [0.0; 2],
            clip_nan: cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
        }
    }
}

/// Sequences of vectors; a batch of none before they are set.
#[derive(Clone, Debug)]
pub(crate) struct RnnDataState {
    pub(crate) ty: cudnnDataType_t,
    pub(crate) layout: cudnnRNNDataLayout_t,
    pub(crate) steps: usize,
    pub(crate) batch: usize,
    pub(crate) width: usize,
    pub(crate) lengths: Vec<usize>,
    pub(crate) fill: Option<f64>,
}

impl Default for RnnDataState {
    fn default() -> Self {
        RnnDataState {
            ty: cudnnDataType_t::CUDNN_DATA_FLOAT,
            layout: cudnnRNNDataLayout_t::CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
            steps: 0,
            batch: 0,
            width: 0,
            lengths: vec![],
            fill: None,
        }
    }
}
