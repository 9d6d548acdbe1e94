//! Operations of graphs as work of [`neural`].

use super::Backend;
use super::attention::{mask, softmax_work, subgraph};
use super::folded;
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnBackendDescriptorType_t as Kind,
    cudnnBackendNormFwdPhase_t, cudnnBackendNormMode_t, cudnnBackendReshapeMode_t,
    cudnnConvolutionMode_t, cudnnError, cudnnNanPropagation_t, cudnnPointwiseMode_t,
    cudnnReduceTensorOp_t, cudnnResampleMode_t, cudnnRngDistribution_t,
};
use neural::activation::Activation;
use neural::convolution::{self, Convolution};
use neural::elementwise::Elementwise;
use neural::matmul::{self, Limits};
use neural::norm::{self, Finish, Given, Gradients, Norm, Parameter, Running, Statistics};
use neural::pointwise::{self, Operation};
use neural::pooling::{self, Pooling};
use neural::random::{self, Distribution, Seed};
use neural::reduction::{self, Reduction};
use neural::window::{Axis, SPACE};
use neural::{Scale, Tensor, Work};
use std::sync::Arc;

pub(super) const PATTERN: cudnnError = cudnnError::NOT_SUPPORTED_GRAPH_PATTERN;
const SHAPE: cudnnError = cudnnError::BAD_PARAM_SHAPE_MISMATCH;

/// An operation's attributes that are tensors: which it reads, and which it writes.
struct Ports {
    kind: Kind,
    inputs: &'static [Name],
    outputs: &'static [Name],
}

macro_rules! ports {
    ($($kind:ident: [$($input:ident),*] => [$($output:ident),*];)*) => {
        const PORTS: &[Ports] = &[$(Ports {
            kind: Kind::$kind,
            inputs: &[$(Name::$input),*],
            outputs: &[$(Name::$output),*],
        }),*];
    };
}

ports! {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W]
        => [CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y];
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY]
        => [CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX];
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY]
        => [CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW];
    CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
         CUDNN_ATTR_OPERATION_POINTWISE_TDESC, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC]
        => [CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC];
    CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
         CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC,
         CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC]
        => [CUDNN_ATTR_OPERATION_MATMUL_CDESC];
    CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_REDUCTION_XDESC] => [CUDNN_ATTR_OPERATION_REDUCTION_YDESC];
    CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_GENSTATS_XDESC]
        => [CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC];
    CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC]
        => [CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC];
    CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC,
         CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC]
        => [CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC];
    CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS] => [CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC];
    CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_RESHAPE_XDESC] => [CUDNN_ATTR_OPERATION_RESHAPE_YDESC];
    CUDNN_BACKEND_OPERATION_TRANSPOSE_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_TRANSPOSE_XDESC] => [CUDNN_ATTR_OPERATION_TRANSPOSE_YDESC];
    CUDNN_BACKEND_OPERATION_SLICE_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_SLICE_XDESC] => [CUDNN_ATTR_OPERATION_SLICE_YDESC];
    CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_RNG_SEED, CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC] => [CUDNN_ATTR_OPERATION_RNG_YDESC];
    CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_SOFTMAX_XDESC, CUDNN_ATTR_OPERATION_SOFTMAX_SINK_DESC]
        => [CUDNN_ATTR_OPERATION_SOFTMAX_YDESC, CUDNN_ATTR_OPERATION_SOFTMAX_STATS_DESC,
            CUDNN_ATTR_OPERATION_SOFTMAX_MAX_DESC, CUDNN_ATTR_OPERATION_SOFTMAX_SUM_EXP_DESC];
    CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC,
         CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_QDESC, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_KVDESC,
         CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC,
         CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC]
        => [CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC];
    CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_SEED_DESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_OFFSET_DESC, CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_QDESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_KDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_VDESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_SDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_SDESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_ODESC, CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC,
         CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC]
        => [CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC,
            CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_RNG_DUMP_DESC, CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_SDESC,
            CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_ODESC];
    CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
         CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
         CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC,
         CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC]
        => [CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC,
            CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC];
    CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC,
         CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC,
         CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC]
        => [CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC,
            CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC];
    CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC, CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC,
         CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC, CUDNN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC,
         CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_MEAN_DESC,
         CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_VAR_DESC, CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC,
         CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC, CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC]
        => [CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC,
            CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_VAR_DESC,
            CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC, CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC,
            CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC, CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC];
    CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR:
        [CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC, CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC,
         CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC, CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC,
         CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC]
        => [CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC, CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC,
            CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC, CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC,
            CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS];
}

/// Whether descriptors of this kind are operations.
pub(crate) fn is_operation(kind: Kind) -> bool {
    PORTS.iter().any(|ports| ports.kind == kind)
}

/// The tensors that an operation reads and writes.
pub(crate) struct Tensors {
    pub(crate) inputs: Vec<Arc<Backend>>,
    pub(crate) outputs: Vec<Arc<Backend>>,
}

/// The tensors of an operation; of an attention also those of its softmax and of its graph.
pub(crate) fn tensors(operation: &Backend) -> CudnnResult<Tensors> {
    let ports = PORTS.iter().find(|ports| ports.kind == operation.kind).ok_or(PATTERN)?;
    let all = |names: &[Name]| names.iter().flat_map(|name| operation.descriptors(*name)).collect();
    let (mut inputs, mut outputs): (Vec<_>, Vec<_>) = (all(ports.inputs), all(ports.outputs));
    let softmax = operation.descriptor(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SOFTMAX_DESC);
    let graph =
        subgraph(operation).map(|graph| graph.descriptors(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS));
    for inner in softmax.into_iter().chain(graph.into_iter().flatten()) {
        let inner = tensors(&inner)?;
        inputs.extend(inner.inputs);
        outputs.extend(inner.outputs);
    }
    let is_inference = operation.kind == Kind::CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR
        && phase(operation) == cudnnBackendNormFwdPhase_t::CUDNN_NORM_FWD_INFERENCE;
    if is_inference {
        // Statistics are given then.
        inputs.extend(outputs.split_off(1));
    }
    Ok(Tensors { inputs, outputs })
}

/// Finds the place of a tensor.
pub(crate) type Find<'a> = &'a dyn Fn(&Backend) -> CudnnResult<Tensor>;

/// An operation with its tensors' places.
pub(super) struct Places<'a> {
    pub(super) operation: &'a Backend,
    pub(super) find: Find<'a>,
}

impl Places<'_> {
    pub(super) fn needed(&self, name: Name) -> CudnnResult<Tensor> {
        (self.find)(self.operation.needed(name)?.as_ref())
    }

    pub(super) fn maybe(&self, name: Name) -> CudnnResult<Option<Tensor>> {
        self.operation.descriptor(name).map(|tensor| (self.find)(&tensor)).transpose()
    }
}

/// The work of an operation.
pub(crate) fn work(operation: &Backend, find: Find<'_>) -> CudnnResult<Work> {
    let places = Places { operation, find };
    Ok(match operation.kind {
        Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR
        | Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
        | Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR => {
            convolve(&places)?
        }
        Kind::CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR => pointwise_work(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR => multiply(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR => reduce(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR => statistics(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR
        | Kind::CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR => resample(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR => concatenate(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR => reshape(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_TRANSPOSE_DESCRIPTOR => transpose(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_SLICE_DESCRIPTOR => slice(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR => draw(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_SOFTMAX_DESCRIPTOR => softmax_work(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR => mask(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR => norm_forward(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR => norm_backward(&places)?,
        Kind::CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR => {
            folded::finalize(&places)?
        }
        Kind::CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR => folded::gradients(&places)?,
        _ => return Err(PATTERN),
    })
}

pub(super) fn check_shape(is: bool) -> CudnnResult {
    if is { Ok(()) } else { Err(SHAPE) }
}

/// The names of a direction's attributes: alpha, beta, descriptor, x, w, y.
const CONVOLUTIONS: [[Name; 6]; 3] = [
    [
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
    ],
    [
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
    ],
    [
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
        Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
    ],
];

fn convolve(places: &Places<'_>) -> CudnnResult<Work> {
    let operation = places.operation;
    let direction = match operation.kind {
        Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR => 0,
        Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR => 1,
        _ => 2,
    };
    let [alpha, beta, descriptor, x, w, y] = CONVOLUTIONS[direction];
    let scale = Scale { alpha: operation.number(alpha, 1.0), beta: operation.number(beta, 0.0) };
    let descriptor = operation.needed(descriptor)?;
    let (x, w, y) = (places.needed(x)?, places.needed(w)?, places.needed(y)?);
    let rank = x.dims.len();
    let pads = descriptor.integers(Name::CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    let posts = descriptor.integers(Name::CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    let strides = descriptor.integers(Name::CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
    let dilations = descriptor.integers(Name::CUDNN_ATTR_CONVOLUTION_DILATIONS);
    let count = pads.len();
    check_shape(w.dims.len() == rank && y.dims.len() == rank && rank == count + 2)?;
    if count > SPACE {
        return Err(cudnnError::NOT_SUPPORTED_SHAPE);
    }
    let lists = [&posts, &strides, &dilations];
    let positive = strides.iter().chain(&dilations).all(|value| *value > 0);
    if lists.iter().any(|list| list.len() != count) || !positive {
        return Err(cudnnError::BAD_PARAM);
    }
    let mut axes = [Axis::NONE; SPACE];
    for i in 0..count {
        let axis = Axis {
            window: w.dims[2 + i],
            pad: pads[i] as isize,
            stride: strides[i] as usize,
            dilation: dilations[i] as usize,
        };
        axes[SPACE - count + i] = axis;
        // Padding behind may differ from that before.
        let reach = ((axis.window - 1) * axis.dilation + 1) as isize;
        let room = x.dims[2 + i] as isize + axis.pad + posts[i] as isize - reach;
        check_shape(room.div_euclid(strides[i] as isize) + 1 == y.dims[2 + i] as isize)?;
    }
    check_shape(x.dims[0] == y.dims[0] && w.dims[0] == y.dims[1] && x.dims[1] % w.dims[1] == 0)?;
    let groups = x.dims[1] / w.dims[1];
    check_shape(w.dims[0] % groups == 0)?;
    let mode = descriptor.integer(Name::CUDNN_ATTR_CONVOLUTION_CONV_MODE, 1);
    let flip = mode == i64::from(cudnnConvolutionMode_t::CUDNN_CONVOLUTION.0);
    let convolution = Convolution { axes, groups, flip };
    Ok(vec![match direction {
        0 => convolution::forward(&convolution, x, w, y, scale, None),
        1 => convolution::backward_data(&convolution, w, y, x, scale),
        _ => convolution::backward_filter(&convolution, x, y, w, scale),
    }])
}

/// As an attribute, which is not to propagate what is no number where it is not set.
const PROPAGATE_NAN: i64 = cudnnNanPropagation_t::CUDNN_PROPAGATE_NAN.0 as i64;

/// The operation of a mode; its parameters are those of the descriptor.
fn pointwise_operation(mode: cudnnPointwiseMode_t, descriptor: &Backend) -> CudnnResult<Operation> {
    use Operation as O;
    use cudnnPointwiseMode_t as M;
    let number = |name, otherwise| descriptor.number(name, otherwise);
    let nan = descriptor.integer(Name::CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, 0);
    let relu = || Activation::Relu {
        lower: number(Name::CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0.0),
        upper: number(Name::CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, f64::INFINITY),
        slope: number(Name::CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0.0),
        propagates_nan: nan == PROPAGATE_NAN,
    };
    let elu = || Activation::Elu { alpha: number(Name::CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1.0) };
    let softplus =
        || Activation::Softplus { beta: number(Name::CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1.0) };
    let swish = || Activation::Swish { beta: number(Name::CUDNN_ATTR_POINTWISE_SWISH_BETA, 1.0) };
    Ok(match mode {
        M::CUDNN_POINTWISE_ADD => O::ADD,
        M::CUDNN_POINTWISE_ADD_SQUARE => O::ADD_SQUARE,
        M::CUDNN_POINTWISE_DIV => O::DIV,
        M::CUDNN_POINTWISE_MAX => O::MAX,
        M::CUDNN_POINTWISE_MIN => O::MIN,
        M::CUDNN_POINTWISE_MOD => O::MOD,
        M::CUDNN_POINTWISE_FLOOR_MOD => O::FLOOR_MOD,
        M::CUDNN_POINTWISE_MUL => O::MUL,
        M::CUDNN_POINTWISE_POW => O::POW,
        M::CUDNN_POINTWISE_SUB => O::SUB,
        M::CUDNN_POINTWISE_ATAN2 => O::ATAN2,
        M::CUDNN_POINTWISE_ABS => O::ABS,
        M::CUDNN_POINTWISE_CEIL => O::CEIL,
        M::CUDNN_POINTWISE_COS => O::COS,
        M::CUDNN_POINTWISE_EXP => O::EXP,
        M::CUDNN_POINTWISE_FLOOR => O::FLOOR,
        M::CUDNN_POINTWISE_LOG => O::LOG,
        M::CUDNN_POINTWISE_NEG => O::NEG,
        M::CUDNN_POINTWISE_RSQRT => O::RSQRT,
        M::CUDNN_POINTWISE_SIN => O::SIN,
        M::CUDNN_POINTWISE_SQRT => O::SQRT,
        M::CUDNN_POINTWISE_TAN => O::TAN,
        M::CUDNN_POINTWISE_ERF => O::ERF,
        M::CUDNN_POINTWISE_IDENTITY => O::IDENTITY,
        M::CUDNN_POINTWISE_RECIPROCAL => O::RECIPROCAL,
        M::CUDNN_POINTWISE_CMP_EQ => O::EQ,
        M::CUDNN_POINTWISE_CMP_NEQ => O::NEQ,
        M::CUDNN_POINTWISE_CMP_GT => O::GT,
        M::CUDNN_POINTWISE_CMP_GE => O::GE,
        M::CUDNN_POINTWISE_CMP_LT => O::LT,
        M::CUDNN_POINTWISE_CMP_LE => O::LE,
        M::CUDNN_POINTWISE_LOGICAL_AND => O::AND,
        M::CUDNN_POINTWISE_LOGICAL_OR => O::OR,
        M::CUDNN_POINTWISE_LOGICAL_NOT => O::NOT,
        M::CUDNN_POINTWISE_BINARY_SELECT => O::Select,
        M::CUDNN_POINTWISE_RELU_FWD => O::Forward(relu()),
        M::CUDNN_POINTWISE_TANH_FWD => O::Forward(Activation::Tanh),
        M::CUDNN_POINTWISE_SIGMOID_FWD => O::Forward(Activation::Sigmoid),
        M::CUDNN_POINTWISE_ELU_FWD => O::Forward(elu()),
        M::CUDNN_POINTWISE_GELU_FWD => O::Forward(Activation::Gelu),
        M::CUDNN_POINTWISE_SOFTPLUS_FWD => O::Forward(softplus()),
        M::CUDNN_POINTWISE_SWISH_FWD => O::Forward(swish()),
        M::CUDNN_POINTWISE_GELU_APPROX_TANH_FWD => O::Forward(Activation::GeluTanh),
        M::CUDNN_POINTWISE_RELU_BWD => O::Backward(relu()),
        M::CUDNN_POINTWISE_TANH_BWD => O::Backward(Activation::Tanh),
        M::CUDNN_POINTWISE_SIGMOID_BWD => O::Backward(Activation::Sigmoid),
        M::CUDNN_POINTWISE_ELU_BWD => O::Backward(elu()),
        M::CUDNN_POINTWISE_GELU_BWD => O::Backward(Activation::Gelu),
        M::CUDNN_POINTWISE_SOFTPLUS_BWD => O::Backward(softplus()),
        M::CUDNN_POINTWISE_SWISH_BWD => O::Backward(swish()),
        M::CUDNN_POINTWISE_GELU_APPROX_TANH_BWD => O::Backward(Activation::GeluTanh),
        _ => return Err(PATTERN),
    })
}

/// Whether a tensor can be repeated to the lengths of another one.
pub(super) fn repeats(from: &Tensor, to: &Tensor) -> bool {
    let lead = to.dims.len().checked_sub(from.dims.len());
    lead.is_some_and(|lead| from.dims.iter().zip(&to.dims[lead..]).all(|(a, b)| *a == 1 || a == b))
}

fn pointwise_work(places: &Places<'_>) -> CudnnResult<Work> {
    let operation = places.operation;
    let descriptor = operation.needed(Name::CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)?;
    let mode = descriptor.integer(Name::CUDNN_ATTR_POINTWISE_MODE, 0);
    let mode = cudnnPointwiseMode_t(mode as _);
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_POINTWISE_XDESC)?;
    if mode == cudnnPointwiseMode_t::CUDNN_POINTWISE_GEN_INDEX {
        let y = places.needed(Name::CUDNN_ATTR_OPERATION_POINTWISE_YDESC)?;
        let axis = descriptor.integer(Name::CUDNN_ATTR_POINTWISE_AXIS, -1);
        let axis = usize::try_from(axis).ok().filter(|axis| *axis < y.dims.len());
        return Ok(vec![pointwise::index(axis.ok_or(cudnnError::BAD_PARAM)?, y)]);
    }
    let what = pointwise_operation(mode, &descriptor)?;
    let is_backward = matches!(what, Operation::Backward(_));
    let (second, output) = match is_backward {
        true => (
            Name::CUDNN_ATTR_OPERATION_POINTWISE_DYDESC,
            Name::CUDNN_ATTR_OPERATION_POINTWISE_DXDESC,
        ),
        false => {
            (Name::CUDNN_ATTR_OPERATION_POINTWISE_BDESC, Name::CUDNN_ATTR_OPERATION_POINTWISE_YDESC)
        }
    };
    let mut inputs = vec![x];
    for name in
        [second, Name::CUDNN_ATTR_OPERATION_POINTWISE_TDESC].iter().take(what.operands() - 1)
    {
        inputs.push(places.needed(*name)?);
    }
    let output = places.needed(output)?;
    check_shape(inputs.iter().all(|input| repeats(input, &output)))?;
    let factors = [
        operation.number(Name::CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1.0),
        operation.number(Name::CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1.0),
    ];
    Ok(vec![pointwise::pointwise(what, factors, Elementwise { inputs, output, scale: Scale::ONE })])
}

fn multiply(places: &Places<'_>) -> CudnnResult<Work> {
    let a = places.needed(Name::CUDNN_ATTR_OPERATION_MATMUL_ADESC)?;
    let b = places.needed(Name::CUDNN_ATTR_OPERATION_MATMUL_BDESC)?;
    let c = places.needed(Name::CUDNN_ATTR_OPERATION_MATMUL_CDESC)?;
    let rank = c.dims.len();
    check_shape(rank >= 2 && a.dims.len() == rank && b.dims.len() == rank)?;
    let matrix = |tensor: &Tensor| (tensor.dims[rank - 2], tensor.dims[rank - 1]);
    let ((m, k), (depth, n)) = (matrix(&a), matrix(&b));
    check_shape(k == depth && matrix(&c) == (m, n))?;
    for i in 0..rank - 2 {
        check_shape(c.dims[i] % a.dims[i] == 0 && c.dims[i] % b.dims[i] == 0)?;
    }
    let limits = Limits {
        rows: places.maybe(Name::CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC)?,
        columns: places.maybe(Name::CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC)?,
        depth: places.maybe(Name::CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC)?,
    };
    for limit in [&limits.rows, &limits.columns, &limits.depth].into_iter().flatten() {
        let of_batch = limit.dims.iter().zip(&c.dims).take(rank - 2);
        check_shape(limit.dims.len() == rank && of_batch.clone().all(|(a, b)| *a == 1 || a == b))?;
    }
    Ok(vec![matmul::matmul(a, b, c, limits)])
}

fn reduce(places: &Places<'_>) -> CudnnResult<Work> {
    use cudnnReduceTensorOp_t as R;
    let descriptor = places.operation.needed(Name::CUDNN_ATTR_OPERATION_REDUCTION_DESC)?;
    let operator = descriptor.integer(Name::CUDNN_ATTR_REDUCTION_OPERATOR, -1);
    let reduction = reduction_of(R(operator as _)).ok_or(cudnnError::BAD_PARAM)?;
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_REDUCTION_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_REDUCTION_YDESC)?;
    check_shape(x.dims.len() == y.dims.len())?;
    let (x, y) = in_groups(x, y);
    check_shape(repeats(&y, &x))?;
    Ok(vec![reduction::reduce(reduction, x, y, Scale::ONE)])
}

/// Dimensions of which some elements are left, each of a group that follows each other, as two: the groups, and what is in
/// them. Heads of attention that share keys and values are such.
fn in_groups(mut x: Tensor, mut y: Tensor) -> (Tensor, Tensor) {
    for i in (0..x.dims.len()).rev() {
        let (all, left) = (x.dims[i], y.dims[i]);
        if left == 1 || left == all || all % left != 0 {
            continue;
        }
        let each = all / left;
        x.layout.dims[i] = left;
        x.layout.dims.insert(i + 1, each);
        x.layout.strides.insert(i + 1, x.strides[i]);
        x.layout.strides[i] *= each as isize;
        y.layout.dims.insert(i + 1, 1);
        y.layout.strides.insert(i + 1, 1);
    }
    (x, y)
}

/// The reduction of an operator.
pub(crate) fn reduction_of(operator: cudnnReduceTensorOp_t) -> Option<Reduction> {
    use cudnnReduceTensorOp_t as R;
    Some(match operator {
        R::CUDNN_REDUCE_TENSOR_ADD => Reduction::Add,
        R::CUDNN_REDUCE_TENSOR_MUL => Reduction::Mul,
        R::CUDNN_REDUCE_TENSOR_MIN => Reduction::Min,
        R::CUDNN_REDUCE_TENSOR_MAX => Reduction::Max,
        R::CUDNN_REDUCE_TENSOR_AMAX => Reduction::Amax,
        R::CUDNN_REDUCE_TENSOR_AVG => Reduction::Avg,
        R::CUDNN_REDUCE_TENSOR_NORM1 => Reduction::Norm1,
        R::CUDNN_REDUCE_TENSOR_NORM2 => Reduction::Norm2,
        R::CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS => Reduction::MulNoZeros,
        _ => return None,
    })
}

fn statistics(places: &Places<'_>) -> CudnnResult<Work> {
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_GENSTATS_XDESC)?;
    let sum = places.needed(Name::CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC)?;
    let squares = places.needed(Name::CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC)?;
    check_shape(repeats(&sum, &x) && repeats(&squares, &x))?;
    let of = |reduction, to| reduction::reduce(reduction, x.clone(), to, Scale::ONE);
    Ok(vec![of(Reduction::Add, sum), of(Reduction::Squares, squares)])
}

fn resample(places: &Places<'_>) -> CudnnResult<Work> {
    use cudnnResampleMode_t as M;
    let operation = places.operation;
    let is_forward = operation.kind == Kind::CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR;
    let descriptor = operation.needed(match is_forward {
        true => Name::CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC,
        false => Name::CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC,
    })?;
    let kind = match M(descriptor.integer(Name::CUDNN_ATTR_RESAMPLE_MODE, -1) as _) {
        M::CUDNN_RESAMPLE_MAXPOOL => pooling::Kind::Max {
            propagates_nan: descriptor.integer(Name::CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, 0)
                == PROPAGATE_NAN,
        },
        M::CUDNN_RESAMPLE_AVGPOOL => pooling::Kind::Average { with_padding: true },
        M::CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING => pooling::Kind::Average { with_padding: false },
        _ => return Err(PATTERN),
    };
    let (x, y) = match is_forward {
        true => (
            Name::CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC,
            Name::CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC,
        ),
        false => (
            Name::CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC,
            Name::CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC,
        ),
    };
    let (x, y) = (places.needed(x)?, places.needed(y)?);
    let windows = descriptor.integers(Name::CUDNN_ATTR_RESAMPLE_WINDOW_DIMS);
    let pads = descriptor.integers(Name::CUDNN_ATTR_RESAMPLE_PRE_PADDINGS);
    let strides = descriptor.integers(Name::CUDNN_ATTR_RESAMPLE_STRIDES);
    let count = windows.len();
    check_shape(count + 2 == x.dims.len() && x.dims.len() == y.dims.len())?;
    check_shape(x.dims[..2] == y.dims[..2] && pads.len() == count && strides.len() == count)?;
    if count > SPACE {
        return Err(cudnnError::NOT_SUPPORTED_SHAPE);
    }
    if windows.iter().chain(&strides).any(|value| *value <= 0) {
        return Err(cudnnError::BAD_PARAM);
    }
    let mut axes = [Axis::NONE; SPACE];
    for i in 0..count {
        axes[SPACE - count + i] = Axis {
            window: windows[i] as usize,
            pad: pads[i] as isize,
            stride: strides[i] as usize,
            dilation: 1,
        };
    }
    let pooling = Pooling { kind, axes };
    if is_forward {
        let index = places.maybe(Name::CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC)?;
        return Ok(vec![pooling::forward_indexed(pooling, x, y, Scale::ONE, index)]);
    }
    let index = places.maybe(Name::CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC)?;
    let values = places.maybe(Name::CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC)?;
    if matches!(kind, pooling::Kind::Max { .. }) && index.is_none() && values.is_none() {
        return Err(PATTERN);
    }
    Ok(vec![pooling::backward(pooling, values, y, x, Scale::ONE, index)])
}

/// The part of a tensor from an index on, of other lengths.
fn part(tensor: &Tensor, from: &[usize], dims: &[usize]) -> Tensor {
    let offset = tensor.offset(from) * tensor.format.size() as isize;
    let mut part = tensor.clone();
    part.layout.dims = dims.to_vec();
    part.first = part.first.wrapping_offset(offset);
    part
}

fn concatenate(places: &Places<'_>) -> CudnnResult<Work> {
    let operation = places.operation;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC)?;
    let axis = operation.integer(Name::CUDNN_ATTR_OPERATION_CONCAT_AXIS, -1);
    let axis = usize::try_from(axis).ok().filter(|axis| *axis < y.dims.len());
    let axis = axis.ok_or(cudnnError::BAD_PARAM)?;
    let (mut work, mut at) = (Vec::new(), 0);
    for input in operation.descriptors(Name::CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS) {
        let x = (places.find)(&input)?;
        check_shape(x.dims.len() == y.dims.len())?;
        let mut from = vec![0; x.dims.len()];
        from[axis] = at;
        at += x.dims[axis];
        let fits = x.dims.iter().zip(&y.dims).enumerate().all(|(i, (x, y))| i == axis || x == y);
        check_shape(fits && at <= y.dims[axis])?;
        let to = part(&y, &from, &x.dims);
        work.push(pointwise::copy(x, to));
    }
    check_shape(at == y.dims[axis])?;
    Ok(work)
}

fn reshape(places: &Places<'_>) -> CudnnResult<Work> {
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_RESHAPE_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_RESHAPE_YDESC)?;
    check_shape(x.count() == y.count())?;
    let mode = places.operation.integer(Name::CUDNN_ATTR_OPERATION_RESHAPE_MODE, 0);
    match cudnnBackendReshapeMode_t(mode as _) {
        cudnnBackendReshapeMode_t::CUDNN_RESHAPE_VIEW_ONLY => {
            let reach = |tensor: &Tensor| tensor.bytes() / tensor.format.size();
            check_shape(reach(&y) <= reach(&x))?;
            Ok(vec![pointwise::view(x, y)])
        }
        cudnnBackendReshapeMode_t::CUDNN_RESHAPE_LOGICAL => Ok(vec![pointwise::reshape(x, y)]),
        _ => Err(cudnnError::BAD_PARAM),
    }
}

fn draw(places: &Places<'_>) -> CudnnResult<Work> {
    use cudnnRngDistribution_t as D;
    let operation = places.operation;
    let descriptor = operation.needed(Name::CUDNN_ATTR_OPERATION_RNG_DESC)?;
    let number = |name, otherwise| descriptor.number(name, otherwise);
    let distribution = descriptor.integer(Name::CUDNN_ATTR_RNG_DISTRIBUTION, 0);
    let distribution = match D(distribution as _) {
        D::CUDNN_RNG_DISTRIBUTION_BERNOULLI => {
            Distribution::Bernoulli(number(Name::CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.5))
        }
        D::CUDNN_RNG_DISTRIBUTION_UNIFORM => Distribution::Uniform(
            number(Name::CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM, 0.0),
            number(Name::CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM, 1.0),
        ),
        D::CUDNN_RNG_DISTRIBUTION_NORMAL => Distribution::Normal(
            number(Name::CUDNN_ATTR_RNG_NORMAL_DIST_MEAN, 0.0),
            number(Name::CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION, 1.0),
        ),
        _ => return Err(cudnnError::BAD_PARAM),
    };
    let seed = match places.maybe(Name::CUDNN_ATTR_OPERATION_RNG_SEED)? {
        Some(seed) => Seed::In(seed),
        None => Seed::Known(operation.integer(Name::CUDNN_ATTR_OPERATION_RNG_SEED, 0) as u64),
    };
    let offset = places.maybe(Name::CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_RNG_YDESC)?;
    Ok(vec![random::fill(distribution, seed, offset, y)])
}

fn transpose(places: &Places<'_>) -> CudnnResult<Work> {
    let mut x = places.needed(Name::CUDNN_ATTR_OPERATION_TRANSPOSE_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_TRANSPOSE_YDESC)?;
    let order = places.operation.integers(Name::CUDNN_ATTR_OPERATION_TRANSPOSE_PERMUTATION);
    let order: Vec<usize> = order.iter().map(|i| *i as usize).collect();
    check_shape(order.len() == x.dims.len() && order.iter().all(|i| *i < x.dims.len()))?;
    x.layout.dims = order.iter().map(|i| x.layout.dims[*i]).collect();
    x.layout.strides = order.iter().map(|i| x.layout.strides[*i]).collect();
    check_shape(x.dims == y.dims)?;
    Ok(vec![pointwise::copy(x, y)])
}

fn slice(places: &Places<'_>) -> CudnnResult<Work> {
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_SLICE_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_SLICE_YDESC)?;
    let operation = places.operation;
    let begin = operation.integers(Name::CUDNN_ATTR_OPERATION_SLICE_START_INDICES);
    let mut steps = operation.integers(Name::CUDNN_ATTR_OPERATION_SLICE_STRIDES);
    steps.resize(begin.len(), 1);
    let rank = x.dims.len();
    check_shape(begin.len() == rank && y.dims.len() == rank && steps.iter().all(|step| *step > 0))?;
    for i in 0..rank {
        let last = begin[i] + (y.dims[i] as i64 - 1) * steps[i];
        check_shape(begin[i] >= 0 && last < x.dims[i] as i64)?;
    }
    let from: Vec<usize> = begin.iter().map(|i| *i as usize).collect();
    let mut x = part(&x, &from, &y.dims);
    for (stride, step) in x.layout.strides.iter_mut().zip(steps) {
        *stride *= step as isize;
    }
    Ok(vec![pointwise::copy(x, y)])
}

fn phase(operation: &Backend) -> cudnnBackendNormFwdPhase_t {
    let phase = operation.integer(Name::CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, 0);
    cudnnBackendNormFwdPhase_t(phase as _)
}

/// The lengths of statistics, where no tensor of them tells.
fn kept(
    mode: cudnnBackendNormMode_t,
    x: &Tensor,
    scale: Option<&Tensor>,
) -> CudnnResult<Vec<usize>> {
    use cudnnBackendNormMode_t as M;
    let dims = x.dims.iter().enumerate();
    Ok(match mode {
        M::CUDNN_BATCH_NORM => dims.map(|(i, dim)| if i == 1 { *dim } else { 1 }).collect(),
        M::CUDNN_INSTANCE_NORM => dims.map(|(i, dim)| if i < 2 { *dim } else { 1 }).collect(),
        M::CUDNN_LAYER_NORM | M::CUDNN_RMS_NORM | M::CUDNN_ADA_LAYER_NORM => {
            let scale = scale.ok_or(PATTERN)?;
            check_shape(scale.dims.len() == x.dims.len())?;
            // Each item of a batch has parameters of its own there.
            let own = mode == M::CUDNN_ADA_LAYER_NORM;
            dims.map(|(i, dim)| if scale.dims[i] == 1 || (own && i == 0) { *dim } else { 1 })
                .collect()
        }
        _ => return Err(PATTERN),
    })
}

/// The tensor that is normalised, and over which dimensions.
pub(super) fn norm_of(
    x: Tensor,
    mode: cudnnBackendNormMode_t,
    statistics: Option<&Tensor>,
    scale: Option<&Tensor>,
    epsilon: Parameter,
) -> CudnnResult<Norm> {
    let kept = match statistics {
        Some(statistics) => statistics.dims.clone(),
        None => kept(mode, &x, scale)?,
    };
    check_shape(kept.len() == x.dims.len())?;
    check_shape(kept.iter().zip(&x.dims).all(|(kept, all)| *kept == 1 || kept == all))?;
    Ok(Norm { x, kept, epsilon, centred: mode != cudnnBackendNormMode_t::CUDNN_RMS_NORM })
}

fn norm_forward(places: &Places<'_>) -> CudnnResult<Work> {
    let operation = places.operation;
    if !operation.descriptors(Name::CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS).is_empty() {
        return Err(PATTERN);
    }
    let mode = operation.integer(Name::CUDNN_ATTR_OPERATION_NORM_FWD_MODE, -1);
    let mode = cudnnBackendNormMode_t(mode as _);
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_NORM_FWD_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_NORM_FWD_YDESC)?;
    let mean = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC)?;
    let inverse = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC)?;
    let scale = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC)?;
    let bias = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC)?;
    let epsilon = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC)?;
    let epsilon = epsilon.map_or(Parameter::Known(0.0), Parameter::In);
    check_shape(x.dims == y.dims)?;
    check_shape(
        scale
            .iter()
            .chain(&bias)
            .all(|tensor| repeats(tensor, &x) && tensor.dims.len() == x.dims.len()),
    )?;
    let norm = norm_of(x, mode, inverse.as_ref().or(mean.as_ref()), scale.as_ref(), epsilon)?;
    let finish = Finish { scale, bias, z: None, relu: false, y, blend: Scale::ONE };
    let is_training = phase(operation) == cudnnBackendNormFwdPhase_t::CUDNN_NORM_FWD_TRAINING;
    if let (false, Some(inverse)) = (is_training, &inverse) {
        return Ok(vec![norm::inference(norm, finish, mean, inverse.clone(), Given::Inverse)]);
    }
    let names = [
        Name::CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC,
        Name::CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC,
        Name::CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC,
        Name::CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC,
        Name::CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC,
    ];
    let mut tensors = Vec::new();
    for name in names {
        tensors.extend(places.maybe(name)?);
    }
    let running = match <[Tensor; 5]>::try_from(tensors) {
        Ok([old_mean, old_variance, mean, variance, factor]) => {
            Some(Running { old_mean, old_variance, mean, variance, factor: Parameter::In(factor) })
        }
        Err(_) => None,
    };
    Ok(vec![norm::training(norm, finish, Statistics { mean, inverse }, running)])
}

fn norm_backward(places: &Places<'_>) -> CudnnResult<Work> {
    let operation = places.operation;
    if !operation.descriptors(Name::CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS).is_empty() {
        return Err(PATTERN);
    }
    let mode = operation.integer(Name::CUDNN_ATTR_OPERATION_NORM_BWD_MODE, -1);
    let mode = cudnnBackendNormMode_t(mode as _);
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_NORM_BWD_XDESC)?;
    let dy = places.needed(Name::CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC)?;
    let mean = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC)?;
    let inverse = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC)?;
    let scale = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC)?;
    let epsilon = places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC)?;
    let epsilon = epsilon.map_or(Parameter::Known(0.0), Parameter::In);
    check_shape(x.dims == dy.dims)?;
    let norm = norm_of(x, mode, inverse.as_ref().or(mean.as_ref()), scale.as_ref(), epsilon)?;
    let gradients = Gradients {
        dy,
        y: None,
        scale,
        dx: places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC)?,
        dx_blend: Scale::ONE,
        dscale: places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC)?,
        dbias: places.maybe(Name::CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC)?,
        parameter_blend: Scale::ONE,
        dz: None,
    };
    Ok(norm::backward(norm, gradients, Statistics { mean, inverse }))
}
