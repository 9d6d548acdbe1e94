//! Reading and writing a suspended process.

use std::io::{Error, Result};
use std::ptr::{from_mut, null};

use windows_sys::Wdk::System::Threading::{NtQueryInformationProcess, ProcessBasicInformation};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Diagnostics::Debug::{ReadProcessMemory, WriteProcessMemory};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RESERVE, PAGE_READWRITE, VirtualAllocEx, VirtualProtectEx,
};
use windows_sys::Win32::System::Threading::PROCESS_BASIC_INFORMATION;

/// Where the process's block has the address of the program.
const IMAGE_BASE: usize = 0x10;
/// Where memory can begin.
const UNIT: usize = 64 << 10;

/// Another process, whose handle allows this.
#[derive(Clone, Copy, Debug)]
pub struct Process(pub HANDLE);

impl Process {
    /// The address of the program.
    pub fn image(self) -> Result<usize> {
        let mut information = PROCESS_BASIC_INFORMATION::default();
        // SAFETY: the structure is as long as is said.
        let status = unsafe {
            NtQueryInformationProcess(
                self.0,
                ProcessBasicInformation,
                from_mut(&mut information).cast(),
                size_of::<PROCESS_BASIC_INFORMATION>() as u32,
                std::ptr::null_mut(),
            )
        };
        if status < 0 {
            return Err(Error::other(format!("its state is not known: {status:#x}")));
        }
        let mut base = [0; 8];
        self.read(information.PebBaseAddress.addr() + IMAGE_BASE, &mut base)?;
        Ok(usize::from_le_bytes(base))
    }

    /// Reads memory.
    pub fn read(self, at: usize, bytes: &mut [u8]) -> Result<()> {
        let (to, size) = (bytes.as_mut_ptr().cast(), bytes.len());
        let mut read = 0;
        // SAFETY: there is room for as many bytes.
        match unsafe { ReadProcessMemory(self.0, at as *const _, to, size, &mut read) } {
            0 => Err(Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Writes memory that may be for reading only.
    pub fn write(self, at: usize, bytes: &[u8]) -> Result<()> {
        let (from, size) = (bytes.as_ptr().cast(), bytes.len());
        let (mut before, mut written) = (0, 0);
        // SAFETY: the other process is suspended.
        let good = unsafe {
            let place = at as *const _;
            VirtualProtectEx(self.0, place, size, PAGE_READWRITE, &mut before) != 0
                && WriteProcessMemory(self.0, place, from, size, &mut written) != 0
                && VirtualProtectEx(self.0, place, size, before, &mut before) != 0
        };
        if good { Ok(()) } else { Err(Error::last_os_error()) }
    }

    /// New memory within `reach` bytes above an address.
    pub fn allocate_above(self, address: usize, size: usize, reach: usize) -> Result<usize> {
        let first = address.next_multiple_of(UNIT);
        let places = (first..first.saturating_add(reach - size)).step_by(UNIT);
        let kind = MEM_RESERVE | MEM_COMMIT;
        for place in places {
            // SAFETY: takes the place of nothing.
            let start =
                unsafe { VirtualAllocEx(self.0, place as *const _, size, kind, PAGE_READWRITE) };
            if start != null::<u8>().cast_mut().cast() {
                return Ok(start as usize);
            }
        }
        Err(Error::other("there is no room for an import table"))
    }
}
