//! What training keeps from one pass to the next, in the type that is computed with. Parts are `[step][item]` vectors:
//!
//! - of each layer what it read is left out by, as factors, but of the first one;
//! - of each layer its outputs;
//! - of each layer and direction what its steps kept;
//! - of each layer and direction the gradients of its steps and, where there is a projection, of its states: the pass for data
//!   leaves them for that of weights.

use super::{Rnn, memory};
use crate::format::Format;
use dense::Real;

/// The layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserve {
    rnn: Rnn,
    vectors: usize,
}

/// A part, by its layer, or by its layer and direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Factors(usize),
    Outputs(usize),
    Kept(usize),
    Gradients(usize),
}

impl Reserve {
    pub(super) fn new(rnn: Rnn, steps: usize, batch: usize) -> Reserve {
        Reserve { rnn, vectors: steps * batch }
    }

    fn elements(&self) -> usize {
        self.range(Part::Gradients(self.rnn.layers * self.rnn.directions())).0
    }

    pub(super) fn bytes(&self) -> usize {
        self.elements() * self.format().size()
    }

    fn format(&self) -> Format {
        self.rnn.inner()
    }

    /// The first element of a part, and how many it has.
    fn range(&self, part: Part) -> (usize, usize) {
        let Rnn { hidden, state, layers, cell, .. } = self.rnn;
        let all = layers * self.rnn.directions();
        let output = self.vectors * state * self.rnn.directions();
        let kept = self.vectors * hidden * cell.kept();
        let gradients = self.vectors * self.rnn.gradients();
        let (outputs, keeps) = ((layers - 1) * output, (2 * layers - 1) * output);
        match part {
            // The first layer has none.
            Part::Factors(layer) => ((layer - 1) * output, output),
            Part::Outputs(layer) => (outputs + layer * output, output),
            Part::Kept(pseudo) => (keeps + pseudo * kept, kept),
            Part::Gradients(pseudo) => (keeps + all * kept + pseudo * gradients, gradients),
        }
    }

    pub(super) fn load<T: Real>(&self, address: usize, part: Part) -> Vec<T> {
        let (first, count) = self.range(part);
        memory::load(self.format(), address, first, count)
    }

    pub(super) fn store<T: Real>(&self, address: usize, part: Part, values: &[T]) {
        memory::store(self.format(), address, self.range(part).0, values);
    }
}
