//! Initialisation, version, errors, export tables.

use crate::api::export_table;
use crate::convert::{In, Out};
use crate::core;
use crate::core::device::driver::{DRIVER_VERSION, check_not_ending};
use cuda_types::cuda::{CUerror, CUres, CUresult, CUuuid, result_name};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null;

pub(crate) fn cuInit(flags: c_uint) -> CUres {
    // "Currently, the Flags parameter must be 0."
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    core::initialize()
}

pub(crate) fn cuDriverGetVersion(version: Out<c_int>) -> CUres {
    check_not_ending()?;
    version.set(DRIVER_VERSION)
}

pub(crate) fn cuGetErrorName(error: CUresult, text: Out<*const c_char>) -> CUres {
    answer(result_name(error), text)
}

pub(crate) fn cuGetErrorString(error: CUresult, text: Out<*const c_char>) -> CUres {
    answer(crate::core::error::text::describe(error), text)
}

fn answer(known: Option<&'static CStr>, text: Out<*const c_char>) -> CUres {
    // "If the error code is not recognized, CUDA_ERROR_INVALID_VALUE will be returned and *pStr will be set
    // to the NULL address."
    match known {
        Some(known) => text.set(known.as_ptr()),
        None => text.set(null()).and(Err(CUerror::INVALID_VALUE)),
    }
}

pub(crate) fn cuGetExportTable(table: Out<*const c_void>, id: In<CUuuid>) -> CUres {
    table.check()?;
    let id = id.get()?.bytes.map(|byte| byte as u8);
    match export_table::find(&id) {
        Some(found) => table.set(found),
        None => {
            tracing::debug!("export table {id:02x?} is not known");
            table.set(null()).and(Err(CUerror::INVALID_VALUE))
        }
    }
}
