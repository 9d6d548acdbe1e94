//! Sleeping on a word of memory until somebody changes it.

use std::sync::atomic::AtomicU32;

use windows_sys::Win32::System::Threading::{
    INFINITE, WaitOnAddress, WakeByAddressAll, WakeByAddressSingle,
};

/// More than so many sleepers are woken all at once.
const SINGLY: u32 = 4;

/// Sleeps while `word` holds `expected`. May return early.
pub fn wait(word: &AtomicU32, expected: u32) {
    // SAFETY: both words live as long as the call.
    unsafe { WaitOnAddress(word.as_ptr().cast(), (&raw const expected).cast(), 4, INFINITE) };
}

/// Wakes up to `count` sleepers of `word`, or all of them.
pub fn wake(word: &AtomicU32, count: u32) {
    // SAFETY: the address is only compared.
    unsafe {
        match count {
            0..=SINGLY => (0..count).for_each(|_| WakeByAddressSingle(word.as_ptr().cast())),
            _ => WakeByAddressAll(word.as_ptr().cast()),
        }
    }
}
