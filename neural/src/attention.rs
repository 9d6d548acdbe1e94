//! Steps of attention between its products: masks and softmax of scores `[batch, heads, queries, keys]`.

use crate::tensor::{Scale, Tensor, index_of};
use crate::work::{Stage, over};

/// Which keys a query may see, by the places of both.
#[derive(Clone, Debug)]
pub struct Band {
    /// Whether the key's place, moved by the bound, is compared with the query's, instead of the other way round.
    pub left: bool,
    pub bound: Option<Tensor>,
    /// Lengths of each item of the batch, at whose ends the band is aligned.
    pub queries: Option<Tensor>,
    pub keys: Option<Tensor>,
    pub compare: fn(f64, f64) -> bool,
}

/// A number for an item of the batch.
fn of_item(tensor: &Option<Tensor>, item: usize) -> Option<f64> {
    tensor.as_ref().map(|tensor| {
        let item = if tensor.dims[0] == 1 { 0 } else { item };
        tensor.get(item as isize * tensor.strides[0])
    })
}

/// Scores where the band is, and `otherwise` elsewhere.
pub fn mask(band: Band, x: Tensor, otherwise: Tensor, y: Tensor) -> Stage {
    let lines = x.dims[..3].to_vec();
    let (length, from, to) = (x.dims[3], x.strides[3], y.strides[3]);
    over(lines.iter().product(), length * 4, move |range| {
        let mut values = vec![0.0; length];
        let other = otherwise.get(0);
        for line in range {
            let index = index_of(line, &lines);
            x.load(x.offset(&index), from, &mut values);
            let skew = of_item(&band.keys, index[0]).unwrap_or(0.0)
                - of_item(&band.queries, index[0]).unwrap_or(0.0);
            let bound = band.bound.as_ref().map_or(0.0, |bound| bound.get(0));
            let row = index[2] as f64;
            for (column, value) in values.iter_mut().enumerate() {
                let column = column as f64;
                let sees = match band.left {
                    true => (band.compare)(column + bound - skew, row),
                    false => (band.compare)(row + skew + bound, column),
                };
                if !sees {
                    *value = other;
                }
            }
            y.store(y.offset(&index), to, &values);
        }
    })
}

/// The sums of softmax that are kept, `[batch, heads, queries, 1]` each.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// The logarithm of the sum of exponentials, of base 2 if so said.
    pub logarithm: Option<Tensor>,
    pub base_two: bool,
    pub greatest: Option<Tensor>,
    /// The sum of exponentials of differences to the greatest.
    pub sum: Option<Tensor>,
}

/// Softmax of scores along keys. What lies beyond the lengths of queries and keys becomes 0; `sink` is one more score of each
/// head, which has no value.
pub fn softmax(
    x: Tensor,
    y: Tensor,
    sums: Sums,
    sink: Option<Tensor>,
    (queries, keys): (Option<Tensor>, Option<Tensor>),
) -> Stage {
    let rank = x.dims.len();
    let lines = x.dims[..rank - 1].to_vec();
    let (length, from, to) = (x.dims[rank - 1], x.strides[rank - 1], y.strides[rank - 1]);
    over(lines.iter().product(), length * 12, move |range| {
        let mut values = vec![0.0; length];
        for line in range {
            let index = index_of(line, &lines);
            x.load(x.offset(&index), from, &mut values);
            let count = |lengths, all: usize| {
                of_item(lengths, index[0]).map_or(all, |count| (count.max(0.0) as usize).min(all))
            };
            let is_beyond = index[rank - 2] >= count(&queries, lines[rank - 2]);
            let seen = if is_beyond { 0 } else { count(&keys, length) };
            let sink = sink.as_ref().map(|sink| {
                let steps = sink.steps();
                sink.get(index.iter().zip(&steps).map(|(i, step)| *i as isize * step).sum())
            });
            let (inside, outside) = values.split_at_mut(seen);
            let first = sink.unwrap_or(f64::NEG_INFINITY);
            let top = inside.iter().copied().fold(first, f64::max);
            outside.fill(0.0);
            let mut sum = if sink.is_some() { (first - top).exp() } else { 0.0 };
            if top == f64::NEG_INFINITY {
                inside.fill(0.0);
            } else {
                inside.iter_mut().for_each(|value| *value = (*value - top).exp());
                sum += inside.iter().sum::<f64>();
                inside.iter_mut().for_each(|value| *value /= sum);
            }
            y.blend(y.offset(&index), to, &mut values, Scale::ONE);
            let logarithm = top + sum.ln();
            let logarithm =
                if sums.base_two { logarithm * std::f64::consts::LOG2_E } else { logarithm };
            for (tensor, value) in
                [(&sums.logarithm, logarithm), (&sums.greatest, top), (&sums.sum, sum)]
            {
                if let Some(tensor) = tensor {
                    tensor.set(tensor.offset(&index), value);
                }
            }
        }
    })
}
