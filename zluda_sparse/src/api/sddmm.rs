//! Products of dense matrices where a sparse one has elements.

use crate::convert::*;
use crate::descriptors::{DnMat, Object, SpMat};
use crate::handle::{Generic, Handle, threads};
use cuda_types::cusparse::*;
use sparse::sampled::Sampled;
use sparse::{Address, Layout, Type, Types};
use std::sync::Arc;

type Sparse = Arc<Object<SpMat>>;
type Matrix = Arc<Object<DnMat>>;

/// # Safety
/// `alpha` and `beta` are as the API asks for.
unsafe fn check_sddmm(
    handle: &Handle,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: &Matrix,
    b: &Matrix,
    beta: Address,
    c: &Sparse,
    compute: Type,
    alg: cusparseSDDMMAlg_t,
) -> CusparseResult<(Sampled, usize)> {
    check(alg.0 == 0)?;
    let (a, b, c) = (a.get(), b.get(), c.get());
    check(!op_a.conj || a.dense.ty.is_complex())?;
    check(!op_b.conj || b.dense.ty.is_complex())?;
    let turn = |dense: sparse::Dense, op: Operation| match op.transposed {
        true => dense.transposed(),
        false => dense,
    };
    let batches = a.batches.max(b.batches).max(c.batches);
    check([a.batches, b.batches, c.batches].iter().all(|count| *count == 1 || *count == batches))?;
    let (a, b) = (turn(a.dense, op_a), turn(b.dense, op_b));
    check(a.columns == b.rows && a.rows == c.matrix.rows && b.columns == c.matrix.columns)?;
    let types = Types { a: a.ty, x: b.ty, y: c.matrix.ty, compute };
    supported(!op_a.conj && !op_b.conj && types.is_known())?;
    supported(matches!(
        c.matrix.layout,
        Layout::Compressed { by_columns: false, .. } | Layout::Blocks { .. }
    ))?;
    // SAFETY: the caller says so.
    let (alpha, beta) = unsafe { (handle.factor(alpha, compute)?, handle.factor(beta, compute)?) };
    let sampled =
        Sampled { a, a_conj: op_a.conj, b, b_conj: op_b.conj, c: c.matrix, alpha, beta, types };
    Ok((sampled, batches))
}

pub(crate) unsafe fn sddmm_size(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Matrix,
    b: Matrix,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSDDMMAlg_t,
    size: Out<usize>,
) -> CusparseResult {
    size.check()?;
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_sddmm(&handle, op_a, op_b, alpha, &a, &b, beta, &c, compute, alg) }?;
    size.set(0)
}

/// There is nothing to prepare.
pub(crate) unsafe fn sddmm_prepare(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Matrix,
    b: Matrix,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSDDMMAlg_t,
    _buffer: Address,
) -> CusparseResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_sddmm(&handle, op_a, op_b, alpha, &a, &b, beta, &c, compute, alg) }.map(drop)
}

pub(crate) unsafe fn sddmm(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Matrix,
    b: Matrix,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSDDMMAlg_t,
    _buffer: Address,
) -> CusparseResult {
    // SAFETY: the caller passes what the API asks for.
    let (sampled, batches) =
        unsafe { check_sddmm(&handle, op_a, op_b, alpha, &a, &b, beta, &c, compute, alg) }?;
    let work = sampled.c.stored.saturating_mul(sampled.a.columns);
    let parts = (work >> 14).clamp(1, 8 * threads());
    handle.run(batches * parts, move |part| {
        let (number, part) = (part / parts, part % parts);
        let (a, b) = (sampled.a.of_batch(number), sampled.b.of_batch(number));
        let sampled = Sampled { a, b, c: sampled.c.of_batch(number), ..sampled };
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        unsafe { sampled.run(part, parts) };
    })
}
