//! The functions that NVIDIA's runtime needs beyond the API: modules from fat binaries, primary contexts.

use super::{SIZE, Table, UNKNOWN};
use crate::api::module;
use crate::convert::{FromC, Out};
use crate::core::context::primary;
use crate::export::guard;
use cuda_types::cuda::{CUcontext, CUdevice, CUmodule, CUresult};
use std::ffi::c_void;

pub(super) const ID: u128 = 0x6bd5fb6c5bf4e74a8987d93912fd9df9;

pub(super) static TABLE: Table<13> = Table::sized([
    SIZE,
    load_module as *const (),
    primary_context as *const (),
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    load_module_with as *const (),
    notify as *const (),
    load_module_with as *const (),
    UNKNOWN,
    UNKNOWN,
    UNKNOWN,
    load_compilers as *const (),
]);

unsafe extern "C" fn load_module(module: *mut CUmodule, wrapper: *const c_void) -> CUresult {
    guard("CUDART_INTERFACE[1]", || {
        // SAFETY: the runtime passes what the API's function asks for.
        module::cuModuleLoadFatBinary(unsafe { FromC::from_c(module) }?, wrapper)
    })
}

/// Variants with more arguments, of which nothing is needed.
unsafe extern "C" fn load_module_with(module: *mut CUmodule, wrapper: *const c_void) -> CUresult {
    // SAFETY: as above.
    unsafe { load_module(module, wrapper) }
}

unsafe extern "C" fn primary_context(context: *mut CUcontext, device: CUdevice) -> CUresult {
    guard("CUDART_INTERFACE[2]", || {
        // SAFETY: the runtime passes room for a context.
        let context: Out<CUcontext> = unsafe { FromC::from_c(context) }?;
        context.check()?;
        // Its handle, whether it is alive or not: nothing is retained.
        context.set(primary::of_device(device)?.context()?.handle())
    })
}

extern "C" fn notify(_word: usize) {}

extern "C" fn load_compilers() -> CUresult {
    CUresult::CUDA_SUCCESS
}
