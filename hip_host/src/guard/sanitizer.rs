//! What AddressSanitizer (`./x sanitize address`) is told of stacks whose frames end without returning: that their bytes are
//! nobody's variables any more. Without it, this is nothing.

/// Frames that lay in `size` bytes of a stack from `start` on are gone.
#[inline]
#[cfg_attr(not(zluda_sanitizer = "address"), expect(unused_variables))]
pub fn forget_frames(start: usize, size: usize) {
    #[cfg(zluda_sanitizer = "address")]
    {
        unsafe extern "C" {
            fn __asan_unpoison_memory_region(start: *const std::ffi::c_void, size: usize);
        }
        // SAFETY: the sanitizer is there; no frame that lives lies there.
        unsafe { __asan_unpoison_memory_region(start as *const _, size) };
    }
}
