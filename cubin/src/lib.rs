//! Cubins that hold PTX in place of machine code.
//!
//! NVRTC and ptxas make machine code for one GPU where a program asks them for a cubin, and it is of no use on a device that
//! is none. Where they are asked on ZLUDA's behalf, the PTX from which that code would have been made goes on in an ELF file
//! of the same kind: programs that look for ELF find it, the driver finds the PTX, NVIDIA's own tools an empty cubin.
//!
//! | bytes | |
//! |---|---|
//! | 64 | ELF header, for `EM_CUDA`; `ZLUDA` in the padding of `e_ident`; the GPU's number in the lowest byte of `e_flags` |
//! | 32 | names of the sections |
//! | 3 * 64 | section headers: none, `.shstrtab`, `.zluda.ptx` |
//! | all others | the text of `.zluda.ptx`, as it came |
//!
//! Nothing is allocated, and nothing of the standard library but `core` is used: the audit library makes cubins too.

#![no_std]

/// The bytes before the text.
pub const HEAD: usize = SECTIONS + 3 * SECTION_HEADER;

const ELF_HEADER: usize = 64;
const SECTION_HEADER: usize = 64;
const NAMES: &[u8] = b"\0.shstrtab\0.zluda.ptx\0";
const SECTIONS: usize = ELF_HEADER + 32;

/// `e_ident`: 64 bits, little-endian, version 1, the ABI of CUDA; then padding.
const IDENT: [u8; 16] = *b"\x7fELF\x02\x01\x01\x33\x07ZLUDA\0\0";
const EM_CUDA: u16 = 190;

/// What lies before a text of a length in a cubin for a GPU, such as 80 for sm_80.
pub fn head(length: usize, gpu: u8) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    let mut put = |at: usize, bytes: &[u8]| {
        if let Some(place) = head.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    let half = u16::to_le_bytes;
    put(0, &IDENT);
    put(16, &half(2)); // e_type: ET_EXEC
    put(18, &half(EM_CUDA));
    put(20, &1u32.to_le_bytes()); // e_version
    put(40, &(SECTIONS as u64).to_le_bytes()); // e_shoff
    put(48, &(0x0005_0500 | u32::from(gpu)).to_le_bytes()); // e_flags: addresses of 64 bits
    put(52, &half(ELF_HEADER as u16)); // e_ehsize
    put(58, &half(SECTION_HEADER as u16)); // e_shentsize
    put(60, &half(3)); // e_shnum
    put(62, &half(1)); // e_shstrndx
    put(ELF_HEADER, NAMES);
    // Name, type, where it lies, and how long it is.
    let sections = [(1u32, 3u32, ELF_HEADER, NAMES.len()), (11, 1, HEAD, length)];
    for (number, (name, kind, offset, size)) in sections.into_iter().enumerate() {
        let at = SECTIONS + (number + 1) * SECTION_HEADER;
        put(at, &name.to_le_bytes());
        put(at + 4, &kind.to_le_bytes());
        put(at + 24, &(offset as u64).to_le_bytes());
        put(at + 32, &(size as u64).to_le_bytes());
        put(at + 48, &1u64.to_le_bytes()); // sh_addralign
    }
    head
}

/// The bytes of a whole cubin of ours that begins so; none where it is another file.
pub fn size(head: &[u8; HEAD]) -> Option<usize> {
    let length = head.get(SECTIONS + 2 * SECTION_HEADER + 32..)?.first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let gpu = *head.get(48)?;
    (*head == self::head(length, gpu)).then_some(())?;
    length.checked_add(HEAD).filter(|size| isize::try_from(*size).is_ok())
}

/// The text in a cubin of ours; none where it is another file, or is cut off.
pub fn text(file: &[u8]) -> Option<&[u8]> {
    let size = size(file.first_chunk()?)?;
    file.get(HEAD..size)
}

/// Whether a file that begins so may be ours: what [`size`] asks for can be read.
pub fn is_ours(ident: &[u8; 16]) -> bool {
    *ident == IDENT
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use object::elf::FileHeader64;
    use object::read::elf::{FileHeader, SectionHeader};
    use object::{LittleEndian, U16};
    use std::vec::Vec;

    const TEXT: &[u8] = b".version 8.0\n.target sm_80\n\0";

    fn cubin() -> Vec<u8> {
        let mut file = head(TEXT.len(), 80).to_vec();
        file.extend_from_slice(TEXT);
        file
    }

    #[test]
    fn others_read_it_as_elf() {
        let file = cubin();
        let header = FileHeader64::<LittleEndian>::parse(file.as_slice()).expect("an ELF header");
        let endian = header.endian().expect("an order of bytes");
        assert_eq!(header.e_machine, U16::new(endian, EM_CUDA));
        let sections = header.sections(endian, file.as_slice()).expect("sections");
        let (_, section) = sections.section_by_name(endian, b".zluda.ptx").expect("the text's");
        assert_eq!(section.data(endian, file.as_slice()), Ok(TEXT));
    }

    #[test]
    fn the_text_comes_out_and_nothing_else_has_one() {
        let mut file = cubin();
        assert_eq!(text(&file), Some(TEXT));
        assert!(file.first_chunk().is_some_and(is_ours));
        assert_eq!(text(&file[..file.len() - 1]), None);
        assert_eq!(text(&file[..HEAD - 1]), None);
        for place in [0, 9, 18, 70, SECTIONS + 64, SECTIONS + 2 * SECTION_HEADER + 32] {
            file[place] ^= 0xff;
            assert_eq!(text(&file), None, "{place}");
            file[place] ^= 0xff;
        }
        assert_eq!(text(&[&b"\x7fELF"[..], &[0; HEAD]].concat()), None);
    }
}
