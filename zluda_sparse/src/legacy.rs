//! Common parts of the legacy functions: matrices whose indices have 32 bits, numbers by their type in C.

use crate::convert::{INVALID, Out, check};
use crate::descriptors::{MatDescr, Object};
use crate::handle::Handle;
use cuda_types::cusparse::*;
use sparse::{Address, Indices, Layout, Matrix, Type};
use std::sync::Arc;

/// A number of the API: one of `sparse`'s has the same bytes.
pub(crate) trait Number: Copy + 'static {
    const TYPE: Type;
}

impl Number for f32 {
    const TYPE: Type = Type::F32;
}
impl Number for f64 {
    const TYPE: Type = Type::F64;
}
impl Number for cuComplex {
    const TYPE: Type = Type::C32;
}
impl Number for cuDoubleComplex {
    const TYPE: Type = Type::C64;
}

/// The descriptor of a matrix as functions take it.
pub(crate) type Descr = Arc<Object<MatDescr>>;

/// Bytes of buffers that programs are asked for; none is needed.
pub(crate) const BUFFER: usize = 256;

/// The base of a general matrix's indices.
pub(crate) fn base(descriptor: &Descr) -> CusparseResult<usize> {
    let descriptor = descriptor.get();
    match descriptor.ty {
        0 => Ok(descriptor.base as usize),
        _ => Err(cusparseError::MATRIX_TYPE_NOT_SUPPORTED),
    }
}

/// Indices of 32 bits.
pub(crate) fn ints(first: Address, base: usize) -> Indices {
    Indices::ints(first.0.cast_const().cast(), base)
}

/// A matrix that lies by rows.
pub(crate) fn csr(
    (rows, columns, stored): (usize, usize, usize),
    (offsets, indices, values): (Address, Address, Address),
    base: usize,
    ty: Type,
) -> Matrix {
    let (offsets, indices) = (ints(offsets, base), ints(indices, base));
    let layout = Layout::Compressed { by_columns: false, offsets, indices };
    Matrix { rows, columns, stored, layout, values, ty, batch: [0; 3] }
}

/// A matrix of square blocks; sizes count them.
pub(crate) fn bsr(
    (rows, columns, stored): (usize, usize, usize),
    (offsets, indices, values): (Address, Address, Address),
    size: usize,
    direction: cusparseDirection_t,
    base: usize,
    ty: Type,
) -> CusparseResult<Matrix> {
    check(size > 0 && direction.0 <= 1)?;
    let side = |count: usize| count.checked_mul(size).ok_or(INVALID);
    let layout = Layout::Blocks {
        height: size,
        width: size,
        by_columns: direction.0 == 1,
        offsets: ints(offsets, base),
        indices: ints(indices, base),
    };
    let (rows, columns) = (side(rows)?, side(columns)?);
    Ok(Matrix { rows, columns, stored, layout, values, ty, batch: [0; 3] })
}

/// Stores the last of `lines + 1` offsets, less the first, as the number of a matrix's elements: in memory of the device by
/// the stream, in that of the host when this returns.
pub(crate) fn tell_count(
    handle: &Handle,
    offsets: Indices,
    lines: usize,
    total: Address,
) -> CusparseResult {
    handle.run(1, move |_| {
        // SAFETY: the program says that both are there; where not, the work ends as a kernel does.
        unsafe { total.set(0, (offsets.get(lines).wrapping_sub(offsets.get(0))) as i32) };
    })?;
    if handle.on_device() { Ok(()) } else { handle.wait() }
}

/// Sizes of buffers have one of two types.
pub(crate) trait BufferSize {
    const SIZE: Self;
}

impl BufferSize for usize {
    const SIZE: Self = BUFFER;
}

impl BufferSize for i32 {
    const SIZE: Self = BUFFER as i32;
}

/// Tells the size of a buffer.
pub(crate) fn tell_size<T: BufferSize>(size: Out<T>) -> CusparseResult {
    size.set(T::SIZE)
}
