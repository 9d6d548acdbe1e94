//! What happens when a signal comes.

use std::ptr::{null, null_mut};

/// A handler that learns of what happened.
pub type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

/// What happens now when a signal comes.
pub fn action_of(signal: i32) -> libc::sigaction {
    // SAFETY: all zeros is a value of this structure, which outlives the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, null(), &mut action);
        action
    }
}

/// For threads of ours: signals that are sent to the program are for its own threads; those of faults are
/// not to be blocked, whatever the thread was that began this one.
pub fn own_thread() {
    const FAULTS: [i32; 6] =
        [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT];
    // SAFETY: sets the mask of the calling thread.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut mask);
        for signal in FAULTS {
            libc::sigdelset(&mut mask, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, null_mut());
    }
}

/// Makes a function the handler of a signal, on the stack for signals.
///
/// # Safety
/// The handler calls only what handlers may.
pub unsafe fn install(signal: i32, handler: Handler) {
    // SAFETY: all zeros is a value of this structure; the caller says the rest.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        // A fault in the handler itself must not be blocked.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, null_mut());
    }
}
