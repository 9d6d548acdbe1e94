//! The pass forward.

use super::cell::turn;
use super::memory::{add_product, by_rows, load, store};
use super::reserve::{Part, Reserve};
use super::{Rnn, Sequences, States, Training};
use crate::format::Format;
use crate::work::{Stage, stage};
use dense::Real;

/// The network's outputs and last states; in training also what gradients need.
pub fn forward(
    rnn: Rnn,
    x: Sequences,
    y: Sequences,
    states: States,
    training: Option<Training>,
) -> Stage {
    stage(1, move |_| match rnn.format {
        Format::F64 => run::<f64>(&rnn, &x, &y, &states, training),
        _ => run::<f32>(&rnn, &x, &y, &states, training),
    })
}

fn run<T: Real>(
    rnn: &Rnn,
    x: &Sequences,
    y: &Sequences,
    states: &States,
    training: Option<Training>,
) {
    let (batch, steps) = (x.lengths.len(), x.places.len());
    let (hidden, state, directions) = (rnn.hidden, rnn.state, rnn.directions());
    let (wide, kept) = (rnn.cell.gates() * hidden, rnn.cell.kept() * hidden);
    let reserve = Reserve::new(*rnn, steps, batch);
    let vectors = steps * batch;
    // All vectors of a layer's input, step by step.
    let mut input: Vec<T> = x.load(rnn);
    for layer in 0..rnn.layers {
        let width = rnn.width(layer);
        if let Some(Training { reserve: place, dropout }) = training.filter(|_| layer > 0) {
            let mut factors = vec![T::ONE; input.len()];
            if let Some(dropout) = dropout {
                dropout.next(&mut factors);
            }
            for (value, factor) in input.iter_mut().zip(&factors) {
                // What is left out is zero, whatever it was.
                *value = if *factor == T::ZERO { T::ZERO } else { *value * *factor };
            }
            reserve.store(place, Part::Factors(layer), &factors);
        }
        let mut output = vec![T::ZERO; vectors * state * directions];
        for direction in 0..directions {
            let pseudo = layer * directions + direction;
            let weights = |of_state: bool, width: usize| -> Vec<T> {
                let first = rnn.weights(pseudo, 0, of_state).first;
                load(rnn.format, states.weights, first, wide * width)
            };
            let (of_input, of_state) = (weights(false, width), weights(true, state));
            let projection = rnn.projection(pseudo).map(|block| -> Vec<T> {
                load(rnn.format, states.weights, block.first, state * hidden)
            });
            let bias = |of_state: bool| -> Vec<T> {
                match rnn.bias(pseudo, 0, of_state) {
                    Some(block) => load(rnn.format, states.weights, block.first, wide),
                    None => vec![T::ZERO; wide],
                }
            };
            let (input_bias, state_bias) = (bias(false), bias(true));
            let mut ahead = input_bias.repeat(vectors);
            let (from, to) = (by_rows(&input, width), by_rows(&of_input, width).transposed());
            add_product(from, to, &mut ahead, (vectors, width, wide));
            let (of_h, of_c) = (pseudo * batch * state, pseudo * batch * hidden);
            let mut h: Vec<T> = load(rnn.format, states.hx, of_h, batch * state);
            let mut c: Vec<T> = load(rnn.format, states.cx, of_c, batch * hidden);
            let mut shown = vec![T::ZERO; batch * hidden];
            let mut keep = vec![T::ZERO; vectors * kept];
            for step in 0..steps {
                let step = if direction == 0 { step } else { steps - 1 - step };
                let mut back = state_bias.repeat(batch);
                let (from, to) = (by_rows(&h, state), by_rows(&of_state, state).transposed());
                add_product(from, to, &mut back, (batch, state, wide));
                if projection.is_none() {
                    shown.copy_from_slice(&h);
                }
                let now = || (0..batch).filter(|item| step < x.lengths[*item]);
                for item in now() {
                    let at = step * batch + item;
                    let (ahead, back) = (&ahead[at * wide..][..wide], &back[item * wide..][..wide]);
                    let cell = item * hidden..(item + 1) * hidden;
                    let (shown, c) = (&mut shown[cell.clone()], &mut c[cell]);
                    let keep = &mut keep[at * kept..][..kept];
                    turn((rnn.cell, rnn.clip), ahead, back, shown, c, keep);
                }
                let mut made = vec![T::ZERO; if projection.is_some() { batch * state } else { 0 }];
                if let Some(projection) = &projection {
                    let weights = by_rows(projection, hidden).transposed();
                    let shape = (batch, hidden, state);
                    add_product(by_rows(&shown, hidden), weights, &mut made, shape);
                }
                let made = if projection.is_some() { &made } else { &shown };
                for item in now() {
                    let made = &made[item * state..][..state];
                    h[item * state..][..state].copy_from_slice(made);
                    let to = (step * batch + item) * state * directions + direction * state;
                    output[to..to + state].copy_from_slice(made);
                }
            }
            store(rnn.format, states.hy, of_h, &h);
            store(rnn.format, states.cy, of_c, &c);
            if let Some(training) = training {
                reserve.store(training.reserve, Part::Kept(pseudo), &keep);
            }
        }
        if let Some(training) = training {
            reserve.store(training.reserve, Part::Outputs(layer), &output);
        }
        input = output;
    }
    y.store(rnn, &input);
}
