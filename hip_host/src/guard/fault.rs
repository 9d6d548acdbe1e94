//! Faults of kernel code: on a coroutine's stack they end the coroutine instead of the process. Every other fault goes to
//! whoever handled it before.
//!
//! The handlers are there from the first kernel on, or from [`begin`] to [`end`] where somebody says when there are none.

use std::cell::Cell;
use std::ptr::null;

use corosensei::trap::{CoroutineTrapHandler, TrapHandlerRegs};

use super::sanitizer::forget_frames;
use super::{attempt, stack};

use crate::os::Handler;
use crate::os::signal::{self, after_faults};
pub use crate::os::{
    Fault,
    signal::{end, own_thread},
};

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

static HANDLER: Handler =
    Handler { end_kernel: ended_by, is_new_attempt: attempt::is_new, give_up: attempt::give_up };

/// Sees to it that faults of the calling thread end kernels.
#[inline]
pub fn prepare_thread() {
    signal::prepare_thread(&HANDLER);
}

/// Sees to it that faults end kernels, whatever thread runs them.
pub fn begin() {
    signal::begin(&HANDLER);
}

/// For handlers: the registers with which the thread ends the coroutine on whose stack a fault happened, if it happened on
/// one.
fn ended_by(fault: Fault, stack_pointer: usize) -> Option<TrapHandlerRegs> {
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
    let regs = unsafe { coroutine.setup_trap_handler(move || Exit::Fault(fault)) };
    // It ends where it began, over the frames that are abandoned.
    forget_frames(stack_pointer, (regs.rsp as usize).saturating_sub(stack_pointer));
    Some(regs)
}
