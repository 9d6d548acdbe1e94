//! Copies of the program's own memory that cannot be accessed are errors of the call, also behind other work.
#![cfg(unix)]

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::Duration;

use common::*;
use hip_runtime_sys::*;

/// Work in a stream for a while.
unsafe extern "C" fn busy(_: *mut c_void) {
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn copies_behind_other_work_leave_the_device_alone() {
    // One that a single thread does, and one in blocks.
    const SIZES: [usize; 2] = [4096, 80 << 20];
    let invalid = hipError_t::hipErrorInvalidValue;
    let (mut stream, mut device) = (null_mut(), null_mut());
    // SAFETY: valid pointers and sizes; nothing is at the address but a mapping that cannot be accessed.
    unsafe {
        ok(hipStreamCreateWithFlags(&mut stream, hipStreamNonBlocking));
        ok(hipMalloc(&mut device, SIZES[1]));
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let none = libc::mmap(null_mut(), SIZES[1], libc::PROT_NONE, flags, -1, 0);
        assert_ne!(none, libc::MAP_FAILED);
        for size in SIZES {
            ok(hipLaunchHostFunc(stream, Some(busy), null_mut()));
            assert_eq!(hipMemcpyDtoHAsync(none, device, size, stream), invalid, "{size}");
            ok(hipLaunchHostFunc(stream, Some(busy), null_mut()));
            assert_eq!(hipMemcpyHtoDAsync(device, none, size, stream), invalid, "{size}");
            ok(hipStreamSynchronize(stream));
        }
        ok(hipMemset(device, 0, SIZES[1]));
        ok(synchronize());
    }
}
