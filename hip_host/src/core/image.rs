//! Images of modules: ELF shared objects in the program's memory, copied without trusting a word of them.

use std::ffi::c_void;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd};

use hip_runtime_sys::hipError_t;
use object::LittleEndian;
use object::elf::{ET_DYN, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

/// The largest image that is believed.
const LARGEST: usize = 1 << 30;

/// An image in a file and in memory.
pub struct Image {
    pub file: File,
    pub bytes: Vec<u8>,
}

impl Image {
    /// Copies an image whose length only the image itself tells, `most` bytes at most. `machine` is what the
    /// ELF header has to name.
    ///
    /// # Safety
    /// Nothing else has the memory in which the image lies, as far as that can be read. Bytes that
    /// cannot be read are an error.
    pub unsafe fn copy(
        image: *const c_void,
        most: usize,
        machine: u16,
    ) -> Result<Image, hipError_t> {
        let mut file = memory_file()?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { copy_image(&mut file, image.cast(), most.min(LARGEST), machine)? };
        Ok(Image { file, bytes })
    }
}

/// A file in memory.
fn memory_file() -> Result<File, hipError_t> {
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
            tracing::error!("memfd_create: {}", std::io::Error::last_os_error());
            return Err(hipError_t::hipErrorOperatingSystem);
        }
        Ok(File::from_raw_fd(descriptor))
    }
}

/// Copies the image to the file; returns what was copied.
///
/// The system reads the image, so that addresses that cannot be read are an error and no fault.
unsafe fn copy_image(
    file: &mut File,
    image: *const u8,
    most: usize,
    machine: u16,
) -> Result<Vec<u8>, hipError_t> {
    const INVALID: hipError_t = hipError_t::hipErrorInvalidImage;
    let append = |file: &mut File, from: usize, to: usize| {
        if to > most {
            return Err(INVALID);
        }
        let mut at = from;
        while at < to {
            // SAFETY: the system checks the addresses.
            let written =
                unsafe { libc::write(file.as_raw_fd(), image.wrapping_add(at).cast(), to - at) };
            if written <= 0 {
                return Err(INVALID);
            }
            at += written as usize;
        }
        Ok(())
    };
    let header_size = size_of::<FileHeader64<LittleEndian>>();
    append(file, 0, header_size)?;
    let read = |file: &mut File| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|_| INVALID)?;
        Ok::<_, hipError_t>(bytes)
    };
    let bytes = read(file)?;
    let header = FileHeader64::<LittleEndian>::parse(&*bytes).map_err(|_| INVALID)?;
    let endian = LittleEndian;
    if header.e_machine(endian) != machine || header.e_type(endian) != ET_DYN {
        return Err(INVALID);
    }
    // The headers first; then what they say.
    let table = |offset: u64, size: u16, count: u16| {
        usize::try_from(offset)
            .ok()
            .and_then(|offset| offset.checked_add(usize::from(size) * usize::from(count)))
            .filter(|end| *end <= most)
            .ok_or(INVALID)
    };
    let end = table(header.e_phoff(endian), header.e_phentsize(endian), header.e_phnum(endian))?
        .max(table(header.e_shoff(endian), header.e_shentsize(endian), header.e_shnum(endian))?)
        .max(header_size);
    append(file, header_size, end)?;
    let bytes = read(file)?;
    let header = FileHeader64::<LittleEndian>::parse(&*bytes).map_err(|_| INVALID)?;
    let mut whole = end as u64;
    for segment in header.program_headers(endian, &*bytes).map_err(|_| INVALID)? {
        let (offset, size) = segment.file_range(endian);
        whole = whole.max(offset.checked_add(size).ok_or(INVALID)?);
    }
    for section in header.section_headers(endian, &*bytes).map_err(|_| INVALID)? {
        if let Some((offset, size)) = section.file_range(endian) {
            whole = whole.max(offset.checked_add(size).ok_or(INVALID)?);
        }
    }
    let whole = usize::try_from(whole).map_err(|_| INVALID)?;
    file.seek(SeekFrom::End(0)).map_err(|_| INVALID)?;
    append(file, end, whole)?;
    read(file)
}
