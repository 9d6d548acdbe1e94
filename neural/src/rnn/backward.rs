//! The passes backward: for data, and then for weights.

use super::cell::{Step, turn_back};
use super::memory::{add_product, by_rows, load, store};
use super::reserve::{Part, Reserve};
use super::{Rnn, Sequences};
use crate::format::Format;
use crate::work::{Stage, stage};
use dense::Real;

/// Addresses of states and of gradients of states, which are `[layer * directions][item][hidden]`; 0 where there is nothing.
#[derive(Clone, Copy, Debug)]
pub struct DataGradients {
    pub weights: usize,
    pub reserve: usize,
    pub hx: usize,
    pub cx: usize,
    pub dhy: usize,
    pub dcy: usize,
    pub dhx: usize,
    pub dcx: usize,
}

/// The gradients of the inputs and of the first states, by what training kept. Leaves gradients for [`backward_weights`].
pub fn backward_data(rnn: Rnn, dy: Sequences, dx: Sequences, places: DataGradients) -> Stage {
    stage(1, move |_| match rnn.format {
        Format::F64 => data::<f64>(&rnn, &dy, &dx, &places),
        _ => data::<f32>(&rnn, &dy, &dx, &places),
    })
}

/// The states that steps of a layer in one direction read: those that it made before, or the first ones.
struct Before<'a, T> {
    /// `[step][item]` vectors, of which each is `stride` long and begins with `offset` elements of others.
    made: &'a [T],
    stride: usize,
    offset: usize,
    first: &'a [T],
    hidden: usize,
    reverse: bool,
    lengths: &'a [usize],
}

impl<T> Before<'_, T> {
    fn made(&self, step: usize, item: usize) -> &[T] {
        let at = (step * self.lengths.len() + item) * self.stride + self.offset;
        &self.made[at..at + self.hidden]
    }

    fn read(&self, step: usize, item: usize) -> &[T] {
        let is_first = if self.reverse { step + 1 == self.lengths[item] } else { step == 0 };
        match (is_first, self.reverse) {
            (true, _) => &self.first[item * self.hidden..][..self.hidden],
            (false, true) => self.made(step + 1, item),
            (false, false) => self.made(step - 1, item),
        }
    }
}

fn data<T: Real>(rnn: &Rnn, dy: &Sequences, dx: &Sequences, places: &DataGradients) {
    let (batch, steps) = (dy.lengths.len(), dy.places.len());
    let (hidden, directions, cell) = (rnn.hidden, rnn.directions(), rnn.cell);
    let (wide, kept) = (cell.gates() * hidden, cell.kept() * hidden);
    let gradients = cell.gradients() * hidden;
    let reserve = Reserve::new(*rnn, steps, batch);
    let vectors = steps * batch;
    // The gradient of a layer's output, step by step.
    let mut of_output: Vec<T> = dy.load(rnn);
    for layer in (0..rnn.layers).rev() {
        let width = rnn.width(layer);
        let output: Vec<T> = reserve.load(places.reserve, Part::Outputs(layer));
        let mut of_input = vec![T::ZERO; vectors * width];
        for direction in 0..directions {
            let pseudo = layer * directions + direction;
            let weights = |of_state: bool, width: usize| -> Vec<T> {
                let first = rnn.weights(pseudo, 0, of_state).first;
                load(rnn.format, places.weights, first, wide * width)
            };
            let (input_weights, state_weights) = (weights(false, width), weights(true, hidden));
            let first = pseudo * batch * hidden;
            let state = |place| -> Vec<T> { load(rnn.format, place, first, batch * hidden) };
            let (hx, cx) = (state(places.hx), state(places.cx));
            let (mut dh, mut dc) = (state(places.dhy), state(places.dcy));
            let keep: Vec<T> = reserve.load(places.reserve, Part::Kept(pseudo));
            let mut all = vec![T::ZERO; vectors * gradients];
            let states = Before {
                made: &output,
                stride: hidden * directions,
                offset: direction * hidden,
                first: &hx,
                hidden,
                reverse: direction == 1,
                lengths: &dy.lengths,
            };
            // The cell's state is the last of what a step keeps, where there is one.
            let cells = Before {
                made: &keep,
                stride: kept,
                offset: kept.saturating_sub(hidden),
                first: &cx,
                ..states
            };
            let mut back = vec![T::ZERO; batch * wide];
            for step in 0..steps {
                let step = if direction == 1 { step } else { steps - 1 - step };
                back.fill(T::ZERO);
                for item in (0..batch).filter(|item| step < dy.lengths[*item]) {
                    let at = step * batch + item;
                    let of_item = item * hidden..(item + 1) * hidden;
                    let (dh, dc) = (&mut dh[of_item.clone()], &mut dc[of_item]);
                    let given = &of_output[at * hidden * directions + direction * hidden..];
                    for (sum, value) in dh.iter_mut().zip(given) {
                        *sum += *value;
                    }
                    let step = Step {
                        kept: &keep[at * kept..][..kept],
                        made: states.made(step, item),
                        old: states.read(step, item),
                        cell: if kept > 0 { cells.read(step, item) } else { &[] },
                    };
                    let to = &mut all[at * gradients..][..gradients];
                    turn_back(cell, &step, dh, dc, to);
                    let back = &mut back[item * wide..][..wide];
                    for (to, from) in back.chunks_exact_mut(hidden).zip(cell.of_state()) {
                        to.copy_from_slice(&all[at * gradients + from * hidden..][..hidden]);
                    }
                }
                // Of items without this step nothing comes.
                let shape = (batch, wide, hidden);
                add_product(by_rows(&back, wide), by_rows(&state_weights, hidden), &mut dh, shape);
            }
            store(rnn.format, places.dhx, first, &dh);
            store(rnn.format, places.dcx, first, &dc);
            reserve.store(places.reserve, Part::Gradients(pseudo), &all);
            // Those of the products with the input come first in each step.
            let shape = (vectors, wide, width);
            let of_input_sums = by_rows(&all, gradients);
            add_product(of_input_sums, by_rows(&input_weights, width), &mut of_input, shape);
        }
        if layer > 0 {
            let factors: Vec<T> = reserve.load(places.reserve, Part::Factors(layer));
            for (value, factor) in of_input.iter_mut().zip(factors) {
                *value = if factor == T::ZERO { T::ZERO } else { *value * factor };
            }
        }
        of_output = of_input;
    }
    dx.store(rnn, &of_output);
}

/// Adds the gradients of weights and biases to those at `weights`, by what training and [`backward_data`] kept.
pub fn backward_weights(
    rnn: Rnn,
    x: Sequences,
    hx: usize,
    weights: usize,
    reserve: usize,
) -> Stage {
    stage(1, move |_| match rnn.format {
        Format::F64 => weights_of::<f64>(&rnn, &x, hx, weights, reserve),
        _ => weights_of::<f32>(&rnn, &x, hx, weights, reserve),
    })
}

fn weights_of<T: Real>(rnn: &Rnn, x: &Sequences, hx: usize, weights: usize, place: usize) {
    let (batch, steps) = (x.lengths.len(), x.places.len());
    let (hidden, directions, cell) = (rnn.hidden, rnn.directions(), rnn.cell);
    let wide = cell.gates() * hidden;
    let gradients = cell.gradients() * hidden;
    let reserve = Reserve::new(*rnn, steps, batch);
    let vectors = steps * batch;
    let mut input: Vec<T> = x.load(rnn);
    for layer in 0..rnn.layers {
        let width = rnn.width(layer);
        let output: Vec<T> = reserve.load(place, Part::Outputs(layer));
        for direction in 0..directions {
            let pseudo = layer * directions + direction;
            let all: Vec<T> = reserve.load(place, Part::Gradients(pseudo));
            let hx: Vec<T> = load(rnn.format, hx, pseudo * batch * hidden, batch * hidden);
            let states = Before {
                made: &output,
                stride: hidden * directions,
                offset: direction * hidden,
                first: &hx,
                hidden,
                reverse: direction == 1,
                lengths: &x.lengths,
            };
            // The states that steps read, and the gradients of their products; zeros where there is no step.
            let mut old = vec![T::ZERO; vectors * hidden];
            let mut back = vec![T::ZERO; vectors * wide];
            for step in 0..steps {
                for item in (0..batch).filter(|item| step < x.lengths[*item]) {
                    let at = step * batch + item;
                    old[at * hidden..][..hidden].copy_from_slice(states.read(step, item));
                    let back = &mut back[at * wide..][..wide];
                    for (to, from) in back.chunks_exact_mut(hidden).zip(cell.of_state()) {
                        to.copy_from_slice(&all[at * gradients + from * hidden..][..hidden]);
                    }
                }
            }
            let pairs =
                [(false, &all, gradients, &input, width), (true, &back, wide, &old, hidden)];
            for (of_state, sums, stride, from, width) in pairs {
                let first = rnn.weights(pseudo, 0, of_state).first;
                let mut to: Vec<T> = load(rnn.format, weights, first, wide * width);
                let shape = (wide, vectors, width);
                let sums_by_rows = by_rows(sums, stride).transposed();
                add_product(sums_by_rows, by_rows(from, width), &mut to, shape);
                store(rnn.format, weights, first, &to);
                if let Some(bias) = rnn.bias(pseudo, 0, of_state) {
                    let mut to: Vec<T> = load(rnn.format, weights, bias.first, wide);
                    for sums in sums.chunks_exact(stride) {
                        to.iter_mut().zip(sums).for_each(|(to, sum)| *to += *sum);
                    }
                    store(rnn.format, weights, bias.first, &to);
                }
            }
        }
        input = output;
        if layer + 1 < rnn.layers {
            let factors: Vec<T> = reserve.load(place, Part::Factors(layer + 1));
            for (value, factor) in input.iter_mut().zip(factors) {
                *value = if factor == T::ZERO { T::ZERO } else { *value * factor };
            }
        }
    }
}
