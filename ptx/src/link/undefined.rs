//! Which symbols are wanted and not there.
//!
//! A variable that a module declares has to be somewhere, used or not. A function has to be somewhere where
//! code calls it or takes its address that kernels or initial values of variables can reach.

use ptx_parser::Directive;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Input;
use super::symbols::{Space, Strength, Table};
use crate::passes::number_functions::visit;
use crate::passes::{index_symbols, summarize_functions};
use crate::system_functions::is_system_function;

/// A function of a module: the module's number, and the name.
type FunctionKey = (usize, String);

/// The messages, in the order of the modules.
pub(crate) fn find(inputs: &[Input], table: &Table) -> Vec<String> {
    let mut wanted: FxHashMap<FunctionKey, Vec<String>> = FxHashMap::default();
    let mut roots: Vec<FunctionKey> = Vec::new();
    // The functions that each module only declares, and the first module that wants each symbol.
    let mut missing: FxHashMap<String, usize> = FxHashMap::default();
    for (number, input) in inputs.iter().enumerate() {
        let tree = ptx_parser::parse(&input.text).module;
        let symbols = index_symbols::run(&tree);
        let summaries = summarize_functions::run(&tree, &symbols);
        for (index, directive) in tree.directives.iter().enumerate() {
            match directive {
                Directive::Function(function) => {
                    let Some(summary) = summaries.get(index) else { continue };
                    let names = summary.calls.iter().chain(&summary.addresses);
                    let place = (number, function.name.to_owned());
                    wanted.entry(place).or_default().extend(names.map(|n| (*n).to_owned()));
                }
                Directive::Variable(variable) => {
                    if let Some(initializer) = &variable.initializer {
                        visit(initializer, &mut |name| roots.push((number, name.to_owned())));
                    }
                }
                Directive::Alias { name, aliasee, .. } => {
                    let place = (number, (*name).to_owned());
                    wanted.entry(place).or_default().push((*aliasee).to_owned());
                }
                _ => {}
            }
        }
        for symbol in &input.module.symbols {
            if symbol.is_kernel() {
                roots.push((number, symbol.name.clone()));
            }
            let function = matches!(symbol.space, Space::Function | Space::Kernel);
            let shared = table.symbols.get(&symbol.name);
            if symbol.strength == Strength::Undefined
                && !function
                && shared.is_some_and(|s| {
                    s.symbol.strength == Strength::Undefined && !s.symbol.is_dynamic()
                })
            {
                missing.entry(symbol.name.clone()).or_insert(number);
            }
        }
    }
    let locals: Vec<FxHashSet<&str>> = inputs
        .iter()
        .map(|input| {
            let symbols = input.module.symbols.iter();
            symbols.filter(|s| s.strength == Strength::Local).map(|s| s.name.as_str()).collect()
        })
        .collect();
    let mut seen: FxHashSet<FunctionKey> = FxHashSet::default();
    while let Some((number, name)) = roots.pop() {
        // What a module shares is where its definition is.
        let own = locals[number].contains(name.as_str());
        let place = match table.symbols.get(&name) {
            Some(shared) if !own => {
                let lacking = shared.symbol.strength == Strength::Undefined
                    && shared.symbol.space == Space::Function;
                if lacking && !is_system_function(&name) {
                    let first = missing.entry(name.clone()).or_insert(number);
                    *first = (*first).min(number);
                }
                (shared.input, name)
            }
            _ => (number, name),
        };
        if seen.insert(place.clone()) {
            let names = wanted.get(&place).into_iter().flatten();
            roots.extend(names.map(|name| (place.0, name.clone())));
        }
    }
    let mut missing: Vec<(usize, String)> =
        missing.into_iter().map(|(name, number)| (number, name)).collect();
    missing.sort();
    missing
        .into_iter()
        .map(|(number, name)| {
            format!("Undefined reference to '{name}' in '{}'", inputs[number].name)
        })
        .collect()
}
