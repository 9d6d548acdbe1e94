//! Libraries.

use crate::api::module::{global, program, read_file};
use crate::convert::{Out, Text};
use crate::core::capture;
use crate::core::compile::image;
use crate::core::compile::jit_options::JitOptions;
use crate::core::context::{current, enter, primary};
use crate::core::module::library::{self, Library};
use cuda_types::cuda::{
    CUdeviceptr, CUerror, CUjit_option, CUkernel, CUlibrary, CUlibraryOption, CUmodule, CUres,
};
use std::ffi::{c_uint, c_void};
use std::sync::Arc;

pub(crate) fn cuLibraryLoadData(
    library: Out<CUlibrary>,
    code: *const c_void,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    count: c_uint,
    _library_options: *mut CUlibraryOption,
    _library_values: *mut *mut c_void,
    _library_count: c_uint,
) -> CUres {
    library.check()?;
    // SAFETY: the program passes arrays of `count` elements, and buffers of the sizes that it says.
    let mut options = unsafe { JitOptions::read(count, options, values) }?;
    // SAFETY: the program passes an image.
    let source = unsafe { image::source_of(code) };
    library.set(library::load(program(source, &mut options)?)?)
}

pub(crate) fn cuLibraryLoadFromFile(
    library: Out<CUlibrary>,
    file: Text<'_>,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    count: c_uint,
    _library_options: *mut CUlibraryOption,
    _library_values: *mut *mut c_void,
    _library_count: c_uint,
) -> CUres {
    library.check()?;
    // SAFETY: as above.
    let mut options = unsafe { JitOptions::read(count, options, values) }?;
    let source = image::source_of_bytes(&read_file(file)?);
    library.set(library::load(program(source, &mut options)?)?)
}

pub(crate) fn cuLibraryUnload(library: CUlibrary) -> CUres {
    capture::check_unsafe_call()?;
    library::unload(library)
}

pub(crate) fn cuLibraryGetKernel(
    kernel: Out<CUkernel>,
    library: Arc<Library>,
    name: Text<'_>,
) -> CUres {
    kernel.check()?;
    kernel.set(library.kernel_by_name(name.get()?)?)
}

pub(crate) fn cuLibraryGetKernelCount(count: Out<c_uint>, library: Arc<Library>) -> CUres {
    count.check()?;
    count.set(library.kernel_count()? as c_uint)
}

pub(crate) fn cuLibraryEnumerateKernels(
    kernels: Out<CUkernel>,
    count: c_uint,
    library: Arc<Library>,
) -> CUres {
    if count == 0 {
        return Ok(());
    }
    kernels.check()?;
    // Those that cannot be compiled are left out.
    let all = (0..library.kernel_count()?).filter_map(|index| library.kernel(index).ok());
    kernels.set_all(all, count as usize);
    Ok(())
}

pub(crate) fn cuLibraryGetModule(module: Out<CUmodule>, library: Arc<Library>) -> CUres {
    module.check()?;
    module.set(library.module(&current()?)?.handle())
}

pub(crate) fn cuLibraryGetGlobal(
    pointer: Out<CUdeviceptr>,
    size: Out<usize>,
    library: Arc<Library>,
    name: Text<'_>,
) -> CUres {
    let name = name.get()?;
    global(pointer, size, &*library.module(&current()?)?, name)
}

pub(crate) fn cuLibraryGetManaged(
    pointer: Out<CUdeviceptr>,
    size: Out<usize>,
    library: Arc<Library>,
    name: Text<'_>,
) -> CUres {
    let name = name.get()?;
    // Managed variables lie where all others do, which the host can read on a CPU. NVIDIA's runtime asks for
    // them before there is a context: they are those of the first device's primary context, which lives on
    // from then.
    let current = match current() {
        Err(CUerror::INVALID_CONTEXT) => {
            let primary = primary::of_device(0)?;
            primary.retain()?;
            enter(primary.context()?)?
        }
        current => current?,
    };
    let module = library.module(&current)?;
    if !module.is_managed(name)? {
        return Err(CUerror::NOT_FOUND);
    }
    global(pointer, size, &module, name)
}

/// An H100 has none, and refuses all names.
pub(crate) fn cuLibraryGetUnifiedFunction(
    _pointer: Out<*mut c_void>,
    _library: Arc<Library>,
    name: Text<'_>,
) -> CUres {
    name.get()?;
    Err(CUerror::INVALID_VALUE)
}
