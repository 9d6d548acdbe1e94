//! Dense matrices of sparse ones, and sparse ones of dense ones.

use crate::convert::*;
use crate::descriptors::{DnMat, Object, SpMat};
use crate::handle::{Generic, Handle};
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::{Address, Layout, copies};
use std::sync::Arc;

type Sparse = Arc<Object<SpMat>>;
type Matrix = Arc<Object<DnMat>>;

/// Lines that are a part's.
const LINES: usize = 64;

/// Lines of a part.
fn lines(part: usize, count: usize) -> std::ops::Range<usize> {
    part * LINES..count.min((part + 1) * LINES)
}

fn check_pair(a: &SpMat, b: &DnMat, algorithm: u32) -> CusparseResult {
    check(algorithm == 0)?;
    check(a.matrix.rows == b.dense.rows && a.matrix.columns == b.dense.columns)?;
    check(a.matrix.ty == b.dense.ty)?;
    supported(!matches!(a.matrix.layout, Layout::Blocks { .. } | Layout::Sliced { .. }))
}

/// Blocked ELL is made of dense matrices, and not the other way round.
fn check_source(a: &SpMat, b: &DnMat, algorithm: u32) -> CusparseResult {
    check_pair(a, b, algorithm)?;
    supported(!matches!(a.matrix.layout, Layout::BlockedEll { .. }))
}

pub(crate) fn sparse_to_dense_size(
    _: Generic,
    a: Sparse,
    b: Matrix,
    alg: cusparseSparseToDenseAlg_t,
    size: Out<usize>,
) -> CusparseResult {
    size.check()?;
    check_source(&a.get(), &b.get(), alg.0)?;
    size.set(0)
}

pub(crate) fn sparse_to_dense(
    handle: Generic,
    a: Sparse,
    b: Matrix,
    alg: cusparseSparseToDenseAlg_t,
    _buffer: Address,
) -> CusparseResult {
    let (a, b) = (a.get(), b.get());
    check_source(&a, &b, alg.0)?;
    let (a, b) = (a.matrix, b.dense);
    // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
    handle.run(b.rows.div_ceil(LINES), move |part| unsafe {
        copies::clear(&b, lines(part, b.rows));
    })?;
    let count = a.lines();
    // SAFETY: as above.
    handle.run(count.div_ceil(LINES), move |part| unsafe {
        copies::to_dense(&a, lines(part, count), &b);
    })
}

pub(crate) fn dense_to_sparse_size(
    _: Generic,
    a: Matrix,
    b: Sparse,
    alg: cusparseDenseToSparseAlg_t,
    size: Out<usize>,
) -> CusparseResult {
    size.check()?;
    check_pair(&b.get(), &a.get(), alg.0)?;
    size.set(0)
}

/// Counts the elements, which the descriptor tells when this returns.
pub(crate) fn dense_to_sparse_analysis(
    handle: Generic,
    a: Matrix,
    b: Sparse,
    alg: cusparseDenseToSparseAlg_t,
    _buffer: Address,
) -> CusparseResult {
    let (dense, target) = (a.get().dense, b.get());
    check_pair(&target, &a.get(), alg.0)?;
    let (by_columns, offsets) = match target.matrix.layout {
        Layout::Compressed { by_columns, offsets, .. } => (by_columns, Some(offsets)),
        Layout::Coordinates { .. } => (false, None),
        // Which blocks there are is said by the program.
        _ => return Ok(()),
    };
    let count = if by_columns { dense.columns } else { dense.rows };
    let total = Arc::new(Mutex::new(0));
    let sum = total.clone();
    handle.run(count.div_ceil(LINES), move |part| {
        let mut own = 0;
        for line in lines(part, count) {
            // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
            unsafe {
                let found = copies::count(&dense, line, by_columns);
                if let Some(offsets) = offsets {
                    offsets.set(line + 1, found);
                }
                own += found;
            }
        }
        *sum.lock() += own;
    })?;
    if let Some(offsets) = offsets {
        handle.run(1, move |_| {
            // SAFETY: as above.
            unsafe { copies::sum_up(offsets, count) };
        })?;
    }
    handle.wait()?;
    let nnz = *total.lock();
    b.with(|matrix| (matrix.nnz, matrix.matrix.stored) = (nnz, nnz));
    Ok(())
}

pub(crate) fn dense_to_sparse_convert(
    handle: Generic,
    a: Matrix,
    b: Sparse,
    alg: cusparseDenseToSparseAlg_t,
    _buffer: Address,
) -> CusparseResult {
    let (dense, target) = (a.get().dense, b.get());
    check_pair(&target, &a.get(), alg.0)?;
    fill(&handle, dense, target.matrix)
}

fn fill(handle: &Handle, dense: sparse::Dense, matrix: sparse::Matrix) -> CusparseResult {
    let is_list = matches!(matrix.layout, Layout::Coordinates { .. });
    let count = matrix.lines();
    let parts = if is_list { 1 } else { count.div_ceil(LINES) };
    // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
    handle.run(parts, move |part| unsafe {
        copies::from_dense(&dense, &matrix, if is_list { 0..0 } else { lines(part, count) });
    })
}
