//! glibc 2.41 and later refuse to `dlopen` a file that wants an executable stack, as one does that says nothing about it.

use exported::file::staged;
use object::elf::{FileHeader64, PF_X, PT_GNU_STACK};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadRef};
use std::path::PathBuf;

/// The flags of the stack that a file wants.
fn stack<'data>(data: impl ReadRef<'data>) -> Option<u32> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    let stack = segments.iter().find(|segment| segment.p_type(endian) == PT_GNU_STACK)?;
    Some(stack.p_flags(endian))
}

#[test]
fn no_staged_library_wants_an_executable_stack() {
    let mut seen = 0;
    for folder in [staged(""), staged("libraries")] {
        let files = folder.read_dir().expect("the staged folder");
        let files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        for file in files.iter().filter(|file| file.is_file()) {
            let data = std::fs::read(file).expect("a readable file");
            let flags = stack(data.as_slice());
            let flags = flags.unwrap_or_else(|| panic!("{}: no PT_GNU_STACK", file.display()));
            assert_eq!(flags & PF_X, 0, "{}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 0, "the staged folder is empty");
}
