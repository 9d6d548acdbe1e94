//! Parameters and directives of kernels and functions.

use ptx_parser::{
    Error, Function, FunctionDirective, FunctionKind, Module, ScalarType, StateSpace,
};

use crate::passes::layout_parameters;

/// Bytes of a kernel's parameters, from a version on.
const MOST_PARAMETERS: [((u16, u16), u32); 3] = [((8, 1), 32_764), ((1, 5), 4_352), ((1, 0), 256)];

/// Adds errors for parameters, results and directives of a function that break the rules.
pub fn check(module: &Module<'_>, function: &Function<'_>, errors: &mut Vec<Error>) {
    let name = function.name;
    let mut invalid =
        |span, message: String| errors.push(Error::invalid(span, message).in_function(name));
    let mut seen = Vec::new();
    for parameter in function.returns.iter().chain(&function.parameters) {
        let parameter_name = parameter.name;
        if parameter_name != "_" && seen.contains(&parameter_name) {
            invalid(parameter.span, format!("there are two parameters `{parameter_name}`"));
        }
        seen.push(parameter_name);
        if parameter.range.is_some() {
            invalid(parameter.span, format!("the parameter `{parameter_name}` is several"));
        }
        if parameter.initializer.is_some() {
            invalid(
                parameter.span,
                format!("the parameter `{parameter_name}` has an initial value"),
            );
        }
        if parameter.type_ == ScalarType::Pred && parameter.space != StateSpace::Reg {
            invalid(parameter.span, format!("the predicate `{parameter_name}` is no register"));
        }
    }
    let kernel = function.kind == FunctionKind::Entry;
    if kernel {
        if let Some(result) = function.returns.first() {
            invalid(result.span, format!("the kernel `{name}` has a result"));
        }
        for parameter in &function.parameters {
            if parameter.space != StateSpace::Param {
                let message =
                    format!("the parameter `{}` of a kernel is no `.param`", parameter.name);
                invalid(parameter.span, message);
            } else if parameter.vector.is_some() {
                invalid(parameter.span, format!("the parameter `{}` is a vector", parameter.name));
            }
        }
        let (_, size) = layout_parameters::run(&function.parameters);
        let most = MOST_PARAMETERS.iter().find(|(since, _)| module.version >= *since);
        let most = most.map_or(u32::MAX, |(_, bytes)| *bytes);
        if size > most {
            let message =
                format!("the parameters of `{name}` have {size} bytes, at most {most} fit");
            invalid(function.span, message);
        }
    }
    if function.returns.len() > 1
        && let Some(result) = function.returns.iter().find(|r| r.space == StateSpace::Param)
    {
        let message = format!("the result `{}`, one of several, is no register", result.name);
        errors.push(Error::invalid(result.span, message).in_function(name));
    }
    directives(module, function, &mut |message| {
        errors.push(Error::invalid(function.span, message).in_function(name));
    });
}

fn directives(module: &Module<'_>, function: &Function<'_>, invalid: &mut impl FnMut(String)) {
    use FunctionDirective::*;
    let kernel = function.kind == FunctionKind::Entry;
    let has = |wanted: fn(&FunctionDirective<'_>) -> bool| function.directives.iter().any(wanted);
    if has(|d| matches!(d, Maxntid(_))) && has(|d| matches!(d, Reqntid(_))) {
        invalid("`.maxntid` and `.reqntid` exclude each other".to_owned());
    }
    for directive in &function.directives {
        // What the directive belongs to, the counts in it, and the target that has it.
        let (of_kernel, counts, target): (Option<bool>, &[u32], u32) = match directive {
            Maxntid(counts) | Reqntid(counts) => (Some(true), counts, 0),
            Minnctapersm(count) | Maxnctapersm(count) => {
                (Some(true), std::slice::from_ref(count), 0)
            }
            Maxnreg(_) => (Some(true), &[], 0),
            Noreturn => (Some(false), &[], 0),
            Reqnctapercluster(counts) => (Some(true), counts, 90),
            Maxclusterrank(_) | Explicitcluster | Blocksareclusters => (Some(true), &[], 90),
            AbiPreserve(_) | AbiPreserveControl(_) | Language(_) | Pragma(_) => (None, &[], 0),
        };
        if of_kernel.is_some_and(|of_kernel| of_kernel != kernel) {
            let what = if kernel { "kernels" } else { "functions" };
            invalid(format!("`{directive}` is nothing for {what}"));
        } else if counts.contains(&0) {
            invalid(format!("a count in `{directive}` is 0"));
        } else if module.target.sm().is_some_and(|sm| sm < target) {
            invalid(format!("`{directive}` needs the target `sm_{target}` or a newer one"));
        }
    }
    if has(|d| matches!(d, Noreturn)) && !function.returns.is_empty() {
        invalid("a function that never returns has no result".to_owned());
    }
}
