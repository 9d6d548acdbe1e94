//! Decompositions and equations of many small matrices, and triangles with and without gaps.

use crate::convert::Out;
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::banded::{Storage, Stored, Structure};
use dense::{Matrix, Scalar, lu, qr};
use std::ffi::c_int;
use std::sync::Arc;

pub(crate) unsafe fn getrf_batched<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    a: *const *mut N,
    lda: i64,
    pivots: *mut c_int,
    info: *mut c_int,
    count: i64,
) -> CublasResult {
    let (n, count) = (size(n)?, size(count)?);
    let lda = leading(lda, n)?;
    let a = Batch::<N::Own>::array(a.cast::<*const N>());
    let (pivots, info) = (Pointer::of(pivots.cast_const()), Pointer::of(info.cast_const()));
    handle.run(if n == 0 { 0 } else { count }, move |item| {
        // Without a place for pivots, rows stay where they are.
        let none = pivots.at(0).is_null();
        let own = if none { std::ptr::null_mut() } else { pivots.at(item * n) };
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            let found = lu::decompose(Matrix::columns(a.at(item), lda), (n, n), own);
            info.at(item).write_unaligned(found);
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn getrs_batched<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    n: i64,
    sides: i64,
    a: *const *const N,
    lda: i64,
    pivots: *const c_int,
    b: *const *mut N,
    ldb: i64,
    info: Out<c_int>,
    count: i64,
) -> CublasResult {
    // Tells which argument is wrong, by its place.
    let wrong = |place: c_int| {
        info.set_if_wanted(-place);
        INVALID
    };
    let turned = operation(op).map_err(|_| wrong(1))?;
    let n = size(n).map_err(|_| wrong(2))?;
    let sides = size(sides).map_err(|_| wrong(3))?;
    let lda = leading(lda, n).map_err(|_| wrong(5))?;
    let ldb = leading(ldb, n).map_err(|_| wrong(8))?;
    let count = size(count).map_err(|_| wrong(10))?;
    info.set_if_wanted(0);
    let (a, b) = (Batch::<N::Own>::array(a), Batch::<N::Own>::array(b.cast::<*const N>()));
    let pivots = Pointer::of(pivots);
    handle.run(if n == 0 { 0 } else { count }, move |item| {
        let none = pivots.at(0).is_null();
        let own = if none { std::ptr::null_mut() } else { pivots.at(item * n) };
        // SAFETY: as for getrf.
        unsafe {
            let (a, b) = (Matrix::columns(a.at(item), lda), Matrix::columns(b.at(item), ldb));
            lu::solve(a, turned, n, own.cast_const(), b, sides);
        }
    })
}

/// Puts the inverse of a decomposed matrix into another one. Divisions by a pivot that is zero leave infinities and what is
/// no number there, by which programs tell which matrices of a batch have no inverse.
unsafe fn invert<T: Scalar>(a: Matrix<T>, n: usize, pivots: *const c_int, c: Matrix<T>) -> c_int {
    let as_it_is = dense::banded::Turned { transposed: false, conj: false };
    // SAFETY: the caller says so.
    unsafe {
        lu::identity(c, n);
        lu::solve(a, as_it_is, n, pivots, c, n);
        lu::singular(a, n)
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn getri_batched<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    a: *const *const N,
    lda: i64,
    pivots: *const c_int,
    c: *const *mut N,
    ldc: i64,
    info: *mut c_int,
    count: i64,
) -> CublasResult {
    let (n, count) = (size(n)?, size(count)?);
    let (lda, ldc) = (leading(lda, n)?, leading(ldc, n)?);
    let (a, c) = (Batch::<N::Own>::array(a), Batch::<N::Own>::array(c.cast::<*const N>()));
    let (pivots, info) = (Pointer::of(pivots), Pointer::of(info.cast_const()));
    handle.run(if n == 0 { 0 } else { count }, move |item| {
        let none = pivots.at(0).is_null();
        let own = if none { std::ptr::null_mut() } else { pivots.at(item * n) };
        // SAFETY: as for getrf.
        unsafe {
            let (a, c) = (Matrix::columns(a.at(item), lda), Matrix::columns(c.at(item), ldc));
            info.at(item).write_unaligned(invert(a, n, own.cast_const(), c));
        }
    })
}

/// The most rows of a matrix that is inverted in one call.
const LARGEST_INVERTED: usize = 32;

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn matinv_batched<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    a: *const *const N,
    lda: i64,
    c: *const *mut N,
    ldc: i64,
    info: *mut c_int,
    count: i64,
) -> CublasResult {
    let (n, count) = (size(n)?, size(count)?);
    check(n <= LARGEST_INVERTED)?;
    let (lda, ldc) = (leading(lda, n)?, leading(ldc, n)?);
    let (a, c) = (Batch::<N::Own>::array(a), Batch::<N::Own>::array(c.cast::<*const N>()));
    let info = Pointer::of(info.cast_const());
    handle.run(if n == 0 { 0 } else { count }, move |item| {
        let mut copy = vec![N::Own::ZERO; n * n];
        let mut pivots = vec![0; n];
        let work = Matrix::columns(copy.as_mut_ptr().cast_const(), n as isize);
        // SAFETY: as for getrf.
        unsafe {
            let (a, c) = (Matrix::columns(a.at(item), lda), Matrix::columns(c.at(item), ldc));
            for j in 0..n {
                for i in 0..n {
                    work.set(i, j, a.get(i, j));
                }
            }
            lu::decompose(work, (n, n), pivots.as_mut_ptr());
            info.at(item).write_unaligned(invert(work, n, pivots.as_ptr(), c));
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn geqrf_batched<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    a: *const *mut N,
    lda: i64,
    tau: *const *mut N,
    info: Out<c_int>,
    count: i64,
) -> CublasResult {
    let wrong = |place: c_int| {
        info.set_if_wanted(-place);
        INVALID
    };
    let m = size(m).map_err(|_| wrong(1))?;
    let n = size(n).map_err(|_| wrong(2))?;
    let lda = leading(lda, m).map_err(|_| wrong(4))?;
    let count = size(count).map_err(|_| wrong(7))?;
    info.set_if_wanted(0);
    let a = Batch::<N::Own>::array(a.cast::<*const N>());
    let tau = Batch::<N::Own>::array(tau.cast::<*const N>());
    handle.run(if m.min(n) == 0 { 0 } else { count }, move |item| {
        // SAFETY: as for getrf.
        unsafe { qr::decompose(Matrix::columns(a.at(item), lda), m, n, tau.at(item).cast_mut()) };
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gels_batched<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    sides: i64,
    a: *const *mut N,
    lda: i64,
    c: *const *mut N,
    ldc: i64,
    info: Out<c_int>,
    infos: *mut c_int,
    count: i64,
) -> CublasResult {
    let wrong = |place: c_int| {
        info.set_if_wanted(-place);
        INVALID
    };
    let turned = operation(op).map_err(|_| wrong(1))?;
    let m = size(m).map_err(|_| wrong(2))?;
    let n = size(n).map_err(|_| wrong(3))?;
    let sides = size(sides).map_err(|_| wrong(4))?;
    let lda = leading(lda, m).map_err(|_| wrong(6))?;
    let ldc = leading(ldc, m).map_err(|_| wrong(8))?;
    let count = size(count).map_err(|_| wrong(11))?;
    info.set_if_wanted(0);
    // "It only supports the non-transpose operation, and only solves over-determined systems."
    if turned.transposed || m < n {
        return Err(cublasError::NOT_SUPPORTED);
    }
    let a = Batch::<N::Own>::array(a.cast::<*const N>());
    let c = Batch::<N::Own>::array(c.cast::<*const N>());
    let infos = Pointer::of(infos.cast_const());
    handle.run(count, move |item| {
        // SAFETY: as for getrf.
        unsafe {
            let (a, c) = (Matrix::columns(a.at(item), lda), Matrix::columns(c.at(item), ldc));
            let singular = qr::least_squares_in_double(a, m, n, c, sides);
            if !infos.at(0).is_null() {
                infos.at(item).write_unaligned(singular);
            }
        }
    })
}

/// Copies a triangle from one form to another.
fn copy_triangle<T: Scalar>(handle: &Handle, from: Stored<T>, to: Stored<T>) -> CublasResult {
    let n = from.rows;
    handle.run(n, move |j| {
        let rows = if from.upper { 0..j + 1 } else { j..n };
        for i in rows {
            // SAFETY: as for getrf.
            unsafe { to.place(i, j).write_unaligned(from.place(i, j).read_unaligned()) };
        }
    })
}

fn forms<N: Number>(
    fill: cublasFillMode_t,
    n: i64,
    packed: *const N,
    (a, lda): (*const N, i64),
) -> CublasResult<[Stored<N::Own>; 2]> {
    let (upper, n) = (upper(fill)?, size(n)?);
    let storage = Storage::Full { leading: leading(lda, n)? };
    let of = |first: *const N, storage| {
        Stored::triangle(first.cast(), n, storage, Structure::Symmetric, upper, n)
    };
    Ok([of(packed, Storage::Packed), of(a, storage)])
}

pub(crate) unsafe fn tpttr<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    packed: *const N,
    a: *mut N,
    lda: i64,
) -> CublasResult {
    let [packed, full] = forms(fill, n, packed, (a.cast_const(), lda))?;
    copy_triangle(&handle, packed, full)
}

pub(crate) unsafe fn trttp<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    a: *const N,
    lda: i64,
    packed: *mut N,
) -> CublasResult {
    let [packed, full] = forms(fill, n, packed.cast_const(), (a, lda))?;
    copy_triangle(&handle, full, packed)
}
