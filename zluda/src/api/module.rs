//! Modules.

use crate::convert::{Out, Text};
use crate::core::capture;
use crate::core::compile::image::{self, Source};
use crate::core::compile::jit_options::JitOptions;
use crate::core::compile::{Failure, Program};
use crate::core::context::current;
use crate::core::module::{self, Module};
use cuda_types::cuda::{
    CUdeviceptr, CUerror, CUfunction, CUjit_option, CUmodule, CUmoduleLoadingMode, CUres,
};
use std::ffi::{CStr, c_uint, c_void};
use std::sync::Arc;
use zluda_common::c_path::path_of_c;

/// The bytes of a file: `FILE_NOT_FOUND` for one that cannot be read.
pub(crate) fn read_file(name: Text<'_>) -> CUres<Vec<u8>> {
    let name = name.get()?;
    let path = path_of_c(name);
    std::fs::read(&path).map_err(|error| {
        // Programs that keep compiled code look this way whether they have it, a line for each kernel.
        match error.kind() {
            std::io::ErrorKind::NotFound => tracing::debug!("there is no {}", path.display()),
            _ => tracing::warn!("{} cannot be read: {error}", path.display()),
        }
        CUerror::FILE_NOT_FOUND
    })
}

/// Loads what an image has, telling the program's logs about it.
pub(crate) fn program(source: CUres<Source>, options: &mut JitOptions) -> CUres<Arc<Program>> {
    let loaded = source.map_err(Failure::from).and_then(Program::load);
    let loaded = loaded.map_err(|failure| {
        options.log_error(&failure.log);
        failure.error
    });
    options.finish();
    loaded
}

fn load(
    out: Out<CUmodule>,
    source: impl FnOnce() -> CUres<Source>,
    options: &mut JitOptions,
) -> CUres {
    out.check()?;
    let current = current()?;
    let source = source()?;
    if source.is_empty() {
        return Err(CUerror::NO_BINARY_FOR_GPU);
    }
    let program = program(Ok(source), options)?;
    out.set(module::load(&current, program).map_err(|failure| failure.error)?.handle())
}

pub(crate) fn cuModuleLoad(module: Out<CUmodule>, file: Text<'_>) -> CUres {
    load(module, || image::source_of_bytes(&read_file(file)?), &mut JitOptions::default())
}

pub(crate) fn cuModuleLoadData(module: Out<CUmodule>, image: *const c_void) -> CUres {
    // SAFETY: the program passes an image.
    load(module, || unsafe { image::source_of(image) }, &mut JitOptions::default())
}

pub(crate) fn cuModuleLoadDataEx(
    module: Out<CUmodule>,
    image: *const c_void,
    count: c_uint,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> CUres {
    // SAFETY: the program passes arrays of `count` elements, and buffers of the sizes that it says.
    let mut options = unsafe { JitOptions::read(count, options, values) }?;
    // SAFETY: the program passes an image.
    load(module, || unsafe { image::source_of(image) }, &mut options)
}

pub(crate) fn cuModuleLoadFatBinary(module: Out<CUmodule>, image: *const c_void) -> CUres {
    cuModuleLoadData(module, image)
}

pub(crate) fn cuModuleUnload(module: CUmodule) -> CUres {
    capture::check_unsafe_call()?;
    module::unload(module)
}

pub(crate) fn cuModuleGetLoadingMode(mode: Out<CUmoduleLoadingMode>) -> CUres {
    mode.set(CUmoduleLoadingMode::CU_MODULE_LAZY_LOADING)
}

pub(crate) fn cuModuleGetFunction(
    function: Out<CUfunction>,
    module: Arc<Module>,
    name: Text<'_>,
) -> CUres {
    function.check()?;
    let name = name.get()?;
    if name.is_empty() {
        return Err(CUerror::INVALID_VALUE);
    }
    module.data.context.check_usable()?;
    let (handle, _) = module.function_by_name(name)?;
    function.set(handle)
}

pub(crate) fn cuModuleGetFunctionCount(count: Out<c_uint>, module: Arc<Module>) -> CUres {
    count.check()?;
    let metadata = module.data.program.metadata().map_err(|failure| failure.error)?;
    count.set(metadata.kernels.len() as c_uint)
}

pub(crate) fn cuModuleEnumerateFunctions(
    functions: Out<CUfunction>,
    count: c_uint,
    module: Arc<Module>,
) -> CUres {
    if count == 0 {
        return Ok(());
    }
    functions.check()?;
    // As many as fit.
    functions.set_all(self::functions(&module)?, count as usize);
    Ok(())
}

/// The kernels of a module, without those that cannot be compiled.
pub(crate) fn functions(module: &Module) -> CUres<impl Iterator<Item = CUfunction>> {
    let metadata = module.data.program.metadata().map_err(|failure| failure.error)?;
    Ok((0..metadata.kernels.len())
        .filter_map(|index| module.function(index).ok().map(|(handle, _)| handle)))
}

pub(crate) fn cuModuleGetGlobal_v2(
    pointer: Out<CUdeviceptr>,
    size: Out<usize>,
    module: Arc<Module>,
    name: Text<'_>,
) -> CUres {
    let name = name.get()?;
    global(pointer, size, &module, name)
}

/// "Both parameters dptr and bytes are optional. If one of them is NULL, it is ignored."
pub(crate) fn global(
    pointer: Out<CUdeviceptr>,
    size: Out<usize>,
    module: &Module,
    name: &CStr,
) -> CUres {
    if pointer.is_null() && size.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    // NVIDIA's driver tells the name of a function from a name that is not there.
    if module::kernel_index(&module.data.program, name).is_ok() {
        return Err(CUerror::INVALID_VALUE);
    }
    let current = crate::core::context::enter(&module.data.context)?;
    let (address, bytes) = module.global(&current, name)?;
    pointer.set_if_wanted(address);
    size.set_if_wanted(bytes);
    Ok(())
}
