//! Reads cubins: ELF files of machine code for one architecture.
//!
//! | section | holds |
//! |---|---|
//! | `.text.NAME` | the code of a kernel and of the functions that it calls, or of a function |
//! | `.nv.info`, `.nv.info.NAME` | attributes, see [`info`] |
//! | `.nv.constant0.NAME` | the size of what a launch fills: special values, then parameters |
//! | `.nv.constant2.NAME` | constants and jump tables of the compiler |
//! | `.nv.constant3` | `__constant__` variables |
//! | `.nv.constant4`, `.nv.constant4.NAME` | addresses of globals, functions and system calls, by relocations |
//! | `.nv.global`, `.nv.global.init` | global variables without and with values |
//! | `.nv.shared.NAME`, `.nv.local.NAME` | sizes of shared and local memory |
//!
//! Nothing in a file is trusted: what lies outside of it, or contradicts itself, is an error.

pub mod info;

use info::{Attribute, Info};
use object::elf::{
    FileHeader64, SHN_UNDEF, SHT_NOBITS, SHT_REL, SHT_RELA, SHT_SYMTAB, STB_LOCAL, STT_FUNC,
    STT_OBJECT, STT_SECTION,
};
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, Sym};
use object::{LittleEndian, SectionIndex};
use std::collections::{BTreeMap, HashMap};

const EM_CUDA: u16 = 190;
/// The bit of `st_other` of a kernel's symbol (`STO_CUDA_ENTRY`).
const ENTRY: u8 = 0x10;
/// The bit of `st_other` of the symbol of a variable that is managed (`STO_CUDA_MANAGED`).
const MANAGED: u8 = 0x4;
/// From this ABI version on, the architecture lies in the second byte of `e_flags`; before, in the first.
const ABI_OF_SECOND_BYTE: u8 = 8;
/// The note that says what newer files were compiled for, which may be older than the architecture of their code.
const CUINFO: &str = ".note.nv.cuinfo";

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the file is no ELF file of 64 bits for NVIDIA's GPUs")]
    NoCubin,
    #[error("{what}: {reason}")]
    Malformed { what: String, reason: String },
}

fn malformed(what: impl Into<String>, reason: impl ToString) -> Error {
    Error::Malformed { what: what.into(), reason: reason.to_string() }
}

/// A relocation: the value of a symbol is to be put into a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where, in bytes from the beginning of the section.
    pub offset: u64,
    /// The index of the symbol.
    pub symbol: usize,
    /// How, such as [`Relocation::ABSOLUTE_64`].
    pub kind: u32,
    /// What is added to the value; none where that stands in the section.
    pub addend: Option<i64>,
}

impl Relocation {
    /// `R_CUDA_64`: all of an address.
    pub const ABSOLUTE_64: u32 = 2;
    /// `R_CUDA_G64`: all of a generic address.
    pub const GENERIC_64: u32 = 4;
    /// `R_CUDA_ABS32_LO_32`, `R_CUDA_ABS32_HI_32`: the lower and the upper half of an address, in bits 32 to 63 of an
    /// instruction.
    pub const LOW_32: u32 = 0x38;
    pub const HIGH_32: u32 = 0x39;
    /// `R_CUDA_FUNC_DESC32_LO_32`, `R_CUDA_FUNC_DESC32_HI_32`: the same of a function's descriptor, by which kernels launch.
    pub const DESCRIPTOR_LOW_32: u32 = 0x3e;
    pub const DESCRIPTOR_HIGH_32: u32 = 0x3f;
    /// `R_CUDA_FUNC_DESC_64`: all of it, in a variable.
    pub const DESCRIPTOR_64: u32 = 0x23;
    /// All kinds that are about descriptors.
    pub const DESCRIPTORS: [u32; 3] =
        [Self::DESCRIPTOR_64, Self::DESCRIPTOR_LOW_32, Self::DESCRIPTOR_HIGH_32];
    /// `R_CUDA_TEX_HEADER_INDEX`, `R_CUDA_SAMP_HEADER_INDEX`, `R_CUDA_SURF_HEADER_INDEX`: the handle of what a program binds by
    /// name, in bank 0.
    pub const TEXTURE: u32 = 6;
    pub const SAMPLER: u32 = 7;
    pub const SURFACE: u32 = 0x34;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    pub name: &'a str,
    /// Empty where the file holds only a size.
    pub data: &'a [u8],
    /// In bytes.
    pub size: u64,
    pub alignment: u64,
    /// By their offsets.
    pub relocations: Vec<Relocation>,
    /// `sh_info`: of code, the symbol in the lower 24 bits and the registers above.
    info: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    Function,
    Object,
    Section,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    pub name: &'a str,
    pub kind: SymbolKind,
    /// The index of the section; none where another file or the driver defines it.
    pub section: Option<usize>,
    /// In bytes from the beginning of the section.
    pub offset: u64,
    pub size: u64,
    pub is_local: bool,
    /// A kernel.
    pub is_entry: bool,
    /// A variable in managed memory.
    pub is_managed: bool,
}

/// A kernel or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    pub name: &'a str,
    pub symbol: usize,
    /// The index of the section of code; a kernel's holds the local functions that it calls too.
    pub section: usize,
    /// Where it begins in the section, and its size, in bytes.
    pub offset: u64,
    pub size: u64,
    pub is_kernel: bool,
    /// Registers of a thread, where the section says it.
    pub registers: u32,
    pub info: Info,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin<'a> {
    /// 80 for sm_80.
    pub architecture: u8,
    /// The architecture of the PTX that it was made of, where the file says that; else its own.
    pub compiled_for: u8,
    pub sections: Vec<Section<'a>>,
    section_by_name: HashMap<&'a str, usize>,
    pub symbols: Vec<Symbol<'a>>,
    /// By their sections and offsets.
    pub functions: Vec<Function<'a>>,
    /// Attributes of the file that belong to no function.
    pub attributes: Vec<Attribute>,
}

/// Whether a file is an ELF file for NVIDIA's GPUs.
pub fn is_cubin(file: &[u8]) -> bool {
    header(file).is_ok()
}

fn header(file: &[u8]) -> Result<&FileHeader64<LittleEndian>, Error> {
    let header = FileHeader64::<LittleEndian>::parse(file).map_err(|_| Error::NoCubin)?;
    let endian = header.endian().map_err(|_| Error::NoCubin)?;
    if header.e_machine(endian) == EM_CUDA { Ok(header) } else { Err(Error::NoCubin) }
}

/// The virtual architecture of a [note](CUINFO). Behind the header and `NVIDIA Corp` stand, in 16 bits each, the note's version
/// and that.
fn compiled_for(note: &[u8]) -> Option<u8> {
    let bytes = note.get(26..28)?;
    u8::try_from(u16::from_le_bytes([bytes[0], bytes[1]])).ok()
}

impl<'a> Cubin<'a> {
    /// Reads a file.
    pub fn parse(file: &'a [u8]) -> Result<Self, Error> {
        let header = header(file)?;
        let endian = header.endian().map_err(|_| Error::NoCubin)?;
        let flags = header.e_flags(endian);
        let is_newer = header.e_ident().abi_version >= ABI_OF_SECOND_BYTE;
        let architecture = (flags >> if is_newer { 8 } else { 0 }) as u8;
        let table = header.sections(endian, file).map_err(|error| malformed("sections", error))?;
        let mut sections = Vec::with_capacity(table.len());
        for (index, section) in table.enumerate() {
            let what = || format!("section {}", index.0);
            let name =
                table.section_name(endian, section).map_err(|error| malformed(what(), error))?;
            let name = std::str::from_utf8(name).map_err(|error| malformed(what(), error))?;
            let data = section.data(endian, file).map_err(|error| malformed(name, error))?;
            let (info, alignment) = (section.sh_info(endian), section.sh_addralign(endian));
            let is_kept = section.sh_type(endian) == SHT_NOBITS;
            let size = if is_kept { section.sh_size(endian) } else { data.len() as u64 };
            sections.push(Section { name, data, size, alignment, relocations: Vec::new(), info });
        }
        let noted = sections.iter().find(|section| section.name == CUINFO);
        let compiled_for = match is_newer {
            true => noted.and_then(|note| compiled_for(note.data)).unwrap_or(architecture),
            false => (flags >> 16) as u8,
        };
        let read =
            table.symbols(endian, file, SHT_SYMTAB).map_err(|error| malformed("symbols", error))?;
        let mut symbols = Vec::with_capacity(read.len());
        for (index, symbol) in read.enumerate() {
            let what = || format!("symbol {}", index.0);
            let name =
                read.symbol_name(endian, symbol).map_err(|error| malformed(what(), error))?;
            let name = std::str::from_utf8(name).map_err(|error| malformed(what(), error))?;
            let section = read.symbol_section(endian, symbol, index);
            let section = section
                .map_err(|error| malformed(name, error))?
                .map(|SectionIndex(section)| section);
            if section.is_some_and(|section| section >= sections.len()) {
                return Err(malformed(name, "it lies in a section that is not there"));
            }
            symbols.push(Symbol {
                name,
                kind: match symbol.st_type() {
                    STT_FUNC => SymbolKind::Function,
                    STT_OBJECT => SymbolKind::Object,
                    STT_SECTION => SymbolKind::Section,
                    _ => SymbolKind::Other,
                },
                section: section.filter(|_| symbol.st_shndx(endian) != SHN_UNDEF),
                offset: symbol.st_value(endian),
                size: symbol.st_size(endian),
                is_local: symbol.st_bind() == STB_LOCAL,
                is_entry: symbol.st_other() & ENTRY != 0,
                is_managed: symbol.st_type() == STT_OBJECT && symbol.st_other() & MANAGED != 0,
            });
        }
        for section in table.iter() {
            let target = section.sh_info(endian) as usize;
            let mut add = |relocation: Relocation| -> Result<(), Error> {
                let what = || format!("relocation {:#x} of section {target}", relocation.offset);
                if relocation.symbol >= symbols.len() {
                    return Err(malformed(what(), "its symbol is not there"));
                }
                let target = sections
                    .get_mut(target)
                    .ok_or_else(|| malformed(what(), "the section is not there"))?;
                if relocation.offset >= target.size {
                    return Err(malformed(what(), "it lies outside"));
                }
                target.relocations.push(relocation);
                Ok(())
            };
            match section.sh_type(endian) {
                SHT_REL => {
                    let all = section
                        .rel(endian, file)
                        .map_err(|error| malformed("relocations", error))?;
                    for rel in all.iter().flat_map(|(all, _)| all.iter()) {
                        let (offset, symbol) = (rel.r_offset(endian), rel.r_sym(endian) as usize);
                        add(Relocation { offset, symbol, kind: rel.r_type(endian), addend: None })?;
                    }
                }
                SHT_RELA => {
                    let all = section
                        .rela(endian, file)
                        .map_err(|error| malformed("relocations", error))?;
                    for rela in all.iter().flat_map(|(all, _)| all.iter()) {
                        let (offset, symbol) =
                            (rela.r_offset(endian), rela.r_sym(endian, false) as usize);
                        let (kind, addend) =
                            (rela.r_type(endian, false), Some(rela.r_addend(endian)));
                        add(Relocation { offset, symbol, kind, addend })?;
                    }
                }
                _ => {}
            }
        }
        for section in &mut sections {
            section.relocations.sort_by_key(|relocation| relocation.offset);
        }
        let by_name = sections.iter().enumerate().rev().map(|(at, section)| (section.name, at));
        let mut cubin = Cubin {
            architecture,
            compiled_for,
            section_by_name: by_name.collect(),
            sections,
            symbols,
            functions: Vec::new(),
            attributes: Vec::new(),
        };
        cubin.find_functions()?;
        cubin.read_info()?;
        Ok(cubin)
    }

    fn find_functions(&mut self) -> Result<(), Error> {
        for (index, symbol) in self.symbols.iter().enumerate() {
            let (SymbolKind::Function, Some(section)) = (symbol.kind, symbol.section) else {
                continue;
            };
            let code = &self.sections[section];
            if !code.name.starts_with(".text") {
                continue;
            }
            let end = symbol.offset.checked_add(symbol.size);
            if end.is_none_or(|end| end > code.data.len() as u64) {
                return Err(malformed(symbol.name, "its code lies outside of its section"));
            }
            self.functions.push(Function {
                name: symbol.name,
                symbol: index,
                section,
                offset: symbol.offset,
                size: symbol.size,
                is_kernel: symbol.is_entry,
                registers: code.info >> 24,
                info: Info::default(),
            });
        }
        self.functions.sort_by_key(|function| (function.section, function.offset));
        Ok(())
    }

    fn read_info(&mut self) -> Result<(), Error> {
        let by_symbol: BTreeMap<usize, usize> = self
            .functions
            .iter()
            .enumerate()
            .map(|(index, function)| (function.symbol, index))
            .collect();
        let all = self.functions.iter().enumerate().rev();
        let by_name: HashMap<&str, usize> = all.map(|(index, f)| (f.name, index)).collect();
        for section in &self.sections {
            let Some(rest) = section.name.strip_prefix(".nv.info") else { continue };
            let of = rest.strip_prefix('.');
            if of.is_none() && !rest.is_empty() {
                continue;
            }
            // Local functions have no section of their own, but kernels may have namesakes elsewhere.
            let owner = of.and_then(|name| by_name.get(name).copied());
            for attribute in info::attributes(section.data) {
                let attribute = attribute.map_err(|reason| malformed(section.name, reason))?;
                // Those of the whole file say which function they mean.
                let owner = owner.or_else(|| by_symbol.get(&attribute.symbol()?).copied());
                match owner.and_then(|owner| self.functions.get_mut(owner)) {
                    Some(function) => function.info.add(attribute).map_err(|reason| {
                        malformed(format!("{} in {}", function.name, section.name), reason)
                    })?,
                    None => self.attributes.push(attribute),
                }
            }
        }
        Ok(())
    }

    pub fn kernels(&self) -> impl Iterator<Item = &Function<'a>> {
        self.functions.iter().filter(|function| function.is_kernel)
    }

    /// The kernel or global function of a name.
    pub fn function(&self, name: &str) -> Option<&Function<'a>> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// Those of a section of code.
    pub fn functions_of(&self, section: usize) -> &[Function<'a>] {
        let from = self.functions.partition_point(|function| function.section < section);
        let to = self.functions.partition_point(|function| function.section <= section);
        &self.functions[from..to]
    }

    /// The first section of a name.
    pub fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.get(*self.section_by_name.get(name)?)
    }

    /// The whole section of code in which a function lies. Branches and calls count from its beginning.
    pub fn code(&self, function: &Function) -> &'a [u8] {
        self.sections.get(function.section).map_or(&[], |section| section.data)
    }

    /// What fills a constant bank for a kernel: its own section, or that of the file.
    pub fn bank(&self, kernel: &Function, number: u8) -> Option<&Section<'a>> {
        self.section(&format!(".nv.constant{number}.{}", kernel.name))
            .or_else(|| self.section(&format!(".nv.constant{number}")))
    }

    /// Bytes of shared memory that a kernel declares.
    pub fn shared_size(&self, kernel: &Function) -> u64 {
        self.section(&format!(".nv.shared.{}", kernel.name)).map_or(0, |section| section.size)
    }

    /// Variables that hosts may look for, and those that code refers to: in global (`.nv.global`, `.nv.global.init`) or
    /// constant memory (`.nv.constant3`), with the bytes that they begin with. First the symbol's index.
    pub fn variables(&self) -> impl Iterator<Item = (usize, &Symbol<'a>, &Section<'a>)> {
        let symbols = self.symbols.iter().enumerate();
        let objects = symbols.filter(|(_, symbol)| symbol.kind == SymbolKind::Object);
        objects.filter_map(|(at, symbol)| Some((at, symbol, self.sections.get(symbol.section?)?)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
