//! Incomplete decompositions, which have the elements that the matrix has and no others.
//!
//! Those of blocks are those of their elements: all that a decomposition of a matrix of blocks changes lies in its blocks.

use crate::lines::Lines;
use crate::number::{Type, with_scalar};
use crate::place::Address;
use crate::room::filled;
use dense::{Real, Scalar};

/// The replacement of pivots that are too small.
#[derive(Clone, Copy, Debug)]
pub struct Boost {
    pub tolerance: f64,
    pub value: crate::Factor,
}

/// Which decomposition.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Into a lower triangle with a diagonal of ones and an upper one.
    Lu { boost: Option<Boost> },
    /// Into a lower triangle and its conjugate transpose; elements above the diagonal are neither read nor written.
    Cholesky,
}

/// Decomposes a matrix in its place; the first row whose pivot is 0 or not there, for the kind.
///
/// # Safety
/// The values are memory of the type, at the places that the lines tell.
pub unsafe fn decompose(values: Address, ty: Type, lines: &Lines, kind: Kind) -> Option<usize> {
    with_scalar!(ty, S => {
        // SAFETY: the caller says so.
        unsafe {
            match kind {
                Kind::Lu { boost } => lu::<S>(values, lines, boost),
                Kind::Cholesky => cholesky::<S>(values, lines),
            }
        }
    })
    .flatten()
}

/// Where elements of a row lie, by their columns.
struct Places(Vec<Option<usize>>);

impl Places {
    fn with<R>(&mut self, row: &[(usize, usize)], run: impl FnOnce(&[Option<usize>]) -> R) -> R {
        let set = |places: &mut Vec<Option<usize>>, is_there: bool| {
            for (column, at) in row {
                if let Some(place) = places.get_mut(*column) {
                    *place = is_there.then_some(*at);
                }
            }
        };
        set(&mut self.0, true);
        let result = run(&self.0);
        set(&mut self.0, false);
        result
    }
}

unsafe fn lu<S: Scalar>(values: Address, lines: &Lines, boost: Option<Boost>) -> Option<usize> {
    let n = lines.rows();
    let mut places = Places(filled(None, n));
    let mut pivots: Vec<Option<S>> = filled(None, n);
    let mut zero = None;
    for i in 0..n {
        let row = lines.of_row(i);
        let pivot = places.with(row, |places| {
            for (k, at) in row.iter().take_while(|(k, _)| *k < i) {
                let Some(pivot) = pivots[*k] else { continue };
                // SAFETY: the caller says so.
                let factor = unsafe { values.get::<S>(*at) } / pivot;
                // SAFETY: as above.
                unsafe { values.set(*at, factor) };
                for (j, from) in lines.of_row(*k).iter().filter(|(j, _)| j > k) {
                    if let Some(place) = places[*j] {
                        // SAFETY: as above.
                        unsafe {
                            let change = factor * values.get::<S>(*from);
                            values.set(place, values.get::<S>(place) - change);
                        }
                    }
                }
            }
            places[i].map(|place| {
                // SAFETY: as above.
                let mut pivot = unsafe { values.get::<S>(place) };
                if let Some(boost) = boost
                    && pivot.modulus().to_f64() <= boost.tolerance
                {
                    // SAFETY: the value is of the matrix's type.
                    pivot = unsafe { boost.value.get_scalar::<S>() };
                    // SAFETY: as above.
                    unsafe { values.set(place, pivot) };
                }
                pivot
            })
        });
        if pivot.is_none_or(|pivot| pivot == S::ZERO) && zero.is_none() {
            zero = Some(i);
        }
        pivots[i] = pivot;
    }
    zero
}

unsafe fn cholesky<S: Scalar>(values: Address, lines: &Lines) -> Option<usize> {
    let n = lines.rows();
    let mut places = Places(filled(None, n));
    let mut pivots: Vec<Option<S>> = filled(None, n);
    let mut zero = None;
    for i in 0..n {
        let row = lines.of_row(i);
        let pivot = places.with(row, |places| {
            let mut rest = <S::Real as Scalar>::ZERO;
            for (k, at) in row.iter().take_while(|(k, _)| *k < i) {
                let Some(pivot) = pivots[*k] else { continue };
                // SAFETY: the caller says so.
                let mut sum = unsafe { values.get::<S>(*at) };
                for (j, from) in lines.of_row(*k).iter().take_while(|(j, _)| j < k) {
                    if let Some(place) = places[*j] {
                        // SAFETY: as above.
                        unsafe { sum -= values.get::<S>(place) * values.get::<S>(*from).conj() };
                    }
                }
                let value = sum / pivot;
                rest += (value * value.conj()).re();
                // SAFETY: as above.
                unsafe { values.set(*at, value) };
            }
            places[i].map(|place| {
                // SAFETY: as above.
                let square = unsafe { values.get::<S>(place) }.re() - rest;
                let pivot = S::of(square.sqrt());
                // SAFETY: as above.
                unsafe { values.set(place, pivot) };
                (pivot, square.to_f64() > 0.0)
            })
        });
        if !pivot.is_some_and(|(_, is_positive)| is_positive) && zero.is_none() {
            zero = Some(i);
        }
        pivots[i] = pivot.map(|(pivot, _)| pivot);
    }
    zero
}
