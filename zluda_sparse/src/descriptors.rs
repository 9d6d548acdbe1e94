//! The objects behind descriptors. Their memory is looked at when a function is called with them.

use crate::convert::{INVALID, Pointer};
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::{Address, Dense, Indices, Matrix, Type};
use std::sync::Arc;
use zluda_common::handle::HandleTable;

/// An object that descriptors lead to.
pub(crate) struct Object<T>(Mutex<T>);

impl<T> Object<T> {
    /// Does something with it, for a moment.
    pub(crate) fn with<R>(&self, with: impl FnOnce(&mut T) -> R) -> R {
        with(&mut self.0.lock())
    }
}

impl<T: Copy> Object<T> {
    pub(crate) fn get(&self) -> T {
        *self.0.lock()
    }
}

/// An object with a table of descriptors.
pub(crate) trait Described: Sized + Send + 'static {
    fn table() -> &'static HandleTable<Object<Self>>;

    /// A new descriptor.
    fn insert<P: Pointer>(self) -> CusparseResult<P> {
        let handle = Self::table().insert(Arc::new(Object(Mutex::new(self))));
        handle.map(P::of_handle).ok_or(cusparseError::ALLOC_FAILED)
    }

    /// Ends a descriptor. There is none to end where it is null.
    fn remove<T>(descriptor: *const T) -> CusparseResult {
        match descriptor as u64 {
            0 => Ok(()),
            handle => Self::table().remove(handle).map(drop).ok_or(INVALID),
        }
    }
}

/// Descriptors of the API: what they lead to, and the error where they do not.
macro_rules! described {
    ($($object:ident of $($pointer:ty),* = $kind:ident, $error:ident;)*) => {$(
        impl $crate::descriptors::Described for $object {
            fn table() -> &'static zluda_common::handle::HandleTable<$crate::descriptors::Object<Self>> {
                use zluda_common::handle::{HandleTable, Kind};
                static TABLE: std::sync::LazyLock<HandleTable<$crate::descriptors::Object<$object>>> =
                    std::sync::LazyLock::new(|| HandleTable::new(Kind::$kind));
                &TABLE
            }
        }

        $(impl $crate::convert::FromC<$pointer> for std::sync::Arc<$crate::descriptors::Object<$object>> {
            unsafe fn from_c(descriptor: $pointer) -> cuda_types::cusparse::CusparseResult<Self> {
                <$object as $crate::descriptors::Described>::table().get(descriptor as u64).ok_or(cuda_types::cusparse::cusparseError::$error)
            }
        }

        /// A descriptor that may be left out.
        impl $crate::convert::FromC<$pointer> for Option<std::sync::Arc<$crate::descriptors::Object<$object>>> {
            unsafe fn from_c(descriptor: $pointer) -> cuda_types::cusparse::CusparseResult<Self> {
                if descriptor.is_null() {
                    return Ok(None);
                }
                // SAFETY: a descriptor is a number, which is checked.
                unsafe { $crate::convert::FromC::from_c(descriptor) }.map(Some)
            }
        })*
    )*};
}
pub(crate) use described;

described! {
    MatDescr of cusparseMatDescr_t = CUSPARSE_MAT_DESCR, NOT_INITIALIZED;
    SpVec of cusparseSpVecDescr_t, cusparseConstSpVecDescr_t = CUSPARSE_SPVEC, INVALID_VALUE;
    DnVec of cusparseDnVecDescr_t, cusparseConstDnVecDescr_t = CUSPARSE_DNVEC, INVALID_VALUE;
    SpMat of cusparseSpMatDescr_t, cusparseConstSpMatDescr_t = CUSPARSE_SPMAT, INVALID_VALUE;
    DnMat of cusparseDnMatDescr_t, cusparseConstDnMatDescr_t = CUSPARSE_DNMAT, INVALID_VALUE;
}

/// The matrix descriptor of the legacy functions.
#[derive(Clone, Copy, Default)]
pub(crate) struct MatDescr {
    pub(crate) ty: u32,
    pub(crate) fill: u32,
    pub(crate) diagonal: u32,
    pub(crate) base: u32,
}

/// A sparse vector.
#[derive(Clone, Copy)]
pub(crate) struct SpVec {
    pub(crate) size: usize,
    pub(crate) stored: usize,
    pub(crate) indices: Indices,
    pub(crate) values: Address,
    pub(crate) ty: Type,
}

/// A dense vector.
#[derive(Clone, Copy)]
pub(crate) struct DnVec(pub(crate) Dense);

/// A sparse matrix.
#[derive(Clone, Copy)]
pub(crate) struct SpMat {
    pub(crate) matrix: Matrix,
    /// Elements that it has, as its size tells them.
    pub(crate) nnz: usize,
    pub(crate) batches: usize,
    /// Fill mode, type of the diagonal, storage and symmetry.
    pub(crate) attributes: [u32; 4],
}

/// A dense matrix.
#[derive(Clone, Copy)]
pub(crate) struct DnMat {
    pub(crate) dense: Dense,
    pub(crate) by_rows: bool,
    pub(crate) leading: usize,
    pub(crate) batches: usize,
}
