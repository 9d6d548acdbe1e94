//! Memory without an address: there is none, so that no value of these types is ever made.

use std::convert::Infallible;
use std::ffi::CStr;
use std::fs::File;
use std::os::windows::io::OwnedHandle;
use std::sync::Arc;

use hip_runtime_sys::hipError_t;

pub const POOL: &CStr = c"zluda-memory-pool";

const NOT_SUPPORTED: hipError_t = hipError_t::hipErrorNotSupported;

/// What the program gets.
pub type Exported = OwnedHandle;

/// The number that is written for the program.
pub type Number = usize;

/// The number of what the program has from now on.
pub fn number(exported: Exported) -> Number {
    std::os::windows::io::IntoRawHandle::into_raw_handle(exported).addr()
}

/// A program's descriptor.
pub fn of_descriptor(_descriptor: i32) -> Result<File, hipError_t> {
    Err(NOT_SUPPORTED)
}

/// Closes a program's descriptor, which [`of_descriptor`] knows.
pub fn close(_descriptor: i32) {}

/// The length of a file of this library's.
pub fn check(_file: &File, _name: &CStr) -> Result<usize, hipError_t> {
    Err(NOT_SUPPORTED)
}

/// Reads what a file begins with.
pub fn read_head(_file: &File, _bytes: &mut [u8]) -> Result<(), hipError_t> {
    Err(NOT_SUPPORTED)
}

/// A file of many pieces.
#[derive(Debug)]
pub struct Growing(Infallible);

impl Growing {
    pub fn new(_name: &CStr, _head: &[u8]) -> Result<Arc<Growing>, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn take(self: &Arc<Self>, _size: usize) -> Result<Piece, hipError_t> {
        match self.0 {}
    }

    pub fn export(&self) -> Result<Exported, hipError_t> {
        match self.0 {}
    }
}

/// A part of a file.
pub struct Piece {
    pub offset: usize,
    pub size: usize,
    never: Infallible,
}

impl Piece {
    pub fn of_common(_size: usize) -> Result<Piece, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn of_own(_size: usize) -> Result<Piece, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn of_file(_file: File) -> Result<Piece, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn of_part(_file: &Arc<File>, _offset: usize, _size: usize) -> Result<Piece, hipError_t> {
        Err(NOT_SUPPORTED)
    }

    pub fn export(&self) -> Result<Exported, hipError_t> {
        self.never()
    }

    pub fn write(&self, _bytes: &[u8], _at: usize) -> Result<(), hipError_t> {
        self.never()
    }

    /// The number by which this process has the file.
    pub fn fd(&self) -> i32 {
        self.never()
    }

    /// Whatever is wanted of what is never there.
    pub fn never<T>(&self) -> T {
        match self.never {}
    }
}
