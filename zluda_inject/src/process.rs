//! Reading and writing a suspended process.

use std::ffi::OsString;
use std::io::{Error, Result};
use std::os::windows::ffi::OsStringExt;
use std::path::Path;
use std::ptr::{from_mut, null, null_mut};

use windows_sys::Wdk::System::Threading::{NtQueryInformationProcess, ProcessBasicInformation};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Storage::FileSystem::SearchPathW;
use windows_sys::Win32::System::Diagnostics::Debug::{ReadProcessMemory, WriteProcessMemory};
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RESERVE, PAGE_READWRITE, VirtualAllocEx, VirtualProtectEx,
};
use windows_sys::Win32::System::Threading::{
    PROCESS_BASIC_INFORMATION, QueryFullProcessImageNameW,
};

/// Where the process's block has the address of the program.
const IMAGE_BASE: usize = 0x10;
/// No name of a DLL is longer.
const LONGEST: usize = 260;
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
                null_mut(),
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

    /// A text of bytes that ends with 0, as import tables have names of DLLs; none where there is no such text.
    pub fn text(self, at: usize) -> Option<String> {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST {
            let mut byte = [0];
            self.read(at + bytes.len(), &mut byte).ok()?;
            if byte == [0] {
                return String::from_utf8(bytes).ok();
            }
            bytes.extend(byte);
        }
        None
    }

    /// Whether the process would find a DLL by its name: in the folder of its program, or where all look.
    pub fn would_find(self, name: &str) -> bool {
        let mut path = vec![0; 32768];
        let mut length = path.len() as u32;
        // SAFETY: there is room for as many words.
        let good = unsafe { QueryFullProcessImageNameW(self.0, 0, path.as_mut_ptr(), &mut length) };
        let program = OsString::from_wide(path.get(..length as usize).unwrap_or_default());
        if good != 0 && Path::new(&program).with_file_name(name).exists() {
            return true;
        }
        let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
        // SAFETY: the name ends with 0; nothing is asked for but the length.
        unsafe { SearchPathW(null(), name.as_ptr(), null(), 0, null_mut(), null_mut()) != 0 }
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
