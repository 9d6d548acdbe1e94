//! Convolutions and their gradients, as products of matrices: what each filter element meets is gathered into a matrix, a
//! tile of it at a time.
//!
//! Tensors are `[n, c, spatial...]` of any layout, filters `[k, c / groups, spatial...]`.

use crate::activation::Activation;
use crate::tensor::{Scale, Tensor};
use crate::window::{Axis, SPACE, Side, space};
use crate::work::{Stage, stage, threads};
use dense::product::{Product, Tile};
use dense::{Matrix, Real};
use std::ops::Range;

/// A convolution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convolution {
    pub axes: [Axis; SPACE],
    pub groups: usize,
    /// Whether the filter is turned around, as mathematics has it.
    pub flip: bool,
}

/// The arithmetic on sums before they are stored: `activation(alpha * sum + beta * z + bias)`.
#[derive(Clone, Debug)]
pub struct Epilogue {
    pub z: Option<Tensor>,
    /// `[1, k, 1...]`
    pub bias: Option<Tensor>,
    pub activation: Activation,
}

/// What a convolution computes from the other two tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `y`
    Forward,
    /// The gradient of `x`, by `w` and the gradient of `y`.
    BackwardData,
    /// The gradient of `w`, by `x` and the gradient of `y`.
    BackwardFilter,
}

/// A convolution, or one of its gradients: the tensors are gradients where that is meant.
#[derive(Clone, Debug)]
pub struct ConvolutionLayer {
    pub direction: Direction,
    pub convolution: Convolution,
    pub x: Tensor,
    pub w: Tensor,
    pub y: Tensor,
    pub scale: Scale,
    /// Forward alone.
    pub epilogue: Option<Epilogue>,
}

/// `db = alpha * (sums of dy over all but its channels) + beta * db`
#[derive(Clone, Debug)]
pub struct BiasLayer {
    pub dy: Tensor,
    pub db: Tensor,
    pub scale: Scale,
}

/// The common dimension that is gathered at once.
const DEPTH: usize = 1024;
/// Positions of a tile.
const POSITIONS: usize = 384;

impl Convolution {
    fn taps(&self) -> usize {
        self.axes.iter().map(|axis| axis.window).product()
    }

    /// The place of element `tap` of the window along each dimension, and its place in the filter.
    fn tap(&self, mut tap: usize) -> ([usize; SPACE], [usize; SPACE]) {
        let mut place = [0; SPACE];
        for (place, axis) in place.iter_mut().zip(&self.axes).rev() {
            *place = tap % axis.window;
            tap /= axis.window;
        }
        let mut turned = place;
        if self.flip {
            for (place, axis) in turned.iter_mut().zip(&self.axes) {
                *place = axis.window - 1 - *place;
            }
        }
        (place, turned)
    }

    fn filter_offset(&self, filter: &Tensor, k: usize, c: usize, tap: usize) -> isize {
        let (_, steps) = space(filter);
        let (_, place) = self.tap(tap);
        let within: isize = place.iter().zip(steps).map(|(i, step)| *i as isize * step).sum();
        k as isize * filter.strides[0] + c as isize * filter.strides[1] + within
    }
}

/// Evaluates for the type that sums are made in.
macro_rules! in_precision {
    ($wide:expr, $name:ident($($argument:expr),*)) => {
        if $wide { $name::<f64>($($argument),*) } else { $name::<f32>($($argument),*) }
    };
}

impl ConvolutionLayer {
    /// What computes it.
    fn stage(self) -> Stage {
        let gather = Gather::new(&self);
        let wide = gather.source.format.is_wide();
        let stage = match self.direction {
            Direction::Forward | Direction::BackwardData => in_precision!(wide, gathered(gather)),
            Direction::BackwardFilter => in_precision!(wide, filter_gradient(gather)),
        };
        stage.of(1, self)
    }

    /// The tensor that is computed.
    pub fn result(&self) -> &Tensor {
        self.direction.result([&self.x, &self.w, &self.y])
    }
}

impl Direction {
    /// Of what there is for `x`, `w` and `y`, that for the one that is computed.
    pub fn result<T>(self, [x, w, y]: [T; 3]) -> T {
        match self {
            Direction::Forward => y,
            Direction::BackwardData => x,
            Direction::BackwardFilter => w,
        }
    }
}

/// `y = alpha * (x convolved with w) + beta * y`, then what the epilogue says.
pub fn forward(
    convolution: &Convolution,
    x: Tensor,
    w: Tensor,
    y: Tensor,
    scale: Scale,
    epilogue: Option<Epilogue>,
) -> Stage {
    let (direction, convolution) = (Direction::Forward, convolution.clone());
    ConvolutionLayer { direction, convolution, x, w, y, scale, epilogue }.stage()
}

/// `dx = alpha * (gradient of x) + beta * dx`.
pub fn backward_data(
    convolution: &Convolution,
    w: Tensor,
    dy: Tensor,
    dx: Tensor,
    scale: Scale,
) -> Stage {
    let (direction, convolution) = (Direction::BackwardData, convolution.clone());
    ConvolutionLayer { direction, convolution, x: dx, w, y: dy, scale, epilogue: None }.stage()
}

/// `dw = alpha * (gradient of w) + beta * dw`.
pub fn backward_filter(
    convolution: &Convolution,
    x: Tensor,
    dy: Tensor,
    dw: Tensor,
    scale: Scale,
) -> Stage {
    let (direction, convolution) = (Direction::BackwardFilter, convolution.clone());
    ConvolutionLayer { direction, convolution, x, w: dw, y: dy, scale, epilogue: None }.stage()
}

/// A product whose right factor is gathered from `source`: the elements that those of `target` meet.
struct Gather {
    convolution: Convolution,
    side: Side,
    source: Tensor,
    filter: Tensor,
    target: Tensor,
    scale: Scale,
    epilogue: Option<Epilogue>,
    /// Channels of a group of the source and of the target.
    from: usize,
    to: usize,
    /// Positions of the target: of all images, and of one.
    positions: usize,
    lengths: [usize; SPACE],
}

impl Gather {
    fn new(layer: &ConvolutionLayer) -> Self {
        let (x, y, convolution) = (layer.x.clone(), layer.y.clone(), layer.convolution.clone());
        // For the gradient of the filter, the target gives the positions; its channels are the rows of the gradient.
        let (side, source, target) = match layer.direction {
            Direction::Forward | Direction::BackwardFilter => (Side::Windows, x, y),
            Direction::BackwardData => (Side::Elements, y, x),
        };
        let (lengths, _) = space(&target);
        Gather {
            side,
            from: source.dims[1] / convolution.groups,
            to: target.dims[1] / convolution.groups,
            positions: target.dims[0] * lengths.iter().product::<usize>(),
            lengths,
            convolution,
            source,
            filter: layer.w.clone(),
            target,
            scale: layer.scale,
            epilogue: layer.epilogue.clone(),
        }
    }

    /// Gathers rows `rows` (channel by channel, each with all taps) at `positions` into `to`, row after row.
    fn gather<T: Real>(
        &self,
        group: usize,
        rows: Range<usize>,
        positions: Range<usize>,
        to: &mut [T],
    ) {
        let source = &self.source;
        let (lengths, steps) = space(source);
        let (width, taps) = (positions.len(), self.convolution.taps());
        for (row, to) in rows.zip(to.chunks_exact_mut(width)) {
            let (channel, tap) = (group * self.from + row / taps, row % taps);
            let (tap, _) = self.convolution.tap(tap);
            let channel = channel as isize * source.strides[1];
            runs(&self.lengths, positions.clone(), |n, outer, inner, at| {
                let to = &mut to[at..at + inner.len()];
                let mut offset = channel + n as isize * source.strides[0];
                for (i, position) in outer.iter().enumerate() {
                    let axis = &self.convolution.axes[i];
                    let overlap =
                        axis.overlap(self.side, tap[i], *position..position + 1, lengths[i]);
                    if overlap.count == 0 {
                        to.fill(T::ZERO);
                        return;
                    }
                    offset += overlap.source as isize * steps[i];
                }
                let last = SPACE - 1;
                let overlap = self.convolution.axes[last].overlap(
                    self.side,
                    tap[last],
                    inner.clone(),
                    lengths[last],
                );
                offset += overlap.source as isize * steps[last];
                let step = overlap.from_step as isize * steps[last];
                let first = overlap.first - inner.start;
                if overlap.to_step == 1 {
                    to[..first].fill(T::ZERO);
                    to[first + overlap.count..].fill(T::ZERO);
                    source.load(offset, step, &mut to[first..first + overlap.count]);
                } else {
                    to.fill(T::ZERO);
                    for i in 0..overlap.count {
                        let mut value = [T::ZERO];
                        source.load(offset + i as isize * step, 1, &mut value);
                        to[first + i * overlap.to_step] = value[0];
                    }
                }
            });
        }
    }

    /// The filter's elements for target channels `channels` and gathered rows `rows`, row after row.
    fn filter<T: Real>(
        &self,
        group: usize,
        channels: Range<usize>,
        rows: Range<usize>,
        to: &mut [T],
    ) {
        let (depth, taps) = (rows.len(), self.convolution.taps());
        let offset = |channel, row| {
            let (from, tap) = (row / taps, row % taps);
            let (k, c) = match self.side {
                Side::Windows => (group * self.to + channel, from),
                Side::Elements => (group * self.from + from, channel),
            };
            self.convolution.filter_offset(&self.filter, k, c, tap)
        };
        // The steps from row to row are the same for all channels.
        let first = channels.start;
        let offsets = rows.clone().map(|row| offset(first, row));
        let steps: Vec<isize> = offsets.map(|at| at - offset(first, rows.start)).collect();
        let step = steps.get(1).copied().unwrap_or(1);
        if steps.iter().enumerate().all(|(row, at)| *at == row as isize * step) {
            for (channel, to) in channels.zip(to.chunks_exact_mut(depth)) {
                self.filter.load(offset(channel, rows.start), step, to);
            }
            return;
        }
        for (channel, to) in channels.zip(to.chunks_exact_mut(depth)) {
            for (row, to) in rows.clone().zip(to) {
                let mut value = [T::ZERO];
                self.filter.load(offset(channel, row), 1, &mut value);
                *to = value[0];
            }
        }
    }

    /// Stores the sums of target channel `channel` at `positions`.
    fn finish<T: Real>(&self, channel: usize, positions: Range<usize>, sums: &mut [T]) {
        let target = &self.target;
        let (_, steps) = space(target);
        runs(&self.lengths, positions, |n, outer, inner, at| {
            let sums = &mut sums[at..at + inner.len()];
            let place = |tensor: &Tensor, steps: &[isize; SPACE]| {
                let mut offset =
                    channel as isize * tensor.strides[1] + n as isize * tensor.strides[0];
                for (position, step) in outer.iter().zip(steps) {
                    offset += *position as isize * step;
                }
                offset + inner.start as isize * steps[SPACE - 1]
            };
            if let Some(epilogue) = &self.epilogue {
                let mut values: Vec<f64> =
                    sums.iter().map(|sum| self.scale.alpha * sum.to_f64()).collect();
                if let Some(z) = epilogue.z.as_ref().filter(|_| self.scale.beta != 0.0) {
                    let (_, steps) = space(z);
                    let mut old = vec![0.0; values.len()];
                    z.load(place(z, &steps), steps[SPACE - 1], &mut old);
                    for (value, old) in values.iter_mut().zip(old) {
                        *value += self.scale.beta * old;
                    }
                }
                let bias = epilogue.bias.as_ref();
                let bias = bias.map_or(0.0, |bias| bias.get(channel as isize * bias.strides[1]));
                for value in &mut values {
                    *value = epilogue.activation.forward(*value + bias);
                }
                target.store(place(target, &steps), steps[SPACE - 1], &values);
                return;
            }
            target.blend(place(target, &steps), steps[SPACE - 1], sums, self.scale);
        });
    }
}

/// Calls with each piece of `positions` that lies in one line: image, place in the outer dimensions, elements of the last
/// dimension, and where the piece begins.
fn runs(
    lengths: &[usize; SPACE],
    positions: Range<usize>,
    mut each: impl FnMut(usize, [usize; SPACE - 1], Range<usize>, usize),
) {
    let [depth, height, width] = *lengths;
    let mut at = positions.start;
    while at < positions.end {
        let (line, begin) = (at / width, at % width);
        let end = width.min(begin + positions.end - at);
        let (image, h) = (line / height, line % height);
        each(image / depth, [image % depth, h], begin..end, at - positions.start);
        at += end - begin;
    }
}

/// Pieces of about equal size: their length, at most `most`, so that `others` times their number is enough for all threads.
fn cut(count: usize, most: usize, least: usize, others: usize) -> usize {
    let wanted = (threads() * 3).div_ceil(others.max(1)).max(count.div_ceil(most));
    count.div_ceil(wanted.max(1)).clamp(least.min(count).max(1), most)
}

fn gathered<T: Real>(gather: Gather) -> Stage {
    let groups = gather.convolution.groups;
    let rows = gather.from * gather.convolution.taps();
    let width = cut(gather.positions, POSITIONS, 64, groups);
    let across = gather.positions.div_ceil(width.max(1));
    let height = cut(gather.to, 512, 16, groups * across);
    let down = gather.to.div_ceil(height.max(1));
    stage(groups * across * down, move |part| {
        let (group, part) = (part / (across * down), part % (across * down));
        let (left, top) = (part / down * width, part % down * height);
        let positions = left..(left + width).min(gather.positions);
        let channels = top..(top + height).min(gather.to);
        let (m, n) = (channels.len(), positions.len());
        let mut sums = vec![T::ZERO; m * n];
        let most = DEPTH.min(rows);
        let (mut a, mut b) = (vec![T::ZERO; m * most], vec![T::ZERO; most * n]);
        let mut first = 0;
        while first < rows {
            let depth = most.min(rows - first);
            let range = first..first + depth;
            gather.filter(group, channels.clone(), range.clone(), &mut a[..m * depth]);
            gather.gather(group, range, positions.clone(), &mut b[..depth * n]);
            let product = Product {
                a: row_major(&a, depth),
                b: row_major(&b, n),
                c: Matrix { first: sums.as_mut_ptr(), row: n as isize, column: 1, conj: false },
                depth,
                alpha: T::ONE,
                beta: if first > 0 { T::ONE } else { T::ZERO },
            };
            // SAFETY: the three are as large as that, and are this part's alone.
            unsafe { product.run(Tile { row: 0, column: 0, rows: m, columns: n }) };
            first += depth;
        }
        for (channel, sums) in channels.zip(sums.chunks_exact_mut(n)) {
            gather.finish(group * gather.to + channel, positions.clone(), sums);
        }
    })
}

/// A matrix whose rows lie one after the other, `length` elements apart.
fn row_major<T: Copy>(first: &[T], length: usize) -> Matrix<T> {
    Matrix::columns(first.as_ptr(), length as isize).transposed()
}

fn filter_gradient<T: Real>(gather: Gather) -> Stage {
    let groups = gather.convolution.groups;
    let columns = gather.from * gather.convolution.taps();
    let width = cut(columns, 512, 32, groups);
    let across = columns.div_ceil(width.max(1));
    let height = cut(gather.to, 256, 16, groups * across);
    let down = gather.to.div_ceil(height.max(1));
    stage(groups * across * down, move |part| {
        let (group, part) = (part / (across * down), part % (across * down));
        let (left, top) = (part / down * width, part % down * height);
        let range = left..(left + width).min(columns);
        let channels = top..(top + height).min(gather.to);
        let (m, n) = (channels.len(), range.len());
        let mut sums = vec![T::ZERO; m * n];
        let most = POSITIONS.min(gather.positions);
        let (mut a, mut b) = (vec![T::ZERO; m * most], vec![T::ZERO; n * most]);
        let (dy, dw) = (&gather.target, &gather.filter);
        let (_, steps) = space(dy);
        let mut first = 0;
        while first < gather.positions {
            let depth = most.min(gather.positions - first);
            let positions = first..first + depth;
            let (a, b) = (&mut a[..m * depth], &mut b[..n * depth]);
            for (channel, a) in channels.clone().zip(a.chunks_exact_mut(depth)) {
                let channel = (group * gather.to + channel) as isize * dy.strides[1];
                runs(&gather.lengths, positions.clone(), |n, outer, inner, at| {
                    let outer = outer[0] as isize * steps[0] + outer[1] as isize * steps[1];
                    let offset = channel + n as isize * dy.strides[0] + outer;
                    let offset = offset + inner.start as isize * steps[2];
                    dy.load(offset, steps[2], &mut a[at..at + inner.len()]);
                });
            }
            gather.gather(group, range.clone(), positions, b);
            let product = Product {
                a: row_major(a, depth),
                b: Matrix::columns(b.as_ptr(), depth as isize),
                c: Matrix { first: sums.as_mut_ptr(), row: n as isize, column: 1, conj: false },
                depth,
                alpha: T::ONE,
                beta: if first > 0 { T::ONE } else { T::ZERO },
            };
            // SAFETY: the three are as large as that, and are this part's alone.
            unsafe { product.run(Tile { row: 0, column: 0, rows: m, columns: n }) };
            first += depth;
        }
        let taps = gather.convolution.taps();
        for (channel, sums) in channels.zip(sums.chunks_exact_mut(n)) {
            for (column, sum) in range.clone().zip(sums) {
                let (k, c) = (group * gather.to + channel, column / taps);
                let offset = gather.convolution.filter_offset(dw, k, c, column % taps);
                dw.blend(offset, 1, std::slice::from_mut(sum), gather.scale);
            }
        }
    })
}

/// `db = alpha * (sum of dy over all but the channels) + beta * db`.
pub fn backward_bias(dy: Tensor, db: Tensor, scale: Scale) -> Stage {
    let layer = BiasLayer { dy: dy.clone(), db: db.clone(), scale };
    crate::reduction::reduce(crate::reduction::Reduction::Add, dy, db, scale).of(1, layer)
}
