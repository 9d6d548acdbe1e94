//! Softmax along one dimension, its logarithm, and their gradients.

use crate::tensor::{Scale, Tensor, index_of};
use crate::work::{Stage, over};

/// The function that is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Without the greatest element taken away first.
    Fast,
    Accurate,
    Log,
}

/// A softmax, or its gradient.
#[derive(Clone, Debug)]
pub struct SoftmaxLayer {
    pub kind: Kind,
    /// The dimensions that the sums are made over.
    pub axes: Vec<usize>,
    /// `x`, or `y` for the gradient.
    pub of: Tensor,
    /// The gradient of `y`, where that of `x` is wanted.
    pub gradient: Option<Tensor>,
    pub to: Tensor,
    pub scale: Scale,
}

/// Dimensions as outer ones and those that the sums are made over, which are joined to one line.
struct Lines {
    outer: Vec<usize>,
    inner: Vec<usize>,
}

impl Lines {
    /// Lines along `axes`.
    fn new(dims: &[usize], axes: &[usize]) -> Self {
        let one_where = |is_axis: bool| {
            let lengths = dims.iter().enumerate();
            lengths.map(|(i, dim)| if axes.contains(&i) == is_axis { 1 } else { *dim }).collect()
        };
        Lines { outer: one_where(true), inner: one_where(false) }
    }

    fn count(&self) -> usize {
        self.outer.iter().product()
    }

    fn length(&self) -> usize {
        self.inner.iter().product()
    }

    /// Calls with the offset of the line's first element, the step, and the range of elements, for each of its pieces.
    fn pieces(
        &self,
        tensor: &Tensor,
        line: usize,
        mut each: impl FnMut(isize, isize, std::ops::Range<usize>),
    ) {
        let begin = tensor.offset(&index_of(line, &self.outer));
        // The innermost of the line's dimensions is a piece.
        let last = self.inner.iter().rposition(|length| *length != 1);
        let (length, step) = last.map_or((1, 1), |last| (self.inner[last], tensor.strides[last]));
        let mut rest = self.inner.clone();
        if let Some(last) = last {
            rest[last] = 1;
        }
        for piece in 0..rest.iter().product() {
            let offset = begin + tensor.offset(&index_of(piece, &rest));
            each(offset, step, piece * length..(piece + 1) * length);
        }
    }

    fn load(&self, tensor: &Tensor, line: usize, to: &mut [f64]) {
        self.pieces(tensor, line, |offset, step, range| tensor.load(offset, step, &mut to[range]));
    }

    fn put(&self, tensor: &Tensor, line: usize, values: &mut [f64], scale: Scale) {
        self.pieces(tensor, line, |offset, step, range| {
            tensor.blend(offset, step, &mut values[range], scale);
        });
    }
}

/// `y = alpha * softmax(x along axes) + beta * y`.
pub fn forward(kind: Kind, axes: &[usize], x: Tensor, y: Tensor, scale: Scale) -> Stage {
    let lines = Lines::new(&x.dims, axes);
    let length = lines.length();
    let (of, to) = (x.clone(), y.clone());
    let layer = SoftmaxLayer { kind, axes: axes.to_vec(), of, gradient: None, to, scale };
    let stage = over(lines.count(), length * 12, move |range| {
        let mut values = vec![0.0; length];
        for line in range {
            lines.load(&x, line, &mut values);
            let top = match kind {
                Kind::Fast => 0.0,
                _ => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            };
            let sum: f64 = values.iter().map(|value| (value - top).exp()).sum();
            for value in &mut values {
                *value = match kind {
                    Kind::Log => *value - top - sum.ln(),
                    _ => (*value - top).exp() / sum,
                };
            }
            lines.put(&y, line, &mut values, scale);
        }
    });
    stage.of(1, layer)
}

/// `dx = alpha * (gradient of x) + beta * dx`, of what [`forward`] gave as `y`.
pub fn backward(
    kind: Kind,
    axes: &[usize],
    y: Tensor,
    dy: Tensor,
    dx: Tensor,
    scale: Scale,
) -> Stage {
    let lines = Lines::new(&y.dims, axes);
    let length = lines.length();
    let (of, gradient, to) = (y.clone(), Some(dy.clone()), dx.clone());
    let layer = SoftmaxLayer { kind, axes: axes.to_vec(), of, gradient, to, scale };
    let stage = over(lines.count(), length * 6, move |range| {
        let (mut values, mut gradient) = (vec![0.0; length], vec![0.0; length]);
        for line in range {
            lines.load(&y, line, &mut values);
            lines.load(&dy, line, &mut gradient);
            let log = kind == Kind::Log;
            let sum: f64 = match log {
                true => gradient.iter().sum(),
                false => values.iter().zip(&gradient).map(|(y, dy)| y * dy).sum(),
            };
            for (y, dy) in values.iter_mut().zip(&gradient) {
                *y = if log { dy - y.exp() * sum } else { *y * (dy - sum) };
            }
            lines.put(&dx, line, &mut values, scale);
        }
    });
    stage.of(1, layer)
}
