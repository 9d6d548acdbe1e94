//! The functions by what they are about: each validates as the manual says, converts, and puts its work into the handle's
//! stream. Names that begin with X have a function beside the one for numbers of one type.

pub(crate) mod cholesky;
pub(crate) mod condensed;
pub(crate) mod context;
pub(crate) mod eigen;
pub(crate) mod general;
pub(crate) mod jacobi;
pub(crate) mod lu;
pub(crate) mod ordering;
pub(crate) mod qr;
pub(crate) mod refined;
pub(crate) mod sparse;
pub(crate) mod svd;
pub(crate) mod symmetric;

use crate::convert::Out;
use cuda_types::cusolver::CusolverResult;
use std::ffi::c_int;

/// Numbers of workspace that are told where none is needed, so that programs which ask for memory get some.
const SMALLEST: c_int = 1;

/// Tells that no workspace is needed.
fn no_workspace(on_device: Out<usize>, on_host: Out<usize>) -> CusolverResult {
    on_device.check()?;
    on_host.check()?;
    on_device.set(64)?;
    on_host.set(0)
}
