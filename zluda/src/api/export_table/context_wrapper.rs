//! Creation of contexts, as NVIDIA's libraries ask for it.

use super::{SIZE, Table, UNKNOWN};
use crate::api::context;
use crate::convert::FromC;
use crate::export::guard;
use cuda_types::cuda::{CUcontext, CUdevice, CUresult};
use std::ffi::c_uint;

pub(super) const ID: u128 = 0x0ca50b8c1004929a89a7d0df10e77286;

pub(super) static TABLE: Table<3> = Table::sized([SIZE, create as *const (), UNKNOWN]);

unsafe extern "C" fn create(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> CUresult {
    guard("CONTEXT_CREATE[1]", || {
        // SAFETY: the library passes what the API's function asks for.
        context::cuCtxCreate_v2(unsafe { FromC::from_c(context) }?, flags, device)
    })
}
