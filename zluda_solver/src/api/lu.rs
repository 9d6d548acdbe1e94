//! General systems of equations: getrf, getrs, laswp.

use super::{SMALLEST, no_workspace};
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{Number, Pivot, typed};
use cuda_types::cusolver::*;
use dense::banded::Turned;
use dense::pointer::Pointer;
use dense::{Matrix, Scalar, lu};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Enqueues a decomposition. Without a place for pivots, rows stay where they are.
fn decompose<T: Scalar, P: Pivot>(
    handle: &Handle,
    a: Matrix<T>,
    (m, n): (usize, usize),
    pivots: *mut P,
    info: *mut c_int,
) -> CusolverResult {
    let (pivots, info) = (Pointer::of(pivots.cast_const()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            a.touch(m, n);
            let mut rows = vec![0; if pivots.is_null() { 0 } else { m.min(n) }];
            let none = pivots.is_null();
            let place = if none { std::ptr::null_mut() } else { rows.as_mut_ptr() };
            let found = lu::decompose(a, (m, n), place);
            for (i, row) in rows.iter().enumerate() {
                pivots.at(i).write_unaligned(P::from_row((*row).into()));
            }
            info.set_if_wanted(found);
        }
    })
}

/// Enqueues the solution of a decomposed system.
fn solve<T: Scalar, P: Pivot>(
    handle: &Handle,
    (a, turned): (Matrix<T>, Turned),
    (n, sides): (usize, usize),
    pivots: *const P,
    b: Matrix<T>,
    info: *mut c_int,
) -> CusolverResult {
    let (pivots, info) = (Pointer::of(pivots), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the decomposition.
        unsafe {
            if n > 0 && sides > 0 {
                a.touch(n, n);
                let count = if pivots.is_null() { 0 } else { n };
                let row = |i| pivots.at(i).read_unaligned().row() as c_int;
                let rows: Vec<c_int> = (0..count).map(row).collect();
                let none = pivots.is_null();
                let place = if none { std::ptr::null() } else { rows.as_ptr() };
                lu::solve(a, turned, n, place, b, sides);
            }
            info.set_if_wanted(0);
        }
    })
}

pub(crate) fn getrf_buffer<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    _a: *mut N,
    lda: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let m = arguments.size(1, m)?;
    arguments.size(2, n)?;
    arguments.leading(4, lda, m)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn getrf<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    _workspace: *mut N,
    pivots: *mut c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let (m, n) = (arguments.size(1, m)?, arguments.size(2, n)?);
    let lda = arguments.leading(4, lda, m)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    decompose(&handle, a, (m, n), pivots, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn getrs<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    n: i64,
    sides: i64,
    a: *const N,
    lda: i64,
    pivots: *const c_int,
    b: *mut N,
    ldb: i64,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let turned = arguments.operation(1, op)?;
    let (n, sides) = (arguments.size(2, n)?, arguments.size(3, sides)?);
    let (lda, ldb) = (arguments.leading(5, lda, n)?, arguments.leading(8, ldb, n)?);
    let a = Matrix::<N::Own>::columns(a.cast(), lda);
    let b = Matrix::columns(b.cast_const().cast(), ldb);
    solve(&handle, (a, turned), (n, sides), pivots, b, info)
}

/// Exchanges rows `first` to `last`, from 1, with those that pivots name.
#[allow(clippy::too_many_arguments)]
pub(crate) fn laswp<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    a: *mut N,
    lda: i64,
    first: i64,
    last: i64,
    pivots: *const c_int,
    step: i64,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let n = arguments.size(1, n)?;
    let lda = arguments.leading(3, lda, 1)?;
    let (first, last) = (arguments.size(4, first)?, arguments.size(5, last)?);
    arguments.check(4, first >= 1)?;
    arguments.check(7, step != 0)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let pivots = Pointer::of(pivots);
    let distance = step.unsigned_abs() as usize;
    handle.run(1, move |_| {
        let exchange = |row: usize| {
            // As LAPACK has it, the first pivot in use stands at the place of the first row.
            let place = first - 1 + (row - first) * distance;
            // SAFETY: as for the decomposition.
            unsafe {
                let other = pivots.at(place).read_unaligned().max(1) as usize;
                lu::swap_rows(a, row - 1, other - 1, n);
            }
        };
        match step > 0 {
            true => (first..last + 1).for_each(exchange),
            false => (first..last + 1).rev().for_each(exchange),
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgetrf_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    lda: i64,
    compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let m = arguments.size(2, m)?;
    arguments.size(3, n)?;
    arguments.leading(6, lda, m)?;
    arguments.check(7, compute_type == data_type)?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgetrf(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    pivots: *mut i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let (m, n) = (arguments.size(2, m)?, arguments.size(3, n)?);
    let lda = arguments.leading(6, lda, m)?;
    arguments.check(8, compute_type == data_type)?;
    typed!(data_type, T => {
        let a = Matrix::<T>::columns(a.cast_const().cast(), lda);
        decompose(&handle, a, (m, n), pivots, info)
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgetrs(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    op: cublasOperation_t,
    n: i64,
    sides: i64,
    type_a: cudaDataType,
    a: *const c_void,
    lda: i64,
    pivots: *const i64,
    type_b: cudaDataType,
    b: *mut c_void,
    ldb: i64,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let turned = arguments.operation(2, op)?;
    let (n, sides) = (arguments.size(3, n)?, arguments.size(4, sides)?);
    let (lda, ldb) = (arguments.leading(7, lda, n)?, arguments.leading(11, ldb, n)?);
    arguments.check(9, type_b == type_a)?;
    typed!(type_a, T => {
        let (a, b) = (Matrix::<T>::columns(a.cast(), lda), Matrix::columns(b.cast_const().cast(), ldb));
        solve(&handle, (a, turned), (n, sides), pivots, b, info)
    })
}
