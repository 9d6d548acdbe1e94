//! Sums, rotations and products of sparse vectors with dense ones, and copies from the one to the other.

use crate::convert::*;
use crate::descriptors::{DnVec, Object, SpVec};
use crate::handle::{Generic, Handle};
use cuda_types::cusparse::*;
use sparse::vectors::{Action, Pair, computed};
use sparse::{Address, Type};
use std::sync::Arc;

type Sparse = Arc<Object<SpVec>>;
type Dense = Arc<Object<DnVec>>;

/// The pair of two vectors of one size and type.
fn pair(x: &Sparse, y: &Dense, compute: Option<Type>) -> CusparseResult<Pair> {
    let (x, DnVec(dense)) = (x.get(), y.get());
    check(x.size == dense.rows)?;
    let compute = compute.unwrap_or(computed(dense.ty));
    let pair = Pair { stored: x.stored, indices: x.indices, values: x.values, dense, compute };
    supported(x.ty == dense.ty && (pair.is_known() || dense.ty == Type::I8))?;
    Ok(pair)
}

/// The sparse vector as it is, or its conjugate, which only complex numbers have.
fn check_operation(op: Operation, x: &Sparse) -> CusparseResult {
    check(op.transposed == op.conj && (!op.conj || x.get().ty.is_complex()))
}

fn run(handle: &Handle, pair: Pair, action: Action) -> CusparseResult {
    // SAFETY: the program says that the vectors are there; where not, the work ends as a kernel does.
    handle.run(1, move |_| unsafe { pair.run(action) })
}

pub(crate) unsafe fn axpby(
    handle: Generic,
    alpha: Address,
    x: Sparse,
    beta: Address,
    y: Dense,
) -> CusparseResult {
    let pair = pair(&x, &y, None)?;
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) =
        unsafe { (handle.factor(alpha, pair.compute)?, handle.factor(beta, pair.compute)?) };
    run(&handle, pair, Action::Add { alpha, beta })
}

pub(crate) fn gather(handle: Generic, y: Dense, x: Sparse) -> CusparseResult {
    run(&handle, pair(&x, &y, None)?, Action::Gather)
}

pub(crate) fn scatter(handle: Generic, x: Sparse, y: Dense) -> CusparseResult {
    run(&handle, pair(&x, &y, None)?, Action::Scatter)
}

pub(crate) unsafe fn rot(
    handle: Generic,
    c: Address,
    s: Address,
    x: Sparse,
    y: Dense,
) -> CusparseResult {
    let pair = pair(&x, &y, None)?;
    // SAFETY: the caller passes what the API asks for.
    let (c, s) = unsafe { (handle.factor(c, pair.compute)?, handle.factor(s, pair.compute)?) };
    run(&handle, pair, Action::Rotate { c, s })
}

pub(crate) fn spvv_size(
    _: Generic,
    op: Operation,
    x: Sparse,
    y: Dense,
    result: Address,
    compute: Type,
    size: Out<usize>,
) -> CusparseResult {
    size.check()?;
    check(!result.is_null())?;
    check_operation(op, &x)?;
    pair(&x, &y, Some(compute))?;
    size.set(0)
}

/// A result in memory of the host is there when the function returns, unless the stream is captured.
pub(crate) fn spvv(
    handle: Generic,
    op: Operation,
    x: Sparse,
    y: Dense,
    result: Address,
    compute: Type,
    _buffer: Address,
) -> CusparseResult {
    check(!result.is_null())?;
    check_operation(op, &x)?;
    let pair = pair(&x, &y, Some(compute))?;
    run(&handle, pair, Action::Dot { conj: op.conj, result })?;
    handle.wait_for_result()
}
