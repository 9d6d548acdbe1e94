//! What handled a signal before.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::action::{Handler, action_of};

/// What was there before a handler; its bytes are never freed, as a handler may read them.
#[derive(Debug)]
pub struct Previous(AtomicPtr<libc::sigaction>);

impl Default for Previous {
    fn default() -> Previous {
        Previous::new()
    }
}

impl Previous {
    /// Nothing is known of before.
    pub const fn new() -> Previous {
        Previous(AtomicPtr::new(null_mut()))
    }

    /// Keeps what happens now when a signal comes, in memory of its own where it is not what is kept already.
    pub fn keep(&self, signal: i32) {
        let action = action_of(signal);
        let is_same = self.get().is_some_and(|kept| {
            // The system has 64 signals; the rest of a set is what lay on the C library's stack.
            let signals = |set: &libc::sigset_t| {
                // SAFETY: a set is longer, and made of words.
                unsafe { std::ptr::from_ref(set).cast::<u64>().read() }
            };
            kept.sa_sigaction == action.sa_sigaction
                && kept.sa_flags == action.sa_flags
                && signals(&kept.sa_mask) == signals(&action.sa_mask)
        });
        if !is_same {
            self.0.store(Box::into_raw(Box::new(action)), Ordering::Release);
        }
    }

    /// What was kept.
    pub fn get(&self) -> Option<&'static libc::sigaction> {
        // SAFETY: null, or an action that is never freed.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Whether a function handled the signal.
    pub fn is_function(&self) -> bool {
        self.get()
            .is_some_and(|previous| !matches!(previous.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN))
    }

    /// Does what would have happened without the handler that got these.
    ///
    /// # Safety
    /// They are what the system passes to a handler.
    pub unsafe fn forward(
        &self,
        signal: i32,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        let Some(previous) = self.get() else { return };
        // Codes above 0 come from the processor; others were sent by somebody.
        // SAFETY: the caller's promise.
        let was_sent = unsafe { (*info).si_code } <= 0;
        match previous.sa_sigaction {
            libc::SIG_IGN if was_sent => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                // SAFETY: the default action returns. A fault happens again when this handler returns, with
                // all its registers as they were; a signal that was sent has to be sent again.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &action, null_mut());
                    if was_sent {
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
                        std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
                    } else {
                        std::mem::transmute::<usize, extern "C" fn(i32)>(handler)(signal);
                    }
                    libc::pthread_sigmask(libc::SIG_SETMASK, &old, null_mut());
                }
            }
        }
    }
}
