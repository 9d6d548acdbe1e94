//! Two devices of one process. A process of its own: how many there are is read once.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use common::*;
use hip_runtime_sys::*;

/// Whether the second device's work has begun.
static BEGUN: AtomicBool = AtomicBool::new(false);
static WAITED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn release(_: *mut c_void) {}

/// Keeps its thread until the second device's work has begun.
unsafe extern "C" fn wait(_: *mut c_void, _: u64, _: hipStream_t) -> hipError_t {
    while !BEGUN.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    WAITED.fetch_add(1, Ordering::SeqCst);
    hipError_t::hipSuccess
}

unsafe extern "C" fn begin(_: *mut c_void, _: u64, _: hipStream_t) -> hipError_t {
    BEGUN.store(true, Ordering::SeqCst);
    hipError_t::hipSuccess
}

unsafe extern "C" fn fail(_: *mut c_void, _: u64, _: hipStream_t) -> hipError_t {
    hipError_t::hipErrorLaunchFailure
}

type Run = unsafe extern "C" fn(*mut c_void, u64, hipStream_t) -> hipError_t;

fn enqueue(device: i32, run: Run, parts: u64) {
    let task = StreamTask { run, release, data: null_mut(), parts, stack: 0, is_of_host: true };
    // SAFETY: the task is a whole one.
    unsafe {
        ok(hipSetDevice(device));
        ok(zluda_enqueue_task(null_mut(), &task));
    }
}

fn synchronize_device(device: i32) -> hipError_t {
    // SAFETY: no pointers.
    unsafe {
        ok(hipSetDevice(device));
        hipDeviceSynchronize()
    }
}

fn free() -> usize {
    let (mut free, mut total) = (0, 0);
    // SAFETY: valid pointers.
    unsafe { ok(hipMemGetInfo(&mut free, &mut total)) };
    assert_eq!(total, 10 << 20);
    free
}

fn allocate(device: i32, size: usize) -> Result<*mut c_void, hipError_t> {
    let mut pointer = null_mut();
    // SAFETY: a valid pointer.
    unsafe {
        ok(hipSetDevice(device));
        match hipMalloc(&mut pointer, size) {
            hipError_t::hipSuccess => Ok(pointer),
            error => Err(error),
        }
    }
}

/// One test: its parts have the same two devices.
#[test]
fn two_devices() {
    // SAFETY: no other thread reads the environment yet.
    unsafe {
        std::env::set_var("ZLUDA_DEVICES", "2");
        std::env::set_var("ZLUDA_MEMORY", "10M");
    }
    let mut count = 0;
    // SAFETY: valid pointers and numbers.
    unsafe {
        ok(hipGetDeviceCount(&mut count));
        assert_eq!(count, 2);
        assert_eq!(hipSetDevice(2), hipError_t::hipErrorInvalidDevice);
    }
    memory_is_one();
    // Every thread of the pool takes a part that waits, and the second device has a thread all the same.
    enqueue(0, wait, 256);
    enqueue(1, begin, 1);
    ok(synchronize_device(0));
    ok(synchronize_device(1));
    assert_eq!(WAITED.load(Ordering::SeqCst), 256);
    // An error is that of one device, until that is reset.
    enqueue(1, fail, 1);
    assert_eq!(synchronize_device(1), hipError_t::hipErrorLaunchFailure);
    ok(synchronize_device(0));
    let kept = allocate(0, 64).expect("there is room");
    assert_eq!(allocate(1, 64), Err(hipError_t::hipErrorLaunchFailure));
    // SAFETY: the second device's own context is current; then memory of the first one is freed.
    unsafe {
        ok(hipSetDevice(1));
        ok(hipDeviceReset());
        ok(synchronize_device(1));
        ok(hipFree(kept));
    }
    contexts_are_independent();
}

/// Where devices are not divided, what the one has is gone for the other.
fn memory_is_one() {
    let pointer = allocate(0, 6 << 20).expect("there is room");
    // SAFETY: a number; then the memory of the other device.
    unsafe {
        ok(hipSetDevice(1));
        assert_eq!(free(), 4 << 20);
        assert_eq!(allocate(1, 6 << 20), Err(hipError_t::hipErrorOutOfMemory));
        ok(hipFree(pointer));
    }
    assert_eq!(free(), 10 << 20);
}

/// A context of a device waits for its own work alone.
fn contexts_are_independent() {
    BEGUN.store(false, Ordering::SeqCst);
    let mut context = null_mut();
    // SAFETY: valid pointers, and the context that is made here.
    unsafe {
        ok(hipCtxCreate(&mut context, 0, 0));
        ok(hipCtxSetCurrent(context));
        let task = StreamTask {
            run: wait,
            release,
            data: null_mut(),
            parts: 1,
            stack: 0,
            is_of_host: true,
        };
        ok(zluda_enqueue_task(null_mut(), &task));
        ok(hipSetDevice(0));
        ok(hipDeviceSynchronize());
        ok(hipStreamQuery(null_mut()));
        let pointer = allocate(0, 64).expect("there is room");
        ok(hipFree(pointer));
        ok(hipCtxSetCurrent(context));
        assert_eq!(hipStreamQuery(null_mut()), hipError_t::hipErrorNotReady);
        BEGUN.store(true, Ordering::SeqCst);
        ok(hipDeviceSynchronize());
        ok(hipCtxDestroy(context));
        assert_eq!(hipCtxSetCurrent(context), hipError_t::hipErrorInvalidContext);
    }
}
