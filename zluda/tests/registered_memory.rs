//! Memory of the program that devices may use (`cuMemHostRegister`): what is no memory is refused, and not found out by the
//! first kernel that uses it, which would cost the context.
#![cfg(target_os = "linux")]

#[macro_use]
mod common;

use cuda_types::cuda::{CUdeviceptr, CUresult as R};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

const PAGE: usize = 4096;

#[test]
fn what_is_no_memory_is_not_registered() {
    // One test asks about all addresses, where memory of another would lie.
    let _alone = common::alone();
    let library = common::driver();
    let register = |address: usize, size: usize| call!(library, cuMemHostRegister_v2(address as *mut c_void, size, 0): (*mut c_void, usize, c_uint));
    // SAFETY: new memory, of which nobody else knows.
    let address = unsafe {
        let (access, how) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(null_mut(), 4 * PAGE, access, how, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED);
        // A hole, and an end.
        libc::munmap(memory.byte_add(PAGE), PAGE);
        libc::munmap(memory.byte_add(3 * PAGE), PAGE);
        memory.addr()
    };
    // SAFETY: as above.
    let locked = unsafe {
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let memory = libc::mmap(null_mut(), 3 * PAGE, access, how, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(memory.byte_add(PAGE), PAGE, libc::PROT_NONE), 0);
        memory.addr()
    };
    for (from, size) in [
        // Addresses without access, in the middle or alone.
        (locked, 3 * PAGE),
        (locked, PAGE + 1),
        (locked + PAGE, PAGE),
        (address + PAGE, PAGE),
        (address, 2 * PAGE),
        (address, 3 * PAGE),
        (address + 2 * PAGE, PAGE + 1),
        (address + 3 * PAGE, 1),
        (PAGE, PAGE),
        // The end of the last page of all is no address.
        (1, usize::MAX - 1),
        (address, usize::MAX - address),
    ] {
        assert_eq!(register(from, size), R::CUDA_ERROR_INVALID_VALUE, "{from:#x}, {size:#x}");
    }
    for (from, size) in
        [(address, PAGE), (address + 2 * PAGE + 1, PAGE - 1), (locked + 2 * PAGE, PAGE)]
    {
        assert_eq!(register(from, size), R::CUDA_SUCCESS, "{from:#x}, {size:#x}");
        let mut device: CUdeviceptr = 0;
        let found = call!(library, cuMemHostGetDevicePointer_v2(&mut device, from as *mut c_void, 0):
            (*mut CUdeviceptr, *mut c_void, c_uint));
        assert_eq!(found, R::CUDA_SUCCESS);
        assert_eq!(
            call!(library, cuMemsetD8_v2(device, 7, size): (CUdeviceptr, u8, usize)),
            R::CUDA_SUCCESS
        );
        // SAFETY: the memory is there still.
        assert_eq!(unsafe { *(from as *const u8) }, 7);
        assert_eq!(
            call!(library, cuMemHostUnregister(from as *mut c_void): (*mut c_void)),
            R::CUDA_SUCCESS
        );
    }
    assert_eq!(call!(library, cuCtxSynchronize(): ()), R::CUDA_SUCCESS);
}

/// As an H200 answers (driver 580), but for the range that is too long for any memory, which it says is not supported.
#[test]
fn what_the_driver_has_is_not_registered() {
    // One test asks about all addresses, where memory of another would lie.
    let _alone = common::alone();
    let library = common::driver();
    let register = |address: *mut c_void, size: usize| call!(library, cuMemHostRegister_v2(address, size, 0): (*mut c_void, usize, c_uint));
    let mut memory: *mut c_void = null_mut();
    let allocated =
        call!(library, cuMemHostAlloc(&mut memory, PAGE, 0): (*mut *mut c_void, usize, c_uint));
    assert_eq!(allocated, R::CUDA_SUCCESS);
    assert_eq!(register(memory, PAGE), R::CUDA_ERROR_INVALID_VALUE);
    // While something is allocated, too, the end of the last page of all is no address.
    assert_eq!(
        register(std::ptr::without_provenance_mut(1), usize::MAX - 1),
        R::CUDA_ERROR_INVALID_VALUE
    );
    assert_eq!(call!(library, cuMemFreeHost(memory): (*mut c_void)), R::CUDA_SUCCESS);

    let mut own = vec![0u8; 2 * PAGE];
    let own = own.as_mut_ptr().cast();
    assert_eq!(register(own, 2 * PAGE), R::CUDA_SUCCESS);
    assert_eq!(register(own, PAGE), R::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_eq!(call!(library, cuMemHostUnregister(own): (*mut c_void)), R::CUDA_SUCCESS);
}

/// A copy by the host finds it out, and the context goes on.
#[test]
fn what_may_not_be_read_is_not_copied() {
    let _alone = common::alone();
    let library = common::driver();
    // SAFETY: new memory, of which nobody else knows.
    let locked = unsafe {
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(null_mut(), PAGE, libc::PROT_NONE, how, -1, 0)
    };
    assert_ne!(locked, libc::MAP_FAILED);
    let mut memory: CUdeviceptr = 0;
    let made = call!(library, cuMemAlloc_v2(&mut memory, 64): (*mut CUdeviceptr, usize));
    assert_eq!(made, R::CUDA_SUCCESS);
    let there = locked.expose_provenance() as CUdeviceptr;
    let calls = [
        call!(library, cuMemcpyHtoD_v2(memory, locked, 64): (CUdeviceptr, *const c_void, usize)),
        call!(library, cuMemcpyDtoH_v2(locked, memory, 64): (*mut c_void, CUdeviceptr, usize)),
        call!(library, cuMemcpy(there, memory, 64): (CUdeviceptr, CUdeviceptr, usize)),
        call!(library, cuMemcpy(memory, there, 64): (CUdeviceptr, CUdeviceptr, usize)),
    ];
    assert_eq!(calls, [R::CUDA_ERROR_INVALID_VALUE; 4]);
    assert_eq!(call!(library, cuMemFree_v2(memory): (CUdeviceptr)), R::CUDA_SUCCESS);
    assert_eq!(call!(library, cuCtxSynchronize(): ()), R::CUDA_SUCCESS);
}
