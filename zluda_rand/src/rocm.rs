//! Values for memory of AMD GPUs. This machine's processor makes them, as rocRAND's are not those of NVIDIA's generators, and
//! they are copied in the order of the stream.

use crate::generators::sequence::Call;
use hip_runtime_sys::{HipRuntime, OpenError, Provider, hipError_t, hipMemcpyKind, hipStream_t};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use zluda_api::driver::threads;

/// HIP as the driver has it.
static HIP: LazyLock<Result<HipRuntime, OpenError>> = LazyLock::new(|| {
    Provider::Rocm.open().inspect_err(|error| tracing::error!("cuRAND on AMD GPUs: {error}"))
});

/// Memory of this machine for the values of a call, and where they are to go.
pub(crate) struct Upload {
    words: Mutex<Box<[u64]>>,
    bytes: usize,
    /// An address of the device's.
    to: usize,
}

impl Upload {
    /// Room for some bytes; `None` where there is not so much memory.
    pub(crate) fn new(to: *mut c_void, bytes: usize) -> Option<Upload> {
        let count = bytes.div_ceil(size_of::<u64>());
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize(count, 0);
        Some(Upload { words: Mutex::new(words.into()), bytes, to: to.expose_provenance() })
    }

    /// Where the values are made. The memory stays there.
    pub(crate) fn place<T>(&self) -> *mut T {
        self.words.lock().as_mut_ptr().cast()
    }

    /// Makes the values of a call in [`Self::place`] and copies them. When this returns, the copy has been made: HIP does not say
    /// when it has read memory that is not its own.
    pub(crate) fn run(&self, call: &Call, stream: hipStream_t) -> Result<(), hipError_t> {
        let hip = HIP.as_ref().map_err(|_| hipError_t::hipErrorNotSupported)?;
        // One launch of a graph after the other.
        let words = self.words.lock();
        make(call);
        let to = std::ptr::with_exposed_provenance_mut(self.to);
        let kind = hipMemcpyKind::hipMemcpyHostToDevice;
        // SAFETY: the memory has so many bytes and lives longer than the copy; the program answers for where they go.
        unsafe {
            hip.hipMemcpyAsync(to, words.as_ptr().cast(), self.bytes, kind, stream).result()?;
            hip.hipStreamSynchronize(stream).result()
        }
    }
}

/// Runs the parts of a call on all processors.
fn make(call: &Call) {
    let threads = threads().min(call.parts);
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|part| *part < call.parts);
        std::iter::from_fn(take).for_each(|part| call.run(part));
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::output::OutputBuffer;
    use crate::generators::sequence::{Algorithm, Sequence, Values};

    #[test]
    fn parts_on_all_threads_make_the_same_values() {
        for algorithm in [
            Algorithm::Xorwow { seeded: false },
            Algorithm::Philox,
            Algorithm::Sobol32 { scrambled: false },
        ] {
            let length = 100_001;
            let upload = Upload::new(std::ptr::null_mut(), length * 4).unwrap();
            let mut expected = vec![0u32; length];
            // SAFETY: both live until the values are there.
            let (here, there) = unsafe {
                (
                    OutputBuffer::new(expected.as_mut_ptr(), length),
                    OutputBuffer::new(upload.place(), length),
                )
            };
            let call = Sequence::new(algorithm, 7).call(Values::Bits(here));
            (0..call.parts).for_each(|part| call.run(part));
            make(&Sequence::new(algorithm, 7).call(Values::Bits(there)));
            let words = upload.words.lock();
            let found = words.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
            assert!(found.take(length).eq(expected), "{algorithm:?}");
        }
    }
}
