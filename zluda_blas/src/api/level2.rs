//! Matrices times vectors, and updates of matrices by vectors. Functions come in threes here: of whole matrices, of bands, and
//! of triangles without gaps.

use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::banded::{Storage, Stored, Structure, Turned};
use dense::matrix::Vector;
use dense::product::{Product, Tiles};
use dense::{Matrix, Scalar};
use std::sync::Arc;
use zluda_api::driver::threads;

/// Rows of a part.
const PART: usize = 256;

const AS_IT_IS: Turned = Turned { transposed: false, conj: false };

/// A step between elements of a vector, which is not 0.
fn step(value: i64) -> CublasResult<i64> {
    check(value != 0)?;
    Ok(value)
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemv<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    x: *const N,
    step_x: i64,
    beta: *const N,
    y: *mut N,
    step_y: i64,
) -> CublasResult {
    let batch = [Batch::strided(a, 0), Batch::strided(x, 0), Batch::strided(y.cast_const(), 0)];
    // SAFETY: the caller passes what the API asks for.
    unsafe { many_gemv::<N>(handle, op, (m, n), alpha, lda, (step_x, step_y), beta, batch, 1) }
}

#[allow(clippy::too_many_arguments)]
unsafe fn many_gemv<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    (m, n): (i64, i64),
    alpha: *const N,
    lda: i64,
    (step_x, step_y): (i64, i64),
    beta: *const N,
    [a, x, y]: [Batch<N::Own>; 3],
    count: i64,
) -> CublasResult {
    let (turned, m, n, count) = (operation(op)?, size(m)?, size(n)?, size(count)?);
    let (lda, step_x, step_y) = (leading(lda, m)?, step(step_x)?, step(step_y)?);
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) =
        unsafe { (Value::<N::Own>::of(&handle, alpha)?, Value::<N::Own>::of(&handle, beta)?) };
    if m == 0 || n == 0 {
        return Ok(());
    }
    let (rows, columns) = turn_back(turned, m, n);
    let tiles = Tiles::of_product(rows, 1, columns, threads().div_ceil(count.max(1)));
    handle.run(count * tiles.count(), move |part| {
        let (item, tile) = (part / tiles.count(), part % tiles.count());
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            let product = Product {
                a: matrix(a.at(item), lda, turned),
                b: Vector::blas(x.at(item), columns, step_x as isize).column(),
                c: Vector::blas(y.at(item), rows, step_y as isize).column(),
                depth: columns,
                alpha: alpha.get(),
                beta: beta.get(),
            };
            product.run(tiles.tile(tile));
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemv_batched<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const *const N,
    lda: i64,
    x: *const *const N,
    step_x: i64,
    beta: *const N,
    y: *const *mut N,
    step_y: i64,
    count: i64,
) -> CublasResult {
    let batch = [Batch::array(a), Batch::array(x), Batch::array(y.cast::<*const N>())];
    // SAFETY: the caller passes what the API asks for.
    unsafe { many_gemv::<N>(handle, op, (m, n), alpha, lda, (step_x, step_y), beta, batch, count) }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemv_strided_batched<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    stride_a: i64,
    x: *const N,
    step_x: i64,
    stride_x: i64,
    beta: *const N,
    y: *mut N,
    step_y: i64,
    stride_y: i64,
    count: i64,
) -> CublasResult {
    let y = Batch::strided(y.cast_const(), stride_y);
    let batch = [Batch::strided(a, stride_a), Batch::strided(x, stride_x), y];
    // SAFETY: the caller passes what the API asks for.
    unsafe { many_gemv::<N>(handle, op, (m, n), alpha, lda, (step_x, step_y), beta, batch, count) }
}

/// Defines the functions that add the product of a column and a row to a matrix.
macro_rules! gers {
    ($($name:ident $conj:literal)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name<N: Number>(
            handle: Arc<Handle>,
            m: i64,
            n: i64,
            alpha: *const N,
            x: *const N,
            step_x: i64,
            y: *const N,
            step_y: i64,
            a: *mut N,
            lda: i64,
        ) -> CublasResult {
            let (m, n) = (size(m)?, size(n)?);
            let (step_x, step_y, lda) = (step(step_x)?, step(step_y)?, leading(lda, m)?);
            // SAFETY: the caller passes what the API asks for.
            let alpha = unsafe { Value::<N::Own>::of(&handle, alpha) }?;
            if m == 0 || n == 0 {
                return Ok(());
            }
            let (x, y) = (vector(x, m, step_x), vector(y, n, step_y));
            let row = Matrix { conj: $conj, ..y.column().transposed() };
            let a = Matrix::columns(a.cast_const().cast::<N::Own>(), lda);
            let tiles = Tiles::of_product(m, n, 8, threads());
            handle.run(tiles.count(), move |part| {
                let one = N::Own::ONE;
                let product = Product { a: x.column(), b: row, c: a, depth: 1, alpha: alpha.get(), beta: one };
                // SAFETY: as for gemv.
                unsafe { product.run(tiles.tile(part)) };
            })
        }
    )*};
}

gers! { ger false gerc true }

/// `y = alpha A x + beta y` for a matrix that is stored in part.
unsafe fn stored_times<N: Number>(
    handle: &Handle,
    (a, turned): (Stored<N::Own>, Turned),
    alpha: *const N,
    (x, step_x): (*const N, i64),
    beta: *const N,
    (y, step_y): (*mut N, i64),
) -> CublasResult {
    let (step_x, step_y) = (step(step_x)?, step(step_y)?);
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) =
        unsafe { (Value::<N::Own>::of(handle, alpha)?, Value::<N::Own>::of(handle, beta)?) };
    let (rows, columns) = turn_back(turned, a.rows, a.columns);
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let (x, y) = (vector(x, columns, step_x), vector(y, rows, step_y));
    handle.run(rows.div_ceil(PART), move |part| {
        let (alpha, beta) = (alpha.get(), beta.get());
        for i in part * PART..rows.min((part + 1) * PART) {
            // SAFETY: as for gemv.
            unsafe {
                let product = match alpha == N::Own::ZERO {
                    true => N::Own::ZERO,
                    false => alpha * a.times(turned, i, |j| x.get(j)),
                };
                let old = if beta == N::Own::ZERO { N::Own::ZERO } else { beta * y.get(i) };
                y.set(i, product + old);
            }
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gbmv<N: Number>(
    handle: Arc<Handle>,
    op: cublasOperation_t,
    m: i64,
    n: i64,
    below: i64,
    above: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    x: *const N,
    step_x: i64,
    beta: *const N,
    y: *mut N,
    step_y: i64,
) -> CublasResult {
    let (turned, rows, columns) = (operation(op)?, size(m)?, size(n)?);
    let (below, above) = (size(below)?, size(above)?);
    let leading = leading(lda, below.saturating_add(above).saturating_add(1))?;
    let stored = Stored {
        first: a.cast_mut().cast(),
        rows,
        columns,
        storage: Storage::Band { leading, main: above as isize },
        structure: Structure::General,
        upper: true,
        below,
        above,
    };
    // SAFETY: the caller passes what the API asks for.
    unsafe { stored_times::<N>(&handle, (stored, turned), alpha, (x, step_x), beta, (y, step_y)) }
}

/// A square matrix of which a triangle is stored whole, as a band, or packed.
fn triangle<N: Number>(
    a: *const N,
    fill: cublasFillMode_t,
    n: usize,
    structure: Structure,
    storage: Storage,
    diagonals: usize,
) -> CublasResult<Stored<N::Own>> {
    Ok(Stored::triangle(a.cast(), n, storage, structure, upper(fill)?, diagonals))
}

fn full(lda: i64, n: usize) -> CublasResult<Storage> {
    Ok(Storage::Full { leading: leading(lda, n)? })
}

fn band(lda: i64, diagonals: usize, fill: cublasFillMode_t) -> CublasResult<Storage> {
    let leading = leading(lda, diagonals.saturating_add(1))?;
    Ok(Storage::Band { leading, main: if upper(fill)? { diagonals as isize } else { 0 } })
}

/// Defines the products of symmetric and Hermitian matrices: whole, as a band, packed.
macro_rules! symmetric {
    ($($structure:ident $whole:ident $band:ident $packed:ident;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $whole<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, alpha: *const N, a: *const N, lda: i64,
            x: *const N, step_x: i64, beta: *const N, y: *mut N, step_y: i64,
        ) -> CublasResult {
            let n = size(n)?;
            let a = triangle(a, fill, n, Structure::$structure, full(lda, n)?, n)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { stored_times::<N>(&handle, (a, AS_IT_IS), alpha, (x, step_x), beta, (y, step_y)) }
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $band<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, diagonals: i64, alpha: *const N, a: *const N,
            lda: i64, x: *const N, step_x: i64, beta: *const N, y: *mut N, step_y: i64,
        ) -> CublasResult {
            let (n, diagonals) = (size(n)?, size(diagonals)?);
            let a = triangle(a, fill, n, Structure::$structure, band(lda, diagonals, fill)?, diagonals)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { stored_times::<N>(&handle, (a, AS_IT_IS), alpha, (x, step_x), beta, (y, step_y)) }
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $packed<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, alpha: *const N, a: *const N,
            x: *const N, step_x: i64, beta: *const N, y: *mut N, step_y: i64,
        ) -> CublasResult {
            let n = size(n)?;
            let a = triangle(a, fill, n, Structure::$structure, Storage::Packed, n)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { stored_times::<N>(&handle, (a, AS_IT_IS), alpha, (x, step_x), beta, (y, step_y)) }
        }
    )*};
}

symmetric! {
    Symmetric symv sbmv spmv;
    Hermitian hemv hbmv hpmv;
}

/// Multiplies a vector by a triangular matrix, or solves equations with it.
fn triangular<N: Number>(
    handle: &Handle,
    (a, turned): (Stored<N::Own>, Turned),
    (x, step_x): (*mut N, i64),
    solve: bool,
) -> CublasResult {
    let n = a.rows;
    let x = vector(x, n, step(step_x)?);
    // SAFETY: as for gemv.
    handle.run(n.min(1), move |_| unsafe {
        if solve { a.solve(turned, x) } else { a.multiply(turned, x) }
    })
}

/// Defines the functions of triangular matrices: whole, as a band, packed.
macro_rules! triangular {
    ($($solve:literal $whole:ident $band:ident $packed:ident;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $whole<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, op: cublasOperation_t, diagonal: cublasDiagType_t, n: i64,
            a: *const N, lda: i64, x: *mut N, step_x: i64,
        ) -> CublasResult {
            let (structure, n) = (Structure::Triangular { unit: unit(diagonal)? }, size(n)?);
            let a = triangle(a, fill, n, structure, full(lda, n)?, n)?;
            triangular::<N>(&handle, (a, operation(op)?), (x, step_x), $solve)
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $band<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, op: cublasOperation_t, diagonal: cublasDiagType_t, n: i64,
            diagonals: i64, a: *const N, lda: i64, x: *mut N, step_x: i64,
        ) -> CublasResult {
            let (structure, n) = (Structure::Triangular { unit: unit(diagonal)? }, size(n)?);
            let diagonals = size(diagonals)?;
            let a = triangle(a, fill, n, structure, band(lda, diagonals, fill)?, diagonals)?;
            triangular::<N>(&handle, (a, operation(op)?), (x, step_x), $solve)
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $packed<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, op: cublasOperation_t, diagonal: cublasDiagType_t, n: i64,
            a: *const N, x: *mut N, step_x: i64,
        ) -> CublasResult {
            let (structure, n) = (Structure::Triangular { unit: unit(diagonal)? }, size(n)?);
            let a = triangle(a, fill, n, structure, Storage::Packed, n)?;
            triangular::<N>(&handle, (a, operation(op)?), (x, step_x), $solve)
        }
    )*};
}

triangular! {
    false trmv tbmv tpmv;
    true trsv tbsv tpsv;
}

/// Adds `change(alpha, i, j)` to the stored triangle of a matrix.
fn update<T: Scalar, A: Copy + Send + Sync + 'static>(
    handle: &Handle,
    a: Stored<T>,
    alpha: Value<A>,
    is_zero: impl Fn(A) -> bool + Send + Sync + 'static,
    change: impl Fn(A, usize, usize) -> T + Send + Sync + 'static,
) -> CublasResult {
    let n = a.rows;
    handle.run(n.div_ceil(PART), move |part| {
        let alpha = alpha.get();
        if is_zero(alpha) {
            return;
        }
        for j in part * PART..n.min((part + 1) * PART) {
            // SAFETY: as for gemv.
            unsafe { a.add_to_column(j, |i, j| change(alpha, i, j)) };
        }
    })
}

/// Defines the updates by one vector: whole, packed. The factor of Hermitian ones is real.
macro_rules! rank1 {
    ($($structure:ident $conj:literal, $whole:ident $packed:ident;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $whole<N: Number, F: Factor<N>>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, alpha: *const F, x: *const N, step_x: i64,
            a: *mut N, lda: i64,
        ) -> CublasResult {
            let n = size(n)?;
            let a = triangle(a.cast_const(), fill, n, Structure::$structure, full(lda, n)?, n)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { rank1::<N, F>(&handle, a, alpha, (x, step_x), $conj) }
        }

        pub(crate) unsafe fn $packed<N: Number, F: Factor<N>>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, alpha: *const F, x: *const N, step_x: i64,
            a: *mut N,
        ) -> CublasResult {
            let n = size(n)?;
            let a = triangle(a.cast_const(), fill, n, Structure::$structure, Storage::Packed, n)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { rank1::<N, F>(&handle, a, alpha, (x, step_x), $conj) }
        }
    )*};
}

/// A factor, converted to a number of the matrix.
pub(crate) trait Factor<N: Number>: Copy + Send + Sync + 'static {
    fn own(self) -> N::Own;
}

impl<N: Number + Send + Sync> Factor<N> for N {
    fn own(self) -> N::Own {
        // SAFETY: a number of the API has the bytes of ours.
        unsafe { std::mem::transmute_copy(&self) }
    }
}

impl Factor<cuComplex> for f32 {
    fn own(self) -> dense::Complex<f32> {
        self.into()
    }
}

impl Factor<cuDoubleComplex> for f64 {
    fn own(self) -> dense::Complex<f64> {
        self.into()
    }
}

unsafe fn rank1<N: Number, F: Factor<N>>(
    handle: &Handle,
    a: Stored<N::Own>,
    alpha: *const F,
    (x, step_x): (*const N, i64),
    conj: bool,
) -> CublasResult {
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<F>::of(handle, alpha) }?;
    let x = vector(x, a.rows, step(step_x)?);
    let is_zero = |alpha: F| alpha.own() == N::Own::ZERO;
    // SAFETY: as for gemv.
    update(handle, a, alpha, is_zero, move |alpha, i, j| unsafe {
        alpha.own() * x.get(i) * x.get(j).conj_if(conj)
    })
}

/// Defines the updates by two vectors: whole, packed.
macro_rules! rank2 {
    ($($structure:ident $conj:literal, $whole:ident $packed:ident;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $whole<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, alpha: *const N, x: *const N, step_x: i64,
            y: *const N, step_y: i64, a: *mut N, lda: i64,
        ) -> CublasResult {
            let n = size(n)?;
            let a = triangle(a.cast_const(), fill, n, Structure::$structure, full(lda, n)?, n)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { rank2::<N>(&handle, a, alpha, (x, step_x), (y, step_y), $conj) }
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $packed<N: Number>(
            handle: Arc<Handle>, fill: cublasFillMode_t, n: i64, alpha: *const N, x: *const N, step_x: i64,
            y: *const N, step_y: i64, a: *mut N,
        ) -> CublasResult {
            let n = size(n)?;
            let a = triangle(a.cast_const(), fill, n, Structure::$structure, Storage::Packed, n)?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { rank2::<N>(&handle, a, alpha, (x, step_x), (y, step_y), $conj) }
        }
    )*};
}

unsafe fn rank2<N: Number>(
    handle: &Handle,
    a: Stored<N::Own>,
    alpha: *const N,
    (x, step_x): (*const N, i64),
    (y, step_y): (*const N, i64),
    conj: bool,
) -> CublasResult {
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<N::Own>::of(handle, alpha) }?;
    let (x, y) = (vector(x, a.rows, step(step_x)?), vector(y, a.rows, step(step_y)?));
    let is_zero = |alpha: N::Own| alpha == N::Own::ZERO;
    // SAFETY: as for gemv.
    update(handle, a, alpha, is_zero, move |alpha, i, j| unsafe {
        alpha * x.get(i) * y.get(j).conj_if(conj)
            + alpha.conj_if(conj) * y.get(i) * x.get(j).conj_if(conj)
    })
}

rank1! {
    Symmetric false, syr spr;
    Hermitian true, her hpr;
}

rank2! {
    Symmetric false, syr2 spr2;
    Hermitian true, her2 hpr2;
}
