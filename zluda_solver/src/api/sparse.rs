//! Sparse systems of equations and eigenvalues: csrlsvqr, csrlsvchol, csrlsvlu, csreigvsi, and batches of csrqr. Functions
//! whose names end with Host have everything in memory of the host; the others have what they are told of there too, so
//! that they wait for their work.

use crate::backend::matrix::{Pattern, Sparse as Matrix};
use crate::backend::{cholesky, lu, ordering};
use crate::convert::{FromC, Out};
use crate::descriptor;
use crate::handle::Sparse;
use crate::number::{Number, RealOf};
use cuda_types::cusolver::*;
use dense::pointer::Pointer;
use dense::{Real, Scalar};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

const INVALID: cusolverError = cusolverError::INVALID_VALUE;

/// The arrays of a matrix, as a program passes them.
struct Arrays<T> {
    rows: usize,
    count: usize,
    base: i64,
    values: Pointer<T>,
    starts: Pointer<c_int>,
    indices: Pointer<c_int>,
}

impl<T> Clone for Arrays<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Arrays<T> {}

/// Reads an array.
///
/// # Safety
/// The place is memory of that many.
unsafe fn read<T: Copy>(place: Pointer<T>, count: usize) -> Vec<T> {
    if count > 0 {
        // Memory that is not there is found before any is asked for.
        // SAFETY: the caller says so.
        unsafe { place.at(count - 1).cast::<u8>().read_volatile() };
    }
    // SAFETY: the caller says so.
    (0..count).map(|i| unsafe { place.at(i).read_unaligned() }).collect()
}

impl<T: Scalar> Arrays<T> {
    fn new<N: Number<Own = T>>(
        (rows, count): (i64, i64),
        descriptor: cusparseMatDescr_t,
        values: *const N,
        starts: *const c_int,
        indices: *const c_int,
    ) -> CusolverResult<Arrays<T>> {
        let rows = usize::try_from(rows).map_err(|_| INVALID)?;
        let count = usize::try_from(count).map_err(|_| INVALID)?;
        let absent = starts.is_null() || (count > 0 && (indices.is_null() || values.is_null()));
        if absent {
            return Err(INVALID);
        }
        Ok(Arrays {
            rows,
            count,
            base: descriptor::base(descriptor)?,
            values: Pointer::of(values.cast()),
            starts: Pointer::of(starts),
            indices: Pointer::of(indices),
        })
    }

    /// The square matrix; none where the arrays are not those of one.
    ///
    /// # Safety
    /// The arrays are memory of their sizes.
    unsafe fn read(&self) -> Option<Matrix<T>> {
        // SAFETY: the caller says so.
        unsafe {
            let (starts, indices) =
                (read(self.starts, self.rows + 1), read(self.indices, self.count));
            let pattern = Pattern::new(self.rows, self.base, &starts, &indices)?;
            Some(Matrix { pattern, values: read(self.values, self.count) })
        }
    }
}

/// How a system is solved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Cholesky,
    Lu,
}

/// The solution, or the first row without a pivot.
fn solve<T: Scalar>(
    matrix: &Matrix<T>,
    b: &[T],
    method: Method,
    order: c_int,
    least: f64,
) -> Result<Vec<T>, usize> {
    let n = matrix.pattern.rows();
    let order = match order {
        1 => ordering::reverse_cuthill_mckee(&matrix.pattern),
        2 | 3 => ordering::least_degree(&matrix.pattern),
        _ => (0..n).collect(),
    };
    let matrix = matrix.permuted(&order);
    let right: Vec<T> = order.iter().map(|row| b[*row]).collect();
    let found = match method {
        Method::Cholesky => cholesky::decompose(&matrix, least)?.solve(&right),
        Method::Lu => lu::decompose(&matrix, least)?.solve(&right),
    };
    let mut x = vec![T::ZERO; n];
    for (row, value) in order.into_iter().zip(found) {
        x[row] = value;
    }
    Ok(x)
}

/// A system whose solution is asked for.
struct System<N: Number> {
    sizes: (i64, i64),
    descriptor: cusparseMatDescr_t,
    arrays: (*const N, *const c_int, *const c_int),
    b: *const N,
    tolerance: RealOf<N>,
    order: c_int,
    x: *mut N,
    singular: Out<c_int>,
}

impl<N: Number> System<N> {
    /// Solves it, of arrays in memory of the host or of the device.
    fn run(self, handle: &Sparse, method: Method, on_host: bool) -> CusolverResult {
        self.singular.check()?;
        let (values, starts, indices) = self.arrays;
        let arrays = Arrays::new(self.sizes, self.descriptor, values, starts, indices)?;
        if !(0..=3).contains(&self.order)
            || (arrays.rows > 0 && (self.b.is_null() || self.x.is_null()))
        {
            return Err(INVALID);
        }
        let (b, x) =
            (Pointer::of(self.b.cast()), Pointer::of(self.x.cast_const().cast::<N::Own>()));
        let least = self.tolerance.to_f64().max(0.0);
        let order = self.order;
        let work = move || {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            unsafe {
                let matrix = arrays.read()?;
                let b = read(b, arrays.rows);
                let found = solve(&matrix, &b, method, order, least);
                Some(found.map(|found| {
                    for (i, value) in found.into_iter().enumerate() {
                        x.at(i).write_unaligned(value);
                    }
                }))
            }
        };
        let found = run(handle, on_host, work)?.ok_or(INVALID)?;
        self.singular.set(found.map_or_else(|row| row as c_int, |()| -1))
    }
}

/// Runs work at once, or in the handle's stream, and gives its result.
fn run<R: Send + 'static>(
    handle: &Sparse,
    on_host: bool,
    work: impl Fn() -> R + Send + Sync + 'static,
) -> CusolverResult<R> {
    if on_host {
        return Ok(work());
    }
    let place = Arc::new(Mutex::new(None));
    let result = place.clone();
    handle.run(1, move |_| {
        let found = work();
        *result.lock() = Some(found);
    })?;
    handle.wait()?;
    place.lock().take().ok_or(cusolverError::EXECUTION_FAILED)
}

/// Defines functions that solve a system.
macro_rules! systems {
    ($($name:ident: $method:expr, $on_host:literal;)*) => {
        $(
            #[allow(clippy::too_many_arguments)]
            pub(crate) fn $name<N: Number>(
                handle: Sparse,
                n: i64,
                count: i64,
                descriptor: cusparseMatDescr_t,
                values: *const N,
                starts: *const c_int,
                indices: *const c_int,
                b: *const N,
                tolerance: RealOf<N>,
                order: c_int,
                x: *mut N,
                singular: Out<c_int>,
            ) -> CusolverResult {
                let system = System {
                    sizes: (n, count),
                    descriptor,
                    arrays: (values, starts, indices),
                    b,
                    tolerance,
                    order,
                    x,
                    singular,
                };
                system.run(&handle, $method, $on_host)
            }
        )*
    };
}

systems! {
    solve_cholesky: Method::Cholesky, false;
    solve_cholesky_host: Method::Cholesky, true;
    solve_lu: Method::Lu, false;
    solve_lu_host: Method::Lu, true;
}

/// The eigenvalue next to a number, and its eigenvector, by inverse iteration: none where the arrays are not those of a
/// matrix.
fn nearest<T: Scalar>(
    mut matrix: Matrix<T>,
    start: T,
    mut x: Vec<T>,
    most: usize,
    tolerance: f64,
) -> (T, Vec<T>) {
    let original = matrix.clone();
    let multiply = |x: &[T]| -> Vec<T> {
        let pattern = &original.pattern;
        let row = |row| {
            let mut sum = T::ZERO;
            for place in pattern.row(row) {
                sum += original.values[place] * x[pattern.indices[place]];
            }
            sum
        };
        (0..pattern.rows()).map(row).collect()
    };
    shift(&mut matrix, start);
    let decomposed = lu::decompose(&matrix, 0.0).ok();
    let mut value = start;
    normalize(&mut x);
    for _ in 0..most {
        // The number is an eigenvalue already where there is no decomposition.
        let Some(decomposed) = &decomposed else { break };
        x = decomposed.solve(&x);
        normalize(&mut x);
        let product = multiply(&x);
        let mut quotient = T::ZERO;
        for (x, product) in x.iter().zip(&product) {
            quotient += x.conj() * *product;
        }
        value = quotient;
        let left = x.iter().zip(product).map(|(x, product)| product - value * *x);
        if norm(left) <= tolerance * value.modulus().to_f64() {
            break;
        }
    }
    (value, x)
}

fn norm<T: Scalar>(values: impl Iterator<Item = T>) -> f64 {
    values.map(|value| value.modulus().to_f64().powi(2)).sum::<f64>().sqrt()
}

fn normalize<T: Scalar>(x: &mut [T]) {
    let norm = norm(x.iter().copied());
    if norm > 0.0 {
        let factor = T::of(T::Real::from_f64(norm));
        x.iter_mut().for_each(|x| *x = *x / factor);
    }
}

/// Subtracts a number from the diagonal, which gets the elements that it lacks.
fn shift<T: Scalar>(matrix: &mut Matrix<T>, by: T) {
    let pattern = &matrix.pattern;
    let mut result = Pattern { columns: pattern.columns, starts: vec![0], indices: Vec::new() };
    let mut values = Vec::new();
    for row in 0..pattern.rows() {
        result.indices.extend(pattern.columns_of(row));
        values.extend_from_slice(&matrix.values[pattern.row(row)]);
        // Elements of one place are added up.
        result.indices.push(row);
        values.push(-by);
        result.starts.push(values.len());
    }
    *matrix = Matrix { pattern: result, values };
}

/// Defines the functions of inverse iteration.
macro_rules! eigenvalues {
    ($($name:ident: $on_host:literal;)*) => {
        $(
            #[allow(clippy::too_many_arguments)]
            pub(crate) fn $name<N: Number>(
                handle: Sparse,
                n: i64,
                count: i64,
                descriptor: cusparseMatDescr_t,
                values: *const N,
                starts: *const c_int,
                indices: *const c_int,
                start: N,
                first: *const N,
                most: c_int,
                tolerance: RealOf<N>,
                found: *mut N,
                x: *mut N,
            ) -> CusolverResult {
                let arrays = Arrays::new((n, count), descriptor, values, starts, indices)?;
                if first.is_null() || found.is_null() || x.is_null() {
                    return Err(INVALID);
                }
                // SAFETY: a number of ours has the same bytes.
                let start = unsafe { (&raw const start).cast::<N::Own>().read_unaligned() };
                let most = usize::try_from(most).map_err(|_| INVALID)?;
                let (first, tolerance) = (Pointer::<N::Own>::of(first.cast()), tolerance.to_f64());
                let found = Pointer::<N::Own>::of(found.cast_const().cast());
                let x = Pointer::<N::Own>::of(x.cast_const().cast());
                let work = move || {
                    // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
                    unsafe {
                        let matrix = arrays.read()?;
                        let first = read(first, arrays.rows);
                        let (value, vector) = nearest(matrix, start, first, most, tolerance);
                        found.set(value);
                        for (i, value) in vector.into_iter().enumerate() {
                            x.at(i).write_unaligned(value);
                        }
                        Some(())
                    }
                };
                run(&handle, $on_host, work)?.ok_or(INVALID)
            }
        )*
    };
}

eigenvalues! {
    nearest_eigenvalue: false;
    nearest_eigenvalue_host: true;
}

/// The state of the systems of a batch: none, since each is decomposed when it is solved.
pub(crate) struct Batch;

static BATCHES: LazyLock<HandleTable<Batch>> =
    LazyLock::new(|| HandleTable::new(Kind::CUSOLVER_CSRQR_INFO));

impl FromC<csrqrInfo_t> for Arc<Batch> {
    unsafe fn from_c(handle: csrqrInfo_t) -> CusolverResult<Self> {
        BATCHES.get(handle as u64).ok_or(INVALID)
    }
}

pub(crate) fn create_batch(info: Out<csrqrInfo_t>) -> CusolverResult {
    info.check()?;
    let made = BATCHES.insert(Arc::new(Batch)).ok_or(cusolverError::ALLOC_FAILED)?;
    info.set(std::ptr::without_provenance_mut(made as usize))
}

/// Nothing is to be ended where there is nothing.
pub(crate) fn destroy_batch(info: csrqrInfo_t) -> CusolverResult {
    if info.is_null() {
        return Ok(());
    }
    BATCHES.remove(info as u64).map(drop).ok_or(INVALID)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn analyse_batch(
    _handle: Sparse,
    m: i64,
    n: i64,
    count: i64,
    descriptor: cusparseMatDescr_t,
    _starts: *const c_int,
    _indices: *const c_int,
    _info: Arc<Batch>,
) -> CusolverResult {
    descriptor::base(descriptor)?;
    if m < 0 || n < 0 || count < 0 { Err(INVALID) } else { Ok(()) }
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn buffer_of_batch<N: Number>(
    _handle: Sparse,
    _m: i64,
    _n: i64,
    _count: i64,
    _descriptor: cusparseMatDescr_t,
    _values: *const N,
    _starts: *const c_int,
    _indices: *const c_int,
    _batch: c_int,
    _info: Arc<Batch>,
    internal: Out<usize>,
    workspace: Out<usize>,
) -> CusolverResult {
    internal.check()?;
    workspace.check()?;
    internal.set(0)?;
    workspace.set(64)
}

/// Solves systems of one pattern. Those of more equations than unknowns are not supported.
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_batch<N: Number>(
    handle: Sparse,
    m: i64,
    n: i64,
    count: i64,
    descriptor: cusparseMatDescr_t,
    values: *const N,
    starts: *const c_int,
    indices: *const c_int,
    b: *const N,
    x: *mut N,
    batch: i64,
    _info: Arc<Batch>,
    _workspace: *mut c_void,
) -> CusolverResult {
    let arrays = Arrays::new((m, count), descriptor, values, starts, indices)?;
    let batch = usize::try_from(batch).map_err(|_| INVALID)?;
    if b.is_null() || x.is_null() {
        return Err(INVALID);
    }
    if m != n {
        return Err(cusolverError::NOT_SUPPORTED);
    }
    let b = Pointer::<N::Own>::of(b.cast());
    let x = Pointer::<N::Own>::of(x.cast_const().cast());
    handle.run(batch, move |item| {
        let first =
            |place: Pointer<N::Own>, count: usize| Pointer::of(place.at(item * count).cast_const());
        let own = Arrays { values: first(arrays.values, arrays.count), ..arrays };
        // SAFETY: as above.
        unsafe {
            let Some(matrix) = own.read() else { return };
            let right = read(first(b, arrays.rows), arrays.rows);
            // A singular system has no solution that would be right.
            if let Ok(found) = solve(&matrix, &right, Method::Lu, 1, 0.0) {
                let x = first(x, arrays.rows);
                for (i, value) in found.into_iter().enumerate() {
                    x.at(i).write_unaligned(value);
                }
            }
        }
    })
}
