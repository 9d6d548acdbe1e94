//! Singular values: gesvd, gesvdj, gesvda, gesvdp and gesvdr, which are one algorithm here.

use super::{SMALLEST, no_workspace};
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{Number, RealOf, real_type, typed};
use cuda_types::cusolver::*;
use dense::pointer::Pointer;
use dense::{Matrix, Real, Scalar};
use spectral::Vectors;
use std::ffi::{c_char, c_int, c_longlong, c_schar, c_void};
use std::sync::Arc;

/// Columns of singular vectors that are wanted, and their place.
#[derive(Clone, Copy)]
struct Columns<T> {
    place: Matrix<T>,
    count: usize,
}

/// A decomposition `A = U S V'`.
#[derive(Clone, Copy)]
struct Decomposition<T: Scalar> {
    a: Matrix<T>,
    m: usize,
    n: usize,
    /// Singular values that are wanted, the largest first.
    count: usize,
    values: Pointer<T::Real>,
    u: Option<Columns<T>>,
    v: Option<Columns<T>>,
    /// Whether V is written as its adjoint, a vector in a row.
    adjoint: bool,
}

impl<T: spectral::Number> Decomposition<T> {
    /// By how much the Frobenius norm of A differs from that of all its singular values; none where these were not found.
    /// Then they are no numbers, so that nobody takes what was there before for them.
    ///
    /// # Safety
    /// The places are memory of their sizes.
    unsafe fn run(&self) -> Option<f64> {
        let Decomposition { m, n, .. } = *self;
        let all = m.min(n);
        // SAFETY: the caller says so.
        unsafe {
            let a = self.a.read(m, n);
            let wanted = |columns: &Option<Columns<T>>| match columns {
                None => Vectors::No,
                Some(columns) if columns.count > all => Vectors::Full,
                Some(_) => Vectors::Thin,
            };
            let found = spectral::singular(&a, (m, n), wanted(&self.u), wanted(&self.v));
            let Some(found) = found else {
                let nan = <T as Scalar>::Real::from_f64(f64::NAN);
                (0..self.count).for_each(|i| self.values.at(i).write_unaligned(nan));
                return None;
            };
            for (i, value) in found.values.iter().take(self.count).enumerate() {
                self.values.at(i).write_unaligned(*value);
            }
            if let Some(columns) = self.u {
                columns.place.write(m, columns.count, &found.u);
            }
            if let Some(columns) = self.v {
                for (j, column) in found.v.chunks_exact(n.max(1)).take(columns.count).enumerate() {
                    for (i, value) in column.iter().enumerate() {
                        match self.adjoint {
                            true => columns.place.set(j, i, value.conj()),
                            false => columns.place.set(i, j, *value),
                        }
                    }
                }
            }
            let norm_of_a = norm(a.iter().map(|x| x.modulus()));
            Some((norm_of_a - norm(found.values.iter().copied())).abs())
        }
    }
}

/// The square root of the sum of squares.
fn norm<R: Real>(values: impl Iterator<Item = R>) -> f64 {
    values.map(|value| value.to_f64().powi(2)).sum::<f64>().sqrt()
}

fn columns<T: Copy>(place: *const T, leading: isize, count: usize) -> Option<Columns<T>> {
    Some(Columns { place: Matrix::columns(place, leading), count })
}

/// Letters of gesvd that say where vectors go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    All,
    Some,
    /// In place of A.
    Over,
    None,
}

impl Job {
    fn of(letter: c_schar) -> Option<Job> {
        match letter as u8 {
            b'A' => Some(Job::All),
            b'S' => Some(Job::Some),
            b'O' => Some(Job::Over),
            b'N' => Some(Job::None),
            _ => None,
        }
    }
}

/// The vectors that gesvd is asked for; numbers of arguments count from `first`, that of the first letter.
struct Gesvd<T: Scalar> {
    jobs: (c_schar, c_schar),
    sizes: (i64, i64),
    a: (Matrix<T>, i64),
    values: Pointer<T::Real>,
    u: (*const T, i64),
    vt: (*const T, i64),
}

/// The numbers of gesvd's arguments: m, lda, ldu, ldvt.
struct Numbers {
    first: c_int,
    m: c_int,
    lda: c_int,
    ldu: c_int,
    ldvt: c_int,
}

impl<T: spectral::Number> Gesvd<T> {
    /// "gesvd only supports m>=n."
    fn check(
        &self,
        arguments: &Arguments<'_>,
        numbers: &Numbers,
    ) -> CusolverResult<Decomposition<T>> {
        let first = numbers.first;
        let (job_u, job_v) = (Job::of(self.jobs.0), Job::of(self.jobs.1));
        arguments.check(first, job_u.is_some())?;
        // Both cannot take the place of A.
        let both = job_u == Some(Job::Over) && job_v == Some(Job::Over);
        arguments.check(first + 1, job_v.is_some() && !both)?;
        let m = arguments.size(numbers.m, self.sizes.0)?;
        let n = arguments.size(numbers.m + 1, self.sizes.1)?;
        if m < n {
            return Err(cusolverError::INVALID_VALUE);
        }
        let lda = arguments.leading(numbers.lda, self.a.1, m)?;
        let rows_of_u = if matches!(job_u, Some(Job::All | Job::Some)) { m } else { 1 };
        let ldu = arguments.leading(numbers.ldu, self.u.1, rows_of_u)?;
        let rows_of_vt = if matches!(job_v, Some(Job::All | Job::Some)) { n } else { 1 };
        let ldvt = arguments.leading(numbers.ldvt, self.vt.1, rows_of_vt)?;
        let a = Matrix { column: lda, ..self.a.0 };
        let place = |job, own: Matrix<T>, all: usize| match job {
            Some(Job::All) => Some(Columns { place: own, count: all }),
            Some(Job::Some) => Some(Columns { place: own, count: n }),
            Some(Job::Over) => Some(Columns { place: a, count: n }),
            _ => None,
        };
        Ok(Decomposition {
            a,
            m,
            n,
            count: n,
            values: self.values,
            u: place(job_u, Matrix::columns(self.u.0, ldu), m),
            v: place(job_v, Matrix::columns(self.vt.0, ldvt), n),
            adjoint: true,
        })
    }
}

fn run<T: spectral::Number>(
    handle: &Handle,
    task: Decomposition<T>,
    info: *mut c_int,
    not_found: c_int,
) -> CusolverResult {
    let info = Pointer::of(info.cast_const());
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            let found = task.run();
            info.set_if_wanted(if found.is_some() { 0 } else { not_found });
        }
    })
}

fn least_workspace(m: usize, n: usize) -> usize {
    // As LAPACK asks for; a smaller one is an error here too.
    let (smaller, larger) = (m.min(n), m.max(n));
    (3 * smaller).saturating_add(larger).max(5 * smaller).max(1)
}

pub(crate) fn gesvd_buffer(
    handle: Arc<Handle>,
    m: i64,
    n: i64,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let (m, n) = (arguments.size(1, m)?, arguments.size(2, n)?);
    arguments.check(1, m >= n)?;
    count.set(c_int::try_from(least_workspace(m, n)).unwrap_or(c_int::MAX))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvd<N: Number>(
    handle: Arc<Handle>,
    job_u: c_schar,
    job_vt: c_schar,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    values: *mut RealOf<N>,
    u: *mut N,
    ldu: i64,
    vt: *mut N,
    ldvt: i64,
    _workspace: *mut N,
    count: c_int,
    _real_workspace: *mut RealOf<N>,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let numbers = Numbers { first: 1, m: 3, lda: 6, ldu: 9, ldvt: 11 };
    let task = Gesvd::<N::Own> {
        jobs: (job_u, job_vt),
        sizes: (m, n),
        a: (Matrix::columns(a.cast_const().cast(), 0), lda),
        values: Pointer::of(values.cast_const()),
        u: (u.cast_const().cast(), ldu),
        vt: (vt.cast_const().cast(), ldvt),
    };
    let task = task.check(&arguments, &numbers)?;
    arguments.check(13, i64::from(count) >= least_workspace(task.m, task.n) as i64)?;
    run(&handle, task, info, task.n as c_int)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesvd_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    _job_u: c_schar,
    _job_vt: c_schar,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    _lda: i64,
    type_s: cudaDataType,
    _values: *const c_void,
    _type_u: cudaDataType,
    _u: *const c_void,
    _ldu: i64,
    _type_vt: cudaDataType,
    _vt: *const c_void,
    _ldvt: i64,
    _compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let (m, n) = (arguments.size(4, m)?, arguments.size(5, n)?);
    arguments.check(4, m >= n)?;
    arguments.check(9, type_s == real_type(data_type))?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesvd(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    job_u: c_schar,
    job_vt: c_schar,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_s: cudaDataType,
    values: *mut c_void,
    type_u: cudaDataType,
    u: *mut c_void,
    ldu: i64,
    type_vt: cudaDataType,
    vt: *mut c_void,
    ldvt: i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    arguments.check(9, type_s == real_type(data_type))?;
    arguments.check(11, [type_u, type_vt, compute_type] == [data_type; 3])?;
    let numbers = Numbers { first: 2, m: 4, lda: 8, ldu: 13, ldvt: 16 };
    typed!(data_type, T => {
        let task = Gesvd::<T> {
            jobs: (job_u, job_vt),
            sizes: (m, n),
            a: (Matrix::columns(a.cast_const().cast(), 0), lda),
            values: Pointer::of(values.cast_const().cast()),
            u: (u.cast_const().cast(), ldu),
            vt: (vt.cast_const().cast(), ldvt),
        };
        let task = task.check(&arguments, &numbers)?;
        run(&handle, task, info, task.n as c_int)
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvdj_buffer<N: Number>(
    handle: Arc<Handle>,
    _mode: cusolverEigMode_t,
    _thin: c_int,
    m: i64,
    n: i64,
    _a: *const N,
    _lda: i64,
    _values: *const RealOf<N>,
    _u: *const N,
    _ldu: i64,
    _v: *const N,
    _ldv: i64,
    count: Out<c_int>,
    _params: gesvdjInfo_t,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(3, m)?;
    arguments.size(4, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvdj<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    thin: c_int,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    values: *mut RealOf<N>,
    u: *mut N,
    ldu: i64,
    v: *mut N,
    ldv: i64,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
    _params: gesvdjInfo_t,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let vectors = arguments.vectors(1, mode)?;
    let (m, n) = (arguments.size(3, m)?, arguments.size(4, n)?);
    let all = m.min(n);
    let lda = arguments.leading(6, lda, m)?;
    let ldu = arguments.leading(9, ldu, if vectors { m } else { 1 })?;
    let ldv = arguments.leading(11, ldv, if vectors { n } else { 1 })?;
    let wanted = |full| if thin != 0 { all } else { full };
    let task = Decomposition::<N::Own> {
        a: Matrix::columns(a.cast_const().cast(), lda),
        m,
        n,
        count: all,
        values: Pointer::of(values.cast_const()),
        u: columns(u.cast_const().cast(), ldu, wanted(m)).filter(|_| vectors),
        v: columns(v.cast_const().cast(), ldv, wanted(n)).filter(|_| vectors),
        adjoint: false,
    };
    run(&handle, task, info, all as c_int + 1)
}

/// The most rows and columns of matrices of a batch.
const LARGEST_OF_BATCH: usize = 32;

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvdj_batched_buffer<N: Number>(
    handle: Arc<Handle>,
    _mode: cusolverEigMode_t,
    _m: i64,
    _n: i64,
    _a: *const N,
    _lda: i64,
    _values: *const RealOf<N>,
    _u: *const N,
    _ldu: i64,
    _v: *const N,
    _ldv: i64,
    count: Out<c_int>,
    _params: gesvdjInfo_t,
    _batch: i64,
) -> CusolverResult {
    let _ = handle;
    count.set(WORKSPACE_OF_BATCH)
}

/// A smaller one is an error.
const WORKSPACE_OF_BATCH: c_int = 2;

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvdj_batched<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    m: i64,
    n: i64,
    a: *mut N,
    lda: i64,
    values: *mut RealOf<N>,
    u: *mut N,
    ldu: i64,
    v: *mut N,
    ldv: i64,
    _workspace: *mut N,
    count: c_int,
    info: *mut c_int,
    _params: gesvdjInfo_t,
    batch: i64,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let vectors = arguments.vectors(1, mode)?;
    let (m, n) = (arguments.size(2, m)?, arguments.size(3, n)?);
    arguments.check(2, m <= LARGEST_OF_BATCH)?;
    arguments.check(3, n <= LARGEST_OF_BATCH)?;
    let lda = arguments.leading(5, lda, m)?;
    let ldu = arguments.leading(8, ldu, if vectors { m } else { 1 })?;
    let ldv = arguments.leading(10, ldv, if vectors { n } else { 1 })?;
    arguments.check(12, count >= WORKSPACE_OF_BATCH)?;
    let batch = arguments.size(15, batch)?;
    let first = Decomposition::<N::Own> {
        a: Matrix::columns(a.cast_const().cast(), lda),
        m,
        n,
        count: m.min(n),
        values: Pointer::of(values.cast_const()),
        u: columns(u.cast_const().cast(), ldu, m).filter(|_| vectors),
        v: columns(v.cast_const().cast(), ldv, n).filter(|_| vectors),
        adjoint: false,
    };
    let info = Pointer::of(info.cast_const());
    handle.run(batch, move |item| {
        let moved = |columns: Columns<N::Own>| Columns {
            place: columns.place.at(0, item * columns.count),
            ..columns
        };
        let task = Decomposition {
            a: first.a.at(0, item * n),
            values: Pointer::of(first.values.at(item * first.count).cast_const()),
            u: first.u.map(moved),
            v: first.v.map(moved),
            ..first
        };
        // SAFETY: as above.
        unsafe {
            let found = task.run();
            let not_found = first.count as c_int + 1;
            info.at(item).write_unaligned(if found.is_some() { 0 } else { not_found });
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvda_buffer<N: Number>(
    handle: Arc<Handle>,
    _mode: cusolverEigMode_t,
    _rank: i64,
    m: i64,
    n: i64,
    _a: *const N,
    _lda: i64,
    _stride_a: c_longlong,
    _values: *const RealOf<N>,
    _stride_s: c_longlong,
    _u: *const N,
    _ldu: i64,
    _stride_u: c_longlong,
    _v: *const N,
    _ldv: i64,
    _stride_v: c_longlong,
    count: Out<c_int>,
    _batch: i64,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(3, m)?;
    arguments.size(4, n)?;
    count.set(SMALLEST)
}

/// For matrices that have at least as many rows as columns. By how much their Frobenius norms differ from those of all their
/// singular values goes to memory of the host, as cuSOLVER computes it, whatever the rank.
#[allow(clippy::too_many_arguments)]
pub(crate) fn gesvda<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    rank: i64,
    m: i64,
    n: i64,
    a: *const N,
    lda: i64,
    stride_a: c_longlong,
    values: *mut RealOf<N>,
    stride_s: c_longlong,
    u: *mut N,
    ldu: i64,
    stride_u: c_longlong,
    v: *mut N,
    ldv: i64,
    stride_v: c_longlong,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
    norms: *mut f64,
    batch: i64,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let vectors = arguments.vectors(1, mode)?;
    let rank = arguments.size(2, rank)?;
    let (m, n) = (arguments.size(3, m)?, arguments.size(4, n)?);
    if m < n {
        return Err(cusolverError::INVALID_VALUE);
    }
    arguments.check(2, rank <= n)?;
    let lda = arguments.leading(6, lda, m)?;
    let ldu = arguments.leading(11, ldu, if vectors { m } else { 1 })?;
    let ldv = arguments.leading(14, ldv, if vectors { n } else { 1 })?;
    let batch = arguments.size(20, batch)?;
    let first = Decomposition::<N::Own> {
        a: Matrix::columns(a.cast(), lda),
        m,
        n,
        count: rank,
        values: Pointer::of(values.cast_const()),
        u: columns(u.cast_const().cast(), ldu, rank).filter(|_| vectors),
        v: columns(v.cast_const().cast(), ldv, rank).filter(|_| vectors),
        adjoint: false,
    };
    let (info, norms) = (Pointer::of(info.cast_const()), Pointer::of(norms.cast_const()));
    handle.run(batch, move |item| {
        let far = |matrix: Matrix<N::Own>, stride: c_longlong| Matrix {
            first: matrix.first.wrapping_offset(stride as isize * item as isize),
            ..matrix
        };
        let moved = |columns: Columns<N::Own>, stride| Columns {
            place: far(columns.place, stride),
            ..columns
        };
        let values = first.values.at(0).wrapping_offset(stride_s as isize * item as isize);
        let task = Decomposition {
            a: far(first.a, stride_a),
            values: Pointer::of(values.cast_const()),
            u: first.u.map(|columns| moved(columns, stride_u)),
            v: first.v.map(|columns| moved(columns, stride_v)),
            ..first
        };
        // SAFETY: as above.
        unsafe {
            let found = task.run();
            let not_found = m.min(n) as c_int + 1;
            info.at(item).write_unaligned(if found.is_some() { 0 } else { not_found });
            if let Some(left) = found.filter(|_| !norms.is_null()) {
                norms.at(item).write_unaligned(left);
            }
        }
    })?;
    // The host reads them when the call is over.
    if norms.is_null() { Ok(()) } else { handle.wait() }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesvdp_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    _mode: cusolverEigMode_t,
    _thin: c_int,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    _lda: i64,
    type_s: cudaDataType,
    _values: *const c_void,
    _type_u: cudaDataType,
    _u: *const c_void,
    _ldu: i64,
    _type_v: cudaDataType,
    _v: *const c_void,
    _ldv: i64,
    _compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(4, m)?;
    arguments.size(5, n)?;
    arguments.check(9, type_s == real_type(data_type))?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesvdp(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    mode: cusolverEigMode_t,
    thin: c_int,
    m: i64,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_s: cudaDataType,
    values: *mut c_void,
    type_u: cudaDataType,
    u: *mut c_void,
    ldu: i64,
    type_v: cudaDataType,
    v: *mut c_void,
    ldv: i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
    error: Out<f64>,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let vectors = arguments.vectors(2, mode)?;
    let (m, n) = (arguments.size(4, m)?, arguments.size(5, n)?);
    let lda = arguments.leading(8, lda, m)?;
    arguments.check(9, type_s == real_type(data_type))?;
    arguments.check(11, [type_u, type_v, compute_type] == [data_type; 3])?;
    let ldu = arguments.leading(13, ldu, if vectors { m } else { 1 })?;
    let ldv = arguments.leading(16, ldv, if vectors { n } else { 1 })?;
    let wanted = |full: usize| if thin != 0 { m.min(n) } else { full };
    // The matrix is not perturbed, so there is no error of the perturbation.
    error.set_if_wanted(0.0);
    typed!(data_type, T => {
        let task = Decomposition::<T> {
            a: Matrix::columns(a.cast_const().cast(), lda),
            m,
            n,
            count: m.min(n),
            values: Pointer::of(values.cast_const().cast()),
            u: columns(u.cast_const().cast(), ldu, wanted(m)).filter(|_| vectors),
            v: columns(v.cast_const().cast(), ldv, wanted(n)).filter(|_| vectors),
            adjoint: false,
        };
        run(&handle, task, info, task.count as c_int + 1)
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesvdr_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    _job_u: c_schar,
    _job_v: c_schar,
    m: i64,
    n: i64,
    _rank: i64,
    _more: i64,
    _iterations: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    _lda: i64,
    type_s: cudaDataType,
    _values: *const c_void,
    _type_u: cudaDataType,
    _u: *const c_void,
    _ldu: i64,
    _type_v: cudaDataType,
    _v: *const c_void,
    _ldv: i64,
    _compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(4, m)?;
    arguments.size(5, n)?;
    arguments.check(12, type_s == real_type(data_type))?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

/// The largest singular values: all are computed, so nothing depends on chance.
#[allow(clippy::too_many_arguments)]
pub(crate) fn xgesvdr(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    job_u: c_schar,
    job_v: c_schar,
    m: i64,
    n: i64,
    rank: i64,
    more: i64,
    iterations: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_s: cudaDataType,
    values: *mut c_void,
    type_u: cudaDataType,
    u: *mut c_void,
    ldu: i64,
    type_v: cudaDataType,
    v: *mut c_void,
    ldv: i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let wanted = |letter: c_schar| match letter as c_char as u8 {
        b'S' => Some(true),
        b'N' => Some(false),
        _ => None,
    };
    arguments.check(2, wanted(job_u).is_some())?;
    arguments.check(3, wanted(job_v).is_some())?;
    let (m, n) = (arguments.size(4, m)?, arguments.size(5, n)?);
    let rank = arguments.size(6, rank)?;
    let more = arguments.size(7, more)?;
    arguments.check(6, rank.saturating_add(more) <= m.min(n))?;
    arguments.size(8, iterations)?;
    let lda = arguments.leading(11, lda, m)?;
    arguments.check(12, type_s == real_type(data_type))?;
    arguments.check(14, [type_u, type_v, compute_type] == [data_type; 3])?;
    let (with_u, with_v) = (wanted(job_u) == Some(true), wanted(job_v) == Some(true));
    let ldu = arguments.leading(16, ldu, if with_u { m } else { 1 })?;
    let ldv = arguments.leading(19, ldv, if with_v { n } else { 1 })?;
    typed!(data_type, T => {
        let task = Decomposition::<T> {
            a: Matrix::columns(a.cast_const().cast(), lda),
            m,
            n,
            count: rank,
            values: Pointer::of(values.cast_const().cast()),
            u: columns(u.cast_const().cast(), ldu, rank).filter(|_| with_u),
            v: columns(v.cast_const().cast(), ldv, rank).filter(|_| with_v),
            adjoint: false,
        };
        run(&handle, task, info, m.min(n) as c_int + 1)
    })
}
