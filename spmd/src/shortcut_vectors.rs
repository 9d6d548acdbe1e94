//! The functions of vectors that arithmetic of [`simt::shortcuts`] becomes, of which
//! [`x86_instructions`](crate::passes::x86_instructions) makes instructions.

use llvm_zluda::{MemoryEffects, Module, Value};
use simt::shortcuts::{DOT, FLUSHING, HALF, UNFLUSHED, is_one};

/// The function of vectors of so many lanes, or of scalars for a single one, for `name`, such as `directed.fma.rm`.
pub(crate) fn vector<'c>(
    module: &Module<'c>,
    name: &str,
    lanes: u32,
    operands: usize,
) -> Value<'c> {
    let cx = module.context();
    let element = match name {
        _ if name.starts_with(DOT) => cx.i32(),
        _ if name.starts_with(HALF) => cx.half(),
        _ => cx.f32(),
    };
    let name = format!("{name}.{lanes}");
    module.function(&name).unwrap_or_else(|| {
        let ty = if lanes == 1 { element } else { element.vector(lanes) };
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

/// Whether the processor has an instruction of scalars for `name` as well.
pub(crate) fn has_scalars(name: &str) -> bool {
    name.starts_with(HALF)
        || name.starts_with(UNFLUSHED)
        || name.strip_prefix(FLUSHING).is_some_and(|operation| !operation.contains('.'))
}
