//! Products of sparse matrices (SpGEMM), also with a structure that is made once (SpGEMMreuse).
//!
//! A product is made by `compute`, which waits for it, as the program asks then how many elements there are; it lies in the
//! descriptor until `copy`. No buffer is needed, but one that is null is the program's question for its size.

use crate::convert::*;
use crate::descriptors::{Described, Object, SpMat, described};
use crate::handle::{Generic, Handle, threads};
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::multiply::{self, Rows};
use sparse::{Address, Indices, Layout, Matrix, Type, Width};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of buffers that programs are asked for.
const BUFFER: usize = 256;

/// The descriptor: the product's rows, in parts, and where the elements of each begin.
#[derive(Clone, Default)]
pub(crate) struct SpGemm {
    parts: Arc<Vec<(usize, Rows)>>,
    products: usize,
}

described! {
    SpGemm of cusparseSpGEMMDescr_t = CUSPARSE_SPGEMM, INVALID_VALUE;
}

type Sparse = Arc<Object<SpMat>>;
type Descriptor = Arc<Object<SpGemm>>;

pub(crate) fn create(descriptor: Out<cusparseSpGEMMDescr_t>) -> CusparseResult {
    descriptor.check()?;
    descriptor.set(SpGemm::default().insert()?)
}

pub(crate) fn destroy(descriptor: cusparseSpGEMMDescr_t) -> CusparseResult {
    SpGemm::remove(descriptor)
}

/// The offsets and indices of rows.
fn rows(matrix: &Matrix) -> CusparseResult<(Indices, Indices)> {
    match matrix.layout {
        Layout::Compressed { by_columns: false, offsets, indices } => Ok((offsets, indices)),
        _ => Err(UNSUPPORTED),
    }
}

fn check_product(
    (op_a, op_b): (Operation, Operation),
    a: &Sparse,
    b: &Sparse,
    c: &Sparse,
    compute: Option<Type>,
    alg: cusparseSpGEMMAlg_t,
) -> CusparseResult<[Matrix; 3]> {
    check(alg.0 <= 5)?;
    let all = [a.get().matrix, b.get().matrix, c.get().matrix];
    let [a, b, c] = all;
    supported(!op_a.transposed && !op_b.transposed)?;
    check(a.columns == b.rows && a.rows == c.rows && b.columns == c.columns)?;
    supported(a.ty == b.ty && a.ty == c.ty)?;
    let compute = compute.unwrap_or(sparse::vectors::computed(a.ty));
    supported(multiply::is_known(a.ty, compute))?;
    for matrix in all {
        rows(&matrix)?;
    }
    Ok(all)
}

/// What is known of a product before it is made.
#[derive(Clone, Copy, Default)]
struct Size {
    /// Products of elements.
    products: usize,
    /// Elements that the product has at least: each of its rows has those of the longest row that it is a sum of.
    least: usize,
}

/// The size of a product, which is known when this returns.
fn measure(handle: &Handle, a: Matrix, b: Matrix) -> CusparseResult<Size> {
    let (offsets, _) = rows(&b)?;
    let total = Arc::new(Mutex::new(Size::default()));
    let sum = total.clone();
    handle.run(1, move |_| {
        let mut size = Size::default();
        for row in 0..a.rows {
            let mut longest = 0;
            // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
            unsafe {
                a.visit(row..row + 1, |_, k, _| {
                    if k < b.rows {
                        let count = offsets.get(k + 1).saturating_sub(offsets.get(k));
                        size.products = size.products.saturating_add(count);
                        longest = longest.max(count.min(b.columns));
                    }
                });
            }
            size.least = size.least.saturating_add(longest);
        }
        *sum.lock() = size;
    })?;
    handle.wait()?;
    let size = *total.lock();
    Ok(size)
}

/// The most elements that a product may have: what its offsets can count and free memory has room for.
fn most(handle: &Handle, c: &Matrix) -> CusparseResult<usize> {
    let counted = match rows(c)?.0.width {
        Width::I64 => i64::MAX as usize,
        _ => i32::MAX as usize,
    };
    Ok(counted.min(handle.free_memory()? / multiply::bytes(c.ty)))
}

/// Fails where a product of at least so many elements is too large.
fn check_size(size: Size, most: usize) -> CusparseResult {
    if size.least > most { Err(cusparseError::INSUFFICIENT_RESOURCES) } else { Ok(()) }
}

pub(crate) fn estimate(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Sparse,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSpGEMMAlg_t,
    descriptor: Descriptor,
    size: Out<usize>,
    buffer: Address,
) -> CusparseResult {
    check(!alpha.is_null() && !beta.is_null())?;
    size.check()?;
    let [a, b, c] = check_product((op_a, op_b), &a, &b, &c, Some(compute), alg)?;
    if buffer.is_null() {
        return size.set(BUFFER);
    }
    let found = measure(&handle, a, b)?;
    descriptor.with(|descriptor| descriptor.products = found.products);
    check_size(found, most(&handle, &c)?)
}

pub(crate) fn number_of_products(descriptor: Descriptor, count: Out<i64>) -> CusparseResult {
    count.set(descriptor.with(|descriptor| descriptor.products) as i64)
}

pub(crate) fn estimate_memory(
    _: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Sparse,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSpGEMMAlg_t,
    _: Descriptor,
    _chunk_fraction: f32,
    size3: Out<usize>,
    buffer3: Address,
    size2: Out<usize>,
) -> CusparseResult {
    check(!alpha.is_null() && !beta.is_null())?;
    check_product((op_a, op_b), &a, &b, &c, Some(compute), alg)?;
    match buffer3.is_null() {
        true => size3.set(BUFFER),
        false => size2.set(BUFFER),
    }
}

/// Makes the product and keeps it; its number of elements becomes that of `c`. One that is too large ends before it takes
/// the machine's memory.
fn make(
    handle: &Handle,
    [a, b, shape]: [Matrix; 3],
    c: &Sparse,
    descriptor: &Descriptor,
) -> CusparseResult {
    let most = most(handle, &shape)?;
    check_size(measure(handle, a, b)?, most)?;
    let taken = Arc::new(AtomicUsize::new(0));
    // Sums of a row have a place for each column, so there are no more parts than run at a time.
    let parts = (a.rows / 64).clamp(1, 2 * threads());
    let made: Arc<Vec<Mutex<Rows>>> = Arc::new((0..parts).map(|_| Mutex::default()).collect());
    let (result, sum) = (made.clone(), taken.clone());
    handle.run(parts, move |part| {
        let room = |count| sum.fetch_add(count, Ordering::Relaxed) + count <= most;
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        let rows = unsafe { multiply::multiply(&a, &b, a.part(part, parts), room) };
        if let Some(place) = result.get(part) {
            *place.lock() = rows;
        }
    })?;
    handle.wait()?;
    if taken.load(Ordering::Relaxed) > most {
        return Err(cusparseError::INSUFFICIENT_RESOURCES);
    }
    let mut first = 0;
    let mut parts = Vec::new();
    for part in made.iter() {
        let rows = std::mem::take(&mut *part.lock());
        let count = rows.columns.len();
        parts.push((first, rows));
        first += count;
    }
    c.with(|c| (c.nnz, c.matrix.stored) = (first, first));
    descriptor.with(|descriptor| descriptor.parts = Arc::new(parts));
    Ok(())
}

pub(crate) fn compute(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Sparse,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSpGEMMAlg_t,
    descriptor: Descriptor,
    size: Out<usize>,
    buffer: Address,
) -> CusparseResult {
    check(!alpha.is_null() && !beta.is_null())?;
    size.check()?;
    let all = check_product((op_a, op_b), &a, &b, &c, Some(compute), alg)?;
    if buffer.is_null() {
        return size.set(BUFFER);
    }
    make(&handle, all, &c, &descriptor)
}

pub(crate) unsafe fn copy(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Sparse,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSpGEMMAlg_t,
    descriptor: Descriptor,
) -> CusparseResult {
    let [_, _, c] = check_product((op_a, op_b), &a, &b, &c, Some(compute), alg)?;
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) = unsafe { (handle.factor(alpha, compute)?, handle.factor(beta, compute)?) };
    let (places, parts) = (rows(&c)?, descriptor.with(|descriptor| descriptor.parts.clone()));
    handle.run(parts.len(), move |part| {
        if let Some((first, rows)) = parts.get(part) {
            // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
            unsafe { rows.store(places, *first, Some((c.values, c.ty, alpha, beta))) };
        }
    })
}

pub(crate) fn reuse_estimate(
    _: Generic,
    op_a: Operation,
    op_b: Operation,
    a: Sparse,
    b: Sparse,
    c: Sparse,
    alg: cusparseSpGEMMAlg_t,
    _: Descriptor,
    size: Out<usize>,
    buffer: Address,
) -> CusparseResult {
    size.check()?;
    check_product((op_a, op_b), &a, &b, &c, None, alg)?;
    if buffer.is_null() { size.set(BUFFER) } else { Ok(()) }
}

pub(crate) fn reuse_nnz(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    a: Sparse,
    b: Sparse,
    c: Sparse,
    alg: cusparseSpGEMMAlg_t,
    descriptor: Descriptor,
    size2: Out<usize>,
    buffer2: Address,
    size3: Out<usize>,
    _buffer3: Address,
    size4: Out<usize>,
    _buffer4: Address,
) -> CusparseResult {
    check_places(&[size2.is_null(), size3.is_null(), size4.is_null()])?;
    let all = check_product((op_a, op_b), &a, &b, &c, None, alg)?;
    if !buffer2.is_null() {
        return make(&handle, all, &c, &descriptor);
    }
    size2.set(BUFFER)?;
    size3.set(BUFFER)?;
    size4.set(BUFFER)
}

/// Stores which elements the product has.
pub(crate) fn reuse_copy(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    a: Sparse,
    b: Sparse,
    c: Sparse,
    alg: cusparseSpGEMMAlg_t,
    descriptor: Descriptor,
    size: Out<usize>,
    buffer: Address,
) -> CusparseResult {
    size.check()?;
    let [_, _, c] = check_product((op_a, op_b), &a, &b, &c, None, alg)?;
    if buffer.is_null() {
        return size.set(BUFFER);
    }
    let (places, parts) = (rows(&c)?, descriptor.with(|descriptor| descriptor.parts.clone()));
    handle.run(parts.len(), move |part| {
        if let Some((first, rows)) = parts.get(part) {
            // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
            unsafe { rows.store(places, *first, None) };
        }
    })
}

pub(crate) unsafe fn reuse_compute(
    handle: Generic,
    op_a: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Sparse,
    beta: Address,
    c: Sparse,
    compute: Type,
    alg: cusparseSpGEMMAlg_t,
    _: Descriptor,
) -> CusparseResult {
    let [a, b, c] = check_product((op_a, op_b), &a, &b, &c, Some(compute), alg)?;
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) = unsafe { (handle.factor(alpha, compute)?, handle.factor(beta, compute)?) };
    let places = rows(&c)?;
    let parts = (a.rows / 64).clamp(1, 2 * threads());
    handle.run(parts, move |part| {
        // SAFETY: the program says that the matrices are there, with the structure that was copied; where not, the work
        // ends as a kernel does.
        unsafe {
            let rows = multiply::multiply(&a, &b, a.part(part, parts), |_| true);
            let first = places.0.get(rows.first);
            rows.store(places, first, Some((c.values, c.ty, alpha, beta)));
        }
    })
}
