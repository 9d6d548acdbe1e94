//! The functions that kernels call where LLVM has no instruction: the prelude in LLVM IR, and the device library in C
//! (`library/*.c`), which build.rs compiles to bitcode. Only what a kernel reaches is linked to it: what may be inlined
//! before LLVM's passes, and after them what is large, which build.rs has optimised.
//!
//! Most of what is large is code of the GPU already ([`ReadyMade`]). The kernel gets stubs of that, which say what the
//! functions need, and the linker puts the functions in their places.

use llvm_zluda::{Linkage, Module, Value};
use rustc_hash::FxHashSet;

include!(concat!(env!("OUT_DIR"), "/amdgcn_bitcode.rs"));

/// Which definitions are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The definitions that LLVM's passes should see.
    Early,
    All,
}

/// Functions that are inlined wherever they are called.
struct Prelude {
    /// In order.
    functions: &'static [&'static str],
    bitcode: &'static [u8],
}

/// Functions that are code of a family of GPUs. They find services where launches that are not in clusters have them, and
/// shared memory in LDS.
#[derive(Debug)]
pub struct ReadyMade {
    /// LLVM's name of the family.
    processor: &'static str,
    /// In order.
    functions: &'static [&'static str],
    /// Bitcode: a weak function for each, which needs what the function needs.
    stubs: &'static [u8],
    /// A relocatable object.
    pub object: &'static [u8],
}

impl ReadyMade {
    /// The functions for a family of GPUs, by LLVM's name of the family; none if there is no code for it.
    pub fn of(processor: &str) -> Option<&'static ReadyMade> {
        READY_MADE.iter().find(|family| family.processor == processor)
    }

    /// Whether a function is among them.
    pub fn has(&self, function: &str) -> bool {
        self.functions.binary_search(&function).is_ok()
    }

    /// Whether the module's functions are the whole of it.
    pub fn is_wanted(&self, module: &Module<'_>) -> bool {
        module.functions().iter().any(|function| is_ours(function) && self.has(&function.name()))
    }
}

/// The library that kernels of a GPU are linked with.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    pub wave64: bool,
    pub ready_made: Option<&'static ReadyMade>,
}

impl Library {
    /// Whether a function is code of the GPU's family already.
    pub fn is_ready_made(&self, function: &str) -> bool {
        self.ready_made.is_some_and(|family| family.has(function))
    }

    /// Whether there is a function, or will be.
    pub fn defines(&self, function: &str) -> bool {
        file_of(function).is_some() || self.is_ready_made(function)
    }

    /// Whether something is called that only [`Part::All`] has.
    pub fn is_incomplete(&self, module: &Module<'_>) -> bool {
        undefined(module).iter().any(|name| self.defines(name))
    }
}

/// Links the definitions of `zluda.` functions that there are, and makes them the module's own.
pub fn link(module: &Module<'_>, library: Library, part: Part) -> Result<(), String> {
    let ours = || module.functions().into_iter().filter(|f| is_ours(f) && !f.is_declaration());
    // What is the module's own already serves nobody else.
    for function in ours() {
        function.set_linkage(Linkage::LLVMExternalLinkage);
    }
    let prelude = if library.wave64 { &PRELUDE64 } else { &PRELUDE32 };
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
            if let Some(family) = library.ready_made.filter(|family| family.has(&name)) {
                return (part == Part::All).then_some((name, family.stubs));
            }
            let file = file_of(&name)?;
            let (is_late, bitcode) = LIBRARY[file];
            (part == Part::All || !is_late).then_some((name, bitcode))
        });
        let Some((name, bitcode)) = found else { break };
        add(module, bitcode)?;
        asked.insert(name);
    }
    for function in ours() {
        // LLVM may look into nothing that the linker replaces.
        function.set_linkage(match library.is_ready_made(&function.name()) {
            true => Linkage::LLVMWeakAnyLinkage,
            false => Linkage::LLVMInternalLinkage,
        });
    }
    Ok(())
}

/// Links the file of the library that defines a function.
pub fn add_file(module: &Module<'_>, function: &str) -> Result<(), String> {
    match file_of(function) {
        Some(file) => add(module, LIBRARY[file].1),
        None => Err(format!("the device library has no `{function}`")),
    }
}

/// Links all of the file of the library that defines a function, whether it is called or not.
pub fn add_whole_file(module: &Module<'_>, function: &str) -> Result<(), String> {
    match file_of(function) {
        Some(file) => {
            module.link(Module::read_bitcode(module.context(), "library", LIBRARY[file].1)?)
        }
        None => Err(format!("the device library has no `{function}`")),
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

fn add(module: &Module<'_>, bitcode: &'static [u8]) -> Result<(), String> {
    let library = Module::read_bitcode(module.context(), "library", bitcode)?;
    for function in library.functions() {
        // The linker takes of these what is asked for.
        if !function.is_declaration() && function.linkage() == Linkage::LLVMExternalLinkage {
            function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
        }
    }
    module.link(library)
}

/// Which file of the library defines a function.
pub fn file_of(function: &str) -> Option<usize> {
    let index = DEFINED.binary_search_by(|(name, _)| (*name).cmp(function)).ok()?;
    Some(DEFINED[index].1)
}
