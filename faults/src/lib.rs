//! What handlers of faults share.
//!
//! - [`Place`]: code whose faults end it instead of the process. [`Place::run`] keeps where a handler can go on, and
//!   [`Place::give_up`] says it to the handler.
//! - [`install`] and [`action_of`]: what happens when a signal comes.
//! - [`own_thread`]: which signals a thread of ours gets.
//! - [`futex`]: sleeping on a word of memory.
//! - [`Previous`]: what handled a signal before, which gets what is not the handler's.

#[cfg(unix)]
mod action;
#[cfg(unix)]
pub mod futex;
#[cfg(unix)]
mod previous;

#[cfg(unix)]
pub use action::{Handler, action_of, install, own_thread};
#[cfg(unix)]
pub use previous::Previous;

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::offset_of;

/// What code that runs on a thread goes back to.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Place {
    /// The stack pointer in [`run_until`], or 0 where nothing runs.
    stack: Cell<usize>,
    /// The instruction there for code that was given up.
    instruction: Cell<usize>,
}

/// The registers with which a thread goes on behind code that was given up.
#[derive(Clone, Copy, Debug)]
pub struct Resumption {
    pub stack: usize,
    pub instruction: usize,
}

type Call = unsafe extern "sysv64" fn(*mut c_void);

/// Calls a function with `data`, and keeps in `place` what brings it back here. Returns 0, or 1 where a handler went on at the
/// label 3, with the stack pointer that was kept: all that a caller relies on lies on the stack.
#[unsafe(naked)]
unsafe extern "sysv64" fn run_until(call: Call, data: *mut c_void, place: *const Place) -> u32 {
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

impl Place {
    pub const fn new() -> Place {
        Place { stack: Cell::new(0), instruction: Cell::new(0) }
    }

    /// Runs `body`, and says whether it came to its end. Where it was given up its frames are gone without being dropped.
    /// Nothing else runs by this place meanwhile.
    ///
    /// # Safety
    /// Whoever gives `body` up does so where nothing is wrong afterwards.
    pub unsafe fn run<F: FnOnce()>(&self, body: F) -> bool {
        unsafe extern "sysv64" fn run<F: FnOnce()>(body: *mut c_void) {
            // SAFETY: `body` is what the caller below passes, once.
            if let Some(body) = unsafe { (*body.cast::<Option<F>>()).take() } {
                body();
            }
        }
        let mut body = Some(body);
        // SAFETY: the place outlives the call.
        unsafe { run_until(run::<F>, (&raw mut body).cast(), self) == 0 }
    }

    /// Whether code runs by this place.
    pub fn is_running(&self) -> bool {
        self.stack.get() != 0
    }

    /// For the handler of a fault on this thread: where it goes on behind the code that runs, if any does.
    pub fn give_up(&self) -> Option<Resumption> {
        let stack = self.stack.replace(0);
        (stack != 0).then(|| Resumption { stack, instruction: self.instruction.get() })
    }
}
