//! Kernels: functions of libraries, in no context in particular.

use crate::convert::Out;
use crate::core::context::current;
use crate::core::device::driver::driver;
use crate::core::module::library::Kernel;
use cuda_types::cuda::{
    CUdevice, CUerror, CUfunc_cache, CUfunction, CUfunction_attribute, CUkernel, CUlibrary, CUres,
};
use std::ffi::{c_char, c_int};
use std::ptr::null;
use std::sync::Arc;

pub(crate) fn cuKernelGetFunction(function: Out<CUfunction>, kernel: Arc<Kernel>) -> CUres {
    function.check()?;
    let (handle, _) = kernel.function(&current()?)?;
    function.set(handle)
}

pub(crate) fn cuKernelGetLibrary(library: Out<CUlibrary>, kernel: Arc<Kernel>) -> CUres {
    library.set(kernel.library())
}

pub(crate) fn cuKernelGetName(name: Out<*const c_char>, kernel: CUkernel) -> CUres {
    // "If the function handle is NULL, name is set to NULL" is said of neither error.
    let kernel = crate::core::module::library::kernel_from_handle(kernel as u64);
    match kernel {
        // Kernels live as long as their library, which the text belongs to.
        Some(kernel) => name.set(kernel.name.as_ptr()),
        None => name.set(null()).and(Err(CUerror::INVALID_VALUE)),
    }
}

pub(crate) fn cuKernelGetAttribute(
    value: Out<c_int>,
    attribute: CUfunction_attribute,
    kernel: Arc<Kernel>,
    device: CUdevice,
) -> CUres {
    value.check()?;
    driver()?.device(device)?;
    value.set(kernel.settings.get(&kernel.info, attribute)?)
}

pub(crate) fn cuKernelSetAttribute(
    attribute: CUfunction_attribute,
    value: c_int,
    kernel: Arc<Kernel>,
    device: CUdevice,
) -> CUres {
    kernel.settings.set(driver()?.device(device)?, &kernel.info, attribute, value)
}

pub(crate) fn cuKernelSetCacheConfig(
    kernel: Arc<Kernel>,
    config: CUfunc_cache,
    device: CUdevice,
) -> CUres {
    driver()?.device(device)?;
    if config.0 > CUfunc_cache::CU_FUNC_CACHE_PREFER_EQUAL.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    *kernel.settings.cache_config.lock() = config;
    Ok(())
}

pub(crate) fn cuKernelGetParamInfo(
    kernel: Arc<Kernel>,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> CUres {
    offset.check()?;
    current()?;
    let param = kernel.info.params.get(index).ok_or(CUerror::INVALID_VALUE)?;
    offset.set(param.offset as usize)?;
    size.set_if_wanted(param.size as usize);
    Ok(())
}
