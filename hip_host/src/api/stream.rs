//! Streams.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hip_runtime_sys::{
    hipDevice_t, hipError_t, hipHostFn_t, hipStream_t, hipStreamCallback_t, hipStreamCaptureStatus,
    hipStreamNonBlocking, hipStreamWaitValueAnd, hipStreamWaitValueEq, hipStreamWaitValueGte,
    hipStreamWaitValueNor,
};

use super::{INVALID, Result, check_may_wait_unless, hip_api, put};
use crate::core::apart::place;
use crate::core::context::current;
use crate::core::stream::{GREATEST_PRIORITY, Kind, LEAST_PRIORITY, Stream, find};
use crate::core::tables::tables;
use crate::guard::attempt::attempt;
use crate::work::op::Work;
use zluda_common::{printf, program_memory};

/// # Safety
/// `to` is null or valid.
unsafe fn create(to: *mut hipStream_t, flags: u32, priority: i32) -> Result {
    if to.is_null() || flags & !hipStreamNonBlocking != 0 {
        return Err(INVALID);
    }
    let kind = if flags & hipStreamNonBlocking != 0 { Kind::NonBlocking } else { Kind::Blocking };
    let stream = Stream::new(current(), kind, priority);
    stream.context.streams.add(stream.clone());
    // SAFETY: the caller's promise.
    unsafe { put(to, tables().streams.insert(stream)) }
}

/// A pointer of the program that only its own function follows.
struct Foreign(*mut c_void);

// SAFETY: the program said that its function may have the pointer, on whatever thread.
unsafe impl Send for Foreign {}

impl Foreign {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

hip_api! {
    healthy fn hipStreamCreate(stream: *mut hipStream_t) {
        // SAFETY: the program's pointer.
        unsafe { create(stream, 0, 0) }
    }

    healthy fn hipStreamCreateWithFlags(stream: *mut hipStream_t, flags: u32) {
        // SAFETY: the program's pointer.
        unsafe { create(stream, flags, 0) }
    }

    healthy fn hipStreamCreateWithPriority(stream: *mut hipStream_t, flags: u32, priority: i32) {
        // SAFETY: the program's pointer.
        unsafe { create(stream, flags, priority) }
    }

    always fn hipDeviceGetStreamPriorityRange(leastPriority: *mut i32, greatestPriority: *mut i32) {
        // SAFETY: the program's pointers. "A pointer that is null gets nothing."
        unsafe {
            if !leastPriority.is_null() {
                put(leastPriority, LEAST_PRIORITY)?;
            }
            if !greatestPriority.is_null() {
                put(greatestPriority, GREATEST_PRIORITY)?;
            }
        }
        Ok(())
    }

    always fn hipStreamDestroy(stream: hipStream_t) {
        // Work goes on after the handle has ended.
        let stream = tables().streams.remove(stream).ok_or(hipError_t::hipErrorInvalidResourceHandle)?;
        stream.forsake();
        Ok(())
    }

    healthy fn hipStreamQuery(stream: hipStream_t) {
        let idle = find(stream)?.is_idle();
        if idle { Ok(()) } else { Err(hipError_t::hipErrorNotReady) }
    }

    healthy fn hipStreamSynchronize(stream: hipStream_t) {
        let stream = find(stream)?;
        check_may_wait_unless(|| stream.is_idle())?;
        stream.wait();
        printf::flush();
        stream.context.device.error().map_or(Ok(()), Err)
    }

    healthy fn hipStreamGetFlags(stream: hipStream_t, flags: *mut u32) {
        let non_blocking = find(stream)?.kind == Kind::NonBlocking;
        // SAFETY: the program's pointer.
        unsafe { put(flags, if non_blocking { hipStreamNonBlocking } else { 0 }) }
    }

    healthy fn hipStreamGetPriority(stream: hipStream_t, priority: *mut i32) {
        // SAFETY: the program's pointer.
        unsafe { put(priority, find(stream)?.priority()) }
    }

    healthy fn hipStreamGetId(stream: hipStream_t, streamId: *mut u64) {
        // SAFETY: the program's pointer.
        unsafe { put(streamId, find(stream)?.id) }
    }

    healthy fn hipStreamGetDevice(stream: hipStream_t, device: *mut hipDevice_t) {
        let ordinal = find(stream)?.context.device.ordinal as i32;
        // SAFETY: the program's pointer.
        unsafe { put(device, ordinal) }
    }

    healthy fn hipStreamIsCapturing(stream: hipStream_t, pCaptureStatus: *mut hipStreamCaptureStatus) {
        find(stream)?;
        // SAFETY: the program's pointer.
        unsafe { put(pCaptureStatus, hipStreamCaptureStatus::hipStreamCaptureStatusNone) }
    }

    healthy fn hipStreamGetCaptureInfo(
        stream: hipStream_t, pCaptureStatus: *mut hipStreamCaptureStatus, _pId: *mut u64,
    ) {
        find(stream)?;
        // SAFETY: the program's pointer.
        unsafe { put(pCaptureStatus, hipStreamCaptureStatus::hipStreamCaptureStatusNone) }
    }

    healthy fn hipStreamAttachMemAsync(stream: hipStream_t, dev_ptr: *mut c_void, _length: usize, flags: u32) {
        find(stream)?;
        // All memory is everybody's here.
        let known = tables().memory.find(dev_ptr.addr()).is_some() && matches!(flags, 1 | 2 | 4);
        if known { Ok(()) } else { Err(INVALID) }
    }

    healthy fn hipStreamAddCallback(
        stream: hipStream_t, callback: hipStreamCallback_t, userData: *mut c_void, flags: u32,
    ) {
        let target = find(stream)?;
        let (Some(callback), 0) = (callback, flags) else { return Err(INVALID) };
        let (handle, data) = (Foreign(stream.cast()), Foreign(userData));
        let failure = &target.context.device.failure;
        let call = move || {
            let status = failure.get().unwrap_or(hipError_t::hipSuccess);
            // SAFETY: the program's own function, with what it asked to get.
            unsafe { callback(handle.get().cast(), status, data.get()) };
        };
        target.enqueue(false, None, Work::Host(Box::new(call)));
        Ok(())
    }

    healthy fn hipLaunchHostFunc(stream: hipStream_t, fn_: hipHostFn_t, userData: *mut c_void) {
        let target = find(stream)?;
        let function = fn_.ok_or(INVALID)?;
        let data = Foreign(userData);
        let failure = &target.context.device.failure;
        let call = move || {
            // "The function is not called if the context has an error."
            if failure.get().is_none() {
                // SAFETY: the program's own function, with what it asked to get.
                unsafe { function(data.get()) };
            }
        };
        target.enqueue(false, None, Work::Host(Box::new(call)));
        Ok(())
    }

    healthy fn hipStreamWaitValue32(stream: hipStream_t, ptr: *mut c_void, value: u32, flags: u32, mask: u32) {
        wait_value(stream, ptr, 4, flags, move |address| {
            // SAFETY: checked to be four aligned bytes.
            let word = unsafe { &*(address as *const AtomicU32) }.load(Ordering::SeqCst) & mask;
            // The upper half of a wider word would count.
            let high = if flags == hipStreamWaitValueNor { u64::from(u32::MAX) << 32 } else { 0 };
            let distance = i64::from(word.wrapping_sub(value) as i32);
            is_reached(u64::from(word) | high, value.into(), distance, flags)
        })
    }

    healthy fn hipStreamWaitValue64(stream: hipStream_t, ptr: *mut c_void, value: u64, flags: u32, mask: u64) {
        wait_value(stream, ptr, 8, flags, move |address| {
            // SAFETY: checked to be eight aligned bytes.
            let word = unsafe { &*(address as *const AtomicU64) }.load(Ordering::SeqCst) & mask;
            is_reached(word, value, word.wrapping_sub(value) as i64, flags)
        })
    }

    healthy fn hipStreamWriteValue32(stream: hipStream_t, ptr: *mut c_void, value: u32, _flags: u32) {
        write_value(stream, ptr, 4, move |address| {
            // SAFETY: checked to be four aligned bytes.
            unsafe { (*(address as *const AtomicU32)).store(value, Ordering::SeqCst) };
        })
    }

    healthy fn hipStreamWriteValue64(stream: hipStream_t, ptr: *mut c_void, value: u64, _flags: u32) {
        write_value(stream, ptr, 8, move |address| {
            // SAFETY: checked to be eight aligned bytes.
            unsafe { (*(address as *const AtomicU64)).store(value, Ordering::SeqCst) };
        })
    }
}

/// Whether a word is as a stream waits for it to be. What is at least as large is so for counters that wrap, as in CUDA;
/// HIP's manual does not say. `distance` is that of the word from the value, in the word's width.
fn is_reached(word: u64, value: u64, distance: i64, flags: u32) -> bool {
    if flags == hipStreamWaitValueGte {
        distance >= 0
    } else if flags == hipStreamWaitValueEq {
        word == value
    } else if flags == hipStreamWaitValueAnd {
        word & value != 0
    } else {
        !(word | value) != 0
    }
}

/// Lets a stream wait for a word in memory.
fn wait_value(
    stream: hipStream_t,
    at: *mut c_void,
    size: usize,
    flags: u32,
    reached: impl Fn(usize) -> bool + Send + 'static,
) -> Result {
    let stream = find(stream)?;
    let _claim = tables().memory.claim();
    let address = word_of(at, size)?;
    if flags > hipStreamWaitValueNor {
        return Err(INVALID);
    }
    // After an error, nothing may ever write the word.
    let failure = &stream.context.device.failure;
    let done = move || {
        let mut is_reached = false;
        // SAFETY: reading a word owns nothing; its memory may have gone since.
        if unsafe { attempt(|| is_reached = reached(address)) }.is_err() {
            failure.set(hipError_t::hipErrorIllegalAddress);
        }
        is_reached || failure.get().is_some()
    };
    stream.enqueue(false, None, Work::Until(Box::new(done)));
    Ok(())
}

/// The place of a word in memory that the device knows.
fn word_of(at: *mut c_void, size: usize) -> Result<usize> {
    let address = at.addr();
    let range = tables().memory.find(address).ok_or(INVALID)?;
    if !address.is_multiple_of(size) || range.start + range.size - address < size {
        return Err(INVALID);
    }
    Ok(place(address))
}

/// Writes a word in stream order.
fn write_value(
    stream: hipStream_t,
    to: *mut c_void,
    size: usize,
    write: impl FnOnce(usize) + Send + 'static,
) -> Result {
    let stream = find(stream)?;
    let _claim = tables().memory.claim();
    let address = word_of(to, size)?;
    let failure = &stream.context.device.failure;
    let work = move || {
        let write = || {
            // SAFETY: at least four aligned bytes, which `attempt` catches the loss of.
            unsafe { program_memory::touch(address) };
            write(address);
        };
        // SAFETY: writing a word owns nothing; its memory may have gone since.
        if unsafe { attempt(write) }.is_err() {
            failure.set(hipError_t::hipErrorIllegalAddress);
        }
    };
    stream.enqueue(false, None, Work::Quick(Box::new(work)));
    Ok(())
}
