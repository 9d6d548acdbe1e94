//! Input: a module's tree.
//! Output: what each name at module scope means.
//! Why here: every later pass looks names up.

use ptx_parser::{Directive, Function, Linkage, Module, Variable};
use rustc_hash::FxHashMap;

/// A name at module scope, as an index into [`Module::directives`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    Function(usize),
    Variable(usize),
}

#[derive(Debug, Default)]
pub struct Symbols<'a> {
    names: FxHashMap<&'a str, Symbol>,
}

impl Symbols<'_> {
    /// The function or variable of a name; none if the module does not declare it.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).copied()
    }
}

/// A definition takes the place of a declaration; of several definitions (which only `.weak` and
/// `.common` may have) the first counts.
pub fn run<'a>(module: &Module<'a>) -> Symbols<'a> {
    let mut symbols = Symbols::default();
    for (index, directive) in module.directives.iter().enumerate() {
        let (name, symbol, defines) = match directive {
            Directive::Function(f) => (f.name, Symbol::Function(index), f.body.is_some()),
            Directive::Variable(v) => {
                (v.name, Symbol::Variable(index), v.linkage != Linkage::Extern)
            }
            _ => continue,
        };
        let known = symbols.names.get(name).copied();
        if known.is_none_or(|known| defines && !is_definition(module, known)) {
            symbols.names.insert(name, symbol);
        }
    }
    for directive in &module.directives {
        if let Directive::Alias { name, aliasee, .. } = directive
            && let Some(symbol) = symbols.get(aliasee)
        {
            symbols.names.insert(name, symbol);
        }
    }
    symbols
}

fn is_definition(module: &Module<'_>, symbol: Symbol) -> bool {
    match symbol {
        Symbol::Function(index) => function(module, index).is_some_and(|f| f.body.is_some()),
        Symbol::Variable(index) => {
            variable(module, index).is_some_and(|v| v.linkage != Linkage::Extern)
        }
    }
}

/// The function at `index` of the directives.
pub fn function<'m, 'a>(module: &'m Module<'a>, index: usize) -> Option<&'m Function<'a>> {
    match module.directives.get(index) {
        Some(Directive::Function(function)) => Some(function),
        _ => None,
    }
}

/// The variable at `index` of the directives.
pub fn variable<'m, 'a>(module: &'m Module<'a>, index: usize) -> Option<&'m Variable<'a>> {
    match module.directives.get(index) {
        Some(Directive::Variable(variable)) => Some(variable),
        _ => None,
    }
}
