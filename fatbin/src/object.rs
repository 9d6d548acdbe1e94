//! Objects of the host, and archives of them.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};

use crate::{Container, Malformed, container_size};

/// The sections of the host's objects that hold fat binaries: with code that is whole, and with code that
/// is to be linked.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// The PTX in an object: of each fat binary the text that suits a device of this compute capability (80
/// for 8.0) best. `None`: it has no fat binary, or is no object. Fat binaries without PTX give nothing.
pub fn texts_of_object(bytes: &[u8], capability: u32) -> Option<Result<Vec<Vec<u8>>, Malformed>> {
    let object = object::File::parse(bytes).ok()?;
    let sections: Vec<_> = object
        .sections()
        .filter(|section| section.name().is_ok_and(|name| SECTIONS.contains(&name)))
        .collect();
    if sections.is_empty() {
        return None;
    }
    let mut texts = Vec::new();
    for section in sections {
        let mut rest = section.data().unwrap_or_default();
        // Containers follow each other at multiples of eight bytes.
        while let Some(size) = container_size(rest).ok().filter(|size| *size <= rest.len()) {
            match Container::parse(rest).map(|container| container.best_ptx(capability)) {
                Ok(Some(Ok(text))) => texts.push(text),
                Ok(None) => {}
                Ok(Some(Err(error))) | Err(error) => return Some(Err(error)),
            }
            rest = rest.get(size.next_multiple_of(8)..).unwrap_or_default();
        }
    }
    Some(Ok(texts))
}

/// The PTX in the members of an archive. Members without any, or with some that cannot be read, are passed
/// over.
pub fn texts_of_archive(bytes: &[u8], capability: u32) -> Result<Vec<Vec<u8>>, Malformed> {
    let malformed = |_| Malformed("it is no archive");
    let archive = ArchiveFile::parse(bytes).map_err(malformed)?;
    let mut texts = Vec::new();
    for member in archive.members() {
        let data = member.and_then(|member| member.data(bytes)).map_err(malformed)?;
        texts.extend(texts_of_object(data, capability).into_iter().flatten().flatten());
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object with one section.
    fn elf(section: &str, data: &[u8]) -> Vec<u8> {
        use object::write::{Object, StandardSegment};
        use object::{Architecture, BinaryFormat, Endianness, SectionKind};
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let segment = object.segment_name(StandardSegment::Data).to_vec();
        let id = object.add_section(segment, section.into(), SectionKind::ReadOnlyData);
        object.append_section_data(id, data, 8);
        object.write().unwrap()
    }

    #[test]
    fn every_container_of_a_section_is_read() {
        let one = crate::container::tests::container(&[crate::container::tests::plain(75)]);
        let two = crate::container::tests::container(&[crate::container::tests::plain(80)]);
        let bytes = elf("__nv_relfatbin", &[one, two].concat());
        let texts = texts_of_object(&bytes, 90).unwrap().unwrap();
        assert_eq!(texts, [b"75".to_vec(), b"80".to_vec()]);
    }

    #[test]
    fn objects_without_fat_binaries_have_none() {
        assert_eq!(texts_of_object(&elf(".data", b"5"), 90), None);
        assert_eq!(texts_of_object(b"hello", 90), None);
        assert!(texts_of_archive(b"hello", 90).is_err());
    }

    #[test]
    fn members_are_passed_over_or_read() {
        let good = elf(
            ".nv_fatbin",
            &crate::container::tests::container(&[crate::container::tests::plain(75)]),
        );
        let mut archive = b"!<arch>\n".to_vec();
        for member in [&elf(".data", b"5"), &good] {
            let size = member.len();
            archive.extend(
                format!("{:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", "a.o/", 0, 0, 0, 644).bytes(),
            );
            archive.extend_from_slice(member);
            archive.resize(archive.len().next_multiple_of(2), b'\n');
        }
        assert_eq!(texts_of_archive(&archive, 90).unwrap(), [b"75".to_vec()]);
    }
}
