//! Declarations with the attributes that LLVM has words for.

use llvm_zluda::{MemoryEffects, Module, Value};

use super::signature::function_type;
use super::{Effects, Intrinsic, PREFIX, named};

/// The intrinsic `name`, without [`PREFIX`], as a function of the module. Intrinsics with any number of parameters have
/// `arguments` of them. What the table does not have becomes a function of words, which [`super::verify`] names.
pub fn declare<'c>(module: &Module<'c>, name: &str, arguments: usize) -> Value<'c> {
    let declared = module.function(&format!("{PREFIX}{name}"));
    declared.unwrap_or_else(|| declare_as(module, named(name), name, arguments))
}

/// The same of a row, for a module that has not got the function yet.
pub fn declare_as<'c>(
    module: &Module<'c>,
    row: Option<&'static Intrinsic>,
    name: &str,
    arguments: usize,
) -> Value<'c> {
    let full = format!("{PREFIX}{name}");
    let context = module.context();
    let known = row.and_then(|intrinsic| {
        Some((function_type(context, intrinsic.signature, name, arguments)?, intrinsic))
    });
    debug_assert!(known.is_some(), "`{full}` with {arguments} arguments");
    let Some((ty, intrinsic)) = known else {
        let words = vec![context.i64(); arguments];
        return module.add_function(&full, context.function_type(context.i64(), &words));
    };
    let function = module.add_function(&full, ty);
    add_attributes(module, function, intrinsic);
    function
}

fn add_attributes<'c>(module: &Module<'c>, function: Value<'c>, intrinsic: &Intrinsic) {
    module.add_attribute(function, "nounwind");
    if intrinsic.is_convergent() {
        module.add_attribute(function, "convergent");
    }
    match intrinsic.effects {
        Effects::Pure => {
            module.set_memory_effects(function, MemoryEffects::None);
            // Elsewhere, or for other threads, the result of what several do together would be another one.
            if !intrinsic.is_convergent() {
                module.add_attribute(function, "willreturn");
                module.add_attribute(function, "speculatable");
            }
        }
        Effects::EndsGrid => module.add_attribute(function, "cold"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use llvm_zluda::Context;

    use super::*;
    use crate::intrinsics::{Private, ROWS, pattern};

    #[test]
    fn all_rows_can_be_declared() {
        let context = Context::new();
        let module = context.module("all");
        for row in ROWS {
            for name in pattern::expand(row.names) {
                let name = name.replace(['#', '*'], "2");
                let arguments = match row.signature {
                    signature if signature.ends_with(" ()") => 0,
                    signature if signature.contains("...)") => 3,
                    signature => {
                        signature.matches(", ").count() + 1 - signature.starts_with('{') as usize
                    }
                };
                declare(&module, &name, arguments);
            }
        }
        module.verify().expect("LLVM takes it");
        assert_eq!(crate::intrinsics::verify(&module, Private::NONE), Ok(()));
    }

    #[test]
    fn llvm_is_told_what_the_table_says() {
        let context = Context::new();
        let module = context.module("some");
        for (name, arguments) in [("tid.x", 0), ("shfl.up", 4), ("barrier.sync", 2), ("trap", 0)] {
            declare(&module, name, arguments);
        }
        let text = module.print();
        let attributes = |name: &str| {
            let line =
                text.lines().find(|line| line.contains(&format!("@zluda.{name}("))).expect(name);
            let group = line.rsplit_once(' ').expect("a group").1;
            text.lines().find(|it| it.starts_with(&format!("attributes {group} "))).expect(group)
        };
        assert!(attributes("tid.x").contains("{ nounwind speculatable willreturn memory(none) }"));
        assert!(attributes("shfl.up").contains("{ convergent nounwind memory(none) }"));
        assert!(attributes("barrier.sync").contains("{ convergent nounwind }"));
        assert!(attributes("trap").contains("{ cold nounwind }"));
    }
}
