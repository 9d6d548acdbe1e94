//! The functions of vectors that arithmetic of [`simt::shortcuts`] becomes, of which
//! [`x86_instructions`](crate::passes::x86_instructions) makes instructions.

use llvm_zluda::{MemoryEffects, Module, Value};
use simt::shortcuts::{DOT, is_one};

/// The function of vectors of so many lanes for `name`, such as `directed.fma.rm`.
pub(crate) fn vector<'c>(
    module: &Module<'c>,
    name: &str,
    lanes: u32,
    operands: usize,
) -> Value<'c> {
    let cx = module.context();
    let element = if name.starts_with(DOT) { cx.i32() } else { cx.f32() };
    let name = format!("{name}.{lanes}");
    module.function(&name).unwrap_or_else(|| {
        let ty = element.vector(lanes);
        let function = module.add_function(&name, cx.function_type(ty, &vec![ty; operands]));
        for attribute in ["nounwind", "willreturn", "speculatable"] {
            module.add_attribute(function, attribute);
        }
        module.set_memory_effects(function, MemoryEffects::None);
        function
    })
}

/// What [`vector`] made a name of, if it did.
pub(crate) fn base(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(base, _)| base).filter(|base| is_one(base))
}
