//! The services that kernels on AMD GPUs ask of the host, through a block of memory that both see, which the third
//! hidden parameter points to. `amdgcn/library/services.h` says the same in C.
//!
//! Kernels put records into the ring behind the block; the driver takes them out where it synchronises. A record is a
//! header of 8 bytes and what the kind says, up to a multiple of 8 bytes. The header is written last, and is 0 before:
//! the driver clears what it has read. Bytes of a record in the low half, a [`RecordKind`] in the high half.

use std::mem::offset_of;

/// Bytes of memory before the ring.
pub const RING_OFFSET: usize = 128;

/// Bytes before the first block of the heap, which are zero at first: the heap's lists in 512, and 256 locks of 4 bytes
/// for operations that hardware does not have.
pub const HEAP_HEADER: usize = 512 + 256 * 4;

/// The beginning of the block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Services {
    /// 0, or the first [`ServiceError`] of the context's kernels.
    pub error: u32,
    pub reserved: u32,
    /// Bytes of the ring, a power of two.
    pub ring_bytes: u64,
    /// Bytes that kernels have taken for records. Where in the ring: modulo its size.
    pub ring_written: u64,
    /// Bytes that the driver is done with.
    pub ring_read: u64,
    /// The address of `malloc`'s memory, or 0.
    pub heap: u64,
    pub heap_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ServiceError {
    /// `trap`, and what else cannot go on.
    Trap = 1,
    Assert = 2,
    /// Outside of a surface.
    IllegalAddress = 3,
    /// At bytes of a surface that the access cannot begin at.
    Misaligned = 4,
    /// Lanes of a warp at different barriers.
    IllegalInstruction = 5,
}

impl ServiceError {
    /// The error of this number; none if there is no such error.
    pub fn from_number(number: u32) -> Option<ServiceError> {
        use ServiceError::*;
        [Trap, Assert, IllegalAddress, Misaligned, IllegalInstruction]
            .into_iter()
            .find(|e| *e as u32 == number)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RecordKind {
    /// `u32` bytes of the format, `u32` bytes of arguments; both, each up to a multiple of 8 bytes; the strings that
    /// arguments are addresses of, each with its NUL.
    Printf = 1,
    /// `u32` line; block and thread, each three `u32`; `u32` 0; file, function and message, each with its NUL.
    Assert = 2,
}

// As services.h and heap.h assert.
const _: () = {
    assert!(size_of::<Services>() <= RING_OFFSET);
    assert!(offset_of!(Services, error) == 0);
    assert!(offset_of!(Services, ring_bytes) == 8);
    assert!(offset_of!(Services, ring_written) == 16);
    assert!(offset_of!(Services, ring_read) == 24);
    assert!(offset_of!(Services, heap) == 32);
    assert!(offset_of!(Services, heap_bytes) == 40);
    assert!(HEAP_HEADER == 1536);
};
