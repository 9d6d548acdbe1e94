//! Whether IR keeps to the tables.

use llvm_zluda::{Module, Opcode, Type, Value};

use super::signature::function_type;
use super::{PREFIX, Private, named};

/// The prefix of the functions that lowering makes for indirect calls, which are no intrinsics.
const INDIRECT: &str = "indirect.";

/// Says of the first declared function of ours that is not as the tables have it what is wrong.
pub fn verify(module: &Module<'_>, private: Private) -> Result<(), String> {
    let mut declared = module.functions().into_iter().filter(|function| function.is_declaration());
    declared.try_for_each(|function| {
        check_type(module, function, private)?;
        check_uses(function)
    })
}

/// The same of all functions, of a library that defines some of them.
pub fn verify_definitions(module: &Module<'_>, private: Private) -> Result<(), String> {
    module.functions().into_iter().try_for_each(|function| check_type(module, function, private))
}

fn check_type<'c>(
    module: &Module<'c>,
    function: Value<'c>,
    private: Private,
) -> Result<(), String> {
    let full = function.name();
    let Some(name) = full.strip_prefix(PREFIX) else { return Ok(()) };
    if name.starts_with(INDIRECT) {
        return Ok(());
    }
    let found = function.value_type();
    match wanted(module, name, found, private) {
        Wanted::Nothing => Err(format!("there is no intrinsic `{full}`")),
        Wanted::Type(signature, ty) if ty != Some(found) => {
            Err(format!("`{full}` is `{}`, not `{signature}`", found.print()))
        }
        Wanted::Type(..) | Wanted::Anything => Ok(()),
    }
}

/// The type of a function by the tables.
enum Wanted<'c> {
    /// There is no such function.
    Nothing,
    Anything,
    /// As it is written, and as a type where that fits the function's name.
    Type(&'static str, Option<Type<'c>>),
}

fn wanted<'c>(module: &Module<'c>, name: &str, found: Type<'c>, private: Private) -> Wanted<'c> {
    let Some(intrinsic) = named(name).or_else(|| private.named(name)) else {
        return Wanted::Nothing;
    };
    match intrinsic.signature {
        "..." => Wanted::Anything,
        "*" => {
            let rest = name.strip_prefix(intrinsic.names.trim_end_matches('*')).unwrap_or(name);
            wanted(module, rest, found, private)
        }
        signature => {
            let arguments = found.parameters().len();
            let ty = function_type(module.context(), signature, name, arguments);
            Wanted::Type(signature, ty)
        }
    }
}

fn check_uses(function: Value<'_>) -> Result<(), String> {
    let full = function.name();
    let is_call = |user: &Value<'_>| user.opcode() == Opcode::LLVMCall && user.callee() == function;
    let is_used = |user: &Value<'_>| user.is_instruction() && is_call(user);
    match !full.starts_with(PREFIX) || function.users().iter().all(is_used) {
        true => Ok(()),
        false => Err(format!("`{full}` has a use that is no call")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intrinsics::{Effects, Intrinsic, Participants, Uniformity};
    use llvm_zluda::Context;

    const fn row(names: &'static str, signature: &'static str) -> Intrinsic {
        let (thread, each) = (Participants::Thread, Uniformity::Thread);
        Intrinsic::new(names, signature, Effects::Pure, thread, each, "")
    }

    static OWN: &[Intrinsic] = &[
        row("own.lane", "i32 ()"),
        row("own.instead.*", "*"),
        row("matrix.*", "..."),
        row("own.wide", "<2 x i64> (ptr addrspace(1))"),
    ];

    fn answer(declaration: &str) -> Result<(), String> {
        let context = Context::new();
        verify(&Module::parse(&context, "test", declaration).expect("IR"), Private(OWN))
    }

    #[test]
    fn what_the_tables_have_is_right() {
        for declaration in [
            "declare {i32, i1} @zluda.shfl.up(i32, i32, i32, i32)",
            "declare i64 @zluda.lane.anything(i64, i64)",
            "declare void @zluda.matrix.memory.0.2(i64, i32, i32)",
            "declare i32 @zluda.own.lane()\ndeclare void @vprintf()",
            "declare i32 @zluda.own.instead.tid.x()",
            "declare void @zluda.matrix.tile.4f(i8)",
            "declare <2 x i64> @zluda.own.wide(ptr addrspace(1))",
        ] {
            assert_eq!(answer(declaration), Ok(()));
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (declaration, message) in [
            ("declare i32 @zluda.juggle()", "there is no intrinsic `zluda.juggle`"),
            ("declare i64 @zluda.tid.x()", "`zluda.tid.x` is `i64 ()`, not `i32 ()`"),
            ("declare i64 @zluda.own.lane()", "`zluda.own.lane` is `i64 ()`, not `i32 ()`"),
            (
                "declare i64 @zluda.own.instead.tid.x()",
                "`zluda.own.instead.tid.x` is `i64 ()`, not `i32 ()`",
            ),
            (
                "declare i32 @zluda.own.instead.juggle()",
                "there is no intrinsic `zluda.own.instead.juggle`",
            ),
            (
                "declare i32 @zluda.laneid()\n@kept = global ptr @zluda.laneid",
                "`zluda.laneid` has a use that is no call",
            ),
        ] {
            assert_eq!(answer(declaration), Err(message.to_owned()));
        }
    }

    #[test]
    fn definitions_are_checked_where_that_is_asked_for() {
        let context = Context::new();
        let text = "define i64 @zluda.laneid() { ret i64 0 }";
        let module = Module::parse(&context, "test", text).expect("IR");
        assert_eq!(verify(&module, Private::NONE), Ok(()));
        let message = "`zluda.laneid` is `i64 ()`, not `i32 ()`".to_owned();
        assert_eq!(verify_definitions(&module, Private::NONE), Err(message));
    }
}
