//! The text of all modules as one.
//!
//! Declarations of all that modules share come first, so that everything is declared before it is used. Then
//! comes what each module defines, as far as it counts, and what is its own, under another name where
//! another module has that name too.

use std::fmt::Write;

use ptx_parser::{Directive, Function, FunctionKind, Linkage, Module, Statement, Variable, rename};
use rustc_hash::{FxHashMap, FxHashSet};

use super::symbols::{Strength, Table};
use super::{Input, SYSTEM, align_parameters};
use crate::architecture;
use crate::system_functions::is_system_function;

/// The PTX of one module with all that the inputs define.
pub(crate) fn join(inputs: &[Input], table: &Table) -> String {
    let names = own_names(inputs, table);
    let texts: Vec<String> = inputs
        .iter()
        .zip(&names)
        .map(|(input, names)| match names.is_empty() {
            true => input.text.clone(),
            false => rename(&input.text, |name| names.get(name).cloned()),
        })
        .collect();
    let mut modules: Vec<Module<'_>> =
        texts.iter().map(|text| ptx_parser::parse(text).module).collect();
    number_files(&mut modules);
    let own = modules.iter().zip(inputs).filter(|(_, input)| input.text != SYSTEM);
    let oldest = architecture::of_linked(own.map(|(module, _)| module));
    let mut text = header(&modules, oldest);
    let mut declared = FxHashSet::default();
    for (number, module) in modules.iter().enumerate() {
        for directive in &module.directives {
            declare(directive, number, table, &mut declared, &mut text);
        }
    }
    for (number, module) in modules.into_iter().enumerate() {
        for mut directive in module.directives {
            if let Directive::Function(function) = &mut directive {
                align_parameters::run(function, table);
            }
            if let Some(directive) = kept(directive, number, table) {
                let _ = writeln!(text, "{directive}");
            }
        }
    }
    text
}

/// For each module the names of its own that it cannot keep, and what they become.
fn own_names(inputs: &[Input], table: &Table) -> Vec<FxHashMap<String, String>> {
    let everywhere: FxHashSet<&str> =
        inputs.iter().flat_map(|i| &i.module.symbols).map(|s| s.name.as_str()).collect();
    let mut taken: FxHashSet<&str> = table.symbols.keys().map(String::as_str).collect();
    inputs
        .iter()
        .enumerate()
        .map(|(number, input)| {
            let own = input.module.symbols.iter().filter(|s| s.strength == Strength::Local);
            let clashing = own.filter(|symbol| !taken.insert(&symbol.name));
            let rename = |name: &str| {
                let mut new = format!("{name}${number}");
                while everywhere.contains(new.as_str()) {
                    new.push('$');
                }
                new
            };
            clashing.map(|symbol| (symbol.name.clone(), rename(&symbol.name))).collect()
        })
        .collect()
}

/// The newest version, the newest target, and the words of all targets; and the oldest target of the program's own
/// modules, where it is another one.
fn header(modules: &[Module<'_>], oldest: u32) -> String {
    let version = modules.iter().map(|module| module.version).max().unwrap_or((6, 0));
    let newest = modules.iter().max_by_key(|module| module.target.sm());
    let mut words = newest.map(|module| module.target.words.clone()).unwrap_or_default();
    for word in modules.iter().flat_map(|module| &module.target.words) {
        if !words.contains(word) && !word.starts_with("sm_") && !word.starts_with("compute_") {
            words.push(word);
        }
    }
    if words.is_empty() {
        words.push("sm_30");
    }
    let bits = modules.first().map_or(64, |module| module.address_size);
    let (major, minor) = version;
    let mut text =
        format!(".version {major}.{minor}\n.target {}\n.address_size {bits}\n", words.join(", "));
    if newest.is_some_and(|module| module.target.sm() != Some(oldest)) {
        text += &architecture::directive(oldest);
    }
    text
}

/// Gives the files of each module numbers of their own.
fn number_files(modules: &mut [Module<'_>]) {
    let mut used = 0u32;
    for module in modules {
        let mut next = used;
        for directive in &mut module.directives {
            match directive {
                Directive::File { index, .. } => {
                    *index = index.saturating_add(used);
                    next = next.max(*index);
                }
                Directive::Function(Function { body: Some(body), .. }) => shift_files(body, used),
                _ => {}
            }
        }
        used = next;
    }
}

fn shift_files(statements: &mut [Statement<'_>], by: u32) {
    for statement in statements {
        match statement {
            Statement::Loc(loc) => loc.file = loc.file.saturating_add(by),
            Statement::Block(inner) => shift_files(inner, by),
            _ => {}
        }
    }
}

/// Whether the definition that counts for a shared name is in this module. `None`: the name is the
/// module's own.
fn counts(name: &str, linkage: Linkage, number: usize, table: &Table) -> Option<bool> {
    let shared = (linkage != Linkage::Internal).then(|| table.symbols.get(name)).flatten()?;
    Some(shared.input == number)
}

/// Whether nobody defines a shared name, and this module's declaration of it stands for all.
fn is_undefined(name: &str, number: usize, table: &Table) -> bool {
    table
        .symbols
        .get(name)
        .is_some_and(|s| s.input == number && s.symbol.strength == Strength::Undefined)
}

/// Writes the declaration of a shared name, once.
fn declare<'a>(
    directive: &Directive<'a>,
    number: usize,
    table: &Table,
    declared: &mut FxHashSet<&'a str>,
    text: &mut String,
) {
    match directive {
        // What is defined is declared as it is defined.
        Directive::Function(function)
            if counts(function.name, function.linkage, number, table) == Some(true)
                && !is_undefined(function.name, number, table)
                && declared.insert(function.name) =>
        {
            let mut declaration = Function { body: None, ..function.clone() };
            align_parameters::run(&mut declaration, table);
            let _ = writeln!(text, "{declaration}");
        }
        Directive::Function(function) if function.kind == FunctionKind::Func => {
            // Only code that never runs calls what nobody defines.
            if is_undefined(function.name, number, table)
                && !is_system_function(function.name)
                && declared.insert(function.name)
            {
                let body = Some(Vec::new());
                let mut stub = Function { body, linkage: Linkage::Weak, ..function.clone() };
                align_parameters::run(&mut stub, table);
                let _ = writeln!(text, "{stub}");
            } else if is_undefined(function.name, number, table) && declared.insert(function.name) {
                let _ = writeln!(text, "{function}");
            }
        }
        Directive::Variable(variable) => {
            let defined = variable.linkage != Linkage::Extern
                && counts(variable.name, variable.linkage, number, table) == Some(true);
            // Of what nobody defines the declaration that says most is left.
            if (defined || is_undefined(variable.name, number, table))
                && declared.insert(variable.name)
            {
                let mut declaration = variable.clone();
                declaration.linkage = Linkage::Extern;
                declaration.initializer = None;
                align(&mut declaration, table);
                let _ = writeln!(text, "{declaration};");
            }
        }
        _ => {}
    }
}

/// The largest alignment that a module asks for is that of the variable.
fn align(variable: &mut Variable<'_>, table: &Table) {
    let wanted = table.symbols.get(variable.name).map_or(1, |shared| shared.align);
    if wanted > crate::passes::layout_parameters::align_of(variable) {
        variable.align = u32::try_from(wanted).ok();
    }
}

/// The directive, if it is one of the module that all become.
fn kept<'a>(mut directive: Directive<'a>, number: usize, table: &Table) -> Option<Directive<'a>> {
    let keep = match &mut directive {
        Directive::Function(function) => {
            let counts = counts(function.name, function.linkage, number, table);
            match &function.body {
                Some(_) => counts.unwrap_or(true),
                // Declarations of what is shared stand at the top, system functions' too; unused ones are none.
                None => counts.is_none() && function.linkage == Linkage::Internal,
            }
        }
        Directive::Variable(variable) => {
            if variable.linkage == Linkage::Internal {
                true
            } else if variable.linkage == Linkage::Extern {
                false
            } else {
                align(variable, table);
                counts(variable.name, variable.linkage, number, table).unwrap_or(true)
            }
        }
        Directive::Alias { name, .. } => {
            table.symbols.get(*name).is_none_or(|shared| shared.input == number)
        }
        Directive::Section { .. } => false,
        Directive::File { .. } | Directive::Pragma(_) | Directive::Prototype(_) => true,
    };
    keep.then_some(directive)
}
