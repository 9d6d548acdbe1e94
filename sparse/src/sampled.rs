//! Products of dense matrices where a sparse one has elements: `c = alpha * (a * b) + beta * c`.

use crate::matrix::Matrix;
use crate::number::{Factor, Load, Number, Store, Types, with_types};
use crate::place::Dense;

/// A sampled product. The dense matrices are transposed as it needs them.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    pub a: Dense,
    pub a_conj: bool,
    pub b: Dense,
    pub b_conj: bool,
    pub c: Matrix,
    pub alpha: Factor,
    pub beta: Factor,
    pub types: Types,
}

impl Sampled {
    /// # Safety
    /// The matrices are memory of the types and sizes that they tell; each part is done once.
    pub unsafe fn run(&self, part: usize, parts: usize) {
        with_types!(self.types, A X Y C => {
            // SAFETY: the caller says so.
            unsafe { self.run_as::<A, X, Y, C>(part, parts) }
        });
    }

    unsafe fn run_as<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number>(
        &self,
        part: usize,
        parts: usize,
    ) {
        // SAFETY: the caller says so, of all that follows.
        unsafe {
            let (alpha, beta) = (self.alpha.get::<C>(), self.beta.get::<C>());
            self.c.visit(self.c.part(part, parts), |i, j, at| {
                let mut sum = C::ZERO;
                for k in 0..self.a.columns {
                    let a = self.a.get::<A>(i, k).load().conj_if(self.a_conj);
                    sum += a * self.b.get::<X>(k, j).load().conj_if(self.b_conj);
                }
                let mut value = alpha * sum;
                if beta != C::ZERO {
                    value += beta * self.c.values.get::<Y>(at).load();
                }
                self.c.values.set(at, Y::store(value));
            });
        }
    }
}
