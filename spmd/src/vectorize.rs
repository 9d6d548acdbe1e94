//! Per-thread IR to vector code for whole warps.

use llvm_zluda::Module;

use crate::{Error, Options};

/// Not there yet.
pub fn vectorize<'c>(
    _module: &Module<'c>,
    _static_shared_size: u32,
    _options: &Options,
) -> Result<Module<'c>, Error> {
    Err(Error::Unsupported("vector code".into()))
}
