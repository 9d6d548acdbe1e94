//! Copies of memory that may not be there.

use std::io;
use std::mem::MaybeUninit;

use hip_runtime_sys::hipError_t;
use windows_sys::Win32::System::Diagnostics::Debug::ReadProcessMemory;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEMORY_BASIC_INFORMATION, PAGE_GUARD, PAGE_NOACCESS, VirtualQuery,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// Bytes that were copied.
pub struct Copied(Vec<u8>);

impl Copied {
    /// No bytes yet.
    pub fn new() -> Result<Copied, hipError_t> {
        Ok(Copied(Vec::new()))
    }

    /// Copies bytes behind those that were copied before; false where memory cannot be read.
    ///
    /// The system reads them, so that addresses that cannot be read are an error and no fault.
    pub fn append(&mut self, from: *const u8, size: usize) -> bool {
        if !is_readable(from.addr(), size) {
            return false;
        }
        let before = self.0.len();
        self.0.resize(before + size, 0);
        let mut read = 0;
        // SAFETY: the system checks the addresses; there is room for as many bytes.
        let good = unsafe {
            let (own, to) = (GetCurrentProcess(), self.0[before..].as_mut_ptr());
            ReadProcessMemory(own, from.cast(), to.cast(), size, &mut read)
        };
        good != 0 && read == size
    }

    /// All that was copied.
    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}

/// Whether a range can be read. A debugger may read what this process cannot, and Wine takes every process for one.
fn is_readable(start: usize, size: usize) -> bool {
    let Some(end) = start.checked_add(size) else { return false };
    let mut at = start;
    while at < end {
        let mut found = MaybeUninit::<MEMORY_BASIC_INFORMATION>::zeroed();
        let length = size_of::<MEMORY_BASIC_INFORMATION>();
        // SAFETY: any address may be asked for; zeros are a value of the structure.
        let found = unsafe {
            if VirtualQuery(at as *const _, found.as_mut_ptr(), length) == 0 {
                return false;
            }
            found.assume_init()
        };
        if found.State != MEM_COMMIT || found.Protect & (PAGE_NOACCESS | PAGE_GUARD) != 0 {
            return false;
        }
        at = found.BaseAddress.addr() + found.RegionSize;
    }
    true
}
