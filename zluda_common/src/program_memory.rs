//! Accesses of memory that is the program's, which may change it meanwhile: what nothing orders is the program's race, here as on
//! a device.
//!
//! Each function does nothing but its access, so that ThreadSanitizer can be told by their names what not to report
//! (`./x sanitize thread`): whatever else a caller does with the driver's own state is looked at.

/// Copies bytes; the ranges may overlap.
///
/// # Safety
/// They can be read and written, or the caller is where faults are caught.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn copy(from: usize, to: usize, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) }
}

/// Writes bytes of one value.
///
/// # Safety
/// They can be written, or the caller is where faults are caught.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn set(to: usize, value: u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::write_bytes(to as *mut u8, value, bytes) }
}

/// Writes a value as often as it fits into some bytes. The address may be no multiple of its size.
///
/// # Safety
/// They can be written, or the caller is where faults are caught.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn fill<T: Copy>(to: usize, value: T, bytes: usize) {
    for index in 0..bytes / size_of::<T>() {
        // SAFETY: the caller's promise.
        unsafe { (to as *mut T).add(index).write_unaligned(value) };
    }
}

/// Reads a number of any address.
///
/// # Safety
/// It can be read, or the caller is where faults are caught; all bits are a value of the type.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn read<T: Copy>(address: usize) -> T {
    // SAFETY: the caller's promise.
    unsafe { (address as *const T).read_unaligned() }
}

/// Writes a number to any address.
///
/// # Safety
/// It can be written, or the caller is where faults are caught.
#[cfg_attr(zluda_sanitizer = "thread", inline(never))]
#[cfg_attr(not(zluda_sanitizer = "thread"), inline(always))]
pub unsafe fn write<T: Copy>(address: usize, value: T) {
    // SAFETY: the caller's promise.
    unsafe { (address as *mut T).write_unaligned(value) }
}

/// Lets a word that an atomic operation is to write fault before it: during the operation, ThreadSanitizer holds a lock of its
/// own, for which what handles the fault would wait forever. Without ThreadSanitizer, this is nothing.
///
/// # Safety
/// As [`write`]; the address is a multiple of 4.
#[inline(always)]
#[cfg_attr(not(zluda_sanitizer = "thread"), expect(unused_variables))]
pub unsafe fn touch(address: usize) {
    #[cfg(zluda_sanitizer = "thread")]
    // SAFETY: the caller's promise; the word stays as it is, whoever writes it meanwhile.
    unsafe {
        std::arch::asm!("lock or dword ptr [{}], 0", in(reg) address, options(nostack));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_where_they_belong_and_nowhere_else() {
        let mut bytes = [9u8; 12];
        let start = bytes.as_mut_ptr() as usize;
        // SAFETY: all lies within the array.
        unsafe {
            fill(start + 1, 0x0201u16, 5);
            assert_eq!(bytes, [9, 1, 2, 1, 2, 9, 9, 9, 9, 9, 9, 9]);
            copy(start + 1, start + 2, 4);
            assert_eq!(bytes, [9, 1, 1, 2, 1, 2, 9, 9, 9, 9, 9, 9]);
            write(start + 7, 0x0807_0605u32);
            assert_eq!(bytes, [9, 1, 1, 2, 1, 2, 9, 5, 6, 7, 8, 9]);
            assert_eq!(read::<u32>(start + 5), 0x0605_0902);
            set(start + 1, 3, 2);
            assert_eq!(bytes, [9, 3, 3, 2, 1, 2, 9, 5, 6, 7, 8, 9]);
        }
    }
}
