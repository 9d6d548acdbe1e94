//! Code objects: ELF files for AMD GPUs, loaded into the device's memory.

pub mod descriptor;
pub mod metadata;

use std::collections::HashMap;
use std::sync::Arc;

use hip_host::executor::Loaded;

use object::elf::{PT_LOAD, SHT_NOTE};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::arch::Arch;
use crate::decode::{Program, decode};
use descriptor::Descriptor;
use metadata::KernelMetadata;

/// The defect of a code object, in words.
pub type Error = String;

/// A code object in memory.
#[derive(Debug)]
pub struct CodeObject {
    pub arch: Arch,
    /// The segments, as they lie in memory.
    memory: Loaded,
    pub program: Program,
    kernels: Vec<KernelMetadata>,
    /// The addresses of descriptors, by the names of their symbols.
    symbols: HashMap<String, u64>,
    /// Name, address and size.
    pub variables: Vec<(String, usize, usize)>,
}

/// A kernel of a code object.
#[derive(Debug)]
pub struct Kernel {
    pub code: Arc<CodeObject>,
    pub metadata: KernelMetadata,
    pub descriptor: Descriptor,
    /// The word of code that it begins with.
    pub entry: usize,
}

/// The largest image in memory that is believed.
const LARGEST: u64 = 1 << 30;

/// Bytes of arguments that are believed, and of scratch memory of a work item.
const LARGEST_ARGUMENTS: usize = 64 << 10;
const LARGEST_PRIVATE: u32 = 512 << 10;

const R_AMDGPU_ABS64: u32 = 3;
const R_AMDGPU_RELATIVE64: u32 = 13;
const NT_AMDGPU_METADATA: u32 = 32;

impl CodeObject {
    /// Loads a code object into memory and decodes its code. Fails if it is damaged, or has what the emulator does not
    /// take.
    pub fn load(arch: &Arch, bytes: &[u8]) -> Result<CodeObject, Error> {
        let text = |error: object::Error| error.to_string();
        let elf = ElfFile64::<LittleEndian>::parse(bytes).map_err(text)?;
        let endian = LittleEndian;
        let mut size = 0;
        for segment in elf.elf_program_headers() {
            if segment.p_type(endian) == PT_LOAD {
                let end = segment.p_vaddr(endian).checked_add(segment.p_memsz(endian));
                size = size.max(end.ok_or("a segment without an end")?);
            }
        }
        if size > LARGEST {
            return Err("segments beyond what is believed".to_owned());
        }
        let mut memory = Loaded::new(size as usize).ok_or("no memory for the segments")?;
        let base = memory.address() as u64;
        {
            let image = &mut memory.bytes()[..size as usize];
            for segment in elf.elf_program_headers() {
                if segment.p_type(endian) != PT_LOAD {
                    continue;
                }
                let data =
                    segment.data(endian, bytes).map_err(|()| "a segment outside the file")?;
                let at = segment.p_vaddr(endian) as usize;
                // Within the image, or a range that ends before it begins.
                image
                    .get_mut(at..at.wrapping_add(data.len()))
                    .ok_or("a segment longer than its memory")?
                    .copy_from_slice(data);
            }
            relocate(&elf, image, base)?;
        }
        let code = elf.section_by_name(".text").ok_or("no code")?;
        let (start, length) = (code.address(), code.size());
        let image = &memory.bytes()[..size as usize];
        let range = start as usize..start.saturating_add(length) as usize;
        let code = image.get(range).ok_or("code outside the segments")?;
        let program = decode(arch, code, base.wrapping_add(start))?;
        let mut symbols = HashMap::new();
        let mut variables = Vec::new();
        for symbol in elf.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            let name = symbol.name().map_err(text)?.to_owned();
            if symbol.kind() == SymbolKind::Data && !name.ends_with(".kd") {
                let address = base.wrapping_add(symbol.address()) as usize;
                if symbol.address().checked_add(symbol.size()).is_none_or(|end| end > size) {
                    return Err(format!("variable {name} outside the segments"));
                }
                variables.push((name, address, symbol.size() as usize));
            } else {
                symbols.insert(name, symbol.address());
            }
        }
        let kernels = metadata(&elf, bytes)?;
        Ok(CodeObject { arch: arch.clone(), memory, program, kernels, symbols, variables })
    }

    /// The kernels' names.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// A kernel by name; `None` where there is none.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Option<Result<Kernel, Error>> {
        let metadata = self.kernels.iter().find(|kernel| kernel.name == name)?.clone();
        Some(self.open(metadata))
    }

    fn open(self: &Arc<Self>, metadata: KernelMetadata) -> Result<Kernel, Error> {
        let missing = || format!("kernel {} has no descriptor", metadata.name);
        let at = *self.symbols.get(&metadata.symbol).ok_or_else(missing)?;
        let mut bytes = [0; descriptor::SIZE];
        let memory = self.memory.place() as *const u8;
        let length = self.memory.size();
        let end = (at as usize).checked_add(descriptor::SIZE).ok_or_else(missing)?;
        if end > length {
            return Err(missing());
        }
        // SAFETY: within the memory, which nobody changes but kernels.
        unsafe {
            std::ptr::copy_nonoverlapping(memory.add(at as usize), bytes.as_mut_ptr(), bytes.len());
        }
        let descriptor = Descriptor::parse(&bytes);
        if descriptor.lanes(&self.arch) != self.arch.lanes {
            return Err(format!("kernel {} wants waves of another size", metadata.name));
        }
        let arguments = metadata.hidden.iter().map(|hidden| hidden.offset + hidden.size);
        let arguments = arguments.max().unwrap_or(0).max(metadata.explicit_size as usize);
        if arguments.max(descriptor.arguments_size as usize) > LARGEST_ARGUMENTS {
            return Err(format!("kernel {} has too many arguments", metadata.name));
        }
        let private = descriptor.private_size.max(metadata.private_size);
        if private > LARGEST_PRIVATE {
            return Err(format!("kernel {} has too much local memory", metadata.name));
        }
        let mut entry =
            (self.memory.address() as u64).wrapping_add(at).wrapping_add_signed(descriptor.entry);
        if descriptor.preloads() {
            entry = entry.wrapping_add(256);
        }
        let entry = self.program.word_of(entry).ok_or_else(missing)?;
        Ok(Kernel { code: self.clone(), metadata, descriptor, entry })
    }

    /// The address of a word of code from the beginning of the file's segments, as tools print it.
    pub fn offset_of(&self, word: usize) -> u64 {
        self.program.address_of(word).wrapping_sub(self.memory.address() as u64)
    }
}

fn relocate(elf: &ElfFile64<'_, LittleEndian>, image: &mut [u8], base: u64) -> Result<(), Error> {
    let Some(relocations) = elf.dynamic_relocations() else { return Ok(()) };
    for (offset, relocation) in relocations {
        let object::RelocationFlags::Elf { r_type } = relocation.flags() else {
            return Err("a relocation of another format".to_owned());
        };
        let value = match (r_type, relocation.target()) {
            (R_AMDGPU_RELATIVE64, _) => base.wrapping_add_signed(relocation.addend()),
            (R_AMDGPU_ABS64, object::RelocationTarget::Symbol(index)) => {
                let table = elf.dynamic_symbol_table().ok_or("no table of symbols")?;
                let symbol = object::ObjectSymbolTable::symbol_by_index(&table, index)
                    .map_err(|error| error.to_string())?;
                if !symbol.is_definition() {
                    return Err(format!("undefined symbol {}", symbol.name().unwrap_or_default()));
                }
                base.wrapping_add(symbol.address()).wrapping_add_signed(relocation.addend())
            }
            _ => return Err(format!("a relocation of type {r_type}")),
        };
        let at = offset as usize;
        image
            .get_mut(at..at.wrapping_add(8))
            .ok_or("a relocation outside the segments")?
            .copy_from_slice(&value.to_le_bytes());
    }
    Ok(())
}

/// The kernels of all notes: a linker leaves those of each object behind one another, as in rocBLAS's libraries of kernels.
fn metadata(elf: &ElfFile64<'_, LittleEndian>, bytes: &[u8]) -> Result<Vec<KernelMetadata>, Error> {
    let mut kernels = None;
    let endian = LittleEndian;
    let header = elf.elf_header();
    let sections = header.section_headers(endian, bytes).map_err(|error| error.to_string())?;
    for section in sections {
        if section.sh_type(endian) != SHT_NOTE {
            continue;
        }
        let Ok(Some(mut notes)) = section.notes(endian, bytes) else { continue };
        while let Ok(Some(note)) = notes.next() {
            if note.n_type(endian) == NT_AMDGPU_METADATA && note.name() == b"AMDGPU" {
                let found = metadata::kernels(note.desc());
                let found = found.ok_or_else(|| "metadata that cannot be read".to_owned())?;
                kernels.get_or_insert_with(Vec::new).extend(found);
            }
        }
    }
    kernels.ok_or_else(|| "no metadata".to_owned())
}
