//! Faults of kernel code: on a coroutine's stack they end the coroutine instead of the process. Every other fault goes to
//! whoever handled it before.

use std::cell::Cell;
use std::ptr::null;

use corosensei::trap::{CoroutineTrapHandler, TrapHandlerRegs};

use super::stack;

use crate::os::signal::after_faults;
pub use crate::os::signal::{own_thread, prepare_thread};

/// The fault that ended a kernel: what it was, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether it was an access of memory.
    pub is_access: bool,
    /// The system's number: `SIGSEGV`, `SIGBUS`, `SIGFPE` or `SIGILL`, or an exception's code.
    pub signal: i32,
    /// The address that was accessed, or of the instruction.
    pub address: usize,
}

/// The ways in which a coroutine ends.
#[derive(Clone, Copy, Debug)]
pub enum Exit {
    Finished,
    Fault(Fault),
}

/// The thread's note of the coroutine that runs.
pub type Running = Cell<Option<CoroutineTrapHandler<Exit>>>;

thread_local! {
    /// The note that counts on this thread, or null.
    static RUNNING: Cell<*const Running> = const { Cell::new(null()) };
}

/// Runs `f`, during which a fault on the stack of the coroutine that `running` names ends that coroutine.
pub fn catching<R>(running: &Running, f: impl FnOnce() -> R) -> R {
    let previous = RUNNING.replace(running);
    let result = f();
    RUNNING.set(previous);
    after_faults();
    result
}

/// For handlers: the registers with which the thread ends the coroutine on whose stack a fault happened, if it happened on
/// one.
pub fn ended_by(fault: Fault, stack_pointer: usize) -> Option<TrapHandlerRegs> {
    if !stack::contains(stack_pointer) {
        return None;
    }
    // SAFETY: null, or the note of a block that runs on this thread.
    let coroutine = unsafe { RUNNING.get().as_ref() }?.get()?;
    if !coroutine.stack_ptr_in_bounds(stack_pointer) {
        return None;
    }
    // SAFETY: the coroutine runs on this thread, its stack pointer was checked, and the handler sets the registers as
    // asked. What its frames own (nothing but kernel code's own) is abandoned.
    Some(unsafe { coroutine.setup_trap_handler(move || Exit::Fault(fault)) })
}
