//! Numbers and enumerations of the API as [`dense`] has them.

use crate::handle::Handle;
use cuda_types::cublas::*;
use dense::banded::Turned;
use dense::matrix::Vector;
pub(crate) use dense::pointer::{Batch, Pointer};
use dense::{Complex, Matrix, Scalar};

/// A number of the API: one of ours has the same bytes.
pub(crate) trait Number: Copy + 'static {
    type Own: Scalar;
}

impl Number for f32 {
    type Own = f32;
}
impl Number for f64 {
    type Own = f64;
}
impl Number for cuComplex {
    type Own = Complex<f32>;
}
impl Number for cuDoubleComplex {
    type Own = Complex<f64>;
}

/// The components of numbers of a type.
pub(crate) type RealOf<N> = <<N as Number>::Own as Scalar>::Real;

/// A number that a program passes: by its value, or by a place that is read when the work runs.
#[derive(Clone, Copy)]
pub(crate) enum Value<T> {
    Host(T),
    Device(*const T),
}

// SAFETY: an address is a number; who reads it answers for it.
unsafe impl<T: Send> Send for Value<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Value<T> {}

impl<T: Copy> Value<T> {
    /// The number behind a pointer of the handle's mode.
    ///
    /// # Safety
    /// A pointer of the host is null or can be read.
    pub(crate) unsafe fn of<C>(handle: &Handle, place: *const C) -> CublasResult<Value<T>> {
        if place.is_null() {
            return Err(cublasError::INVALID_VALUE);
        }
        Ok(match handle.on_device() {
            true => Value::Device(place.cast()),
            // SAFETY: the caller says so.
            false => Value::Host(unsafe { place.cast::<T>().read_unaligned() }),
        })
    }

    /// The number, when the work runs.
    pub(crate) fn get(self) -> T {
        match self {
            Value::Host(value) => value,
            // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
            Value::Device(place) => unsafe { place.read_unaligned() },
        }
    }
}

pub(crate) const INVALID: cublasError = cublasError::INVALID_VALUE;

/// `INVALID_VALUE` where it is not so.
pub(crate) fn check(is: bool) -> CublasResult {
    if is { Ok(()) } else { Err(INVALID) }
}

/// A size, which is not negative.
pub(crate) fn size(value: i64) -> CublasResult<usize> {
    usize::try_from(value).map_err(|_| INVALID)
}

/// The distance of columns, which is at least their length.
pub(crate) fn leading(value: i64, rows: usize) -> CublasResult<isize> {
    check(value >= (rows as i64).max(1))?;
    Ok(value as isize)
}

pub(crate) fn operation(value: cublasOperation_t) -> CublasResult<Turned> {
    Ok(match value {
        cublasOperation_t::CUBLAS_OP_N => Turned { transposed: false, conj: false },
        cublasOperation_t::CUBLAS_OP_T => Turned { transposed: true, conj: false },
        cublasOperation_t::CUBLAS_OP_C => Turned { transposed: true, conj: true },
        _ => return Err(INVALID),
    })
}

/// Whether the upper triangle is meant.
pub(crate) fn upper(value: cublasFillMode_t) -> CublasResult<bool> {
    match value {
        cublasFillMode_t::CUBLAS_FILL_MODE_LOWER => Ok(false),
        cublasFillMode_t::CUBLAS_FILL_MODE_UPPER => Ok(true),
        _ => Err(INVALID),
    }
}

/// Whether the diagonal is one.
pub(crate) fn unit(value: cublasDiagType_t) -> CublasResult<bool> {
    match value {
        cublasDiagType_t::CUBLAS_DIAG_NON_UNIT => Ok(false),
        cublasDiagType_t::CUBLAS_DIAG_UNIT => Ok(true),
        _ => Err(INVALID),
    }
}

/// Whether the left side is meant.
pub(crate) fn left(value: cublasSideMode_t) -> CublasResult<bool> {
    match value {
        cublasSideMode_t::CUBLAS_SIDE_LEFT => Ok(true),
        cublasSideMode_t::CUBLAS_SIDE_RIGHT => Ok(false),
        _ => Err(INVALID),
    }
}

/// The rows and columns of a matrix before it is transposed.
pub(crate) fn turn_back(turned: Turned, rows: usize, columns: usize) -> (usize, usize) {
    if turned.transposed { (columns, rows) } else { (rows, columns) }
}

/// A matrix as an operation gives it.
pub(crate) fn matrix<T: Copy>(first: *const T, leading: isize, turned: Turned) -> Matrix<T> {
    let matrix = Matrix::columns(first, leading);
    let matrix = if turned.transposed { matrix.transposed() } else { matrix };
    if turned.conj { matrix.conjugated() } else { matrix }
}

/// A vector of the API.
pub(crate) fn vector<N: Number>(first: *const N, n: usize, step: i64) -> Vector<N::Own> {
    Vector::blas(first.cast(), n, step as isize)
}
