//! Copies of memory that may not be there.

use std::io;

use hip_runtime_sys::hipError_t;
use windows_sys::Win32::System::Diagnostics::Debug::ReadProcessMemory;
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
