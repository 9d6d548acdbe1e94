//! The seam to what loads modules and runs kernels, as the rest of `core` asks for it. Executors see [`crate::executor`].

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use hip_runtime_sys::hipError_t;

use super::request::Request;
use crate::work::blocks::Order;
use crate::work::job::Task;
use crate::work::pool;

/// Loads modules for one kind of device.
pub trait Executor: Sync {
    /// The name of the architecture in HIP: `gfx1100`.
    fn arch(&self) -> &str;

    /// The device's name, where it is not the processor itself.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Whether programs know device memory by addresses at which the host finds nothing. Kernels are given such addresses,
    /// and [`place`](super::apart::place) says where what is there lies.
    fn has_memory_apart(&self) -> bool {
        false
    }

    /// The sizes that programs are told, and that launches are checked against.
    fn limits(&self) -> Limits;

    /// Loads an image whose length only the image itself tells, `most` bytes at most.
    ///
    /// # Safety
    /// The code of the image is run. Its bytes need not be readable: that is an error.
    unsafe fn load(&self, image: *const c_void, most: usize) -> Result<Box<dyn Code>, hipError_t>;
}

/// The sizes of a device.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Multiprocessors, as programs are told.
    pub processors: u32,
    /// Bytes of shared memory that a block can have, static and dynamic together.
    pub shared: u32,
    /// Without asking for more.
    pub shared_default: u32,
}

/// A loaded module.
pub trait Code: Send + Sync {
    /// The names of its kernels.
    fn kernels(&self) -> &[String];

    /// Its variables, in memory.
    fn variables(&self) -> &[Variable];

    /// A kernel by name, which is used only as long as the module lives.
    fn kernel(&self, name: &str) -> Result<Box<dyn KernelCode>, hipError_t>;
}

/// A variable of a module, in memory.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub address: usize,
    pub size: usize,
}

/// A kernel of a loaded module.
pub trait KernelCode: Send + Sync {
    /// The attributes that programs ask for and launches are checked against.
    fn facts(&self) -> KernelFacts;

    /// Where each argument lies in the parameter buffer. To a device that does not say so, the buffer is one.
    fn arguments(&self) -> Vec<Range<usize>> {
        std::iter::once(0..self.facts().param_size as usize).collect()
    }

    /// Whether the code is for blocks of this shape.
    fn check_block(&self, block: [u32; 3]) -> Result<(), hipError_t>;

    /// The task that runs the blocks of a launch, and the order in which they may begin.
    fn task(&self, request: Request) -> Result<(Arc<dyn Task>, Order), hipError_t>;
}

/// Attributes of a kernel, as `hipFuncGetAttributes` tells them.
#[derive(Clone, Copy, Debug)]
pub struct KernelFacts {
    /// Bytes of the parameter buffer.
    pub param_size: u32,
    /// Bytes of statically declared shared memory.
    pub static_shared: u32,
    /// Bytes of local memory of a thread.
    pub local: u32,
    /// Threads in a block at most.
    pub max_threads: u32,
}

static EXECUTOR: OnceLock<&'static dyn Executor> = OnceLock::new();
static DEFAULT: OnceLock<&'static dyn Executor> = OnceLock::new();

/// Makes `executor` the one of this process where nobody [registers](register) another; the first one stays.
pub fn set_default(executor: &'static dyn Executor) {
    let _ = DEFAULT.set(executor);
}

/// Makes `executor` the one of this process, unless there is one already; returns whether it is.
pub fn register(executor: &'static dyn Executor) -> bool {
    EXECUTOR.set(executor).is_ok()
}

/// The executor of this process.
pub(crate) fn executor() -> &'static dyn Executor {
    *EXECUTOR.get_or_init(|| DEFAULT.get().copied().unwrap_or(&Nothing))
}

/// The executor where there is none: a device that has memory and streams, and takes no module.
struct Nothing;

impl Executor for Nothing {
    fn arch(&self) -> &str {
        "none"
    }

    fn limits(&self) -> Limits {
        Limits { processors: pool::cores(), shared: 0, shared_default: 0 }
    }

    unsafe fn load(&self, _: *const c_void, _: usize) -> Result<Box<dyn Code>, hipError_t> {
        Err(hipError_t::hipErrorNoBinaryForGpu)
    }
}
