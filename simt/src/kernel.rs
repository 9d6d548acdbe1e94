//! The facts that a module states about its kernel: the attributes of `docs/dev/per_thread_ir.md`.

use llvm_zluda::{Module, Value};

use crate::Error;

/// The kernel of a per-thread module and the facts that its attributes state.
pub struct Kernel<'c> {
    pub function: Value<'c>,
    pub name: String,
    /// Bytes of the parameter buffer, hidden parameters included.
    pub param_size: u32,
    pub max_threads_per_block: u32,
    /// Bytes of shared memory that are declared, as launches count them.
    pub static_shared: u32,
    /// All launches are in clusters, as the kernel itself says.
    pub is_explicit_cluster: bool,
}

/// Finds the one function with the attribute `zluda-kernel`.
pub fn find_kernel<'c>(module: &Module<'c>) -> Result<Kernel<'c>, Error> {
    let mut kernels = module.functions().into_iter().filter(|&function| {
        !function.is_declaration() && module.string_attribute(function, "zluda-kernel").is_some()
    });
    let function = kernels.next().ok_or_else(|| Error::Bug("the module has no kernel".into()))?;
    if kernels.next().is_some() {
        return Err(Error::Bug("the module has several kernels".into()));
    }
    let number = |name: &str, default: u32| {
        module
            .string_attribute(function, name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    Ok(Kernel {
        function,
        name: function.name(),
        param_size: number("zluda-param-size", 0),
        max_threads_per_block: number("zluda-max-threads", 1024),
        static_shared: number("zluda-static-shared", 0),
        is_explicit_cluster: module.string_attribute(function, "zluda-explicit-cluster").is_some(),
    })
}
