//! Memory of the driver's own for kernels, which goes with its context.

use super::PrivateStream;
use crate::core::context::Current;
use crate::core::device::Device;
use crate::core::device::backend::DeviceContext;
use crate::core::device::driver::Driver;
use crate::core::memory;
use cuda_types::cuda::{CUlimit, CUres};
use hip_runtime_sys::{hipError_t, hipMemcpyKind};
use std::ffi::c_void;

/// The address of new memory of `size` bytes, which begins with `content`.
pub(crate) fn allocate(current: &Current, size: usize, content: &[u8]) -> CUres<u64> {
    let base = memory::allocate(current, size, memory::Kind::Module)?.base;
    fill(current, base, content)?;
    Ok(base)
}

/// Copies to memory that nobody knows yet. Does not wait for any stream: a function of the program that runs in one
/// may wait for what the calling thread does next.
pub(crate) fn fill(current: &Current, base: u64, bytes: &[u8]) -> CUres {
    let hip = &current.driver.hip;
    let PrivateStream(stream) = PrivateStream::new(current)?;
    let (to, from) = (base as *mut c_void, bytes.as_ptr().cast());
    let kind = hipMemcpyKind::hipMemcpyHostToDevice;
    // SAFETY: the memory is at least as large as the bytes, which outlive the call below.
    current.check(unsafe { hip.hipMemcpyAsync(to, from, bytes.len(), kind, stream.0) })?;
    // SAFETY: the stream was created above.
    current.check(unsafe { hip.hipStreamSynchronize(stream.0) })
}

impl DeviceContext for Current {
    fn driver(&self) -> &'static Driver {
        self.driver
    }

    fn device(&self) -> CUres<&'static Device> {
        self.device()
    }

    fn check(&self, error: hipError_t) -> CUres {
        self.check(error)
    }

    fn limit(&self, limit: CUlimit) -> CUres<usize> {
        self.context.limit(limit)
    }

    fn allocate(&self, size: usize, content: &[u8]) -> CUres<u64> {
        allocate(self, size, content)
    }
}
