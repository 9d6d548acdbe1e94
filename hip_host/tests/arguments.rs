//! Wrong arguments: the documented error, and no crash.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;

use common::*;
use hip_runtime_sys::*;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;

#[test]
fn null_results() {
    let _alone = alone();
    // SAFETY: null pointers are checked.
    unsafe {
        assert_eq!(hipMalloc(null_mut(), 16), INVALID);
        assert_eq!(hipHostMalloc(null_mut(), 16, 0), INVALID);
        assert_eq!(hipMallocManaged(null_mut(), 16, 1), INVALID);
        assert_eq!(hipStreamCreate(null_mut()), INVALID);
        assert_eq!(hipEventCreate(null_mut()), INVALID);
        assert_eq!(hipGetDeviceCount(null_mut()), INVALID);
        assert_eq!(hipModuleLoadData(null_mut(), null_mut()), INVALID);
        assert_eq!(hipPointerGetAttributes(null_mut(), null_mut()), INVALID);
        assert_eq!(hipMemGetInfo(null_mut(), null_mut()), INVALID);
        assert_eq!(hipGetLastError(), INVALID);
        assert_eq!(hipGetLastError(), hipError_t::hipSuccess);
    }
}

/// Nobody has brought an executor.
#[test]
fn modules_without_an_executor() {
    let mut module = null_mut();
    let image = [0u64; 8];
    // SAFETY: valid pointers.
    let error = unsafe { hipModuleLoadData(&mut module, image.as_ptr().cast()) };
    assert_eq!(error, hipError_t::hipErrorNoBinaryForGpu);
}

#[test]
fn copies() {
    let _alone = alone();
    let buffer = Buffer::new(&[1u8; 1000]);
    let mut host = [0u8; 2000];
    let host: *mut c_void = host.as_mut_ptr().cast();
    let device: *mut c_void = buffer.0.cast();
    use hipMemcpyKind as K;
    // SAFETY: what is wrong is checked, what is right is valid.
    unsafe {
        assert_eq!(hipMemcpyHtoD(device, host, 1001), INVALID);
        assert_eq!(hipMemcpyHtoD(device.byte_add(999), host, 2), INVALID);
        assert_eq!(hipMemcpyDtoH(host, device.byte_sub(1), 1), INVALID);
        assert_eq!(hipMemcpyHtoD(host, host, 1), INVALID);
        assert_eq!(hipMemcpyDtoD(device, null_mut(), 1), INVALID);
        assert_eq!(hipMemcpy(device, host, 8, K(77)), hipError_t::hipErrorInvalidMemcpyDirection);
        assert_eq!(hipMemcpy(device, host, usize::MAX, K::hipMemcpyDefault), INVALID);
        ok(hipMemcpy(null_mut(), null_mut(), 0, K::hipMemcpyDefault));
        ok(hipMemcpy(host, device, 1000, K::hipMemcpyDefault));
        assert_eq!(hipMemset(device, 1, 1001), INVALID);
        assert_eq!(hipMemsetD32(device.byte_add(2), 1, 4), INVALID);
        assert_eq!(hipMemset2D(device, 100, 1, 100, 11), INVALID);
        assert_eq!(hipMemset2D(device, 50, 1, 100, 2), INVALID);
        ok(hipMemset2D(device, 100, 1, 90, 10));
        assert_eq!(
            hipMemcpy2D(device, 100, host, 200, 100, usize::MAX / 100, K::hipMemcpyHostToDevice),
            INVALID
        );
    }
}

#[test]
fn memory() {
    let _alone = alone();
    let mut pointer = null_mut();
    let (mut free, mut total) = (0, 0);
    let mut local = 5u32;
    let local: *mut c_void = (&raw mut local).cast();
    // SAFETY: what is wrong is checked, what is right is valid.
    unsafe {
        ok(hipMalloc(&mut pointer, 0));
        assert!(pointer.is_null());
        ok(hipFree(null_mut()));
        assert_eq!(hipFree(local), INVALID);
        ok(hipMalloc(&mut pointer, 1000));
        assert_eq!(hipFree(pointer.byte_add(1)), INVALID);
        assert_eq!(hipHostFree(pointer), INVALID);
        ok(hipFree(pointer));
        assert_eq!(hipFree(pointer), INVALID);
        ok(hipMemGetInfo(&mut free, &mut total));
        assert_eq!(hipMalloc(&mut pointer, free + (1 << 20)), hipError_t::hipErrorOutOfMemory);
        assert_eq!(hipMalloc(&mut pointer, usize::MAX), hipError_t::hipErrorOutOfMemory);
        assert_eq!(
            hipMemGetAddressRange(null_mut(), null_mut(), local),
            hipError_t::hipErrorNotFound
        );
        let mut attributes = std::mem::zeroed();
        ok(hipPointerGetAttributes(&mut attributes, local));
        assert_eq!(attributes.type_, hipMemoryType::hipMemoryTypeUnregistered);
        ok(hipHostRegister(local, 4, 0));
        assert_eq!(hipHostRegister(local, 4, 0), hipError_t::hipErrorHostMemoryAlreadyRegistered);
        ok(hipPointerGetAttributes(&mut attributes, local));
        assert_eq!(attributes.type_, hipMemoryType::hipMemoryTypeHost);
        ok(hipHostUnregister(local));
        assert_eq!(hipHostUnregister(local), hipError_t::hipErrorHostMemoryNotRegistered);
    }
}
