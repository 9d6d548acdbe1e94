//! Input: the tree, its symbols, and what each function names.
//! Output: the functions whose address is taken, in the order of the module; the position of one is
//! the number that its address is made of.
//! Why here: initialisers of variables may hold addresses, so this comes before their layout.

use ptx_parser::{Directive, Initializer, Module};

use super::index_symbols::{Symbol, Symbols, function};
use super::summarize_functions::Summaries;

/// Functions by number, as indices into the directives.
#[derive(Debug, Default)]
pub struct Numbers {
    pub functions: Vec<usize>,
}

impl Numbers {
    /// The "address" of a function: `16 * (n + 1)`.
    pub fn address(&self, function: usize) -> Option<u64> {
        let number = self.functions.iter().position(|&f| f == function)?;
        Some(address_of(number))
    }
}

/// The "address" of the function with a number.
pub fn address_of(number: usize) -> u64 {
    16 * (number as u64 + 1)
}

/// Numbers the functions with bodies whose addresses initialisers or instructions take.
pub fn run(module: &Module<'_>, symbols: &Symbols<'_>, summaries: &Summaries<'_>) -> Numbers {
    let mut taken = Vec::new();
    for directive in &module.directives {
        if let Directive::Variable(variable) = directive
            && let Some(initializer) = &variable.initializer
        {
            visit(initializer, &mut |name| taken.extend(symbols.get(name)));
        }
    }
    for summary in summaries.all() {
        taken.extend(summary.addresses.iter().filter_map(|name| symbols.get(name)));
    }
    let mut functions: Vec<usize> = taken
        .into_iter()
        .filter_map(|symbol| match symbol {
            Symbol::Function(index) => Some(index),
            Symbol::Variable(_) => None,
        })
        .filter(|&index| function(module, index).is_some_and(|f| f.body.is_some()))
        .collect();
    functions.sort_unstable();
    functions.dedup();
    Numbers { functions }
}

/// Calls `found` with each name in an initial value.
pub fn visit<'a>(initializer: &Initializer<'a>, found: &mut impl FnMut(&'a str)) {
    match initializer {
        Initializer::Immediate(_) | Initializer::Property(..) => {}
        Initializer::Symbol { address, .. } => address.base.into_iter().for_each(found),
        Initializer::List(items) => items.iter().for_each(|item| visit(item, found)),
    }
}
