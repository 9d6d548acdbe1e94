//! Accesses by code of the host of memory that another thread may free meanwhile: where there is none any more, the access
//! ends, and the process goes on.

use std::cell::Cell;
use std::sync::OnceLock;

use faults::{Place, Resumption};

use super::fault;
use super::sanitizer::forget_frames;

/// The attempt that runs on a thread, for the handler of faults.
struct Attempt {
    place: Place,
    /// The address without memory.
    address: Cell<usize>,
    /// The address at which somebody else's handler has had a look last, or [`NOWHERE`].
    seen: Cell<usize>,
}

/// An address that nothing is accessed at.
const NOWHERE: usize = usize::MAX;

thread_local! {
    static ATTEMPT: Attempt = const {
        Attempt { place: Place::new(), address: Cell::new(0), seen: Cell::new(NOWHERE) }
    };
}

/// Runs `body`; where it accesses what is no memory, its frames are gone without being dropped, so that it must not own
/// anything nor hold any lock, and the error is the address. It makes no attempt itself.
///
/// # Safety
/// `body` is done with nothing but accesses of memory when it ends in the middle.
pub unsafe fn attempt<F: FnOnce()>(body: F) -> Result<(), usize> {
    fault::prepare_thread();
    ATTEMPT.with(|attempt| {
        let here = 0u8;
        attempt.seen.set(NOWHERE);
        // SAFETY: the caller's promise.
        if unsafe { attempt.place.run(body) } {
            return Ok(());
        }
        // Nothing that an attempt does has larger frames.
        const FRAMES: usize = 64 << 10;
        forget_frames((&raw const here).addr() - FRAMES, FRAMES);
        Err(attempt.address.get())
    })
}

/// The first address and the bytes of memory that nobody but this library knows of.
static OWN: OnceLock<(usize, usize)> = OnceLock::new();

/// Says that nobody else knows of this memory, so that nobody is asked about faults there. Once in a process.
pub fn own(start: usize, size: usize) {
    // Set before, it is the same.
    let _ = OWN.set((start, size));
}

/// Whether this thread makes an attempt, and nobody has looked yet at what happens at this address, which somebody is going to
/// do now: who learns of accesses by the protection of pages lets them go on one by one. For the handler of faults.
pub(super) fn is_new(address: usize) -> bool {
    let is_own = OWN.get().is_some_and(|(start, size)| address.wrapping_sub(*start) < *size);
    !is_own
        && ATTEMPT
            .with(|attempt| attempt.place.is_running() && attempt.seen.replace(address) != address)
}

/// Where this thread goes on behind the attempt that it makes, if it makes one. For the handler of faults.
pub(super) fn give_up(address: usize) -> Option<Resumption> {
    ATTEMPT.with(|attempt| {
        attempt.address.set(address);
        attempt.place.give_up()
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_gone_is_an_error() {
        // SAFETY: a mapping of its own, gone before it is accessed.
        unsafe {
            let size = 1 << 16;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let memory = libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            );
            let memory = memory.cast::<u8>();
            let mut copy = vec![1u8; size];
            for round in 0..3 {
                assert_eq!(attempt(|| std::ptr::copy(memory, copy.as_mut_ptr(), size)), Ok(()));
                assert_eq!(copy[round], 0);
            }
            libc::munmap(memory.cast(), size);
            for _ in 0..3 {
                let result = attempt(|| std::ptr::copy(memory, copy.as_mut_ptr(), size));
                let address = result.expect_err("nothing is there");
                assert!((memory.addr()..memory.addr() + size).contains(&address), "{address:#x}");
                assert!(attempt(|| std::ptr::write_bytes(memory, 0, size)).is_err());
            }
        }
    }
}
