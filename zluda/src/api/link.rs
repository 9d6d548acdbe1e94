//! Linking at run time.

use crate::api::module::read_file;
use crate::convert::{Out, Text};
use crate::core::compile::image::{self, Parts};
use crate::core::compile::jit_options::JitOptions;
use crate::core::compile::link::{self, Link};
use crate::core::context::current;
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
    count: c_uint,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> CUres {
    if data.is_null() || size == 0 || size > isize::MAX as usize {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: as above. What is compiled here obeys no option.
    unsafe { JitOptions::read(count, options, values) }?;
    // SAFETY: the program passes `size` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
    let name = name.get().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    add(&state, kind, bytes, &name)
}

pub(crate) fn cuLinkAddFile_v2(
    state: Arc<Link>,
    kind: CUjitInputType,
    path: Text<'_>,
    count: c_uint,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> CUres {
    // SAFETY: as above.
    unsafe { JitOptions::read(count, options, values) }?;
    add(&state, kind, &read_file(path)?, &path.get()?.to_string_lossy())
}

fn add(link: &Link, kind: CUjitInputType, bytes: &[u8], name: &str) -> CUres {
    let text = || image::source_of_bytes(bytes)?.text();
    let parts = match kind {
        CUjitInputType::CU_JIT_INPUT_PTX | CUjitInputType::CU_JIT_INPUT_FATBINARY => {
            text().map(|text| Parts::Texts(vec![text]))
        }
        // What `cuLinkComplete` gave is a cubin for the program, and text for us.
        CUjitInputType::CU_JIT_INPUT_CUBIN => text().map(|text| Parts::Texts(vec![text])),
        CUjitInputType::CU_JIT_INPUT_OBJECT => image::parts_of_object(bytes),
        CUjitInputType::CU_JIT_INPUT_LIBRARY => image::parts_of_archive(bytes),
        CUjitInputType::CU_JIT_INPUT_NVVM => Err(CUerror::NOT_SUPPORTED),
        _ => return Err(CUerror::INVALID_VALUE),
    };
    link.0.lock().add(parts, name)
}

pub(crate) fn cuLinkComplete(state: Arc<Link>, image: Out<*mut c_void>, size: Out<usize>) -> CUres {
    image.check()?;
    let mut state = state.0.lock();
    let output = state.complete()?;
    image.set(output.as_ptr().cast_mut().cast())?;
    size.set_if_wanted(output.len());
    Ok(())
}

pub(crate) fn cuLinkDestroy(state: CUlinkState) -> CUres {
    link::destroy(state)
}
