//! Streams that write the same memory, which nothing orders: the races are the program's, and the device's own state has none
//! (`./x sanitize thread`).

mod common;

use std::ptr::null_mut;

use common::*;
use hip_runtime_sys::*;

/// Bytes: some blocks, which threads share.
const SIZE: usize = 3 << 20;
const ROUNDS: usize = 20;

/// What one thread asks of its own stream.
fn write(memory: usize, from: usize, byte: u8) {
    let at = |offset: usize| std::ptr::with_exposed_provenance_mut(memory + offset);
    let word = u32::from_ne_bytes([byte; 4]);
    let mut stream = null_mut();
    // SAFETY: valid pointers; the memory outlives the work.
    unsafe {
        ok(hipStreamCreateWithFlags(&mut stream, hipStreamNonBlocking));
        for _ in 0..ROUNDS {
            ok(hipMemsetD8Async(at(0), byte, SIZE, stream));
            ok(hipMemsetD32Async(at(0), word.cast_signed(), SIZE / 4, stream));
            ok(hipStreamWriteValue32(stream, at(SIZE / 2), word, 0));
            let source = std::ptr::with_exposed_provenance_mut(from);
            ok(hipMemcpyDtoDAsync(at(0), source, SIZE, stream));
            ok(hipMemcpyDtoDAsync(at(1), at(0), SIZE / 2, stream));
        }
        ok(hipStreamSynchronize(stream));
        ok(hipStreamDestroy(stream));
    }
}

#[test]
fn each_byte_is_what_some_stream_wrote() {
    let _alone = alone();
    let (memory, first) = (Buffer::new(&vec![1u8; SIZE]), Buffer::new(&vec![3u8; SIZE]));
    let (place, source) = (memory.0.expose_provenance(), first.0.expose_provenance());
    std::thread::scope(|scope| {
        for byte in [1, 2] {
            scope.spawn(move || write(place, source, byte));
        }
    });
    assert!(memory.read().iter().all(|byte| [1, 2, 3].contains(byte)));
    assert!(first.read().iter().all(|&byte| byte == 3));
}
