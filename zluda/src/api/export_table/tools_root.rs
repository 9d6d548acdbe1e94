//! What CUPTI asks the driver for first. From CUDA 13.5 on, `cuptiGetVersion`, which JAX calls as it starts, fails without the
//! table, and calls one function of it. That function leaves a zero at an H200's driver (580), and so here. Tables that CUPTI
//! asks for next, to subscribe to events, do not exist here: it says so to its caller.

use super::{SIZE, Table, UNKNOWN};
use crate::convert::Out;
use crate::export::guard;
use cuda_types::cuda::CUresult;
use std::ffi::c_int;

pub(super) const ID: u128 = 0x7cb63f9b9ca48e42a484beb66e6aed7f;

/// The slots of an H200's driver.
const SLOTS: usize = 67;

pub(super) static TABLE: Table<SLOTS> = Table::sized({
    let mut functions = [UNKNOWN; SLOTS];
    functions[0] = SIZE;
    functions[32] = state as *const ();
    functions
});

unsafe extern "C" fn state(to: *mut c_int) -> CUresult {
    guard("TOOLS_ROOT[32]", || Out::of(to).set(0))
}
