//! What AddressSanitizer (`./x sanitize address`) is told of stacks whose frames end without returning, or are copied: that their
//! bytes are nobody's variables any more, or no variables only. Without it, this is nothing.

/// Frames that lay in `size` bytes of a stack from `start` on are gone.
#[inline]
#[cfg_attr(not(zluda_sanitizer = "address"), expect(unused_variables))]
pub fn forget_frames(start: usize, size: usize) {
    #[cfg(zluda_sanitizer = "address")]
    address::unpoison(start, size);
}

#[cfg(zluda_sanitizer = "address")]
mod address {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn __asan_unpoison_memory_region(start: *const c_void, size: usize);
        fn __asan_get_shadow_mapping(scale: *mut usize, offset: *mut usize);
    }

    /// Bytes from which on it is the system that clears the sanitizer's notes: stacks can be larger than all memory.
    const LARGE: usize = 8 << 20;
    const PAGE: usize = 4 << 10;

    pub fn unpoison(start: usize, size: usize) {
        let clear = |start: usize, size: usize| {
            // SAFETY: the sanitizer is there; no frame that lives lies there.
            unsafe { __asan_unpoison_memory_region(start as *const _, size) };
        };
        if size < LARGE {
            return clear(start, size);
        }
        let (mut scale, mut offset, end) = (0, 0, start + size);
        // SAFETY: valid pointers.
        unsafe { __asan_get_shadow_mapping(&mut scale, &mut offset) };
        // Whole pages of notes.
        let first = ((start >> scale) + offset).next_multiple_of(PAGE);
        let last = ((end >> scale) + offset) / PAGE * PAGE;
        let memory = |note: usize| (note - offset) << scale;
        clear(start, memory(first) - start);
        clear(memory(last), end - memory(last));
        // SAFETY: notes of memory as above alone; those that the system takes away are 0, which is what they are to be.
        unsafe { libc::madvise(first as *mut _, last - first, libc::MADV_DONTNEED) };
    }
}
