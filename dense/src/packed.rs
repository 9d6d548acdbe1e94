//! Products of what is computed while it is read: elements of other types, matrices of which a part is stored. Both factors
//! are put into memory of their own, a block of their common dimension at a time, and multiplied there.

use crate::product::Product;
use crate::product::Tile;
use crate::{Matrix, Scalar};

/// The common dimension of a block.
const BLOCK: usize = 512;

/// The order in which the elements of a panel lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Columns,
    Rows,
}

impl Order {
    fn matrix<T: Copy>(self, panel: &[T], rows: usize, columns: usize) -> Matrix<T> {
        match self {
            Order::Columns => Matrix::columns(panel.as_ptr(), rows as isize),
            Order::Rows => Matrix::columns(panel.as_ptr(), columns as isize).transposed(),
        }
    }
}

/// Multiplies `rows` by `depth` by `columns`. `left(k, count, panel)` gives columns k to k + count of the left factor, one
/// after the other; `right` rows k to k + count of the right one, column after column. `finish` gets the product, its
/// columns one after the other.
pub fn multiply<T: Scalar>(
    (rows, depth, columns): (usize, usize, usize),
    left: impl FnMut(usize, usize, &mut [T]),
    right: impl FnMut(usize, usize, &mut [T]),
    finish: impl FnOnce(&[T]),
) {
    multiply_ordered((rows, depth, columns), [Order::Columns; 2], left, right, finish);
}

/// As [`multiply`], with panels of the factors in these orders.
pub fn multiply_ordered<T: Scalar>(
    (rows, depth, columns): (usize, usize, usize),
    orders: [Order; 2],
    left: impl FnMut(usize, usize, &mut [T]),
    right: impl FnMut(usize, usize, &mut [T]),
    finish: impl FnOnce(&[T]),
) {
    let mut product = vec![T::ZERO; rows * columns];
    blocks((rows, depth, columns), (BLOCK, orders), &mut product, left, right, true, |_| ());
    finish(&product);
}

/// As [`multiply_ordered`], for sums that would not be exact: `add` gets the product of each block of `block` by itself.
pub fn multiply_blocks<T: Scalar>(
    (rows, depth, columns): (usize, usize, usize),
    (block, orders): (usize, [Order; 2]),
    left: impl FnMut(usize, usize, &mut [T]),
    right: impl FnMut(usize, usize, &mut [T]),
    add: impl FnMut(&[T]),
) {
    let mut product = vec![T::ZERO; rows * columns];
    blocks((rows, depth, columns), (block, orders), &mut product, left, right, false, add);
}

fn blocks<T: Scalar>(
    (rows, depth, columns): (usize, usize, usize),
    (block, [of_left, of_right]): (usize, [Order; 2]),
    product: &mut [T],
    mut left: impl FnMut(usize, usize, &mut [T]),
    mut right: impl FnMut(usize, usize, &mut [T]),
    sum: bool,
    mut each: impl FnMut(&[T]),
) {
    let most = block.min(depth);
    let (mut a, mut b) = (vec![T::ZERO; rows * most], vec![T::ZERO; most * columns]);
    let mut k = 0;
    while k < depth {
        let count = most.min(depth - k);
        let (a, b) = (&mut a[..rows * count], &mut b[..count * columns]);
        left(k, count, a);
        right(k, count, b);
        let whole = Tile { row: 0, column: 0, rows, columns };
        let part = Product {
            a: of_left.matrix(a, rows, count),
            b: of_right.matrix(b, count, columns),
            c: Matrix::columns(product.as_ptr(), rows as isize),
            depth: count,
            alpha: T::ONE,
            beta: if sum && k > 0 { T::ONE } else { T::ZERO },
        };
        // SAFETY: the three are as large as that, and `product` is the caller's alone.
        unsafe { part.run(whole) };
        each(product);
        k += count;
    }
}

/// Columns and rows that are computed at once, and numbers of a vector.
const WIDE: usize = 4;
const HIGH: usize = 2;
const LANES: usize = 8;
/// More columns than this are for the general way.
const MOST_COLUMNS: usize = 16;

/// Computes a tile of a product whose factors both have the common dimension in a row, and few columns: what language
/// models do for each word. False where it is none such.
///
/// # Safety
/// As for [`Product::run`].
pub(crate) unsafe fn dot_columns<T: Scalar>(product: &Product<T>, tile: Tile) -> bool {
    let is_dots = !T::IS_COMPLEX
        && tile.columns <= MOST_COLUMNS
        && product.depth >= 64
        && product.a.column == 1
        && product.b.row == 1;
    if !is_dots {
        return false;
    }
    // SAFETY: the caller says so; the processor has what is asked for.
    unsafe {
        if std::is_x86_feature_detected!("avx2") {
            dots_avx2(product, tile);
        } else {
            dots(product, tile);
        }
    }
    true
}

#[target_feature(enable = "avx2")]
unsafe fn dots_avx2<T: Scalar>(product: &Product<T>, tile: Tile) {
    // SAFETY: the caller says so.
    unsafe { dots(product, tile) }
}

#[inline(always)]
unsafe fn dots<T: Scalar>(product: &Product<T>, tile: Tile) {
    let (a, b) = (product.a.at(tile.row, 0), product.b.at(0, tile.column));
    let c = product.c.at(tile.row, tile.column);
    for i in (0..tile.rows).step_by(HIGH) {
        for j in (0..tile.columns).step_by(WIDE) {
            // What is beyond the end is computed twice.
            let row = |r: usize| a.place((i + r).min(tile.rows - 1), 0).cast_const();
            let column = |s: usize| b.place(0, (j + s).min(tile.columns - 1)).cast_const();
            let (left, right) = ([row(0), row(1)], [column(0), column(1), column(2), column(3)]);
            // SAFETY: the caller says so.
            let sums = unsafe { block(left, right, product.depth) };
            for (r, row) in sums.iter().enumerate().take(tile.rows - i) {
                for (s, sum) in row.iter().enumerate().take(tile.columns - j) {
                    let value = product.alpha * *sum;
                    // SAFETY: the caller says so.
                    unsafe {
                        let value = match product.beta == T::ZERO {
                            true => value,
                            false => value + product.beta * c.get(i + r, j + s),
                        };
                        c.set(i + r, j + s, value);
                    }
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn block<T: Scalar>(
    left: [*const T; HIGH],
    right: [*const T; WIDE],
    depth: usize,
) -> [[T; WIDE]; HIGH] {
    let mut sums = [[[T::ZERO; LANES]; WIDE]; HIGH];
    let whole = depth / LANES * LANES;
    // SAFETY: the caller says that there are `depth` elements; a row may begin anywhere.
    unsafe {
        for k in (0..whole).step_by(LANES) {
            let a = left.map(|row| row.add(k).cast::<[T; LANES]>().read_unaligned());
            let b = right.map(|column| column.add(k).cast::<[T; LANES]>().read_unaligned());
            for (sums, a) in sums.iter_mut().zip(&a) {
                for (sums, b) in sums.iter_mut().zip(&b) {
                    for lane in 0..LANES {
                        sums[lane] += a[lane] * b[lane];
                    }
                }
            }
        }
        for k in whole..depth {
            for (sums, a) in sums.iter_mut().zip(&left) {
                for (sums, b) in sums.iter_mut().zip(&right) {
                    sums[0] += a.add(k).read_unaligned() * b.add(k).read_unaligned();
                }
            }
        }
    }
    sums.map(|row| {
        row.map(|lanes| {
            let [a, b, c, d, e, f, g, h] = lanes;
            ((a + e) + (c + g)) + ((b + f) + (d + h))
        })
    })
}
