//! The layer between the exported symbols and `api`: nothing unwinds out, and a result becomes a code.

use crate::after_fault;
use crate::core::context;
use crate::core::device::driver;
use crate::core::tools::error_log;
use crate::missing;
use cuda_types::cuda::{CU_STREAM_PER_THREAD, CUerror, CUres, CUresult, CUstream};
use std::sync::atomic::{AtomicBool, AtomicU64};

pub(crate) use zluda_api::export::Address;

/// Runs an exported function that asks for an initialised driver, and not to be called within a stream.
pub(crate) fn guard(name: &'static str, call: impl FnOnce() -> CUres) -> CUresult {
    guard_by_handle(name, || {
        context::check_permitted()?;
        call()
    })
}

/// Runs an exported function that asks for an initialised driver and works in the context of a stream or an event:
/// NVIDIA's driver lets functions that run in streams call most of these.
pub(crate) fn guard_by_handle(name: &'static str, call: impl FnOnce() -> CUres) -> CUresult {
    if let Err(error) = driver::check_initialized() {
        return error.into();
    }
    guard_before_init(name, || call().map_err(|error| after_fault::answer(name, error)))
}

/// Runs an exported function.
pub(crate) fn guard_before_init(name: &'static str, call: impl FnOnce() -> CUres) -> CUresult {
    let note = |error| {
        // A question is no failure.
        let is_answer = error == CUerror::NOT_READY;
        if !is_answer {
            error_log::note(name, error);
        }
        is_answer
    };
    zluda_api::export::guard(name, note, call)
}

/// The answer of a function that is not implemented, with a line in the log.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> CUresult {
    if driver::check_not_forked().is_ok() {
        let _ = zluda_api::export::not_supported::<CUerror>(name, logged);
    }
    let error = match (missing::answer(name), driver::check_initialized()) {
        (error, Ok(())) | (error @ CUerror::NOT_SUPPORTED, _) => error,
        (_, Err(error)) => error,
    };
    error_log::note(name, error);
    error.into()
}

/// The stream that a per-thread variant means.
pub(crate) fn or_per_thread(stream: CUstream) -> CUstream {
    if stream.is_null() { CU_STREAM_PER_THREAD } else { stream }
}

/// A variable of the debugger interface: memory that a debugger may write, without meaning here.
#[repr(C)]
pub(crate) struct DebuggerWord([AtomicU64; 512]);

impl DebuggerWord {
    /// The variable, all zero.
    pub(crate) const fn new() -> Self {
        DebuggerWord([const { AtomicU64::new(0) }; 512])
    }
}
