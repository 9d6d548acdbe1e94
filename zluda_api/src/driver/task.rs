//! Closures as work of streams.

use super::{Driver, StreamTask, check};
use cuda_types::cuda::{CUcontext, CUres, CUstream};
use hip_runtime_sys::{hipError_t, hipStream_t};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A part of a task that runs.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// From 0.
    pub number: u64,
    /// The provider's stream, where it has streams of its own; null on this machine's processor.
    pub stream: hipStream_t,
}

/// Bytes of stack that a part gets where it does not ask for more.
const STACK: usize = 1 << 20;

/// Puts work of `parts` parts into a stream, which put work into the provider's stream: on an AMD GPU `run` is called at
/// once, and a captured call each time that the graph is launched. What fails or panics leaves the error with the context,
/// as a kernel does; then what it owned is leaked.
// A stream is a number, which nothing follows.
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn enqueue<F>(driver: &Driver, stream: CUstream, parts: u64, run: F) -> CUres
where
    F: Fn(Part) -> Result<(), hipError_t> + Send + Sync + 'static,
{
    put(driver, stream, (parts, false), run)
}

/// Puts work of `parts` parts into a stream, which compute on this machine's processor: they run at the same time on several
/// threads, in any order, after what the stream was given before, and find the device's memory at its addresses. Each is
/// given its number. A part that panics or accesses memory that is not there leaves the error with the context, as a kernel
/// does; then what it owned is leaked. Nothing is done where there is no part.
///
/// Where the device's memory lies apart the call waits for the work, and what is accessed is copied there and back.
// A stream is a number, which nothing follows.
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn compute(
    driver: &Driver,
    stream: CUstream,
    parts: usize,
    run: impl Fn(usize) + Send + Sync + 'static,
) -> CUres {
    if parts == 0 {
        return Ok(());
    }
    put(driver, stream, (parts as u64, true), move |part| {
        run(part.number as usize);
        Ok(())
    })
}

fn put<F>(driver: &Driver, stream: CUstream, (parts, is_of_host): (u64, bool), run: F) -> CUres
where
    F: Fn(Part) -> Result<(), hipError_t> + Send + Sync + 'static,
{
    let task = StreamTask {
        run: call::<F>,
        release: release::<F>,
        data: Box::into_raw(Box::new(run)).cast(),
        parts,
        stack: STACK,
        is_of_host,
    };
    // SAFETY: the functions are those of the data, which may be used from any thread.
    check(unsafe { (driver.table.enqueue)(stream, &task) })
}

/// As [`compute`]. Where no context is current, `context` becomes it.
// A context is a number, as a stream is.
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn run(
    driver: &Driver,
    (context, stream): (CUcontext, CUstream),
    parts: usize,
    run: impl Fn(usize) + Send + Sync + 'static,
) -> CUres {
    if parts == 0 {
        return Ok(());
    }
    driver.enter(context)?;
    compute(driver, stream, parts, run)
}

unsafe extern "C" fn call<F: Fn(Part) -> Result<(), hipError_t>>(
    data: *mut c_void,
    number: u64,
    stream: hipStream_t,
) -> hipError_t {
    // SAFETY: the box of `enqueue`, which lives until it is released.
    let run = unsafe { &*data.cast::<F>() };
    match catch_unwind(AssertUnwindSafe(|| run(Part { number, stream }))) {
        Ok(Ok(())) => hipError_t::hipSuccess,
        Ok(Err(error)) => error,
        Err(_) => {
            tracing::error!("bug: a library's work panicked");
            hipError_t::hipErrorLaunchFailure
        }
    }
}

unsafe extern "C" fn release<F>(data: *mut c_void) {
    // SAFETY: the box of `enqueue`, released once.
    drop(unsafe { Box::from_raw(data.cast::<F>()) });
}
