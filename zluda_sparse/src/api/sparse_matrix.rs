//! Descriptors of sparse matrices.

use crate::convert::*;
use crate::descriptors::{Described, Object, SpMat};
use cuda_types::cusparse::*;
use sparse::{Address, Indices, Layout, Matrix, Type, Width};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

fn insert<P: Pointer>(
    descriptor: Out<P>,
    (rows, columns): (usize, usize),
    (stored, nnz): (usize, usize),
    layout: Layout,
    values: Address,
    ty: Type,
) -> CusparseResult {
    descriptor.check()?;
    let matrix = Matrix { rows, columns, stored, layout, values, ty, batch: [0; 3] };
    descriptor.set(SpMat { matrix, nnz, batches: 1, attributes: [0; 4] }.insert()?)
}

/// More elements than there is room for are none.
fn check_count(stored: usize, rows: usize, columns: usize) -> CusparseResult {
    check(stored as u128 <= rows as u128 * columns as u128)
}

pub(crate) fn create_csr<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    nnz: usize,
    offsets: Address,
    indices: Address,
    values: Address,
    offsets_width: Width,
    width: Width,
    Base(base): Base,
    ty: Type,
) -> CusparseResult {
    check_count(nnz, rows, columns)?;
    let offsets = Indices { first: offsets, width: offsets_width, base };
    let indices = Indices { first: indices, width, base };
    let layout = Layout::Compressed { by_columns: false, offsets, indices };
    insert(descriptor, (rows, columns), (nnz, nnz), layout, values, ty)
}

pub(crate) fn create_csc<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    nnz: usize,
    offsets: Address,
    indices: Address,
    values: Address,
    offsets_width: Width,
    width: Width,
    Base(base): Base,
    ty: Type,
) -> CusparseResult {
    check_count(nnz, rows, columns)?;
    supported(width == offsets_width)?;
    let offsets = Indices { first: offsets, width: offsets_width, base };
    let indices = Indices { first: indices, width, base };
    let layout = Layout::Compressed { by_columns: true, offsets, indices };
    insert(descriptor, (rows, columns), (nnz, nnz), layout, values, ty)
}

pub(crate) fn create_coo<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    nnz: usize,
    row_indices: Address,
    column_indices: Address,
    values: Address,
    width: Width,
    Base(base): Base,
    ty: Type,
) -> CusparseResult {
    check_count(nnz, rows, columns)?;
    let indices = |first| Indices { first, width, base };
    let layout =
        Layout::Coordinates { rows: indices(row_indices), columns: indices(column_indices) };
    insert(descriptor, (rows, columns), (nnz, nnz), layout, values, ty)
}

pub(crate) fn create_bsr<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    blocks: usize,
    height: usize,
    width: usize,
    offsets: Address,
    indices: Address,
    values: Address,
    offsets_width: Width,
    indices_width: Width,
    Base(base): Base,
    ty: Type,
    ByRows(by_rows): ByRows,
) -> CusparseResult {
    check_count(blocks, rows, columns)?;
    check(height > 0 && height == width)?;
    supported(offsets_width == indices_width)?;
    let size = |count: usize, by: usize| count.checked_mul(by).ok_or(INVALID);
    let nnz = size(blocks, height * width)?;
    let layout = Layout::Blocks {
        height,
        width,
        by_columns: !by_rows,
        offsets: Indices { first: offsets, width: offsets_width, base },
        indices: Indices { first: indices, width: indices_width, base },
    };
    let sizes = (size(rows, height)?, size(columns, width)?);
    insert(descriptor, sizes, (blocks, nnz), layout, values, ty)
}

pub(crate) fn create_blocked_ell<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    size: usize,
    ell_columns: usize,
    indices: Address,
    values: Address,
    width: Width,
    Base(base): Base,
    ty: Type,
) -> CusparseResult {
    check(size > 0 && rows > 0 && columns > 0 && ell_columns <= columns)?;
    check([rows, columns, ell_columns].iter().all(|side| side.is_multiple_of(size)))?;
    let indices = Indices { first: indices, width, base };
    let layout = Layout::BlockedEll { size, width: ell_columns / size, indices };
    let nnz = rows.checked_mul(ell_columns).ok_or(INVALID)?;
    insert(descriptor, (rows, columns), (nnz, nnz), layout, values, ty)
}

pub(crate) fn create_sliced_ell<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    nnz: usize,
    stored: usize,
    height: usize,
    offsets: Address,
    indices: Address,
    values: Address,
    offsets_width: Width,
    width: Width,
    Base(base): Base,
    ty: Type,
) -> CusparseResult {
    check_count(nnz, rows, columns)?;
    check(nnz <= stored)?;
    supported(offsets_width == width || offsets_width == Width::I64)?;
    let layout = Layout::Sliced {
        height,
        offsets: Indices { first: offsets, width: offsets_width, base },
        indices: Indices { first: indices, width, base },
    };
    insert(descriptor, (rows, columns), (stored, nnz), layout, values, ty)
}

pub(crate) fn destroy(descriptor: cusparseConstSpMatDescr_t) -> CusparseResult {
    SpMat::remove(descriptor)
}

/// The offsets and indices of a matrix whose lines are rows, or columns.
fn compressed(matrix: &SpMat, wanted: bool) -> CusparseResult<(Indices, Indices)> {
    match matrix.matrix.layout {
        Layout::Compressed { by_columns, offsets, indices } if by_columns == wanted => {
            Ok((offsets, indices))
        }
        _ => Err(INVALID),
    }
}

/// Defines the functions that tell what a compressed matrix is, and change its memory.
macro_rules! compressed {
    ($($get:ident $set:ident $by_columns:literal;)*) => {$(
        pub(crate) fn $get<P: Pointer>(
            matrix: Arc<Object<SpMat>>, rows: Out<i64>, columns: Out<i64>, nnz: Out<i64>, offsets: Out<P>,
            indices: Out<P>, values: Out<P>, offsets_type: Out<cusparseIndexType_t>,
            indices_type: Out<cusparseIndexType_t>, base: Out<cusparseIndexBase_t>, ty: Out<cudaDataType>,
        ) -> CusparseResult {
            check_places(&[rows.is_null(), columns.is_null(), nnz.is_null(), offsets.is_null()])?;
            check_places(&[indices.is_null(), values.is_null(), offsets_type.is_null()])?;
            check_places(&[indices_type.is_null(), base.is_null(), ty.is_null()])?;
            let matrix = matrix.get();
            let (at_offsets, at_indices) = compressed(&matrix, $by_columns)?;
            rows.set(matrix.matrix.rows as i64)?;
            columns.set(matrix.matrix.columns as i64)?;
            nnz.set(matrix.nnz as i64)?;
            offsets.set(P::of_address(at_offsets.first))?;
            indices.set(P::of_address(at_indices.first))?;
            values.set(P::of_address(matrix.matrix.values))?;
            offsets_type.set(index_type(at_offsets.width))?;
            indices_type.set(index_type(at_indices.width))?;
            base.set(cusparseIndexBase_t(at_offsets.base as u32))?;
            ty.set(data_type(matrix.matrix.ty)?)
        }

        pub(crate) fn $set(
            matrix: Arc<Object<SpMat>>, new_offsets: Address, new_indices: Address, values: Address,
        ) -> CusparseResult {
            matrix.with(|matrix| {
                compressed(matrix, $by_columns)?;
                if let Layout::Compressed { offsets, indices, .. } = &mut matrix.matrix.layout {
                    (offsets.first, indices.first) = (new_offsets, new_indices);
                }
                matrix.matrix.values = values;
                Ok(())
            })
        }
    )*};
}

compressed! {
    get_csr set_csr false;
    get_csc set_csc true;
}

pub(crate) fn get_coo<P: Pointer>(
    matrix: Arc<Object<SpMat>>,
    rows: Out<i64>,
    columns: Out<i64>,
    nnz: Out<i64>,
    row_indices: Out<P>,
    column_indices: Out<P>,
    values: Out<P>,
    width: Out<cusparseIndexType_t>,
    base: Out<cusparseIndexBase_t>,
    ty: Out<cudaDataType>,
) -> CusparseResult {
    check_places(&[rows.is_null(), columns.is_null(), nnz.is_null(), row_indices.is_null()])?;
    check_places(&[column_indices.is_null(), values.is_null(), width.is_null()])?;
    check_places(&[base.is_null(), ty.is_null()])?;
    let matrix = matrix.get();
    let Layout::Coordinates { rows: at_rows, columns: at_columns } = matrix.matrix.layout else {
        return Err(INVALID);
    };
    rows.set(matrix.matrix.rows as i64)?;
    columns.set(matrix.matrix.columns as i64)?;
    nnz.set(matrix.nnz as i64)?;
    row_indices.set(P::of_address(at_rows.first))?;
    column_indices.set(P::of_address(at_columns.first))?;
    values.set(P::of_address(matrix.matrix.values))?;
    width.set(index_type(at_rows.width))?;
    base.set(cusparseIndexBase_t(at_rows.base as u32))?;
    ty.set(data_type(matrix.matrix.ty)?)
}

pub(crate) fn set_coo(
    matrix: Arc<Object<SpMat>>,
    new_rows: Address,
    new_columns: Address,
    values: Address,
) -> CusparseResult {
    matrix.with(|matrix| {
        let Layout::Coordinates { rows, columns } = &mut matrix.matrix.layout else {
            return Err(INVALID);
        };
        (rows.first, columns.first) = (new_rows, new_columns);
        matrix.matrix.values = values;
        Ok(())
    })
}

pub(crate) fn get_blocked_ell<P: Pointer>(
    matrix: Arc<Object<SpMat>>,
    rows: Out<i64>,
    columns: Out<i64>,
    block: Out<i64>,
    ell_columns: Out<i64>,
    at_indices: Out<P>,
    values: Out<P>,
    index: Out<cusparseIndexType_t>,
    base: Out<cusparseIndexBase_t>,
    ty: Out<cudaDataType>,
) -> CusparseResult {
    check_places(&[rows.is_null(), columns.is_null(), block.is_null(), ell_columns.is_null()])?;
    check_places(&[at_indices.is_null(), values.is_null(), index.is_null()])?;
    check_places(&[base.is_null(), ty.is_null()])?;
    let matrix = matrix.get();
    let Layout::BlockedEll { size, width, indices } = matrix.matrix.layout else {
        return Err(INVALID);
    };
    rows.set(matrix.matrix.rows as i64)?;
    columns.set(matrix.matrix.columns as i64)?;
    block.set(size as i64)?;
    ell_columns.set((size * width) as i64)?;
    at_indices.set(P::of_address(indices.first))?;
    values.set(P::of_address(matrix.matrix.values))?;
    index.set(index_type(indices.width))?;
    base.set(cusparseIndexBase_t(indices.base as u32))?;
    ty.set(data_type(matrix.matrix.ty)?)
}

pub(crate) fn get_format(
    matrix: Arc<Object<SpMat>>,
    format: Out<cusparseFormat_t>,
) -> CusparseResult {
    use cusparseFormat_t as F;
    format.set(match matrix.get().matrix.layout {
        Layout::Compressed { by_columns: false, .. } => F::CUSPARSE_FORMAT_CSR,
        Layout::Compressed { by_columns: true, .. } => F::CUSPARSE_FORMAT_CSC,
        Layout::Coordinates { .. } => F::CUSPARSE_FORMAT_COO,
        Layout::Blocks { .. } => F::CUSPARSE_FORMAT_BSR,
        Layout::BlockedEll { .. } => F::CUSPARSE_FORMAT_BLOCKED_ELL,
        Layout::Sliced { .. } => F::CUSPARSE_FORMAT_SLICED_ELLPACK,
    })
}

pub(crate) fn get_base(
    matrix: Arc<Object<SpMat>>,
    base: Out<cusparseIndexBase_t>,
) -> CusparseResult {
    let indices = match matrix.get().matrix.layout {
        Layout::Compressed { indices, .. }
        | Layout::Coordinates { rows: indices, .. }
        | Layout::Blocks { indices, .. }
        | Layout::BlockedEll { indices, .. }
        | Layout::Sliced { indices, .. } => indices,
    };
    base.set(cusparseIndexBase_t(indices.base as u32))
}

pub(crate) fn get_values<P: Pointer>(matrix: Arc<Object<SpMat>>, values: Out<P>) -> CusparseResult {
    values.set(P::of_address(matrix.get().matrix.values))
}

pub(crate) fn set_values(matrix: Arc<Object<SpMat>>, values: Address) -> CusparseResult {
    matrix.with(|matrix| matrix.matrix.values = values);
    Ok(())
}

pub(crate) fn get_size(
    matrix: Arc<Object<SpMat>>,
    rows: Out<i64>,
    columns: Out<i64>,
    nnz: Out<i64>,
) -> CusparseResult {
    check_places(&[rows.is_null(), columns.is_null(), nnz.is_null()])?;
    let matrix = matrix.get();
    rows.set(matrix.matrix.rows as i64)?;
    columns.set(matrix.matrix.columns as i64)?;
    nnz.set(matrix.nnz as i64)
}

pub(crate) fn get_batch(matrix: Arc<Object<SpMat>>, batches: Out<c_int>) -> CusparseResult {
    batches.set(matrix.get().batches as c_int)
}

/// Sets a batch of matrices, which lie at least as far from each other as each is long; at a stride of 0 all have the same.
fn set_batch(
    matrix: &mut SpMat,
    batches: c_int,
    strides: [usize; 3],
    least: [usize; 3],
) -> CusparseResult {
    check(batches > 0)?;
    check(strides.iter().zip(least).all(|(stride, least)| *stride == 0 || *stride >= least))?;
    matrix.batches = batches as usize;
    matrix.matrix.batch = strides.map(|stride| stride as isize);
    Ok(())
}

pub(crate) fn set_coo_batch(
    matrix: Arc<Object<SpMat>>,
    batches: c_int,
    stride: usize,
) -> CusparseResult {
    matrix.with(|matrix| {
        check(matches!(matrix.matrix.layout, Layout::Coordinates { .. }))?;
        set_batch(matrix, batches, [0, stride, stride], [0, matrix.nnz, matrix.nnz])
    })
}

pub(crate) fn set_csr_batch(
    matrix: Arc<Object<SpMat>>,
    batches: c_int,
    offsets: usize,
    elements: usize,
) -> CusparseResult {
    matrix.with(|matrix| {
        check(matches!(matrix.matrix.layout, Layout::Compressed { by_columns: false, .. }))?;
        let least = [matrix.matrix.rows + 1, matrix.nnz, matrix.nnz];
        set_batch(matrix, batches, [offsets, elements, elements], least)
    })
}

pub(crate) fn set_bsr_batch(
    matrix: Arc<Object<SpMat>>,
    batches: c_int,
    offsets: usize,
    indices: usize,
    values: usize,
) -> CusparseResult {
    matrix.with(|matrix| {
        check(matches!(matrix.matrix.layout, Layout::Blocks { .. }))?;
        let least = [matrix.matrix.lines() + 1, matrix.matrix.stored, matrix.nnz];
        set_batch(matrix, batches, [offsets, indices, values], least)
    })
}

/// The place of an attribute, and its greatest value where NVIDIA's library looks at it.
fn attribute(attribute: cusparseSpMatAttribute_t, size: usize) -> CusparseResult<usize> {
    check(attribute.0 <= 3 && size == size_of::<u32>())?;
    Ok(attribute.0 as usize)
}

pub(crate) fn get_attribute(
    matrix: Arc<Object<SpMat>>,
    which: cusparseSpMatAttribute_t,
    data: Out<c_void>,
    size: usize,
) -> CusparseResult {
    let place = attribute(which, size)?;
    data.cast().set(matrix.get().attributes[place])
}

pub(crate) fn set_attribute(
    matrix: Arc<Object<SpMat>>,
    which: cusparseSpMatAttribute_t,
    data: In<c_void>,
    size: usize,
) -> CusparseResult {
    let place = attribute(which, size)?;
    let value = data.cast::<u32>().get()?;
    matrix.with(|matrix| matrix.attributes[place] = value);
    Ok(())
}
