//! Questions of NVIDIA's runtime about a context (12.4 and later).

use super::{SIZE, Table, UNKNOWN};
use cuda_types::cuda::{CUcontext, CUresult};
use std::ffi::c_void;

pub(super) const ID: u128 = 0x263e88607cd2614392f6bbd5006dfa7e;

pub(super) static TABLE: Table<4> =
    Table::sized([SIZE, UNKNOWN, check as *const (), is_restricted as *const ()]);

unsafe extern "C" fn check(
    _context: CUcontext,
    answer: *mut u32,
    _detail: *mut *mut c_void,
) -> CUresult {
    if !answer.is_null() {
        // SAFETY: the runtime passes room for a word.
        unsafe { answer.write(0) };
    }
    CUresult::CUDA_SUCCESS
}

extern "C" fn is_restricted() -> u32 {
    0
}
