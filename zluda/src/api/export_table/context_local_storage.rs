//! Context-local storage: NVIDIA's runtime keeps its own data of a context there.

use super::{Table, UNKNOWN};
use crate::core::context::storage::Destructor;
use crate::core::context::{Context, top};
use crate::export::guard;
use cuda_types::cuda::{CUcontext, CUerror, CUres, CUresult};
use std::ffi::c_void;
use std::sync::Arc;

pub(super) const ID: u128 = 0xc693336e1121df11a8c368f355d89593;

/// This table has no size.
pub(super) static TABLE: Table<4> =
    Table::plain([put as *const (), delete as *const (), get as *const (), UNKNOWN]);

/// The context, or the current one for null, alive or not.
fn context(handle: CUcontext) -> CUres<Arc<Context>> {
    match handle.is_null() {
        true => Ok(top().ok_or(CUerror::INVALID_CONTEXT)?.context),
        false => Context::from_handle(handle),
    }
}

unsafe extern "C" fn put(
    handle: CUcontext,
    key: *mut c_void,
    value: *mut c_void,
    destructor: Option<Destructor>,
) -> CUresult {
    guard("CONTEXT_LOCAL_STORAGE[0]", || {
        context(handle)?.storage.put(key as usize, value as usize, destructor);
        Ok(())
    })
}

unsafe extern "C" fn delete(handle: CUcontext, key: *mut c_void) -> CUresult {
    guard("CONTEXT_LOCAL_STORAGE[1]", || match context(handle)?.storage.delete(key as usize) {
        true => Ok(()),
        false => Err(CUerror::INVALID_HANDLE),
    })
}

unsafe extern "C" fn get(value: *mut *mut c_void, handle: CUcontext, key: *mut c_void) -> CUresult {
    guard("CONTEXT_LOCAL_STORAGE[2]", || {
        let found = context(handle)?.storage.get(key as usize).ok_or(CUerror::INVALID_HANDLE)?;
        if value.is_null() {
            return Err(CUerror::INVALID_VALUE);
        }
        // SAFETY: the runtime passes room for a value.
        unsafe { value.write(found as *mut c_void) };
        Ok(())
    })
}
