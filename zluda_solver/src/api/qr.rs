//! Decompositions into a unitary and a triangular matrix, and products with the unitary one: geqrf, ormqr, orgqr, larft.

use super::{SMALLEST, no_workspace};
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{Number, typed};
use cuda_types::cusolver::*;
use dense::householder::{Reflectors, Use, factor};
use dense::pointer::Pointer;
use dense::{Matrix, Scalar, qr};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Reads the factors of reflectors.
///
/// # Safety
/// The place is memory of that many.
pub(super) unsafe fn factors<T: Scalar>(tau: Pointer<T>, count: usize) -> Vec<T> {
    // SAFETY: the caller says so.
    unsafe { Matrix::columns(tau.at(0).cast_const(), count.max(1) as isize).read(count, 1) }
}

fn decompose<T: Scalar>(
    handle: &Handle,
    a: Matrix<T>,
    (m, n): (usize, usize),
    tau: Pointer<T>,
    info: *mut c_int,
) -> CusolverResult {
    let info = Pointer::of(info.cast_const());
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            a.touch(m, n);
            qr::decompose(a, m, n, tau.at(0));
            info.set_if_wanted(0);
        }
    })
}

pub(crate) fn geqrf_buffer<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    _a: *mut N,
    lda: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(1, m)?;
    arguments.size(2, n)?;
    arguments.leading(4, lda, 1)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn geqrf<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    tau: *mut N,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let (m, n) = (arguments.size(1, m)?, arguments.size(2, n)?);
    let lda = arguments.leading(4, lda, m)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    decompose(&handle, a, (m, n), Pointer::of(tau.cast_const().cast()), info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn orgqr_buffer<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    k: i64,
    _a: *const N,
    _lda: i64,
    _tau: *const N,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    for (number, value) in [(1, m), (2, n), (3, k)] {
        arguments.size(number, value)?;
    }
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn orgqr<N: Number>(
    handle: Arc<Handle>,
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
    let (m, n) = (arguments.size(1, m)?, arguments.size(2, n)?);
    arguments.check(2, n <= m)?;
    let k = arguments.size(3, k)?;
    arguments.check(3, k <= n)?;
    let lda = arguments.leading(5, lda, m)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let (tau, info) = (Pointer::<N::Own>::of(tau.cast()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the decomposition.
        unsafe {
            form_in_place(a, (m, n), &factors(tau, k));
            info.set_if_wanted(0);
        }
    })
}

/// Replaces reflectors by the first `n` columns of their product, of `m` rows.
///
/// # Safety
/// A is memory that nobody else has.
pub(super) unsafe fn form_in_place<T: Scalar>(a: Matrix<T>, (m, n): (usize, usize), tau: &[T]) {
    // SAFETY: the caller says so.
    unsafe {
        let vectors = a.read(m, tau.len().min(n));
        let vectors = Matrix::columns(vectors.as_ptr(), m.max(1) as isize);
        a.touch(m, n);
        Reflectors { vectors, rows: m, tau }.form(a, n);
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn ormqr_buffer<N: Number>(
    handle: Arc<Handle>,
    _side: cublasSideMode_t,
    _op: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    _a: *const N,
    _lda: i64,
    _tau: *const N,
    _c: *const N,
    _ldc: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    for (number, value) in [(3, m), (4, n), (5, k)] {
        arguments.size(number, value)?;
    }
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn ormqr<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    a: *const N,
    lda: i64,
    tau: *const N,
    c: *mut N,
    ldc: i64,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let left = arguments.left(1, side)?;
    let adjoint = arguments.adjoint(2, op, N::Own::IS_COMPLEX)?;
    let (m, n) = (arguments.size(3, m)?, arguments.size(4, n)?);
    let k = arguments.size(5, k)?;
    let rows = if left { m } else { n };
    arguments.check(5, k <= rows)?;
    let lda = arguments.leading(7, lda, rows)?;
    let ldc = arguments.leading(10, ldc, m)?;
    let vectors = Matrix::<N::Own>::columns(a.cast(), lda);
    let c = Matrix::columns(c.cast_const().cast(), ldc);
    let (tau, info) = (Pointer::<N::Own>::of(tau.cast()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the decomposition.
        unsafe {
            let tau = factors(tau, k);
            c.touch(m, n);
            Reflectors { vectors, rows, tau: &tau }.apply(Use { left, adjoint }, c, m, n);
            info.set_if_wanted(0);
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgeqrf_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    lda: i64,
    type_tau: cudaDataType,
    _tau: *const c_void,
    compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let m = arguments.size(2, m)?;
    arguments.size(3, n)?;
    arguments.leading(6, lda, m)?;
    arguments.check(7, type_tau == data_type && compute_type == data_type)?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgeqrf(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_tau: cudaDataType,
    tau: *mut c_void,
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
    arguments.check(7, type_tau == data_type && compute_type == data_type)?;
    typed!(data_type, T => {
        let a = Matrix::<T>::columns(a.cast_const().cast(), lda);
        decompose(&handle, a, (m, n), Pointer::of(tau.cast_const().cast()), info)
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xlarft_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    _direction: cusolverDirectMode_t,
    _storage: cusolverStorevMode_t,
    n: i64,
    k: i64,
    data_type: cudaDataType,
    _v: *const c_void,
    _ldv: i64,
    _type_tau: cudaDataType,
    _tau: *const c_void,
    _type_t: cudaDataType,
    _t: *mut c_void,
    _ldt: i64,
    _compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(4, n)?;
    arguments.size(5, k)?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

/// "Only CUBLAS_DIRECT_FORWARD and CUBLAS_STOREV_COLUMNWISE are supported."
#[allow(clippy::too_many_arguments)]
pub(crate) fn xlarft(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    direction: cusolverDirectMode_t,
    storage: cusolverStorevMode_t,
    n: i64,
    k: i64,
    data_type: cudaDataType,
    v: *const c_void,
    ldv: i64,
    type_tau: cudaDataType,
    tau: *const c_void,
    type_t: cudaDataType,
    t: *mut c_void,
    ldt: i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let forward = direction == cusolverDirectMode_t::CUBLAS_DIRECT_FORWARD;
    if !forward || storage != cusolverStorevMode_t::CUBLAS_STOREV_COLUMNWISE {
        return Err(cusolverError::NOT_SUPPORTED);
    }
    let (n, k) = (arguments.size(4, n)?, arguments.size(5, k)?);
    arguments.check(5, k <= n)?;
    let (ldv, ldt) = (arguments.leading(8, ldv, n)?, arguments.leading(13, ldt, k)?);
    arguments.check(9, [type_tau, type_t, compute_type] == [data_type; 3])?;
    typed!(data_type, T => {
        let v = Matrix::<T>::columns(v.cast(), ldv);
        let t = Matrix::<T>::columns(t.cast_const().cast(), ldt);
        let tau = Pointer::<T>::of(tau.cast());
        handle.run(1, move |_| {
            // SAFETY: as for the decomposition.
            unsafe {
                let (mut vectors, tau) = (v.read(n, k), factors(tau, k));
                for j in 0..k {
                    vectors[j * n..j * n + j].fill(T::ZERO);
                    vectors[j * n + j] = T::ONE;
                }
                let found = factor(&vectors, n, &tau);
                for j in 0..k {
                    for i in 0..j + 1 {
                        t.set(i, j, found[j * k + i]);
                    }
                }
            }
        })
    })
}
