//! The layer between the exported symbols and `api`.

use cuda_types::cudnn::{CudnnResult, cudnnError, cudnnStatus_t};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

pub(crate) use zluda_api::export::Address;

thread_local! {
    /// The text of `cudnnGetLastErrorString`.
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps why a call of this thread failed.
pub(crate) fn remember(text: String) {
    LAST_ERROR.with(|last| *last.borrow_mut() = text);
}

/// Why the last call of this thread that failed did so; told once.
pub(crate) fn take_last_error() -> String {
    LAST_ERROR.with(|last| std::mem::take(&mut *last.borrow_mut()))
}

/// Runs an exported function.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CudnnResult) -> cudnnStatus_t {
    let call = || call().inspect_err(|error| remember(format!("{name}: {error}")));
    zluda_api::export::guard(name, |_| false, call)
}

/// Runs an exported function that returns something else than a status.
pub(crate) fn guard_value<T: Plain>(name: &'static str, call: impl FnOnce() -> T) -> T {
    zluda_api::export::guard_value(name, T::NOTHING, call)
}

/// Return types that are no status.
pub(crate) trait Plain {
    const NOTHING: Self;
}

impl Plain for () {
    const NOTHING: Self = ();
}

impl Plain for usize {
    const NOTHING: Self = 0;
}

impl Plain for *const std::ffi::c_char {
    const NOTHING: Self = std::ptr::null();
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> cudnnStatus_t {
    remember(format!("{name} is not implemented"));
    zluda_api::export::not_supported::<cudnnError>(name, logged)
}
