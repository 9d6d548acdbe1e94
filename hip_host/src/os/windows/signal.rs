//! Faults by a vectored exception handler.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use windows_sys::Win32::Foundation::{
    EXCEPTION_ACCESS_VIOLATION, EXCEPTION_DATATYPE_MISALIGNMENT, EXCEPTION_FLT_DIVIDE_BY_ZERO,
    EXCEPTION_FLT_INVALID_OPERATION, EXCEPTION_GUARD_PAGE, EXCEPTION_ILLEGAL_INSTRUCTION,
    EXCEPTION_IN_PAGE_ERROR, EXCEPTION_INT_DIVIDE_BY_ZERO, EXCEPTION_INT_OVERFLOW,
    EXCEPTION_PRIV_INSTRUCTION, EXCEPTION_STACK_OVERFLOW,
};
use windows_sys::Win32::System::Diagnostics::Debug::{
    AddVectoredExceptionHandler, EXCEPTION_CONTINUE_EXECUTION, EXCEPTION_CONTINUE_SEARCH,
    EXCEPTION_POINTERS, RemoveVectoredExceptionHandler,
};

use super::stack;
use crate::os::{Fault, Handler};

/// Whether an exception is one of an access of memory, or another that the processor makes of kernel code.
fn kind(code: i32) -> Option<bool> {
    match code {
        EXCEPTION_ACCESS_VIOLATION
        | EXCEPTION_IN_PAGE_ERROR
        | EXCEPTION_GUARD_PAGE
        | EXCEPTION_STACK_OVERFLOW
        | EXCEPTION_DATATYPE_MISALIGNMENT => Some(true),
        EXCEPTION_INT_DIVIDE_BY_ZERO
        | EXCEPTION_INT_OVERFLOW
        | EXCEPTION_FLT_DIVIDE_BY_ZERO
        | EXCEPTION_FLT_INVALID_OPERATION
        | EXCEPTION_ILLEGAL_INSTRUCTION
        | EXCEPTION_PRIV_INSTRUCTION => Some(false),
        _ => None,
    }
}

/// For threads of ours: there is nothing to prepare.
pub fn own_thread() {}

/// What [`begin`] was given first.
static HANDLER: OnceLock<&'static Handler> = OnceLock::new();

/// The system's handle of the handler, or null.
struct Installed(*mut c_void);

// SAFETY: the handle is good in any thread.
unsafe impl Send for Installed {}

static INSTALLED: Mutex<Installed> = Mutex::new(Installed(null_mut()));
/// Whether the handler is installed.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The lowest address of the stack that has overflowed, or 0.
    static OVERFLOWED: Cell<usize> = const { Cell::new(0) };
}

/// The lowest address of the stack that the thread runs on, from its environment block.
fn lowest_of_stack() -> usize {
    let lowest;
    // SAFETY: reads `DeallocationStack` of the block, which every thread has.
    unsafe {
        std::arch::asm!("mov {}, gs:[0x1478]", out(reg) lowest, options(nostack, pure, readonly));
    }
    lowest
}

/// Puts right what faults on stacks that are not in use any more have left behind: open guards.
pub fn after_faults() {
    match OVERFLOWED.take() {
        0 => {}
        start => stack::close(start),
    }
}

/// Installs the handler, if it is not there.
#[inline]
pub fn prepare_thread(handler: &'static Handler) {
    if !HAS_BEGUN.load(Ordering::Acquire) {
        begin(handler);
    }
}

/// Installs the handler, if it is not there.
#[cold]
pub fn begin(handler: &'static Handler) {
    let _ = HANDLER.set(handler);
    let mut installed = INSTALLED.lock();
    if installed.0.is_null() {
        // SAFETY: a function that stays as long as this library, which is never unloaded once kernels have run.
        installed.0 = unsafe { AddVectoredExceptionHandler(1, Some(handle)) };
        if installed.0.is_null() {
            tracing::error!("faults of kernels will end the process");
        }
    }
    HAS_BEGUN.store(true, Ordering::Release);
}

/// Takes the handler away. No kernel runs.
pub fn end() {
    let mut installed = INSTALLED.lock();
    if !installed.0.is_null() {
        // SAFETY: the system gave the handle, which is forgotten here.
        unsafe { RemoveVectoredExceptionHandler(installed.0) };
        installed.0 = null_mut();
    }
    HAS_BEGUN.store(false, Ordering::Release);
}

/// Ends the kernel on whose stack an exception happened. All others are for whoever handles them next.
unsafe extern "system" fn handle(exception: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system passes valid pointers.
    let (record, context) =
        unsafe { (&*(*exception).ExceptionRecord, &mut *(*exception).ContextRecord) };
    let Some(is_access) = kind(record.ExceptionCode) else { return EXCEPTION_CONTINUE_SEARCH };
    let address = match record.NumberParameters {
        _ if record.ExceptionCode == EXCEPTION_STACK_OVERFLOW => context.Rsp as usize,
        2.. if is_access => record.ExceptionInformation[1],
        _ => record.ExceptionAddress.addr(),
    };
    let fault = Fault { is_access, signal: record.ExceptionCode, address };
    let Some(handler) = HANDLER.get() else { return EXCEPTION_CONTINUE_SEARCH };
    let Some(regs) = (handler.end_kernel)(fault, context.Rsp as usize) else {
        let Some(resumption) = is_access.then(|| (handler.give_up)(address)).flatten() else {
            return EXCEPTION_CONTINUE_SEARCH;
        };
        context.Rsp = resumption.stack as u64;
        context.Rip = resumption.instruction as u64;
        return EXCEPTION_CONTINUE_EXECUTION;
    };
    if record.ExceptionCode == EXCEPTION_STACK_OVERFLOW {
        OVERFLOWED.set(lowest_of_stack());
    }
    context.Rip = regs.rip;
    context.Rsp = regs.rsp;
    context.Rbp = regs.rbp;
    context.Rdi = regs.rdi;
    context.Rsi = regs.rsi;
    EXCEPTION_CONTINUE_EXECUTION
}
