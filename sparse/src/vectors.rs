//! Sparse vectors and dense ones.

use crate::number::{Factor, Load, Number, Store, Type, Types, with_types};
use crate::place::{Address, Dense, Indices};

/// A sparse vector and a dense one, of one type.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub stored: usize,
    pub indices: Indices,
    pub values: Address,
    pub dense: Dense,
    /// The type of the arithmetic.
    pub compute: Type,
}

/// The operation on a pair.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// `y = alpha * x + beta * y`.
    Add { alpha: Factor, beta: Factor },
    /// `x = y`, where x has elements.
    Gather,
    /// `y = x`, where x has elements.
    Scatter,
    /// A plane rotation of both.
    Rotate { c: Factor, s: Factor },
    /// The sum of the products of their elements, which becomes a number of the arithmetic's type.
    Dot { conj: bool, result: Address },
}

/// The type in which numbers of a type are computed with.
pub fn computed(ty: Type) -> Type {
    match ty {
        Type::F16 | Type::BF16 | Type::I8 => Type::F32,
        Type::C16 | Type::CB16 => Type::C32,
        other => other,
    }
}

impl Pair {
    fn types(&self) -> Types {
        let ty = self.dense.ty;
        Types { a: ty, x: ty, y: ty, compute: self.compute }
    }

    /// Whether there is such arithmetic.
    pub fn is_known(&self) -> bool {
        self.types().is_known()
    }

    /// # Safety
    /// The vectors are memory of the types and sizes that they tell.
    pub unsafe fn run(&self, action: Action) {
        with_types!(self.types(), A X Y C => {
            // SAFETY: the caller says so.
            unsafe { self.run_as::<A, X, Y, C>(action) }
        });
    }

    unsafe fn run_as<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number>(&self, action: Action) {
        // SAFETY: the caller says so.
        let index = |at| unsafe { self.indices.get(at) };
        let (x, y) = (self.values, self.dense);
        // SAFETY: the caller says so, of all that follows.
        unsafe {
            match action {
                Action::Add { alpha, beta } => {
                    let (alpha, beta) = (alpha.get::<C>(), beta.get::<C>());
                    if beta != C::ONE {
                        for i in 0..y.rows {
                            let value = match beta == C::ZERO {
                                true => C::ZERO,
                                false => beta * y.get::<Y>(i, 0).load(),
                            };
                            y.set(i, 0, Y::store(value));
                        }
                    }
                    for at in 0..self.stored {
                        let mut value = y.get::<Y>(index(at), 0).load();
                        value += alpha * x.get::<A>(at).load();
                        y.set(index(at), 0, Y::store(value));
                    }
                }
                Action::Gather => {
                    for at in 0..self.stored {
                        x.set(at, y.get::<Y>(index(at), 0));
                    }
                }
                Action::Scatter => {
                    for at in 0..self.stored {
                        y.set(index(at), 0, x.get::<Y>(at));
                    }
                }
                Action::Rotate { c, s } => {
                    let (c, s) = (c.get::<C>(), s.get::<C>());
                    for at in 0..self.stored {
                        let (a, b) = (x.get::<Y>(at).load(), y.get::<Y>(index(at), 0).load());
                        x.set(at, Y::store(c * a + s * b));
                        y.set(index(at), 0, Y::store(c * b - s.conj_if(true) * a));
                    }
                }
                Action::Dot { conj, result } => {
                    let mut sum = C::ZERO;
                    for at in 0..self.stored {
                        let a = x.get::<A>(at).load().conj_if(conj);
                        sum += a * y.get::<X>(index(at), 0).load();
                    }
                    result.set(0, sum);
                }
            }
        }
    }
}
