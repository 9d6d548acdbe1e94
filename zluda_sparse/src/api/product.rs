//! Products of sparse matrices with dense vectors (SpMV) and matrices (SpMM).

use crate::convert::*;
use crate::descriptors::{DnMat, DnVec, Object, SpMat};
use crate::handle::{Generic, Handle, threads};
use cuda_types::cusparse::*;
use sparse::product::Product;
use sparse::{Address, Dense, Layout, Type, Types, Width};
use std::sync::Arc;

/// A product, checked.
struct Checked {
    product: Product,
    batches: usize,
}

/// The vector as a descriptor has it.
type Vector = Arc<Object<DnVec>>;
type Sparse = Arc<Object<SpMat>>;
type Matrix = Arc<Object<DnMat>>;

/// A dense operand: what it is, the matrices of its batch, and what is done to it.
type Operand = (Dense, usize, Operation);

const AS_IT_IS: Operation = Operation { transposed: false, conj: false };

/// # Safety
/// `alpha` and `beta` are as the API asks for.
unsafe fn check_product(
    handle: &Handle,
    (a, op): (&SpMat, Operation),
    (b, b_batches, op_b): Operand,
    (c, c_batches, _): Operand,
    (alpha, beta): (Address, Address),
    compute: Type,
    buffer: Address,
) -> CusparseResult<Checked> {
    let b = if op_b.transposed { b.transposed() } else { b };
    let (rows, depth) = op.turn(a.matrix.rows, a.matrix.columns);
    check(b.rows == depth && c.rows == rows && b.columns == c.columns)?;
    // One matrix may stand for all of a batch.
    let batches = a.batches.max(b_batches).max(c_batches);
    check([a.batches, b_batches, c_batches].iter().all(|count| *count == 1 || *count == batches))?;
    let types = Types { a: a.matrix.ty, x: b.ty, y: c.ty, compute };
    supported(types.is_known())?;
    // SAFETY: the caller says so.
    let (alpha, beta) = unsafe { (handle.factor(alpha, compute)?, handle.factor(beta, compute)?) };
    let sizes = (c.rows, c.columns);
    let buffer = if batches == 1 { buffer } else { Address(std::ptr::null_mut()) };
    let way = Product::way(&a.matrix, op.transposed, sizes, threads().div_ceil(batches), buffer);
    let product = Product {
        a: a.matrix,
        transposed: op.transposed,
        conj: op.conj,
        b,
        b_conj: op_b.conj,
        c,
        types,
        alpha,
        beta,
        way,
    };
    Ok(Checked { product, batches })
}

impl Checked {
    fn run(self, handle: &Handle) -> CusparseResult {
        let Checked { product, batches } = self;
        if product.c.rows == 0 || product.c.columns == 0 {
            return Ok(());
        }
        for (stage, parts) in product.stages().into_iter().enumerate() {
            handle.run(batches * parts, move |part| {
                let (number, part) = (part / parts, part % parts);
                let (a, b) = (product.a.of_batch(number), product.b.of_batch(number));
                let product = Product { a, b, c: product.c.of_batch(number), ..product };
                // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
                unsafe { product.run(stage, part) };
            })?;
        }
        Ok(())
    }
}

/// # Safety
/// As for [`check_product`].
unsafe fn check_spmv(
    handle: &Handle,
    op: Operation,
    alpha: Address,
    a: &SpMat,
    x: Vector,
    beta: Address,
    y: Vector,
    compute: Type,
    alg: cusparseSpMVAlg_t,
    buffer: Address,
) -> CusparseResult<Checked> {
    use cusparseSpMVAlg_t as A;
    let layout = a.matrix.layout;
    check(alg.0 <= 6 && (!op.conj || a.matrix.ty.is_complex()))?;
    supported(!matches!(layout, Layout::BlockedEll { .. }))?;
    check(match alg {
        A::CUSPARSE_SPMV_ALG_DEFAULT => true,
        A::CUSPARSE_SPMV_COO_ALG1 | A::CUSPARSE_SPMV_COO_ALG2 => {
            matches!(layout, Layout::Coordinates { .. })
        }
        A::CUSPARSE_SPMV_CSR_ALG1 | A::CUSPARSE_SPMV_CSR_ALG2 => {
            matches!(layout, Layout::Compressed { .. })
        }
        A::CUSPARSE_SPMV_SELL_ALG1 => matches!(layout, Layout::Sliced { .. }),
        A::CUSPARSE_SPMV_BSR_ALG1 => matches!(layout, Layout::Blocks { .. }),
        _ => false,
    })?;
    supported(match layout {
        Layout::Compressed { offsets, indices, .. } => match indices.width {
            Width::U16 => false,
            Width::I32 => true,
            Width::I64 => offsets.width == Width::I64,
        },
        Layout::Blocks { .. } => !op.transposed,
        _ => true,
    })?;
    let (x, y) = ((x.get().0, 1, AS_IT_IS), (y.get().0, 1, AS_IT_IS));
    // SAFETY: the caller says so.
    unsafe { check_product(handle, (a, op), x, y, (alpha, beta), compute, buffer) }
}

pub(crate) unsafe fn spmv(
    handle: Generic,
    op: Operation,
    alpha: Address,
    a: Sparse,
    x: Vector,
    beta: Address,
    y: Vector,
    compute: Type,
    alg: cusparseSpMVAlg_t,
    buffer: Address,
) -> CusparseResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_spmv(&handle, op, alpha, &a.get(), x, beta, y, compute, alg, buffer) }?
        .run(&handle)
}

pub(crate) unsafe fn spmv_size(
    handle: Generic,
    op: Operation,
    alpha: Address,
    a: Sparse,
    x: Vector,
    beta: Address,
    y: Vector,
    compute: Type,
    alg: cusparseSpMVAlg_t,
    size: Out<usize>,
) -> CusparseResult {
    size.check()?;
    let (a, none) = (a.get(), Address(std::ptr::null_mut()));
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_spmv(&handle, op, alpha, &a, x, beta, y, compute, alg, none) }?;
    let rows = op.turn(a.matrix.rows, a.matrix.columns).0;
    size.set(Product::buffer(&a.matrix, op.transposed, rows, 1, threads()))
}

/// There is nothing to prepare.
pub(crate) unsafe fn spmv_prepare(
    handle: Generic,
    op: Operation,
    alpha: Address,
    a: Sparse,
    x: Vector,
    beta: Address,
    y: Vector,
    compute: Type,
    alg: cusparseSpMVAlg_t,
    buffer: Address,
) -> CusparseResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_spmv(&handle, op, alpha, &a.get(), x, beta, y, compute, alg, buffer) }.map(drop)
}

/// # Safety
/// As for [`check_product`].
unsafe fn check_spmm(
    handle: &Handle,
    op: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Matrix,
    beta: Address,
    c: Matrix,
    compute: Type,
    alg: cusparseSpMMAlg_t,
) -> CusparseResult<Checked> {
    use cusparseSpMMAlg_t as A;
    let a = a.get();
    let layout = a.matrix.layout;
    let is_known = |alg: A| matches!(alg.0, 0..=6 | 12..=14);
    check(is_known(alg) && (!op.conj || a.matrix.ty.is_complex()))?;
    check(!op_b.conj || b.get().dense.ty.is_complex())?;
    supported(!matches!(layout, Layout::Sliced { .. }))?;
    check(match alg {
        A::CUSPARSE_SPMM_ALG_DEFAULT => true,
        A::CUSPARSE_SPMM_COO_ALG1
        | A::CUSPARSE_SPMM_COO_ALG2
        | A::CUSPARSE_SPMM_COO_ALG3
        | A::CUSPARSE_SPMM_COO_ALG4 => matches!(layout, Layout::Coordinates { .. }),
        A::CUSPARSE_SPMM_CSR_ALG1 | A::CUSPARSE_SPMM_CSR_ALG2 | A::CUSPARSE_SPMM_CSR_ALG3 => {
            matches!(layout, Layout::Compressed { .. })
        }
        A::CUSPARSE_SPMM_BLOCKED_ELL_ALG1 => matches!(layout, Layout::BlockedEll { .. }),
        A::CUSPARSE_SPMM_BSR_ALG1 => matches!(layout, Layout::Blocks { .. }),
        _ => false,
    })?;
    supported(match layout {
        Layout::Compressed { offsets, indices, .. } => offsets.width == indices.width,
        Layout::Blocks { by_columns, .. } => !op.transposed && !by_columns,
        Layout::BlockedEll { .. } => !op.transposed,
        _ => true,
    })?;
    // Only vectors are multiplied by numbers of less precision.
    supported((a.matrix.ty, compute) != (Type::F32, Type::F64))?;
    let (b, c) = (b.get(), c.get());
    let (b, c) = ((b.dense, b.batches, op_b), (c.dense, c.batches, AS_IT_IS));
    let none = Address(std::ptr::null_mut());
    // SAFETY: the caller says so.
    unsafe { check_product(handle, (&a, op), b, c, (alpha, beta), compute, none) }
}

pub(crate) unsafe fn spmm(
    handle: Generic,
    op: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Matrix,
    beta: Address,
    c: Matrix,
    compute: Type,
    alg: cusparseSpMMAlg_t,
    _buffer: Address,
) -> CusparseResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_spmm(&handle, op, op_b, alpha, a, b, beta, c, compute, alg) }?.run(&handle)
}

pub(crate) unsafe fn spmm_size(
    handle: Generic,
    op: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Matrix,
    beta: Address,
    c: Matrix,
    compute: Type,
    alg: cusparseSpMMAlg_t,
    size: Out<usize>,
) -> CusparseResult {
    size.check()?;
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_spmm(&handle, op, op_b, alpha, a, b, beta, c, compute, alg) }?;
    size.set(0)
}

/// There is nothing to prepare.
pub(crate) unsafe fn spmm_prepare(
    handle: Generic,
    op: Operation,
    op_b: Operation,
    alpha: Address,
    a: Sparse,
    b: Matrix,
    beta: Address,
    c: Matrix,
    compute: Type,
    alg: cusparseSpMMAlg_t,
    _buffer: Address,
) -> CusparseResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe { check_spmm(&handle, op, op_b, alpha, a, b, beta, c, compute, alg) }.map(drop)
}
