//! The matrix descriptor of the legacy functions.

use crate::convert::{FromC, Out, check};
use crate::descriptors::{Described, MatDescr, Object};
use cuda_types::cusparse::*;
use std::sync::Arc;

pub(crate) fn create(descriptor: Out<cusparseMatDescr_t>) -> CusparseResult {
    descriptor.check()?;
    descriptor.set(MatDescr::default().insert()?)
}

pub(crate) fn destroy(descriptor: cusparseMatDescr_t) -> CusparseResult {
    MatDescr::remove(descriptor)
}

/// Defines the functions that set and tell a property, whose values are 0 to a greatest one.
macro_rules! properties {
    ($($set:ident, $get:ident: $ty:ident in $field:ident to $greatest:literal;)*) => {$(
        pub(crate) fn $set(descriptor: Arc<Object<MatDescr>>, value: $ty) -> CusparseResult {
            check(value.0 <= $greatest)?;
            descriptor.with(|descriptor| descriptor.$field = value.0);
            Ok(())
        }

        /// -1 of no descriptor.
        pub(crate) fn $get(descriptor: cusparseMatDescr_t) -> $ty {
            // SAFETY: a descriptor is a number, which is checked.
            let descriptor: CusparseResult<Arc<Object<MatDescr>>> = unsafe { FromC::from_c(descriptor) };
            $ty(descriptor.map_or(u32::MAX, |descriptor| descriptor.get().$field))
        }
    )*};
}

properties! {
    set_type, get_type: cusparseMatrixType_t in ty to 3;
    set_fill, get_fill: cusparseFillMode_t in fill to 1;
    set_diagonal, get_diagonal: cusparseDiagType_t in diagonal to 1;
    set_base, get_base: cusparseIndexBase_t in base to 1;
}
