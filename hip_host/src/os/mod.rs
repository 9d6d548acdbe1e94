//! What the operating system does, in a folder for each system:
//!
//! - [`memory`]: addresses and the memory that is there.
//! - [`futex`]: sleeping on a word of memory until somebody changes it.
//! - [`signal`]: faults of code on stacks of this library's.
//! - [`stack`]: stacks of kernels.
//! - [`copied`]: copies of memory that may not be there.
//! - [`backing_file`] and [`shared_table`]: memory and events that other processes can have.
//! - [`machine`]: processors and memory.

use corosensei::trap::TrapHandlerRegs;
use faults::Resumption;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// The fault that ended a kernel: what it was, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether it was an access of memory.
    pub is_access: bool,
    /// The system's number: `SIGSEGV`, `SIGBUS`, `SIGFPE` or `SIGILL`, or an exception's code.
    pub signal: i32,
    /// The address that was accessed, or of the instruction.
    pub address: usize,
}

/// What is done about faults of a thread.
pub struct Handler {
    /// The registers with which it ends the kernel on whose stack a fault happened, if the stack pointer is on one.
    pub end_kernel: fn(fault: Fault, stack_pointer: usize) -> Option<TrapHandlerRegs>,
    /// Whether it makes an attempt, and nobody has looked yet at what happens at this address, which somebody is going to do now.
    pub is_new_attempt: fn(address: usize) -> bool,
    /// Where it goes on behind the attempt that it makes, which failed at an address.
    pub give_up: fn(address: usize) -> Option<Resumption>,
}
