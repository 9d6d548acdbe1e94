//! Copies of memory that may not be there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd};

use hip_runtime_sys::hipError_t;

/// Bytes that were copied, in a file in memory, which the system can load code from.
pub struct Copied(pub File);

impl Copied {
    /// No bytes yet.
    pub fn new() -> Result<Copied, hipError_t> {
        // Systems that forbid execution by default want to be told.
        const MFD_EXEC: u32 = 0x10;
        // SAFETY: the name ends in NUL; the descriptor is ours.
        unsafe {
            let name = c"zluda-module".as_ptr();
            let mut descriptor = libc::memfd_create(name, libc::MFD_CLOEXEC | MFD_EXEC);
            if descriptor < 0 {
                descriptor = libc::memfd_create(name, libc::MFD_CLOEXEC);
            }
            if descriptor < 0 {
                tracing::error!("memfd_create: {}", io::Error::last_os_error());
                return Err(hipError_t::hipErrorOperatingSystem);
            }
            Ok(Copied(File::from_raw_fd(descriptor)))
        }
    }

    /// Copies bytes behind those that were copied before; false where memory cannot be read.
    ///
    /// The system reads them, so that addresses that cannot be read are an error and no fault. It is called by number: as many
    /// bytes as an image's header says may be more than there are, which a sanitizer would find in an argument of `write`.
    pub fn append(&mut self, from: *const u8, size: usize) -> bool {
        let mut at = 0;
        while at < size {
            // SAFETY: the system checks the addresses.
            let written = unsafe {
                let (file, from) = (self.0.as_raw_fd(), from.wrapping_add(at));
                libc::syscall(libc::SYS_write, file, from, size - at)
            };
            if written <= 0 {
                return false;
            }
            at += written as usize;
        }
        true
    }

    /// All that was copied.
    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0))?;
        self.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
