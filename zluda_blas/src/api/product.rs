//! Products of matrices, one or many, with elements of one type.

use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::product::{Product, Tiles};
use std::sync::Arc;
use zluda_api::driver::threads;

/// The products of a batch, checked.
pub(crate) struct GemmDims {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: dense::banded::Turned,
    pub(crate) b: dense::banded::Turned,
    pub(crate) lda: isize,
    pub(crate) ldb: isize,
    pub(crate) ldc: isize,
}

impl GemmDims {
    pub(crate) fn check(
        (a, b): (cublasOperation_t, cublasOperation_t),
        (m, n, k): (i64, i64, i64),
        (lda, ldb, ldc): (i64, i64, i64),
    ) -> CublasResult<GemmDims> {
        let (a, b) = (operation(a)?, operation(b)?);
        let (m, n, k) = (size(m)?, size(n)?, size(k)?);
        Ok(GemmDims {
            m,
            n,
            k,
            a,
            b,
            lda: leading(lda, turn_back(a, m, k).0)?,
            ldb: leading(ldb, turn_back(b, k, n).0)?,
            ldc: leading(ldc, m)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.m == 0 || self.n == 0
    }
}

/// Puts products of a batch into the handle's stream.
pub(crate) fn products<N: Number>(
    handle: &Handle,
    dims: GemmDims,
    [a, b, c]: [Batch<N::Own>; 3],
    (alpha, beta): (Value<N::Own>, Value<N::Own>),
    count: usize,
) -> CublasResult {
    if dims.is_empty() || count == 0 {
        return Ok(());
    }
    let GemmDims { m, n, k, lda, ldb, ldc, .. } = dims;
    // Several small products are parts enough.
    let tiles = Tiles::of_product(m, n, k, threads().div_ceil(count));
    handle.run(count * tiles.count(), move |part| {
        let (item, tile) = (part / tiles.count(), part % tiles.count());
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        unsafe {
            let product = Product {
                a: matrix(a.at(item), lda, dims.a),
                b: matrix(b.at(item), ldb, dims.b),
                c: dense::Matrix::columns(c.at(item), ldc),
                depth: k,
                alpha: alpha.get(),
                beta: beta.get(),
            };
            product.run(tiles.tile(tile));
        }
    })
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm<N: Number>(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    b: *const N,
    ldb: i64,
    beta: *const N,
    c: *mut N,
    ldc: i64,
) -> CublasResult {
    let c = Batch::strided(c.cast_const(), 0);
    let (a, b) = (Batch::strided(a, 0), Batch::strided(b, 0));
    let dims = GemmDims::check((op_a, op_b), (m, n, k), (lda, ldb, ldc))?;
    // SAFETY: the caller passes what the API asks for.
    let factors = unsafe { (Value::of(&handle, alpha)?, Value::of(&handle, beta)?) };
    products::<N>(&handle, dims, [a, b, c], factors, 1)
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_batched<N: Number>(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const N,
    a: *const *const N,
    lda: i64,
    b: *const *const N,
    ldb: i64,
    beta: *const N,
    c: *const *mut N,
    ldc: i64,
    count: i64,
) -> CublasResult {
    let dims = GemmDims::check((op_a, op_b), (m, n, k), (lda, ldb, ldc))?;
    let count = size(count)?;
    // SAFETY: the caller passes what the API asks for.
    let factors = unsafe { (Value::of(&handle, alpha)?, Value::of(&handle, beta)?) };
    let batch = [Batch::array(a), Batch::array(b), Batch::array(c.cast::<*const N>())];
    products::<N>(&handle, dims, batch, factors, count)
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_strided_batched<N: Number>(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const N,
    a: *const N,
    lda: i64,
    stride_a: i64,
    b: *const N,
    ldb: i64,
    stride_b: i64,
    beta: *const N,
    c: *mut N,
    ldc: i64,
    stride_c: i64,
    count: i64,
) -> CublasResult {
    let dims = GemmDims::check((op_a, op_b), (m, n, k), (lda, ldb, ldc))?;
    let count = size(count)?;
    // SAFETY: the caller passes what the API asks for.
    let factors = unsafe { (Value::of(&handle, alpha)?, Value::of(&handle, beta)?) };
    let c = Batch::strided(c.cast_const(), stride_c);
    let batch = [Batch::strided(a, stride_a), Batch::strided(b, stride_b), c];
    products::<N>(&handle, dims, batch, factors, count)
}
