//! Normalisation: of batches, layers, instances and groups, all of them by which dimensions their statistics have.
//!
//! A tensor of statistics, of a scale or of a bias has the dimensions of what is normalised, or 1 where it is the same for
//! all elements.

pub mod folded;

use crate::tensor::{CHUNK, Scale, Tensor, Walk, index_of};
use crate::work::{Stage, Work, over};

/// Where statistics are kept, of double precision inside.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub mean: Option<Tensor>,
    /// `1 / sqrt(variance + epsilon)`
    pub inverse: Option<Tensor>,
}

/// Averages over batches: `new = (1 - factor) * old + factor * batch`, the variance without bias.
#[derive(Clone, Debug)]
pub struct Running {
    pub old_mean: Tensor,
    pub old_variance: Tensor,
    pub mean: Tensor,
    pub variance: Tensor,
    pub factor: Parameter,
}

impl Running {
    /// Takes statistics of a batch, at an index.
    fn update(&self, index: &[usize], mean: f64, unbiased: f64) {
        let factor = self.factor.get();
        for (old, new, value) in
            [(&self.old_mean, &self.mean, mean), (&self.old_variance, &self.variance, unbiased)]
        {
            // What was there before may be no number where it does not count.
            let kept =
                if factor == 1.0 { 0.0 } else { (1.0 - factor) * old.get(offset(old, index)) };
            new.set(offset(new, index), kept + factor * value);
        }
    }
}

/// A number that is known, or read when the work runs.
#[derive(Clone, Debug)]
pub enum Parameter {
    Known(f64),
    In(Tensor),
}

impl Parameter {
    pub fn get(&self) -> f64 {
        match self {
            Parameter::Known(value) => *value,
            Parameter::In(tensor) => tensor.get(0),
        }
    }
}

/// A normalisation of `x` whose statistics have the dimensions `kept`.
#[derive(Clone, Debug)]
pub struct Norm {
    pub x: Tensor,
    /// The lengths of the statistics: those of `x`, or 1.
    pub kept: Vec<usize>,
    pub epsilon: Parameter,
    /// Whether the mean is taken away; of root mean squares it is not.
    pub centred: bool,
}

impl Norm {
    /// The dimensions that one statistic is made over.
    fn inner(&self) -> Vec<usize> {
        let pairs = self.x.dims.iter().zip(&self.kept);
        pairs.map(|(all, kept)| if *kept == 1 { *all } else { 1 }).collect()
    }

    /// The mean and the variance of the elements from an offset on.
    fn measure(&self, walk: &Walk<1>, begin: isize, count: usize) -> (f64, f64) {
        let (x, [step]) = (&self.x, walk.step());
        let mut values = [0.0; CHUNK];
        let mut sum_of = |of: &dyn Fn(f64) -> f64| {
            let mut sum = 0.0;
            walk.all(|[offset], count| {
                x.load(begin + offset, step, &mut values[..count]);
                sum += values[..count].iter().map(|value| of(*value)).sum::<f64>();
            });
            sum / count as f64
        };
        let mean = if self.centred { sum_of(&|x| x) } else { 0.0 };
        (mean, sum_of(&|x| (x - mean) * (x - mean)))
    }
}

/// The value of a tensor that may have fewer elements, at an index.
fn at(tensor: &Option<Tensor>, index: &[usize], otherwise: f64) -> f64 {
    tensor.as_ref().map_or(otherwise, |tensor| tensor.get(offset(tensor, index)))
}

fn offset(tensor: &Tensor, index: &[usize]) -> isize {
    index.iter().zip(tensor.steps()).map(|(i, step)| *i as isize * step).sum()
}

fn steps(tensor: &Option<Tensor>, rank: usize) -> Vec<isize> {
    tensor.as_ref().map_or(vec![0; rank], Tensor::steps)
}

/// How `y` is made of what is normalised: `y = alpha * f(normal * scale + bias + z) + beta * y`.
#[derive(Clone, Debug)]
pub struct Finish {
    pub scale: Option<Tensor>,
    pub bias: Option<Tensor>,
    /// The addend.
    pub z: Option<Tensor>,
    pub relu: bool,
    pub y: Tensor,
    pub blend: Scale,
}

/// A normalisation, or its gradients.
#[derive(Clone, Debug)]
pub enum NormLayer {
    Training { norm: Norm, finish: Finish, saved: Statistics, running: Option<Running> },
    Inference { norm: Norm, finish: Finish, mean: Option<Tensor>, spread: Tensor, given: Given },
    Backward { norm: Norm, gradients: Gradients, saved: Statistics },
}

/// Normalises by statistics of `x` itself, which are kept where wanted.
pub fn training(norm: Norm, finish: Finish, saved: Statistics, running: Option<Running>) -> Stage {
    let layer = NormLayer::Training {
        norm: norm.clone(),
        finish: finish.clone(),
        saved: saved.clone(),
        running: running.clone(),
    };
    let stage = normalise(norm, finish, move |norm, walk, index, begin, count| {
        let (mean, variance) = norm.measure(walk, begin, count);
        let inverse = 1.0 / (variance + norm.epsilon.get()).sqrt();
        for (to, value) in [(&saved.mean, mean), (&saved.inverse, inverse)] {
            if let Some(to) = to {
                to.set(offset(to, index), value);
            }
        }
        if let Some(running) = &running {
            let whole = count as f64;
            let unbiased = if count > 1 { variance * whole / (whole - 1.0) } else { variance };
            running.update(index, mean, unbiased);
        }
        (mean, inverse)
    });
    stage.of(1, layer)
}

/// How statistics that are given are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Variance,
    Inverse,
}

/// Normalises by statistics that are given.
pub fn inference(
    norm: Norm,
    finish: Finish,
    mean: Option<Tensor>,
    spread: Tensor,
    given: Given,
) -> Stage {
    let layer = NormLayer::Inference {
        norm: norm.clone(),
        finish: finish.clone(),
        mean: mean.clone(),
        spread: spread.clone(),
        given,
    };
    let spread = Some(spread);
    let stage = normalise(norm, finish, move |norm, _, index, _, _| {
        let spread = at(&spread, index, 1.0);
        let inverse = match given {
            Given::Variance => 1.0 / (spread + norm.epsilon.get()).sqrt(),
            Given::Inverse => spread,
        };
        (at(&mean, index, 0.0), inverse)
    });
    stage.of(1, layer)
}

fn normalise(
    norm: Norm,
    finish: Finish,
    statistics: impl Fn(&Norm, &Walk<1>, &[usize], isize, usize) -> (f64, f64) + Send + Sync + 'static,
) -> Stage {
    let inner = norm.inner();
    let count: usize = inner.iter().product();
    let groups: usize = norm.kept.iter().product();
    let rank = inner.len();
    let measure = Walk::new(&inner, [&norm.x.strides]);
    let (scales, biases) = (steps(&finish.scale, rank), steps(&finish.bias, rank));
    let z_steps = steps(&finish.z, rank);
    let walk = Walk::new(&inner, [&finish.y.strides, &norm.x.strides, &scales, &biases, &z_steps]);
    over(groups, count * 8, move |range| {
        let step = walk.step();
        for group in range {
            let index = index_of(group, &norm.kept);
            let begin = norm.x.offset(&index);
            let (mean, inverse) = statistics(&norm, &measure, &index, begin, count);
            let origin = |tensor: &Option<Tensor>| tensor.as_ref().map_or(0, |t| offset(t, &index));
            let (scale, bias, z) = (origin(&finish.scale), origin(&finish.bias), origin(&finish.z));
            let to = finish.y.offset(&index);
            let mut values = [0.0; CHUNK];
            let mut other = [0.0; CHUNK];
            walk.all(|offsets, count| {
                let (values, other) = (&mut values[..count], &mut other[..count]);
                norm.x.load(begin + offsets[1], step[1], values);
                values.iter_mut().for_each(|value| *value = (*value - mean) * inverse);
                if let Some(tensor) = &finish.scale {
                    tensor.load(scale + offsets[2], step[2], other);
                    values.iter_mut().zip(other.iter()).for_each(|(value, other)| *value *= other);
                }
                for (tensor, origin, i) in [(&finish.bias, bias, 3), (&finish.z, z, 4)] {
                    if let Some(tensor) = tensor {
                        tensor.load(origin + offsets[i], step[i], other);
                        values
                            .iter_mut()
                            .zip(other.iter())
                            .for_each(|(value, other)| *value += other);
                    }
                }
                if finish.relu {
                    values.iter_mut().for_each(|value| *value = value.max(0.0));
                }
                finish.y.blend(to + offsets[0], step[0], values, finish.blend);
            });
        }
    })
}

/// Gradients of a normalisation. `dy` is that of the result; where `y` is given, only of where it is above zero.
#[derive(Clone, Debug)]
pub struct Gradients {
    pub dy: Tensor,
    /// The result, where a ReLU followed.
    pub y: Option<Tensor>,
    pub scale: Option<Tensor>,
    pub dx: Option<Tensor>,
    pub dx_blend: Scale,
    pub dscale: Option<Tensor>,
    pub dbias: Option<Tensor>,
    pub parameter_blend: Scale,
    /// Gets the gradient of what was added.
    pub dz: Option<Tensor>,
}

/// The gradients, in stages. Statistics that are not given are computed again.
pub fn backward(norm: Norm, gradients: Gradients, saved: Statistics) -> Work {
    let mut work = Vec::new();
    let all = (norm.clone(), gradients.clone(), saved.clone());
    let wanted = [&gradients.dscale, &gradients.dbias].into_iter().flatten().next();
    if let Some(like) = wanted {
        work.push(parameters(norm.clone(), gradients.clone(), saved.clone(), like.dims.clone()));
    }
    if let Some(dz) = gradients.dz.clone() {
        let y = gradients.y.clone();
        let inputs = [gradients.dy.clone()].into_iter().chain(y).collect();
        let all = crate::elementwise::Elementwise { inputs, output: dz, scale: Scale::ONE };
        work.push(crate::elementwise::elementwise(all, |inputs, to| {
            to.copy_from_slice(inputs[0]);
            if let Some(y) = inputs.get(1) {
                to.iter_mut().zip(*y).for_each(|(to, y)| *to = if *y > 0.0 { *to } else { 0.0 });
            }
        }));
    }
    if let Some(dx) = gradients.dx.clone() {
        work.push(input(norm, gradients, saved, dx));
    }
    let (stages, (norm, gradients, saved)) = (work.len(), all);
    if !work.is_empty() {
        let first = work.remove(0).of(stages, NormLayer::Backward { norm, gradients, saved });
        work.insert(0, first);
    }
    work
}

/// The statistics at an index, given or computed.
fn known(
    norm: &Norm,
    walk: &Walk<1>,
    saved: &Statistics,
    index: &[usize],
    count: usize,
) -> (f64, f64) {
    let is_known = saved.mean.is_some() || !norm.centred;
    if let Some(inverse) = saved.inverse.as_ref().filter(|_| is_known) {
        return (at(&saved.mean, index, 0.0), inverse.get(offset(inverse, index)));
    }
    let (mean, variance) = norm.measure(walk, norm.x.offset(index), count);
    (mean, 1.0 / (variance + norm.epsilon.get()).sqrt())
}

fn input(norm: Norm, gradients: Gradients, saved: Statistics, dx: Tensor) -> Stage {
    let inner = norm.inner();
    let rank = inner.len();
    let count: usize = inner.iter().product();
    let groups: usize = norm.kept.iter().product();
    let measure = Walk::new(&inner, [&norm.x.strides]);
    let (scales, ys) = (steps(&gradients.scale, rank), steps(&gradients.y, rank));
    let walk =
        Walk::new(&inner, [&dx.strides, &norm.x.strides, &gradients.dy.strides, &scales, &ys]);
    over(groups, count * 12, move |range| {
        let step = walk.step();
        for group in range {
            let index = index_of(group, &norm.kept);
            let (mean, inverse) = known(&norm, &measure, &saved, &index, count);
            let begin = [
                dx.offset(&index),
                norm.x.offset(&index),
                gradients.dy.offset(&index),
                gradients.scale.as_ref().map_or(0, |t| offset(t, &index)),
                gradients.y.as_ref().map_or(0, |t| offset(t, &index)),
            ];
            let (mut x, mut g, mut other) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
            // What is normalised, and the gradient of it.
            let mut load = |offsets: [isize; 5], x: &mut [f64], g: &mut [f64]| {
                let other = &mut other[..x.len()];
                norm.x.load(begin[1] + offsets[1], step[1], x);
                x.iter_mut().for_each(|x| *x = (*x - mean) * inverse);
                gradients.dy.load(begin[2] + offsets[2], step[2], g);
                if let Some(y) = &gradients.y {
                    y.load(begin[4] + offsets[4], step[4], other);
                    g.iter_mut()
                        .zip(other.iter())
                        .for_each(|(g, y)| *g = if *y > 0.0 { *g } else { 0.0 });
                }
                if let Some(scale) = &gradients.scale {
                    scale.load(begin[3] + offsets[3], step[3], other);
                    g.iter_mut().zip(other.iter()).for_each(|(g, scale)| *g *= scale);
                }
            };
            let (mut sum, mut product) = (0.0, 0.0);
            walk.all(|offsets, count| {
                let (x, g) = (&mut x[..count], &mut g[..count]);
                load(offsets, x, g);
                sum += g.iter().sum::<f64>();
                product += g.iter().zip(x.iter()).map(|(g, x)| g * x).sum::<f64>();
            });
            let whole = count as f64;
            let (sum, product) = (if norm.centred { sum / whole } else { 0.0 }, product / whole);
            walk.all(|offsets, count| {
                let (x, g) = (&mut x[..count], &mut g[..count]);
                load(offsets, x, g);
                for (g, x) in g.iter_mut().zip(x.iter()) {
                    *g = inverse * (*g - sum - x * product);
                }
                dx.blend(begin[0] + offsets[0], step[0], g, gradients.dx_blend);
            });
        }
    })
}

/// The gradients of scale and bias, which have the dimensions `dims`.
fn parameters(norm: Norm, gradients: Gradients, saved: Statistics, dims: Vec<usize>) -> Stage {
    let whole = norm.inner();
    let per_group: usize = whole.iter().product();
    let measure = Walk::new(&whole, [&norm.x.strides]);
    // For each parameter: the statistics that it meets, and for each of these the elements of both.
    let axes = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
        norm.x.dims.iter().enumerate().map(|(i, dim)| if keep(i) { *dim } else { 1 }).collect()
    };
    let groups = axes(&|i| dims[i] == 1 && norm.kept[i] != 1);
    let inner = axes(&|i| dims[i] == 1 && norm.kept[i] == 1);
    let rank = dims.len();
    let ys = steps(&gradients.y, rank);
    let walk = Walk::new(&inner, [&norm.x.strides, &gradients.dy.strides, &ys]);
    let items: usize = dims.iter().product();
    let met: usize = groups.iter().product::<usize>() * inner.iter().product::<usize>();
    let count: usize = norm.kept.iter().product();
    over(items, met * 8, move |range| {
        let step = walk.step();
        let of = |group| known(&norm, &measure, &saved, &index_of(group, &norm.kept), per_group);
        let known: Vec<(f64, f64)> = (0..count).map(of).collect();
        for item in range {
            let index = index_of(item, &dims);
            let (mut dscale, mut dbias) = (0.0, 0.0);
            for group in 0..groups.iter().product() {
                let mut index = index.clone();
                for (place, i) in index.iter_mut().zip(index_of(group, &groups)) {
                    *place += i;
                }
                let number = index
                    .iter()
                    .zip(&norm.kept)
                    .fold(0, |number, (i, kept)| number * kept + if *kept == 1 { 0 } else { *i });
                let (mean, inverse) = known[number];
                let begin = [
                    norm.x.offset(&index),
                    gradients.dy.offset(&index),
                    gradients.y.as_ref().map_or(0, |t| offset(t, &index)),
                ];
                let (mut x, mut g, mut y) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
                walk.all(|offsets, count| {
                    let (x, g, y) = (&mut x[..count], &mut g[..count], &mut y[..count]);
                    norm.x.load(begin[0] + offsets[0], step[0], x);
                    gradients.dy.load(begin[1] + offsets[1], step[1], g);
                    if let Some(tensor) = &gradients.y {
                        tensor.load(begin[2] + offsets[2], step[2], y);
                        g.iter_mut()
                            .zip(y.iter())
                            .for_each(|(g, y)| *g = if *y > 0.0 { *g } else { 0.0 });
                    }
                    dbias += g.iter().sum::<f64>();
                    dscale +=
                        g.iter().zip(x.iter()).map(|(g, x)| g * (x - mean) * inverse).sum::<f64>();
                });
            }
            for (tensor, value) in [(&gradients.dscale, dscale), (&gradients.dbias, dbias)] {
                if let Some(tensor) = tensor {
                    tensor.blend(
                        offset(tensor, &index),
                        1,
                        &mut [value],
                        gradients.parameter_blend,
                    );
                }
            }
        }
    })
}
