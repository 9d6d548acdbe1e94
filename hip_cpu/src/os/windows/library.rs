//! Compiled code: ELF shared objects, which the system's loader does not know.

use std::ffi::{c_int, c_void};
use std::ptr::{copy_nonoverlapping, null};

use hip_host::executor::Image;
use hip_runtime_sys::hipError_t;
use object::elf::{
    PF_W, PF_X, PT_LOAD, R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE,
};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{
    LittleEndian, Object, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget,
};
use rustc_hash::FxHashMap;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_EXECUTE_READ, PAGE_EXECUTE_READWRITE, PAGE_READONLY,
    PAGE_READWRITE, VirtualAlloc, VirtualFree, VirtualProtect,
};

/// The largest object that is believed, in memory.
const LARGEST: usize = 1 << 30;
const PAGE: usize = 4 << 10;

/// A loaded object.
pub struct Library {
    start: usize,
    symbols: FxHashMap<String, usize>,
}

type Elf<'i> = ElfFile64<'i, LittleEndian>;

impl Library {
    /// Loads an object.
    pub fn load(image: &Image) -> Result<Library, hipError_t> {
        place(&image.bytes).map_err(|reason| {
            tracing::error!("image: {reason}");
            hipError_t::hipErrorInvalidImage
        })
    }

    /// The address of a symbol that the object exports.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        self.symbols.get(name).map(|address| *address as *const c_void)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: made by `place`; kernels in flight keep their module.
        unsafe { VirtualFree(self.start as *mut _, 0, MEM_RELEASE) };
    }
}

/// What is wrong with an object.
type Reason = &'static str;

/// A part of an object in memory.
struct Segment<'i> {
    /// From the beginning of the object.
    at: usize,
    size: usize,
    bytes: &'i [u8],
    flags: u32,
}

fn segments<'i>(elf: &Elf<'i>) -> Result<Vec<Segment<'i>>, Reason> {
    let mut segments = Vec::new();
    for header in elf.elf_program_headers() {
        if header.p_type(LittleEndian) != PT_LOAD {
            continue;
        }
        let word = |word: u64| usize::try_from(word).map_err(|_| "a segment is too large");
        let segment = Segment {
            at: word(header.p_vaddr(LittleEndian))?,
            size: word(header.p_memsz(LittleEndian))?,
            bytes: header.data(LittleEndian, elf.data()).map_err(|()| "a segment is not there")?,
            flags: header.p_flags(LittleEndian),
        };
        let end = segment.at.checked_add(segment.size);
        if end.is_none_or(|end| end > LARGEST) || segment.bytes.len() > segment.size {
            return Err("a segment is too large");
        }
        segments.push(segment);
    }
    Ok(segments)
}

fn place(bytes: &[u8]) -> Result<Library, Reason> {
    let elf = Elf::parse(bytes).map_err(|_| "it is no ELF file")?;
    let segments = segments(&elf)?;
    let size = segments.iter().map(|segment| segment.at + segment.size).max().unwrap_or(0);
    let size = size.max(1).next_multiple_of(PAGE);
    // SAFETY: fresh memory.
    let start =
        unsafe { VirtualAlloc(null(), size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) } as usize;
    if start == 0 {
        return Err("there is no memory for it");
    }
    let mut library = Library { start, symbols: FxHashMap::default() };
    for segment in &segments {
        let (from, to) = (segment.bytes.as_ptr(), (start + segment.at) as *mut u8);
        // SAFETY: the segment lies in the memory just made.
        unsafe { copy_nonoverlapping(from, to, segment.bytes.len()) };
    }
    for symbol in elf.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
        let name = symbol.name().map_err(|_| "a symbol has no name")?;
        let address = usize::try_from(symbol.address()).ok().filter(|address| *address < size);
        let address = address.ok_or("a symbol is not there")?;
        library.symbols.insert(name.to_owned(), start + address);
    }
    relocate(&elf, &library, size)?;
    for segment in segments.iter().filter(|segment| segment.size != 0) {
        let access = match (segment.flags & PF_X != 0, segment.flags & PF_W != 0) {
            (false, false) => PAGE_READONLY,
            (false, true) => PAGE_READWRITE,
            (true, false) => PAGE_EXECUTE_READ,
            (true, true) => PAGE_EXECUTE_READWRITE,
        };
        let (at, mut before) = ((start + segment.at) as *mut c_void, 0);
        // SAFETY: as above.
        if unsafe { VirtualProtect(at, segment.size, access, &mut before) } == 0 {
            return Err("a segment cannot be protected");
        }
    }
    Ok(library)
}

/// Fills in the addresses of what the object names.
fn relocate(elf: &Elf<'_>, library: &Library, size: usize) -> Result<(), Reason> {
    let symbols = elf.dynamic_symbol_table();
    let start = library.start as u64;
    for (offset, relocation) in elf.dynamic_relocations().into_iter().flatten() {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
        let value = match (r_type, relocation.target()) {
            (R_X86_64_RELATIVE, _) => start.wrapping_add_signed(relocation.addend()),
            (
                R_X86_64_64 | R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT,
                RelocationTarget::Symbol(index),
            ) => {
                let symbol = symbols.as_ref().and_then(|table| table.symbol_by_index(index).ok());
                let symbol = symbol.ok_or("a symbol is not there")?;
                let name = symbol.name().map_err(|_| "a symbol has no name")?;
                let address = library.symbols.get(name).copied().or_else(|| of_c_library(name));
                let address = address.or_else(|| symbol.is_weak().then_some(0));
                let Some(address) = address else {
                    tracing::error!("there is no `{name}` for compiled code");
                    return Err("it needs what is not there");
                };
                (address as u64).wrapping_add_signed(relocation.addend())
            }
            _ => return Err("it has a relocation of an unknown kind"),
        };
        let offset = usize::try_from(offset).ok().filter(|offset| *offset <= size - 8);
        let at = library.start + offset.ok_or("a relocation is outside of it")?;
        // SAFETY: eight bytes of the object.
        unsafe { (at as *mut u64).write_unaligned(value) };
    }
    Ok(())
}

/// What compilers expect of every C library, by the calling convention of the objects.
fn of_c_library(name: &str) -> Option<usize> {
    Some(match name {
        "memcpy" => memory_copy as *const () as usize,
        "memmove" => memory_move as *const () as usize,
        "memset" => memory_set as *const () as usize,
        _ => return None,
    })
}

unsafe extern "sysv64" fn memory_copy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    // SAFETY: what C asks for.
    unsafe { copy_nonoverlapping(from, to, size) };
    to
}

unsafe extern "sysv64" fn memory_move(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    // SAFETY: what C asks for.
    unsafe { std::ptr::copy(from, to, size) };
    to
}

unsafe extern "sysv64" fn memory_set(to: *mut u8, byte: c_int, size: usize) -> *mut u8 {
    // SAFETY: what C asks for.
    unsafe { to.write_bytes(byte as u8, size) };
    to
}
