//! Recurrent networks and their gradients. Gates, weights and biases lie as cuDNN's programs find them: for each layer and
//! direction those of the input, then those of the state, gate by gate; all biases after all weights.
//!
//! [`forward`], [`backward`]: the passes. [`cell`]: a step of one item, and its gradient. [`reserve`]: what training keeps
//! from one pass to the next. [`memory`]: places in memory as vectors.

mod backward;
mod cell;
mod forward;
mod memory;
mod reserve;

pub use backward::{DataGradients, backward_data, backward_weights};
pub use cell::Cell;
pub use forward::forward;

use crate::dropout::Dropout;
use crate::format::Format;

/// A network of layers.
#[derive(Clone, Copy, Debug)]
pub struct Rnn {
    pub cell: Cell,
    pub layers: usize,
    pub bidirectional: bool,
    pub input: usize,
    pub hidden: usize,
    /// The width of states and outputs: [`Self::hidden`], or what a projection makes of that.
    pub state: usize,
    /// The least and the greatest value of the states of [`Cell::Lstm`]'s cells.
    pub clip: Option<[f64; 2]>,
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
    pub(crate) fn width(&self, layer: usize) -> usize {
        if layer == 0 { self.input } else { self.state * self.directions() }
    }

    fn weights_of(&self, pseudo: usize) -> usize {
        self.products_of(pseudo) + if self.projects() { self.state * self.hidden } else { 0 }
    }

    fn products_of(&self, pseudo: usize) -> usize {
        let width = self.width(pseudo / self.directions());
        self.cell.gates() * self.hidden * (width + self.state)
    }

    /// Whether states are products of what cells show.
    pub fn projects(&self) -> bool {
        self.state != self.hidden
    }

    fn before(&self, pseudo: usize) -> usize {
        (0..pseudo).map(|pseudo| self.weights_of(pseudo)).sum()
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
        let width = self.width(pseudo / self.directions());
        let columns = if of_state { self.state } else { width };
        let inputs = if of_state { self.cell.gates() * self.hidden * width } else { 0 };
        let first = self.before(pseudo) + inputs + gate * self.hidden * columns;
        Block { first, rows: self.hidden, columns }
    }

    /// The weights of the projection of a layer in a direction, if there is one.
    pub fn projection(&self, pseudo: usize) -> Option<Block> {
        let first = self.before(pseudo) + self.products_of(pseudo);
        self.projects().then_some(Block { first, rows: self.state, columns: self.hidden })
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
/// `[layer * directions][item][state]`, those of cells `[layer * directions][item][hidden]`.
#[derive(Clone, Copy, Debug)]
pub struct States {
    pub weights: usize,
    pub hx: usize,
    pub hy: usize,
    pub cx: usize,
    pub cy: usize,
}

/// What training needs besides: a place of [`Rnn::reserve`] bytes, and what is left out between layers.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    pub reserve: usize,
    pub dropout: Option<Dropout>,
}

impl Rnn {
    /// Bytes that training keeps for sequences of so many steps and items.
    pub fn reserve(&self, steps: usize, batch: usize) -> usize {
        reserve::Reserve::new(*self, steps, batch).bytes()
    }

    /// Elements of the gradients of a step of an item: of the sums of gates, and then of the state where it is a product.
    fn gradients(&self) -> usize {
        self.cell.gradients() * self.hidden + if self.projects() { self.state } else { 0 }
    }

    /// The type that is computed with, and that training keeps.
    fn inner(&self) -> Format {
        if self.format == Format::F64 { Format::F64 } else { Format::F32 }
    }
}
