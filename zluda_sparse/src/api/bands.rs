//! Systems of equations with three diagonals (gtsv2) and with five (gpsv), one or many. What the functions that tell sizes are
//! told is looked at where NVIDIA's library looks at it.

use crate::convert::*;
use crate::handle::Handle;
use crate::legacy::*;
use cuda_types::cusparse::*;
use sparse::band::Band;
use sparse::{Address, Dense};
use std::sync::Arc;

/// Columns of a part.
const COLUMNS: usize = 8;

/// Systems of one matrix with several right sides.
fn solve<N: Number>(
    handle: &Handle,
    (m, n): (usize, usize),
    diagonals: [Address; 3],
    right: *mut N,
    leading: usize,
    pivot: bool,
) -> CusparseResult {
    if m == 0 || n == 0 {
        return Ok(());
    }
    check(m >= 3 && leading >= m)?;
    let right = Dense {
        first: Address::of(right),
        ty: N::TYPE,
        rows: m,
        columns: n,
        row: 1,
        column: leading as isize,
        batch: 0,
    };
    handle.run(n.div_ceil(COLUMNS), move |part| {
        let band = Band { diagonals: &diagonals, below: 1, first: 0, step: 1, ty: N::TYPE, pivot };
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe { band.solve(&right, part * COLUMNS..n.min((part + 1) * COLUMNS)) };
    })
}

/// Many systems of one right side: how far it is from one to the next, and from each row to the next.
fn solve_batch<N: Number, const D: usize>(
    handle: &Handle,
    m: usize,
    diagonals: [Address; D],
    right: *mut N,
    count: usize,
    (between, step): (usize, usize),
) -> CusparseResult {
    if m == 0 || count == 0 {
        return Ok(());
    }
    let right = Address::of(right);
    handle.run(count, move |system| {
        let first = system * between;
        let side = Dense {
            first: right.skip(first as isize, N::TYPE),
            ty: N::TYPE,
            rows: m,
            columns: 1,
            row: step as isize,
            column: 0,
            batch: 0,
        };
        let band =
            Band { diagonals: &diagonals, below: D / 2, first, step, ty: N::TYPE, pivot: true };
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe { band.solve(&side, 0..1) };
    })
}

pub(crate) fn size<N: Number>(
    _: Arc<Handle>,
    _m: i32,
    _n: i32,
    _dl: *const N,
    _d: Address,
    _du: Address,
    _right: Address,
    _leading: i32,
    size: Out<usize>,
) -> CusparseResult {
    tell_size(size)
}

pub(crate) fn gtsv<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    n: usize,
    dl: Address,
    d: Address,
    du: Address,
    right: *mut N,
    leading: usize,
    _buffer: Address,
) -> CusparseResult {
    solve(&handle, (m, n), [dl, d, du], right, leading, true)
}

pub(crate) fn gtsv_nopivot<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    n: usize,
    dl: Address,
    d: Address,
    du: Address,
    right: *mut N,
    leading: usize,
    _buffer: Address,
) -> CusparseResult {
    solve(&handle, (m, n), [dl, d, du], right, leading, false)
}

pub(crate) fn strided_size<N: Number>(
    _: Arc<Handle>,
    m: usize,
    _dl: *const N,
    _d: Address,
    _du: Address,
    _right: Address,
    count: usize,
    stride: usize,
    size: Out<usize>,
) -> CusparseResult {
    check(m >= 3 && stride >= m && count > 0)?;
    tell_size(size)
}

pub(crate) fn gtsv_strided<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    dl: Address,
    d: Address,
    du: Address,
    right: *mut N,
    count: usize,
    stride: usize,
    _buffer: Address,
) -> CusparseResult {
    check(stride >= m && (m >= 3 || m == 0 || count == 0))?;
    solve_batch(&handle, m, [dl, d, du], right, count, (stride, 1))
}

pub(crate) fn interleaved_size<N: Number>(
    _: Arc<Handle>,
    algorithm: i32,
    _m: i32,
    _dl: *const N,
    _d: Address,
    _du: Address,
    _right: Address,
    _count: i32,
    size: Out<usize>,
) -> CusparseResult {
    check((0..=2).contains(&algorithm))?;
    tell_size(size)
}

/// Each algorithm gives the same: rows are exchanged. The diagonals stay as they are.
pub(crate) fn gtsv_interleaved<N: Number>(
    handle: Arc<Handle>,
    algorithm: i32,
    m: usize,
    dl: Address,
    d: Address,
    du: Address,
    right: *mut N,
    count: usize,
    _buffer: Address,
) -> CusparseResult {
    check((0..=2).contains(&algorithm))?;
    solve_batch(&handle, m, [dl, d, du], right, count, (1, count))
}

pub(crate) fn five_size<N: Number>(
    _: Arc<Handle>,
    _algorithm: i32,
    _m: i32,
    _ds: *const N,
    _dl: Address,
    _d: Address,
    _du: Address,
    _dw: Address,
    _right: Address,
    _count: i32,
    size: Out<usize>,
) -> CusparseResult {
    tell_size(size)
}

pub(crate) fn gpsv_interleaved<N: Number>(
    handle: Arc<Handle>,
    algorithm: i32,
    m: usize,
    ds: Address,
    dl: Address,
    d: Address,
    du: Address,
    dw: Address,
    right: *mut N,
    count: usize,
    _buffer: Address,
) -> CusparseResult {
    check(algorithm == 0)?;
    solve_batch(&handle, m, [ds, dl, d, du, dw], right, count, (1, count))
}
