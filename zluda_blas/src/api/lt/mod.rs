//! cuBLASLt: products that objects describe.
//!
//! - [`attributes`]: descriptions, layouts and preferences, which are attributes by number.
//! - [`algorithm`]: there is one way to compute a product, so every question for one has the same answer.
//! - [`problem`]: what a product is to compute, checked. [`rocm`]: its call on AMD GPUs. [`matmul`]: its work. [`epilogue`]: what happens to its
//!   elements.
//! - [`transform`]: sums of two matrices in other orders and types.

pub(crate) mod algorithm;
pub(crate) mod attributes;
mod epilogue;
pub(crate) mod matmul;
mod problem;
mod rocm;
pub(crate) mod transform;

use crate::convert::{FromC, Out};
use crate::handle::Handle;
use cuda_types::cublas::*;
use std::sync::Arc;

pub(crate) fn create(handle: Out<cublasLtHandle_t>) -> CublasResult {
    handle.check()?;
    handle.set(std::ptr::without_provenance_mut(Handle::create()? as usize))
}

pub(crate) fn destroy(handle: cublasLtHandle_t) -> CublasResult {
    // SAFETY: a handle is a number, which is checked.
    let _: Arc<Handle> = unsafe { FromC::from_c(handle) }?;
    Handle::destroy(handle as u64)
}

pub(crate) fn version() -> usize {
    CUBLAS_VERSION as usize
}
