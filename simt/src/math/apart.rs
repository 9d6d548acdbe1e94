//! Exact functions as functions of 32 lanes, one for all places of a kernel that ask for it.
//!
//! Input: vector code after its last optimisation, with calls of `mufu.<function>.approx.*`, which have no bodies.
//! Output: those with bodies.
//! Why apart: there are a hundred operations in each, which long code could not keep in registers, and which take
//! long to compile. LLVM's optimisation would take the loads from tables apart.

use llvm_zluda::{Linkage, MemoryEffects, Module, Value};

use super::{Math, exact};
use crate::{Approximations, LANES, intrinsics};

const PREFIX: &str = "mufu.";

/// Whether there is an exact function of this name, such as `ex2.approx.ftz.f32`, that stands apart.
pub fn is_apart(name: &str, approximations: Approximations) -> bool {
    let function = name.split('.').next().unwrap_or_default();
    name.ends_with(".f32") && approximations.is_exact(function) && emission(name).is_some()
}

fn emission(name: &str) -> Option<super::Emit> {
    let (function, rest) = name.split_once(".approx")?;
    exact::of(function, rest)
}

/// A call in per-thread IR.
pub(super) fn call<'c>(math: &Math<'_, 'c>, name: &str, x: Value<'c>) -> Value<'c> {
    math.builder.call(intrinsics::declare(math.module, name, 1), &[x])
}

/// `<32 x float> (<32 x float>)` for a function that stands apart.
pub fn vector<'c>(module: &Module<'c>, name: &str) -> Value<'c> {
    let name = format!("{PREFIX}{name}");
    module.function(&name).unwrap_or_else(|| {
        let ty = module.context().f32().vector(LANES);
        let function = module.add_function(&name, module.context().function_type(ty, &[ty]));
        for attribute in ["nounwind", "willreturn", "speculatable"] {
            module.add_attribute(function, attribute);
        }
        module.set_memory_effects(function, MemoryEffects::None);
        function
    })
}

/// Gives them their bodies.
pub fn define(module: &Module<'_>, vector_width: u32) {
    for function in module.functions() {
        let full = function.name();
        let Some(name) = full.strip_prefix(PREFIX) else { continue };
        let Some(emit) = emission(name).filter(|_| function.is_declaration()) else { continue };
        function.set_linkage(Linkage::LLVMInternalLinkage);
        module.add_attribute(function, "noinline");
        module.add_attribute_with_value(function, "uwtable", 2);
        let width = vector_width.to_string();
        module.add_string_attribute(function, "prefer-vector-width", &width);
        let builder = module.context().builder();
        builder.position_at_end(module.append_block(function, ""));
        let permutes = vector_width == 512;
        let math = Math { builder, module, lanes: LANES, apart: false, permutes };
        let result = emit(&math, function.parameter(0));
        math.builder.ret(result);
    }
}
