//! The parameters of gesvdj and syevj. They are kept and change nothing: what they tell, tolerance and sweeps, is how long
//! Jacobi's method iterates, and another one is used here, whose results are as exact as numbers of the type can be.

use crate::convert::{FromC, Out};
use crate::handle::Handle;
use cuda_types::cusolver::*;
use std::ffi::c_int;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// Defines the functions of one kind of parameters.
macro_rules! parameters {
    ($module:ident, $handle:ty, $kind:expr) => {
        pub(crate) mod $module {
            use super::*;

            /// A program's parameters.
            pub(crate) struct Parameters;

            static TABLE: LazyLock<HandleTable<Parameters>> =
                LazyLock::new(|| HandleTable::new($kind));

            impl FromC<$handle> for Arc<Parameters> {
                unsafe fn from_c(handle: $handle) -> CusolverResult<Self> {
                    TABLE.get(handle as u64).ok_or(cusolverError::INVALID_VALUE)
                }
            }

            pub(crate) fn create(handle: Out<$handle>) -> CusolverResult {
                handle.check()?;
                let made = TABLE.insert(Arc::new(Parameters)).ok_or(cusolverError::ALLOC_FAILED)?;
                handle.set(std::ptr::without_provenance_mut(made as usize))
            }

            /// Nothing is to be ended where there is nothing.
            pub(crate) fn destroy(handle: $handle) -> CusolverResult {
                if handle.is_null() {
                    return Ok(());
                }
                TABLE.remove(handle as u64).map(drop).ok_or(cusolverError::INVALID_VALUE)
            }

            pub(crate) fn set_tolerance(_: Arc<Parameters>, _tolerance: f64) -> CusolverResult {
                Ok(())
            }

            pub(crate) fn set_most_sweeps(_: Arc<Parameters>, _sweeps: c_int) -> CusolverResult {
                Ok(())
            }

            /// Values come in order, asked for or not.
            pub(crate) fn set_sorted(_: Arc<Parameters>, _sorted: c_int) -> CusolverResult {
                Ok(())
            }

            /// Nothing is left to be iterated away.
            pub(crate) fn residual(
                _: Arc<Handle>,
                _: Arc<Parameters>,
                residual: Out<f64>,
            ) -> CusolverResult {
                residual.set(0.0)
            }

            pub(crate) fn sweeps(
                _: Arc<Handle>,
                _: Arc<Parameters>,
                sweeps: Out<c_int>,
            ) -> CusolverResult {
                sweeps.set(0)
            }
        }
    };
}

parameters!(gesvdj, gesvdjInfo_t, Kind::CUSOLVER_GESVDJ_INFO);
parameters!(syevj, syevjInfo_t, Kind::CUSOLVER_SYEVJ_INFO);
