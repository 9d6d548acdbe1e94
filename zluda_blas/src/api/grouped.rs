//! Products in groups: those of a group have one size, and their matrices lie at addresses of one array.

use crate::api::mixed::gemm_batched_ex;
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use std::ffi::c_void;
use std::sync::Arc;

/// A number of an array, of 32 or 64 bits.
pub(crate) trait Integer: Copy + Into<i64> {}

impl<I: Copy + Into<i64>> Integer for I {}

/// The arrays of a call, with an element for each group; all lie on the host.
struct Groups<I> {
    operations: [*const cublasOperation_t; 2],
    sizes: [*const I; 3],
    leading: [*const I; 3],
    products: *const I,
    count: i64,
}

impl<I: Integer> Groups<I> {
    fn check(&self) -> CublasResult<usize> {
        let numbers = self.sizes.iter().chain(&self.leading).chain([&self.products]);
        let is_there = self.operations.iter().all(|place| !place.is_null())
            && numbers.clone().all(|place| !place.is_null());
        let count = size(self.count)?;
        check(count == 0 || is_there)?;
        Ok(count)
    }
}

/// Puts the products of each group into the handle's stream.
///
/// # Safety
/// The arrays are null or have `groups.count` elements; factors on the host can be read.
unsafe fn run<I: Integer>(
    handle: Arc<Handle>,
    groups: Groups<I>,
    factors: [*const c_void; 2],
    factor_bytes: usize,
    [a, b, c]: [*const *const c_void; 3],
    types: [cudaDataType; 3],
    compute: cublasComputeType_t,
) -> CublasResult {
    let count = groups.check()?;
    check(count == 0 || factors.iter().all(|place| !place.is_null()))?;
    let mut first = 0;
    for group in 0..count {
        let number = |array: *const I| -> i64 {
            // SAFETY: the caller says so.
            unsafe { array.add(group).read_unaligned() }.into()
        };
        // SAFETY: as above.
        let operation = |i: usize| unsafe { groups.operations[i].add(group).read_unaligned() };
        let factor = |i: usize| factors[i].wrapping_byte_add(group * factor_bytes);
        let products = number(groups.products);
        // SAFETY: as above.
        unsafe {
            gemm_batched_ex(
                handle.clone(),
                operation(0),
                operation(1),
                number(groups.sizes[0]),
                number(groups.sizes[1]),
                number(groups.sizes[2]),
                factor(0),
                a.wrapping_add(first),
                types[0],
                number(groups.leading[0]),
                b.wrapping_add(first),
                types[1],
                number(groups.leading[1]),
                factor(1),
                c.wrapping_add(first).cast(),
                types[2],
                number(groups.leading[2]),
                products,
                compute,
                cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        }?;
        first += size(products)?;
    }
    Ok(())
}

/// A type of numbers whose products in groups have a function of their own.
pub(crate) trait Grouped: Number {
    const TYPE: cudaDataType;
    const COMPUTE: cublasComputeType_t;
}

impl Grouped for f32 {
    const TYPE: cudaDataType = cudaDataType_t::CUDA_R_32F;
    const COMPUTE: cublasComputeType_t = cublasComputeType_t::CUBLAS_COMPUTE_32F;
}

impl Grouped for f64 {
    const TYPE: cudaDataType = cudaDataType_t::CUDA_R_64F;
    const COMPUTE: cublasComputeType_t = cublasComputeType_t::CUBLAS_COMPUTE_64F;
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_grouped<N: Grouped, I: Integer>(
    handle: Arc<Handle>,
    op_a: *const cublasOperation_t,
    op_b: *const cublasOperation_t,
    m: *const I,
    n: *const I,
    k: *const I,
    alpha: *const N,
    a: *const *const N,
    lda: *const I,
    b: *const *const N,
    ldb: *const I,
    beta: *const N,
    c: *const *mut N,
    ldc: *const I,
    count: i64,
    products: *const I,
) -> CublasResult {
    let groups = Groups {
        operations: [op_a, op_b],
        sizes: [m, n, k],
        leading: [lda, ldb, ldc],
        products,
        count,
    };
    let (factors, matrices) = ([alpha.cast(), beta.cast()], [a.cast(), b.cast(), c.cast()]);
    // SAFETY: the caller passes what the API asks for.
    unsafe { run(handle, groups, factors, size_of::<N>(), matrices, [N::TYPE; 3], N::COMPUTE) }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_grouped_ex<I: Integer>(
    handle: Arc<Handle>,
    op_a: *const cublasOperation_t,
    op_b: *const cublasOperation_t,
    m: *const I,
    n: *const I,
    k: *const I,
    alpha: *const c_void,
    a: *const *const c_void,
    type_a: cudaDataType,
    lda: *const I,
    b: *const *const c_void,
    type_b: cudaDataType,
    ldb: *const I,
    beta: *const c_void,
    c: *const *mut c_void,
    type_c: cudaDataType,
    ldc: *const I,
    count: i64,
    products: *const I,
    compute: cublasComputeType_t,
) -> CublasResult {
    let groups = Groups {
        operations: [op_a, op_b],
        sizes: [m, n, k],
        leading: [lda, ldb, ldc],
        products,
        count,
    };
    use cublasComputeType_t as C;
    let factor_bytes = match compute {
        C::CUBLAS_COMPUTE_16F | C::CUBLAS_COMPUTE_16F_PEDANTIC => 2,
        C::CUBLAS_COMPUTE_64F | C::CUBLAS_COMPUTE_64F_PEDANTIC => 8,
        _ => 4,
    };
    let matrices = [a, b, c.cast()];
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        run(
            handle,
            groups,
            [alpha, beta],
            factor_bytes,
            matrices,
            [type_a, type_b, type_c],
            compute,
        )
    }
}
