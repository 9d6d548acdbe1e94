//! Orders of rows and columns of sparse matrices in memory of the host: symrcm, symmdq, symamd, metisnd, zfd, perm, issym.

use crate::backend::matrix::Pattern;
use crate::backend::ordering;
use crate::convert::Out;
use crate::descriptor;
use crate::handle::Sparse;
use crate::number::Number;
use cuda_types::cusolver::*;
use std::ffi::{c_int, c_void};

const INVALID: cusolverError = cusolverError::INVALID_VALUE;

/// Reads the pattern of a matrix.
fn pattern(
    (rows, columns, count): (i64, i64, i64),
    descriptor: cusparseMatDescr_t,
    starts: *const c_int,
    indices: *const c_int,
) -> CusolverResult<(Pattern, i64)> {
    let of = |value| usize::try_from(value).map_err(|_| INVALID);
    let (rows, columns, count) = (of(rows)?, of(columns)?, of(count)?);
    if starts.is_null() || (count > 0 && indices.is_null()) {
        return Err(INVALID);
    }
    let base = descriptor::base(descriptor)?;
    // SAFETY: the program says that the arrays are of these sizes.
    let (starts, indices) = unsafe {
        let read =
            |from: *const c_int, count| (0..count).map(move |i| from.add(i).read_unaligned());
        (read(starts, rows + 1).collect::<Vec<_>>(), read(indices, count).collect::<Vec<_>>())
    };
    Ok((Pattern::new(columns, base, &starts, &indices).ok_or(INVALID)?, base))
}

fn write(to: Out<c_int>, order: &[usize]) -> CusolverResult {
    to.check()?;
    to.set_all(order.iter().map(|row| *row as c_int), order.len());
    Ok(())
}

/// Defines functions that tell an order, from 0.
macro_rules! orders {
    ($($name:ident($($more:ident: $ty:ty),*): $order:expr;)*) => {
        $(
            #[allow(clippy::too_many_arguments)]
            pub(crate) fn $name(
                _handle: Sparse,
                n: i64,
                count: i64,
                descriptor: cusparseMatDescr_t,
                starts: *const c_int,
                indices: *const c_int,
                $($more: $ty,)*
                order: Out<c_int>,
            ) -> CusolverResult {
                let (pattern, _) = pattern((n, n, count), descriptor, starts, indices)?;
                write(order, &$order(&pattern))
            }
        )*
    };
}

orders! {
    symrcm(): ordering::reverse_cuthill_mckee;
    least_degree(): ordering::least_degree;
    // Nested dissection fills in less in very large matrices; its order is as right as another one.
    metisnd(_options: *const i64): ordering::least_degree;
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn zfd<N: Number>(
    _handle: Sparse,
    n: i64,
    count: i64,
    descriptor: cusparseMatDescr_t,
    _values: *const N,
    starts: *const c_int,
    indices: *const c_int,
    order: Out<c_int>,
    on_diagonal: Out<c_int>,
) -> CusolverResult {
    on_diagonal.check()?;
    let (pattern, _) = pattern((n, n, count), descriptor, starts, indices)?;
    let (rows, found) = ordering::zero_free_diagonal(&pattern);
    write(order, &rows)?;
    on_diagonal.set(found as c_int)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn perm_buffer(
    _handle: Sparse,
    m: i64,
    n: i64,
    count: i64,
    descriptor: cusparseMatDescr_t,
    starts: *const c_int,
    indices: *const c_int,
    _rows: *const c_int,
    _columns: *const c_int,
    bytes: Out<usize>,
) -> CusolverResult {
    pattern((m, n, count), descriptor, starts, indices)?;
    bytes.set(64)
}

/// Puts rows and columns in an order; `map` is where each element goes, and tells where it came from.
#[allow(clippy::too_many_arguments)]
pub(crate) fn perm(
    _handle: Sparse,
    m: i64,
    n: i64,
    count: i64,
    descriptor: cusparseMatDescr_t,
    starts: *mut c_int,
    indices: *mut c_int,
    rows: *const c_int,
    columns: *const c_int,
    map: *mut c_int,
    _workspace: *mut c_void,
) -> CusolverResult {
    let sizes = (m, n, count);
    let (pattern, base) = pattern(sizes, descriptor, starts.cast_const(), indices.cast_const())?;
    if rows.is_null() || columns.is_null() || map.is_null() {
        return Err(INVALID);
    }
    let order = |from: *const c_int, count: usize| -> CusolverResult<Vec<usize>> {
        // SAFETY: the program says that the orders are of these sizes.
        let read = (0..count).map(|i| unsafe { from.add(i).read_unaligned() });
        let order: Vec<usize> =
            read.map(|row| usize::try_from(row).map_err(|_| INVALID)).collect::<Result<_, _>>()?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted.into_iter().eq(0..count) { Ok(order) } else { Err(INVALID) }
    };
    let rows = order(rows, pattern.rows())?;
    let columns = order(columns, pattern.columns)?;
    let (permuted, origins) = pattern.permuted(&rows, &columns);
    // SAFETY: the arrays are those that were read, and the map is as long as the indices.
    unsafe {
        let old: Vec<c_int> = (0..origins.len()).map(|i| map.add(i).read_unaligned()).collect();
        for (i, start) in permuted.starts.iter().enumerate() {
            starts.add(i).write_unaligned((*start as i64 + base) as c_int);
        }
        for (i, index) in permuted.indices.iter().enumerate() {
            indices.add(i).write_unaligned((*index as i64 + base) as c_int);
        }
        for (i, origin) in origins.into_iter().enumerate() {
            map.add(i).write_unaligned(old[origin]);
        }
    }
    Ok(())
}

/// Whether each element has one at the mirrored place.
#[allow(clippy::too_many_arguments)]
pub(crate) fn is_symmetric(
    _handle: Sparse,
    n: i64,
    count: i64,
    descriptor: cusparseMatDescr_t,
    starts: *const c_int,
    ends: *const c_int,
    indices: *const c_int,
    answer: Out<c_int>,
) -> CusolverResult {
    answer.check()?;
    if ends.is_null() {
        return Err(INVALID);
    }
    let (pattern, _) = pattern((n, n, count), descriptor, starts, indices)?;
    let places = || {
        (0..pattern.rows()).flat_map(|row| pattern.columns_of(row).iter().map(move |c| (row, *c)))
    };
    let all: std::collections::BTreeSet<(usize, usize)> = places().collect();
    answer.set(places().all(|(row, column)| all.contains(&(column, row))).into())
}
