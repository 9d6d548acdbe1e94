//! The table of symbols of a library that the linker has mapped (System V ABI, "Dynamic Linking").

use std::ffi::CStr;

/// `Elf64_Dyn`.
#[repr(C)]
pub struct Dynamic {
    tag: u64,
    value: usize,
}

const DT_NULL: u64 = 0;
/// The hash table of the ABI, which all of NVIDIA's libraries have: its second word is the number of symbols.
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;

/// Pages of x86-64.
const PAGE: usize = 4096;

pub struct Symbols {
    base: usize,
    names: *const u8,
    table: *mut libc::Elf64_Sym,
    hash: *const u32,
}

impl Symbols {
    /// # Safety
    /// A library is mapped at `base`, and `dynamic` is its table.
    pub unsafe fn of(base: usize, dynamic: *const Dynamic) -> Option<Symbols> {
        let [mut names, mut table, mut hash] = [0; 3];
        let mut entry = dynamic;
        // SAFETY: the table ends with `DT_NULL`.
        unsafe {
            while (*entry).tag != DT_NULL {
                let value = (*entry).value;
                // Older versions of glibc make addresses of the places at once.
                let address = if value < base { base + value } else { value };
                match (*entry).tag {
                    DT_STRTAB => names = address,
                    DT_SYMTAB => table = address,
                    DT_HASH => hash = address,
                    _ => {}
                }
                entry = entry.add(1);
            }
        }
        let is_whole = names != 0 && table != 0 && hash != 0;
        is_whole.then_some(Symbols { base, names: names as _, table: table as _, hash: hash as _ })
    }

    /// The place of a symbol that the library defines.
    pub fn find(&self, name: &CStr) -> Option<usize> {
        // SAFETY: the linker has checked the library; places count from 0 to the number of chains.
        unsafe {
            let count = self.hash.add(1).read() as usize;
            (0..count).find(|place| {
                let symbol = self.table.add(*place);
                let own = CStr::from_ptr(self.names.add((*symbol).st_name as usize).cast());
                (*symbol).st_shndx != 0 && own == name
            })
        }
    }

    /// The address that a symbol stands for.
    pub fn address(&self, place: usize) -> usize {
        // SAFETY: `find` found it.
        self.base.wrapping_add(unsafe { (*self.table.add(place)).st_value } as usize)
    }

    /// Leads a symbol to another address. Where the table cannot be written, nothing changes.
    ///
    /// # Safety
    /// `place` was found, and nobody else reads the table.
    pub unsafe fn lead(&self, place: usize, address: usize) {
        let symbol = self.table.wrapping_add(place);
        let page = PAGE;
        let from = symbol as usize / page * page;
        let size = symbol as usize + size_of::<libc::Elf64_Sym>() - from;
        // SAFETY: the table is mapped; its pages become private to this process, and what they were again.
        unsafe {
            let may_write = libc::PROT_READ | libc::PROT_WRITE;
            if libc::mprotect(from as _, size, may_write) == 0 {
                (*symbol).st_value = address.wrapping_sub(self.base) as u64;
                libc::mprotect(from as _, size, self.protection(symbol as usize));
            }
        }
    }

    /// What may be done with the memory at an address of the library, as its program headers say.
    fn protection(&self, address: usize) -> libc::c_int {
        let header = self.base as *const libc::Elf64_Ehdr;
        let place = address - self.base;
        // SAFETY: a library is mapped from its first byte on, its headers among the first.
        let segments = unsafe {
            let first = self.base + (*header).e_phoff as usize;
            std::slice::from_raw_parts(first as *const libc::Elf64_Phdr, (*header).e_phnum.into())
        };
        let flags = segments.iter().find_map(|segment| {
            let from = segment.p_vaddr as usize;
            let is_in = segment.p_type == libc::PT_LOAD
                && (from..from + segment.p_memsz as usize).contains(&place);
            is_in.then_some(segment.p_flags)
        });
        let flags = flags.unwrap_or(libc::PF_R);
        [
            (libc::PF_R, libc::PROT_READ),
            (libc::PF_W, libc::PROT_WRITE),
            (libc::PF_X, libc::PROT_EXEC),
        ]
        .into_iter()
        .filter(|(flag, _)| flags & flag != 0)
        .fold(libc::PROT_NONE, |all, (_, one)| all | one)
    }
}
