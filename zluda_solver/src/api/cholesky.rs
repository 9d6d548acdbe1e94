//! Hermitian positive definite systems of equations, one or many, and inverses of triangles: potrf, potrs, potri, lauum,
//! trtri.

use super::{SMALLEST, no_workspace};
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{Number, typed};
use cuda_types::cusolver::*;
use dense::pointer::{Batch, Pointer};
use dense::{Matrix, Scalar, cholesky};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Enqueues work on the triangle of one matrix that tells a number.
fn on_triangle<T: Scalar>(
    handle: &Handle,
    a: Matrix<T>,
    n: usize,
    info: *mut c_int,
    work: impl Fn(Matrix<T>) -> c_int + Send + Sync + 'static,
) -> CusolverResult {
    let info = Pointer::of(info.cast_const());
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            a.touch(n, n);
            info.set_if_wanted(work(a));
        }
    })
}

fn solve<T: Scalar>(
    handle: &Handle,
    (a, upper): (Matrix<T>, bool),
    (n, sides): (usize, usize),
    b: Matrix<T>,
    info: *mut c_int,
) -> CusolverResult {
    let info = Pointer::of(info.cast_const());
    handle.run(1, move |_| {
        // SAFETY: as above.
        unsafe {
            cholesky::solve(a, upper, n, b, sides);
            info.set_if_wanted(0);
        }
    })
}

/// The size of the workspace of each function here.
pub(crate) fn buffer<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    _a: *mut N,
    lda: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    arguments.leading(4, lda, n)?;
    count.set(SMALLEST)
}

/// Defines functions on the triangle of a matrix that differ in their work alone.
macro_rules! on_triangles {
    ($($name:ident: $work:expr;)*) => {
        $(
            #[allow(clippy::too_many_arguments)]
            pub(crate) fn $name<N: Number>(
                handle: Arc<Handle>,
                fill: cublasFillMode_t,
                n: i64,
                a: *mut N,
                lda: i64,
                _workspace: *mut N,
                _count: c_int,
                info: *mut c_int,
            ) -> CusolverResult {
                let arguments = Arguments::of(&handle, info);
                let upper = arguments.upper(1, fill)?;
                let n = arguments.size(2, n)?;
                let lda = arguments.leading(4, lda, n)?;
                let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
                // SAFETY: as above.
                on_triangle(&handle, a, n, info, move |a| unsafe { $work(a, upper, n) })
            }
        )*
    };
}

on_triangles! {
    potrf: cholesky::decompose;
    potri: cholesky::invert;
    lauum: cholesky::square;
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn potrs<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    a: *const N,
    lda: i64,
    b: *mut N,
    ldb: i64,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let (n, sides) = (arguments.size(2, n)?, arguments.size(3, sides)?);
    let (lda, ldb) = (arguments.leading(5, lda, n)?, arguments.leading(7, ldb, n)?);
    let a = Matrix::<N::Own>::columns(a.cast(), lda);
    let b = Matrix::columns(b.cast_const().cast(), ldb);
    solve(&handle, (a, upper), (n, sides), b, info)
}

pub(crate) fn potrf_batched<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut *mut N,
    lda: i64,
    info: *mut c_int,
    count: i64,
) -> CusolverResult {
    Arguments::without_info(&handle).check(6, count > 0)?;
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    let lda = arguments.leading(4, lda, n)?;
    let a = Batch::<N::Own>::array(a.cast_const().cast::<*const N>());
    let info = Pointer::of(info.cast_const());
    handle.run(count as usize, move |item| {
        // SAFETY: as above.
        unsafe {
            let a = if n == 0 { std::ptr::null() } else { a.at(item) };
            let found = cholesky::decompose(Matrix::columns(a, lda), upper, n);
            info.at(item).write_unaligned(found);
        }
    })
}

/// "Only nrhs=1 is supported."
#[allow(clippy::too_many_arguments)]
pub(crate) fn potrs_batched<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    a: *mut *mut N,
    lda: i64,
    b: *mut *mut N,
    ldb: i64,
    info: *mut c_int,
    count: i64,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    arguments.check(3, sides == 1)?;
    let (lda, ldb) = (arguments.leading(5, lda, n)?, arguments.leading(7, ldb, n)?);
    let count = arguments.size(9, count)?;
    let a = Batch::<N::Own>::array(a.cast_const().cast::<*const N>());
    let b = Batch::<N::Own>::array(b.cast_const().cast::<*const N>());
    let info = Pointer::of(info.cast_const());
    handle.run(count, move |item| {
        // SAFETY: as above.
        unsafe {
            if n > 0 {
                let (a, b) = (Matrix::columns(a.at(item), lda), Matrix::columns(b.at(item), ldb));
                cholesky::solve(a, upper, n, b, 1);
            }
            if item == 0 {
                info.set_if_wanted(0);
            }
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xpotrf_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    lda: i64,
    compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(2, fill)?;
    let n = arguments.size(3, n)?;
    arguments.leading(6, lda, n)?;
    arguments.check(7, compute_type == data_type)?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xpotrf(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(2, fill)?;
    let n = arguments.size(3, n)?;
    let lda = arguments.leading(6, lda, n)?;
    arguments.check(7, compute_type == data_type)?;
    typed!(data_type, T => {
        let a = Matrix::<T>::columns(a.cast_const().cast(), lda);
        // SAFETY: as above.
        on_triangle(&handle, a, n, info, move |a| unsafe { cholesky::decompose(a, upper, n) })
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xpotrs(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    type_a: cudaDataType,
    a: *const c_void,
    lda: i64,
    type_b: cudaDataType,
    b: *mut c_void,
    ldb: i64,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(2, fill)?;
    let (n, sides) = (arguments.size(3, n)?, arguments.size(4, sides)?);
    let (lda, ldb) = (arguments.leading(7, lda, n)?, arguments.leading(10, ldb, n)?);
    arguments.check(8, type_b == type_a)?;
    typed!(type_a, T => {
        let (a, b) = (Matrix::<T>::columns(a.cast(), lda), Matrix::columns(b.cast_const().cast(), ldb));
        solve(&handle, (a, upper), (n, sides), b, info)
    })
}

fn unit(arguments: &Arguments<'_>, diagonal: cublasDiagType_t) -> CusolverResult<bool> {
    let is_unit = diagonal == cublasDiagType_t::CUBLAS_DIAG_UNIT;
    arguments.check(2, is_unit || diagonal == cublasDiagType_t::CUBLAS_DIAG_NON_UNIT)?;
    Ok(is_unit)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xtrtri_buffer(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    diagonal: cublasDiagType_t,
    n: i64,
    data_type: cudaDataType,
    _a: *mut c_void,
    lda: i64,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(1, fill)?;
    unit(&arguments, diagonal)?;
    let n = arguments.size(3, n)?;
    arguments.leading(6, lda, n)?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xtrtri(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    diagonal: cublasDiagType_t,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let unit = unit(&arguments, diagonal)?;
    let n = arguments.size(3, n)?;
    let lda = arguments.leading(6, lda, n)?;
    typed!(data_type, T => {
        let a = Matrix::<T>::columns(a.cast_const().cast(), lda);
        on_triangle(&handle, a, n, info, move |a| {
            // SAFETY: as above.
            unsafe { cholesky::invert_triangle(a, upper, unit, n) }
        })
    })
}
