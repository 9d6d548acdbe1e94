//! The functions that kernels call where LLVM has no instruction: the prelude in LLVM IR, and the device library in C
//! (`device_library/c` and `library/*.c`), which `library/build.rs` compiles to bitcode. Only what a kernel reaches is
//! linked to it: what may be inlined before LLVM's passes, and after them what is large, which has been optimised.
//!
//! Most of what is large is code of the GPU already ([`ReadyMade`]). The kernel gets stubs of that, which say what the
//! functions need, and the linker puts the functions in their places.

pub use amdgcn_library::ReadyMade;
use amdgcn_library::{DEFINED, FILES, File, PRELUDE32, PRELUDE64, READY_MADE};
use llvm_zluda::{Linkage, Module, Value};
use rustc_hash::FxHashSet;

use crate::Error;
use crate::gpu::Gpu;

/// Which definitions are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The definitions that LLVM's passes should see.
    Early,
    All,
}

/// The library that kernels of a GPU are linked with.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    pub wave64: bool,
    pub ready_made: Option<&'static ReadyMade>,
}

impl Library {
    /// The library of a GPU, for launches in clusters or others.
    pub fn new(gpu: &Gpu, clusters: bool) -> Self {
        // In clusters the library means other memory.
        let ready_made = if clusters {
            None
        } else {
            READY_MADE.iter().find(|family| family.processor == gpu.family())
        };
        Library { wave64: gpu.is_wave64(), ready_made }
    }

    /// Whether a function is code of the GPU's family already.
    pub fn is_ready_made(&self, function: &str) -> bool {
        self.ready_made.is_some_and(|family| has(family, function))
    }

    /// The code of the GPU's family, if the module calls any of it.
    pub fn ready_made_for(self, module: &Module<'_>) -> Option<&'static ReadyMade> {
        let is_called = |f: &Value<'_>| is_ours(f) && self.is_ready_made(&f.name());
        self.ready_made.filter(|_| module.functions().iter().any(is_called))
    }

    /// Whether there is a function, or will be.
    pub fn defines(&self, function: &str) -> bool {
        file_of(function).is_some() || self.is_ready_made(function)
    }

    /// Whether something is called that only [`Part::All`] has.
    pub fn is_incomplete(&self, module: &Module<'_>) -> bool {
        undefined(module).iter().any(|name| self.defines(name))
    }

    /// Links the definitions of `zluda.` functions that there are, and makes them the module's own.
    pub fn link(self, module: &Module<'_>, part: Part) -> Result<(), Error> {
        let ours = || module.functions().into_iter().filter(|f| is_ours(f) && !f.is_declaration());
        // What is the module's own already serves nobody else.
        for function in ours() {
            function.set_linkage(Linkage::LLVMExternalLinkage);
        }
        let prelude = if self.wave64 { &PRELUDE64 } else { &PRELUDE32 };
        let mut asked = FxHashSet::default();
        loop {
            // Files of the library call each other and the prelude. Of a file comes what is asked for at the time.
            let mut wanted = undefined(module);
            if wanted.iter().any(|name| prelude.functions.binary_search(&name.as_str()).is_ok()) {
                add(module, prelude.bitcode)?;
                wanted = undefined(module);
            }
            let found = wanted.into_iter().find_map(|name| {
                if asked.contains(&name) {
                    return None;
                }
                if let Some(family) = self.ready_made.filter(|family| has(family, &name)) {
                    return (part == Part::All).then_some((name, family.stubs));
                }
                let file = file_of(&name)?;
                let &File { is_late, bitcode } = &FILES[file];
                (part == Part::All || !is_late).then_some((name, bitcode))
            });
            let Some((name, bitcode)) = found else { break };
            add(module, bitcode)?;
            asked.insert(name);
        }
        for function in ours() {
            // LLVM may look into nothing that the linker replaces.
            function.set_linkage(match self.is_ready_made(&function.name()) {
                true => Linkage::LLVMWeakAnyLinkage,
                false => Linkage::LLVMInternalLinkage,
            });
        }
        Ok(())
    }
}

/// Links the file of the library that defines a function.
pub fn add_file(module: &Module<'_>, function: &str) -> Result<(), Error> {
    match file_of(function) {
        Some(file) => add(module, FILES[file].bitcode),
        None => Err(missing(function)),
    }
}

/// Links all of the file of the library that defines a function, whether it is called or not.
pub fn add_whole_file(module: &Module<'_>, function: &str) -> Result<(), Error> {
    match file_of(function) {
        Some(file) => add_all(module, FILES[file].bitcode),
        None => Err(missing(function)),
    }
}

/// The names of functions of ours that are called and not there.
fn undefined(module: &Module<'_>) -> Vec<String> {
    let functions = module.functions().into_iter();
    functions
        .filter(|f| is_ours(f) && f.is_declaration() && f.has_uses())
        .map(|f| f.name())
        .collect()
}

/// Whether a function is an intrinsic or a function of the library, by its name.
pub fn is_ours(function: &Value<'_>) -> bool {
    function.name().starts_with("zluda.")
}

fn add(module: &Module<'_>, bitcode: &'static [u8]) -> Result<(), Error> {
    let library = read(module, bitcode)?;
    for function in library.functions() {
        // The linker takes of these what is asked for.
        if !function.is_declaration() && function.linkage() == Linkage::LLVMExternalLinkage {
            function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
        }
    }
    module.link(library).map_err(Error::Bug)
}

fn add_all(module: &Module<'_>, bitcode: &'static [u8]) -> Result<(), Error> {
    module.link(read(module, bitcode)?).map_err(Error::Bug)
}

fn read<'c>(module: &Module<'c>, bitcode: &'static [u8]) -> Result<Module<'c>, Error> {
    Module::read_bitcode(module.context(), "library", bitcode).map_err(Error::Bug)
}

fn missing(function: &str) -> Error {
    Error::Bug(format!("the device library has no `{function}`"))
}

/// Whether a function is code of a family of GPUs.
fn has(family: &ReadyMade, function: &str) -> bool {
    family.functions.binary_search(&function).is_ok()
}

/// Which file of the library defines a function.
pub fn file_of(function: &str) -> Option<usize> {
    let index = DEFINED.binary_search_by(|(name, _)| (*name).cmp(function)).ok()?;
    Some(DEFINED[index].1)
}
