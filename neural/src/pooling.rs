//! Pooling over windows, and its gradient. Tensors are `[n, c, spatial...]`.

use crate::tensor::{Scale, Tensor};
use crate::window::{Axis, SPACE, space};
use crate::work::{Stage, over};

/// The result of the elements below a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The greatest one; what is no number comes before all where it is propagated, and is passed over elsewhere.
    Max { propagates_nan: bool },
    /// Their mean, of all places of the window, or of those that are no padding.
    Average { with_padding: bool },
}

/// A pooling.
#[derive(Clone, Copy, Debug)]
pub struct Pooling {
    pub kind: Kind,
    pub axes: [Axis; SPACE],
}

/// A pooling, or its gradient, without the places of the greatest elements.
#[derive(Clone, Debug)]
pub struct PoolingLayer {
    pub pooling: Pooling,
    /// `x`; not there for the gradient of a mean.
    pub x: Option<Tensor>,
    /// The gradient of `y`, where that of `x` is wanted.
    pub gradient: Option<Tensor>,
    pub to: Tensor,
    pub scale: Scale,
}

/// The elements of a window that are there, along each dimension.
fn below(
    axes: &[Axis; SPACE],
    at: [usize; SPACE],
    lengths: [usize; SPACE],
) -> [std::ops::Range<usize>; SPACE] {
    std::array::from_fn(|i| {
        let first = axes[i].source(at[i], 0);
        let clamp = |x: isize| x.clamp(0, lengths[i] as isize) as usize;
        clamp(first)..clamp(first + axes[i].window as isize)
    })
}

/// The elements of a plane, one after the other.
fn plane(tensor: &Tensor, begin: isize) -> Vec<f64> {
    let (lengths, steps) = space(tensor);
    let mut values = vec![0.0; lengths.iter().product()];
    for (line, values) in values.chunks_exact_mut(lengths[2].max(1)).enumerate() {
        let (z, y) = (line / lengths[1], line % lengths[1]);
        tensor.load(begin + z as isize * steps[0] + y as isize * steps[1], steps[2], values);
    }
    values
}

/// Joins a plane with what is there.
fn put(tensor: &Tensor, begin: isize, values: &mut [f64], scale: Scale) {
    let (lengths, steps) = space(tensor);
    for (line, values) in values.chunks_exact_mut(lengths[2].max(1)).enumerate() {
        let (z, y) = (line / lengths[1], line % lengths[1]);
        let offset = begin + z as isize * steps[0] + y as isize * steps[1];
        tensor.blend(offset, steps[2], values, scale);
    }
}

/// Where a plane begins.
fn start(tensor: &Tensor, number: usize) -> isize {
    let (n, c) = (number / tensor.dims[1], number % tensor.dims[1]);
    n as isize * tensor.strides[0] + c as isize * tensor.strides[1]
}

/// All places of a space, in order.
fn places(lengths: [usize; SPACE]) -> impl Iterator<Item = [usize; SPACE]> {
    let [depth, height, width] = lengths;
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [z, y, x])))
}

fn number([z, y, x]: [usize; SPACE], lengths: [usize; SPACE]) -> usize {
    (z * lengths[1] + y) * lengths[2] + x
}

fn cost(pooling: &Pooling, y: &Tensor) -> usize {
    let window: usize = pooling.axes.iter().map(|axis| axis.window).product();
    space(y).0.iter().product::<usize>() * (window + 5)
}

/// The place of a window's greatest element, the first one of several.
fn greatest(
    from: &[f64],
    lengths: [usize; SPACE],
    [zs, ys, xs]: [std::ops::Range<usize>; SPACE],
    propagates_nan: bool,
) -> Option<usize> {
    let mut best: Option<usize> = None;
    for z in zs {
        for y in ys.clone() {
            for x in xs.clone() {
                let at = number([z, y, x], lengths);
                if from[at].is_nan() && !propagates_nan {
                    continue;
                }
                let is_greater = best.is_none_or(|best| {
                    from[at] > from[best] || (from[at].is_nan() && !from[best].is_nan())
                });
                if is_greater {
                    best = Some(at);
                }
            }
        }
    }
    best
}

fn volume(ranges: &[std::ops::Range<usize>; SPACE]) -> usize {
    ranges.iter().map(|range| range.len()).product()
}

/// By how many elements a mean is divided.
fn divisor(pooling: &Pooling, ranges: &[std::ops::Range<usize>; SPACE]) -> f64 {
    match pooling.kind {
        Kind::Average { with_padding: true } => {
            pooling.axes.iter().map(|axis| axis.window).product::<usize>() as f64
        }
        _ => volume(ranges).max(1) as f64,
    }
}

/// `y = alpha * (x pooled) + beta * y`.
pub fn forward(pooling: Pooling, x: Tensor, y: Tensor, scale: Scale) -> Stage {
    forward_indexed(pooling, x, y, scale, None)
}

/// As [`forward`]; the places of the greatest elements in their windows go to `index`.
pub fn forward_indexed(
    pooling: Pooling,
    x: Tensor,
    y: Tensor,
    scale: Scale,
    index: Option<Tensor>,
) -> Stage {
    let planes = y.dims[0] * y.dims[1];
    let (x_too, to) = (Some(x.clone()), y.clone());
    let layer = PoolingLayer { pooling, x: x_too, gradient: None, to, scale };
    let is_indexed = index.is_some();
    let stage = over(planes, cost(&pooling, &y), move |range| {
        let (lengths, (outputs, _)) = (space(&x).0, space(&y));
        for item in range {
            let from = plane(&x, start(&x, item));
            let mut to = vec![0.0; outputs.iter().product()];
            let mut found = vec![0.0; if index.is_some() { to.len() } else { 0 }];
            for at in places(outputs) {
                let ranges = below(&pooling.axes, at, lengths);
                let value = &mut to[number(at, outputs)];
                if let Kind::Max { propagates_nan } = pooling.kind {
                    let best = greatest(&from, lengths, ranges, propagates_nan);
                    *value = best.map_or(f64::NEG_INFINITY, |best| from[best]);
                    if let Some(found) = found.get_mut(number(at, outputs)) {
                        *found = best
                            .map_or(-1.0, |best| within(&pooling.axes, at, best, lengths) as f64);
                    }
                    continue;
                }
                let divisor = divisor(&pooling, &ranges);
                let [zs, ys, xs] = ranges;
                for z in zs {
                    for y in ys.clone() {
                        let line = number([z, y, 0], lengths);
                        *value += from[line..][xs.clone()].iter().sum::<f64>();
                    }
                }
                *value /= divisor;
            }
            put(&y, start(&y, item), &mut to, scale);
            if let Some(index) = &index {
                put(index, start(index, item), &mut found, Scale::ONE);
            }
        }
    });
    if is_indexed { stage } else { stage.of(1, layer) }
}

/// The number of an element in its window.
fn within(
    axes: &[Axis; SPACE],
    at: [usize; SPACE],
    element: usize,
    lengths: [usize; SPACE],
) -> usize {
    let plane = lengths[1] * lengths[2];
    let place = [element / plane, element / lengths[2] % lengths[1], element % lengths[2]];
    (0..SPACE).fold(0, |number, i| {
        let tap = place[i] as isize - axes[i].source(at[i], 0);
        number * axes[i].window + tap as usize
    })
}

/// `dx = alpha * (gradient of x) + beta * dx`. The greatest elements are looked for in `x`, or told by `index`.
pub fn backward(
    pooling: Pooling,
    x: Option<Tensor>,
    dy: Tensor,
    dx: Tensor,
    scale: Scale,
    index: Option<Tensor>,
) -> Stage {
    let planes = dx.dims[0] * dx.dims[1];
    let (gradient, to) = (Some(dy.clone()), dx.clone());
    let layer = PoolingLayer { pooling, x: x.clone(), gradient, to, scale };
    let is_indexed = index.is_some();
    let stage = over(planes, cost(&pooling, &dy), move |range| {
        let (lengths, outputs) = (space(&dx).0, space(&dy).0);
        for item in range {
            let gradient = plane(&dy, start(&dy, item));
            let from = x.as_ref().map(|x| plane(x, start(x, item)));
            let told = index.as_ref().map(|index| plane(index, start(index, item)));
            let mut to = vec![0.0; lengths.iter().product()];
            for at in places(outputs) {
                let ranges = below(&pooling.axes, at, lengths);
                let value = gradient[number(at, outputs)];
                if let Kind::Max { propagates_nan } = pooling.kind {
                    let best = match (&told, &from) {
                        (Some(told), _) => {
                            pointed(&pooling.axes, at, told[number(at, outputs)], lengths)
                        }
                        (None, Some(from)) => greatest(from, lengths, ranges, propagates_nan),
                        (None, None) => None,
                    };
                    if let Some(best) = best {
                        to[best] += value;
                    }
                    continue;
                }
                let value = value / divisor(&pooling, &ranges);
                let [zs, ys, xs] = ranges;
                for z in zs {
                    for y in ys.clone() {
                        let line = number([z, y, 0], lengths);
                        to[line..][xs.clone()].iter_mut().for_each(|to| *to += value);
                    }
                }
            }
            put(&dx, start(&dx, item), &mut to, scale);
        }
    });
    if is_indexed { stage } else { stage.of(1, layer) }
}

/// The element that a number in a window stands for.
fn pointed(
    axes: &[Axis; SPACE],
    at: [usize; SPACE],
    told: f64,
    lengths: [usize; SPACE],
) -> Option<usize> {
    let mut told = (told >= 0.0).then_some(told as usize)?;
    let mut place = [0; SPACE];
    for i in (0..SPACE).rev() {
        let source = axes[i].source(at[i], 0) + (told % axes[i].window) as isize;
        told /= axes[i].window;
        place[i] = usize::try_from(source).ok().filter(|source| *source < lengths[i])?;
    }
    Some(number(place, lengths))
}
