//! Faults by signals: SIGSEGV, SIGBUS, SIGFPE and SIGILL.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::{Once, OnceLock};

use crate::os::{Catch, Fault};

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// The handlers that were there before ours, in the order of [`SIGNALS`].
struct Previous(UnsafeCell<[MaybeUninit<libc::sigaction>; 4]>);

// SAFETY: written once, before the handler that reads it is installed.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous(UnsafeCell::new([const { MaybeUninit::uninit() }; 4]));
static INSTALL: Once = Once::new();

/// What [`prepare_thread`] was given first.
static CATCH: OnceLock<Catch> = OnceLock::new();

/// For threads of ours: signals that are sent to the program are for its own threads; those of faults are
/// not to be blocked, whatever the thread was that began this one.
pub fn own_thread() {
    // SAFETY: sets the mask of the calling thread.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut mask);
        for signal in SIGNALS.into_iter().chain([libc::SIGTRAP, libc::SIGABRT]) {
            libc::sigdelset(&mut mask, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, null_mut());
    }
}

thread_local! {
    static ALTERNATE_STACK: AlternateStack = AlternateStack::install();
}

/// Puts right what faults on stacks that are not in use any more have left behind: nothing.
#[inline]
pub fn after_faults() {}

/// Installs the handlers, once in a process, and gives the calling thread a stack for signals, if it
/// has none.
pub fn prepare_thread(catch: Catch) {
    INSTALL.call_once(|| {
        let _ = CATCH.set(catch);
        for (index, signal) in SIGNALS.into_iter().enumerate() {
            // SAFETY: the previous action is stored before ours can run; nobody else writes the cell.
            unsafe {
                let previous = (*PREVIOUS.0.get())[index].as_mut_ptr();
                libc::sigaction(signal, null(), previous);
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                // A fault in the handler itself must not be blocked.
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, null_mut());
            }
        }
    });
    ALTERNATE_STACK.with(|_| ());
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes valid pointers.
    let (context_ref, code, address) = unsafe {
        (&mut *context.cast::<libc::ucontext_t>(), (*info).si_code, (*info).si_addr() as usize)
    };
    let registers = &mut context_ref.uc_mcontext.gregs;
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    let is_access = matches!(signal, libc::SIGSEGV | libc::SIGBUS);
    // Codes above 0 come from the processor; others were sent by somebody.
    if code > 0
        && let Some(catch) = CATCH.get()
        && let Some(regs) = catch(Fault { is_access, signal, address }, stack_pointer)
    {
        registers[libc::REG_RIP as usize] = regs.rip as i64;
        registers[libc::REG_RSP as usize] = regs.rsp as i64;
        registers[libc::REG_RBP as usize] = regs.rbp as i64;
        registers[libc::REG_RDI as usize] = regs.rdi as i64;
        registers[libc::REG_RSI as usize] = regs.rsi as i64;
        return;
    }
    forward(signal, code, info, context);
}

/// Does what would have happened without our handler.
fn forward(signal: i32, code: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(index) = SIGNALS.iter().position(|known| *known == signal) else { return };
    // SAFETY: written before the handler was installed, and never after.
    let previous = unsafe { (*PREVIOUS.0.get())[index].assume_init_ref() };
    match previous.sa_sigaction {
        libc::SIG_IGN if code <= 0 => {}
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: the default action returns. A fault happens again when this handler returns, with
            // all its registers as they were; a signal that was sent has to be sent again.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &action, null_mut());
                if code <= 0 {
                    libc::raise(signal);
                }
            }
        }
        handler => {
            // SAFETY: the signal's mask is what the handler asked for; the handler is called the way
            // that it was registered for.
            unsafe {
                let mut mask = previous.sa_mask;
                if previous.sa_flags & libc::SA_NODEFER == 0 {
                    libc::sigaddset(&mut mask, signal);
                }
                let mut old: libc::sigset_t = std::mem::zeroed();
                libc::pthread_sigmask(libc::SIG_BLOCK, &mask, &mut old);
                if previous.sa_flags & libc::SA_SIGINFO != 0 {
                    type Action = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
                    std::mem::transmute::<usize, Action>(handler)(signal, info, context);
                } else {
                    std::mem::transmute::<usize, extern "C" fn(i32)>(handler)(signal);
                }
                libc::pthread_sigmask(libc::SIG_SETMASK, &old, null_mut());
            }
        }
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
