//! Products and equations of matrices of which a triangle is stored, sums and scalings of matrices.

use crate::api::level2::Factor;
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::banded::{Storage, Stored, Structure, Turned};
use dense::product::{Product, Tile, Tiles};
use dense::{Matrix, Scalar, packed, triangular};
use std::sync::Arc;
use zluda_api::driver::threads;

/// Right sides, or columns, of a part.
const PART: usize = 64;
/// The side of a square tile of a triangle.
const SIDE: usize = 192;

/// A triangle of `C = alpha A B + beta C`, perhaps with `alpha' A' B'` besides.
#[derive(Clone, Copy)]
struct Update<T> {
    c: Matrix<T>,
    n: usize,
    k: usize,
    upper: bool,
    /// The diagonal is real.
    hermitian: bool,
}

impl<T: Scalar> Update<T> {
    /// The tiles of the triangle, by their places.
    fn tiles(&self) -> Vec<(usize, usize)> {
        let side = self.n.div_ceil(SIDE);
        (0..side).flat_map(|j| (j..side).map(move |i| (i, j))).collect()
    }

    /// Computes a tile as the sum of products.
    ///
    /// # Safety
    /// The matrices are memory, that of C nobody else's.
    unsafe fn tile(
        &self,
        (lower, higher): (usize, usize),
        products: &[(Matrix<T>, Matrix<T>, T)],
        beta: T,
    ) {
        // (row, column) of the stored triangle.
        let (i, j) = if self.upper { (higher, lower) } else { (lower, higher) };
        let (row, column) = (i * SIDE, j * SIDE);
        let (rows, columns) = (SIDE.min(self.n - row), SIDE.min(self.n - column));
        let mut sum = vec![T::ZERO; rows * columns];
        let whole = Tile { row: 0, column: 0, rows, columns };
        for (number, (a, b, alpha)) in products.iter().enumerate() {
            let product = Product {
                a: a.at(row, 0),
                b: b.at(0, column),
                c: Matrix::columns(sum.as_mut_ptr().cast_const(), rows as isize),
                depth: self.k,
                alpha: *alpha,
                beta: if number == 0 { T::ZERO } else { T::ONE },
            };
            // SAFETY: the caller says so.
            unsafe { product.run(whole) };
        }
        for (y, sums) in sum.chunks_exact(rows).enumerate() {
            for (x, sum) in sums.iter().enumerate() {
                let (i, j) = (row + x, column + y);
                if if self.upper { i > j } else { i < j } {
                    continue;
                }
                // SAFETY: the caller says so.
                unsafe {
                    let old = if beta == T::ZERO { T::ZERO } else { beta * self.c.get(i, j) };
                    let value = *sum + old;
                    let real = self.hermitian && i == j;
                    self.c.set(i, j, if real { T::of(value.re()) } else { value });
                }
            }
        }
    }
}

/// The differences between the functions that update a triangle.
#[derive(Clone, Copy)]
struct Kind {
    hermitian: bool,
    /// There is a second product, with the factors exchanged.
    both: bool,
}

#[allow(clippy::too_many_arguments)]
unsafe fn update<N: Number, A: Factor<N>, B: Factor<N>>(
    handle: &Handle,
    kind: Kind,
    fill: cublasFillMode_t,
    op: cublasOperation_t,
    (n, k): (i64, i64),
    alpha: *const A,
    (a, lda): (*const N, i64),
    (b, ldb): (*const N, i64),
    beta: *const B,
    (c, ldc): (*mut N, i64),
) -> CublasResult {
    let (upper, mut turned, n, k) = (upper(fill)?, operation(op)?, size(n)?, size(k)?);
    // Complex symmetric updates take the transpose alone, Hermitian ones the conjugate transpose alone.
    if N::Own::IS_COMPLEX {
        check(!turned.transposed || turned.conj == kind.hermitian)?;
    }
    turned.conj &= kind.hermitian;
    let rows = turn_back(turned, n, k).0;
    let (lda, ldb, ldc) = (leading(lda, rows)?, leading(ldb, rows)?, leading(ldc, n)?);
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) = unsafe { (Value::<A>::of(handle, alpha)?, Value::<B>::of(handle, beta)?) };
    let left = |first: *const N, leading| matrix(first.cast::<N::Own>(), leading, turned);
    let other = move |matrix: Matrix<N::Own>| {
        let turned = matrix.transposed();
        if kind.hermitian { turned.conjugated() } else { turned }
    };
    let (a, b) = (left(a, lda), left(b, ldb));
    let c = Matrix::columns(c.cast_const().cast::<N::Own>(), ldc);
    let update = Update { c, n, k, upper, hermitian: kind.hermitian };
    let tiles = update.tiles();
    handle.run(tiles.len(), move |part| {
        let (alpha, beta) = (alpha.get().own(), beta.get().own());
        let (i, j) = tiles[part];
        let first = (a, other(b), alpha);
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        unsafe {
            match kind.both {
                true => {
                    let second = (b, other(a), alpha.conj_if(kind.hermitian));
                    update.tile((i, j), &[first, second], beta);
                }
                false => update.tile((i, j), &[first], beta),
            }
        }
    })
}

/// Defines the updates of triangles by one matrix, and by two.
macro_rules! updates {
    ($($hermitian:literal $one:ident $two:ident $mixed:ident;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $one<N: Number, F: Factor<N>>(
            handle: Arc<Handle>, fill: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const F,
            a: *const N, lda: i64, beta: *const F, c: *mut N, ldc: i64,
        ) -> CublasResult {
            let kind = Kind { hermitian: $hermitian, both: false };
            // SAFETY: the caller passes what the API asks for.
            unsafe { update(&handle, kind, fill, op, (n, k), alpha, (a, lda), (a, lda), beta, (c, ldc)) }
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $two<N, F>(
            handle: Arc<Handle>, fill: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const N,
            a: *const N, lda: i64, b: *const N, ldb: i64, beta: *const F, c: *mut N, ldc: i64,
        ) -> CublasResult
        where
            N: Number + Factor<N>,
            F: Factor<N>,
        {
            let kind = Kind { hermitian: $hermitian, both: true };
            // SAFETY: the caller passes what the API asks for.
            unsafe { update(&handle, kind, fill, op, (n, k), alpha, (a, lda), (b, ldb), beta, (c, ldc)) }
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $mixed<N, F>(
            handle: Arc<Handle>, fill: cublasFillMode_t, op: cublasOperation_t, n: i64, k: i64, alpha: *const N,
            a: *const N, lda: i64, b: *const N, ldb: i64, beta: *const F, c: *mut N, ldc: i64,
        ) -> CublasResult
        where
            N: Number + Factor<N>,
            F: Factor<N>,
        {
            let kind = Kind { hermitian: $hermitian, both: false };
            // SAFETY: the caller passes what the API asks for.
            unsafe { update(&handle, kind, fill, op, (n, k), alpha, (a, lda), (b, ldb), beta, (c, ldc)) }
        }
    )*};
}

updates! {
    false syrk syr2k syrkx;
    true herk her2k herkx;
}

/// Defines the products by a symmetric or Hermitian matrix.
macro_rules! symmetric {
    ($($structure:ident $name:ident)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name<N: Number>(
            handle: Arc<Handle>, side: cublasSideMode_t, fill: cublasFillMode_t, m: i64, n: i64, alpha: *const N,
            a: *const N, lda: i64, b: *const N, ldb: i64, beta: *const N, c: *mut N, ldc: i64,
        ) -> CublasResult {
            let (left, upper, m, n) = (left(side)?, upper(fill)?, size(m)?, size(n)?);
            let order = if left { m } else { n };
            let storage = Storage::Full { leading: leading(lda, order)? };
            let (ldb, ldc) = (leading(ldb, m)?, leading(ldc, m)?);
            let a = Stored::triangle(a.cast(), order, storage, Structure::$structure, upper, order);
            // SAFETY: the caller passes what the API asks for.
            let factors = unsafe { (Value::of(&handle, alpha)?, Value::of(&handle, beta)?) };
            let b = Matrix::columns(b.cast::<N::Own>(), ldb);
            let c = Matrix::columns(c.cast_const().cast::<N::Own>(), ldc);
            times_stored(&handle, a, left, (m, n), factors, b, c)
        }
    )*};
}

symmetric! { Symmetric symm Hermitian hemm }

/// `C = alpha A B + beta C`, or with A on the right, for a matrix A of which a part is stored.
fn times_stored<T: Scalar>(
    handle: &Handle,
    a: Stored<T>,
    left: bool,
    (m, n): (usize, usize),
    (alpha, beta): (Value<T>, Value<T>),
    b: Matrix<T>,
    c: Matrix<T>,
) -> CublasResult {
    if m == 0 || n == 0 {
        return Ok(());
    }
    let depth = a.rows;
    let tiles = Tiles::of_product(m, n, depth, threads());
    handle.run(tiles.count(), move |part| {
        let Tile { row, column, rows, columns } = tiles.tile(part);
        let (alpha, beta) = (alpha.get(), beta.get());
        // SAFETY: as for the updates.
        let stored = |i, j| unsafe { a.get(i, j) };
        // SAFETY: as for the updates.
        let plain = |i, j| unsafe { b.get(i, j) };
        packed::multiply(
            (rows, if alpha == T::ZERO { 0 } else { depth }, columns),
            |k, count, panel| {
                for (x, panel) in panel.chunks_exact_mut(rows).take(count).enumerate() {
                    for (i, place) in panel.iter_mut().enumerate() {
                        let (i, k) = (row + i, k + x);
                        *place = if left { stored(i, k) } else { plain(i, k) };
                    }
                }
            },
            |k, count, panel| {
                for (j, panel) in panel.chunks_exact_mut(count).enumerate() {
                    for (x, place) in panel.iter_mut().enumerate() {
                        let (k, j) = (k + x, column + j);
                        *place = if left { plain(k, j) } else { stored(k, j) };
                    }
                }
            },
            |product| {
                for (j, values) in product.chunks_exact(rows).enumerate() {
                    for (i, value) in values.iter().enumerate() {
                        let (i, j) = (row + i, column + j);
                        // SAFETY: as for the updates.
                        unsafe {
                            let old = if beta == T::ZERO { T::ZERO } else { beta * c.get(i, j) };
                            c.set(i, j, alpha * *value + old);
                        }
                    }
                }
            },
        );
    })
}

/// A triangular matrix on a side, checked, as one on the left of a matrix that is transposed for that where it has to be.
#[derive(Clone, Copy)]
struct Triangle {
    left: bool,
    upper: bool,
    unit: bool,
    turned: Turned,
    order: usize,
    /// Right sides.
    sides: usize,
    lda: isize,
    ldb: isize,
}

impl Triangle {
    #[allow(clippy::too_many_arguments)]
    fn check(
        side: cublasSideMode_t,
        fill: cublasFillMode_t,
        op: cublasOperation_t,
        diagonal: cublasDiagType_t,
        (m, n): (i64, i64),
        (lda, ldb): (i64, i64),
    ) -> CublasResult<Triangle> {
        let (left, upper, turned) = (left(side)?, upper(fill)?, operation(op)?);
        let (unit, m, n) = (unit(diagonal)?, size(m)?, size(n)?);
        let (order, sides) = if left { (m, n) } else { (n, m) };
        let (lda, ldb) = (leading(lda, order)?, leading(ldb, m)?);
        Ok(Triangle { left, upper, unit, turned, order, sides, lda, ldb })
    }

    fn parts(&self) -> usize {
        if self.order == 0 { 0 } else { self.sides.div_ceil(PART) }
    }

    /// A matrix of right sides, and those of a part.
    fn sides<T: Copy>(&self, b: Matrix<T>, part: usize) -> (Matrix<T>, usize) {
        let b = if self.left { b } else { b.transposed() };
        (b.at(0, part * PART), PART.min(self.sides - part * PART))
    }

    /// How the matrix is seen: transposed where the operation or the side says so, once.
    fn seen(&self) -> Turned {
        Turned { transposed: self.turned.transposed == self.left, conj: self.turned.conj }
    }

    /// # Safety
    /// The matrices are memory, that of b nobody else's.
    unsafe fn solve<T: Scalar>(&self, a: *const T, b: *const T, alpha: T, part: usize) {
        let (b, sides) = self.sides(Matrix::columns(b, self.ldb), part);
        let seen = self.seen();
        let a = matrix(a, self.lda, seen);
        let upper = self.upper != seen.transposed;
        // SAFETY: the caller says so.
        unsafe { triangular::solve(a, upper, self.unit, self.order, b, sides, alpha) };
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn trsm<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    fill: cublasFillMode_t,
    op: cublasOperation_t,
    diagonal: cublasDiagType_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    b: *mut N,
    ldb: i64,
) -> CublasResult {
    let triangle = Triangle::check(side, fill, op, diagonal, (m, n), (lda, ldb))?;
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<N::Own>::of(&handle, alpha) }?;
    let (a, b) = (Pointer::<N::Own>::of(a.cast()), Pointer::<N::Own>::of(b.cast_const().cast()));
    handle.run(triangle.parts(), move |part| {
        let (a, b) = (a.at(0), b.at(0));
        // SAFETY: as for the updates.
        unsafe { triangle.solve(a.cast_const(), b.cast_const(), alpha.get(), part) };
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn trsm_batched<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    fill: cublasFillMode_t,
    op: cublasOperation_t,
    diagonal: cublasDiagType_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const *const N,
    lda: i64,
    b: *const *mut N,
    ldb: i64,
    count: i64,
) -> CublasResult {
    let triangle = Triangle::check(side, fill, op, diagonal, (m, n), (lda, ldb))?;
    let count = size(count)?;
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<N::Own>::of(&handle, alpha) }?;
    let (a, b) = (Batch::<N::Own>::array(a), Batch::<N::Own>::array(b.cast::<*const N>()));
    let parts = triangle.parts();
    handle.run(parts * count, move |part| {
        let (item, part) = (part / parts, part % parts);
        // SAFETY: as for the updates.
        unsafe { triangle.solve(a.at(item), b.at(item), alpha.get(), part) };
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn trmm<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    fill: cublasFillMode_t,
    op: cublasOperation_t,
    diagonal: cublasDiagType_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    b: *const N,
    ldb: i64,
    c: *mut N,
    ldc: i64,
) -> CublasResult {
    let triangle = Triangle::check(side, fill, op, diagonal, (m, n), (lda, ldb))?;
    let ldc = leading(ldc, size(m)?)?;
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<N::Own>::of(&handle, alpha) }?;
    let n = triangle.order;
    let storage = Storage::Full { leading: triangle.lda };
    let structure = Structure::Triangular { unit: triangle.unit };
    let stored = Stored::<N::Own>::triangle(a.cast(), n, storage, structure, triangle.upper, n);
    let b = Matrix::columns(b.cast::<N::Own>(), triangle.ldb);
    let c = Matrix::columns(c.cast_const().cast::<N::Own>(), ldc);
    handle.run(triangle.parts(), move |part| {
        let seen = triangle.seen();
        let ((b, sides), (c, _)) = (triangle.sides(b, part), triangle.sides(c, part));
        // SAFETY: as for the updates. C may be B: a part reads its own columns before it writes them.
        unsafe {
            let get = |i, j| {
                let value = if seen.transposed { stored.get(j, i) } else { stored.get(i, j) };
                value.conj_if(seen.conj)
            };
            triangular::multiply(get, n, b, c, sides, alpha.get());
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn geam<N: Number>(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    beta: *const N,
    b: *const N,
    ldb: i64,
    c: *mut N,
    ldc: i64,
) -> CublasResult {
    let (op_a, op_b, m, n) = (operation(op_a)?, operation(op_b)?, size(m)?, size(n)?);
    let lda = leading(lda, turn_back(op_a, m, n).0)?;
    let ldb = leading(ldb, turn_back(op_b, m, n).0)?;
    let ldc = leading(ldc, m)?;
    // In place is for matrices that stay as they are.
    check(a != c.cast_const() || (!op_a.transposed && lda == ldc))?;
    check(b != c.cast_const() || (!op_b.transposed && ldb == ldc))?;
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) =
        unsafe { (Value::<N::Own>::of(&handle, alpha)?, Value::<N::Own>::of(&handle, beta)?) };
    let (a, b) = (matrix(a.cast::<N::Own>(), lda, op_a), matrix(b.cast::<N::Own>(), ldb, op_b));
    let c = Matrix::columns(c.cast_const().cast::<N::Own>(), ldc);
    if m == 0 {
        return Ok(());
    }
    handle.run(n.div_ceil(PART), move |part| {
        let (alpha, beta, zero) = (alpha.get(), beta.get(), N::Own::ZERO);
        for j in part * PART..n.min((part + 1) * PART) {
            for i in 0..m {
                // SAFETY: as for the updates; a matrix whose factor is zero is not read.
                unsafe {
                    let left = if alpha == zero { zero } else { alpha * a.get(i, j) };
                    let right = if beta == zero { zero } else { beta * b.get(i, j) };
                    c.set(i, j, left + right);
                }
            }
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn dgmm<N: Number>(
    handle: Arc<Handle>,
    side: cublasSideMode_t,
    m: i64,
    n: i64,
    a: *const N,
    lda: i64,
    x: *const N,
    step: i64,
    c: *mut N,
    ldc: i64,
) -> CublasResult {
    let (left, m, n) = (left(side)?, size(m)?, size(n)?);
    let (lda, ldc) = (leading(lda, m)?, leading(ldc, m)?);
    let x = vector(x, if left { m } else { n }, step);
    let a = Matrix::columns(a.cast::<N::Own>(), lda);
    let c = Matrix::columns(c.cast_const().cast::<N::Own>(), ldc);
    if m == 0 {
        return Ok(());
    }
    handle.run(n.div_ceil(PART), move |part| {
        for j in part * PART..n.min((part + 1) * PART) {
            for i in 0..m {
                // SAFETY: as for the updates.
                unsafe { c.set(i, j, a.get(i, j) * x.get(if left { i } else { j })) };
            }
        }
    })
}
