//! Names at module scope: how often and in which way each may be declared.

use ptx_parser::{
    Directive, Error, Function, FunctionKind, Instruction, Linkage, Module, Span, StateSpace,
    Statement, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Extent;
use crate::system_functions::is_system_function;

/// The declaration that a name stands for so far.
#[derive(Clone, Copy)]
enum Known<'m, 'a> {
    Function(&'m Function<'a>),
    Variable(&'m Variable<'a>),
}

/// Adds an error for each declaration at module scope that breaks the rules.
pub fn check(module: &Module<'_>, source: &str, extent: Extent, errors: &mut Vec<Error>) {
    let mut known: FxHashMap<&str, Known<'_, '_>> = FxHashMap::default();
    let mut files = FxHashSet::default();
    for directive in &module.directives {
        match directive {
            Directive::Function(new) => {
                match known.get(new.name) {
                    Some(Known::Function(old)) => function_again(old, new, errors),
                    Some(Known::Variable(_)) => errors.push(other_kind(new.span, new.name)),
                    None => {}
                }
                if new.linkage == Linkage::Extern && new.body.is_some() {
                    let message = format!("`{}` is declared `.extern` and has a body", new.name);
                    errors.push(Error::invalid(new.span, message).in_function(new.name));
                }
                let defined =
                    |k: &Known<'_, '_>| matches!(k, Known::Function(f) if f.body.is_some());
                if !known.get(new.name).is_some_and(defined) {
                    known.insert(new.name, Known::Function(new));
                }
            }
            Directive::Variable(new) => {
                match known.get(new.name) {
                    Some(Known::Variable(old)) => variable_again(old, new, errors),
                    Some(Known::Function(_)) => errors.push(other_kind(new.span, new.name)),
                    None => {}
                }
                if new.linkage != Linkage::Extern || !known.contains_key(new.name) {
                    known.insert(new.name, Known::Variable(new));
                }
            }
            Directive::Alias { name, aliasee, span } => alias(name, aliasee, *span, &known, errors),
            Directive::File { index, name } if !files.insert(*index) => {
                let message = format!("there is another file with the number {index}");
                let span = Span::of(source, name).unwrap_or_default();
                errors.push(Error::invalid(span, message));
            }
            _ => {}
        }
    }
    undefined(module, &known, extent, errors);
}

fn other_kind(span: Span, name: &str) -> Error {
    Error::invalid(span, format!("`{name}` was declared as something else"))
}

fn function_again(old: &Function<'_>, new: &Function<'_>, errors: &mut Vec<Error>) {
    let name = new.name;
    let mut invalid =
        |message: String| errors.push(Error::invalid(new.span, message).in_function(name));
    if old.kind != new.kind {
        invalid(format!("`{name}` was declared as something else"));
    }
    if old.body.is_some() {
        return invalid(format!("`{name}` is defined already"));
    }
    let fits = old.linkage == new.linkage
        || (new.linkage == Linkage::Internal && old.linkage != Linkage::Extern);
    if !fits || (old.linkage == Linkage::Extern && new.body.is_some()) {
        invalid(format!("`{name}` was declared with other linkage"));
    }
    for (what, old, new) in
        [("results", &old.returns, &new.returns), ("parameters", &old.parameters, &new.parameters)]
    {
        if old.len() != new.len() {
            invalid(format!("`{name}` was declared with {} {what}, not {}", old.len(), new.len()));
        } else if !old.iter().zip(new).all(|(old, new)| same_parameter(old, new)) {
            invalid(format!("`{name}` was declared with other types of {what}"));
        }
    }
}

fn same_parameter(old: &Variable<'_>, new: &Variable<'_>) -> bool {
    let align = crate::passes::layout_parameters::align_of;
    old.space == new.space
        && old.type_ == new.type_
        && old.vector == new.vector
        && old.dimensions == new.dimensions
        && align(old) == align(new)
}

fn variable_again(old: &Variable<'_>, new: &Variable<'_>, errors: &mut Vec<Error>) {
    let name = new.name;
    let mut invalid = |message: String| errors.push(Error::invalid(new.span, message));
    if old.linkage != Linkage::Extern && new.linkage != Linkage::Extern {
        return invalid(format!("`{name}` is defined already"));
    }
    if old.linkage == Linkage::Extern && new.linkage == Linkage::Internal {
        return invalid(format!("`{name}` was declared `.extern`, so that others see it"));
    }
    let sizes = |old: &[u64], new: &[u64]| {
        old.len() == new.len()
            && old.iter().zip(new).all(|(old, new)| old == new || *old == 0 || *new == 0)
    };
    if old.type_ != new.type_
        || old.vector != new.vector
        || !sizes(&old.dimensions, &new.dimensions)
    {
        invalid(format!("`{name}` was declared with another type"));
    }
}

fn alias(
    name: &str,
    aliasee: &str,
    span: Span,
    known: &FxHashMap<&str, Known<'_, '_>>,
    errors: &mut Vec<Error>,
) {
    let function = |name: &str| match known.get(name) {
        Some(Known::Function(function)) => Some(*function),
        _ => None,
    };
    let (Some(alias), Some(target)) = (function(name), function(aliasee)) else {
        let missing = if function(name).is_none() { name } else { aliasee };
        return errors.push(Error::invalid(span, format!("there is no function `{missing}`")));
    };
    let fits = |old: &[Variable<'_>], new: &[Variable<'_>]| {
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same_parameter(old, new))
    };
    let message = if target.kind == FunctionKind::Entry {
        format!("the kernel `{aliasee}` has no other name")
    } else if alias.body.is_some() {
        format!("`{name}` has a body of its own")
    } else if !fits(&alias.returns, &target.returns) || !fits(&alias.parameters, &target.parameters)
    {
        format!("`{name}` was declared with other parameters than `{aliasee}`")
    } else {
        return;
    };
    errors.push(Error::invalid(span, message));
}

/// Adds an error for each declaration that needs a definition or a size and has none, unless other modules may have it.
fn undefined(
    module: &Module<'_>,
    known: &FxHashMap<&str, Known<'_, '_>>,
    extent: Extent,
    errors: &mut Vec<Error>,
) {
    if extent == Extent::Whole {
        errors.extend(known.values().filter_map(without_size));
    }
    let aliases: FxHashSet<&str> = module
        .directives
        .iter()
        .filter_map(|directive| match directive {
            Directive::Alias { name, .. } => Some(*name),
            _ => None,
        })
        .collect();
    let lacking: Vec<&Function<'_>> = module
        .directives
        .iter()
        .filter_map(|directive| match directive {
            Directive::Function(function) => Some(function),
            _ => None,
        })
        .filter(|function| {
            let defined =
                matches!(known.get(function.name), Some(Known::Function(f)) if f.body.is_some());
            !defined && !aliases.contains(function.name)
        })
        .collect();
    // Of those that others may have, a whole module lacks what it uses.
    let mut used = FxHashSet::default();
    if extent == Extent::Whole && !lacking.is_empty() {
        let names = lacking.iter().map(|function| function.name).collect();
        for directive in &module.directives {
            if let Directive::Function(Function { body: Some(body), .. }) = directive {
                uses(body, &names, &mut used);
            }
        }
    }
    for function in lacking {
        let name = function.name;
        if function.linkage != Linkage::Extern || (used.contains(name) && !is_system_function(name))
        {
            let message = format!("the function `{name}` is declared and not defined");
            errors.push(Error::invalid(function.span, message).in_function(name));
        }
    }
}

/// The error that nobody knows the size of a variable, used or not. Shared memory is given at launch.
fn without_size(known: &Known<'_, '_>) -> Option<Error> {
    let Known::Variable(variable) = known else { return None };
    let lacking = variable.linkage == Linkage::Extern
        && variable.space != StateSpace::Shared
        && variable.dimensions.contains(&0);
    let message = || format!("the array `{}` is declared without a size", variable.name);
    lacking.then(|| Error::invalid(variable.span, message()))
}

/// Which of the names a body uses.
fn uses<'a>(statements: &[Statement<'a>], names: &FxHashSet<&str>, used: &mut FxHashSet<&'a str>) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => uses(inner, names, used),
            Statement::Instruction(guarded) => {
                let mut found = |name: &'a str| {
                    if names.contains(name) {
                        used.insert(name);
                    }
                };
                match &guarded.instruction {
                    Instruction::Call(call) => found(call.target),
                    Instruction::Mov(_) => guarded.instruction.names(|name, _| found(name)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
