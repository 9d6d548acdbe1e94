//! Matrices that reflectors make tridiagonal or bidiagonal, and the unitary matrices that do: sytrd, orgtr, ormtr, gebrd,
//! orgbr.

use super::SMALLEST;
use super::qr::{factors, form_in_place};
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{Number, RealOf};
use cuda_types::cusolver::*;
use dense::condensed::{bidiagonal, of_tridiagonal, reversed, tridiagonal, turned_round};
use dense::householder::{Reflectors, Use};
use dense::pointer::Pointer;
use dense::{Matrix, Scalar};
use std::ffi::c_int;
use std::sync::Arc;

/// Writes values one after the other.
///
/// # Safety
/// The place is memory of that many.
unsafe fn write<T: Copy>(place: Pointer<T>, values: &[T]) {
    for (i, value) in values.iter().enumerate() {
        // SAFETY: the caller says so.
        unsafe { place.at(i).write_unaligned(*value) };
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sytrd_buffer<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    _a: *const N,
    lda: i64,
    _diagonal: *const RealOf<N>,
    _beside: *const RealOf<N>,
    _tau: *const N,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    arguments.leading(4, lda, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sytrd<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    diagonal: *mut RealOf<N>,
    beside: *mut RealOf<N>,
    tau: *mut N,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    let lda = arguments.leading(4, lda, n)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let (diagonal, beside) = (Pointer::of(diagonal.cast_const()), Pointer::of(beside.cast_const()));
    let (tau, info) =
        (Pointer::<N::Own>::of(tau.cast_const().cast()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            a.touch(n, n);
            let found = tridiagonal(a, upper, n);
            write(diagonal, &found.diagonal);
            write(beside, &found.beside);
            write(tau, &found.tau);
            info.set_if_wanted(0);
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn orgtr_buffer<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    _a: *const N,
    lda: i64,
    _tau: *const N,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    arguments.leading(4, lda, n)?;
    count.set(SMALLEST)
}

/// Replaces the reflectors that leave the first row alone by their product, of `n` rows: those that begin a column to the
/// left of the diagonal.
unsafe fn form_below<T: Scalar>(a: Matrix<T>, n: usize, tau: &[T]) {
    if n == 0 {
        return;
    }
    // SAFETY: the caller says so.
    unsafe {
        let vectors = a.at(1, 0).read(n - 1, n - 1);
        let vectors = Matrix::columns(vectors.as_ptr(), (n - 1).max(1) as isize);
        Reflectors { vectors, rows: n - 1, tau }.form(a.at(1, 1), n - 1);
        a.set(0, 0, T::ONE);
        for i in 1..n {
            a.set(i, 0, T::ZERO);
            a.set(0, i, T::ZERO);
        }
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn orgtr<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    tau: *const N,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    let lda = arguments.leading(4, lda, n)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let (tau, info) = (Pointer::<N::Own>::of(tau.cast()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the reduction.
        unsafe {
            a.touch(n, n);
            let mut tau = factors(tau, n.saturating_sub(1));
            if upper {
                tau.reverse();
            }
            form_below(if upper { reversed(a, n, n) } else { a }, n, &tau);
            info.set_if_wanted(0);
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn ormtr_buffer<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    fill: cublasFillMode_t,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    _a: *const N,
    _lda: i64,
    _tau: *const N,
    _c: *const N,
    _ldc: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.left(1, side)?;
    arguments.upper(2, fill)?;
    arguments.adjoint(3, op, N::Own::IS_COMPLEX)?;
    arguments.size(4, m)?;
    arguments.size(5, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn ormtr<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    fill: cublasFillMode_t,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    tau: *mut N,
    c: *mut N,
    ldc: i64,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let left = arguments.left(1, side)?;
    let upper = arguments.upper(2, fill)?;
    let adjoint = arguments.adjoint(3, op, N::Own::IS_COMPLEX)?;
    let (m, n) = (arguments.size(4, m)?, arguments.size(5, n)?);
    let rows = if left { m } else { n };
    let lda = arguments.leading(7, lda, rows)?;
    let ldc = arguments.leading(10, ldc, m)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let c = Matrix::columns(c.cast_const().cast(), ldc);
    let (tau, info) =
        (Pointer::<N::Own>::of(tau.cast_const().cast()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the reduction.
        unsafe {
            if m > 0 && n > 0 {
                c.touch(m, n);
                let mut tau = factors(tau, rows - 1);
                if upper {
                    tau.reverse();
                }
                let q = of_tridiagonal(a, upper, rows, &tau);
                // The order is turned round on the side that Q is on.
                let mut c = if left { c } else { c.transposed() };
                c = if upper { turned_round(c, rows) } else { c }.at(1, 0);
                c = if left { c } else { c.transposed() };
                let (m, n) = if left { (m - 1, n) } else { (m, n - 1) };
                q.apply(Use { left, adjoint }, c, m, n);
            }
            info.set_if_wanted(0);
        }
    })
}

pub(crate) fn gebrd_buffer(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(1, m)?;
    arguments.size(2, n)?;
    count.set(SMALLEST)
}

/// "gebrd only supports m>=n."
#[allow(clippy::too_many_arguments)]
pub(crate) fn gebrd<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    diagonal: *mut RealOf<N>,
    beside: *mut RealOf<N>,
    tau_q: *mut N,
    tau_p: *mut N,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let (m, n) = (arguments.size(1, m)?, arguments.size(2, n)?);
    let lda = arguments.leading(4, lda, m)?;
    if m < n {
        return Err(cusolverError::NOT_SUPPORTED);
    }
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let (diagonal, beside) = (Pointer::of(diagonal.cast_const()), Pointer::of(beside.cast_const()));
    let tau_q = Pointer::<N::Own>::of(tau_q.cast_const().cast());
    let tau_p = Pointer::<N::Own>::of(tau_p.cast_const().cast());
    let info = Pointer::of(info.cast_const());
    handle.run(1, move |_| {
        // SAFETY: as for the other reduction.
        unsafe {
            a.touch(m, n);
            let found = bidiagonal(a, m, n);
            write(diagonal, &found.diagonal);
            write(beside, &found.beside);
            write(tau_q, &found.tau_q);
            write(tau_p, &found.tau_p);
            info.set_if_wanted(0);
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn orgbr_buffer<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    m: i64,
    n: i64,
    k: i64,
    _a: *const N,
    _lda: i64,
    _tau: *const N,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.left(1, side)?;
    for (number, value) in [(2, m), (3, n), (4, k)] {
        arguments.size(number, value)?;
    }
    count.set(SMALLEST)
}

/// The left side is Q, the right one the adjoint of P.
#[allow(clippy::too_many_arguments)]
pub(crate) fn orgbr<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    m: i64,
    n: i64,
    k: i64,
    a: *mut N,
    lda: i64,
    tau: *const N,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let left = arguments.left(1, side)?;
    let (m, n) = (arguments.size(2, m)?, arguments.size(3, n)?);
    let k = arguments.size(4, k)?;
    let (longer, shorter) = if left { (m, n) } else { (n, m) };
    arguments.check(3, shorter <= longer && shorter >= longer.min(k))?;
    let lda = arguments.leading(6, lda, m)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let (tau, info) = (Pointer::<N::Own>::of(tau.cast()), Pointer::of(info.cast_const()));
    // Where the matrix that was reduced was longer in this direction, its reflectors begin at the diagonal.
    let at_diagonal = if left { m >= k } else { k < n };
    handle.run(1, move |_| {
        // SAFETY: as for the reduction.
        unsafe {
            a.touch(m, n);
            let tau = factors(tau, if at_diagonal { k } else { longer.saturating_sub(1) });
            // Rows are vectors that are conjugated: as columns of a copy they are what reflects.
            let source = if left { a } else { a.transposed().conjugated() };
            let mut copy = source.read(longer, shorter);
            let q = Matrix::columns(copy.as_mut_ptr().cast_const(), longer.max(1) as isize);
            match at_diagonal {
                true => form_in_place(q, (longer, shorter), &tau),
                false => form_below(q, longer, &tau),
            }
            for j in 0..shorter {
                for i in 0..longer {
                    let value = q.get(i, j);
                    match left {
                        true => a.set(i, j, value),
                        false => a.set(j, i, value.conj()),
                    }
                }
            }
            info.set_if_wanted(0);
        }
    })
}
