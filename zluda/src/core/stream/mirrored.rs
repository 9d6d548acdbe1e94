//! Tasks that compute on the host, for devices whose memory the host does not find at their addresses.

use super::event::Marker;
use super::{PrivateStream, Target};
use crate::core::device::driver::Driver;
use cuda_types::cuda::{CUerror, CUres};
use hip_runtime_sys::{OwnedTask, hipError_t, hipMemcpyKind, hipStream_t};
use mirror::{Device, Failure, Work};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::null_mut;

/// The provider, asked and copied from by the thread whose context is the task's.
struct Memory {
    driver: &'static Driver,
    /// For copies alone: it waits for nobody.
    stream: hipStream_t,
}

impl Memory {
    fn copy(
        &self,
        [to, from]: [*mut c_void; 2],
        size: usize,
        kind: hipMemcpyKind,
    ) -> Result<(), hipError_t> {
        // SAFETY: the callers' memory is as large, and outlives the copy, which they wait for.
        unsafe { self.driver.hip.hipMemcpyAsync(to, from, size, kind, self.stream) }.result()
    }

    fn wait(&self) -> Result<(), hipError_t> {
        // SAFETY: the stream is this one's.
        unsafe { self.driver.hip.hipStreamSynchronize(self.stream) }.result()
    }
}

impl Device for Memory {
    type Error = hipError_t;

    fn allocation(&self, address: usize) -> Option<Range<usize>> {
        let (mut start, mut size) = (null_mut(), 0);
        let hip = &self.driver.hip;
        // SAFETY: both places live during the call; the address is looked up only.
        unsafe { hip.hipMemGetAddressRange(&mut start, &mut size, address as *mut c_void) }
            .result()
            .ok()?;
        let range = start.addr()..start.addr().checked_add(size)?;
        range.contains(&address).then_some(range)
    }

    fn read(&self, from: usize, to: &mut [u8]) -> Result<(), hipError_t> {
        let places = [to.as_mut_ptr().cast(), from as *mut c_void];
        self.copy(places, to.len(), hipMemcpyKind::hipMemcpyDeviceToHost)?;
        self.wait()
    }

    fn write(&self, pieces: &[(usize, &[u8])]) -> Result<(), hipError_t> {
        let copied = pieces.iter().try_for_each(|(to, bytes)| {
            let places = [*to as *mut c_void, bytes.as_ptr().cast_mut().cast()];
            self.copy(places, bytes.len(), hipMemcpyKind::hipMemcpyHostToDevice)
        });
        // Before the bytes go.
        let waited = self.wait();
        copied.and(waited)
    }
}

/// Runs a task when the stream has come to it, which the calling thread waits for.
pub(super) fn run(target: &Target, task: &OwnedTask) -> CUres {
    let current = &target.current;
    let before = Marker::new(current)?;
    before.record(target)?;
    before.wait();
    let stream = PrivateStream::new(current)?;
    let memory = Memory { driver: current.driver, stream: stream.0.0 };
    let error = Mutex::new(hipError_t::hipSuccess);
    let part = |part| {
        // SAFETY: such a task wants no stream.
        let result = unsafe { task.run(part, null_mut()) };
        if result != hipError_t::hipSuccess {
            *error.lock() = result;
        }
        result == hipError_t::hipSuccess
    };
    let work = Work { parts: task.parts(), stack: task.stack(), part: &part };
    let Err(failure) = mirror::run(&memory, work) else { return Ok(()) };
    current.check(match failure {
        Failure::OutOfMemory => return Err(CUerror::OUT_OF_MEMORY),
        Failure::NoMemory { address } => {
            tracing::error!("a library's work accessed address {address:#x}, where no memory is");
            hipError_t::hipErrorIllegalAddress
        }
        Failure::Device(error) => error,
        Failure::Part => *error.lock(),
    })
}
