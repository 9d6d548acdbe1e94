//! Sleeping on a word of memory until somebody changes it. Handlers of signals may do both.

use std::sync::atomic::AtomicU32;

/// Sleeps while `word` holds `expected`. May return early.
pub fn wait(word: &AtomicU32, expected: u32) {
    // SAFETY: the kernel reads the word, which lives as long as the borrow; no timeout is given.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            expected,
            std::ptr::null::<libc::timespec>(),
        );
    }
}

/// Wakes up to `count` sleepers of `word`.
pub fn wake(word: &AtomicU32, count: u32) {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    // SAFETY: waking reads no memory.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            count,
        );
    }
}
