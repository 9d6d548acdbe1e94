//! Errors at the instruction of PTX that a call of an intrinsic was made for.

use llvm_zluda::{Context, Module, Value};
use simt::span;

use crate::library::{Library, is_ours};
use crate::passes::make_kernel::PARAMETERS;
use crate::{Error, Refusal};

/// The instructions that intrinsics are for, by the beginnings of their names.
const MEANINGS: &[(&str, &str)] = &[
    ("zluda.matrix.", "this matrix instruction"),
    ("zluda.texture.", "this instruction of textures or surfaces"),
    ("zluda.lane.tensor.", "this instruction of tensors"),
    ("zluda.lane.graph.", "graphs that kernels launch"),
    ("zluda.lane.node.", "nodes of graphs that kernels change"),
    ("zluda.exit", "`exit` inside a recursive function"),
];

/// The error that an instruction is not supported, at its place.
fn unsupported<'c>(context: &'c Context, call: Value<'c>, what: &str) -> Refusal {
    let function = call.parent().function().name();
    Refusal { message: format!("{what}, on AMD GPUs"), function, span: span::of(call, context) }
}

/// Fails if there are calls of intrinsics that have no definition, and will have none.
pub fn undefined(module: &Module<'_>, library: Library) -> Result<(), Error> {
    let mut refusals = Vec::new();
    for function in module.functions().into_iter().filter(|f| is_ours(f) && f.is_declaration()) {
        let name = function.name();
        if name == PARAMETERS || library.defines(&name) {
            continue;
        }
        let meaning = MEANINGS.iter().find(|(start, _)| name.starts_with(start));
        let what = meaning.map_or_else(|| format!("`{name}`"), |(_, what)| (*what).to_owned());
        let calls = function.users().into_iter().filter(|user| user.is_instruction());
        refusals.extend(calls.map(|call| unsupported(module.context(), call, &what)));
    }
    if refusals.is_empty() { Ok(()) } else { Err(Error::Refused(refusals)) }
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
        let result = undefined(&module, Library { wave64: false, ready_made: None });
        let Err(Error::Refused(refusals)) = result else { unreachable!("{result:?}") };
        let refusal = Refusal {
            message: "`zluda.lane.juggle`, on AMD GPUs".to_owned(),
            function: "k".to_owned(),
            span: Some(17..25),
        };
        assert_eq!(refusals, [refusal]);
    }
}
