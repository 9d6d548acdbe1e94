//! Images of modules: ELF shared objects in the program's memory, copied without trusting a word of them.

use std::ffi::c_void;

use hip_runtime_sys::hipError_t;
use object::LittleEndian;
use object::elf::{ET_DYN, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use crate::os::copied::Copied;

/// The largest image that is believed.
const LARGEST: usize = 1 << 30;

/// An image as the system loads it, and in memory.
pub struct Image {
    pub copied: Copied,
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
        let mut copied = Copied::new()?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { copy_image(&mut copied, image.cast(), most.min(LARGEST), machine)? };
        Ok(Image { copied, bytes })
    }
}

/// Copies the image; returns what was copied.
unsafe fn copy_image(
    copied: &mut Copied,
    image: *const u8,
    most: usize,
    machine: u16,
) -> Result<Vec<u8>, hipError_t> {
    const INVALID: hipError_t = hipError_t::hipErrorInvalidImage;
    let append = |copied: &mut Copied, from: usize, to: usize| {
        let size = to.saturating_sub(from);
        let good = to <= most && copied.append(image.wrapping_add(from), size);
        if good { Ok(()) } else { Err(INVALID) }
    };
    let header_size = size_of::<FileHeader64<LittleEndian>>();
    append(copied, 0, header_size)?;
    let read = |copied: &mut Copied| copied.bytes().map_err(|_| INVALID);
    let bytes = read(copied)?;
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
    append(copied, header_size, end)?;
    let bytes = read(copied)?;
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
    append(copied, end, whole)?;
    read(copied)
}
