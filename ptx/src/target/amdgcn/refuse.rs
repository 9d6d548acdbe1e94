//! Errors at the instruction of PTX that a call of an intrinsic was made for.

use llvm_zluda::{Context, Module, Value};
use ptx_parser::Error;

use super::library::{Library, is_ours};
use crate::call_span;

/// The instructions that intrinsics are for, by the beginnings of their names.
const MEANINGS: &[(&str, &str)] = &[
    ("zluda.matrix.", "this matrix instruction"),
    ("zluda.texture.", "this instruction of textures or surfaces"),
    ("zluda.lane.tensor.", "this instruction of tensors"),
    ("zluda.exit", "`exit` inside a recursive function"),
];

/// The error that an instruction is not supported, at its place.
pub fn unsupported<'c>(context: &'c Context, call: Value<'c>, what: &str) -> Error {
    let function = call.parent().function();
    let span = call_span::of(call, context).unwrap_or_default();
    Error::unsupported(span, format!("{what}, on AMD GPUs")).in_function(&function.name())
}

/// An error for each call of an intrinsic that has no definition, and will have none.
pub fn undefined(module: &Module<'_>, library: Library) -> Vec<Error> {
    let mut errors = Vec::new();
    for function in module.functions().into_iter().filter(|f| is_ours(f) && f.is_declaration()) {
        let name = function.name();
        if name == super::PARAMETERS || library.defines(&name) {
            continue;
        }
        let meaning = MEANINGS.iter().find(|(start, _)| name.starts_with(start));
        let what = meaning.map_or_else(|| format!("`{name}`"), |(_, what)| (*what).to_owned());
        let calls = function.users().into_iter().filter(|user| user.is_instruction());
        errors.extend(calls.map(|call| unsupported(module.context(), call, &what)));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_code_is_told_at_its_place() {
        let context = Context::new();
        let text = "declare void @zluda.lane.juggle(i64)\ndeclare ptr addrspace(4) @zluda.params()\n\
                    define void @k() { call ptr addrspace(4) @zluda.params()\n\
                    call void @zluda.lane.juggle(i64 1), !zluda.span !0\n ret void }\n\
                    !0 = !{i64 73014444057}";
        let module = Module::parse(&context, "test", text).expect("IR");
        let errors = undefined(&module, Library { wave64: false, ready_made: None });
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].to_string(), "error[unsupported]: `zluda.lane.juggle`, on AMD GPUs");
        assert_eq!(errors[0].function.as_deref(), Some("k"));
        assert_eq!((errors[0].span.start, errors[0].span.end), (17, 25));
    }
}
