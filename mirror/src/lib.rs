//! Code of the host that works on memory of a device whose addresses mean nothing to the host.
//!
//! [`run`] runs parts of work on threads of its own. Where one of them accesses an address of the device it stops at the
//! fault, and the calling thread copies what lies around from the device to this very address; then the part goes on as if
//! nothing had been. At the end what the parts have changed is copied back, and the addresses are as they were.
//!
//! - [`chunk`]: a stretch of the device's memory that the host finds.
//! - [`difference`]: what has changed in one.
//! - [`fault`]: the handler, and how a thread that faults asks for memory.

#![cfg(target_os = "linux")]

mod chunk;
mod difference;
mod fault;
mod session;

use std::ops::Range;

/// A device, for the thread that calls [`run`].
pub trait Device {
    /// What may go wrong.
    type Error;

    /// The allocation that holds an address, if any does.
    fn allocation(&self, address: usize) -> Option<Range<usize>>;

    /// Copies from an address of the device.
    fn read(&self, from: usize, to: &mut [u8]) -> Result<(), Self::Error>;

    /// Copies to addresses of the device.
    fn write(&self, pieces: &[(usize, &[u8])]) -> Result<(), Self::Error>;
}

/// Parts that may run at the same time, in any order.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The number of parts.
    pub parts: u64,
    /// Bytes of stack that a part needs.
    pub stack: usize,
    /// Runs a part, numbered from 0, and returns whether others are to run. It may be given up where it accesses memory:
    /// what it owns is leaked then.
    pub part: &'a (dyn Fn(u64) -> bool + Sync),
}

/// Why work did not come to its end. The device's memory is as it was before.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// The host has no memory or no thread.
    OutOfMemory,
    /// A part accessed an address where neither the host nor the device has memory.
    NoMemory { address: usize },
    /// A copy failed.
    Device(E),
    /// A part said that no other is to run.
    Part,
}

/// Runs work. Works of several threads run one after the other: they may have memory in common.
pub fn run<D: Device>(device: &D, work: Work<'_>) -> Result<(), Failure<D::Error>> {
    session::run(device, work)
}
