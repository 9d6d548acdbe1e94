//! Accesses of memory in the pieces that GPUs access it in: nobody sees half of one.
//!
//! The processor makes one access of 16 bytes of an instruction that asks for alignment, on all processors with AVX.
//! As in `zluda_common::program_memory`, the functions do nothing but their access.

use std::arch::x86_64::__m128i;

/// Bytes of the largest piece.
const LARGEST: usize = size_of::<__m128i>();

/// Reads 16 bytes at once where the address is a multiple of 16, otherwise word by word.
///
/// # Safety
/// They can be read, or the caller is where faults are caught.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn read(address: usize) -> [u32; 4] {
    if address.is_multiple_of(LARGEST) {
        // SAFETY: aligned, and the caller's promise; volatile, so that it stays one access. Both are 16 plain bytes.
        return unsafe {
            std::mem::transmute::<__m128i, [u32; 4]>(std::ptr::read_volatile(
                address as *const __m128i,
            ))
        };
    }
    // SAFETY: the caller's promise.
    std::array::from_fn(|word| unsafe { (address as *const u32).add(word).read_unaligned() })
}

/// Writes 16 bytes, as [`read`] reads them.
///
/// # Safety
/// They can be written, or the caller is where faults are caught.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn write(address: usize, words: [u32; 4]) {
    if address.is_multiple_of(LARGEST) {
        // SAFETY: as in `read`.
        return unsafe {
            std::ptr::write_volatile(
                address as *mut __m128i,
                std::mem::transmute::<[u32; 4], __m128i>(words),
            );
        };
    }
    for (word, value) in words.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { (address as *mut u32).add(word).write_unaligned(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread writes pieces of equal words, the other reads them.
    #[test]
    fn pieces_are_whole() {
        #[repr(align(16))]
        struct Piece(std::cell::UnsafeCell<[u32; 4]>);
        // SAFETY: the test is about accesses at the same time.
        unsafe impl Sync for Piece {}
        let (shared, stop) = (Piece([0; 4].into()), std::sync::atomic::AtomicBool::new(false));
        let place = &shared;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..200_000 {
                    let own = Piece([round; 4].into());
                    // SAFETY: both are there.
                    unsafe { write(place.0.get() as usize, read(own.0.get() as usize)) };
                }
                stop.store(true, std::sync::atomic::Ordering::Release);
            });
            while !stop.load(std::sync::atomic::Ordering::Acquire) {
                // SAFETY: it is there.
                let words = unsafe { read(place.0.get() as usize) };
                assert!(words.iter().all(|&word| word == words[0]), "{words:?}");
            }
        });
    }
}
