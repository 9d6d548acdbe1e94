//! Matrices of blocks, by the legacy functions: products with vectors (bsrmv) and matrices (bsrmm), and conversions.

use crate::convert::*;
use crate::handle::{Handle, threads};
use crate::legacy::*;
use cuda_types::cusparse::*;
use sparse::product::Product;
use sparse::{Address, Dense, Matrix, Types, copies};
use std::sync::Arc;

/// `c = alpha * a * b + beta * c`.
fn run(
    handle: &Handle,
    a: Matrix,
    (b, b_conj): (Dense, bool),
    c: Dense,
    (alpha, beta): (sparse::Factor, sparse::Factor),
) -> CusparseResult {
    if c.rows == 0 || c.columns == 0 {
        return Ok(());
    }
    let none = Address(std::ptr::null_mut());
    let way = Product::way(&a, false, (c.rows, c.columns), threads(), none);
    let types = Types::uniform(a.ty);
    let product =
        Product { a, transposed: false, conj: false, b, b_conj, c, types, alpha, beta, way };
    for (stage, parts) in product.stages().into_iter().enumerate() {
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        handle.run(parts, move |part| unsafe { product.run(stage, part) })?;
    }
    Ok(())
}

pub(crate) unsafe fn bsrmv<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    op: Operation,
    rows: usize,
    columns: usize,
    nnz: usize,
    alpha: *const N,
    descriptor: Descr,
    values: Address,
    offsets: Address,
    indices: Address,
    size: usize,
    x: Address,
    beta: Address,
    y: Address,
) -> CusparseResult {
    let places = (offsets, indices, values);
    let base = base(&descriptor)?;
    let a = bsr((rows, columns, nnz), places, size, direction, base, N::TYPE)?;
    check(!op.transposed && size > 1)?;
    // SAFETY: the caller passes what the API asks for.
    let factors =
        unsafe { (handle.factor(Address::of(alpha), N::TYPE)?, handle.factor(beta, N::TYPE)?) };
    let x = Dense::vector(x, N::TYPE, a.columns);
    run(&handle, a, (x, false), Dense::vector(y, N::TYPE, a.rows), factors)
}

pub(crate) unsafe fn bsrmm<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    op: Operation,
    op_b: Operation,
    rows: usize,
    n: usize,
    columns: usize,
    nnz: usize,
    alpha: *const N,
    descriptor: Descr,
    values: Address,
    offsets: Address,
    indices: Address,
    size: usize,
    b: Address,
    leading_b: usize,
    beta: Address,
    c: Address,
    leading_c: usize,
) -> CusparseResult {
    let places = (offsets, indices, values);
    let base = base(&descriptor)?;
    let a = bsr((rows, columns, nnz), places, size, direction, base, N::TYPE)?;
    check(!op.transposed && size > 1)?;
    check(leading_c >= a.rows && leading_b >= if op_b.transposed { n } else { a.columns })?;
    // SAFETY: the caller passes what the API asks for.
    let factors =
        unsafe { (handle.factor(Address::of(alpha), N::TYPE)?, handle.factor(beta, N::TYPE)?) };
    let dense = |first, rows, columns, leading: usize| Dense {
        first,
        ty: N::TYPE,
        rows,
        columns,
        row: 1,
        column: leading as isize,
        batch: 0,
    };
    let b = match op_b.transposed {
        true => dense(b, n, a.columns, leading_b).transposed(),
        false => dense(b, a.columns, n, leading_b),
    };
    run(&handle, a, (b, op_b.conj), dense(c, a.rows, n, leading_c), factors)
}

/// The elements of a dense matrix that are not 0: of each row or column, and of all.
pub(crate) fn nnz<N: Number>(
    handle: Arc<Handle>,
    direction: cusparseDirection_t,
    m: usize,
    n: usize,
    descriptor: Descr,
    a: *const N,
    leading: usize,
    counts: Address,
    total: Address,
) -> CusparseResult {
    base(&descriptor)?;
    check(direction.0 <= 1 && leading >= m && !total.is_null())?;
    let dense = Dense {
        first: Address::of(a),
        ty: N::TYPE,
        rows: m,
        columns: n,
        row: 1,
        column: leading as isize,
        batch: 0,
    };
    let by_columns = direction.0 == 1;
    let lines = if by_columns { n } else { m };
    let places = ints(counts, 0);
    // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
    handle.run(lines, move |line| unsafe {
        places.set(line, copies::count(&dense, line, by_columns));
    })?;
    handle.run(1, move |_| {
        // SAFETY: as above.
        unsafe {
            let sum: usize = (0..lines).map(|line| places.get(line)).sum();
            total.set(0, sum as i32);
        }
    })?;
    if handle.on_device() { Ok(()) } else { handle.wait() }
}
