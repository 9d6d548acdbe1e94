//! Modules: ELF shared objects that the compiler made, loaded from memory.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use cpu_abi::{ABI_VERSION, DESCRIPTOR_SUFFIX, KernelDescriptor, KernelKind, MAGIC};
use hip_runtime_sys::hipError_t;
use object::elf::{EM_X86_64, ET_DYN, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{LittleEndian, Object, ObjectSymbol, SymbolKind};

use super::device::{Device, SHARED_DEFAULT, SHARED_LIMIT};
use super::memory::Kind;

/// The largest image that is believed.
const LARGEST: usize = 1 << 30;

pub struct Module {
    library: Library,
    kernels: Vec<String>,
    /// Variables, by name: size.
    variables: Vec<(String, usize)>,
    /// Handles of functions that were asked for end with the module.
    pub id: u64,
}

pub struct Kernel {
    pub module: Arc<Module>,
    pub name: String,
    pub descriptor: KernelDescriptor,
    /// Dynamic shared memory that a launch may ask for.
    max_dynamic_shared: AtomicI32,
}

struct Library(*mut c_void);

// SAFETY: the loader locks itself.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    fn symbol(&self, name: &str) -> Option<*const c_void> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is open, the name ends in NUL.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address.cast_const())
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once; kernels in flight keep their module.
        unsafe { libc::dlclose(self.0) };
    }
}

impl Module {
    /// Loads an image whose length only the image itself tells, `most` bytes at most.
    ///
    /// # Safety
    /// The code of the image is run. Its bytes need not be readable: that is an error.
    pub unsafe fn load(image: *const c_void, most: usize) -> Result<Module, hipError_t> {
        let mut file = memory_file()?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { copy_image(&mut file, image.cast(), most.min(LARGEST))? };
        let object =
            object::read::elf::ElfFile64::<LittleEndian>::parse(&*bytes).map_err(|error| {
                tracing::error!("image: {error}");
                hipError_t::hipErrorInvalidImage
            })?;
        let mut kernels = Vec::new();
        let mut variables = Vec::new();
        for symbol in object.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            let Ok(name) = symbol.name() else { return Err(hipError_t::hipErrorInvalidImage) };
            if let Some(kernel) = name.strip_suffix(DESCRIPTOR_SUFFIX) {
                kernels.push(kernel.to_owned());
            } else if symbol.kind() == SymbolKind::Data {
                variables.push((name.to_owned(), symbol.size() as usize));
            }
        }
        let library = open(&file)?;
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let module = Module { library, kernels, variables, id };
        for kernel in &module.kernels {
            module.descriptor(kernel)?;
        }
        Ok(module)
    }

    /// The kernels' names.
    pub fn kernels(&self) -> &[String] {
        &self.kernels
    }

    fn descriptor(&self, name: &str) -> Result<KernelDescriptor, hipError_t> {
        if !self.kernels.iter().any(|kernel| kernel == name) {
            return Err(hipError_t::hipErrorNotFound);
        }
        let address = self
            .library
            .symbol(&format!("{name}{DESCRIPTOR_SUFFIX}"))
            .ok_or(hipError_t::hipErrorNotFound)?;
        // SAFETY: the object says that a descriptor lies here; it is as long as the first version was.
        let descriptor = unsafe { address.cast::<KernelDescriptor>().read_unaligned() };
        let known =
            [KernelKind::Vector as u32, KernelKind::Reference as u32].contains(&descriptor.kind);
        if descriptor.magic != MAGIC || descriptor.entry.is_null() {
            tracing::error!("kernel {name}: its descriptor is none");
            return Err(hipError_t::hipErrorInvalidImage);
        }
        if descriptor.abi_version != ABI_VERSION || !known {
            tracing::error!(
                "kernel {name}: made for version {} of the engine",
                descriptor.abi_version
            );
            return Err(hipError_t::hipErrorNoBinaryForGpu);
        }
        Ok(descriptor)
    }

    /// A kernel by name.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Kernel, hipError_t> {
        let descriptor = self.descriptor(name)?;
        let default = SHARED_DEFAULT.saturating_sub(descriptor.static_shared_size) as i32;
        let max_dynamic_shared = AtomicI32::new(default);
        Ok(Kernel { module: self.clone(), name: name.to_owned(), descriptor, max_dynamic_shared })
    }

    /// Address and size of a variable, which pointers can be looked up in from now on.
    pub fn variable(&self, name: &str) -> Result<(usize, usize), hipError_t> {
        let (name, size) = self
            .variables
            .iter()
            .find(|(variable, _)| variable == name)
            .ok_or(hipError_t::hipErrorNotFound)?;
        let address = self.library.symbol(name).ok_or(hipError_t::hipErrorNotFound)? as usize;
        // Already known if it was asked for before.
        let _ = Device::get().memory.register(address, (*size).max(1), Kind::Variable, 0);
        Ok((address, *size))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        for (name, _) in &self.variables {
            if let Some(address) = self.library.symbol(name) {
                Device::get().memory.detach(address as usize, |kind| kind == Kind::Variable);
            }
        }
    }
}

impl Kernel {
    pub fn max_dynamic_shared(&self) -> u32 {
        self.max_dynamic_shared.load(Ordering::Relaxed).max(0) as u32
    }

    /// Lets launches ask for more dynamic shared memory than is usual.
    pub fn set_max_dynamic_shared(&self, bytes: i32) -> Result<(), hipError_t> {
        let most = SHARED_LIMIT.saturating_sub(self.descriptor.static_shared_size) as i32;
        if !(0..=most).contains(&bytes) {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        self.max_dynamic_shared.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    pub fn max_threads(&self) -> u32 {
        match self.descriptor.max_threads_per_block {
            0 => 1024,
            threads => threads.min(1024),
        }
    }

    /// Blocks that one multiprocessor, a core, runs at the same time in a cooperative launch; small,
    /// because each warp of each block needs a stack.
    pub fn occupancy(&self, threads: u32, dynamic_shared: usize) -> u32 {
        const MOST: u32 = 4;
        let shared = self.descriptor.static_shared_size as usize + dynamic_shared;
        if threads == 0 || threads > self.max_threads() || shared > SHARED_LIMIT as usize {
            return 0;
        }
        (2048 / threads).min(MOST)
    }
}

/// A file in memory.
fn memory_file() -> Result<File, hipError_t> {
    // Systems that forbid execution by default want to be told.
    const MFD_EXEC: u32 = 0x10;
    // SAFETY: the name ends in NUL; the descriptor is ours.
    unsafe {
        let name = c"zluda-module".as_ptr();
        let mut descriptor = libc::memfd_create(name, libc::MFD_CLOEXEC | MFD_EXEC);
        if descriptor < 0 {
            descriptor = libc::memfd_create(name, libc::MFD_CLOEXEC);
        }
        if descriptor < 0 {
            tracing::error!("memfd_create: {}", std::io::Error::last_os_error());
            return Err(hipError_t::hipErrorOperatingSystem);
        }
        Ok(File::from_raw_fd(descriptor))
    }
}

/// Copies the image to the file; returns what was copied.
///
/// The system reads the image, so that addresses that cannot be read are an error and no fault.
unsafe fn copy_image(
    file: &mut File,
    image: *const u8,
    most: usize,
) -> Result<Vec<u8>, hipError_t> {
    const INVALID: hipError_t = hipError_t::hipErrorInvalidImage;
    let append = |file: &mut File, from: usize, to: usize| {
        if to > most {
            return Err(INVALID);
        }
        let mut at = from;
        while at < to {
            // SAFETY: the system checks the addresses.
            let written =
                unsafe { libc::write(file.as_raw_fd(), image.wrapping_add(at).cast(), to - at) };
            if written <= 0 {
                return Err(INVALID);
            }
            at += written as usize;
        }
        Ok(())
    };
    let header_size = size_of::<FileHeader64<LittleEndian>>();
    append(file, 0, header_size)?;
    let read = |file: &mut File| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|_| INVALID)?;
        Ok::<_, hipError_t>(bytes)
    };
    let bytes = read(file)?;
    let header = FileHeader64::<LittleEndian>::parse(&*bytes).map_err(|_| INVALID)?;
    let endian = LittleEndian;
    if header.e_machine(endian) != EM_X86_64 || header.e_type(endian) != ET_DYN {
        return Err(INVALID);
    }
    // The headers first; then what they say.
    let table = |offset: u64, size: u16, count: u16| {
        usize::try_from(offset)
            .ok()
            .and_then(|offset| offset.checked_add(usize::from(size) * usize::from(count)))
            .filter(|end| *end <= most)
            .ok_or(INVALID)
    };
    let end = table(header.e_phoff(endian), header.e_phentsize(endian), header.e_phnum(endian))?
        .max(table(header.e_shoff(endian), header.e_shentsize(endian), header.e_shnum(endian))?)
        .max(header_size);
    append(file, header_size, end)?;
    let bytes = read(file)?;
    let header = FileHeader64::<LittleEndian>::parse(&*bytes).map_err(|_| INVALID)?;
    let mut whole = end as u64;
    for segment in header.program_headers(endian, &*bytes).map_err(|_| INVALID)? {
        let (offset, size) = segment.file_range(endian);
        whole = whole.max(offset.checked_add(size).ok_or(INVALID)?);
    }
    for section in header.section_headers(endian, &*bytes).map_err(|_| INVALID)? {
        if let Some((offset, size)) = section.file_range(endian) {
            whole = whole.max(offset.checked_add(size).ok_or(INVALID)?);
        }
    }
    let whole = usize::try_from(whole).map_err(|_| INVALID)?;
    file.seek(SeekFrom::End(0)).map_err(|_| INVALID)?;
    append(file, end, whole)?;
    read(file)
}

fn open(file: &File) -> Result<Library, hipError_t> {
    // The loader takes files of one name for one file, and descriptors are used again: so each load has
    // a path of its own, spelt with a number in steps to where it already is.
    static LOADS: AtomicU64 = AtomicU64::new(0);
    let number = LOADS.fetch_add(1, Ordering::Relaxed);
    let steps: String =
        (0..32).map(|bit| if number >> bit & 1 != 0 { "/." } else { "/" }).collect();
    let path = format!("/proc/self/fd{steps}/{}", file.as_raw_fd());
    let path = CString::new(path).map_err(|_| hipError_t::hipErrorUnknown)?;
    // SAFETY: the path ends in NUL; whoever loads a module wants its code to run.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        if handle.is_null() {
            let error = libc::dlerror();
            let text = if error.is_null() { c"unknown" } else { CStr::from_ptr(error) };
            tracing::error!("image: {}", text.to_string_lossy());
            return Err(hipError_t::hipErrorInvalidImage);
        }
        Ok(Library(handle))
    }
}

/// Reads a file that holds an image.
pub fn load_file(path: &OsStr) -> Result<Module, hipError_t> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => hipError_t::hipErrorFileNotFound,
        _ => hipError_t::hipErrorOperatingSystem,
    })?;
    // SAFETY: the caller wants the code.
    unsafe { Module::load(bytes.as_ptr().cast(), bytes.len()) }
}
