//! The layer between exported symbols and what they do: nothing unwinds out, and a result becomes a status.

use cuda_types::status::ApiError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// The address of an exported function.
#[derive(Clone, Copy, Debug)]
pub struct Address(pub *const ());

// SAFETY: the address of a function is a number.
unsafe impl Sync for Address {}

/// Runs an exported function and gives its status. `is_answer` says which errors are no failures, and not for the log.
#[inline]
pub fn guard<E: ApiError>(
    name: &'static str,
    is_answer: impl FnOnce(E) -> bool,
    call: impl FnOnce() -> Result<(), E>,
) -> E::Status {
    tracing::trace!("{name}");
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => E::SUCCESS,
        Ok(Err(error)) => {
            if !is_answer(error) {
                tracing::debug!("{name}: {error}");
            }
            error.status()
        }
        Err(_) => {
            tracing::error!("bug: {name} panicked");
            E::UNKNOWN.status()
        }
    }
}

/// Runs an exported function that returns something else than a status; `otherwise` where it panics.
pub fn guard_value<T>(name: &'static str, otherwise: T, call: impl FnOnce() -> T) -> T {
    tracing::trace!("{name}");
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        tracing::error!("bug: {name} panicked");
        otherwise
    })
}

/// The answer of every function that is not implemented, with a line in the log at the first call.
#[cold]
pub fn not_supported<E: ApiError>(name: &'static str, logged: &AtomicBool) -> E::Status {
    if !logged.swap(true, Ordering::Relaxed) {
        zluda_common::log::init();
        tracing::warn!("unsupported: {name} is not implemented");
    }
    E::NOT_SUPPORTED.status()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_types::nvml::{nvmlError, nvmlReturn_t};

    #[test]
    fn results_errors_and_panics_become_statuses() {
        let run = |call: fn() -> Result<(), nvmlError>| guard("nvmlInit", |_| false, call);
        assert_eq!(run(|| Ok(())), nvmlReturn_t::NVML_SUCCESS);
        assert_eq!(run(|| Err(nvmlError::NOT_FOUND)), nvmlReturn_t::NVML_ERROR_NOT_FOUND);
        assert_eq!(
            run(|| std::panic::resume_unwind(Box::new(()))),
            nvmlReturn_t::NVML_ERROR_UNKNOWN
        );
        assert_eq!(guard_value("f", 7, || std::panic::resume_unwind(Box::new(()))), 7);
        let logged = AtomicBool::new(false);
        assert_eq!(
            not_supported::<nvmlError>("nvmlX", &logged),
            nvmlReturn_t::NVML_ERROR_NOT_SUPPORTED
        );
        assert!(logged.into_inner());
    }
}
