//! `libamd_comgr`, through which ROCm's loaders read code objects: what it says of ours.

use crate::Result;
use libloading::Library;
use object::{Object, ObjectSection, ObjectSymbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

/// A number by which the library names an object.
type Handle = u64;
type Status = c_int;

const DATA_KIND_EXECUTABLE: c_int = 8;

type ReadMemory = unsafe extern "C" fn(u64, *mut c_char, u64, *mut c_void) -> u64;
type PrintInstruction = unsafe extern "C" fn(*const c_char, *mut c_void);
type PrintAddress = unsafe extern "C" fn(u64, *mut c_void);

/// The functions of `amd_comgr.h` that are called here.
macro_rules! functions {
    ($($name:ident($($type:ty),*);)*) => {
        struct Comgr { $($name: unsafe extern "C" fn($($type),*) -> Status,)* _library: Library }

        impl Comgr {
            fn open(path: &str) -> Result<Comgr> {
                // SAFETY: the library's initialisers have no preconditions.
                let library = unsafe { Library::new(path) }?;
                // SAFETY: the functions have these types.
                Ok(unsafe { Comgr {
                    $($name: *library.get(concat!("amd_comgr_", stringify!($name), "\0").as_bytes())?,)*
                    _library: library,
                } })
            }
        }
    };
}

functions! {
    create_data(c_int, *mut Handle);
    release_data(Handle);
    set_data(Handle, usize, *const c_char);
    get_data_isa_name(Handle, *mut usize, *mut c_char);
    get_data_metadata(Handle, *mut Handle);
    metadata_lookup(Handle, *const c_char, *mut Handle);
    get_metadata_string(Handle, *mut usize, *mut c_char);
    get_metadata_list_size(Handle, *mut usize);
    index_list_metadata(Handle, usize, *mut Handle);
    create_disassembly_info(*const c_char, ReadMemory, PrintInstruction, PrintAddress, *mut Handle);
    disassemble_instruction(Handle, u64, *mut c_void, *mut u64);
}

/// Prints a line for each file: `ok` or what is wrong, the file, ISA and kernels.
pub fn run(library: &str, files: &[&str], disassemble: bool) -> Result<()> {
    let comgr = Comgr::open(library)?;
    for file in files {
        match comgr.describe(file, disassemble) {
            Ok(line) => println!("ok {file} {line}"),
            Err(error) => println!("error {file} {error}"),
        }
    }
    Ok(())
}

fn check(what: &str, status: Status) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(format!("{what} answers {status}").into()) }
}

/// The bytes that disassembly reads and the text that it writes.
struct Code<'a> {
    address: u64,
    bytes: &'a [u8],
    text: String,
}

unsafe extern "C" fn read(from: u64, to: *mut c_char, size: u64, code: *mut c_void) -> u64 {
    // SAFETY: the library hands on what it was given for this call.
    let code = unsafe { &*code.cast::<Code<'_>>() };
    let start = from.checked_sub(code.address).and_then(|start| usize::try_from(start).ok());
    let bytes = start.and_then(|start| code.bytes.get(start..)).unwrap_or_default();
    let count = bytes.len().min(size as usize);
    // SAFETY: there is room for `size` bytes.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), count) };
    count as u64
}

unsafe extern "C" fn print(text: *const c_char, code: *mut c_void) {
    // SAFETY: as above; the text ends with a zero.
    unsafe {
        (*code.cast::<Code<'_>>()).text = CStr::from_ptr(text).to_string_lossy().trim().to_owned();
    }
}

unsafe extern "C" fn print_address(_address: u64, _code: *mut c_void) {}

impl Comgr {
    /// ISA and kernels of a code object, as the library sees them.
    fn describe(&self, file: &str, disassemble: bool) -> Result<String> {
        let bytes = std::fs::read(file)?;
        let mut data = 0;
        // SAFETY: the variables outlive the calls; handles are the library's.
        unsafe {
            check("create_data", (self.create_data)(DATA_KIND_EXECUTABLE, &mut data))?;
            check("set_data", (self.set_data)(data, bytes.len(), bytes.as_ptr().cast()))?;
        }
        let isa = text(|size, text| {
            // SAFETY: as above.
            check("get_data_isa_name", unsafe { (self.get_data_isa_name)(data, size, text) })
        })?;
        let mut root = 0;
        // SAFETY: as above.
        check("get_data_metadata", unsafe { (self.get_data_metadata)(data, &mut root) })?;
        let target = self.string(self.lookup(root, c"amdhsa.target")?)?;
        if target != isa {
            return Err(format!("the object is for {isa}, its metadata for {target}").into());
        }
        let list = self.lookup(root, c"amdhsa.kernels")?;
        let (mut count, mut kernels) = (0, Vec::new());
        // SAFETY: as above.
        check("get_metadata_list_size", unsafe {
            (self.get_metadata_list_size)(list, &mut count)
        })?;
        for index in 0..count {
            let mut kernel = 0;
            // SAFETY: as above.
            check("index_list_metadata", unsafe {
                (self.index_list_metadata)(list, index, &mut kernel)
            })?;
            kernels.push(self.string(self.lookup(kernel, c".name")?)?);
        }
        if disassemble {
            self.disassemble(&isa, &bytes)?;
        }
        // SAFETY: nothing uses the handle any more.
        check("release_data", unsafe { (self.release_data)(data) })?;
        Ok(format!("{isa} {}", kernels.join(" ")))
    }

    fn lookup(&self, map: Handle, key: &CStr) -> Result<Handle> {
        let mut value = 0;
        // SAFETY: the variables outlive the call; handles are the library's.
        let status = unsafe { (self.metadata_lookup)(map, key.as_ptr(), &mut value) };
        check(&format!("metadata_lookup of {}", key.to_string_lossy()), status)?;
        Ok(value)
    }

    fn string(&self, value: Handle) -> Result<String> {
        // SAFETY: as above.
        text(|size, text| {
            // SAFETY: as above.
            check("get_metadata_string", unsafe { (self.get_metadata_string)(value, size, text) })
        })
    }

    /// Disassembles the code of all functions of an object.
    fn disassemble(&self, isa: &str, bytes: &[u8]) -> Result<()> {
        let file = object::File::parse(bytes)?;
        let section = file.section_by_name(".text").ok_or("there is no code")?;
        let mut code =
            Code { address: section.address(), bytes: section.data()?, text: String::new() };
        let name = CString::new(isa)?;
        let mut info = 0;
        // SAFETY: the variables outlive the call, the functions have the types that the library wants.
        check("create_disassembly_info", unsafe {
            (self.create_disassembly_info)(name.as_ptr(), read, print, print_address, &mut info)
        })?;
        // Beyond functions lies padding.
        for symbol in file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text) {
            let (mut address, end) = (symbol.address(), symbol.address() + symbol.size());
            while address < end {
                let mut size = 0;
                // SAFETY: `code` outlives the call, and nothing else uses it meanwhile.
                let status = unsafe {
                    (self.disassemble_instruction)(info, address, (&raw mut code).cast(), &mut size)
                };
                check(&format!("disassemble_instruction at {address:#x}"), status)?;
                if size == 0 || code.text.is_empty() {
                    return Err(format!("no instruction at {address:#x}").into());
                }
                address += size;
            }
        }
        Ok(())
    }
}

/// A text that a function first says the size of, then writes.
fn text(mut get: impl FnMut(*mut usize, *mut c_char) -> Result<()>) -> Result<String> {
    let mut size = 0;
    get(&mut size, null_mut())?;
    let mut bytes = vec![0u8; size];
    get(&mut size, bytes.as_mut_ptr().cast())?;
    Ok(CStr::from_bytes_until_nul(&bytes)?.to_str()?.to_owned())
}
