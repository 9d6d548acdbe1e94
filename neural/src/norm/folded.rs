//! Batch normalisation as factors and addends of channels, which other operations of a graph apply.

use super::{Norm, Parameter, Running, at, known, offset};
use crate::tensor::{CHUNK, Tensor, Walk, index_of};
use crate::work::{Stage, over};

/// What the statistics of a channel are made of.
#[derive(Clone, Debug)]
pub enum Source {
    /// The sum of its elements, that of their squares, and how many these are.
    Sums { sum: Tensor, squares: Tensor, count: Parameter },
    /// They are known.
    Given { mean: Tensor, variance: Tensor },
}

/// Tensors of one element a channel. Those that are set are written: `normal * scale + bias = factor * x + addend`.
#[derive(Clone, Debug)]
pub struct Folded {
    pub source: Source,
    pub scale: Option<Tensor>,
    pub bias: Option<Tensor>,
    pub epsilon: Parameter,
    pub mean: Option<Tensor>,
    /// `1 / sqrt(variance + epsilon)`
    pub inverse: Option<Tensor>,
    pub running: Option<Running>,
    pub factor: Option<Tensor>,
    pub addend: Option<Tensor>,
}

impl Folded {
    /// The mean, the variance and that without bias of a channel.
    fn statistics(&self, index: &[usize]) -> (f64, f64, f64) {
        match &self.source {
            Source::Sums { sum, squares, count } => {
                let count = count.get();
                let mean = sum.get(offset(sum, index)) / count;
                let variance = squares.get(offset(squares, index)) / count - mean * mean;
                // Below zero by rounding; what is no number stays so.
                let variance = if variance < 0.0 { 0.0 } else { variance };
                let unbiased =
                    if count > 1.0 { variance * count / (count - 1.0) } else { variance };
                (mean, variance, unbiased)
            }
            Source::Given { mean, variance } => {
                let variance = variance.get(offset(variance, index));
                (mean.get(offset(mean, index)), variance, variance)
            }
        }
    }
}

/// Sets the tensors that are wanted at an index.
fn set(index: &[usize], values: &[(&Option<Tensor>, f64)]) {
    for (tensor, value) in values {
        if let Some(tensor) = tensor {
            tensor.set(offset(tensor, index), *value);
        }
    }
}

/// Statistics, and factors and addends of them, of channels in tensors of the lengths `dims`.
pub fn fold(folded: Folded, dims: Vec<usize>) -> Stage {
    over(dims.iter().product(), 50, move |range| {
        for channel in range {
            let index = index_of(channel, &dims);
            let (mean, variance, unbiased) = folded.statistics(&index);
            let inverse = 1.0 / (variance + folded.epsilon.get()).sqrt();
            let factor = at(&folded.scale, &index, 1.0) * inverse;
            let addend = at(&folded.bias, &index, 0.0) - mean * factor;
            // Before statistics are written: they may lie where the old ones do.
            if let Some(running) = &folded.running {
                running.update(&index, mean, unbiased);
            }
            let Folded { mean: to_mean, inverse: to_inverse, .. } = &folded;
            set(&index, &[(to_mean, mean), (to_inverse, inverse)]);
            set(&index, &[(&folded.factor, factor), (&folded.addend, addend)]);
        }
    })
}

/// Gradients of scale and bias, and those of what is normalised in parts: `dx = dy_factor * dy + x_factor * x + addend`.
#[derive(Clone, Debug)]
pub struct FoldedGradients {
    pub dy: Tensor,
    pub scale: Option<Tensor>,
    pub dscale: Option<Tensor>,
    pub dbias: Option<Tensor>,
    pub dy_factor: Option<Tensor>,
    pub x_factor: Option<Tensor>,
    pub addend: Option<Tensor>,
}

/// The gradients of a normalisation by statistics of `x` itself, which are computed again where they are not given.
pub fn fold_gradients(norm: Norm, gradients: FoldedGradients, saved: super::Statistics) -> Stage {
    let inner = norm.inner();
    let count: usize = inner.iter().product();
    let groups: usize = norm.kept.iter().product();
    let measure = Walk::new(&inner, [&norm.x.strides]);
    let walk = Walk::new(&inner, [&norm.x.strides, &gradients.dy.strides]);
    over(groups, count * 4, move |range| {
        let step = walk.step();
        let (mut x, mut g) = ([0.0; CHUNK], [0.0; CHUNK]);
        for group in range {
            let index = index_of(group, &norm.kept);
            let (mean, inverse) = known(&norm, &measure, &saved, &index, count);
            let begin = [norm.x.offset(&index), gradients.dy.offset(&index)];
            let (mut dscale, mut dbias) = (0.0, 0.0);
            walk.all(|offsets, count| {
                let (x, g) = (&mut x[..count], &mut g[..count]);
                norm.x.load(begin[0] + offsets[0], step[0], x);
                gradients.dy.load(begin[1] + offsets[1], step[1], g);
                dbias += g.iter().sum::<f64>();
                dscale +=
                    g.iter().zip(x.iter()).map(|(g, x)| g * (x - mean) * inverse).sum::<f64>();
            });
            let dy_factor = at(&gradients.scale, &index, 1.0) * inverse;
            let whole = count as f64;
            let x_factor = -dy_factor * inverse * dscale / whole;
            let addend = -dy_factor * dbias / whole - x_factor * mean;
            set(&index, &[(&gradients.dscale, dscale), (&gradients.dbias, dbias)]);
            set(&index, &[(&gradients.dy_factor, dy_factor), (&gradients.x_factor, x_factor)]);
            set(&index, &[(&gradients.addend, addend)]);
        }
    })
}
