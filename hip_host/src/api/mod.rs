//! The exported functions, a file for each object of HIP's manual.

mod array;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod external_memory;
mod fault_handlers;
mod graph_launch;
mod ipc;
mod launch;
mod memory;
mod module;
mod part;
mod pool;
mod priority;
mod registered;
mod sequence;
mod set;
mod stream;
mod task;
mod texture;
mod virtual_memory;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hip_runtime_sys::hipError_t;

use crate::core::context::current;
use crate::core::device::Device;
use crate::work::failure;

pub use {
    array::*, context::*, copy::*, device::*, error::*, event::*, external_memory::*,
    fault_handlers::*, graph_launch::*, ipc::*, launch::*, memory::*, module::*, part::*, pool::*,
    priority::*, registered::*, sequence::*, set::*, stream::*, task::*, texture::*,
    virtual_memory::*,
};

/// The names of all exported functions. A linker can drop those of a library that another one is made of, and says
/// nothing: tests hold what each device exports against this.
pub fn names() -> impl Iterator<Item = &'static str> {
    let objects = [
        array::NAMES,
        context::NAMES,
        copy::NAMES,
        device::NAMES,
        error::NAMES,
        event::NAMES,
        external_memory::NAMES,
        fault_handlers::NAMES,
        graph_launch::NAMES,
        ipc::NAMES,
        launch::NAMES,
        memory::NAMES,
        module::NAMES,
        part::NAMES,
        pool::NAMES,
        pool::OWN_NAMES,
        priority::NAMES,
        registered::NAMES,
        registered::OWN_NAMES,
        sequence::NAMES,
        set::NAMES,
        stream::NAMES,
        task::NAMES,
        texture::NAMES,
        virtual_memory::NAMES,
    ];
    objects.into_iter().flatten().copied()
}

type Result<T = ()> = std::result::Result<T, hipError_t>;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;

thread_local! {
    /// The code that `hipGetLastError` returns.
    static LAST_ERROR: Cell<hipError_t> = const { Cell::new(hipError_t::hipSuccess) };
}

/// Exports functions of HIP: each is checked against its declaration in HIP's header. `always` functions
/// work after a kernel has failed; all others return that error then.
macro_rules! hip_api {
    ($($kind:ident fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, see HIP's manual.")]
            ///
            /// # Safety
            /// Pointers are null or valid for what the manual says; handles may be anything.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> hip_runtime_sys::hipError_t {
                $crate::api::$kind(|| $body)
            }

            const _: hip_runtime_sys::signatures::$name = $name;
        )*

        /// The functions above.
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}
pub(crate) use hip_api;

/// Runs the body of a function; no panic leaves it.
fn always(body: impl FnOnce() -> Result) -> hipError_t {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        tracing::error!("bug: a panic in the HIP runtime");
        Err(hipError_t::hipErrorUnknown)
    });
    match result {
        Ok(()) => hipError_t::hipSuccess,
        Err(error) => {
            // Not an error of the call.
            if error != hipError_t::hipErrorNotReady {
                LAST_ERROR.set(error);
            }
            error
        }
    }
}

/// As [`always`], but a device on which a kernel has failed does nothing any more.
fn healthy(body: impl FnOnce() -> Result) -> hipError_t {
    always(|| match failure::any().then(|| current().device.error()).flatten() {
        Some(error) => Err(error),
        None => body(),
    })
}

/// Writes a result.
///
/// # Safety
/// A pointer that is not null is valid.
unsafe fn put<T>(to: *mut T, value: T) -> Result {
    if to.is_null() {
        return Err(INVALID);
    }
    // SAFETY: the caller's promise; C promises alignment.
    unsafe { to.write(value) };
    Ok(())
}

/// `hipErrorInvalidDevice` if there is no device of this number.
fn check_device(device: i32) -> Result {
    Device::of(device).map(drop)
}

/// Calls that wait for the device would never return on the thread for host functions.
fn check_may_wait() -> Result {
    check_may_wait_unless(|| false)
}

/// The same where there may be nothing to wait for.
fn check_may_wait_unless(has_ended: impl FnOnce() -> bool) -> Result {
    if crate::work::host_thread::is_here() && !has_ended() {
        return Err(hipError_t::hipErrorNotSupported);
    }
    Ok(())
}

/// A string of the program.
///
/// # Safety
/// Null, or a string.
unsafe fn text<'a>(string: *const std::ffi::c_char) -> Result<&'a str> {
    if string.is_null() {
        return Err(INVALID);
    }
    // SAFETY: the caller's promise.
    unsafe { std::ffi::CStr::from_ptr(string) }.to_str().map_err(|_| INVALID)
}
