//! Places in memory as vectors of the type that is computed with, and products of them.

use super::{Rnn, Sequences};
use crate::format::Format;
use dense::product::{Product, Tile};
use dense::{Matrix, Real};

/// Elements from the `first` one of an address on; zeros where there is none.
pub(super) fn load<T: Real>(format: Format, address: usize, first: usize, count: usize) -> Vec<T> {
    let mut to = vec![T::ZERO; count];
    if address != 0 {
        let from = std::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
        unsafe { format.load(from, first as isize, 1, &mut to) };
    }
    to
}

/// Nothing is stored where there is no address.
pub(super) fn store<T: Real>(format: Format, address: usize, first: usize, values: &[T]) {
    if address != 0 {
        let to = std::ptr::with_exposed_provenance_mut::<u8>(address);
        // SAFETY: the program says that it can be written; where not, the work ends as a kernel does.
        unsafe { format.store(to, first as isize, 1, values) };
    }
}

impl Sequences {
    /// All vectors, `[step][item]`; zeros where there is no step.
    pub(super) fn load<T: Real>(&self, rnn: &Rnn) -> Vec<T> {
        let batch = self.lengths.len();
        let mut to = vec![T::ZERO; self.places.len() * batch * self.width];
        self.each(|step, item, place| {
            let vector: Vec<T> = load(rnn.format, self.first, place * self.width, self.width);
            to[(step * batch + item) * self.width..][..self.width].copy_from_slice(&vector);
        });
        to
    }

    /// The reverse, with what fills places without a step.
    pub(super) fn store<T: Real>(&self, rnn: &Rnn, from: &[T]) {
        let batch = self.lengths.len();
        self.each(|step, item, place| {
            let vector = &from[(step * batch + item) * self.width..][..self.width];
            store(rnn.format, self.first, place * self.width, vector);
        });
        if let Some((value, places)) = &self.fill {
            let vector = vec![T::from_f64(*value); self.width];
            let put = |place: &usize| store(rnn.format, self.first, place * self.width, &vector);
            places.iter().for_each(put);
        }
    }

    fn each(&self, mut each: impl FnMut(usize, usize, usize)) {
        for (step, places) in self.places.iter().enumerate() {
            for (item, place) in places.iter().enumerate() {
                if step < self.lengths[item] {
                    each(step, item, *place);
                }
            }
        }
    }
}

/// A matrix that lies row by row, `columns` wide.
pub(super) fn by_rows<T: Real>(first: &[T], columns: usize) -> Matrix<T> {
    Matrix::columns(first.as_ptr(), columns as isize).transposed()
}

/// `to += a b`, where `to` lies row by row.
pub(super) fn add_product<T: Real>(
    a: Matrix<T>,
    b: Matrix<T>,
    to: &mut [T],
    (rows, depth, columns): (usize, usize, usize),
) {
    debug_assert_eq!(to.len(), rows * columns);
    let c = Matrix { first: to.as_mut_ptr(), row: columns as isize, column: 1, conj: false };
    let product = Product { a, b, c, depth, alpha: T::ONE, beta: T::ONE };
    // SAFETY: the callers' matrices are as large as that, and `to` is the caller's alone.
    unsafe { product.run(Tile { row: 0, column: 0, rows, columns }) };
}
