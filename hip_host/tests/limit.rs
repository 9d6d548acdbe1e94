//! The limit of device memory that `ZLUDA_MEMORY` sets. A process of its own: it is read once.

mod common;

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use common::*;
use hip_runtime_sys::*;

#[test]
fn memory_ends_where_it_was_said() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("ZLUDA_MEMORY", "10M") };
    let (mut free, mut total) = (0, 0);
    let mut pointers = Vec::new();
    // SAFETY: valid pointers.
    unsafe {
        ok(hipMemGetInfo(&mut free, &mut total));
        assert_eq!((free, total), (10 << 20, 10 << 20));
        loop {
            let mut pointer = null_mut();
            match hipMalloc(&mut pointer, 1 << 20) {
                hipError_t::hipSuccess => pointers.push(pointer),
                error => {
                    assert_eq!(error, hipError_t::hipErrorOutOfMemory);
                    break;
                }
            }
        }
        assert_eq!(pointers.len(), 10);
        ok(hipMemGetInfo(&mut free, &mut total));
        assert_eq!(free, 0);
        // Memory that a stream is about to free counts as free.
        ok(hipFreeAsync(pointers[0], null_mut()));
        let mut pointer = null_mut();
        ok(hipMalloc(&mut pointer, 1 << 20));
        // Where none is, nobody waits for a stream, which may wait for who asks.
        let (mut stream, mut word) = (null_mut(), null_mut());
        ok(hipHostMalloc(&mut word, 4, 0));
        word.cast::<u32>().write_volatile(0);
        ok(hipStreamCreateWithFlags(&mut stream, hipStreamNonBlocking));
        ok(hipStreamWaitValue32(stream, word, 1, hipStreamWaitValueEq, u32::MAX));
        let none = hipError_t::hipErrorOutOfMemory;
        assert_eq!(hipMalloc(&mut pointer, 1 << 20), none);
        assert_eq!(hipMallocAsync(&mut pointer, 1 << 20, stream), none);
        // What comes behind the wait is freed when that is over.
        ok(hipFreeAsync(pointers[1], stream));
        let word = word.expose_provenance();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                // SAFETY: a word of pinned memory.
                (*std::ptr::with_exposed_provenance::<AtomicU32>(word)).store(1, Ordering::SeqCst);
            });
            ok(hipMalloc(&mut pointer, 1 << 20));
        });
    }
}
