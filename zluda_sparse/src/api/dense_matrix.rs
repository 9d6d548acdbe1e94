//! Descriptors of dense matrices.

use crate::convert::{ByRows, Out, Pointer, check, check_places, data_type};
use crate::descriptors::{Described, DnMat, Object};
use cuda_types::cusparse::*;
use sparse::{Address, Dense, Type};
use std::ffi::c_int;
use std::sync::Arc;

pub(crate) fn create<P: Pointer>(
    descriptor: Out<P>,
    rows: usize,
    columns: usize,
    leading: usize,
    values: Address,
    ty: Type,
    ByRows(by_rows): ByRows,
) -> CusparseResult {
    descriptor.check()?;
    check(leading >= if by_rows { columns } else { rows })?;
    let (row, column) = if by_rows { (leading as isize, 1) } else { (1, leading as isize) };
    let dense = Dense { first: values, ty, rows, columns, row, column, batch: 0 };
    descriptor.set(DnMat { dense, by_rows, leading, batches: 1 }.insert()?)
}

pub(crate) fn destroy(descriptor: cusparseConstDnMatDescr_t) -> CusparseResult {
    DnMat::remove(descriptor)
}

pub(crate) fn get<P: Pointer>(
    matrix: Arc<Object<DnMat>>,
    rows: Out<i64>,
    columns: Out<i64>,
    leading: Out<i64>,
    values: Out<P>,
    ty: Out<cudaDataType>,
    order: Out<cusparseOrder_t>,
) -> CusparseResult {
    check_places(&[rows.is_null(), columns.is_null(), leading.is_null()])?;
    check_places(&[values.is_null(), ty.is_null(), order.is_null()])?;
    let matrix = matrix.get();
    rows.set(matrix.dense.rows as i64)?;
    columns.set(matrix.dense.columns as i64)?;
    leading.set(matrix.leading as i64)?;
    values.set(P::of_address(matrix.dense.first))?;
    ty.set(data_type(matrix.dense.ty)?)?;
    order.set(match matrix.by_rows {
        true => cusparseOrder_t::CUSPARSE_ORDER_ROW,
        false => cusparseOrder_t::CUSPARSE_ORDER_COL,
    })
}

pub(crate) fn get_values<P: Pointer>(matrix: Arc<Object<DnMat>>, values: Out<P>) -> CusparseResult {
    values.set(P::of_address(matrix.get().dense.first))
}

pub(crate) fn set_values(matrix: Arc<Object<DnMat>>, values: Address) -> CusparseResult {
    matrix.with(|matrix| matrix.dense.first = values);
    Ok(())
}

/// One matrix may stand for all of a batch: at a stride of 0.
pub(crate) fn set_batch(
    matrix: Arc<Object<DnMat>>,
    batches: c_int,
    stride: usize,
) -> CusparseResult {
    check(batches > 0)?;
    matrix.with(|matrix| {
        let lines = if matrix.by_rows { matrix.dense.rows } else { matrix.dense.columns };
        check(stride == 0 || stride >= lines.saturating_mul(matrix.leading))?;
        matrix.batches = batches as usize;
        matrix.dense.batch = stride as isize;
        Ok(())
    })
}

pub(crate) fn get_batch(
    matrix: Arc<Object<DnMat>>,
    batches: Out<c_int>,
    stride: Out<i64>,
) -> CusparseResult {
    check_places(&[batches.is_null(), stride.is_null()])?;
    let matrix = matrix.get();
    batches.set(matrix.batches as c_int)?;
    stride.set(matrix.dense.batch as i64)
}
