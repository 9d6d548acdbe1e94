//! Faults by signals: SIGSEGV, SIGBUS, SIGFPE and SIGILL.

use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub use faults::own_thread;
use faults::{Previous, action_of};
use parking_lot::Mutex;

use crate::os::{Fault, Handler};

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// The code of a fault at an address that something is mapped to, which may not be accessed so (`SEGV_ACCERR`).
const ACCERR: i32 = 2;

/// What was there before our handlers, in the order of [`SIGNALS`].
static PREVIOUS: [Previous; 4] = [const { Previous::new() }; 4];

/// Whether each of the handlers is installed, though others may stand before it.
static INSTALLED: Mutex<[bool; 4]> = Mutex::new([false; 4]);
/// Whether [`begin`] has been called as often as it has to be.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// What [`begin`] was given first.
static HANDLER: OnceLock<&'static Handler> = OnceLock::new();

thread_local! {
    static ALTERNATE_STACK: AlternateStack = AlternateStack::install();
}

/// Puts right what faults on stacks that are not in use any more have left behind: nothing.
#[inline]
pub fn after_faults() {}

/// Installs the handlers, if they are not there, and gives the calling thread a stack for signals, if it has none.
#[inline]
pub fn prepare_thread(handler: &'static Handler) {
    if !HAS_BEGUN.load(Ordering::Acquire) {
        begin(handler);
    }
    // A thread that is about to end has given its own back.
    let _ = ALTERNATE_STACK.try_with(|_| ());
}

/// Installs the handlers, if they are not there.
#[cold]
pub fn begin(handler: &'static Handler) {
    let _ = HANDLER.set(handler);
    let mut installed = INSTALLED.lock();
    for (signal, (installed, kept)) in SIGNALS.into_iter().zip(installed.iter_mut().zip(&PREVIOUS))
    {
        if !*installed {
            *installed = true;
            // Before the handler can run.
            kept.keep(signal);
            install(signal);
        }
    }
    HAS_BEGUN.store(true, Ordering::Release);
}

/// Puts back what was there before the handlers. No kernel runs. Handlers of others that stand before one of ours may call
/// it, so it stays, and hands on what it gets.
pub fn end() {
    let mut installed = INSTALLED.lock();
    for (signal, (installed, kept)) in SIGNALS.into_iter().zip(installed.iter_mut().zip(&PREVIOUS))
    {
        if let Some(previous) = kept.get()
            && *installed
            && action_of(signal).sa_sigaction == handle as *const () as usize
        {
            *installed = false;
            // SAFETY: it was there before.
            unsafe { libc::sigaction(signal, previous, null_mut()) };
        }
    }
    HAS_BEGUN.store(false, Ordering::Release);
}

/// Makes ours the handler of a signal.
fn install(signal: i32) {
    // SAFETY: the handler calls only what handlers may.
    unsafe { faults::install(signal, handle) };
}

/// What handled a signal before ours.
fn previous_of(signal: i32) -> Option<&'static Previous> {
    SIGNALS.iter().zip(&PREVIOUS).find(|(known, _)| **known == signal).map(|(_, kept)| kept)
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes valid pointers.
    let (context_ref, code, address) = unsafe {
        (&mut *context.cast::<libc::ucontext_t>(), (*info).si_code, (*info).si_addr() as usize)
    };
    // Codes above 0 come from the processor; others were sent by somebody.
    let Some(handler) = HANDLER.get().filter(|_| code > 0) else {
        return forward(signal, info, context);
    };
    let registers = &mut context_ref.uc_mcontext.gregs;
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    let is_access = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
    if let Some(regs) = (handler.end_kernel)(Fault { is_access, signal, address }, stack_pointer) {
        registers[libc::REG_RIP as usize] = regs.rip as i64;
        registers[libc::REG_RSP as usize] = regs.rsp as i64;
        registers[libc::REG_RBP as usize] = regs.rbp as i64;
        registers[libc::REG_RDI as usize] = regs.rdi as i64;
        registers[libc::REG_RSI as usize] = regs.rsi as i64;
        return;
    }
    if signal == libc::SIGSEGV {
        // Programs protect memory of their own to learn of accesses, and let them go on: their handler has a look first.
        let has_previous = previous_of(signal).is_some_and(Previous::is_function);
        if code == ACCERR && has_previous && (handler.is_new_attempt)(address) {
            forward(signal, info, context);
            if action_of(signal).sa_sigaction == libc::SIG_DFL {
                // It knows nothing better than to end the process.
                install(signal);
            }
            return;
        }
        if let Some(resumption) = (handler.give_up)(address) {
            registers[libc::REG_RSP as usize] = resumption.stack as i64;
            registers[libc::REG_RIP as usize] = resumption.instruction as i64;
            return;
        }
    }
    forward(signal, info, context);
}

/// Does what would have happened without our handler, for what the system has passed to it.
fn forward(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if let Some(previous) = previous_of(signal) {
        // SAFETY: the system's pointers.
        unsafe { previous.forward(signal, info, context) };
    }
}

/// The stack on which this thread handles signals, where it is ours.
struct AlternateStack(Option<(*mut libc::c_void, usize)>);

impl AlternateStack {
    fn install() -> AlternateStack {
        // Room for the largest register state and for a handler that we forward to.
        const SIZE: usize = 64 << 10;
        // SAFETY: asks for the present one; then maps memory and names it as the stack.
        unsafe {
            let mut present: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(null(), &mut present) != 0
                || present.ss_flags & libc::SS_DISABLE == 0
            {
                return AlternateStack(None);
            }
            let memory = libc::mmap(
                null_mut(),
                SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK,
                -1,
                0,
            );
            if memory == libc::MAP_FAILED {
                return AlternateStack(None);
            }
            let ours = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: SIZE };
            if libc::sigaltstack(&ours, null_mut()) != 0 {
                libc::munmap(memory, SIZE);
                return AlternateStack(None);
            }
            AlternateStack(Some((memory, SIZE)))
        }
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        let Some((memory, size)) = self.0 else { return };
        // SAFETY: the memory is ours; it is freed only when it is no longer the thread's signal stack.
        unsafe {
            let mut present: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(null(), &mut present) == 0 && present.ss_sp == memory {
                let none =
                    libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
                libc::sigaltstack(&none, null_mut());
                libc::munmap(memory, size);
            }
        }
    }
}
