//! PTX becomes code objects for AMD GPUs, and what these say of themselves is held against the documents of LLVM ("User
//! Guide for AMDGPU Backend").

use crate::program::capture;
use crate::repository::Profile;
use object::elf::{EM_AMDGPU, FileHeader64};
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol};
use rmpv::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

type Checked<T = ()> = std::result::Result<T, String>;

/// Large texts on a busy machine.
const LIMIT: Duration = Duration::from_secs(1200);

/// All processors, and their numbers in the ELF header.
pub const PROCESSORS: &[(&str, u32)] = &[
    ("gfx900", 0x2c),
    ("gfx902", 0x2d),
    ("gfx906", 0x2f),
    ("gfx908", 0x30),
    ("gfx90a", 0x3f),
    ("gfx90c", 0x32),
    ("gfx942", 0x4c),
    ("gfx950", 0x4f),
    ("gfx1010", 0x33),
    ("gfx1011", 0x34),
    ("gfx1012", 0x35),
    ("gfx1030", 0x36),
    ("gfx1031", 0x37),
    ("gfx1032", 0x38),
    ("gfx1033", 0x39),
    ("gfx1034", 0x3e),
    ("gfx1035", 0x3d),
    ("gfx1036", 0x45),
    ("gfx1100", 0x41),
    ("gfx1101", 0x46),
    ("gfx1102", 0x47),
    ("gfx1103", 0x44),
    ("gfx1150", 0x43),
    ("gfx1151", 0x4a),
    ("gfx1152", 0x55),
    ("gfx1153", 0x58),
    ("gfx1200", 0x48),
    ("gfx1201", 0x4e),
    ("gfx9-generic", 0x51),
    ("gfx9-4-generic", 0x5f),
    ("gfx10-1-generic", 0x52),
    ("gfx10-3-generic", 0x53),
    ("gfx11-generic", 0x54),
    ("gfx12-generic", 0x59),
];

/// EI_OSABI of HSA.
const HSA: u8 = 64;
/// EI_ABIVERSION of code object versions 5 and 6.
const VERSIONS: [u8; 2] = [3, 4];
const PROCESSOR_MASK: u32 = 0xff;
/// The version of a generic processor, above the other flags.
const GENERIC_SHIFT: u32 = 24;
const NT_AMDGPU_METADATA: u32 = 32;

/// Makes one code object of all kernels of a file of PTX, and looks at what comes of it.
pub fn compile(profile: Profile, ptx: &Path, processor: &str, to: &Path) -> Checked {
    let mut command = Command::new(profile.staged().join("bin/zluda"));
    command.arg("compile").arg(ptx).args(["--target", processor, "-o"]).arg(to);
    let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
    if !output.success() {
        return Err(output.describe());
    }
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    check(&read(to)?, processor, &kernels(&String::from_utf8_lossy(&read(ptx)?)))
}

/// The names of the kernels that a text defines.
pub fn kernels(text: &str) -> Vec<String> {
    let tree = ptx_parser::parse(text).module;
    let functions = tree.directives.iter().filter_map(|directive| match directive {
        ptx_parser::Directive::Function(function) => Some(function),
        _ => None,
    });
    functions
        .filter(|it| it.kind == ptx_parser::FunctionKind::Entry && it.body.is_some())
        .map(|it| it.name.to_owned())
        .collect()
}

/// Headers, symbols and metadata of a code object that holds these kernels, for this processor.
fn check(bytes: &[u8], processor: &str, kernels: &[String]) -> Checked {
    let object = ElfFile64::<Endianness>::parse(bytes).map_err(|error| error.to_string())?;
    check_header(&object, processor)?;
    let undefined: Vec<_> = object
        .dynamic_symbols()
        .chain(object.symbols())
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok().filter(|name| !name.is_empty()).map(str::to_owned))
        .collect();
    if !undefined.is_empty() {
        return Err(format!("undefined symbols: {}", undefined.join(", ")));
    }
    let metadata = metadata(&object)?;
    let version = Value::Array(vec![Value::from(1), Value::from(2)]);
    equal("amdhsa.version", field(&metadata, "amdhsa.version")?, &version)?;
    let target = Value::from(format!("amdgcn-amd-amdhsa--{processor}"));
    equal("amdhsa.target", field(&metadata, "amdhsa.target")?, &target)?;
    let described = field(&metadata, "amdhsa.kernels")?.as_array().ok_or("kernels are no list")?;
    let text = |map: &Value, key: &str| {
        let text = field(map, key)?.as_str().ok_or(format!("{key} is no text"))?;
        Ok::<_, String>(text.to_owned())
    };
    for name in kernels {
        let found = described.iter().find(|map| text(map, ".name").is_ok_and(|text| text == *name));
        let kernel = found.ok_or_else(|| format!("the metadata lacks the kernel {name}"))?;
        let descriptor = text(kernel, ".symbol")?;
        let symbol = object.dynamic_symbols().find(|symbol| symbol.name() == Ok(&*descriptor));
        let size = symbol.map(|symbol| symbol.size());
        if size != Some(64) {
            return Err(format!("{descriptor} has {size:?} bytes, not those of a descriptor"));
        }
        let wave = field(kernel, ".wavefront_size")?;
        let lanes = if processor.starts_with("gfx9") { 64 } else { 32 };
        equal(".wavefront_size", wave, &Value::from(lanes))?;
    }
    if described.len() == kernels.len() {
        return Ok(());
    }
    Err(format!("{} kernels are described, of {}", described.len(), kernels.len()))
}

fn check_header(object: &ElfFile64<'_, Endianness>, processor: &str) -> Checked {
    let header: &FileHeader64<Endianness> = object.elf_header();
    let endian = object.endian();
    let is_generic = processor.ends_with("-generic");
    let flags = header.e_flags(endian);
    let number = PROCESSORS.iter().find(|(name, _)| *name == processor).map(|(_, number)| *number);
    let ident = header.e_ident();
    for (what, found, expected) in [
        ("machine", u32::from(header.e_machine(endian)), Some(EM_AMDGPU.into())),
        ("OS", ident.os_abi.into(), Some(HSA.into())),
        ("version", ident.abi_version.into(), Some(VERSIONS[usize::from(is_generic)].into())),
        ("processor", flags & PROCESSOR_MASK, number),
        ("version of the generic processor", flags >> GENERIC_SHIFT, Some(is_generic.into())),
    ] {
        if Some(found) != expected {
            return Err(format!("the {what} is {found:#x}, not {expected:#x?}"));
        }
    }
    Ok(())
}

fn metadata(object: &ElfFile64<'_, Endianness>) -> Checked<Value> {
    let endian = object.endian();
    let text = |error: object::Error| error.to_string();
    for section in object.elf_section_table().iter() {
        let Some(mut notes) = section.notes(endian, object.data()).map_err(text)? else { continue };
        while let Some(note) = notes.next().map_err(text)? {
            if note.n_type(endian) == NT_AMDGPU_METADATA && note.name() == b"AMDGPU" {
                return rmpv::decode::read_value(&mut note.desc())
                    .map_err(|error| error.to_string());
            }
        }
    }
    Err("there is no metadata".to_owned())
}

fn field<'v>(map: &'v Value, key: &str) -> Checked<&'v Value> {
    let entries = map.as_map().ok_or("the metadata is no map")?;
    let found = entries.iter().find(|(name, _)| name.as_str() == Some(key));
    found.map(|(_, value)| value).ok_or_else(|| format!("the metadata lacks {key}"))
}

fn equal(what: &str, found: &Value, expected: &Value) -> Checked {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
}
