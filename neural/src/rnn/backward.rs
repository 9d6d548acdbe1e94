//! The passes backward: for data, and then for weights.

use super::cell::{Step, shown, turn_back};
use super::memory::{add_product, by_rows, load, store};
use super::reserve::{Part, Reserve};
use super::{Rnn, Sequences};
use crate::format::Format;
use crate::work::{Stage, stage};
use dense::Real;

/// Addresses of states and of gradients of states, as [`States`](super::States) has them; 0 where there is nothing.
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
    width: usize,
    reverse: bool,
    lengths: &'a [usize],
}

impl<T> Before<'_, T> {
    fn made(&self, step: usize, item: usize) -> &[T] {
        let at = (step * self.lengths.len() + item) * self.stride + self.offset;
        &self.made[at..at + self.width]
    }

    fn read(&self, step: usize, item: usize) -> &[T] {
        let is_first = if self.reverse { step + 1 == self.lengths[item] } else { step == 0 };
        match (is_first, self.reverse) {
            (true, _) => &self.first[item * self.width..][..self.width],
            (false, true) => self.made(step + 1, item),
            (false, false) => self.made(step - 1, item),
        }
    }
}

fn data<T: Real>(rnn: &Rnn, dy: &Sequences, dx: &Sequences, places: &DataGradients) {
    let (batch, steps) = (dy.lengths.len(), dy.places.len());
    let (hidden, state, directions, cell) = (rnn.hidden, rnn.state, rnn.directions(), rnn.cell);
    let (wide, kept) = (cell.gates() * hidden, cell.kept() * hidden);
    let (of_sums, gradients) = (cell.gradients() * hidden, rnn.gradients());
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
            let (input_weights, state_weights) = (weights(false, width), weights(true, state));
            let projection = rnn.projection(pseudo).map(|block| -> Vec<T> {
                load(rnn.format, places.weights, block.first, state * hidden)
            });
            let first = |width: usize| pseudo * batch * width;
            let load = |place, width: usize| -> Vec<T> {
                load(rnn.format, place, first(width), batch * width)
            };
            let (hx, cx) = (load(places.hx, state), load(places.cx, hidden));
            let (mut dh, mut dc) = (load(places.dhy, state), load(places.dcy, hidden));
            let keep: Vec<T> = reserve.load(places.reserve, Part::Kept(pseudo));
            let mut all = vec![T::ZERO; vectors * gradients];
            let states = Before {
                made: &output,
                stride: state * directions,
                offset: direction * state,
                first: &hx,
                width: state,
                reverse: direction == 1,
                lengths: &dy.lengths,
            };
            // The cell's state is the last of what a step keeps, where there is one.
            let cells = Before {
                made: &keep,
                stride: kept,
                offset: kept.saturating_sub(hidden),
                first: &cx,
                width: hidden,
                ..states
            };
            let mut back = vec![T::ZERO; batch * wide];
            let mut of_shown = Vec::new();
            for step in 0..steps {
                let step = if direction == 1 { step } else { steps - 1 - step };
                back.fill(T::ZERO);
                let now = || (0..batch).filter(|item| step < dy.lengths[*item]);
                for item in now() {
                    let at = step * batch + item;
                    let dh = &mut dh[item * state..][..state];
                    let given = &of_output[at * state * directions + direction * state..];
                    for (sum, value) in dh.iter_mut().zip(given) {
                        *sum += *value;
                    }
                    if projection.is_some() {
                        all[at * gradients + of_sums..][..state].copy_from_slice(dh);
                    }
                }
                if let Some(projection) = &projection {
                    of_shown = vec![T::ZERO; batch * hidden];
                    let shape = (batch, state, hidden);
                    add_product(
                        by_rows(&dh, state),
                        by_rows(projection, hidden),
                        &mut of_shown,
                        shape,
                    );
                }
                for item in now() {
                    let at = step * batch + item;
                    let of_item = item * hidden..(item + 1) * hidden;
                    let of_shown = if projection.is_some() { &mut of_shown } else { &mut dh };
                    let (of_shown, dc) = (&mut of_shown[of_item.clone()], &mut dc[of_item]);
                    let turned = Step {
                        kept: &keep[at * kept..][..kept],
                        made: states.made(step, item),
                        old: states.read(step, item),
                        cell: if kept > 0 { cells.read(step, item) } else { &[] },
                    };
                    let to = &mut all[at * gradients..][..of_sums];
                    turn_back((cell, rnn.clip), &turned, of_shown, dc, to);
                    let back = &mut back[item * wide..][..wide];
                    for (to, from) in back.chunks_exact_mut(hidden).zip(cell.of_state()) {
                        to.copy_from_slice(&all[at * gradients + from * hidden..][..hidden]);
                    }
                    if projection.is_some() {
                        dh[item * state..][..state].fill(T::ZERO);
                    }
                }
                // Of items without this step nothing comes.
                let shape = (batch, wide, state);
                add_product(by_rows(&back, wide), by_rows(&state_weights, state), &mut dh, shape);
            }
            store(rnn.format, places.dhx, first(state), &dh);
            store(rnn.format, places.dcx, first(hidden), &dc);
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
    let (hidden, state, directions, cell) = (rnn.hidden, rnn.state, rnn.directions(), rnn.cell);
    let (wide, kept) = (cell.gates() * hidden, cell.kept() * hidden);
    let (of_sums, gradients) = (cell.gradients() * hidden, rnn.gradients());
    let reserve = Reserve::new(*rnn, steps, batch);
    let vectors = steps * batch;
    let mut input: Vec<T> = x.load(rnn);
    for layer in 0..rnn.layers {
        let width = rnn.width(layer);
        let output: Vec<T> = reserve.load(place, Part::Outputs(layer));
        for direction in 0..directions {
            let pseudo = layer * directions + direction;
            let all: Vec<T> = reserve.load(place, Part::Gradients(pseudo));
            let hx: Vec<T> = load(rnn.format, hx, pseudo * batch * state, batch * state);
            let states = Before {
                made: &output,
                stride: state * directions,
                offset: direction * state,
                first: &hx,
                width: state,
                reverse: direction == 1,
                lengths: &x.lengths,
            };
            // The states that steps read, and the gradients of their products; zeros where there is no step.
            let mut old = vec![T::ZERO; vectors * state];
            let mut back = vec![T::ZERO; vectors * wide];
            for step in 0..steps {
                for item in (0..batch).filter(|item| step < x.lengths[*item]) {
                    let at = step * batch + item;
                    old[at * state..][..state].copy_from_slice(states.read(step, item));
                    let back = &mut back[at * wide..][..wide];
                    for (to, from) in back.chunks_exact_mut(hidden).zip(cell.of_state()) {
                        to.copy_from_slice(&all[at * gradients + from * hidden..][..hidden]);
                    }
                }
            }
            let pairs = [(false, &all, gradients, &input, width), (true, &back, wide, &old, state)];
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
        for direction in 0..directions {
            let pseudo = layer * directions + direction;
            let Some(block) = rnn.projection(pseudo) else { continue };
            let all: Vec<T> = reserve.load(place, Part::Gradients(pseudo));
            let keep: Vec<T> = reserve.load(place, Part::Kept(pseudo));
            // Where there is no step, nothing is kept, and nothing is shown.
            let mut from = vec![T::ZERO; vectors * hidden];
            for (kept, to) in keep.chunks_exact(kept).zip(from.chunks_exact_mut(hidden)) {
                shown(rnn.clip, kept, to);
            }
            let mut to: Vec<T> = load(rnn.format, weights, block.first, state * hidden);
            let sums = by_rows(&all[of_sums.min(all.len())..], gradients).transposed();
            add_product(sums, by_rows(&from, hidden), &mut to, (state, vectors, hidden));
            store(rnn.format, weights, block.first, &to);
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
