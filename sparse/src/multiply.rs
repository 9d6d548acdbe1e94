//! Products and sums of sparse matrices that lie by rows.

use crate::matrix::Matrix;
use crate::number::{Factor, Load, Number, Store, Type, Types, with_types};
use crate::place::{Address, Indices};
use crate::room::filled;
use std::ops::Range;

/// Rows of a result: columns and values of each, as bytes.
#[derive(Debug, Default)]
pub struct Rows {
    /// The first of them.
    pub first: usize,
    /// Elements of each row.
    pub counts: Vec<usize>,
    pub columns: Vec<usize>,
    /// Sums of the type that is computed with; not multiplied by alpha.
    sums: Vec<u8>,
}

/// The columns to which a row's sums have a place for each; of more columns, products are sorted.
const MOST_PLACES: usize = 1 << 22;

/// The sums of a row.
struct Accumulator<C> {
    /// The columns that a row may have.
    limit: usize,
    /// The row that a column had a sum of last, counted from 1. Empty where products are sorted.
    seen: Vec<usize>,
    sums: Vec<C>,
    columns: Vec<usize>,
    /// Columns and their products, or sums.
    pairs: Vec<(usize, C)>,
}

impl<C: Number> Accumulator<C> {
    fn new(columns: usize) -> Self {
        let places = if columns > MOST_PLACES { 0 } else { columns };
        Accumulator {
            limit: columns,
            seen: filled(0, places),
            sums: filled(C::ZERO, places),
            columns: Vec::new(),
            pairs: Vec::new(),
        }
    }

    #[inline(always)]
    fn add(&mut self, row: usize, column: usize, value: C) {
        if column >= self.limit {
            return;
        }
        let Some(seen) = self.seen.get_mut(column) else {
            self.pairs.push((column, value));
            return;
        };
        if *seen != row + 1 {
            *seen = row + 1;
            self.sums[column] = C::ZERO;
            self.columns.push(column);
        }
        self.sums[column] += value;
    }

    /// The row's columns in order, with their sums; the next row begins.
    fn take(&mut self) -> impl ExactSizeIterator<Item = (usize, C)> + '_ {
        if self.seen.is_empty() {
            self.pairs.sort_by_key(|pair| pair.0);
            self.pairs.dedup_by(|next, sum| {
                let same = next.0 == sum.0;
                if same {
                    sum.1 += next.1;
                }
                same
            });
        } else {
            self.columns.sort_unstable();
            let sums = &self.sums;
            self.pairs.extend(self.columns.drain(..).map(|column| (column, sums[column])));
        }
        self.pairs.drain(..)
    }
}

/// The types of numbers of one type.
fn types(ty: Type) -> Types {
    Types { a: ty, x: ty, y: ty, compute: crate::vectors::computed(ty) }
}

/// Whether numbers of a type can be multiplied.
pub fn is_known(ty: Type, compute: Type) -> bool {
    types(ty).is_known() && types(ty).compute == compute
}

/// Bytes of [`Rows`] for each element, with those that a vector has in store and those that it grows from.
pub fn bytes(ty: Type) -> usize {
    3 * (size_of::<usize>() + crate::vectors::computed(ty).size())
}

/// Some rows of a product of two matrices that lie by rows. `room` is asked with the elements of each row; where there is
/// none for them, the rows end there.
///
/// # Safety
/// The matrices are memory of the types and sizes that they tell.
pub unsafe fn multiply(
    a: &Matrix,
    b: &Matrix,
    rows: Range<usize>,
    room: impl Fn(usize) -> bool,
) -> Rows {
    let mut product = Rows { first: rows.start, ..Rows::default() };
    with_types!(types(a.ty), A X Y C => {
        let mut sums = Accumulator::<C>::new(b.columns);
        for row in rows {
            // SAFETY: the caller says so.
            unsafe {
                a.visit(row..row + 1, |_, k, at| {
                    if k >= b.rows {
                        return;
                    }
                    let factor = Load::<C>::load(a.values.get::<A>(at));
                    b.visit(k..k + 1, |_, column, at| {
                        sums.add(row, column, factor * Load::<C>::load(b.values.get::<X>(at)));
                    });
                });
            }
            let sums = sums.take();
            if !room(sums.len()) {
                return product;
            }
            product.counts.push(sums.len());
            for (column, sum) in sums {
                product.columns.push(column);
                let place = (&raw const sum).cast::<u8>();
                // SAFETY: a number is its bytes.
                product.sums.extend(unsafe { std::slice::from_raw_parts(place, size_of::<C>()) });
            }
        }
        let _ = size_of::<Y>();
    });
    product
}

impl Rows {
    /// Stores the rows in a matrix whose elements of them begin at `at`: all but the values where those are not wanted.
    ///
    /// # Safety
    /// The arrays are memory of the types.
    pub unsafe fn store(
        &self,
        (offsets, indices): (Indices, Indices),
        mut at: usize,
        values: Option<(Address, Type, Factor, Factor)>,
    ) {
        let mut taken = 0;
        for (row, count) in self.counts.iter().enumerate() {
            // SAFETY: the caller says so.
            unsafe { offsets.set(self.first + row, at) };
            for column in &self.columns[taken..taken + count] {
                // SAFETY: the caller says so.
                unsafe { indices.set(at, *column) };
                at += 1;
            }
            taken += count;
        }
        // SAFETY: the caller says so.
        unsafe { offsets.set(self.first + self.counts.len(), at) };
        let Some((place, ty, alpha, beta)) = values else { return };
        let first = at - self.columns.len();
        with_types!(types(ty), A X Y C => {
            let sums = Address::of(self.sums.as_ptr());
            // SAFETY: the caller says so; the sums are of this type.
            unsafe {
                let (alpha, beta) = (alpha.get::<C>(), beta.get::<C>());
                for k in 0..self.columns.len() {
                    let mut value = alpha * sums.get::<C>(k);
                    if beta != C::ZERO {
                        value += beta * Load::<C>::load(place.get::<Y>(first + k));
                    }
                    place.set(first + k, Y::store(value));
                }
            }
            let _ = (size_of::<A>(), size_of::<X>());
        });
    }
}

/// Calls with each column of a row of two matrices, in order, and the places of its elements.
///
/// # Safety
/// The matrices are memory; their rows are sorted.
unsafe fn merge(
    a: (Indices, Indices),
    b: (Indices, Indices),
    row: usize,
    mut with: impl FnMut(usize, Option<usize>, Option<usize>),
) {
    // SAFETY: the caller says so, of all that follows.
    unsafe {
        let (mut i, mut j) = (a.0.get(row), b.0.get(row));
        let (end_a, end_b) = (a.0.get(row + 1), b.0.get(row + 1));
        while i < end_a || j < end_b {
            let one = if i < end_a { a.1.get(i) } else { usize::MAX };
            let other = if j < end_b { b.1.get(j) } else { usize::MAX };
            let column = one.min(other);
            let (first, second) = (i < end_a && one == column, j < end_b && other == column);
            with(column, first.then_some(i), second.then_some(j));
            (i, j) = (i + usize::from(first), j + usize::from(second));
        }
    }
}

/// The elements of a row of a sum.
///
/// # Safety
/// As for [`add`].
pub unsafe fn count(a: (Indices, Indices), b: (Indices, Indices), row: usize) -> usize {
    let mut count = 0;
    // SAFETY: the caller says so.
    unsafe { merge(a, b, row, |_, _, _| count += 1) };
    count
}

/// A row of `alpha * a + beta * b`, whose offsets are there.
///
/// # Safety
/// The matrices are memory, with values of one type; their rows are sorted.
pub unsafe fn add(
    a: (Indices, Indices, Address),
    b: (Indices, Indices, Address),
    c: (Indices, Indices, Address),
    (alpha, beta): (Factor, Factor),
    ty: Type,
    row: usize,
) {
    with_types!(types(ty), A X Y C => {
        // SAFETY: the caller says so.
        unsafe {
            let (alpha, beta) = (alpha.get::<C>(), beta.get::<C>());
            let mut at = c.0.get(row);
            merge((a.0, a.1), (b.0, b.1), row, |column, first, second| {
                let mut value = C::ZERO;
                if let Some(place) = first {
                    value += alpha * Load::<C>::load(a.2.get::<A>(place));
                }
                if let Some(place) = second {
                    value += beta * Load::<C>::load(b.2.get::<X>(place));
                }
                c.1.set(at, column);
                c.2.set(at, Y::store(value));
                at += 1;
            });
        }
    });
}
