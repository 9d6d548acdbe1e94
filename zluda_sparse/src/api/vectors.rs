//! Descriptors of vectors.

use crate::convert::{Base, Out, Pointer, check, check_places, data_type, index_type};
use crate::descriptors::{Described, DnVec, Object, SpVec};
use cuda_types::cusparse::*;
use sparse::{Address, Dense, Indices, Type, Width};
use std::sync::Arc;

pub(crate) fn create_sparse<P: Pointer>(
    descriptor: Out<P>,
    size: usize,
    nnz: usize,
    indices: Address,
    values: Address,
    width: Width,
    base: Base,
    ty: Type,
) -> CusparseResult {
    descriptor.check()?;
    check(nnz <= size)?;
    let indices = Indices { first: indices, width, base: base.0 };
    descriptor.set(SpVec { size, stored: nnz, indices, values, ty }.insert()?)
}

pub(crate) fn destroy_sparse(descriptor: cusparseConstSpVecDescr_t) -> CusparseResult {
    SpVec::remove(descriptor)
}

pub(crate) fn get_sparse<P: Pointer>(
    vector: Arc<Object<SpVec>>,
    size: Out<i64>,
    nnz: Out<i64>,
    indices: Out<P>,
    values: Out<P>,
    width: Out<cusparseIndexType_t>,
    base: Out<cusparseIndexBase_t>,
    ty: Out<cudaDataType>,
) -> CusparseResult {
    check_places(&[size.is_null(), nnz.is_null(), indices.is_null(), values.is_null()])?;
    check_places(&[width.is_null(), base.is_null(), ty.is_null()])?;
    let vector = vector.get();
    size.set(vector.size as i64)?;
    nnz.set(vector.stored as i64)?;
    indices.set(P::of_address(vector.indices.first))?;
    values.set(P::of_address(vector.values))?;
    width.set(index_type(vector.indices.width))?;
    base.set(cusparseIndexBase_t(vector.indices.base as u32))?;
    ty.set(data_type(vector.ty)?)
}

pub(crate) fn get_base(
    vector: Arc<Object<SpVec>>,
    base: Out<cusparseIndexBase_t>,
) -> CusparseResult {
    base.set(cusparseIndexBase_t(vector.get().indices.base as u32))
}

pub(crate) fn get_sparse_values<P: Pointer>(
    vector: Arc<Object<SpVec>>,
    values: Out<P>,
) -> CusparseResult {
    values.set(P::of_address(vector.get().values))
}

pub(crate) fn set_sparse_values(vector: Arc<Object<SpVec>>, values: Address) -> CusparseResult {
    vector.with(|vector| vector.values = values);
    Ok(())
}

pub(crate) fn create_dense<P: Pointer>(
    descriptor: Out<P>,
    size: usize,
    values: Address,
    ty: Type,
) -> CusparseResult {
    descriptor.check()?;
    descriptor.set(DnVec(Dense::vector(values, ty, size)).insert()?)
}

pub(crate) fn destroy_dense(descriptor: cusparseConstDnVecDescr_t) -> CusparseResult {
    DnVec::remove(descriptor)
}

pub(crate) fn get_dense<P: Pointer>(
    vector: Arc<Object<DnVec>>,
    size: Out<i64>,
    values: Out<P>,
    ty: Out<cudaDataType>,
) -> CusparseResult {
    check_places(&[size.is_null(), values.is_null(), ty.is_null()])?;
    let DnVec(vector) = vector.get();
    size.set(vector.rows as i64)?;
    values.set(P::of_address(vector.first))?;
    ty.set(data_type(vector.ty)?)
}

pub(crate) fn get_dense_values<P: Pointer>(
    vector: Arc<Object<DnVec>>,
    values: Out<P>,
) -> CusparseResult {
    values.set(P::of_address(vector.get().0.first))
}

pub(crate) fn set_dense_values(vector: Arc<Object<DnVec>>, values: Address) -> CusparseResult {
    vector.with(|vector| vector.0.first = values);
    Ok(())
}
