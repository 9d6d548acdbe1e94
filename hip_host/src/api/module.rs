//! Modules, their kernels and variables.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use hip_runtime_sys::{hipDeviceptr_t, hipError_t, hipFunction_t, hipJitOption, hipModule_t};

use super::{INVALID, Result, hip_api, put, text};
use crate::core::module::{Module, load_file};
use crate::core::tables::tables;
use zluda_common::c_path::path_of_c;

fn find(handle: hipModule_t) -> Result<Arc<Module>> {
    tables().modules.get(handle).ok_or(hipError_t::hipErrorInvalidHandle)
}

/// # Safety
/// `to` is null or valid; the image is the program's own business.
unsafe fn load(to: *mut hipModule_t, image: *const c_void) -> Result {
    if to.is_null() || image.is_null() {
        return Err(INVALID);
    }
    // SAFETY: the caller's promise.
    unsafe {
        let module = Module::load(image, usize::MAX)?;
        put(to, tables().modules.insert(Arc::new(module)))
    }
}

hip_api! {
    healthy fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) {
        // SAFETY: the program's pointers.
        unsafe { load(module, image) }
    }

    healthy fn hipModuleLoadDataEx(
        module: *mut hipModule_t, image: *const c_void, _numOptions: u32, _options: *mut hipJitOption,
        _optionValues: *mut *mut c_void,
    ) {
        // Nothing is compiled here, so there is nothing to choose.
        // SAFETY: the program's pointers.
        unsafe { load(module, image) }
    }

    healthy fn hipModuleLoad(module: *mut hipModule_t, fname: *const c_char) {
        if module.is_null() || fname.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's string and pointer.
        unsafe {
            let loaded = load_file(&path_of_c(std::ffi::CStr::from_ptr(fname)))?;
            put(module, tables().modules.insert(Arc::new(loaded)))
        }
    }

    healthy fn hipModuleUnload(module: hipModule_t) {
        let module = tables().modules.remove(module).ok_or(hipError_t::hipErrorInvalidHandle)?;
        // Launches in flight keep their code; handles of functions end here.
        tables().kernels.retain(|kernel| kernel.module.id != module.id);
        Ok(())
    }

    healthy fn hipModuleGetFunction(function: *mut hipFunction_t, module: hipModule_t, kname: *const c_char) {
        let module = find(module)?;
        // SAFETY: the program's string and pointer.
        unsafe {
            let name = text(kname)?;
            if function.is_null() {
                return Err(INVALID);
            }
            put(function, tables().kernels.insert(Arc::new(module.kernel(name)?)))
        }
    }

    healthy fn hipModuleGetFunctionCount(count: *mut u32, mod_: hipModule_t) {
        let module = find(mod_)?;
        // SAFETY: the program's pointer.
        unsafe { put(count, module.kernels().len() as u32) }
    }

    healthy fn hipModuleGetGlobal(
        dptr: *mut hipDeviceptr_t, bytes: *mut usize, hmod: hipModule_t, name: *const c_char,
    ) {
        let module = find(hmod)?;
        // SAFETY: the program's string and pointers; "either of them may be null".
        unsafe {
            let (address, size) = module.variable(text(name)?)?;
            if !dptr.is_null() {
                put(dptr, address as hipDeviceptr_t)?;
            }
            if !bytes.is_null() {
                put(bytes, size)?;
            }
        }
        Ok(())
    }
}
