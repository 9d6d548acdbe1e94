//! Products of a sparse matrix and a dense one or a vector: `c = alpha * op(a) * b + beta * c`.
//!
//! Where lines of the matrix are rows of the result, each part makes rows of its own ([`Way::Gather`]). Else elements are added
//! to sums of all rows: of a vector each part has sums of its own in the program's buffer, which a second stage adds up
//! ([`Way::Slabs`]); of a matrix, or without a buffer, each part makes columns of its own ([`Way::Columns`]).

use crate::matrix::{Layout, Matrix};
use crate::number::{Factor, Load, Number, Store, Types, with_types};
use crate::place::{Address, Dense, Index, Indices, Width};
use crate::room::{filled, touch};
use std::ops::Range;

/// A product.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub a: Matrix,
    pub transposed: bool,
    pub conj: bool,
    /// Transposed as the product needs it; `b_conj` says that its elements are conjugated.
    pub b: Dense,
    pub b_conj: bool,
    pub c: Dense,
    pub types: Types,
    pub alpha: Factor,
    pub beta: Factor,
    pub way: Way,
}

/// How a product is divided.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// Rows of the result.
    Gather { parts: usize },
    /// Columns of the result.
    Columns { parts: usize },
    /// Elements of the matrix; so many slabs of sums lie in a buffer.
    Slabs { parts: usize, buffer: Address },
}

/// Elements that are work enough for a part.
const PART: usize = 1 << 14;
/// Columns of a result that lies row by row which are made together.
const CHUNK: usize = 64;
/// Columns of a result that lies column by column which are made together.
const FEW: usize = 4;

/// The slabs for a product of a vector of `rows` results, by as many threads.
fn slabs(a: &Matrix, rows: usize, threads: usize) -> usize {
    (a.stored / PART.max(rows / 2)).clamp(1, threads)
}

impl Product {
    /// Bytes of buffer by which a product of a vector can be made in parts.
    pub fn buffer(
        a: &Matrix,
        transposed: bool,
        rows: usize,
        columns: usize,
        threads: usize,
    ) -> usize {
        let by_rows = if transposed { a.columns_of_line() } else { a.rows_of_line() };
        match slabs(a, rows, threads) {
            parts if by_rows.is_none() && columns == 1 && parts > 1 => parts * rows * 16,
            _ => 0,
        }
    }

    /// Chooses a way for so many threads.
    pub fn way(
        a: &Matrix,
        transposed: bool,
        (rows, columns): (usize, usize),
        threads: usize,
        buffer: Address,
    ) -> Way {
        let by_rows = if transposed { a.columns_of_line() } else { a.rows_of_line() };
        if by_rows.is_some() {
            let work = a.stored.saturating_add(rows).saturating_mul(columns);
            return Way::Gather { parts: (work / PART).clamp(1, 8 * threads) };
        }
        if columns == 1 {
            let parts = slabs(a, rows, threads);
            if parts > 1 && !buffer.is_null() {
                return Way::Slabs { parts, buffer };
            }
            return Way::Columns { parts: 1 };
        }
        Way::Columns { parts: columns.div_ceil(16).min(4 * threads).max(1) }
    }

    /// The parts of each stage: first all parts of the first one, then those of the second.
    pub fn stages(&self) -> Vec<usize> {
        match self.way {
            Way::Gather { parts } | Way::Columns { parts } => vec![parts],
            Way::Slabs { parts, .. } => vec![parts, self.c.rows.div_ceil(PART).max(1)],
        }
    }

    /// Does a part of a stage.
    ///
    /// # Safety
    /// The matrices are memory of the types and sizes that they tell; each part is done once, after the stage before.
    pub unsafe fn run(&self, stage: usize, part: usize) {
        let run = with_types!(self.types, A X Y C => {
            // SAFETY: the caller says so.
            unsafe { self.run_as::<A, X, Y, C>(stage, part) }
        });
        debug_assert!(run.is_some(), "types that do not go together");
    }

    unsafe fn run_as<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number>(
        &self,
        stage: usize,
        part: usize,
    ) {
        // SAFETY: the caller says so.
        unsafe {
            let (alpha, beta) = (self.alpha.get::<C>(), self.beta.get::<C>());
            let finish = Finish::<Y, C> { c: self.c, alpha, beta, types: std::marker::PhantomData };
            match self.way {
                Way::Gather { parts } => self.gather::<A, X, Y, C>(part, parts, &finish),
                Way::Columns { parts } => self.columns::<A, X, Y, C>(part, parts, &finish),
                Way::Slabs { parts, buffer } if stage == 0 => {
                    let rows = self.c.rows;
                    let sums = std::slice::from_raw_parts_mut(
                        buffer.at::<Unaligned<C>>(part * rows),
                        rows,
                    );
                    self.slab::<A, X, C>(self.a.part(part, parts), sums);
                }
                Way::Slabs { parts, buffer } => {
                    let rows = self.c.rows;
                    for i in part * PART..rows.min((part + 1) * PART) {
                        let mut sum = C::ZERO;
                        for slab in 0..parts {
                            sum += buffer.at::<Unaligned<C>>(slab * rows + i).read().0;
                        }
                        finish.store(i, 0, sum);
                    }
                }
            }
        }
    }

    /// Adds some elements' products with a vector to sums that this sets to 0 first.
    unsafe fn slab<A: Load<C>, X: Load<C>, C: Number>(
        &self,
        lines: Range<usize>,
        sums: &mut [Unaligned<C>],
    ) {
        sums.fill(Unaligned(C::ZERO));
        let add = |row: usize, column: usize, at: usize| {
            let (out, from) = if self.transposed { (column, row) } else { (row, column) };
            // An index that is none has no sum.
            if let Some(sum) = sums.get_mut(out) {
                // SAFETY: the caller says so.
                let (a, x) = unsafe { (self.a.values.get::<A>(at), self.b.get::<X>(from, 0)) };
                let mut whole = sum.0;
                whole += a.load().conj_if(self.conj) * x.load().conj_if(self.b_conj);
                sum.0 = whole;
            }
        };
        // SAFETY: the caller says so.
        unsafe { self.a.visit(lines, add) };
    }

    /// Makes some columns of the result.
    unsafe fn columns<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number>(
        &self,
        part: usize,
        parts: usize,
        finish: &Finish<Y, C>,
    ) {
        let (rows, columns) = (self.c.rows, self.c.columns);
        let own = columns * part / parts..columns * (part + 1) / parts;
        for first in own.clone().step_by(16) {
            let count = (own.end - first).min(16);
            // SAFETY: the caller says so.
            unsafe {
                self.a.touch();
                touch(self.c.place::<Y>(rows.saturating_sub(1), first).cast());
            }
            let mut sums = filled(C::ZERO, rows * count);
            let add = |row: usize, column: usize, at: usize| {
                let (out, from) = if self.transposed { (column, row) } else { (row, column) };
                let Some(sums) =
                    out.checked_mul(count).and_then(|start| sums.get_mut(start..start + count))
                else {
                    return;
                };
                // SAFETY: the caller says so.
                let a = unsafe { self.a.values.get::<A>(at) }.load().conj_if(self.conj);
                for (j, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: the caller says so.
                    *sum +=
                        a * unsafe { self.b.get::<X>(from, first + j) }.load().conj_if(self.b_conj);
                }
            };
            // SAFETY: the caller says so.
            unsafe {
                self.a.visit(0..self.a.lines(), add);
                for i in 0..rows {
                    for j in 0..count {
                        finish.store(i, first + j, sums[i * count + j]);
                    }
                }
            }
        }
    }

    /// Makes some rows of the result.
    unsafe fn gather<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number>(
        &self,
        part: usize,
        parts: usize,
        finish: &Finish<Y, C>,
    ) {
        // SAFETY: the caller says so.
        let lines = unsafe { self.a.part(part, parts) };
        if let Layout::Compressed { offsets, indices, .. } = self.a.layout {
            let lines = (lines, offsets, indices);
            // SAFETY: the caller says so.
            unsafe {
                match indices.width {
                    Width::U16 => self.rows_here::<A, X, Y, C, u16>(lines, finish),
                    Width::I32 => self.rows_here::<A, X, Y, C, i32>(lines, finish),
                    Width::I64 => self.rows_here::<A, X, Y, C, i64>(lines, finish),
                }
            }
            return;
        }
        let height = self.a.rows_of_line().unwrap_or(1);
        for line in lines {
            let (first_row, columns) = (line * height, self.c.columns);
            let rows = height.min(self.c.rows.saturating_sub(first_row));
            for first in (0..columns).step_by(CHUNK) {
                let count = (columns - first).min(CHUNK);
                let mut sums = filled(C::ZERO, rows * count);
                let add = |row: usize, column: usize, at: usize| {
                    // SAFETY: the caller says so.
                    let a = unsafe { self.a.values.get::<A>(at) }.load().conj_if(self.conj);
                    let sums = &mut sums[(row - first_row) * count..][..count];
                    for (j, sum) in sums.iter_mut().enumerate() {
                        // SAFETY: the caller says so.
                        *sum += a * unsafe { self.b.get::<X>(column, first + j) }
                            .load()
                            .conj_if(self.b_conj);
                    }
                };
                // SAFETY: the caller says so.
                unsafe {
                    self.a.visit(line..line + 1, add);
                    for i in 0..rows {
                        for j in 0..count {
                            finish.store(first_row + i, first + j, sums[i * count + j]);
                        }
                    }
                }
            }
        }
    }

    /// Makes rows of the result by the widest vectors of this machine.
    unsafe fn rows_here<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number, I: Index>(
        &self,
        lines: (Range<usize>, Indices, Indices),
        finish: &Finish<Y, C>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these; the caller says the rest.
            return unsafe { self.rows_wide::<A, X, Y, C, I>(lines, finish) };
        }
        // SAFETY: the caller says so.
        unsafe { self.rows::<A, X, Y, C, I>(lines, finish) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn rows_wide<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number, I: Index>(
        &self,
        lines: (Range<usize>, Indices, Indices),
        finish: &Finish<Y, C>,
    ) {
        // SAFETY: the caller says so.
        unsafe { self.rows::<A, X, Y, C, I>(lines, finish) }
    }

    /// Makes rows of the result from compressed lines.
    #[inline(always)]
    unsafe fn rows<A: Load<C>, X: Load<C>, Y: Store<C>, C: Number, I: Index>(
        &self,
        (lines, offsets, indices): (Range<usize>, Indices, Indices),
        finish: &Finish<Y, C>,
    ) {
        let columns = self.c.columns;
        let (values, base) = (self.a.values, indices.base);
        // SAFETY: the caller says so.
        let a = |at: usize| unsafe { values.get::<A>(at) }.load().conj_if(self.conj);
        // SAFETY: as above.
        let index = |at: usize| unsafe { indices.first.get::<I>(at) }.read().wrapping_sub(base);
        // SAFETY: as above.
        let b = |i: usize, j: usize| unsafe { self.b.get::<X>(i, j) }.load().conj_if(self.b_conj);
        if lines.is_empty() {
            return;
        }
        // SAFETY: the caller says so.
        let mut end = unsafe { offsets.get(lines.start) };
        for row in lines {
            let start = end;
            // SAFETY: the caller says so.
            end = unsafe { offsets.get(row + 1) };
            if columns == 1 {
                // Several sums, so that additions do not wait for each other.
                let mut sums = [C::ZERO; FEW];
                let mut at = start;
                while at + FEW <= end {
                    for (k, sum) in sums.iter_mut().enumerate() {
                        *sum += a(at + k) * b(index(at + k), 0);
                    }
                    at += FEW;
                }
                let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
                for at in at..end {
                    sum += a(at) * b(index(at), 0);
                }
                // SAFETY: the caller says so.
                unsafe { finish.store(row, 0, sum) };
                continue;
            }
            if self.b.column == 1 {
                for first in (0..columns).step_by(CHUNK) {
                    let count = (columns - first).min(CHUNK);
                    let mut sums = [C::ZERO; CHUNK];
                    for at in start..end {
                        let (a, line) = (a(at), self.b.place::<X>(index(at), first));
                        for (j, sum) in sums[..count].iter_mut().enumerate() {
                            // SAFETY: the caller says so.
                            let b = unsafe { line.wrapping_add(j).read_unaligned() };
                            *sum += a * b.load().conj_if(self.b_conj);
                        }
                    }
                    for (j, sum) in sums[..count].iter().enumerate() {
                        // SAFETY: the caller says so.
                        unsafe { finish.store(row, first + j, *sum) };
                    }
                }
                continue;
            }
            for first in (0..columns).step_by(FEW) {
                let count = (columns - first).min(FEW);
                let mut sums = [C::ZERO; FEW];
                for at in start..end {
                    let (a, line) = (a(at), index(at));
                    for (j, sum) in sums[..count].iter_mut().enumerate() {
                        *sum += a * b(line, first + j);
                    }
                }
                for (j, sum) in sums[..count].iter().enumerate() {
                    // SAFETY: the caller says so.
                    unsafe { finish.store(row, first + j, *sum) };
                }
            }
        }
    }
}

/// A number in the program's buffer.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Unaligned<C>(C);

/// How sums become elements of the result. With a `beta` of 0 what was there is not read.
struct Finish<Y, C> {
    c: Dense,
    alpha: C,
    beta: C,
    types: std::marker::PhantomData<Y>,
}

impl<Y: Store<C>, C: Number> Finish<Y, C> {
    #[inline(always)]
    unsafe fn store(&self, i: usize, j: usize, sum: C) {
        let mut value = self.alpha * sum;
        // SAFETY: the caller says so.
        unsafe {
            if self.beta != C::ZERO {
                value += self.beta * self.c.get::<Y>(i, j).load();
            }
            self.c.set(i, j, Y::store(value));
        }
    }
}
