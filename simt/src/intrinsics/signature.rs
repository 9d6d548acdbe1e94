//! LLVM's types of the table's signatures.

use llvm_zluda::{Context, Type};

/// The type of the function `name`, which has `arguments` arguments. None where the signature does not fit that, or is
/// none.
pub fn function_type<'c>(
    context: &'c Context,
    signature: &str,
    name: &str,
    arguments: usize,
) -> Option<Type<'c>> {
    let (result, parameters) = signature.strip_suffix(')')?.split_once(" (")?;
    let result = match result {
        "{i32...}" => words(context, name)?,
        result => value_type(context, result)?,
    };
    let parameters = parameter_types(context, parameters, arguments)?;
    (parameters.len() == arguments).then(|| context.function_type(result, &parameters))
}

/// As many words as the first number of the name says.
fn words<'c>(context: &'c Context, name: &str) -> Option<Type<'c>> {
    match name.split('.').find_map(|part| part.parse().ok())? {
        0 => Some(context.void()),
        count => Some(context.structure(&vec![context.i32(); count], false)),
    }
}

fn parameter_types<'c>(
    context: &'c Context,
    parameters: &str,
    arguments: usize,
) -> Option<Vec<Type<'c>>> {
    let mut types = Vec::new();
    for parameter in parameters.split(", ").filter(|parameter| !parameter.is_empty()) {
        if let Some(repeated) = parameter.strip_suffix("...") {
            types.resize(arguments.max(types.len()), value_type(context, repeated)?);
        } else {
            let named = || value_type(context, parameter.rsplit_once(' ')?.0);
            types.push(value_type(context, parameter).or_else(named)?);
        }
    }
    Some(types)
}

fn value_type<'c>(context: &'c Context, text: &str) -> Option<Type<'c>> {
    if let Some(fields) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        let fields: Option<Vec<_>> =
            fields.split(", ").map(|field| value_type(context, field)).collect();
        return Some(context.structure(&fields?, false));
    }
    Some(match text {
        "void" => context.void(),
        "i1" => context.i1(),
        "i32" => context.i32(),
        "i64" => context.i64(),
        "half" => context.half(),
        "float" => context.f32(),
        "double" => context.f64(),
        "ptr" => context.ptr(0),
        "ptr addrspace(1)" => context.ptr(1),
        "ptr addrspace(3)" => context.ptr(3),
        "ptr addrspace(4)" => context.ptr(4),
        "<2 x i64>" => context.i64().vector(2),
        _ => return None,
    })
}
