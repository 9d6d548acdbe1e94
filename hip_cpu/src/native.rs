//! Modules of x86-64 code: ELF shared objects that the compiler made, loaded from memory.

use std::ffi::c_void;
use std::sync::Arc;

use cpu_abi::{
    ABI_VERSION, DESCRIPTOR_SUFFIX, FLAG_HALF_WARP_ROWS, FLAG_ROW_WARPS, FLAG_WHOLE_WARPS,
    KernelDescriptor, KernelKind, MAGIC,
};
use hip_host::executor::{
    Code, Executor, Image, KernelCode, KernelFacts, Limits, Order, Request, Task, Variable,
    multiprocessors, set_default,
};
use hip_runtime_sys::hipError_t;
use object::elf::EM_X86_64;
use object::{LittleEndian, Object, ObjectSymbol, SymbolKind};

use crate::engine::launch::Launch;
use crate::os::library::Library;

/// The processor itself.
struct Native;

/// Runs when the library is loaded, before anybody can call HIP.
extern "C" fn begin() {
    set_default(&Native);
}

#[used]
#[cfg_attr(unix, unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static BEGIN: extern "C" fn() = begin;

/// Bytes of shared memory that a block of compute capability 9.0 can have, and has without asking for more.
const SHARED: u32 = 227 << 10;
const SHARED_DEFAULT: u32 = 48 << 10;

impl Executor for Native {
    fn arch(&self) -> &str {
        "x86-64"
    }

    fn limits(&self) -> Limits {
        Limits { processors: multiprocessors(), shared: SHARED, shared_default: SHARED_DEFAULT }
    }

    unsafe fn load(&self, image: *const c_void, most: usize) -> Result<Box<dyn Code>, hipError_t> {
        // SAFETY: the caller's promise.
        let image = unsafe { Image::copy(image, most, EM_X86_64)? };
        Ok(Box::new(NativeCode::load(&image)?))
    }
}

struct NativeCode {
    library: Library,
    kernels: Vec<String>,
    variables: Vec<Variable>,
}

impl NativeCode {
    fn load(image: &Image) -> Result<NativeCode, hipError_t> {
        let object = object::read::elf::ElfFile64::<LittleEndian>::parse(&*image.bytes).map_err(
            |error| {
                tracing::error!("image: {error}");
                hipError_t::hipErrorInvalidImage
            },
        )?;
        let library = Library::load(image)?;
        let mut kernels = Vec::new();
        let mut variables = Vec::new();
        for symbol in object.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            let Ok(name) = symbol.name() else { return Err(hipError_t::hipErrorInvalidImage) };
            if let Some(kernel) = name.strip_suffix(DESCRIPTOR_SUFFIX) {
                kernels.push(kernel.to_owned());
            } else if symbol.kind() == SymbolKind::Data
                && let Some(address) = library.symbol(name)
            {
                let (name, size) = (name.to_owned(), symbol.size() as usize);
                variables.push(Variable { name, address: address as usize, size });
            }
        }
        let code = NativeCode { library, kernels, variables };
        for kernel in &code.kernels {
            code.descriptor(kernel)?;
        }
        Ok(code)
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
}

impl Code for NativeCode {
    fn kernels(&self) -> &[String] {
        &self.kernels
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn kernel(&self, name: &str) -> Result<Box<dyn KernelCode>, hipError_t> {
        Ok(Box::new(NativeKernel(self.descriptor(name)?)))
    }
}

/// A kernel whose module is loaded.
struct NativeKernel(KernelDescriptor);

impl KernelCode for NativeKernel {
    fn facts(&self) -> KernelFacts {
        KernelFacts {
            param_size: self.0.param_size,
            static_shared: self.0.static_shared_size,
            local: self.0.local_size,
            max_threads: match self.0.max_threads_per_block {
                0 => 1024,
                threads => threads.min(1024),
            },
        }
    }

    /// Code that was made for some shapes must not see others.
    fn check_block(&self, block: [u32; 3]) -> Result<(), hipError_t> {
        let whole = block[0].is_multiple_of(32);
        let rows = whole || (block[1] == 1 && block[2] == 1);
        let halves = block[0] == 16 && block[1].is_multiple_of(2);
        let needs =
            [(FLAG_ROW_WARPS, rows), (FLAG_WHOLE_WARPS, whole), (FLAG_HALF_WARP_ROWS, halves)];
        if needs.iter().any(|(flag, fits)| self.0.flags & flag != 0 && !fits) {
            return Err(hipError_t::hipErrorInvalidConfiguration);
        }
        Ok(())
    }

    fn task(&self, request: Request) -> Result<(Arc<dyn Task>, Order), hipError_t> {
        if request.remainder != [0; 3] {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let launch = Launch { request, descriptor: self.0 };
        let order = launch.order();
        Ok((Arc::new(launch), order))
    }
}
