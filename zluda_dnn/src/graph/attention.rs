//! Attention: masks, softmax, and all of it as one operation.

use super::operation::{Find, PATTERN, Places, check_shape, repeats};
use super::plan::layout_of;
use super::{Backend, tensor::described};
use cuda_types::cudnn::{CudnnResult, cudnnBackendAttributeName_t as Name, cudnnPointwiseMode_t};
use neural::attention::{self, Band, Sums};
use neural::elementwise::Elementwise;
use neural::matmul::{self, Limits};
use neural::paged;
use neural::pointwise::{self, Operation};
use neural::random::{self, Seed};
use neural::reduction::{self, Reduction};
use neural::{Format, Layout, Scale, Tensor, Work};
use std::sync::Arc;

/// The tensors that a softmax keeps besides its result, and its sink.
fn kept_sums(places: &Places<'_>) -> CudnnResult<(Sums, Option<Tensor>)> {
    let sums = Sums {
        logarithm: places.maybe(Name::CUDNN_ATTR_OPERATION_SOFTMAX_STATS_DESC)?,
        base_two: places.operation.integer(Name::CUDNN_ATTR_OPERATION_SOFTMAX_STATS_LOG2, 0) != 0,
        greatest: places.maybe(Name::CUDNN_ATTR_OPERATION_SOFTMAX_MAX_DESC)?,
        sum: places.maybe(Name::CUDNN_ATTR_OPERATION_SOFTMAX_SUM_EXP_DESC)?,
    };
    Ok((sums, places.maybe(Name::CUDNN_ATTR_OPERATION_SOFTMAX_SINK_DESC)?))
}

pub(super) fn softmax_work(places: &Places<'_>) -> CudnnResult<Work> {
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_SOFTMAX_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_SOFTMAX_YDESC)?;
    check_shape(x.dims == y.dims && x.dims.len() >= 2)?;
    let (sums, sink) = kept_sums(places)?;
    Ok(vec![attention::softmax(x, y, sums, sink, (None, None))])
}

pub(super) fn mask(places: &Places<'_>) -> CudnnResult<Work> {
    use cudnnPointwiseMode_t as M;
    let name = Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE;
    let compare: fn(f64, f64) -> bool = match M(places.operation.integer(name, -1) as _) {
        M::CUDNN_POINTWISE_CMP_GT => |a, b| a > b,
        M::CUDNN_POINTWISE_CMP_GE => |a, b| a >= b,
        M::CUDNN_POINTWISE_CMP_LT => |a, b| a < b,
        M::CUDNN_POINTWISE_CMP_LE => |a, b| a <= b,
        _ => return Err(PATTERN),
    };
    let left = places.maybe(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC)?;
    let right =
        places.maybe(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC)?;
    let band = Band {
        left: left.is_some(),
        bound: left.or(right),
        queries: places.maybe(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_QDESC)?,
        keys: places.maybe(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SEQ_LEN_KVDESC)?,
        compare,
    };
    let x = places.needed(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC)?;
    let y = places.needed(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC)?;
    let otherwise = places.needed(Name::CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC)?;
    check_shape(x.dims == y.dims && x.dims.len() == 4)?;
    Ok(vec![attention::mask(band, x, otherwise, y)])
}

/// The tables of pages of keys and of values, with what they are of.
const PAGES: [(Name, Name); 2] = [
    (
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC,
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
    ),
    (
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC,
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC,
    ),
];

/// Room for the scores of an attention, `[batch, heads, queries, keys]`, for its result, and for keys and values that lie in
/// pages.
pub(crate) fn rooms(operation: &Backend) -> CudnnResult<[Layout; 4]> {
    let layout = |name| -> CudnnResult<Layout> {
        let layout = described(operation.needed(name)?.as_ref())?.layout;
        check_shape(layout.dims.len() == 4)?;
        Ok(layout)
    };
    let q = layout(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC)?;
    let o = layout(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC)?;
    let mut keys = layout(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC)?.dims[2];
    if operation.descriptor(PAGES[0].0).is_some() {
        keys *= layout(PAGES[0].0)?.dims[2];
        // The last page may have more rows than there are keys, which the graph of scores knows.
        let uid = operation.integer(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_INPUT_UID, 0);
        if let Some(graph) = subgraph(operation) {
            let inner = graph.descriptors(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS);
            keys = keys.min(layout_of(&inner, uid)?.dims.get(3).copied().unwrap_or(keys));
        }
    }
    let room = |(table, of): (Name, Name)| -> CudnnResult<Layout> {
        if operation.descriptor(table).is_none() {
            return Ok(Layout::packed(Format::F32, &[0]));
        }
        let pages = layout(of)?;
        check_shape(layout(table)?.dims[0] == q.dims[0])?;
        let dims = [q.dims[0], pages.dims[1], keys, pages.dims[3]];
        Ok(Layout::packed(Format::F32, &dims))
    };
    let scores = Layout::packed(Format::F32, &[q.dims[0], q.dims[1], q.dims[2], keys]);
    Ok([scores, Layout::packed(Format::F32, &o.dims), room(PAGES[0])?, room(PAGES[1])?])
}

/// The graph that changes scores before softmax, if there is one.
pub(crate) fn subgraph(operation: &Backend) -> Option<Arc<Backend>> {
    operation.descriptor(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH)
}

/// Attention as one operation. `before` and `after` are the scores as the graph between them has them, and `inner` is its work;
/// further tensors are the [`rooms`] for the result, keys and values.
pub(crate) fn attend(
    operation: &Backend,
    find: Find<'_>,
    (before, after): (Tensor, Tensor),
    [sums, k_room, v_room]: [Tensor; 3],
    inner: Work,
) -> CudnnResult<Work> {
    let unknown = [
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC,
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_CU_SEQ_LEN_QDESC,
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_CU_SEQ_LEN_KVDESC,
    ];
    if unknown.iter().any(|name| operation.descriptor(*name).is_some()) {
        return Err(PATTERN);
    }
    let places = Places { operation, find };
    let q = places.needed(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC)?;
    let mut work = Work::new();
    let mut in_rows = |(table, of), room: Tensor| -> CudnnResult<Tensor> {
        let given = places.needed(of)?;
        let Some(table) = places.maybe(table)? else { return Ok(given) };
        work.push(paged::gather(given, table, room.clone()));
        Ok(room)
    };
    let (mut k, v) = (in_rows(PAGES[0], k_room)?, in_rows(PAGES[1], v_room)?);
    let o = places.needed(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC)?;
    check_shape(v.dims.len() == 4 && o.dims.len() == 4 && before.dims == after.dims)?;
    check_shape(k.dims[3] == q.dims[3] && v.dims[2] == k.dims[2] && k.dims[..2] == v.dims[..2])?;
    check_shape(o.dims == [q.dims[0], q.dims[1], q.dims[2], v.dims[3]])?;
    check_shape(q.dims[0] % k.dims[0] == 0 && q.dims[1] % k.dims[1] == 0)?;
    k.layout.dims.swap(2, 3);
    k.layout.strides.swap(2, 3);
    let queries = places.maybe(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC)?;
    let keys = places.maybe(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC)?;
    let (mut kept, mut sink) = (Sums::default(), None);
    if let Some(softmax) = operation.descriptor(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SOFTMAX_DESC) {
        (kept, sink) = kept_sums(&Places { operation: &softmax, find })?;
    }
    if let Some(statistics) = places.maybe(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC)? {
        kept.logarithm = Some(statistics);
    }
    // What lies beyond the lengths may be no number.
    let seen = |limit: &Option<Tensor>| limit.clone().filter(|limit| limit.dims.len() == 4);
    let (rows, columns) = (seen(&queries), seen(&keys));
    let limits = Limits { rows, columns: columns.clone(), depth: None };
    work.push(matmul::matmul(q, k, before.clone(), limits));
    work.extend(places.scaled(
        &before,
        &[
            Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_QDESC,
            Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_KDESC,
            Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC,
        ],
    )?);
    work.extend(inner);
    work.push(attention::softmax(after.clone(), after.clone(), kept, sink, (queries, keys)));
    let greatest = |of: &Tensor, name| -> CudnnResult<Work> {
        let to = places.maybe(name)?;
        let reduce = |to| reduction::reduce(Reduction::Amax, of.clone(), to, Scale::ONE);
        check_shape(to.iter().all(|to| repeats(to, of) && to.dims.len() == of.dims.len()))?;
        Ok(to.map(reduce).into_iter().collect())
    };
    work.extend(greatest(&after, Name::CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_SDESC)?);
    work.extend(dropped(&places, &after)?);
    work.extend(places.scaled(&after, &[Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_SDESC])?);
    // Where nothing is done with the sums they are the result.
    let ends = [
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_SDESC,
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DESCALE_VDESC,
    ];
    let (scale, most) = (
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SCALE_ODESC,
        Name::CUDNN_ATTR_OPERATION_SDPA_FWD_AMAX_ODESC,
    );
    let limits = Limits { depth: columns, ..Limits::default() };
    let is_plain = ends.iter().chain([&scale, &most]).all(|n| operation.descriptor(*n).is_none());
    if is_plain {
        work.push(matmul::matmul(after, v, o, limits));
        return Ok(work);
    }
    work.push(matmul::matmul(after, v, sums.clone(), limits));
    work.extend(places.scaled(&sums, &ends)?);
    work.extend(greatest(&sums, most)?);
    work.extend(places.scaled(&sums, &[scale])?);
    work.push(pointwise::copy(sums, o));
    Ok(work)
}

/// Leaves probabilities out by chance, where the attention does.
fn dropped(places: &Places<'_>, scores: &Tensor) -> CudnnResult<Work> {
    let operation = places.operation;
    let name = Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_PROBABILITY;
    let probability = operation.number(name, 0.0);
    if probability == 0.0 {
        return Ok(Work::new());
    }
    let seed = places.needed(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_SEED_DESC)?;
    let offset = places.maybe(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_OFFSET_DESC)?;
    let shown = places.maybe(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_RNG_DUMP_DESC)?;
    check_shape(shown.iter().all(|shown| shown.dims == scores.dims))?;
    let keep = random::keep(1.0 - probability, (Seed::In(seed), offset), scores.clone(), shown);
    Ok(vec![keep])
}

impl Places<'_> {
    /// Multiplies a tensor by numbers of other ones that are there.
    fn scaled(&self, tensor: &Tensor, names: &[Name]) -> CudnnResult<Work> {
        let mut work = Work::new();
        for name in names {
            let Some(scale) = self.maybe(*name)? else { continue };
            let ones = vec![1; tensor.dims.len()];
            let scale = Tensor { layout: Layout::packed(scale.format, &ones), first: scale.first };
            let inputs = vec![tensor.clone(), scale];
            let all = Elementwise { inputs, output: tensor.clone(), scale: Scale::ONE };
            work.push(pointwise::pointwise(Operation::MUL, [1.0; 2], all));
        }
        Ok(work)
    }
}
