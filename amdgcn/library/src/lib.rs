//! The device library of AMD GPUs as LLVM bitcode and as code, which build.rs makes of the C files of this folder and of
//! `prelude/`. The crate needs no other one to be built, so that it is made again when its own files change, and not when
//! the compiler does.

/// A file of functions that LLVM has no instruction for.
#[derive(Debug)]
pub struct File {
    /// It is linked after LLVM's passes, being large and optimised already.
    pub is_late: bool,
    pub bitcode: &'static [u8],
}

/// Functions that are inlined wherever they are called.
#[derive(Debug)]
pub struct Prelude {
    /// In order.
    pub functions: &'static [&'static str],
    pub bitcode: &'static [u8],
}

/// Functions that are code of a family of GPUs. They find services where launches that are not in clusters have them, and
/// shared memory in LDS.
#[derive(Debug)]
pub struct ReadyMade {
    /// LLVM's name of the family.
    pub processor: &'static str,
    /// In order.
    pub functions: &'static [&'static str],
    /// Bitcode: a weak function for each, which needs what the function needs.
    pub stubs: &'static [u8],
    /// A relocatable object.
    pub object: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/bitcode.rs"));
