//! The layer between the exported symbols and `api`: nothing unwinds out, and a result becomes a code.

use crate::core::context;
use crate::core::device::driver;
use cuda_types::cuda::{CU_STREAM_PER_THREAD, CUerror, CUres, CUresult, CUstream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The address of an exported function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address(pub(crate) *const ());

// SAFETY: the address of a function is a number.
unsafe impl Sync for Address {}

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
    if !driver::is_initialized() {
        return CUresult::CUDA_ERROR_NOT_INITIALIZED;
    }
    guard_before_init(name, call)
}

/// Runs an exported function.
pub(crate) fn guard_before_init(name: &'static str, call: impl FnOnce() -> CUres) -> CUresult {
    tracing::trace!("{name}");
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => CUresult::CUDA_SUCCESS,
        Ok(Err(error)) => {
            // A question, not a failure.
            if error != CUerror::NOT_READY {
                tracing::debug!("{name}: {error}");
            }
            error.into()
        }
        Err(_) => {
            tracing::error!("bug: {name} panicked");
            CUresult::CUDA_ERROR_UNKNOWN
        }
    }
}

/// The answer of every function that is not implemented.
#[cold]
pub(crate) fn not_supported(name: &'static str, logged: &AtomicBool) -> CUresult {
    if !logged.swap(true, Ordering::Relaxed) {
        zluda_common::log::init();
        tracing::warn!("unsupported: {name} is not implemented");
    }
    CUresult::CUDA_ERROR_NOT_SUPPORTED
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
