//! Whether IR keeps to the table.

use llvm_zluda::{Module, Opcode, Value};

use super::signature::function_type;
use super::{PREFIX, named};

/// Functions that are no intrinsics: what lowering makes for indirect calls, and of the AMD target what its library has,
/// and operations that are a part of the name.
const OTHERS: [&str; 4] = ["indirect.", "amd.", "matrix.", "texture."];

/// Says of the first declared function of ours that is not as the table has it what is wrong.
pub fn verify(module: &Module<'_>) -> Result<(), String> {
    let mut declared = module.functions().into_iter().filter(|function| function.is_declaration());
    declared.try_for_each(|function| check(module, function))
}

fn check<'c>(module: &Module<'c>, function: Value<'c>) -> Result<(), String> {
    let full = function.name();
    let Some(name) = full.strip_prefix(PREFIX) else { return Ok(()) };
    let Some(intrinsic) = named(name) else {
        return match OTHERS.iter().any(|others| name.starts_with(others)) {
            true => Ok(()),
            false => Err(format!("per-thread IR has no intrinsic `{full}`")),
        };
    };
    let found = function.value_type();
    let arguments = found.parameters().len();
    let wanted = function_type(module.context(), intrinsic.signature, name, arguments);
    if wanted != Some(found) {
        let signature = intrinsic.signature;
        return Err(format!("`{full}` is `{}`, not `{signature}`", found.print()));
    }
    let is_called =
        |user: &Value<'c>| user.opcode() == Opcode::LLVMCall && user.callee() == function;
    match function.users().iter().all(|user| user.is_instruction() && is_called(user)) {
        true => Ok(()),
        false => Err(format!("`{full}` has a use that is no call")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llvm_zluda::Context;

    fn answer(declaration: &str) -> Result<(), String> {
        let context = Context::new();
        verify(&Module::parse(&context, "test", declaration).expect("IR"))
    }

    #[test]
    fn what_the_table_has_is_right() {
        assert_eq!(answer("declare {i32, i1} @zluda.shfl.up(i32, i32, i32, i32)"), Ok(()));
        assert_eq!(answer("declare i64 @zluda.lane.anything(i64, i64)"), Ok(()));
        assert_eq!(answer("declare void @zluda.matrix.memory.0.2(i64, i32, i32)"), Ok(()));
        assert_eq!(answer("declare i32 @zluda.amd.lane()\ndeclare void @vprintf()"), Ok(()));
    }

    #[test]
    fn mistakes_are_named() {
        for (declaration, message) in [
            ("declare i32 @zluda.juggle()", "per-thread IR has no intrinsic `zluda.juggle`"),
            ("declare i64 @zluda.tid.x()", "`zluda.tid.x` is `i64 ()`, not `i32 ()`"),
            (
                "declare i32 @zluda.laneid()\n@kept = global ptr @zluda.laneid",
                "`zluda.laneid` has a use that is no call",
            ),
        ] {
            assert_eq!(answer(declaration), Err(message.to_owned()));
        }
    }
}
