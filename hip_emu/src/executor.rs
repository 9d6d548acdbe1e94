//! The executor that hip_host runs kernels with.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use hip_host::executor::{
    Code, Executor, Image, KernelCode, KernelFacts, Limits, Order, Request, Task, Variable,
    multiprocessors, register,
};
use hip_runtime_sys::hipError_t;
use object::elf::EM_AMDGPU;
use zluda_common::config::{DeviceChoice, EmulatedMemory, config};

use crate::arch::Arch;
use crate::bundle::{self, Found};
use crate::machine::launch::Launch;
use crate::object::{CodeObject, Kernel};

/// LDS of a workgroup.
const LDS: u32 = 64 << 10;

/// Multiprocessors at least, whatever the machine has: small GPUs have about as many.
const PROCESSORS: u32 = 8;

/// An emulated GPU.
struct Emulator {
    arch: Arch,
    name: String,
}

static EMULATOR: OnceLock<Emulator> = OnceLock::new();

/// Makes this process's HIP an emulated GPU, `gfx1100`, unless it is something already. Returns whether
/// it is one now.
pub fn emulate(gfx: &str) -> bool {
    let Some(arch) = Arch::parse(gfx) else {
        tracing::error!("unsupported: {gfx} is not emulated");
        return false;
    };
    let name = format!("ZLUDA emulated {gfx}");
    register(EMULATOR.get_or_init(|| Emulator { arch, name }))
}

/// Runs when the library is loaded, before anybody can call HIP.
extern "C" fn begin() {
    let gfx = match &config().device {
        DeviceChoice::Emulated(gfx) => Some(gfx),
        _ => config().emulated_gpu.as_ref(),
    };
    if let Some(gfx) = gfx {
        emulate(gfx);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

impl Executor for Emulator {
    fn arch(&self) -> &str {
        &self.arch.name
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn has_memory_apart(&self) -> bool {
        config().emulated_memory == EmulatedMemory::Apart
    }

    fn limits(&self) -> Limits {
        Limits { processors: multiprocessors().max(PROCESSORS), shared: LDS, shared_default: LDS }
    }

    unsafe fn load(&self, image: *const c_void, most: usize) -> Result<Box<dyn Code>, hipError_t> {
        let unpacked;
        let (image, most) = match bundle::find_in_memory(image.cast(), most, self.arch())? {
            Found::Whole => (image, most),
            Found::Part(at, size) => (image.wrapping_byte_add(at), size),
            Found::Unpacked(bytes) => {
                unpacked = bytes;
                (unpacked.as_ptr().cast(), unpacked.len())
            }
        };
        // SAFETY: the caller's promise; what was unpacked is there as long as this function runs.
        let image = unsafe { Image::copy(image, most, EM_AMDGPU)? };
        let object = CodeObject::load(&self.arch, &image.bytes).map_err(|error| {
            tracing::error!("code object: {error}");
            hipError_t::hipErrorInvalidImage
        })?;
        let kernels = object.kernels().map(str::to_owned).collect();
        let variables = object
            .variables
            .iter()
            .map(|(name, address, size)| Variable {
                name: name.clone(),
                address: *address,
                size: *size,
            })
            .collect();
        Ok(Box::new(Loaded { object: Arc::new(object), kernels, variables }))
    }
}

struct Loaded {
    object: Arc<CodeObject>,
    kernels: Vec<String>,
    variables: Vec<Variable>,
}

impl Code for Loaded {
    fn kernels(&self) -> &[String] {
        &self.kernels
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn kernel(&self, name: &str) -> Result<Box<dyn KernelCode>, hipError_t> {
        let kernel = self.object.kernel(name).ok_or(hipError_t::hipErrorNotFound)?;
        let kernel = kernel.map_err(|error| {
            tracing::error!("{error}");
            hipError_t::hipErrorInvalidImage
        })?;
        Ok(Box::new(LoadedKernel(Arc::new(kernel))))
    }
}

struct LoadedKernel(Arc<Kernel>);

impl KernelCode for LoadedKernel {
    fn facts(&self) -> KernelFacts {
        let kernel = &self.0;
        KernelFacts {
            param_size: kernel.metadata.explicit_size,
            static_shared: kernel.descriptor.group_size,
            local: kernel.descriptor.private_size,
            max_threads: kernel.metadata.max_threads.clamp(1, 1024),
        }
    }

    fn arguments(&self) -> Vec<Range<usize>> {
        self.0.metadata.arguments.clone()
    }

    fn check_block(&self, _block: [u32; 3]) -> Result<(), hipError_t> {
        Ok(())
    }

    fn task(&self, request: Request) -> Result<(Arc<dyn Task>, Order), hipError_t> {
        if request.cluster.is_some() {
            tracing::error!("unsupported: launches in clusters, on AMD GPUs");
            return Err(hipError_t::hipErrorNotSupported);
        }
        Ok((Arc::new(Launch::new(request, self.0.clone())), Order::Ascending))
    }
}
