//! The checks of arguments that the functions have in common.

use crate::handle::Handle;
use cuda_types::cusolver::*;
use dense::banded::Turned;
use dense::pointer::Pointer;
use std::ffi::c_int;

const INVALID: cusolverError = cusolverError::INVALID_VALUE;

/// Arguments of a call. Each has its number, from 1 for the one after the handle: where one is wrong, the program finds
/// the negative number in the place for the call's information, in device memory.
pub(crate) struct Arguments<'a> {
    handle: &'a Handle,
    info: Pointer<c_int>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn of(handle: &'a Handle, info: *mut c_int) -> Self {
        Arguments { handle, info: Pointer::of(info.cast_const()) }
    }

    /// Those of a function that tells nothing but its status.
    pub(crate) fn without_info(handle: &'a Handle) -> Self {
        Arguments::of(handle, std::ptr::null_mut())
    }

    /// `INVALID_VALUE` where it is not so.
    pub(crate) fn check(&self, number: c_int, is: bool) -> CusolverResult {
        if is {
            return Ok(());
        }
        let info = self.info;
        if !info.is_null() {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            self.handle.run(1, move |_| unsafe { info.set(-number) })?;
        }
        Err(INVALID)
    }

    fn checked<T>(&self, number: c_int, value: Option<T>) -> CusolverResult<T> {
        self.check(number, value.is_some())?;
        value.ok_or(INVALID)
    }

    /// A size, which is not negative.
    pub(crate) fn size(&self, number: c_int, value: i64) -> CusolverResult<usize> {
        self.checked(number, usize::try_from(value).ok())
    }

    /// The distance of columns, which is at least their length.
    pub(crate) fn leading(&self, number: c_int, value: i64, rows: usize) -> CusolverResult<isize> {
        self.check(number, value >= (rows as i64).max(1))?;
        Ok(value as isize)
    }

    /// Whether the upper triangle is meant.
    pub(crate) fn upper(&self, number: c_int, value: cublasFillMode_t) -> CusolverResult<bool> {
        self.checked(
            number,
            match value {
                cublasFillMode_t::CUBLAS_FILL_MODE_LOWER => Some(false),
                cublasFillMode_t::CUBLAS_FILL_MODE_UPPER => Some(true),
                _ => None,
            },
        )
    }

    /// Whether the left side is meant.
    pub(crate) fn left(&self, number: c_int, value: cublasSideMode_t) -> CusolverResult<bool> {
        self.checked(
            number,
            match value {
                cublasSideMode_t::CUBLAS_SIDE_LEFT => Some(true),
                cublasSideMode_t::CUBLAS_SIDE_RIGHT => Some(false),
                _ => None,
            },
        )
    }

    /// Whether vectors are wanted.
    pub(crate) fn vectors(&self, number: c_int, value: cusolverEigMode_t) -> CusolverResult<bool> {
        self.checked(
            number,
            match value {
                cusolverEigMode_t::CUSOLVER_EIG_MODE_NOVECTOR => Some(false),
                cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR => Some(true),
                _ => None,
            },
        )
    }

    pub(crate) fn operation(
        &self,
        number: c_int,
        value: cublasOperation_t,
    ) -> CusolverResult<Turned> {
        self.checked(
            number,
            match value {
                cublasOperation_t::CUBLAS_OP_N => Some(Turned { transposed: false, conj: false }),
                cublasOperation_t::CUBLAS_OP_T => Some(Turned { transposed: true, conj: false }),
                cublasOperation_t::CUBLAS_OP_C => Some(Turned { transposed: true, conj: true }),
                _ => None,
            },
        )
    }

    /// Whether Q or its adjoint is meant. The transposed one of real numbers is the adjoint, and has that name alone.
    pub(crate) fn adjoint(
        &self,
        number: c_int,
        value: cublasOperation_t,
        is_complex: bool,
    ) -> CusolverResult<bool> {
        let turned = self.operation(number, value)?;
        self.check(number, !turned.transposed || turned.conj == is_complex)?;
        Ok(turned.transposed)
    }

    /// The type of generalised problem: 1, 2 or 3.
    pub(crate) fn problem(&self, number: c_int, value: cusolverEigType_t) -> CusolverResult<u32> {
        self.check(number, (1..=3).contains(&value.0))?;
        Ok(value.0)
    }
}
