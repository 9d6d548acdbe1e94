//! Accesses by code of the host of memory that another thread may free meanwhile: where there is none any more, the access
//! ends, and the process goes on.

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::OnceLock;

use super::fault;
use super::sanitizer::forget_frames;
use crate::os::Resumption;

/// What an attempt that runs on this thread goes back to, for the handler of faults.
#[derive(Default)]
#[repr(C)]
struct Place {
    /// The stack pointer in [`run_attempt`], or 0 where no attempt runs.
    stack: Cell<usize>,
    /// The instruction there for attempts that failed.
    instruction: Cell<usize>,
    /// The address without memory.
    address: Cell<usize>,
    /// Somebody else's handler has had a look at it.
    was_seen: Cell<bool>,
}

thread_local! {
    static PLACE: Place = const {
        Place {
            stack: Cell::new(0),
            instruction: Cell::new(0),
            address: Cell::new(0),
            was_seen: Cell::new(false),
        }
    };
}

type Call = unsafe extern "sysv64" fn(*mut c_void);

/// Calls a function with `data`, and keeps in `place` what brings it back here. Returns 0, or 1 where the handler went on at
/// the label 3, with the stack pointer that was kept: all that a caller relies on lies on the stack.
#[unsafe(naked)]
unsafe extern "sysv64" fn run_attempt(call: Call, data: *mut c_void, place: *const Place) -> u32 {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov rbx, rdx",
        "mov [rbx + {stack}], rsp",
        "lea rax, [rip + 3f]",
        "mov [rbx + {instruction}], rax",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "mov qword ptr [rbx + {stack}], 0",
        "xor eax, eax",
        "jmp 2f",
        "3:",
        "cld",
        "mov eax, 1",
        "2:",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        stack = const offset_of!(Place, stack),
        instruction = const offset_of!(Place, instruction),
    )
}

/// Runs `body`; where it accesses what is no memory, its frames are gone without being dropped, so that it must not own
/// anything nor hold any lock, and the error is the address. It makes no attempt itself.
///
/// # Safety
/// `body` is done with nothing but accesses of memory when it ends in the middle.
pub unsafe fn attempt<F: FnOnce()>(body: F) -> Result<(), usize> {
    unsafe extern "sysv64" fn run<F: FnOnce()>(body: *mut c_void) {
        // SAFETY: `body` is what `attempt` passes, once.
        if let Some(body) = unsafe { (*body.cast::<Option<F>>()).take() } {
            body();
        }
    }
    fault::prepare_thread();
    let mut body = Some(body);
    PLACE.with(|place| {
        // SAFETY: the place outlives the call.
        let failed = unsafe { run_attempt(run::<F>, (&raw mut body).cast(), place) };
        match failed {
            0 => Ok(()),
            _ => {
                // Nothing that an attempt does has larger frames.
                const FRAMES: usize = 64 << 10;
                let end = (&raw const failed).addr();
                forget_frames(end - FRAMES, FRAMES);
                Err(place.address.get())
            }
        }
    })
}

/// The first address and the bytes of memory that nobody but this library knows of.
static OWN: OnceLock<(usize, usize)> = OnceLock::new();

/// Says that nobody else knows of this memory, so that nobody is asked about faults there. Once in a process.
pub fn own(start: usize, size: usize) {
    // Set before, it is the same.
    let _ = OWN.set((start, size));
}

/// Whether this thread makes an attempt at which nobody has looked yet, which somebody is going to do now. For the handler of
/// faults.
pub(super) fn is_new(address: usize) -> bool {
    let is_own = OWN.get().is_some_and(|(start, size)| address.wrapping_sub(*start) < *size);
    !is_own && PLACE.with(|place| place.stack.get() != 0 && !place.was_seen.replace(true))
}

/// Where this thread goes on behind the attempt that it makes, if it makes one. For the handler of faults.
pub(super) fn give_up(address: usize) -> Option<Resumption> {
    PLACE.with(|place| {
        let stack = place.stack.replace(0);
        place.address.set(address);
        (stack != 0).then(|| Resumption { stack, instruction: place.instruction.get() })
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
