//! Batch normalisation in two operations: statistics, factors and addends of channels here, what applies them elsewhere in the
//! graph.

use super::operation::{PATTERN, Places, check_shape, norm_of};
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnBackendNormMode_t,
    cudnnBnFinalizeStatsMode_t,
};
use neural::norm::folded::{Folded, FoldedGradients, Source, fold, fold_gradients};
use neural::norm::{Parameter, Running, Statistics};
use neural::{Tensor, Work};

/// Statistics of a batch from its sums, or of those that are kept.
pub(super) fn finalize(places: &Places<'_>) -> CudnnResult<Work> {
    use cudnnBnFinalizeStatsMode_t as M;
    let mode = places.operation.integer(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, 0);
    let old_mean = places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_MEAN_DESC)?;
    let old_variance =
        places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_VAR_DESC)?;
    let parameter = |name| places.needed(name).map(Parameter::In);
    let (source, running) = match M(mode as _) {
        M::CUDNN_BN_FINALIZE_STATISTICS_TRAINING => (
            Source::Sums {
                sum: places.needed(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC)?,
                squares: places.needed(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC)?,
                count: parameter(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC)?,
            },
            running(places, old_mean, old_variance)?,
        ),
        M::CUDNN_BN_FINALIZE_STATISTICS_INFERENCE => {
            let (mean, variance) = old_mean.zip(old_variance).ok_or(PATTERN)?;
            (Source::Given { mean, variance }, None)
        }
        _ => return Err(PATTERN),
    };
    let folded = Folded {
        source,
        scale: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC)?,
        bias: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC)?,
        epsilon: parameter(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC)?,
        mean: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC)?,
        inverse: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC)?,
        running,
        factor: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC)?,
        addend: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC)?,
    };
    let (first, second) = match &folded.source {
        Source::Sums { sum, squares, .. } => (sum, squares),
        Source::Given { mean, variance } => (mean, variance),
    };
    let dims = first.dims.clone();
    let optional = [
        &folded.scale,
        &folded.bias,
        &folded.mean,
        &folded.inverse,
        &folded.factor,
        &folded.addend,
    ];
    let averages = folded.running.iter().flat_map(|running| {
        [&running.old_mean, &running.old_variance, &running.mean, &running.variance]
    });
    let all: Vec<&Tensor> =
        optional.into_iter().flatten().chain(averages).chain([second]).collect();
    check_shape(all.iter().all(|tensor| tensor.dims == dims))?;
    Ok(vec![fold(folded, dims)])
}

/// Averages over batches, where a graph updates them.
fn running(
    places: &Places<'_>,
    old_mean: Option<Tensor>,
    old_variance: Option<Tensor>,
) -> CudnnResult<Option<Running>> {
    let mean = places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC)?;
    let variance = places.maybe(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_VAR_DESC)?;
    if mean.is_none() && variance.is_none() {
        return Ok(None);
    }
    let (old_mean, old_variance) = old_mean.zip(old_variance).ok_or(PATTERN)?;
    let (mean, variance) = mean.zip(variance).ok_or(PATTERN)?;
    let factor = places.needed(Name::CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC)?;
    let factor = Parameter::In(factor);
    Ok(Some(Running { old_mean, old_variance, mean, variance, factor }))
}

/// Gradients of scale and bias, and what makes those of the input.
pub(super) fn gradients(places: &Places<'_>) -> CudnnResult<Work> {
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC)?;
    let dy = places.needed(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC)?;
    let mean = places.needed(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC)?;
    let inverse = places.needed(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC)?;
    check_shape(x.dims == dy.dims && mean.dims == inverse.dims)?;
    let gradients = FoldedGradients {
        dy,
        scale: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC)?,
        dscale: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC)?,
        dbias: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC)?,
        dy_factor: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC)?,
        x_factor: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC)?,
        addend: places.maybe(Name::CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS)?,
    };
    let all = [
        &gradients.scale,
        &gradients.dscale,
        &gradients.dbias,
        &gradients.dy_factor,
        &gradients.x_factor,
        &gradients.addend,
    ];
    check_shape(all.into_iter().flatten().all(|tensor| tensor.dims == mean.dims))?;
    let epsilon = Parameter::Known(0.0);
    let norm = norm_of(x, cudnnBackendNormMode_t::CUDNN_BATCH_NORM, Some(&mean), None, epsilon)?;
    let saved = Statistics { mean: Some(mean), inverse: Some(inverse) };
    Ok(vec![fold_gradients(norm, gradients, saved)])
}
