//! Products of matrices in batches: the last two dimensions are those of the matrices.

use crate::tensor::{Tensor, index_of};
use crate::work::{Stage, stage, threads};
use dense::product::{Product, Tile, Tiles};
use dense::{Matrix, Real};

/// Rows and columns of the result, and the common dimension, of which each matrix of a batch may have fewer: by numbers in
/// tensors of the batch's dimensions. What lies beyond them is not looked at, and is 0 in the result.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub rows: Option<Tensor>,
    pub columns: Option<Tensor>,
    pub depth: Option<Tensor>,
}

/// `c = a b`. A batch of `a` or `b` that is shorter than that of `c` is spread over it: each of its matrices serves several
/// that follow each other.
pub fn matmul(a: Tensor, b: Tensor, c: Tensor, limits: Limits) -> Stage {
    if a.format.is_wide() {
        products::<f64>(a, b, c, limits)
    } else {
        products::<f32>(a, b, c, limits)
    }
}

/// The limit of the matrix at an index of the batch.
fn limit(tensor: &Option<Tensor>, index: &[usize], most: usize) -> usize {
    tensor.as_ref().map_or(most, |tensor| {
        let steps = tensor.steps();
        let place = index.iter().zip(&steps).map(|(i, step)| *i as isize * step).sum();
        (tensor.get(place).max(0.0) as usize).min(most)
    })
}

/// The offset of the matrix that serves matrix `index` of the batch `of`.
fn begin(tensor: &Tensor, index: &[usize], of: &[usize]) -> isize {
    let batch = tensor.dims.iter().zip(&tensor.strides).take(tensor.dims.len() - 2);
    let lead = of.len() - (tensor.dims.len() - 2);
    let indices = index[lead..].iter().zip(&of[lead..]);
    batch.zip(indices).map(|((dim, step), (i, of))| (i * dim / of) as isize * step).sum()
}

/// Rows and columns of a matrix, one row after the other.
fn block<T: Real>(tensor: &Tensor, first: isize, rows: usize, columns: usize) -> Vec<T> {
    let rank = tensor.dims.len();
    let (row, column) = (tensor.strides[rank - 2], tensor.strides[rank - 1]);
    let mut to = vec![T::ZERO; rows * columns];
    if row == 1 && column != 1 && rows > 1 {
        let mut line = vec![T::ZERO; rows];
        for j in 0..columns {
            tensor.load(first + j as isize * column, 1, &mut line);
            for (i, value) in line.iter().enumerate() {
                to[i * columns + j] = *value;
            }
        }
        return to;
    }
    for (i, to) in to.chunks_exact_mut(columns.max(1)).enumerate() {
        tensor.load(first + i as isize * row, column, to);
    }
    to
}

/// The common dimension that is loaded at once.
const DEPTH: usize = 1024;

fn products<T: Real>(a: Tensor, b: Tensor, c: Tensor, limits: Limits) -> Stage {
    let rank = c.dims.len();
    let batch = c.dims[..rank - 2].to_vec();
    let count: usize = batch.iter().product();
    let (rows, columns) = (c.dims[rank - 2], c.dims[rank - 1]);
    let depth = a.dims[a.dims.len() - 1];
    let tiles = Tiles::of_product(rows, columns, depth, threads().div_ceil(count.max(1)));
    stage(count * tiles.count(), move |part| {
        let index = index_of(part / tiles.count(), &batch);
        let Tile { row, column, rows, columns } = tiles.tile(part % tiles.count());
        if rows == 0 || columns == 0 {
            return;
        }
        let step = |tensor: &Tensor, back: usize| tensor.strides[tensor.dims.len() - back];
        let left = begin(&a, &index, &batch) + row as isize * step(&a, 2);
        let right = begin(&b, &index, &batch) + column as isize * step(&b, 1);
        let mut sums = vec![T::ZERO; rows * columns];
        let seen_rows = limit(&limits.rows, &index, row + rows).saturating_sub(row);
        let seen_columns = limit(&limits.columns, &index, column + columns).saturating_sub(column);
        let nothing = seen_rows == 0 || seen_columns == 0;
        let depth = if nothing { 0 } else { limit(&limits.depth, &index, depth) };
        let mut k = 0;
        while k < depth {
            let count = DEPTH.min(depth - k);
            let a: Vec<T> = block(&a, left + k as isize * step(&a, 1), rows, count);
            let b: Vec<T> = block(&b, right + k as isize * step(&b, 2), count, columns);
            let row_major = |first: &[T], length: usize| {
                Matrix::columns(first.as_ptr(), length as isize).transposed()
            };
            let product = Product {
                a: row_major(&a, count),
                b: row_major(&b, columns),
                c: Matrix {
                    first: sums.as_mut_ptr(),
                    row: columns as isize,
                    column: 1,
                    conj: false,
                },
                depth: count,
                alpha: T::ONE,
                beta: if k > 0 { T::ONE } else { T::ZERO },
            };
            // SAFETY: the three are as large as that, and are this part's alone.
            unsafe { product.run(Tile { row: 0, column: 0, rows, columns }) };
            k += count;
        }
        let to = c.offset(&index) + row as isize * step(&c, 2) + column as isize * step(&c, 1);
        for (i, sums) in sums.chunks_exact_mut(columns).enumerate() {
            // What is no number may have come of what lies beyond.
            sums[if i < seen_rows { seen_columns } else { 0 }..].fill(T::ZERO);
            c.store(to + i as isize * step(&c, 2), step(&c, 1), sums);
        }
    })
}
