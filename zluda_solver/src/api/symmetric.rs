//! Symmetric and Hermitian systems of equations that need not be definite: sytrf, hetrf, sytrs, hetrs, sytri.

use super::{SMALLEST, no_workspace};
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{Number, Pivot, typed};
use cuda_types::cusolver::*;
use dense::pointer::Pointer;
use dense::symmetric::Symmetric;
use dense::{Matrix, Scalar, cholesky};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Pivots of a matrix of `n` rows; none where there is no place for them: rows stayed where they were.
///
/// # Safety
/// The place is null or memory of that many.
unsafe fn read_pivots<P: Pivot>(pivots: Pointer<P>, n: usize) -> Option<Vec<i64>> {
    // SAFETY: the caller says so.
    let row = |i| unsafe { pivots.at(i).read_unaligned().row() };
    (!pivots.is_null()).then(|| (0..n).map(row).collect())
}

fn decompose<T: Scalar, P: Pivot>(
    handle: &Handle,
    matrix: Symmetric<T>,
    pivots: *mut P,
    info: *mut c_int,
) -> CusolverResult {
    let (pivots, info) = (Pointer::of(pivots.cast_const()), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            matrix.a.touch(matrix.n, matrix.n);
            let mut rows = vec![0; if pivots.is_null() { 0 } else { matrix.n }];
            let found = matrix.decompose((!pivots.is_null()).then_some(rows.as_mut_slice()));
            for (i, row) in rows.into_iter().enumerate() {
                pivots.at(i).write_unaligned(P::from_row(row));
            }
            info.set_if_wanted(found);
        }
    })
}

fn solve<T: Scalar, P: Pivot>(
    handle: &Handle,
    matrix: Symmetric<T>,
    pivots: *const P,
    (b, sides): (Matrix<T>, usize),
    info: *mut c_int,
) -> CusolverResult {
    let (pivots, info) = (Pointer::of(pivots), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the decomposition.
        unsafe {
            matrix.a.touch(matrix.n, matrix.n);
            let pivots = read_pivots(pivots, matrix.n);
            matrix.solve(pivots.as_deref(), b, sides);
            info.set_if_wanted(0);
        }
    })
}

pub(crate) fn sytrf_buffer<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    _a: *mut N,
    lda: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let n = arguments.size(1, n)?;
    arguments.leading(3, lda, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sytrf<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    pivots: *mut c_int,
    _workspace: *mut N,
    count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    let lda = arguments.leading(4, lda, n)?;
    arguments.check(7, count >= SMALLEST)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    decompose(&handle, Symmetric { a, n, upper, hermitian: false }, pivots, info)
}

pub(crate) fn sytri_buffer<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    _a: *mut N,
    lda: i64,
    _pivots: *const c_int,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    arguments.leading(4, lda, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sytri<N: Number>(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    pivots: *const c_int,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let upper = arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    let lda = arguments.leading(4, lda, n)?;
    let a = Matrix::<N::Own>::columns(a.cast_const().cast(), lda);
    let (pivots, info) = (Pointer::of(pivots), Pointer::of(info.cast_const()));
    handle.run(1, move |_| {
        // SAFETY: as for the decomposition.
        unsafe {
            a.touch(n, n);
            let pivots = read_pivots(pivots, n);
            let matrix = Symmetric { a, n, upper, hermitian: false };
            cholesky::replace_triangle(a, upper, n, |inverse| {
                matrix.solve(pivots.as_deref(), inverse, n);
            });
            info.set_if_wanted(0);
        }
    })
}

/// Defines the functions of symmetric and of Hermitian matrices of any type.
macro_rules! decompositions {
    ($name:ident, $buffer:ident, $hermitian:literal) => {
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $buffer(
            handle: Arc<Handle>,
            _params: cusolverDnParams_t,
            fill: cublasFillMode_t,
            n: i64,
            data_type: cudaDataType,
            _a: *const c_void,
            lda: i64,
            _pivots: *const i64,
            compute_type: cudaDataType,
            on_device: Out<usize>,
            on_host: Out<usize>,
        ) -> CusolverResult {
            let arguments = Arguments::without_info(&handle);
            arguments.upper(2, fill)?;
            let n = arguments.size(3, n)?;
            arguments.leading(6, lda, n)?;
            arguments.check(8, compute_type == data_type)?;
            typed!(data_type, _T => no_workspace(on_device, on_host))
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $name(
            handle: Arc<Handle>,
            _params: cusolverDnParams_t,
            fill: cublasFillMode_t,
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
            let upper = arguments.upper(2, fill)?;
            let n = arguments.size(3, n)?;
            let lda = arguments.leading(6, lda, n)?;
            arguments.check(8, compute_type == data_type)?;
            typed!(data_type, T => {
                let a = Matrix::<T>::columns(a.cast_const().cast(), lda);
                decompose(&handle, Symmetric { a, n, upper, hermitian: $hermitian }, pivots, info)
            })
        }
    };
}

decompositions!(xsytrf, xsytrf_buffer, false);
decompositions!(xhetrf, xhetrf_buffer, true);

/// A system of a decomposed matrix and right sides; numbers of arguments count from `first`, that of the triangle.
struct System {
    first: c_int,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    a: (cudaDataType, *const c_void, i64),
    b: (cudaDataType, *mut c_void, i64),
    hermitian: bool,
}

impl System {
    fn solve(self, handle: &Handle, pivots: *const i64, info: *mut c_int) -> CusolverResult {
        let System { first, a: (type_a, a, lda), b: (type_b, b, ldb), hermitian, .. } = self;
        let arguments = Arguments::of(handle, info);
        let upper = arguments.upper(first, self.fill)?;
        let n = arguments.size(first + 1, self.n)?;
        let sides = arguments.size(first + 2, self.sides)?;
        let lda = arguments.leading(first + 5, lda, n)?;
        arguments.check(first + 7, type_b == type_a)?;
        let ldb = arguments.leading(first + 9, ldb, n)?;
        typed!(type_a, T => {
            let a = Matrix::<T>::columns(a.cast(), lda);
            let b = Matrix::<T>::columns(b.cast_const().cast(), ldb);
            solve(handle, Symmetric { a, n, upper, hermitian }, pivots, (b, sides), info)
        })
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsytrs_buffer(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    type_a: cudaDataType,
    _a: *const c_void,
    lda: i64,
    _pivots: *const i64,
    _type_b: cudaDataType,
    _b: *mut c_void,
    _ldb: i64,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.upper(1, fill)?;
    let n = arguments.size(2, n)?;
    arguments.size(3, sides)?;
    arguments.leading(6, lda, n)?;
    typed!(type_a, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsytrs(
    handle: Arc<Handle>,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    type_a: cudaDataType,
    a: *const c_void,
    lda: i64,
    pivots: *const i64,
    type_b: cudaDataType,
    b: *mut c_void,
    ldb: i64,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let (a, b) = ((type_a, a, lda), (type_b, b, ldb));
    System { first: 1, fill, n, sides, a, b, hermitian: false }.solve(&handle, pivots, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xhetrs_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    type_a: cudaDataType,
    a: *const c_void,
    lda: i64,
    pivots: *const i64,
    type_b: cudaDataType,
    b: *mut c_void,
    ldb: i64,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    xsytrs_buffer(
        handle, fill, n, sides, type_a, a, lda, pivots, type_b, b, ldb, on_device, on_host,
    )
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xhetrs(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    fill: cublasFillMode_t,
    n: i64,
    sides: i64,
    type_a: cudaDataType,
    a: *const c_void,
    lda: i64,
    pivots: *const i64,
    type_b: cudaDataType,
    b: *mut c_void,
    ldb: i64,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let (a, b) = ((type_a, a, lda), (type_b, b, ldb));
    System { first: 2, fill, n, sides, a, b, hermitian: true }.solve(&handle, pivots, info)
}
