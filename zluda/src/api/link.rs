//! Linking at run time.

use crate::api::module::read_file;
use crate::convert::{Out, Text};
use crate::core::compile::Program;
use crate::core::context::current;
use crate::core::image;
use crate::core::jit_options::JitOptions;
use crate::core::link::{self, Link};
use cuda_types::cuda::{CUerror, CUjit_option, CUjitInputType, CUlinkState, CUres};
use std::ffi::{c_uint, c_void};
use std::sync::Arc;

pub(crate) fn cuLinkCreate_v2(
    count: c_uint,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    state: Out<CUlinkState>,
) -> CUres {
    state.check()?;
    current()?;
    // SAFETY: the program passes arrays of `count` elements and buffers of the sizes that it says, which
    // stay: "optionValues must remain valid for the life of the CUlinkState if output options are used."
    let options = unsafe { JitOptions::read(count, options, values) }?;
    state.set(link::create(options)?)
}

pub(crate) fn cuLinkAddData_v2(
    state: Arc<Link>,
    kind: CUjitInputType,
    data: *mut c_void,
    size: usize,
    name: Text<'_>,
    _count: c_uint,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> CUres {
    if data.is_null() || size == 0 || size > isize::MAX as usize {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: the program passes `size` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
    let name = name.get().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    add(&state, kind, bytes, &name)
}

pub(crate) fn cuLinkAddFile_v2(
    state: Arc<Link>,
    kind: CUjitInputType,
    path: Text<'_>,
    _count: c_uint,
    _options: *mut CUjit_option,
    _values: *mut *mut c_void,
) -> CUres {
    add(&state, kind, &read_file(path)?, &path.get()?.to_string_lossy())
}

fn add(link: &Link, kind: CUjitInputType, bytes: &[u8], name: &str) -> CUres {
    let text = match kind {
        CUjitInputType::CU_JIT_INPUT_PTX | CUjitInputType::CU_JIT_INPUT_FATBINARY => {
            image::text_of_bytes(bytes)?
        }
        // Our own "cubins" are text.
        CUjitInputType::CU_JIT_INPUT_CUBIN | CUjitInputType::CU_JIT_INPUT_OBJECT => {
            image::text_of_bytes(bytes)?
        }
        CUjitInputType::CU_JIT_INPUT_LIBRARY => {
            // What programs link is libcudadevrt, of which they seldom use anything.
            tracing::warn!("unsupported: the archive {name} is left out of the link");
            return Ok(());
        }
        CUjitInputType::CU_JIT_INPUT_NVVM => return Err(CUerror::NOT_SUPPORTED),
        _ => return Err(CUerror::INVALID_VALUE),
    };
    let mut state = link.0.lock();
    // "CUDA_ERROR_INVALID_PTX": now, not at the end.
    if let Err(failure) = Program::load(text.clone()) {
        state.options.log_error(&failure.log);
        state.options.finish();
        return Err(failure.error);
    }
    state.add(text)
}

pub(crate) fn cuLinkComplete(state: Arc<Link>, image: Out<*mut c_void>, size: Out<usize>) -> CUres {
    image.check()?;
    let mut state = state.0.lock();
    let output = state.complete()?;
    image.set(output.as_ptr().cast_mut().cast())?;
    size.set_if_wanted(output.len());
    state.options.finish();
    Ok(())
}

pub(crate) fn cuLinkDestroy(state: CUlinkState) -> CUres {
    link::destroy(state)
}
