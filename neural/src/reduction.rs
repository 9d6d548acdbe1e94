//! Reductions over dimensions.

use crate::tensor::{CHUNK, Scale, Tensor, Walk, index_of};
use crate::work::{Stage, over};

/// The result of the elements that are reduced to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Add,
    Mul,
    Min,
    Max,
    /// The greatest absolute value.
    Amax,
    Avg,
    /// The sum of absolute values.
    Norm1,
    /// The root of the sum of squares.
    Norm2,
    /// The sum of squares.
    Squares,
    /// The product of what is not zero.
    MulNoZeros,
}

impl Reduction {
    fn start(self) -> f64 {
        match self {
            Reduction::Mul | Reduction::MulNoZeros => 1.0,
            Reduction::Min => f64::INFINITY,
            Reduction::Max => f64::NEG_INFINITY,
            _ => 0.0,
        }
    }

    #[inline(always)]
    fn join(self, sum: f64, x: f64) -> f64 {
        match self {
            Reduction::Add | Reduction::Avg => sum + x,
            Reduction::Mul => sum * x,
            // What is no number stays.
            Reduction::Min => {
                if x < sum || x.is_nan() {
                    x
                } else {
                    sum
                }
            }
            Reduction::Max => {
                if x > sum || x.is_nan() {
                    x
                } else {
                    sum
                }
            }
            Reduction::Amax => {
                let x = x.abs();
                if x > sum || x.is_nan() { x } else { sum }
            }
            Reduction::Norm1 => sum + x.abs(),
            Reduction::Norm2 | Reduction::Squares => sum + x * x,
            Reduction::MulNoZeros => {
                if x == 0.0 {
                    sum
                } else {
                    sum * x
                }
            }
        }
    }

    fn end(self, sum: f64, count: usize) -> f64 {
        match self {
            Reduction::Avg => sum / count as f64,
            Reduction::Norm2 => sum.sqrt(),
            _ => sum,
        }
    }
}

/// The dimensions of which `to` has one element and `from` more, as lengths that are 1 elsewhere.
fn reduced(from: &Tensor, to: &Tensor) -> Vec<usize> {
    let pairs = from.dims.iter().zip(&to.dims);
    pairs.map(|(from, to)| if *to == 1 { *from } else { 1 }).collect()
}

/// `y = alpha * (x reduced over the dimensions of which y has one element) + beta * y`. Both have as many dimensions.
pub fn reduce(reduction: Reduction, x: Tensor, y: Tensor, scale: Scale) -> Stage {
    let inner = reduced(&x, &y);
    let met: usize = inner.iter().product();
    let walk = Walk::new(&inner, [&x.strides]);
    let [step] = walk.step();
    over(y.count(), met.max(1) * 2, move |range| {
        for number in range {
            let index = index_of(number, &y.dims);
            let begin = x.offset(&index);
            let mut sum = reduction.start();
            let mut values = [0.0; CHUNK];
            walk.all(|[offset], count| {
                let values = &mut values[..count];
                x.load(begin + offset, step, values);
                for value in values.iter() {
                    sum = reduction.join(sum, *value);
                }
            });
            let mut value = [reduction.end(sum, met)];
            y.blend(y.offset(&index), 1, &mut value, scale);
        }
    })
}

/// Where the least or the greatest element of each reduced part of `x` lies, as its number among the reduced dimensions,
/// in 32 bits each, one after the other.
pub fn indices(reduction: Reduction, x: Tensor, y: Tensor, to: *mut u32) -> Stage {
    let inner = reduced(&x, &y);
    let met: usize = inner.iter().product();
    let to = to.expose_provenance();
    over(y.count(), met.max(1) * 10, move |range| {
        for number in range {
            let begin = x.offset(&index_of(number, &y.dims));
            let (mut best, mut place) = (reduction.start(), 0u32);
            for at in 0..met {
                let value = x.get(begin + x.offset(&index_of(at, &inner)));
                let joined = reduction.join(best, value);
                if joined != best {
                    (best, place) = (joined, at as u32);
                }
            }
            let to = std::ptr::with_exposed_provenance_mut::<u32>(to);
            // SAFETY: the caller gave room for an index of each result.
            unsafe { to.add(number).write_unaligned(place) };
        }
    })
}
