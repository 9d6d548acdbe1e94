//! Memory and events that other processes can have: there are none, so that no value of these types is ever made.

use std::convert::Infallible;

use hip_runtime_sys::hipError_t;

use super::backing_file::Piece;

const NOT_SUPPORTED: hipError_t = hipError_t::hipErrorNotSupported;

/// The bytes of a handle.
pub type Bytes = [u8; 64];

/// A number that no other process has.
pub fn random() -> Result<[u64; 2], hipError_t> {
    Err(NOT_SUPPORTED)
}

/// Memory that is shared.
pub struct SharedMemory(Infallible);

impl SharedMemory {
    pub fn new(_fd: i32, _offset: usize, _size: usize) -> Result<SharedMemory, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn handle(&self) -> Result<Bytes, hipError_t> {
        match self.0 {}
    }
}

/// The memory of a handle of another process.
pub fn open_memory(_handle: &Bytes) -> Result<(Piece, usize, usize), hipError_t> {
    Err(NOT_SUPPORTED)
}

/// An event that processes share.
pub struct SharedEvent(Infallible);

/// One recording of a shared event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket;

impl SharedEvent {
    pub fn new() -> Result<SharedEvent, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn open(_handle: &Bytes) -> Result<SharedEvent, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn handle(&self) -> Result<Bytes, hipError_t> {
        match self.0 {}
    }

    pub fn issue(&self) -> Ticket {
        match self.0 {}
    }

    pub fn last(&self) -> Option<Ticket> {
        match self.0 {}
    }

    pub fn end(&self, _ticket: Ticket) {
        match self.0 {}
    }

    pub fn has_ended(&self, _ticket: Ticket) -> bool {
        match self.0 {}
    }

    pub fn wait(&self, _ticket: Ticket) {
        match self.0 {}
    }
}
