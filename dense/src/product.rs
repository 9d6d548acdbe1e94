//! Products of matrices, in tiles.

use crate::{Matrix, Scalar};

/// How a matrix is cut in tiles that are computed each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    rows: usize,
    columns: usize,
    height: usize,
    width: usize,
    down: usize,
    across: usize,
}

/// A tile: its first row and column, and how many it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub row: usize,
    pub column: usize,
    pub rows: usize,
    pub columns: usize,
}

/// Multiplications that are worth a part of their own: some 20 microseconds.
const LEAST_WORK: usize = 1 << 20;
/// Tiles for each thread, so that a slow one does not keep the others waiting.
const TILES_A_THREAD: usize = 4;
/// The divisor of the rows and columns of tiles: those of the innermost kernels.
const ALIGN: usize = 48;

impl Tiles {
    /// Tiles of a product of `rows` by `depth` by `columns` for as many threads.
    pub fn of_product(rows: usize, columns: usize, depth: usize, threads: usize) -> Tiles {
        let work = rows.saturating_mul(columns).saturating_mul(depth.max(1));
        let most = if threads <= 1 { 1 } else { threads * TILES_A_THREAD };
        Tiles::cut(rows, columns, (work / LEAST_WORK).clamp(1, most))
    }

    /// About `count` tiles, as square as can be.
    pub fn cut(rows: usize, columns: usize, count: usize) -> Tiles {
        let (mut height, mut width) = (rows.max(1), columns.max(1));
        let mut left = count;
        while left > 1 {
            let longer = if height >= width { &mut height } else { &mut width };
            if *longer < 2 * ALIGN {
                break;
            }
            *longer = longer.div_ceil(2).next_multiple_of(ALIGN);
            left = left.div_ceil(2);
        }
        let (down, across) = (rows.div_ceil(height).max(1), columns.div_ceil(width).max(1));
        Tiles { rows, columns, height, width, down, across }
    }

    pub fn count(&self) -> usize {
        self.down * self.across
    }

    pub fn tile(&self, number: usize) -> Tile {
        let (row, column) = (number % self.down * self.height, number / self.down * self.width);
        Tile {
            row,
            column,
            rows: self.height.min(self.rows.saturating_sub(row)),
            columns: self.width.min(self.columns.saturating_sub(column)),
        }
    }
}

/// A product `C = alpha A B + beta C`; where `beta` is zero, C is not read, and where `alpha` is, nor are A and B.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    pub a: Matrix<T>,
    pub b: Matrix<T>,
    pub c: Matrix<T>,
    pub depth: usize,
    pub alpha: T,
    pub beta: T,
}

impl<T: Scalar> Product<T> {
    /// Computes a tile.
    ///
    /// # Safety
    /// The matrices are memory as large as the tile asks for; nobody else has that of C.
    pub unsafe fn run(&self, tile: Tile) {
        let Tile { row, column, rows, columns } = tile;
        if rows == 0 || columns == 0 {
            return;
        }
        let c = self.c.at(row, column);
        if self.depth == 0 || self.alpha == T::ZERO {
            // SAFETY: the caller says so.
            unsafe { scale(c, rows, columns, self.beta) };
            return;
        }
        let (a, b) = (self.a.at(row, 0), self.b.at(0, column));
        // SAFETY: the caller says so.
        unsafe {
            if !crate::packed::dot_columns(self, tile) {
                gemm::gemm(
                    rows,
                    columns,
                    self.depth,
                    c.first,
                    c.column,
                    c.row,
                    self.beta != T::ZERO,
                    a.first.cast_const(),
                    a.column,
                    a.row,
                    b.first.cast_const(),
                    b.column,
                    b.row,
                    self.beta,
                    self.alpha,
                    false,
                    a.conj,
                    b.conj,
                    gemm::Parallelism::None,
                );
            }
        }
    }
}

/// `C = beta C`; where `beta` is zero, C is not read.
///
/// # Safety
/// C is memory of that many rows and columns, which nobody else has.
pub unsafe fn scale<T: Scalar>(c: Matrix<T>, rows: usize, columns: usize, beta: T) {
    if beta == T::ONE {
        return;
    }
    for j in 0..columns {
        for i in 0..rows {
            // SAFETY: the caller says so.
            unsafe { c.set(i, j, if beta == T::ZERO { T::ZERO } else { beta * c.get(i, j) }) };
        }
    }
}
