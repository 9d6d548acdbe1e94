//! Code objects: what is linked of the objects of kernels and of the library.

mod elf;
mod metadata;

use llvm_zluda::{Module, link_elf, timed};

use crate::Error;
use crate::library::{Library, ReadyMade};

/// The code of a kernel, and what it calls.
pub struct Relocatable {
    object: Vec<u8>,
    library: Option<&'static ReadyMade>,
}

impl Relocatable {
    /// The object that was made of a module.
    pub(crate) fn new(object: Vec<u8>, module: &Module<'_>, library: Library) -> Self {
        Self { object, library: library.ready_made_for(module) }
    }
}

/// The code object of several kernels for one GPU.
pub fn link(kernels: Vec<Relocatable>) -> Result<Vec<u8>, Error> {
    let library = kernels.iter().find_map(|kernel| kernel.library);
    let mut objects: Vec<_> = kernels.into_iter().map(|kernel| kernel.object).collect();
    let bug = |message: &str| Error::Bug(message.to_owned());
    metadata::join(&mut objects).ok_or_else(|| bug("LLVM's metadata are not as they were"))?;
    if let Some((family, first)) = library.zip(objects.first()) {
        let object = elf::for_same_gpu(family.object, first);
        let object = object.ok_or_else(|| bug("an object is too short"))?;
        objects.push(object);
    }
    let link = || link_elf(&objects, &["--no-undefined", "--gc-sections"]);
    Ok(timed("the linker", link)?)
}
