//! Sums of sparse matrices (csrgeam2).

use crate::convert::*;
use crate::handle::Handle;
use crate::legacy::*;
use cuda_types::cusparse::*;
use sparse::{Address, copies, multiply};
use std::sync::Arc;

/// Rows of a part.
const ROWS: usize = 256;

pub(crate) fn geam_size<N: Number>(
    _: Arc<Handle>,
    _m: usize,
    _n: usize,
    _alpha: *const N,
    a: Descr,
    _nnz_a: usize,
    _values_a: Address,
    _offsets_a: Address,
    _indices_a: Address,
    _beta: Address,
    b: Descr,
    _nnz_b: usize,
    _values_b: Address,
    _offsets_b: Address,
    _indices_b: Address,
    c: Descr,
    _values_c: Address,
    _offsets_c: Address,
    _indices_c: Address,
    size: Out<usize>,
) -> CusparseResult {
    for descriptor in [a, b, c] {
        base(&descriptor)?;
    }
    tell_size(size)
}

pub(crate) fn geam_nnz(
    handle: Arc<Handle>,
    m: usize,
    _n: usize,
    a: Descr,
    _nnz_a: usize,
    offsets_a: Address,
    indices_a: Address,
    b: Descr,
    _nnz_b: usize,
    offsets_b: Address,
    indices_b: Address,
    c: Descr,
    offsets_c: Address,
    total: Address,
    _workspace: Address,
) -> CusparseResult {
    check(!total.is_null())?;
    let (base_a, base_b) = (base(&a)?, base(&b)?);
    let a = (ints(offsets_a, base_a), ints(indices_a, base_a));
    let b = (ints(offsets_b, base_b), ints(indices_b, base_b));
    let offsets = ints(offsets_c, base(&c)?);
    handle.run(m.div_ceil(ROWS), move |part| {
        for row in part * ROWS..m.min((part + 1) * ROWS) {
            // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
            unsafe { offsets.set(row + 1, multiply::count(a, b, row)) };
        }
    })?;
    handle.run(1, move |_| {
        // SAFETY: as above.
        unsafe { copies::sum_up(offsets, m) };
    })?;
    tell_count(&handle, offsets, m, total)
}

pub(crate) unsafe fn geam<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    _n: usize,
    alpha: *const N,
    a: Descr,
    _nnz_a: usize,
    values_a: Address,
    offsets_a: Address,
    indices_a: Address,
    beta: Address,
    b: Descr,
    _nnz_b: usize,
    values_b: Address,
    offsets_b: Address,
    indices_b: Address,
    c: Descr,
    values_c: Address,
    offsets_c: Address,
    indices_c: Address,
    _buffer: Address,
) -> CusparseResult {
    let (base_a, base_b, base_c) = (base(&a)?, base(&b)?, base(&c)?);
    // SAFETY: the caller passes what the API asks for.
    let factors =
        unsafe { (handle.factor(Address::of(alpha), N::TYPE)?, handle.factor(beta, N::TYPE)?) };
    let a = (ints(offsets_a, base_a), ints(indices_a, base_a), values_a);
    let b = (ints(offsets_b, base_b), ints(indices_b, base_b), values_b);
    let c = (ints(offsets_c, base_c), ints(indices_c, base_c), values_c);
    handle.run(m.div_ceil(ROWS), move |part| {
        for row in part * ROWS..m.min((part + 1) * ROWS) {
            // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
            unsafe { multiply::add(a, b, c, factors, N::TYPE, row) };
        }
    })
}
