//! Rows whose small elements are left out (csr2csr_compress), and rows that are sorted and put back (csru2csr).

use crate::convert::*;
use crate::descriptors::{Described, Object, described};
use crate::handle::Handle;
use crate::legacy::*;
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::{Address, compress, copies};
use std::sync::Arc;

/// Rows of a part.
const ROWS: usize = 256;

/// A tolerance, which is not negative.
fn tolerance<N: Number>(value: N) -> CusparseResult<f64> {
    // SAFETY: the value lives during the call.
    let tolerance = unsafe { compress::tolerance(Address::of(&raw const value), N::TYPE) };
    check(tolerance >= 0.0)?;
    Ok(tolerance)
}

pub(crate) fn count<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    descriptor: Descr,
    values: *const N,
    offsets: Address,
    counts: Address,
    total: Address,
    least: N,
) -> CusparseResult {
    let (least, values) = (tolerance(least)?, Address::of(values));
    let (offsets, places) = (ints(offsets, base(&descriptor)?), ints(counts, 0));
    check(!total.is_null())?;
    handle.run(m.div_ceil(ROWS), move |part| {
        for row in part * ROWS..m.min((part + 1) * ROWS) {
            // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
            unsafe {
                places.set(row, compress::count(offsets, values, N::TYPE, row, least));
            }
        }
    })?;
    handle.run(1, move |_| {
        // SAFETY: as above.
        unsafe {
            let sum: usize = (0..m).map(|row| places.get(row)).sum();
            total.set(0, sum as i32);
        }
    })?;
    if handle.on_device() { Ok(()) } else { handle.wait() }
}

pub(crate) fn compress<N: Number>(
    handle: Arc<Handle>,
    m: usize,
    _n: usize,
    descriptor: Descr,
    values: *const N,
    indices: Address,
    offsets: Address,
    _nnz: usize,
    counts: Address,
    to_values: Address,
    to_indices: Address,
    to_offsets: Address,
    least: N,
) -> CusparseResult {
    let (least, values) = (tolerance(least)?, Address::of(values));
    let base = base(&descriptor)?;
    let counts = ints(counts, 0);
    let from = (ints(offsets, base), ints(indices, base), values);
    let to = (ints(to_offsets, base), ints(to_indices, base), to_values);
    handle.run(1, move |_| {
        let mut sum = 0;
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        unsafe {
            to.0.set(0, 0);
            for row in 0..m {
                sum += counts.get(row);
                to.0.set(row + 1, sum);
            }
        }
    })?;
    handle.run(m.div_ceil(ROWS), move |part| {
        for row in part * ROWS..m.min((part + 1) * ROWS) {
            // SAFETY: as above.
            unsafe { compress::copy_row(from, to, N::TYPE, row, least) };
        }
    })
}

/// In which order rows were before they were sorted.
#[derive(Clone, Default)]
pub(crate) struct Order(Arc<Mutex<Vec<usize>>>);

described! {
    Order of csru2csrInfo_t = CUSPARSE_CSRU2CSR_INFO, INVALID_VALUE;
}

pub(crate) fn create(info: Out<csru2csrInfo_t>) -> CusparseResult {
    info.check()?;
    info.set(Order::default().insert()?)
}

pub(crate) fn destroy(info: csru2csrInfo_t) -> CusparseResult {
    Order::remove(info)
}

pub(crate) fn sort_size<N: Number>(
    _: Arc<Handle>,
    _m: usize,
    _n: usize,
    _nnz: usize,
    _values: *mut N,
    _offsets: Address,
    _indices: Address,
    _: Arc<Object<Order>>,
    size: Out<usize>,
) -> CusparseResult {
    tell_size(size)
}

/// Both directions.
macro_rules! sorts {
    ($($name:ident $back:literal;)*) => {$(
        pub(crate) fn $name<N: Number>(
            handle: Arc<Handle>, m: usize, _n: usize, _nnz: usize, descriptor: Descr, values: *mut N,
            offsets: Address, indices: Address, info: Arc<Object<Order>>, _buffer: Address,
        ) -> CusparseResult {
            let base = base(&descriptor)?;
            let (offsets, indices) = (ints(offsets, base), ints(indices, base));
            let (values, Order(order)) = (Address::of(values), info.with(|info| info.clone()));
            handle.run(1, move |_| {
                let mut order = order.lock();
                // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
                unsafe {
                    if !$back {
                        *order = copies::sorted_order(offsets, indices, m);
                    }
                    copies::reorder(indices, values, N::TYPE, &order, $back);
                }
            })
        }
    )*};
}

sorts! {
    sort false;
    unsort true;
}
