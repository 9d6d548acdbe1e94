//! Recurrent networks, forward. Gates, weights and biases lie as cuDNN's programs find them: for each layer and direction
//! those of the input, then those of the state, gate by gate; all biases after all weights.

use crate::activation::sigmoid;
use crate::format::Format;
use crate::work::{Stage, stage};
use dense::product::{Product, Tile};
use dense::{Matrix, Real};

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
}

/// A network of layers.
#[derive(Clone, Copy, Debug)]
pub struct Rnn {
    pub cell: Cell,
    pub layers: usize,
    pub bidirectional: bool,
    pub input: usize,
    pub hidden: usize,
    /// Whether biases follow the products with the input, and those with the state.
    pub biases: [bool; 2],
    pub format: Format,
}

/// A block of weights or biases: its first element, its rows, and its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub first: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Rnn {
    pub fn directions(&self) -> usize {
        if self.bidirectional { 2 } else { 1 }
    }

    /// The width of what a layer reads.
    fn width(&self, layer: usize) -> usize {
        if layer == 0 { self.input } else { self.hidden * self.directions() }
    }

    fn weights_of(&self, pseudo: usize) -> usize {
        let width = self.width(pseudo / self.directions());
        self.cell.gates() * self.hidden * (width + self.hidden)
    }

    fn all_weights(&self) -> usize {
        (0..self.layers * self.directions()).map(|pseudo| self.weights_of(pseudo)).sum()
    }

    fn biases_of(&self) -> usize {
        self.biases.iter().filter(|there| **there).count() * self.cell.gates() * self.hidden
    }

    /// The elements of weights and biases.
    pub fn elements(&self) -> usize {
        self.all_weights() + self.layers * self.directions() * self.biases_of()
    }

    /// The weights of a product: of a layer in a direction (`layer * directions + direction`), of a gate, with the input or
    /// with the state.
    pub fn weights(&self, pseudo: usize, gate: usize, of_state: bool) -> Block {
        let before: usize = (0..pseudo).map(|pseudo| self.weights_of(pseudo)).sum();
        let width = self.width(pseudo / self.directions());
        let columns = if of_state { self.hidden } else { width };
        let inputs = if of_state { self.cell.gates() * self.hidden * width } else { 0 };
        let first = before + inputs + gate * self.hidden * columns;
        Block { first, rows: self.hidden, columns }
    }

    /// The bias of a product, if there is one.
    pub fn bias(&self, pseudo: usize, gate: usize, of_state: bool) -> Option<Block> {
        self.biases[usize::from(of_state)].then(|| {
            let inputs =
                if of_state && self.biases[0] { self.cell.gates() * self.hidden } else { 0 };
            let first =
                self.all_weights() + pseudo * self.biases_of() + inputs + gate * self.hidden;
            Block { first, rows: self.hidden, columns: 1 }
        })
    }
}

/// Sequences of vectors: where those of a step begin, and how many steps each item of the batch has.
#[derive(Clone, Debug)]
pub struct Sequences {
    pub first: usize,
    /// The offset of the vector of a step and an item, in vectors: `[step][item]`, up to the item's length.
    pub places: Vec<Vec<usize>>,
    pub lengths: Vec<usize>,
    pub width: usize,
    /// The value where there is no step, and its places.
    pub fill: Option<(f64, Vec<usize>)>,
}

/// Addresses of what a network reads and writes besides its sequences; 0 where there is nothing. States are
/// `[layer * directions][item][hidden]`.
#[derive(Clone, Copy, Debug)]
pub struct States {
    pub weights: usize,
    pub hx: usize,
    pub hy: usize,
    pub cx: usize,
    pub cy: usize,
}

/// The network's outputs and last states.
pub fn forward(rnn: Rnn, x: Sequences, y: Sequences, states: States) -> Stage {
    stage(1, move |_| match rnn.format {
        Format::F64 => run::<f64>(&rnn, &x, &y, &states),
        _ => run::<f32>(&rnn, &x, &y, &states),
    })
}

fn load<T: Real>(rnn: &Rnn, address: usize, first: usize, count: usize) -> Vec<T> {
    let mut to = vec![T::ZERO; count];
    if address != 0 {
        let from = std::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
        unsafe { rnn.format.load(from, first as isize, 1, &mut to) };
    }
    to
}

fn store<T: Real>(rnn: &Rnn, address: usize, first: usize, values: &[T]) {
    if address != 0 {
        let to = std::ptr::with_exposed_provenance_mut::<u8>(address);
        // SAFETY: the program says that it can be written; where not, the work ends as a kernel does.
        unsafe { rnn.format.store(to, first as isize, 1, values) };
    }
}

/// `to += from weights^T`, of `rows` rows.
fn add_product<T: Real>(from: &[T], weights: &[T], to: &mut [T], rows: usize) {
    let (depth, columns) = (from.len() / rows, to.len() / rows);
    let row_major =
        |first: *const T, length: usize| Matrix::columns(first, length as isize).transposed();
    let product = Product {
        a: row_major(from.as_ptr(), depth),
        b: Matrix::columns(weights.as_ptr(), depth as isize),
        c: row_major(to.as_mut_ptr(), columns),
        depth,
        alpha: T::ONE,
        beta: T::ONE,
    };
    // SAFETY: the three are as large as that, and `to` is the caller's alone.
    unsafe { product.run(Tile { row: 0, column: 0, rows, columns }) };
}

fn run<T: Real>(rnn: &Rnn, x: &Sequences, y: &Sequences, states: &States) {
    let (batch, steps) = (x.lengths.len(), x.places.len());
    let (hidden, gates, directions) = (rnn.hidden, rnn.cell.gates(), rnn.directions());
    let wide = gates * hidden;
    // All vectors of a layer's input, step by step.
    let mut input = vec![T::ZERO; steps * batch * rnn.input];
    for (step, places) in x.places.iter().enumerate() {
        for (item, place) in places.iter().enumerate().filter(|(item, _)| step < x.lengths[*item]) {
            let vector: Vec<T> = load(rnn, x.first, place * x.width, x.width);
            input[(step * batch + item) * rnn.input..][..rnn.input].copy_from_slice(&vector);
        }
    }
    for layer in 0..rnn.layers {
        let width = rnn.width(layer);
        let mut output = vec![T::ZERO; steps * batch * hidden * directions];
        for direction in 0..directions {
            let pseudo = layer * directions + direction;
            let of_input: Vec<T> =
                load(rnn, states.weights, rnn.weights(pseudo, 0, false).first, wide * width);
            let of_state: Vec<T> =
                load(rnn, states.weights, rnn.weights(pseudo, 0, true).first, wide * hidden);
            let bias = |of_state: bool| -> Vec<T> {
                match rnn.bias(pseudo, 0, of_state) {
                    Some(block) => load(rnn, states.weights, block.first, wide),
                    None => vec![T::ZERO; wide],
                }
            };
            let (input_bias, state_bias) = (bias(false), bias(true));
            let mut ahead = input_bias.repeat(steps * batch);
            add_product(&input, &of_input, &mut ahead, steps * batch);
            let mut h: Vec<T> = load(rnn, states.hx, pseudo * batch * hidden, batch * hidden);
            let mut c: Vec<T> = load(rnn, states.cx, pseudo * batch * hidden, batch * hidden);
            for step in 0..steps {
                let step = if direction == 0 { step } else { steps - 1 - step };
                let mut back = state_bias.repeat(batch);
                add_product(&h, &of_state, &mut back, batch);
                for item in (0..batch).filter(|item| step < x.lengths[*item]) {
                    let at = step * batch + item;
                    let (ahead, back) = (&ahead[at * wide..][..wide], &back[item * wide..][..wide]);
                    let cell = item * hidden..(item + 1) * hidden;
                    turn(rnn.cell, ahead, back, &mut h[cell.clone()], &mut c[cell.clone()]);
                    let to = at * hidden * directions + direction * hidden;
                    output[to..to + hidden].copy_from_slice(&h[cell]);
                }
            }
            store(rnn, states.hy, pseudo * batch * hidden, &h);
            store(rnn, states.cy, pseudo * batch * hidden, &c);
        }
        input = output;
    }
    for (step, places) in y.places.iter().enumerate() {
        for (item, place) in places.iter().enumerate().filter(|(item, _)| step < y.lengths[*item]) {
            let from = &input[(step * batch + item) * y.width..][..y.width];
            store(rnn, y.first, place * y.width, from);
        }
    }
    if let Some((value, places)) = &y.fill {
        let vector = vec![T::from_f64(*value); y.width];
        places.iter().for_each(|place| store(rnn, y.first, place * y.width, &vector));
    }
}

/// A step of an item: what comes from the input and from the state, gate by gate.
fn turn<T: Real>(cell: Cell, ahead: &[T], back: &[T], h: &mut [T], c: &mut [T]) {
    let hidden = h.len();
    for i in 0..hidden {
        let part =
            |gate: usize| (ahead[gate * hidden + i].to_f64(), back[gate * hidden + i].to_f64());
        let sum = |gate: usize| {
            let (ahead, back) = part(gate);
            ahead + back
        };
        let old = h[i].to_f64();
        h[i] = T::from_f64(match cell {
            Cell::Relu => sum(0).max(0.0),
            Cell::Tanh => sum(0).tanh(),
            Cell::Lstm => {
                let kept = sigmoid(sum(1)) * c[i].to_f64() + sigmoid(sum(0)) * sum(2).tanh();
                c[i] = T::from_f64(kept);
                sigmoid(sum(3)) * kept.tanh()
            }
            Cell::Gru => {
                let (reset, update) = (sigmoid(sum(0)), sigmoid(sum(1)));
                let (ahead, back) = part(2);
                let new = (ahead + reset * back).tanh();
                (1.0 - update) * new + update * old
            }
        });
    }
}
