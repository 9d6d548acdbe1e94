//! Memory of an emulated GPU lies apart from the host's: the host finds nothing at its addresses, and copies find all.

// A test: it stops by panicking.
#![allow(clippy::unwrap_used)]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use hip_runtime_sys::*;
use zluda_hip_emu::api::*;

const LARGE: usize = 3 << 20;

fn ok(error: hipError_t) {
    assert_eq!(error, hipError_t::hipSuccess);
}

/// Whether the host can read a byte: the system says so, where a program would fault.
fn is_readable(address: *mut c_void) -> bool {
    let mut pipe = [0; 2];
    // SAFETY: the descriptors are this function's own; the system checks the address.
    unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        let written = libc::write(pipe[1], address, 1);
        assert!(written == 1 || *libc::__errno_location() == libc::EFAULT);
        for end in pipe {
            libc::close(end);
        }
        written == 1
    }
}

/// What copies put somewhere, copies find there.
fn check(address: *mut c_void, size: usize) {
    let bytes: Vec<u8> = (0..size).map(|at| (at / 7) as u8).collect();
    let mut back = vec![0u8; size];
    // SAFETY: as large as is said.
    unsafe {
        ok(hipMemcpyHtoD(address, bytes.as_ptr().cast(), size));
        ok(hipMemset(address.byte_add(size / 2), 5, 1));
        ok(hipMemcpyDtoH(back.as_mut_ptr().cast(), address, size));
    }
    assert_eq!(back[size / 2], 5);
    back[size / 2] = bytes[size / 2];
    assert!(back == bytes);
}

/// A handler of a program that knows nothing better than to end.
extern "C" fn end(_: i32) {
    // SAFETY: has no preconditions.
    unsafe { libc::_exit(3) }
}

/// Work in a stream that comes too late for its memory.
fn write_to_freed_memory() {
    let (mut stream, mut other, mut word, mut memory) =
        (null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: valid pointers; the word is memory of the host.
    unsafe {
        ok(hipStreamCreateWithFlags(&mut stream, hipStreamNonBlocking));
        ok(hipStreamCreateWithFlags(&mut other, hipStreamNonBlocking));
        ok(hipHostMalloc(&mut word, 4, 0));
        let word = AtomicU32::from_ptr(word.cast());
        word.store(0, Ordering::SeqCst);
        ok(hipMalloc(&mut memory, LARGE));
        ok(hipStreamWaitValue32(stream, word.as_ptr().cast(), 1, hipStreamWaitValueEq, u32::MAX));
        ok(hipStreamWriteValue32(stream, memory, 1, 0));
        ok(hipFreeAsync(memory, other));
        ok(hipStreamSynchronize(other));
        word.store(1, Ordering::SeqCst);
        assert_eq!(hipStreamSynchronize(stream), hipError_t::hipErrorIllegalAddress);
    }
}

/// One test, because the device belongs to the whole process.
#[test]
fn memory_lies_apart() {
    // SAFETY: the handler does what handlers may.
    unsafe { libc::signal(libc::SIGSEGV, end as extern "C" fn(i32) as libc::sighandler_t) };
    assert!(zluda_hip_emu::emulate("gfx1100"));
    let mut is_integrated = 7;
    let attribute = hipDeviceAttribute_t::hipDeviceAttributeIntegrated;
    // SAFETY: a valid pointer.
    ok(unsafe { hipDeviceGetAttribute(&mut is_integrated, attribute, 0) });
    assert_eq!(is_integrated, 0);
    let mut device = null_mut();
    // SAFETY: valid pointers and sizes, here and below.
    unsafe {
        for size in [1, 1000, LARGE] {
            ok(hipMalloc(&mut device, size));
            assert!(!is_readable(device), "{size}");
            check(device, size);
            ok(hipFree(device));
            for host in [true, false] {
                let mut memory = null_mut();
                match host {
                    true => ok(hipHostMalloc(&mut memory, size, 0)),
                    false => ok(hipMallocManaged(&mut memory, size, hipMemAttachGlobal)),
                }
                assert!(is_readable(memory), "{size}");
                memory.cast::<u8>().write(9);
                check(memory, size);
                match host {
                    true => ok(hipHostFree(memory)),
                    false => ok(hipFree(memory)),
                }
            }
            ok(hipMallocAsync(&mut device, size, null_mut()));
            assert!(!is_readable(device), "{size}");
            check(device, size);
            // It moves into a file, at the same address.
            ok(hipFreeAsync(device, null_mut()));
            ok(hipMalloc(&mut device, size));
            ok(hipMemset(device, 7, size));
            let mut handle = hipIpcMemHandle_t { reserved: [0; 64] };
            ok(hipIpcGetMemHandle(&mut handle, device));
            let mut byte = 0u8;
            ok(hipMemcpyDtoH((&raw mut byte).cast(), device.byte_add(size - 1), 1));
            assert_eq!(byte, 7);
            assert!(!is_readable(device), "{size}");
            ok(hipFree(device));
        }
        // Addresses apart from their memory.
        let (mut address, mut memory) = (null_mut(), null_mut());
        let size = 4 << 20;
        ok(hipMemAddressReserve(&mut address, size, 0, null_mut(), 0));
        let mut properties: hipMemAllocationProp = std::mem::zeroed();
        properties.type_ = hipMemAllocationType::hipMemAllocationTypePinned;
        properties.location.type_ = hipMemLocationType::hipMemLocationTypeDevice;
        ok(hipMemCreate(&mut memory, size, &properties, 0));
        ok(hipMemMap(address, size, 0, memory, 0));
        let access = hipMemAccessDesc {
            location: properties.location,
            flags: hipMemAccessFlags::hipMemAccessFlagsProtReadWrite,
        };
        ok(hipMemSetAccess(address, size, &access, 1));
        assert!(!is_readable(address));
        check(address, size);
        ok(hipMemUnmap(address, size));
        ok(hipMemRelease(memory));
        // A wish for a place is heard, in the device's addresses.
        let (mut behind, wish) = (null_mut(), address.byte_add(size));
        ok(hipMemAddressReserve(&mut behind, size, 0, wish, 0));
        assert_eq!(behind, wish);
        ok(hipMemAddressFree(behind, size));
        ok(hipMemAddressFree(address, size));
    }
    write_to_freed_memory();
}
