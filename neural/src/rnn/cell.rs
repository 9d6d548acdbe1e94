//! A step of one item, and its gradient.

use crate::activation::sigmoid;
use dense::Real;

/// The next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Relu,
    Tanh,
    /// Gates: input, forget, new, output.
    Lstm,
    /// Gates: reset, update, new.
    Gru,
}

impl Cell {
    /// Products with the input, and as many with the state.
    pub fn gates(self) -> usize {
        match self {
            Cell::Relu | Cell::Tanh => 1,
            Cell::Lstm => 4,
            Cell::Gru => 3,
        }
    }

    /// Vectors that a step keeps for its gradient: its gates, and the cell's state, or what the state gives to the new one.
    pub(super) fn kept(self) -> usize {
        match self {
            Cell::Relu | Cell::Tanh => 0,
            Cell::Lstm => 5,
            Cell::Gru => 4,
        }
    }

    /// Vectors of gradients of a step: those of the sums of each gate. What the state gives to the new one of [`Cell::Gru`]
    /// has one of its own, the last.
    pub(super) fn gradients(self) -> usize {
        if self == Cell::Gru { 4 } else { self.gates() }
    }

    /// Where among them those of the products with the state are.
    pub(super) fn of_state(self) -> &'static [usize] {
        match self {
            Cell::Relu | Cell::Tanh => &[0],
            Cell::Lstm => &[0, 1, 2, 3],
            Cell::Gru => &[0, 1, 3],
        }
    }
}

/// The limits of a cell's state.
pub(super) type Clip = Option<[f64; 2]>;

/// A cell's state within its limits.
fn clipped(clip: Clip, value: f64) -> f64 {
    clip.map_or(value, |[least, most]| value.max(least).min(most))
}

/// What a step of [`Cell::Lstm`] has shown, by what it kept.
pub(super) fn shown<T: Real>(clip: Clip, kept: &[T], to: &mut [T]) {
    let hidden = to.len();
    for (i, to) in to.iter_mut().enumerate() {
        let [output, next] = [3, 4].map(|vector| kept[vector * hidden + i].to_f64());
        *to = T::from_f64(output * clipped(clip, next).tanh());
    }
}

/// A step of an item: what comes from the input and from the state, gate by gate. `kept` has room for [`Cell::kept`] vectors.
/// `h` is the state, and becomes what the cell shows; `c` is the cell's state, which is clipped when it is read alone.
pub(super) fn turn<T: Real>(
    (cell, clip): (Cell, Clip),
    ahead: &[T],
    back: &[T],
    h: &mut [T],
    c: &mut [T],
    kept: &mut [T],
) {
    let hidden = h.len();
    for i in 0..hidden {
        let part =
            |gate: usize| (ahead[gate * hidden + i].to_f64(), back[gate * hidden + i].to_f64());
        let sum = |gate: usize| {
            let (ahead, back) = part(gate);
            ahead + back
        };
        let mut keep = |vector: usize, value: f64| kept[vector * hidden + i] = T::from_f64(value);
        let old = h[i].to_f64();
        h[i] = T::from_f64(match cell {
            Cell::Relu => sum(0).max(0.0),
            Cell::Tanh => sum(0).tanh(),
            Cell::Lstm => {
                let gates = [sigmoid(sum(0)), sigmoid(sum(1)), sum(2).tanh(), sigmoid(sum(3))];
                let [input, forget, new, output] = gates;
                let next = forget * clipped(clip, c[i].to_f64()) + input * new;
                c[i] = T::from_f64(next);
                for (vector, value) in gates.into_iter().chain([next]).enumerate() {
                    keep(vector, value);
                }
                output * clipped(clip, next).tanh()
            }
            Cell::Gru => {
                let (reset, update) = (sigmoid(sum(0)), sigmoid(sum(1)));
                let (ahead, back) = part(2);
                let new = (ahead + reset * back).tanh();
                for (vector, value) in [reset, update, new, back].into_iter().enumerate() {
                    keep(vector, value);
                }
                (1.0 - update) * new + update * old
            }
        });
    }
}

/// What a step of an item has read and made.
pub(super) struct Step<'a, T> {
    /// As [`turn`] kept it.
    pub(super) kept: &'a [T],
    /// The state that it made, that which it read, and the cell's state that it read.
    pub(super) made: &'a [T],
    pub(super) old: &'a [T],
    pub(super) cell: &'a [T],
}

/// The gradient of a step. `dh` is that of what it showed and becomes what goes past the products to the state that it read;
/// `dc` is that of the cell's state and becomes that of the one that it read; `to` has room for [`Cell::gradients`] vectors.
pub(super) fn turn_back<T: Real>(
    (cell, clip): (Cell, Clip),
    step: &Step<'_, T>,
    dh: &mut [T],
    dc: &mut [T],
    to: &mut [T],
) {
    let hidden = dh.len();
    for i in 0..hidden {
        let kept = |vector: usize| step.kept[vector * hidden + i].to_f64();
        let gradient = dh[i].to_f64();
        let mut put = |vector: usize, value: f64| to[vector * hidden + i] = T::from_f64(value);
        let mut past = 0.0;
        match cell {
            Cell::Relu => put(0, if step.made[i] > T::ZERO { gradient } else { 0.0 }),
            Cell::Tanh => {
                let made = step.made[i].to_f64();
                put(0, gradient * (1.0 - made * made));
            }
            Cell::Lstm => {
                let [input, forget, new, output, next] = [0, 1, 2, 3, 4].map(kept);
                let shown = clipped(clip, next).tanh();
                // The limits let nothing through of what is beyond them.
                let within = |value, d| if clipped(clip, value) == value { d } else { 0.0 };
                let d = dc[i].to_f64() + within(next, gradient * output * (1.0 - shown * shown));
                let old = step.cell[i].to_f64();
                put(0, d * new * input * (1.0 - input));
                put(1, d * clipped(clip, old) * forget * (1.0 - forget));
                put(2, d * input * (1.0 - new * new));
                put(3, gradient * shown * output * (1.0 - output));
                dc[i] = T::from_f64(within(old, d * forget));
            }
            Cell::Gru => {
                let [reset, update, new, back] = [0, 1, 2, 3].map(kept);
                let d = gradient * (1.0 - update) * (1.0 - new * new);
                put(0, d * back * reset * (1.0 - reset));
                put(1, gradient * (step.old[i].to_f64() - new) * update * (1.0 - update));
                put(2, d);
                put(3, d * reset);
                past = gradient * update;
            }
        }
        dh[i] = T::from_f64(past);
    }
}
