//! Operations of graphs that are done element by element.

use crate::activation::{Activation, erf};
use crate::elementwise::{Elementwise, elementwise};
use crate::tensor::{CHUNK, Tensor, Walk, index_of};
use crate::work::{Stage, over};

/// An operation of one, two or three operands.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Unary(fn(f64) -> f64),
    Binary(fn(f64, f64) -> f64),
    Forward(Activation),
    /// Of what came in, and the gradient of what went out.
    Backward(Activation),
    /// The first one where the third is not zero, else the second.
    Select,
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

impl Operation {
    pub const ADD: Operation = Operation::Binary(|x, b| x + b);
    pub const ADD_SQUARE: Operation = Operation::Binary(|x, b| x + b * b);
    pub const SUB: Operation = Operation::Binary(|x, b| x - b);
    pub const MUL: Operation = Operation::Binary(|x, b| x * b);
    pub const DIV: Operation = Operation::Binary(|x, b| x / b);
    pub const MAX: Operation = Operation::Binary(f64::max);
    pub const MIN: Operation = Operation::Binary(f64::min);
    /// With the sign of the first one.
    pub const MOD: Operation = Operation::Binary(|x, b| x % b);
    /// With the sign of the second one.
    pub const FLOOR_MOD: Operation = Operation::Binary(|x, b| x - b * (x / b).floor());
    pub const POW: Operation = Operation::Binary(f64::powf);
    pub const ATAN2: Operation = Operation::Binary(f64::atan2);
    pub const ABS: Operation = Operation::Unary(f64::abs);
    pub const CEIL: Operation = Operation::Unary(f64::ceil);
    pub const COS: Operation = Operation::Unary(f64::cos);
    pub const EXP: Operation = Operation::Unary(f64::exp);
    pub const FLOOR: Operation = Operation::Unary(f64::floor);
    pub const LOG: Operation = Operation::Unary(f64::ln);
    pub const NEG: Operation = Operation::Unary(|x| -x);
    pub const RSQRT: Operation = Operation::Unary(|x| 1.0 / x.sqrt());
    pub const SIN: Operation = Operation::Unary(f64::sin);
    pub const SQRT: Operation = Operation::Unary(f64::sqrt);
    pub const TAN: Operation = Operation::Unary(f64::tan);
    pub const ERF: Operation = Operation::Unary(erf);
    pub const IDENTITY: Operation = Operation::Unary(|x| x);
    pub const RECIPROCAL: Operation = Operation::Unary(|x| 1.0 / x);
    pub const EQ: Operation = Operation::Binary(|x, b| truth(x == b));
    pub const NEQ: Operation = Operation::Binary(|x, b| truth(x != b));
    pub const GT: Operation = Operation::Binary(|x, b| truth(x > b));
    pub const GE: Operation = Operation::Binary(|x, b| truth(x >= b));
    pub const LT: Operation = Operation::Binary(|x, b| truth(x < b));
    pub const LE: Operation = Operation::Binary(|x, b| truth(x <= b));
    pub const AND: Operation = Operation::Binary(|x, b| truth(x != 0.0 && b != 0.0));
    pub const OR: Operation = Operation::Binary(|x, b| truth(x != 0.0 || b != 0.0));
    pub const NOT: Operation = Operation::Unary(|x| truth(x == 0.0));

    /// How many operands it has.
    pub fn operands(self) -> usize {
        match self {
            Operation::Unary(_) | Operation::Forward(_) => 1,
            Operation::Binary(_) | Operation::Backward(_) => 2,
            Operation::Select => 3,
        }
    }
}

/// Does an operation; the first two operands are multiplied by factors before. What is multiplied by 0 may be anything, NaN too:
/// programs name their output where an operand is to be nothing.
pub fn pointwise(operation: Operation, factors: [f64; 2], all: Elementwise) -> Stage {
    let [first, second] = factors.map(|factor| move |x: &f64| product(factor, *x));
    elementwise(all, move |inputs, to| match operation {
        Operation::Unary(f) => each(inputs[0], to, |x| f(first(&x))),
        Operation::Forward(activation) => each(inputs[0], to, |x| activation.forward(first(&x))),
        Operation::Binary(f) => {
            for ((to, x), b) in to.iter_mut().zip(inputs[0]).zip(inputs[1]) {
                *to = f(first(x), second(b));
            }
        }
        Operation::Backward(activation) => {
            for ((to, x), dy) in to.iter_mut().zip(inputs[0]).zip(inputs[1]) {
                *to = activation.derivative(first(x)) * second(dy);
            }
        }
        Operation::Select => {
            for (((to, x), b), t) in to.iter_mut().zip(inputs[0]).zip(inputs[1]).zip(inputs[2]) {
                *to = if *t != 0.0 { first(x) } else { second(b) };
            }
        }
    })
}

/// The product with a factor, of which 0 takes away whatever there is.
fn product(factor: f64, x: f64) -> f64 {
    if factor == 0.0 { 0.0 } else { factor * x }
}

fn each(from: &[f64], to: &mut [f64], f: impl Fn(f64) -> f64) {
    for (to, x) in to.iter_mut().zip(from) {
        *to = f(*x);
    }
}

/// Gives each element its index along a dimension.
pub fn index(axis: usize, y: Tensor) -> Stage {
    let mut others = y.dims.clone();
    let length = std::mem::replace(&mut others[axis], 1);
    let step = y.strides[axis];
    over(others.iter().product(), length * 4, move |range| {
        let values: Vec<f64> = (0..length).map(|i| i as f64).collect();
        for line in range {
            y.store(y.offset(&index_of(line, &others)), step, &values);
        }
    })
}

/// Copies between tensors of the same dimensions.
pub fn copy(x: Tensor, y: Tensor) -> Stage {
    let walk = Walk::new(&y.dims, [&y.strides, &x.strides]);
    over(walk.pieces(), CHUNK * 4, move |pieces| {
        let mut values = [0.0; CHUNK];
        let step = walk.step();
        walk.visit(pieces, |[to, from], count| {
            x.load(from, step[1], &mut values[..count]);
            y.store(to, step[0], &values[..count]);
        });
    })
}

/// Copies element by element in the order of indices, whatever the dimensions of both are; there are as many of both.
pub fn reshape(x: Tensor, y: Tensor) -> Stage {
    over(y.count(), 40, move |range| {
        for number in range {
            let value = x.get(x.offset(&index_of(number, &x.dims)));
            y.set(y.offset(&index_of(number, &y.dims)), value);
        }
    })
}

/// Copies what `y` would be if it began where `x` does: other dimensions and steps over the same memory.
pub fn view(x: Tensor, y: Tensor) -> Stage {
    let mut seen = y.clone();
    (seen.first, seen.layout.format) = (x.first, x.format);
    copy(seen, y)
}
