//! Connectionist temporal classification: how likely sequences of labels are by what a network says of each step, where steps
//! may repeat a label or say that there is none, and the gradient.

use crate::tensor::Tensor;
use crate::work::{Stage, over};
use std::sync::Arc;

/// Numbers that are known, or as many in memory.
#[derive(Clone, Debug)]
pub enum Numbers {
    Known(Arc<[i32]>),
    In(usize),
}

impl Numbers {
    fn get(&self, number: usize) -> i32 {
        match self {
            Numbers::Known(all) => all.get(number).copied().unwrap_or(0),
            Numbers::In(address) => {
                let first = std::ptr::with_exposed_provenance::<i32>(*address);
                // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
                unsafe { first.wrapping_add(number).read_unaligned() }
            }
        }
    }
}

/// The label that says that there is none.
const BLANK: usize = 0;

/// Sequences of labels, and what a network says of them.
#[derive(Clone, Debug)]
pub struct Loss {
    /// `[steps, batch, labels]`: probabilities, or what softmax makes such of.
    pub x: Tensor,
    pub softmax: bool,
    /// The labels of all sequences, one after the other.
    pub labels: Numbers,
    /// How many labels, and how many steps, each item of the batch has.
    pub label_lengths: Numbers,
    pub steps: Numbers,
    /// `[batch]`: the negative logarithms of the likelihoods; 0 of what cannot be.
    pub costs: Tensor,
    /// As `x`, of which the gradient is; nothing is written of what cannot be.
    pub gradient: Option<Tensor>,
    /// Whether the gradient is 0 where there is no step, or what it was.
    pub zero_beyond: bool,
}

/// The logarithm of the sum of two numbers that are given by theirs.
fn add(a: f64, b: f64) -> f64 {
    let (most, least) = if a > b { (a, b) } else { (b, a) };
    if most == f64::NEG_INFINITY { most } else { most + (least - most).exp().ln_1p() }
}

/// The costs, and the gradient.
pub fn loss(loss: Loss) -> Stage {
    let (steps, batch, labels) = (loss.x.dims[0], loss.x.dims[1], loss.x.dims[2]);
    over(batch, steps * labels * 40, move |items| {
        for item in items {
            loss.of_item(item);
        }
    })
}

impl Loss {
    fn of_item(&self, item: usize) {
        let most = self.x.dims[0];
        let length = |numbers: &Numbers, item| usize::try_from(numbers.get(item)).unwrap_or(0);
        let steps = length(&self.steps, item).min(most);
        let before: usize = (0..item).map(|item| length(&self.label_lengths, item)).sum();
        let count = length(&self.label_lengths, item);
        let mut line = vec![0.0; self.x.dims[2]];
        if let Some(gradient) = self.gradient.as_ref().filter(|_| self.zero_beyond) {
            for step in steps..most {
                gradient.store(gradient.offset(&[step, item, 0]), gradient.strides[2], &line);
            }
        }
        // Each label with blanks around it.
        let states = 2 * count + 1;
        let mut label_of = vec![BLANK; states];
        // So many steps may be at least.
        let mut least = count;
        for i in 0..count {
            let label = usize::try_from(self.labels.get(before + i)).unwrap_or(usize::MAX);
            if label >= line.len() {
                return self.costs.set(item as isize * self.costs.strides[0], 0.0);
            }
            label_of[2 * i + 1] = label;
            least += usize::from(i > 0 && label_of[2 * i - 1] == label);
        }
        if steps < least {
            return self.costs.set(item as isize * self.costs.strides[0], 0.0);
        }
        // Whether a state may be reached past the blank before it.
        let skips = |state: usize| {
            state >= 2 && label_of[state] != BLANK && label_of[state] != label_of[state - 2]
        };
        // Logarithms of probabilities, and of the likelihood of what leads to each state.
        let mut spoken = Vec::with_capacity(steps);
        let mut ahead: Vec<Vec<f64>> = Vec::with_capacity(steps);
        for step in 0..steps {
            self.load(step, item, &mut line);
            let now: Vec<f64> = (0..states)
                .map(|state| {
                    let from = match ahead.last() {
                        None if state < 2 => 0.0,
                        None => f64::NEG_INFINITY,
                        Some(last) => {
                            let mut sum = last[state];
                            sum = if state >= 1 { add(sum, last[state - 1]) } else { sum };
                            if skips(state) { add(sum, last[state - 2]) } else { sum }
                        }
                    };
                    from + line[label_of[state]]
                })
                .collect();
            ahead.push(now);
            spoken.push(line.clone());
        }
        let total = match ahead.last() {
            Some(last) if count > 0 => add(last[states - 1], last[states - 2]),
            Some(last) => last[0],
            None => 0.0,
        };
        self.costs.set(item as isize * self.costs.strides[0], -total);
        let Some(gradient) = &self.gradient else { return };
        // The likelihood of what follows each state.
        let mut after = vec![f64::NEG_INFINITY; states];
        for step in (0..steps).rev() {
            let next = |state: usize, after: &[f64]| match spoken.get(step + 1) {
                None if state + 2 >= states => 0.0,
                None => f64::NEG_INFINITY,
                Some(spoken) => {
                    let of = |to: usize| after[to] + spoken[label_of[to]];
                    let mut sum = of(state);
                    sum = if state + 1 < states { add(sum, of(state + 1)) } else { sum };
                    let to = state + 2;
                    if to < states && skips(to) { add(sum, of(to)) } else { sum }
                }
            };
            after = (0..states).map(|state| next(state, &after)).collect();
            let mut shares = vec![0.0; line.len()];
            for state in 0..states {
                shares[label_of[state]] += (ahead[step][state] + after[state] - total).exp();
            }
            for ((share, log), to) in shares.iter().zip(&spoken[step]).zip(&mut line) {
                *to = match self.softmax {
                    true => log.exp() - share,
                    // As NVIDIA's cuDNN has it of labels that cannot be said at the step.
                    false if *share == 0.0 => log.exp(),
                    false => -share / log.exp(),
                };
            }
            gradient.store(gradient.offset(&[step, item, 0]), gradient.strides[2], &line);
        }
    }

    /// The logarithms of a step's probabilities.
    fn load(&self, step: usize, item: usize, line: &mut [f64]) {
        self.x.load(self.x.offset(&[step, item, 0]), self.x.strides[2], line);
        if !self.softmax {
            line.iter_mut().for_each(|value| *value = value.ln());
            return;
        }
        let top = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = line.iter().map(|value| (value - top).exp()).sum();
        line.iter_mut().for_each(|value| *value -= top + sum.ln());
    }
}
