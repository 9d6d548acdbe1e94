//! Orders of elements: sorting, transposing, offsets from rows and rows from offsets.

use crate::convert::*;
use crate::handle::Handle;
use crate::legacy::*;
use cuda_types::cusparse::*;
use sparse::{Address, Indices, Type, copies};
use std::sync::Arc;

/// Lines of a part.
const LINES: usize = 256;

pub(crate) fn identity(handle: Arc<Handle>, n: usize, p: Address) -> CusparseResult {
    check(n == 0 || !p.is_null())?;
    handle.run(n.div_ceil(1 << 14), move |part| {
        for i in part << 14..n.min((part + 1) << 14) {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            unsafe { p.set(i, i as i32) };
        }
    })
}

/// Of sorts of all formats.
pub(crate) fn size(
    _: Arc<Handle>,
    _m: usize,
    _n: usize,
    _nnz: usize,
    _first: Address,
    _second: Address,
    size: Out<usize>,
) -> CusparseResult {
    tell_size(size)
}

/// A permutation that there may be.
fn permutation(p: Address) -> Option<Indices> {
    (!p.is_null()).then(|| ints(p, 0))
}

fn coosort(
    handle: &Handle,
    (first, second): (Address, Address),
    nnz: usize,
    p: Address,
) -> CusparseResult {
    check(nnz == 0 || (!first.is_null() && !second.is_null()))?;
    let (first, second, p) = (ints(first, 0), ints(second, 0), permutation(p));
    handle.run(usize::from(nnz > 0), move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe { copies::sort(first, second, p, nnz) };
    })
}

pub(crate) fn coosort_rows(
    handle: Arc<Handle>,
    _m: usize,
    _n: usize,
    nnz: usize,
    rows: Address,
    columns: Address,
    p: Address,
    _buffer: Address,
) -> CusparseResult {
    coosort(&handle, (rows, columns), nnz, p)
}

pub(crate) fn coosort_columns(
    handle: Arc<Handle>,
    _m: usize,
    _n: usize,
    nnz: usize,
    rows: Address,
    columns: Address,
    p: Address,
    _buffer: Address,
) -> CusparseResult {
    coosort(&handle, (columns, rows), nnz, p)
}

fn sort_lines(
    handle: &Handle,
    lines: usize,
    descriptor: &Descr,
    (offsets, indices): (Address, Address),
    p: Address,
) -> CusparseResult {
    let base = base(descriptor)?;
    let (offsets, indices, p) = (ints(offsets, base), ints(indices, base), permutation(p));
    handle.run(lines.div_ceil(LINES), move |part| {
        let own = part * LINES..lines.min((part + 1) * LINES);
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe { copies::sort_lines(offsets, indices, p, own) };
    })
}

pub(crate) fn csrsort(
    handle: Arc<Handle>,
    m: usize,
    _n: usize,
    _nnz: usize,
    descriptor: Descr,
    offsets: Address,
    indices: Address,
    p: Address,
    _buffer: Address,
) -> CusparseResult {
    check(!offsets.is_null())?;
    sort_lines(&handle, m, &descriptor, (offsets, indices), p)
}

pub(crate) fn cscsort(
    handle: Arc<Handle>,
    _m: usize,
    n: usize,
    _nnz: usize,
    descriptor: Descr,
    offsets: Address,
    indices: Address,
    p: Address,
    _buffer: Address,
) -> CusparseResult {
    check(!offsets.is_null())?;
    sort_lines(&handle, n, &descriptor, (offsets, indices), p)
}

pub(crate) fn coo_to_csr(
    handle: Arc<Handle>,
    rows: Address,
    nnz: usize,
    m: usize,
    offsets: Address,
    Base(base): Base,
) -> CusparseResult {
    let (rows, offsets) = (ints(rows, base), ints(offsets, base));
    handle.run(1, move |_| {
        let mut at = 0;
        for row in 0..=m {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            unsafe {
                while at < nnz && rows.get(at) < row {
                    at += 1;
                }
                offsets.set(row, at);
            }
        }
    })
}

pub(crate) fn csr_to_coo(
    handle: Arc<Handle>,
    offsets: Address,
    _nnz: usize,
    m: usize,
    rows: Address,
    Base(base): Base,
) -> CusparseResult {
    let (rows, offsets) = (ints(rows, base), ints(offsets, base));
    handle.run(m.div_ceil(LINES), move |part| {
        for row in part * LINES..m.min((part + 1) * LINES) {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            unsafe { (offsets.get(row)..offsets.get(row + 1)).for_each(|at| rows.set(at, row)) };
        }
    })
}

fn check_transpose(action: cusparseAction_t, alg: cusparseCsr2CscAlg_t) -> CusparseResult {
    check(action.0 <= 1 && alg == cusparseCsr2CscAlg_t::CUSPARSE_CSR2CSC_ALG1)
}

pub(crate) fn transpose(
    handle: Arc<Handle>,
    m: usize,
    n: usize,
    _nnz: usize,
    values: Address,
    offsets: Address,
    indices: Address,
    to_values: Address,
    to_offsets: Address,
    to_indices: Address,
    ty: Type,
    action: cusparseAction_t,
    Base(base): Base,
    alg: cusparseCsr2CscAlg_t,
    _buffer: Address,
) -> CusparseResult {
    check_transpose(action, alg)?;
    let from = (ints(offsets, base), ints(indices, base), values);
    let to = (ints(to_offsets, base), ints(to_indices, base), to_values);
    let ty = (action == cusparseAction_t::CUSPARSE_ACTION_NUMERIC).then_some(ty);
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe { copies::transpose(from, m, n, to, ty) };
    })
}

pub(crate) fn transpose_size(
    _: Arc<Handle>,
    _m: usize,
    _n: usize,
    _nnz: usize,
    _values: Address,
    _offsets: Address,
    _indices: Address,
    _to_values: Address,
    _to_offsets: Address,
    _to_indices: Address,
    _: Type,
    action: cusparseAction_t,
    _: Base,
    alg: cusparseCsr2CscAlg_t,
    size: Out<usize>,
) -> CusparseResult {
    check_transpose(action, alg)?;
    tell_size(size)
}
