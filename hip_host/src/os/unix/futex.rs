//! Sleeping on a word of memory until somebody changes it.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

pub use faults::futex::{wait, wake};

/// As [`wait`], for a word that processes share; returns after `most` at the latest.
pub fn wait_shared(word: &AtomicU32, expected: u32, most: Duration) {
    let time =
        libc::timespec { tv_sec: most.as_secs() as i64, tv_nsec: most.subsec_nanos().into() };
    // SAFETY: the kernel reads the word and the time, which live as long as the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, &time) };
}

/// Wakes all sleepers of a word that processes share.
pub fn wake_all_shared(word: &AtomicU32) {
    // SAFETY: waking reads no memory.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
