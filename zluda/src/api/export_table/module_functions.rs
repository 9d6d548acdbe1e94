//! The functions of a module, as cuFFT asks for them. The size and the slot are those of an H100's driver.

use super::{SIZE, Table, UNKNOWN};
use crate::api::module::functions;
use crate::convert::FromC;
use crate::core::module::Module;
use crate::export::guard;
use cuda_types::cuda::{CUcontext, CUfunction, CUmodule};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

pub(super) const ID: u128 = 0x6e163fbeb958444d835ce182aff1991e;

pub(super) static TABLE: Table<99> = Table::sized(slots());

const fn slots() -> [*const (); 99] {
    let mut slots = [UNKNOWN; 99];
    slots[0] = SIZE;
    slots[7] = for_each as *const ();
    slots
}

type Callback = unsafe extern "C" fn(data: *mut c_void, function: CUfunction, word: u64) -> c_int;

/// Calls the callback for each function, whatever it answers, and returns how many there are.
unsafe extern "C" fn for_each(
    _: CUcontext,
    module: CUmodule,
    callback: Option<Callback>,
    data: *mut c_void,
) -> c_int {
    let mut count = 0;
    let _ = guard("MODULE_FUNCTIONS[7]", || {
        // SAFETY: a handle is checked, not followed.
        let module: Arc<Module> = unsafe { FromC::from_c(module) }?;
        for function in functions(&module)? {
            count += 1;
            if let Some(callback) = callback {
                // SAFETY: the library gave function and data for each other.
                unsafe { callback(data, function, 0) };
            }
        }
        Ok(())
    });
    count
}
