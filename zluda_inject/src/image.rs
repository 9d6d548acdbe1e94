//! The headers of a program in a suspended process, and the imports that come first.
//!
//! Offsets are those of Microsoft's "PE Format".

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Error, Read, Result, Seek, SeekFrom};
use std::os::windows::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Storage::FileSystem::GetShortPathNameW;

use zluda_staged::{DRIVER_WINDOWS, REDIRECT};

use crate::names::{Names, Ours};
use crate::process::Process;

const X86_64: u16 = 0x8664;
/// Other processors that Windows has programs for.
const OTHERS: &[(u16, &str)] = &[(0x14c, "32-bit Windows"), (0xaa64, "ARM64"), (0x1c4, "ARM")];
const PE32_PLUS: u16 = 0x20b;
/// The field of the DOS header that leads to the others.
const NEW_HEADER: usize = 0x3c;
/// From the signature `PE\0\0`: the machine, the optional header, its size of the image, and the directories.
const MACHINE: usize = 4;
const OPTIONAL: usize = 24;
const SIZE_OF_IMAGE: usize = OPTIONAL + 56;
const CHARACTERISTICS: usize = OPTIONAL + 70;
/// `IMAGE_DLLCHARACTERISTICS_FORCE_INTEGRITY`.
const SIGNED_ALONE: u16 = 0x80;
const DIRECTORIES: usize = OPTIONAL + 112;
const HEADERS: usize = DIRECTORIES + 16 * DIRECTORY;
/// A directory is an address and a size.
const DIRECTORY: usize = 8;
const IMPORTS: usize = DIRECTORIES + DIRECTORY;
const BOUND_IMPORTS: usize = DIRECTORIES + 11 * DIRECTORY;
/// An import descriptor, and the most that are believed.
const DESCRIPTOR: usize = 20;
/// In a descriptor: the address of the DLL's name.
const NAME: usize = 12;
const MOST_DESCRIPTORS: usize = 4096;
/// A table of two words: the first export by its number, and the end.
const FIRST_EXPORT: u64 = 1 << 63 | 1;
/// Bytes of a path in an import table, with the 0 at its end.
const LONGEST: usize = 260;
/// What paths of any length begin with.
const VERBATIM: &str = r"\\?\";
/// Addresses in headers have 32 bits; others than ours may take them for signed.
const REACH: usize = 1 << 31;

/// Makes the program of a suspended process import the first export of each DLL, before all else that it imports. Nothing of
/// the process has run yet. DLLs are whole paths; their file names are found by whoever imports them by name. What the
/// program itself imports of NVIDIA's libraries above the driver, it imports of ours, where `names` says so.
///
/// # Errors
/// A program of another kind of processor, and paths that an import table cannot name.
pub fn inject(process: HANDLE, dlls: &[PathBuf], names: &Names) -> Result<()> {
    let process = Process(process);
    let base = process.image()?;
    let mut header = [0; 4];
    process.read(base + NEW_HEADER, &mut header)?;
    let at = base + u32::from_le_bytes(header) as usize;
    let mut headers = [0; HEADERS];
    process.read(at, &mut headers)?;
    check(&headers)?;
    let word = |at: usize| {
        u32::from_le_bytes([headers[at], headers[at + 1], headers[at + 2], headers[at + 3]])
    };
    let mut old = descriptors(process, base, word(IMPORTS))?;
    let replaced = replaced(process, base, &old, names);

    let mut first = dlls.to_vec();
    for ours in replaced.iter().filter_map(|(_, ours)| ours.library.as_ref()) {
        if !first.contains(ours) {
            first.push(ours.clone());
        }
    }
    let tables = (first.len() + 1) * DESCRIPTOR + old.len();
    let tables = tables.next_multiple_of(8);
    let names_at = tables + first.len() * 32;
    let mut texts = Vec::new();
    // Where the texts of the paths begin: those of the DLLs, then those in place of others.
    let mut places = Vec::new();
    for path in first.iter().chain(replaced.iter().map(|(_, ours)| &ours.file)) {
        places.push(names_at + texts.len());
        texts.extend(name(path)?);
    }
    let size = names_at + texts.len();
    let above = base + word(SIZE_OF_IMAGE) as usize;
    let block = process.allocate_above(above, size, REACH - (above - base))?;
    let relative = |offset: usize| ((block - base + offset) as u32).to_le_bytes();

    let mut bytes = vec![0; size];
    bytes[names_at..].copy_from_slice(&texts);
    for index in 0..first.len() {
        // The table of names and that of addresses begin the same.
        let table = tables + index * 32;
        for copy in [table, table + 16] {
            bytes[copy..copy + 8].copy_from_slice(&FIRST_EXPORT.to_le_bytes());
        }
        let descriptor = &mut bytes[index * DESCRIPTOR..][..DESCRIPTOR];
        descriptor[0..4].copy_from_slice(&relative(table));
        descriptor[NAME..NAME + 4].copy_from_slice(&relative(places[index]));
        descriptor[16..20].copy_from_slice(&relative(table + 16));
    }
    for ((index, _), place) in replaced.iter().zip(&places[first.len()..]) {
        old[index * DESCRIPTOR + NAME..][..4].copy_from_slice(&relative(*place));
    }
    bytes[first.len() * DESCRIPTOR..][..old.len()].copy_from_slice(&old);
    process.write(block, &bytes)?;
    let count = first.len() + old.len() / DESCRIPTOR + 1;
    let directory = [relative(0), ((count * DESCRIPTOR) as u32).to_le_bytes()].concat();
    process.write(at + IMPORTS, &directory)?;
    // What was bound ahead of time would not be looked up.
    process.write(at + BOUND_IMPORTS, &[0; DIRECTORY])
}

/// The import descriptors that name what a program gets ours for, by their places in the table. The driver is there by its
/// name already.
fn replaced(process: Process, base: usize, table: &[u8], names: &Names) -> Vec<(usize, Ours)> {
    let mut replaced = Vec::new();
    for (index, descriptor) in table.chunks_exact(DESCRIPTOR).enumerate() {
        let at = [NAME, NAME + 1, NAME + 2, NAME + 3].map(|at| descriptor[at]);
        let Some(name) = process.text(base + u32::from_le_bytes(at) as usize) else { continue };
        if name.eq_ignore_ascii_case(DRIVER_WINDOWS) {
            continue;
        }
        let ours = names
            .ours(&name)
            .or_else(|| names.instead(&name).filter(|_| !process.would_find(&name)));
        replaced.extend(ours.map(|ours| (index, ours)));
    }
    replaced
}

/// Whether a program can have DLLs of ours, by its headers.
fn check(headers: &[u8; HEADERS]) -> Result<()> {
    let half = |at: usize| u16::from_le_bytes([headers[at], headers[at + 1]]);
    let machine = half(MACHINE);
    if let Some((_, name)) = OTHERS.iter().find(|(other, _)| *other == machine) {
        return Err(Error::other(format!("it is a program for {name}, and ZLUDA is for x86-64")));
    }
    if machine != X86_64 || half(OPTIONAL) != PE32_PLUS {
        return Err(Error::other("it is no program for x86-64"));
    }
    if half(CHARACTERISTICS) & SIGNED_ALONE != 0 {
        return Err(Error::other("it takes signed DLLs alone, which ZLUDA's are not"));
    }
    Ok(())
}

/// The same for a file, before it is started.
///
/// # Errors
/// Those of [`inject`]. A file that is no program at all is left to whoever starts it.
pub fn check_file(path: &Path) -> Result<()> {
    let mut file = File::open(path)?;
    let (mut at, mut headers) = ([0; 4], [0; HEADERS]);
    let read = file
        .seek(SeekFrom::Start(NEW_HEADER as u64))
        .and_then(|_| file.read_exact(&mut at))
        .and_then(|()| file.seek(SeekFrom::Start(u32::from_le_bytes(at).into())))
        .and_then(|_| file.read(&mut headers));
    // A program for 32 bits may be shorter.
    if read.is_err() || !headers.starts_with(b"PE\0\0") {
        return Ok(());
    }
    check(&headers)
}

/// The bytes of the import descriptors of a program.
fn descriptors(process: Process, base: usize, table: u32) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    if table == 0 {
        return Ok(all);
    }
    for index in 0..MOST_DESCRIPTORS {
        let mut descriptor = [0; DESCRIPTOR];
        process.read(base + table as usize + index * DESCRIPTOR, &mut descriptor)?;
        // The last one has neither a name nor a table.
        if descriptor[12..20] == [0; 8] {
            return Ok(all);
        }
        all.extend_from_slice(&descriptor);
    }
    Err(Error::other("its import table has no end"))
}

/// A path as an import table has it: in bytes of the system's code page, of which ASCII is always a part. A path with other
/// letters, or with too many, has another name, where the file system gives files short ones.
fn name(path: &Path) -> Result<Vec<u8>> {
    let fits = |path: &Path| {
        let text = path.to_str().filter(|text| text.is_ascii() && text.len() < LONGEST);
        text.map(|text| [text.as_bytes(), &[0]].concat())
    };
    fits(path).or_else(|| fits(&short(path)?)).ok_or_else(|| {
        Error::other(format!(
            "{} has letters that are not ASCII, or too many, and no short name: put ZLUDA into another folder",
            path.display()
        ))
    })
}

/// The path by short names of its folders, which are ASCII; none where the drive has no such names. The file itself keeps its
/// name, by which others find its module.
fn short(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?.as_os_str();
    let verbatim = [OsStr::new(VERBATIM), folder].join(OsStr::new(""));
    // Without the prefix, the function takes no longer paths than others do.
    [folder, &verbatim].into_iter().find_map(|folder| {
        let words: Vec<u16> = folder.encode_wide().chain([0]).collect();
        let mut to = vec![0; 32768];
        // SAFETY: the path ends with 0, and there is room for as many words as is said.
        let length = unsafe { GetShortPathNameW(words.as_ptr(), to.as_mut_ptr(), to.len() as u32) };
        let folder = to.get(..length as usize).filter(|words| !words.is_empty())?;
        let folder = String::from_utf16(folder).ok()?;
        Some(Path::new(folder.strip_prefix(VERBATIM).unwrap_or(&folder)).join(path.file_name()?))
    })
}

/// Whether DLLs of a folder can be put into programs.
///
/// # Errors
/// A path that an import table cannot name.
pub fn check_folder(folder: &Path) -> Result<()> {
    name(&folder.join(DRIVER_WINDOWS)).and_then(|_| name(&folder.join(REDIRECT))).map(drop)
}
