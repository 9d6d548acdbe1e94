//! Thread-local storage of tools. NVIDIA's runtime wants the table to be there and calls nothing of it; cuBLAS, cuSOLVER,
//! cuSPARSE, NCCL and PyTorch ask it for the current context. The size and the slot are those of an H100's driver.

use super::{SIZE, Table, UNKNOWN};
use crate::api::context;
use crate::convert::Out;
use crate::export::guard;
use cuda_types::cuda::{CUcontext, CUresult};

pub(super) const ID: u128 = 0x42d85a8123f6cb478298f6e78a3aecdc;

pub(super) static TABLE: Table<3> = Table::sized([SIZE, UNKNOWN, current as *const ()]);

unsafe extern "C" fn current(to: *mut CUcontext) -> CUresult {
    guard("TOOLS_TLS[2]", || context::cuCtxGetCurrent(Out::of(to)))
}
