//! Systems of equations that NVIDIA's library solves in a low precision and refines: gesv, gels. They are solved in the
//! precision of their numbers here, and nothing is left to refine: zero iterations.

use crate::arguments::Arguments;
use crate::convert::{FromC, Out};
use crate::handle::Handle;
use crate::number::{Number, typed};
use cuda_types::cusolver::*;
use dense::banded::Turned;
use dense::pointer::Pointer;
use dense::{Matrix, lu, qr};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// A system: of A, B and X, the addresses and the distances of columns.
struct System<T> {
    sizes: (i64, i64, i64),
    a: (*const T, i64),
    pivots: *mut c_int,
    b: (*const T, i64),
    x: (*const T, i64),
}

/// The numbers of the arguments m, n, the count of right sides, lda, ldb and ldx; without m it is that of n.
type Numbers = [c_int; 6];

impl<T: spectral::Number> System<T> {
    /// Solves a square system; A and B stay as they are.
    fn solve(
        self,
        handle: &Handle,
        [_, n_, sides_, lda_, ldb_, ldx_]: Numbers,
        iterations: Out<c_int>,
        info: *mut c_int,
    ) -> CusolverResult {
        let arguments = Arguments::of(handle, info);
        let (n, sides) = (arguments.size(n_, self.sizes.1)?, arguments.size(sides_, self.sizes.2)?);
        let lda = arguments.leading(lda_, self.a.1, n)?;
        let ldb = arguments.leading(ldb_, self.b.1, n)?;
        let ldx = arguments.leading(ldx_, self.x.1, n)?;
        let a = Matrix::columns(self.a.0, lda);
        let (b, x) = (Matrix::columns(self.b.0, ldb), Matrix::columns(self.x.0, ldx));
        let (pivots, info) =
            (Pointer::of(self.pivots.cast_const()), Pointer::of(info.cast_const()));
        iterations.set_if_wanted(0);
        handle.run(1, move |_| {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            unsafe {
                let mut factors = a.read(n, n);
                let right = b.read(n, sides);
                let own = Matrix::columns(factors.as_mut_ptr().cast_const(), n.max(1) as isize);
                let mut rows = vec![0; n];
                let singular = lu::decompose(own, (n, n), rows.as_mut_ptr());
                for (i, row) in rows.iter().enumerate().filter(|_| !pivots.is_null()) {
                    pivots.at(i).write_unaligned(*row);
                }
                if singular == 0 {
                    x.write(n, sides, &right);
                    let as_it_is = Turned { transposed: false, conj: false };
                    lu::solve(own, as_it_is, n, rows.as_ptr(), x, sides);
                }
                info.set_if_wanted(singular);
            }
        })
    }

    /// Finds the least squares of a system of at least as many equations as unknowns; A and B stay as they are.
    fn least_squares(
        self,
        handle: &Handle,
        [m_, n_, sides_, lda_, ldb_, ldx_]: Numbers,
        iterations: Out<c_int>,
        info: *mut c_int,
    ) -> CusolverResult {
        let arguments = Arguments::of(handle, info);
        let (m, n) = (arguments.size(m_, self.sizes.0)?, arguments.size(n_, self.sizes.1)?);
        arguments.check(n_, n <= m)?;
        let sides = arguments.size(sides_, self.sizes.2)?;
        let lda = arguments.leading(lda_, self.a.1, m)?;
        let ldb = arguments.leading(ldb_, self.b.1, m)?;
        let ldx = arguments.leading(ldx_, self.x.1, n)?;
        let a = Matrix::columns(self.a.0, lda);
        let (b, x) = (Matrix::columns(self.b.0, ldb), Matrix::columns(self.x.0, ldx));
        let info = Pointer::of(info.cast_const());
        iterations.set_if_wanted(0);
        handle.run(1, move |_| {
            // SAFETY: as above.
            unsafe {
                let (mut factors, mut right) = (a.read(m, n), b.read(m, sides));
                let rows = m.max(1) as isize;
                let own = Matrix::columns(factors.as_mut_ptr().cast_const(), rows);
                let result = Matrix::columns(right.as_mut_ptr().cast_const(), rows);
                let singular = qr::least_squares(own, m, n, result, sides);
                for j in 0..sides {
                    for i in 0..n {
                        x.set(i, j, result.get(i, j));
                    }
                }
                info.set_if_wanted(singular);
            }
        })
    }
}

const NO_WORKSPACE: usize = 64;

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesv_buffer<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    sides: i64,
    _a: *mut N,
    lda: i64,
    _pivots: *mut c_int,
    _b: *mut N,
    ldb: i64,
    _x: *mut N,
    ldx: i64,
    _workspace: *mut c_void,
    bytes: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let n = arguments.size(1, n)?;
    arguments.size(2, sides)?;
    for (number, leading) in [(4, lda), (7, ldb), (9, ldx)] {
        arguments.leading(number, leading, n)?;
    }
    bytes.set(NO_WORKSPACE)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesv<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    sides: i64,
    a: *mut N,
    lda: i64,
    pivots: *mut c_int,
    b: *mut N,
    ldb: i64,
    x: *mut N,
    ldx: i64,
    _workspace: *mut c_void,
    _bytes: usize,
    iterations: Out<c_int>,
    info: *mut c_int,
) -> CusolverResult {
    let system = System::<N::Own> {
        sizes: (n, n, sides),
        a: (a.cast_const().cast(), lda),
        pivots,
        b: (b.cast_const().cast(), ldb),
        x: (x.cast_const().cast(), ldx),
    };
    system.solve(&handle, [1, 1, 2, 4, 7, 9], iterations, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gels_buffer<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    sides: i64,
    _a: *mut N,
    lda: i64,
    _b: *mut N,
    ldb: i64,
    _x: *mut N,
    ldx: i64,
    _workspace: *mut c_void,
    bytes: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let (m, n) = (arguments.size(1, m)?, arguments.size(2, n)?);
    arguments.size(3, sides)?;
    for (number, leading, rows) in [(5, lda, m), (7, ldb, m), (9, ldx, n)] {
        arguments.leading(number, leading, rows)?;
    }
    bytes.set(NO_WORKSPACE)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gels<N: Number>(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    sides: i64,
    a: *mut N,
    lda: i64,
    b: *mut N,
    ldb: i64,
    x: *mut N,
    ldx: i64,
    _workspace: *mut c_void,
    _bytes: usize,
    iterations: Out<c_int>,
    info: *mut c_int,
) -> CusolverResult {
    let system = System::<N::Own> {
        sizes: (m, n, sides),
        a: (a.cast_const().cast(), lda),
        pivots: std::ptr::null_mut(),
        b: (b.cast_const().cast(), ldb),
        x: (x.cast_const().cast(), ldx),
    };
    system.least_squares(&handle, [1, 2, 3, 5, 7, 9], iterations, info)
}

/// A program's parameters. The precision of the numbers decides; how they are refined changes nothing.
pub(crate) struct Params {
    precision: Mutex<Option<cusolverPrecType_t>>,
    most_iterations: Mutex<c_int>,
}

static PARAMS: LazyLock<HandleTable<Params>> =
    LazyLock::new(|| HandleTable::new(Kind::CUSOLVER_IRS_PARAMS));

impl FromC<cusolverDnIRSParams_t> for Arc<Params> {
    unsafe fn from_c(handle: cusolverDnIRSParams_t) -> CusolverResult<Self> {
        PARAMS.get(handle as u64).ok_or(cusolverError::IRS_PARAMS_NOT_INITIALIZED)
    }
}

impl Params {
    /// The type of the numbers that systems of these parameters have.
    fn data_type(&self) -> CusolverResult<cudaDataType> {
        match *self.precision.lock() {
            Some(cusolverPrecType_t::CUSOLVER_R_32F) => Ok(cudaDataType_t::CUDA_R_32F),
            Some(cusolverPrecType_t::CUSOLVER_R_64F) => Ok(cudaDataType_t::CUDA_R_64F),
            Some(cusolverPrecType_t::CUSOLVER_C_32F) => Ok(cudaDataType_t::CUDA_C_32F),
            Some(cusolverPrecType_t::CUSOLVER_C_64F) => Ok(cudaDataType_t::CUDA_C_64F),
            _ => Err(cusolverError::IRS_PARAMS_INVALID_PREC),
        }
    }
}

pub(crate) fn create_params(params: Out<cusolverDnIRSParams_t>) -> CusolverResult {
    params.check()?;
    let made = Params { precision: Mutex::new(None), most_iterations: Mutex::new(50) };
    let made = PARAMS.insert(Arc::new(made)).ok_or(cusolverError::ALLOC_FAILED)?;
    params.set(std::ptr::without_provenance_mut(made as usize))
}

pub(crate) fn destroy_params(params: cusolverDnIRSParams_t) -> CusolverResult {
    let removed = PARAMS.remove(params as u64);
    removed.map(drop).ok_or(cusolverError::IRS_PARAMS_NOT_INITIALIZED)
}

pub(crate) fn set_precision(params: Arc<Params>, precision: cusolverPrecType_t) -> CusolverResult {
    *params.precision.lock() = Some(precision);
    Ok(())
}

pub(crate) fn set_precisions(
    params: Arc<Params>,
    precision: cusolverPrecType_t,
    _lowest: cusolverPrecType_t,
) -> CusolverResult {
    set_precision(params, precision)
}

pub(crate) fn set_lowest_precision(_: Arc<Params>, _lowest: cusolverPrecType_t) -> CusolverResult {
    Ok(())
}

pub(crate) fn set_refinement(_: Arc<Params>, _how: cusolverIRSRefinement_t) -> CusolverResult {
    Ok(())
}

pub(crate) fn set_tolerance(_: Arc<Params>, _tolerance: f64) -> CusolverResult {
    Ok(())
}

pub(crate) fn set_most_iterations(params: Arc<Params>, most: c_int) -> CusolverResult {
    *params.most_iterations.lock() = most;
    Ok(())
}

pub(crate) fn set_most_inner_iterations(_: Arc<Params>, _most: c_int) -> CusolverResult {
    Ok(())
}

pub(crate) fn get_most_iterations(params: Arc<Params>, most: Out<c_int>) -> CusolverResult {
    most.set(*params.most_iterations.lock())
}

pub(crate) fn set_fallback(_: Arc<Params>) -> CusolverResult {
    Ok(())
}

/// The report of a call that is over: how often it iterated, which is never.
pub(crate) struct Infos;

static INFOS: LazyLock<HandleTable<Infos>> =
    LazyLock::new(|| HandleTable::new(Kind::CUSOLVER_IRS_INFOS));

impl FromC<cusolverDnIRSInfos_t> for Arc<Infos> {
    unsafe fn from_c(handle: cusolverDnIRSInfos_t) -> CusolverResult<Self> {
        INFOS.get(handle as u64).ok_or(cusolverError::IRS_INFOS_NOT_INITIALIZED)
    }
}

pub(crate) fn create_infos(infos: Out<cusolverDnIRSInfos_t>) -> CusolverResult {
    infos.check()?;
    let made = INFOS.insert(Arc::new(Infos)).ok_or(cusolverError::ALLOC_FAILED)?;
    infos.set(std::ptr::without_provenance_mut(made as usize))
}

pub(crate) fn destroy_infos(infos: cusolverDnIRSInfos_t) -> CusolverResult {
    let removed = INFOS.remove(infos as u64);
    removed.map(drop).ok_or(cusolverError::IRS_INFOS_NOT_INITIALIZED)
}

pub(crate) fn iterations(_: Arc<Infos>, count: Out<c_int>) -> CusolverResult {
    count.set(0)
}

pub(crate) fn xgesv_buffer(
    handle: Arc<Handle>,
    params: Arc<Params>,
    n: i64,
    sides: i64,
    bytes: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    params.data_type()?;
    arguments.size(2, n)?;
    arguments.size(3, sides)?;
    bytes.set(NO_WORKSPACE)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesv(
    handle: Arc<Handle>,
    params: Arc<Params>,
    _infos: Arc<Infos>,
    n: i64,
    sides: i64,
    a: *mut c_void,
    lda: i64,
    b: *mut c_void,
    ldb: i64,
    x: *mut c_void,
    ldx: i64,
    _workspace: *mut c_void,
    _bytes: usize,
    iterations: Out<c_int>,
    info: *mut c_int,
) -> CusolverResult {
    typed!(params.data_type()?, T => {
        let system = System::<T> {
            sizes: (n, n, sides),
            a: (a.cast_const().cast(), lda),
            pivots: std::ptr::null_mut(),
            b: (b.cast_const().cast(), ldb),
            x: (x.cast_const().cast(), ldx),
        };
        system.solve(&handle, [3, 3, 4, 6, 8, 10], iterations, info)
    })
}

pub(crate) fn xgels_buffer(
    handle: Arc<Handle>,
    params: Arc<Params>,
    m: i64,
    n: i64,
    sides: i64,
    bytes: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    params.data_type()?;
    for (number, value) in [(2, m), (3, n), (4, sides)] {
        arguments.size(number, value)?;
    }
    bytes.set(NO_WORKSPACE)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgels(
    handle: Arc<Handle>,
    params: Arc<Params>,
    _infos: Arc<Infos>,
    m: i64,
    n: i64,
    sides: i64,
    a: *mut c_void,
    lda: i64,
    b: *mut c_void,
    ldb: i64,
    x: *mut c_void,
    ldx: i64,
    _workspace: *mut c_void,
    _bytes: usize,
    iterations: Out<c_int>,
    info: *mut c_int,
) -> CusolverResult {
    typed!(params.data_type()?, T => {
        let system = System::<T> {
            sizes: (m, n, sides),
            a: (a.cast_const().cast(), lda),
            pivots: std::ptr::null_mut(),
            b: (b.cast_const().cast(), ldb),
            x: (x.cast_const().cast(), ldx),
        };
        system.least_squares(&handle, [3, 4, 5, 7, 9, 11], iterations, info)
    })
}
