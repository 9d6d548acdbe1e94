//! Declarations for the C of device libraries.

use super::{Effects, Intrinsic, PREFIX, pattern};

/// A header of C that declares the functions of rows, `zluda.a.b` as `zluda_a_b`, in the words of
/// `device_library/c/device.h`. Of names and types that are open, and of structures as results, C has no function.
pub fn c_header(rows: &[Intrinsic]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !pattern::is_open(row.names)) {
        let declarations: Option<String> =
            pattern::expand(row.names).iter().map(|name| declaration(row, name)).collect();
        text.push_str(&declarations.unwrap_or_default());
    }
    text
}

/// A row's function of a name as a line; `None` where C has no such type.
fn declaration(row: &Intrinsic, name: &str) -> Option<String> {
    let (result, parameters) = row.signature.strip_suffix(')')?.split_once(" (")?;
    let convergent = if row.is_convergent() { "CONVERGENT " } else { "" };
    let result = c_type(result)?;
    let parameters: Option<Vec<String>> = parameters
        .split(", ")
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| c_parameter(parameter, row.effects == Effects::Pure))
        .collect();
    let parameters = Some(parameters?.join(", ")).filter(|it| !it.is_empty());
    let parameters = parameters.unwrap_or_else(|| "void".to_owned());
    let function = format!("zluda_{}", name.replace('.', "_"));
    let head = joined(&format!("{convergent}{result}"), &function);
    Some(format!("{head}({parameters}) NAMED(\"{PREFIX}{name}\");\n"))
}

/// A parameter with its name, if it has one. What has no effects writes to no memory.
fn c_parameter(parameter: &str, reads_only: bool) -> Option<String> {
    let named = || {
        let (ty, name) = parameter.rsplit_once(' ')?;
        Some(joined(&c_type(ty)?, name))
    };
    let declared = c_type(parameter).or_else(named)?;
    let prefix = if reads_only && declared.contains('*') { "const " } else { "" };
    Some(format!("{prefix}{declared}"))
}

fn joined(ty: &str, name: &str) -> String {
    let space = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{space}{name}")
}

fn c_type(text: &str) -> Option<String> {
    let ty = match text {
        "void" => "void",
        "i1" => "_Bool",
        "i32" => "u32",
        "i64" => "u64",
        "half" => "_Float16",
        "float" => "float",
        "double" => "double",
        "<2 x i64>" => "u64x2",
        "ptr" => "void *",
        "ptr addrspace(1)" => "GLOBAL void *",
        "ptr addrspace(3)" => "SHARED void *",
        "ptr addrspace(4)" => "CONSTANT void *",
        _ => return None,
    };
    Some(ty.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intrinsics::{Participants, Uniformity};

    #[test]
    fn c_has_the_types_of_the_table() {
        let row = |names, signature, effects, participants| {
            Intrinsic::new(names, signature, effects, participants, Uniformity::Thread, "")
        };
        let rows = [
            row("a.{x,y}", "i32 ()", Effects::Pure, Participants::Thread),
            row("place", "ptr addrspace(1) (ptr, i64 bytes)", Effects::Pure, Participants::Thread),
            row("set", "void (ptr to, i1)", Effects::World, Participants::Present),
            row("pair", "{i32, i1} (i32)", Effects::Pure, Participants::Thread),
            row("open.*", "i32 ()", Effects::Pure, Participants::Thread),
            row("any", "...", Effects::Pure, Participants::Thread),
        ];
        let expected = [
            "u32 zluda_a_x(void) NAMED(\"zluda.a.x\");",
            "u32 zluda_a_y(void) NAMED(\"zluda.a.y\");",
            "GLOBAL void *zluda_place(const void *, u64 bytes) NAMED(\"zluda.place\");",
            "CONVERGENT void zluda_set(void *to, _Bool) NAMED(\"zluda.set\");",
        ];
        assert_eq!(c_header(&rows).lines().collect::<Vec<_>>(), expected);
    }
}
