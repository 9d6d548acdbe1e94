//! Modules: code that the executor has loaded, its kernels and variables.

use std::ffi::c_void;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use hip_runtime_sys::hipError_t;

use super::context::{Context, current};
use super::executor::{Code, KernelCode, KernelFacts, executor};
use super::memory::Kind;
use super::tables::tables;
use crate::work::job::BRIEF;
use crate::work::ticks::Ticks;

/// What [`Kernel::long`] is after two long launches in a row.
const MOST_LONG: u32 = 8;

pub struct Module {
    pub context: &'static Context,
    code: Box<dyn Code>,
    /// Handles of functions that were asked for end with the module.
    pub id: u64,
}

pub struct Kernel {
    pub name: String,
    pub facts: KernelFacts,
    /// Where each argument lies in the parameter buffer.
    pub arguments: Vec<Range<usize>>,
    pub code: Box<dyn KernelCode>,
    /// Keeps the code loaded.
    pub module: Arc<Module>,
    /// Dynamic shared memory that a launch may ask for.
    max_dynamic_shared: AtomicI32,
    /// Launches in sequences that were quick, since one was not.
    quick: AtomicU32,
    /// See [`Kernel::has_kept`].
    long: AtomicU32,
}

impl Module {
    /// Loads an image whose length only the image itself tells, `most` bytes at most.
    ///
    /// # Safety
    /// The code of the image is run. Its bytes need not be readable: that is an error.
    pub unsafe fn load(image: *const c_void, most: usize) -> Result<Module, hipError_t> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // SAFETY: the caller's promise.
        let code = unsafe { executor().load(image, most)? };
        Ok(Module { context: current(), code, id: NEXT.fetch_add(1, Ordering::Relaxed) })
    }

    /// The kernels' names.
    pub fn kernels(&self) -> &[String] {
        self.code.kernels()
    }

    /// A kernel by name.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Kernel, hipError_t> {
        let code = self.code.kernel(name)?;
        let facts = code.facts();
        let default = executor().limits().shared_default.saturating_sub(facts.static_shared);
        let max_dynamic_shared = AtomicI32::new(default as i32);
        Ok(Kernel {
            module: self.clone(),
            name: name.to_owned(),
            facts,
            arguments: code.arguments(),
            code,
            max_dynamic_shared,
            quick: AtomicU32::new(0),
            long: AtomicU32::new(0),
        })
    }

    /// Address and size of a variable, which pointers can be looked up in from now on.
    pub fn variable(&self, name: &str) -> Result<(usize, usize), hipError_t> {
        let variable = self
            .code
            .variables()
            .iter()
            .find(|variable| variable.name == name)
            .ok_or(hipError_t::hipErrorNotFound)?;
        let (address, size) = (variable.address, variable.size);
        // Already known if it was asked for before.
        let _ = tables().memory.register(address, size.max(1), Kind::Variable, 0);
        Ok((address, size))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        for variable in self.code.variables() {
            tables().memory.detach(variable.address, |kind| kind == Kind::Variable);
        }
    }
}

impl Kernel {
    /// Bytes of dynamic shared memory that launches may ask for.
    pub fn max_dynamic_shared(&self) -> u32 {
        self.max_dynamic_shared.load(Ordering::Relaxed).max(0) as u32
    }

    /// Lets launches ask for more dynamic shared memory than is usual.
    pub fn set_max_dynamic_shared(&self, bytes: i32) -> Result<(), hipError_t> {
        let most = executor().limits().shared.saturating_sub(self.facts.static_shared) as i32;
        if !(0..=most).contains(&bytes) {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        self.max_dynamic_shared.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Whether launches have been quick of late, so that one thread alone may do the next one.
    pub fn is_quick(&self) -> bool {
        const OFTEN: u32 = 8;
        self.quick.load(Ordering::Relaxed) >= OFTEN
    }

    /// Takes note of whether a launch was quick.
    pub fn has_taken(&self, quick: bool) {
        let before = self.quick.load(Ordering::Relaxed);
        let now = if quick { before.saturating_add(1) } else { 0 };
        self.quick.store(now, Ordering::Relaxed);
    }

    /// Whether a thread that waits for other work may run a launch, as far as those before tell.
    pub fn is_brief(&self) -> bool {
        self.long.load(Ordering::Relaxed) < MOST_LONG
    }

    /// Takes note of how long a launch has kept a thread that waits for other work.
    pub fn has_kept(&self, time: Ticks) {
        let before = self.long.load(Ordering::Relaxed);
        // A launch that another program interrupts is long, too.
        let now = if time > BRIEF { before + MOST_LONG / 2 } else { before.saturating_sub(1) };
        self.long.store(now.min(MOST_LONG), Ordering::Relaxed);
    }

    /// Threads in a block at most.
    pub fn max_threads(&self) -> u32 {
        self.facts.max_threads
    }

    /// Blocks that one multiprocessor, a core, runs at the same time in a cooperative launch: as many as the CUDA
    /// driver says that fit a multiprocessor, or more.
    pub fn occupancy(&self, threads: u32, dynamic_shared: usize) -> u32 {
        const MOST: u32 = 32;
        let shared = self.facts.static_shared as usize + dynamic_shared;
        let limit = executor().limits().shared as usize;
        if threads == 0 || threads > self.max_threads() || shared > limit {
            return 0;
        }
        (2048 / threads).min(MOST)
    }
}

/// Reads a file that holds an image.
pub fn load_file(path: &Path) -> Result<Module, hipError_t> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => hipError_t::hipErrorFileNotFound,
        _ => hipError_t::hipErrorOperatingSystem,
    })?;
    // SAFETY: the caller wants the code.
    unsafe { Module::load(bytes.as_ptr().cast(), bytes.len()) }
}
