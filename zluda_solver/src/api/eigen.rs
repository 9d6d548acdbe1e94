//! Eigenvalues of symmetric and Hermitian matrices, generalised and not, one or many: syevd, syevdx, syevj, sygvd, sygvdx,
//! sygvj, which are one algorithm here.

use super::{SMALLEST, no_workspace};
use crate::arguments::Arguments;
use crate::convert::{In, Out};
use crate::handle::Handle;
use crate::number::{Number, RealOf, real_type, typed};
use cuda_types::cusolver::*;
use dense::pointer::Pointer;
use dense::product::{Product, Tile};
use dense::{Matrix, Real, Scalar, cholesky, triangular};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Which eigenvalues are wanted.
#[derive(Clone, Copy)]
enum Range<R> {
    All,
    /// From and to a number, from 1.
    Numbers(usize, usize),
    /// Above the one and not above the other.
    Values(R, R),
}

/// A second matrix, and how it makes the problem a generalised one: 1, 2 and 3 are `A x = l B x`, `A B x = l x` and
/// `B A x = l x`.
#[derive(Clone, Copy)]
struct Second<T> {
    b: Matrix<T>,
    problem: u32,
}

#[derive(Clone, Copy)]
struct Problem<T: Scalar> {
    a: Matrix<T>,
    second: Option<Second<T>>,
    n: usize,
    upper: bool,
    with_vectors: bool,
    values: Pointer<T::Real>,
    range: Range<T::Real>,
    /// The answer where eigenvalues are not found.
    not_found: c_int,
}

impl<T: spectral::Number> Problem<T> {
    /// The information of the call, and how many eigenvalues there are.
    ///
    /// # Safety
    /// The places are memory of their sizes.
    unsafe fn run(&self) -> (c_int, usize) {
        let Problem { n, upper, .. } = *self;
        // SAFETY: the caller says so.
        unsafe {
            let a = if upper { self.a.transposed().conjugated() } else { self.a };
            let mut lower = a.read(n, n);
            // Imaginary parts on the diagonal count as 0, whatever lies there.
            for element in lower.iter_mut().step_by(n + 1) {
                *element = T::of(element.re());
            }
            let factor = match self.second {
                None => None,
                Some(Second { b, problem }) => {
                    b.touch(n, n);
                    let info = cholesky::decompose(b, upper, n);
                    if info != 0 {
                        return (n as c_int + info, 0);
                    }
                    let factor = if upper { b.transposed().conjugated() } else { b };
                    lower = reduce(lower, factor, n, problem == 1);
                    Some((factor, problem))
                }
            };
            let Some(mut found) = spectral::hermitian(&lower, n, self.with_vectors) else {
                // Nobody takes what was there before for eigenvalues.
                let nan = <T as Scalar>::Real::from_f64(f64::NAN);
                (0..n).for_each(|i| self.values.at(i).write_unaligned(nan));
                return (self.not_found, 0);
            };
            let wanted = match self.range {
                Range::All => 0..n,
                Range::Numbers(from, to) => from.saturating_sub(1)..to.min(n),
                Range::Values(above, to) => {
                    let before =
                        |limit| found.values.iter().take_while(|value| **value <= limit).count();
                    before(above)..before(to)
                }
            };
            let count = wanted.len();
            for (i, value) in found.values[wanted.clone()].iter().enumerate() {
                self.values.at(i).write_unaligned(*value);
            }
            if self.with_vectors {
                let vectors = &mut found.vectors[wanted.start * n..wanted.end * n];
                if let Some((factor, problem)) = factor {
                    turn_back(vectors, factor, n, problem);
                }
                self.a.write(n, count, vectors);
            }
            (0, count)
        }
    }
}

/// A Hermitian matrix, of which the lower triangle is given, becomes `L^-1 A L^-H`, or `L^H A L`.
unsafe fn reduce<T: Scalar>(mut a: Vec<T>, l: Matrix<T>, n: usize, inverse: bool) -> Vec<T> {
    for j in 0..n {
        for i in j + 1..n {
            a[i * n + j] = a[j * n + i].conj();
        }
        a[j * n + j] = T::of(a[j * n + j].re());
    }
    let matrix =
        |values: &mut Vec<T>| Matrix::columns(values.as_mut_ptr().cast_const(), n as isize);
    let mut other = vec![T::ZERO; n * n];
    let (first, second) = (matrix(&mut a), matrix(&mut other));
    // SAFETY: the caller says so.
    unsafe {
        if inverse {
            triangular::solve(l, false, false, n, first, n, T::ONE);
            for j in 0..n {
                for i in 0..n {
                    second.set(i, j, first.get(j, i).conj());
                }
            }
            triangular::solve(l, false, false, n, second, n, T::ONE);
        } else {
            let mut factor = l.read(n, n);
            for j in 0..n {
                factor[j * n..j * n + j].fill(T::ZERO);
            }
            let factor = matrix(&mut factor);
            let mut between = vec![T::ZERO; n * n];
            let between = matrix(&mut between);
            multiply([first, factor, between], n);
            multiply([factor.transposed().conjugated(), between, second], n);
        }
    }
    other
}

unsafe fn multiply<T: Scalar>([a, b, c]: [Matrix<T>; 3], n: usize) {
    let product = Product { a, b, c, depth: n, alpha: T::ONE, beta: T::ZERO };
    // SAFETY: the caller says so.
    unsafe { product.run(Tile { row: 0, column: 0, rows: n, columns: n }) };
}

/// Makes eigenvectors of a reduced problem those of the generalised one.
unsafe fn turn_back<T: Scalar>(vectors: &mut [T], l: Matrix<T>, n: usize, problem: u32) {
    let columns = vectors.len() / n.max(1);
    let place = Matrix::columns(vectors.as_mut_ptr().cast_const(), n as isize);
    // SAFETY: the caller says so.
    unsafe {
        if problem == 3 {
            let element = |i: usize, j: usize| if i >= j { l.get(i, j) } else { T::ZERO };
            triangular::multiply(element, n, place, place, columns, T::ONE);
        } else {
            let adjoint = l.transposed().conjugated();
            triangular::solve(adjoint, true, false, n, place, columns, T::ONE);
        }
    }
}

/// Enqueues a problem whose eigenvalues are all wanted.
fn run<T: spectral::Number>(
    handle: &Handle,
    problem: Problem<T>,
    info: *mut c_int,
) -> CusolverResult {
    let info = Pointer::of(info.cast_const());
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe { info.set_if_wanted(problem.run().0) };
    })
}

/// Enqueues a problem, and tells in memory of the host how many eigenvalues there are.
fn run_some<T: spectral::Number, C: Copy + Send + 'static>(
    handle: &Handle,
    problem: Problem<T>,
    count: Out<C>,
    convert: fn(usize) -> C,
    info: *mut c_int,
) -> CusolverResult {
    let known = match problem.range {
        Range::All => problem.n,
        Range::Numbers(from, to) => (to + 1).saturating_sub(from),
        Range::Values(..) => {
            // The host reads it when the call is over.
            let place = Arc::new(parking_lot::Mutex::new(0));
            let (told, info) = (place.clone(), Pointer::of(info.cast_const()));
            handle.run(1, move |_| {
                // SAFETY: as above.
                unsafe {
                    let (found, count) = problem.run();
                    *told.lock() = count;
                    info.set_if_wanted(found);
                }
            })?;
            handle.wait()?;
            let found = *place.lock();
            count.set_if_wanted(convert(found));
            return Ok(());
        }
    };
    count.set_if_wanted(convert(known));
    run(handle, problem, info)
}

/// The wanted range; numbers of arguments count from `first`, that of the range.
struct Wanted<T> {
    range: cusolverEigRange_t,
    values: (T, T),
    numbers: (i64, i64),
}

impl<T: Real> Wanted<T> {
    /// `places` are the numbers of the arguments: the range, the lower value, the first number.
    fn check(
        &self,
        arguments: &Arguments<'_>,
        [range, value, number]: [c_int; 3],
        n: usize,
    ) -> CusolverResult<Range<T>> {
        match self.range {
            cusolverEigRange_t::CUSOLVER_EIG_RANGE_ALL => Ok(Range::All),
            cusolverEigRange_t::CUSOLVER_EIG_RANGE_I => {
                let from = arguments.size(number, self.numbers.0)?;
                let to = arguments.size(number + 1, self.numbers.1)?;
                if n > 0 {
                    arguments.check(number, (1..=n).contains(&from))?;
                    arguments.check(number + 1, (from..=n).contains(&to))?;
                }
                Ok(Range::Numbers(from, to))
            }
            cusolverEigRange_t::CUSOLVER_EIG_RANGE_V => {
                arguments.check(value + 1, self.values.0 < self.values.1)?;
                Ok(Range::Values(self.values.0, self.values.1))
            }
            _ => {
                arguments.check(range, false)?;
                Ok(Range::All)
            }
        }
    }
}

fn matrix<N: Number>(first: *mut N, leading: isize) -> Matrix<N::Own> {
    Matrix::columns(first.cast_const().cast(), leading)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevd_buffer<N: Number>(
    handle: Arc<Handle>,
    _mode: cusolverEigMode_t,
    _fill: cublasFillMode_t,
    n: i64,
    _a: *const N,
    _lda: i64,
    _values: *const RealOf<N>,
    count: Out<c_int>,
) -> CusolverResult {
    Arguments::without_info(&handle).size(3, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevd<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    values: *mut RealOf<N>,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let with_vectors = arguments.vectors(1, mode)?;
    let upper = arguments.upper(2, fill)?;
    let n = arguments.size(3, n)?;
    let lda = arguments.leading(5, lda, n)?;
    let problem = Problem {
        a: matrix(a, lda),
        second: None,
        n,
        upper,
        with_vectors,
        values: Pointer::of(values.cast_const()),
        range: Range::All,
        not_found: n as c_int,
    };
    run(&handle, problem, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevj_buffer<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *const N,
    lda: i64,
    values: *const RealOf<N>,
    count: Out<c_int>,
    _params: syevjInfo_t,
) -> CusolverResult {
    syevd_buffer(handle, mode, fill, n, a, lda, values, count)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevj<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    values: *mut RealOf<N>,
    workspace: *mut N,
    count: c_int,
    info: *mut c_int,
    _params: syevjInfo_t,
) -> CusolverResult {
    syevd(handle, mode, fill, n, a, lda, values, workspace, count, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevj_batched_buffer<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *const N,
    lda: i64,
    values: *const RealOf<N>,
    count: Out<c_int>,
    _params: syevjInfo_t,
    _batch: i64,
) -> CusolverResult {
    syevd_buffer(handle, mode, fill, n, a, lda, values, count)
}

/// Enqueues problems whose matrices lie one after the other.
fn run_batch<T: spectral::Number>(
    handle: &Handle,
    first: Problem<T>,
    (stride_a, stride_b, stride_w): (isize, isize, isize),
    batch: usize,
    info: *mut c_int,
) -> CusolverResult {
    let info = Pointer::of(info.cast_const());
    handle.run(batch, move |item| {
        let item_of = item as isize;
        let far = |matrix: Matrix<T>, stride: isize| Matrix {
            first: matrix.first.wrapping_offset(stride * item_of),
            ..matrix
        };
        let values = first.values.at(0).wrapping_offset(stride_w * item_of);
        let second = |second: Second<T>| Second { b: far(second.b, stride_b), ..second };
        let problem = Problem {
            a: far(first.a, stride_a),
            second: first.second.map(second),
            values: Pointer::of(values.cast_const()),
            ..first
        };
        // SAFETY: as above.
        unsafe { info.at(item).write_unaligned(problem.run().0) };
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevj_batched<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    values: *mut RealOf<N>,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
    _params: syevjInfo_t,
    batch: i64,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let with_vectors = arguments.vectors(1, mode)?;
    let upper = arguments.upper(2, fill)?;
    let n = arguments.size(3, n)?;
    let lda = arguments.leading(5, lda, n)?;
    let batch = arguments.size(11, batch)?;
    let first = Problem {
        a: matrix(a, lda),
        second: None,
        n,
        upper,
        with_vectors,
        values: Pointer::of(values.cast_const()),
        range: Range::All,
        not_found: n as c_int + 1,
    };
    run_batch(&handle, first, (lda * n as isize, 0, n as isize), batch, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevdx_buffer<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    _range: cusolverEigRange_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *const N,
    lda: i64,
    _lower: RealOf<N>,
    _upper: RealOf<N>,
    _from: i64,
    _to: i64,
    _found: Out<c_int>,
    values: *const RealOf<N>,
    count: Out<c_int>,
) -> CusolverResult {
    syevd_buffer(handle, mode, fill, n, a, lda, values, count)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn syevdx<N: Number>(
    handle: Arc<Handle>,
    mode: cusolverEigMode_t,
    range: cusolverEigRange_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    value_from: RealOf<N>,
    value_to: RealOf<N>,
    from: i64,
    to: i64,
    found: Out<c_int>,
    values: *mut RealOf<N>,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let with_vectors = arguments.vectors(1, mode)?;
    let upper = arguments.upper(3, fill)?;
    let n = arguments.size(4, n)?;
    let lda = arguments.leading(6, lda, n)?;
    let wanted = Wanted { range, values: (value_from, value_to), numbers: (from, to) };
    let problem = Problem {
        a: matrix(a, lda),
        second: None,
        n,
        upper,
        with_vectors,
        values: Pointer::of(values.cast_const()),
        range: wanted.check(&arguments, [2, 7, 9], n)?,
        not_found: n as c_int,
    };
    run_some(&handle, problem, found, |count| count as c_int, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sygvd_buffer<N: Number>(
    handle: Arc<Handle>,
    problem: cusolverEigType_t,
    _mode: cusolverEigMode_t,
    _fill: cublasFillMode_t,
    n: i64,
    _a: *const N,
    _lda: i64,
    _b: *const N,
    _ldb: i64,
    _values: *const RealOf<N>,
    count: Out<c_int>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.problem(1, problem)?;
    arguments.size(4, n)?;
    count.set(SMALLEST)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sygvd<N: Number>(
    handle: Arc<Handle>,
    problem: cusolverEigType_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    b: *mut N,
    ldb: i64,
    values: *mut RealOf<N>,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let problem = arguments.problem(1, problem)?;
    let with_vectors = arguments.vectors(2, mode)?;
    let upper = arguments.upper(3, fill)?;
    let n = arguments.size(4, n)?;
    let (lda, ldb) = (arguments.leading(6, lda, n)?, arguments.leading(8, ldb, n)?);
    let problem = Problem {
        a: matrix(a, lda),
        second: Some(Second { b: matrix(b, ldb), problem }),
        n,
        upper,
        with_vectors,
        values: Pointer::of(values.cast_const()),
        range: Range::All,
        not_found: n as c_int,
    };
    run(&handle, problem, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sygvj_buffer<N: Number>(
    handle: Arc<Handle>,
    problem: cusolverEigType_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *const N,
    lda: i64,
    b: *const N,
    ldb: i64,
    values: *const RealOf<N>,
    count: Out<c_int>,
    _params: syevjInfo_t,
) -> CusolverResult {
    sygvd_buffer(handle, problem, mode, fill, n, a, lda, b, ldb, values, count)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sygvj<N: Number>(
    handle: Arc<Handle>,
    problem: cusolverEigType_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    b: *mut N,
    ldb: i64,
    values: *mut RealOf<N>,
    workspace: *mut N,
    count: c_int,
    info: *mut c_int,
    _params: syevjInfo_t,
) -> CusolverResult {
    sygvd(handle, problem, mode, fill, n, a, lda, b, ldb, values, workspace, count, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sygvdx_buffer<N: Number>(
    handle: Arc<Handle>,
    problem: cusolverEigType_t,
    mode: cusolverEigMode_t,
    _range: cusolverEigRange_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *const N,
    lda: i64,
    b: *const N,
    ldb: i64,
    _lower: RealOf<N>,
    _upper: RealOf<N>,
    _from: i64,
    _to: i64,
    _found: Out<c_int>,
    values: *const RealOf<N>,
    count: Out<c_int>,
) -> CusolverResult {
    sygvd_buffer(handle, problem, mode, fill, n, a, lda, b, ldb, values, count)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn sygvdx<N: Number>(
    handle: Arc<Handle>,
    problem: cusolverEigType_t,
    mode: cusolverEigMode_t,
    range: cusolverEigRange_t,
    fill: cublasFillMode_t,
    n: i64,
    a: *mut N,
    lda: i64,
    b: *mut N,
    ldb: i64,
    value_from: RealOf<N>,
    value_to: RealOf<N>,
    from: i64,
    to: i64,
    found: Out<c_int>,
    values: *mut RealOf<N>,
    _workspace: *mut N,
    _count: c_int,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let problem = arguments.problem(1, problem)?;
    let with_vectors = arguments.vectors(2, mode)?;
    let upper = arguments.upper(4, fill)?;
    let n = arguments.size(5, n)?;
    let (lda, ldb) = (arguments.leading(7, lda, n)?, arguments.leading(9, ldb, n)?);
    let wanted = Wanted { range, values: (value_from, value_to), numbers: (from, to) };
    let problem = Problem {
        a: matrix(a, lda),
        second: Some(Second { b: matrix(b, ldb), problem }),
        n,
        upper,
        with_vectors,
        values: Pointer::of(values.cast_const()),
        range: wanted.check(&arguments, [3, 10, 12], n)?,
        not_found: n as c_int,
    };
    run_some(&handle, problem, found, |count| count as c_int, info)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsyevd_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    _mode: cusolverEigMode_t,
    _fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    _lda: i64,
    type_w: cudaDataType,
    _values: *const c_void,
    _compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.size(4, n)?;
    arguments.check(8, type_w == real_type(data_type))?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsyevd(
    handle: Arc<Handle>,
    params: cusolverDnParams_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_w: cudaDataType,
    values: *mut c_void,
    compute_type: cudaDataType,
    on_device: *mut c_void,
    bytes_on_device: usize,
    on_host: *mut c_void,
    bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    xsyev_batched(
        handle,
        params,
        mode,
        fill,
        n,
        data_type,
        a,
        lda,
        type_w,
        values,
        compute_type,
        on_device,
        bytes_on_device,
        on_host,
        bytes_on_host,
        info,
        1,
    )
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsyev_batched_buffer(
    handle: Arc<Handle>,
    params: cusolverDnParams_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *const c_void,
    lda: i64,
    type_w: cudaDataType,
    values: *const c_void,
    compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
    _batch: i64,
) -> CusolverResult {
    xsyevd_buffer(
        handle,
        params,
        mode,
        fill,
        n,
        data_type,
        a,
        lda,
        type_w,
        values,
        compute_type,
        on_device,
        on_host,
    )
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsyev_batched(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_w: cudaDataType,
    values: *mut c_void,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
    batch: i64,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let with_vectors = arguments.vectors(2, mode)?;
    let upper = arguments.upper(3, fill)?;
    let n = arguments.size(4, n)?;
    let lda = arguments.leading(7, lda, n)?;
    arguments.check(8, type_w == real_type(data_type))?;
    arguments.check(10, compute_type == data_type)?;
    let batch = arguments.size(16, batch)?;
    typed!(data_type, T => {
        let first = Problem::<T> {
            a: Matrix::columns(a.cast_const().cast(), lda),
            second: None,
            n,
            upper,
            with_vectors,
            values: Pointer::of(values.cast_const().cast()),
            range: Range::All,
            not_found: n as c_int,
        };
        match batch {
            1 => run(&handle, first, info),
            _ => run_batch(&handle, first, (lda * n as isize, 0, n as isize), batch, info),
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsyevdx_buffer(
    handle: Arc<Handle>,
    params: cusolverDnParams_t,
    mode: cusolverEigMode_t,
    _range: cusolverEigRange_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *const c_void,
    lda: i64,
    _value_from: *mut c_void,
    _value_to: *mut c_void,
    _from: i64,
    _to: i64,
    _found: Out<i64>,
    type_w: cudaDataType,
    values: *const c_void,
    compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    xsyevd_buffer(
        handle,
        params,
        mode,
        fill,
        n,
        data_type,
        a,
        lda,
        type_w,
        values,
        compute_type,
        on_device,
        on_host,
    )
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsyevdx(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    mode: cusolverEigMode_t,
    range: cusolverEigRange_t,
    fill: cublasFillMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    value_from: In<c_void>,
    value_to: In<c_void>,
    from: i64,
    to: i64,
    found: Out<i64>,
    type_w: cudaDataType,
    values: *mut c_void,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let with_vectors = arguments.vectors(2, mode)?;
    let upper = arguments.upper(4, fill)?;
    let n = arguments.size(5, n)?;
    let lda = arguments.leading(8, lda, n)?;
    arguments.check(14, type_w == real_type(data_type))?;
    arguments.check(16, compute_type == data_type)?;
    typed!(data_type, T => {
        let by_value = range == cusolverEigRange_t::CUSOLVER_EIG_RANGE_V;
        let limit = |place: In<c_void>| match by_value {
            true => place.cast::<<T as Scalar>::Real>().get(),
            false => Ok(0.0),
        };
        let limits = (limit(value_from)?, limit(value_to)?);
        let wanted = Wanted { range, values: limits, numbers: (from, to) };
        let problem = Problem::<T> {
            a: Matrix::columns(a.cast_const().cast(), lda),
            second: None,
            n,
            upper,
            with_vectors,
            values: Pointer::of(values.cast_const().cast()),
            range: wanted.check(&arguments, [3, 9, 11], n)?,
            not_found: n as c_int,
        };
        run_some(&handle, problem, found, |count| count as i64, info)
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsygvd_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    problem: cusolverEigType_t,
    _mode: cusolverEigMode_t,
    _fill: cublasFillMode_t,
    n: i64,
    type_a: cudaDataType,
    _a: *const c_void,
    _lda: i64,
    type_b: cudaDataType,
    _b: *const c_void,
    _ldb: i64,
    type_w: cudaDataType,
    _values: *const c_void,
    _compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    arguments.problem(2, problem)?;
    arguments.size(5, n)?;
    arguments.check(9, type_b == type_a)?;
    arguments.check(12, type_w == real_type(type_a))?;
    typed!(type_a, _T => no_workspace(on_device, on_host))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xsygvd(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    problem: cusolverEigType_t,
    mode: cusolverEigMode_t,
    fill: cublasFillMode_t,
    n: i64,
    type_a: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_b: cudaDataType,
    b: *mut c_void,
    ldb: i64,
    type_w: cudaDataType,
    values: *mut c_void,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let problem = arguments.problem(2, problem)?;
    let with_vectors = arguments.vectors(3, mode)?;
    let upper = arguments.upper(4, fill)?;
    let n = arguments.size(5, n)?;
    let (lda, ldb) = (arguments.leading(8, lda, n)?, arguments.leading(11, ldb, n)?);
    arguments.check(9, type_b == type_a)?;
    arguments.check(12, type_w == real_type(type_a))?;
    arguments.check(14, compute_type == type_a)?;
    typed!(type_a, T => {
        let b = Matrix::<T>::columns(b.cast_const().cast(), ldb);
        let problem = Problem {
            a: Matrix::columns(a.cast_const().cast(), lda),
            second: Some(Second { b, problem }),
            n,
            upper,
            with_vectors,
            values: Pointer::of(values.cast_const().cast()),
            range: Range::All,
            not_found: n as c_int,
        };
        run(&handle, problem, info)
    })
}
