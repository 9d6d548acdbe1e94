//! Accesses of memory in the pieces that GPUs access it in: nobody sees half of one.
//!
//! The processor makes one access of 16 bytes of an instruction that asks for alignment, on all processors with AVX.

use std::arch::x86_64::__m128i;

/// Bytes of the largest piece.
pub const LARGEST: usize = size_of::<__m128i>();

/// Reads 16 bytes at once where the address is a multiple of 16, otherwise word by word.
///
/// # Safety
/// They can be read, or the caller is where faults are caught.
#[inline(always)]
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
#[inline(always)]
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

/// Copies pieces of 16 bytes, or of 8 or 4, as far as both addresses are aligned for them, and the rest byte by byte.
///
/// # Safety
/// The ranges are accessible and do not overlap, or the caller is where faults are caught.
#[inline]
pub unsafe fn copy(to: u64, from: u64, bytes: u64) {
    let (mut to, mut from, mut left) = (to as usize, from as usize, bytes as usize);
    while left > 0 {
        let fits = |size: usize| left >= size && (to | from).is_multiple_of(size);
        // SAFETY: the caller's promise; the pieces are aligned.
        let size = unsafe {
            if fits(LARGEST) {
                write(to, read(from));
                LARGEST
            } else if fits(8) {
                std::ptr::write_volatile(
                    to as *mut u64,
                    std::ptr::read_volatile(from as *const u64),
                );
                8
            } else if fits(4) {
                std::ptr::write_volatile(
                    to as *mut u32,
                    std::ptr::read_volatile(from as *const u32),
                );
                4
            } else {
                std::ptr::write_volatile(to as *mut u8, std::ptr::read_volatile(from as *const u8));
                1
            }
        };
        to += size;
        from += size;
        left -= size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes at every distance from a multiple of 16, so that pieces of all sizes come in.
    #[test]
    fn copies_are_exact() {
        let source: [u8; 96] = std::array::from_fn(|index| index as u8 + 1);
        for (to, from) in (0..17).flat_map(|to| (0..17).map(move |from| (to, from))) {
            for bytes in [0, 1, 3, 4, 8, 15, 16, 31, 48, 67] {
                let mut target = [0u8; 96];
                let (start, place) = (source.as_ptr() as u64, target.as_mut_ptr() as u64);
                // SAFETY: both ranges lie in the arrays.
                unsafe { copy(place + to, start + from, bytes) };
                let (to, from, bytes) = (to as usize, from as usize, bytes as usize);
                assert_eq!(target[to..to + bytes], source[from..from + bytes]);
                assert!(target[..to].iter().chain(&target[to + bytes..]).all(|&byte| byte == 0));
            }
        }
    }

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
                    unsafe { copy(place.0.get() as u64, own.0.get() as u64, 16) };
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
