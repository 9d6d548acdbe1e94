//! Incomplete decompositions (csrilu02, csric02, bsrilu02, bsric02), and systems of blocks (bsrsv2, bsrsm2).

use crate::convert::*;
use crate::descriptors::{Described, Object, described};
use crate::handle::Handle;
use crate::legacy::*;
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::incomplete::{self, Boost, Kind};
use sparse::lines::Lines;
use sparse::triangular::{System, Triangle};
use sparse::{Address, Dense, Matrix};
use std::ffi::c_int;
use std::sync::Arc;

/// The state of a matrix between calls.
#[derive(Clone, Default)]
pub(crate) struct Info {
    /// The row, or row of blocks, of the first pivot that is 0 or not there; as the matrix's indices count it.
    zero: Arc<Mutex<Option<usize>>>,
    boost: Option<Boost>,
}

described! {
    Info of csric02Info_t, csrilu02Info_t, bsric02Info_t, bsrilu02Info_t, bsrsv2Info_t, bsrsm2Info_t
        = CUSPARSE_INFO, INVALID_VALUE;
}

type Held = Arc<Object<Info>>;

pub(crate) fn create<T>(info: Out<*mut T>) -> CusparseResult {
    info.check()?;
    info.set(Info::default().insert()?)
}

pub(crate) fn destroy<T>(info: *mut T) -> CusparseResult {
    Info::remove(info)
}

/// Waits for the pivots of what was asked for before.
pub(crate) fn zero_pivot(handle: Arc<Handle>, info: Held, position: Address) -> CusparseResult {
    check(!position.is_null())?;
    handle.wait()?;
    let zero = *info.with(|info| info.zero.clone()).lock();
    let number = zero.map_or(-1, |row| row as c_int);
    // SAFETY: the caller passes what the API asks for, in the memory that the mode says, which is this machine's.
    unsafe { position.set(0, number) };
    if zero.is_some() { Err(cusparseError::ZERO_PIVOT) } else { Ok(()) }
}

pub(crate) unsafe fn boost<N: Number>(
    handle: Arc<Handle>,
    info: Held,
    enable: c_int,
    tolerance: In<f64>,
    value: *mut N,
) -> CusparseResult {
    let boost = match enable {
        0 => None,
        _ => Some(Boost {
            tolerance: tolerance.get()?,
            // SAFETY: the caller passes what the API asks for.
            value: unsafe { handle.factor(Address::of(value), N::TYPE) }?,
        }),
    };
    info.with(|info| info.boost = boost);
    Ok(())
}

/// Looks for diagonals that are not there.
fn analyse(handle: &Handle, a: Matrix, base: usize, block: usize, info: &Held) -> CusparseResult {
    let zero = info.with(|info| info.zero.clone());
    handle.run(1, move |_| {
        // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
        let found = unsafe { System::zero_pivot(a.values, a.ty, &Lines::of(&a, false), false) };
        *zero.lock() = found.map(|row| row / block + base);
    })
}

fn decompose(
    handle: &Handle,
    a: Matrix,
    base: usize,
    block: usize,
    info: &Held,
    cholesky: bool,
) -> CusparseResult {
    let (zero, boost) = info.with(|info| (info.zero.clone(), info.boost));
    let kind = if cholesky { Kind::Cholesky } else { Kind::Lu { boost } };
    handle.run(1, move |_| {
        // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
        let found = unsafe { incomplete::decompose(a.values, a.ty, &Lines::of(&a, false), kind) };
        *zero.lock() = found.map(|row| row / block + base);
    })
}

/// Of a decomposition of a matrix by rows.
pub(crate) fn csr_size<N: Number>(
    _: Arc<Handle>,
    m: usize,
    _nnz: usize,
    descriptor: Descr,
    _values: *mut N,
    _offsets: Address,
    _indices: Address,
    _: Held,
    size: Out<c_int>,
) -> CusparseResult {
    base(&descriptor)?;
    check(m > 0)?;
    tell_size(size)
}

pub(crate) fn csr_analysis<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    nnz: usize,
    descriptor: Descr,
    values: *const N,
    offsets: Address,
    indices: Address,
    info: Held,
    _: cusparseSolvePolicy_t,
    _buffer: Address,
) -> CusparseResult {
    let base = base(&descriptor)?;
    let a = csr((m, m, nnz), (offsets, indices, Address::of(values)), base, N::TYPE);
    analyse(&handle, a, base, 1, &info)
}

/// Of a decomposition of a matrix of blocks.
pub(crate) fn bsr_size<N: Number>(
    _: Arc<Handle>,
    direction: cusparseDirection_t,
    _rows: usize,
    _nnz: usize,
    descriptor: Descr,
    _values: *mut N,
    _offsets: Address,
    _indices: Address,
    size: usize,
    _: Held,
    bytes: Out<c_int>,
) -> CusparseResult {
    base(&descriptor)?;
    check(size > 0 && direction.0 <= 1)?;
    tell_size(bytes)
}

pub(crate) fn bsr_analysis<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    rows: usize,
    nnz: usize,
    descriptor: Descr,
    values: *const N,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    _: cusparseSolvePolicy_t,
    _buffer: Address,
) -> CusparseResult {
    let base = base(&descriptor)?;
    let places = (offsets, indices, Address::of(values));
    let a = bsr((rows, rows, nnz), places, size, direction, base, N::TYPE)?;
    analyse(&handle, a, base, size, &info)
}

/// Both decompositions of both formats.
macro_rules! decompositions {
    ($($csr:ident $bsr:ident $cholesky:literal;)*) => {$(
        pub(crate) fn $csr<N: Number>(
            handle: Arc<Handle>, m: usize, nnz: usize, descriptor: Descr, values: *mut N, offsets: Address,
            indices: Address, info: Held, _: cusparseSolvePolicy_t, _buffer: Address,
        ) -> CusparseResult {
            let base = base(&descriptor)?;
            let a = csr((m, m, nnz), (offsets, indices, Address::of(values)), base, N::TYPE);
            decompose(&handle, a, base, 1, &info, $cholesky)
        }

        pub(crate) fn $bsr<N: Number>(
            handle: Arc<Handle>, direction: cusparseDirection_t, rows: usize, nnz: usize, descriptor: Descr,
            values: *mut N, offsets: Address, indices: Address, size: usize, info: Held,
            _: cusparseSolvePolicy_t, _buffer: Address,
        ) -> CusparseResult {
            let base = base(&descriptor)?;
            let places = (offsets, indices, Address::of(values));
            let a = bsr((rows, rows, nnz), places, size, direction, base, N::TYPE)?;
            decompose(&handle, a, base, size, &info, $cholesky)
        }
    )*};
}

decompositions! {
    csrilu bsrilu false;
    csric bsric true;
}

/// The triangle that a descriptor says, whatever the type of its matrix.
fn triangle(descriptor: &Descr, op: Operation) -> Triangle {
    let descriptor = descriptor.get();
    Triangle { upper: (descriptor.fill == 1) != op.transposed, unit: descriptor.diagonal == 1 }
}

fn solve(
    handle: &Handle,
    a: Matrix,
    op: Operation,
    (base, block): (usize, usize),
    info: &Held,
    system: System,
) -> CusparseResult {
    check(!op.conj || a.ty.is_complex())?;
    let zero = info.with(|info| info.zero.clone());
    handle.run(1, move |_| {
        // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
        unsafe {
            let lines = Lines::of(&a, op.transposed);
            let found = match system.triangle.unit {
                true => None,
                false => System::zero_pivot(a.values, a.ty, &lines, true),
            };
            *zero.lock() = found.map(|row| row / block + base);
            for column in 0..system.y.columns {
                system.solve(&lines, column);
            }
        }
    })
}

pub(crate) fn bsrsv_size<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    _: Operation,
    rows: usize,
    nnz: usize,
    descriptor: Descr,
    values: *mut N,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    bytes: Out<c_int>,
) -> CusparseResult {
    bsr_size(handle, direction, rows, nnz, descriptor, values, offsets, indices, size, info, bytes)
}

pub(crate) fn bsrsv_analysis<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    _: Operation,
    rows: usize,
    nnz: usize,
    descriptor: Descr,
    values: *const N,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    policy: cusparseSolvePolicy_t,
    buffer: Address,
) -> CusparseResult {
    bsr_analysis(
        handle, direction, rows, nnz, descriptor, values, offsets, indices, size, info, policy,
        buffer,
    )
}

pub(crate) unsafe fn bsrsv<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    op: Operation,
    rows: usize,
    nnz: usize,
    alpha: *const N,
    descriptor: Descr,
    values: Address,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    x: Address,
    y: Address,
    _: cusparseSolvePolicy_t,
    _buffer: Address,
) -> CusparseResult {
    let base = base(&descriptor)?;
    let a = bsr((rows, rows, nnz), (offsets, indices, values), size, direction, base, N::TYPE)?;
    let system = System {
        values,
        diagonal: None,
        ty: N::TYPE,
        triangle: triangle(&descriptor, op),
        conj: op.conj,
        x: Dense::vector(x, N::TYPE, a.rows),
        x_conj: false,
        y: Dense::vector(y, N::TYPE, a.rows),
        // SAFETY: the caller passes what the API asks for.
        alpha: unsafe { handle.factor(Address::of(alpha), N::TYPE) }?,
    };
    solve(&handle, a, op, (base, size), &info, system)
}

pub(crate) fn bsrsm_size<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    _: Operation,
    _: Operation,
    rows: usize,
    _n: usize,
    nnz: usize,
    descriptor: Descr,
    values: *mut N,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    bytes: Out<c_int>,
) -> CusparseResult {
    bsr_size(handle, direction, rows, nnz, descriptor, values, offsets, indices, size, info, bytes)
}

pub(crate) fn bsrsm_analysis<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    _: Operation,
    _: Operation,
    rows: usize,
    _n: usize,
    nnz: usize,
    descriptor: Descr,
    values: *const N,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    policy: cusparseSolvePolicy_t,
    buffer: Address,
) -> CusparseResult {
    bsr_analysis(
        handle, direction, rows, nnz, descriptor, values, offsets, indices, size, info, policy,
        buffer,
    )
}

pub(crate) unsafe fn bsrsm<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    op: Operation,
    op_x: Operation,
    rows: usize,
    n: usize,
    nnz: usize,
    alpha: *const N,
    descriptor: Descr,
    values: Address,
    offsets: Address,
    indices: Address,
    size: usize,
    info: Held,
    b: Address,
    leading_b: usize,
    x: Address,
    leading_x: usize,
    _: cusparseSolvePolicy_t,
    _buffer: Address,
) -> CusparseResult {
    let base = base(&descriptor)?;
    let a = bsr((rows, rows, nnz), (offsets, indices, values), size, direction, base, N::TYPE)?;
    let least = if op_x.transposed { n } else { a.rows };
    check(leading_b >= least && leading_x >= least && !op_x.conj)?;
    let side = |first: Address, leading: usize| {
        let (row, column) = match op_x.transposed {
            true => (leading as isize, 1),
            false => (1, leading as isize),
        };
        Dense { first, ty: N::TYPE, rows: a.rows, columns: n, row, column, batch: 0 }
    };
    let system = System {
        values,
        diagonal: None,
        ty: N::TYPE,
        triangle: triangle(&descriptor, op),
        conj: op.conj,
        x: side(b, leading_b),
        x_conj: false,
        y: side(x, leading_x),
        // SAFETY: the caller passes what the API asks for.
        alpha: unsafe { handle.factor(Address::of(alpha), N::TYPE) }?,
    };
    solve(&handle, a, op, (base, size), &info, system)
}
