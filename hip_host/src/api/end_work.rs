//! The last work of a context, which HIP has no function for.

use hip_runtime_sys::{END_WORK, EndWork, hipError_t};

use super::{check_may_wait, healthy};
use crate::core::context::current;

/// See [`EndWork`].
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_end_work() -> hipError_t {
    healthy(|| {
        check_may_wait()?;
        current().end_work()
    })
}

const _: EndWork = zluda_end_work;

/// The function above.
pub(super) const NAMES: &[&str] = &[END_WORK];
