//! Settings of core dumps.

use crate::convert::{In, Out};
use crate::core::context::current;
use crate::core::tools::core_dump::{self, Settings};
use cuda_types::cuda::{CUcoredumpSettings as S, CUerror, CUres};
use std::ffi::c_void;

/// The longest name of a file or a pipe, in bytes, with its NUL.
const MOST_TEXT: usize = 1024;

/// What only the process has. "CU_COREDUMP_ENABLE_USER_TRIGGER ... can only be set globally"
fn check_of_context(which: S) -> CUres {
    match which {
        S::CU_COREDUMP_ENABLE_USER_TRIGGER | S::CU_COREDUMP_PIPE => Err(CUerror::INVALID_VALUE),
        _ => Ok(()),
    }
}

fn is_text(which: S) -> bool {
    matches!(which, S::CU_COREDUMP_FILE | S::CU_COREDUMP_PIPE)
}

/// Numbers want room of their very size; text is cut, and its size told.
fn get(settings: &Settings, which: S, value: Out<c_void>, size: *mut usize) -> CUres {
    let room = In::of(size.cast_const()).get()?;
    let bytes = core_dump::get(settings, which)?;
    if is_text(which) {
        let count = room.min(bytes.len());
        Out::of(size).set(bytes.len())?;
        if !value.is_null() {
            value.cast::<u8>().set_all(bytes, count);
        }
        return Ok(());
    }
    if room != bytes.len() {
        return Err(CUerror::INVALID_VALUE);
    }
    value.check()?;
    value.cast::<u8>().set_all(bytes, room);
    Ok(())
}

fn set(settings: &mut Settings, which: S, value: In<c_void>, size: *mut usize) -> CUres {
    let given = In::of(size.cast_const()).get()?;
    let own = core_dump::get(settings, which)?.len();
    if !is_text(which) && given != own {
        return Err(CUerror::INVALID_VALUE);
    }
    let value = value.cast::<u8>();
    // An H100 takes a null pointer and leaves the setting as it is.
    if value.optional().is_none() {
        return Ok(());
    }
    let mut bytes = value.array(given, MOST_TEXT)?;
    if is_text(which) {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
    }
    core_dump::set(settings, which, &bytes)
}

pub(crate) fn cuCoredumpGetAttribute(which: S, value: Out<c_void>, size: *mut usize) -> CUres {
    let current = current()?;
    check_of_context(which)?;
    get(&current.context.settings.lock().core_dump, which, value, size)
}

pub(crate) fn cuCoredumpSetAttribute(which: S, value: In<c_void>, size: *mut usize) -> CUres {
    let current = current()?;
    check_of_context(which)?;
    set(&mut current.context.settings.lock().core_dump, which, value, size)
}

pub(crate) fn cuCoredumpGetAttributeGlobal(
    which: S,
    value: Out<c_void>,
    size: *mut usize,
) -> CUres {
    let settings = core_dump::of_process()?;
    get(&settings, which, value, size)
}

pub(crate) fn cuCoredumpSetAttributeGlobal(which: S, value: In<c_void>, size: *mut usize) -> CUres {
    let mut settings = core_dump::of_process()?;
    set(&mut settings, which, value, size)
}
