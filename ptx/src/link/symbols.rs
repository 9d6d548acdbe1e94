//! The symbols that a module declares and defines, and the rules by which modules fit together.
//!
//! The rules and the words are those of NVIDIA's linker, measured (tests/differential/modules/link.txt):
//!
//! - Names without `.visible`, `.extern`, `.weak` or `.common` are a module's own.
//! - Of several definitions all but one are `.weak`, or all are `.common`. The definition that is not weak
//!   counts, else the first; of `.common` variables the largest, unless there is another definition.
//! - Declarations and definitions agree in state space, size and prototype. Of functions only those declarations
//!   count that code or an initial value uses: others are nothing, as if they were not there.

use ptx_parser::{Directive, Function, FunctionKind, Linkage, Modifier, StateSpace, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Input;
use crate::passes::index_symbols;
use crate::passes::layout_parameters::{align_of, size_of};
use crate::passes::number_functions::visit;
use crate::passes::summarize_functions;

/// The names at module scope of one module, each once, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub symbols: Vec<Symbol>,
}

#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub name: String,
    pub space: Space,
    pub strength: Strength,
    /// Bytes of a variable; 0 where the module does not say.
    pub size: u64,
    pub align: u64,
    /// The types of a function's results and parameters.
    prototype: String,
    /// The alignments of a function's results and parameters.
    pub aligns: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Kernel,
    Function,
    Global,
    Const,
    Shared,
    /// A label of a prototype.
    Prototype,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// The module's own.
    Local,
    /// Only declared.
    Undefined,
    Common,
    Weak,
    Strong,
}

impl Symbol {
    /// Whether the symbol is the definition of a kernel.
    pub fn is_kernel(&self) -> bool {
        self.space == Space::Kernel && self.strength != Strength::Undefined
    }

    /// A kernel that programs may launch: not one of NVIDIA's device runtime, a library that is part of many
    /// programs and has kernels for functions of its own.
    pub fn is_launched(&self) -> bool {
        self.is_kernel() && !self.name.contains("_cuda_device_runtime_cu_")
    }

    /// Shared memory of a size that the launch says.
    pub fn is_dynamic(&self) -> bool {
        self.space == Space::Shared && self.strength == Strength::Undefined && self.size == 0
    }

    fn of_function(function: &Function<'_>, aliases: &[&str]) -> Self {
        let defined = function.body.is_some() || aliases.contains(&function.name);
        let space = match function.kind {
            FunctionKind::Entry => Space::Kernel,
            FunctionKind::Func => Space::Function,
        };
        Symbol {
            name: function.name.to_owned(),
            space,
            strength: strength(function.linkage, defined, true),
            size: 0,
            align: 1,
            prototype: prototype(function),
            aligns: function.returns.iter().chain(&function.parameters).map(align_of).collect(),
        }
    }

    fn of_variable(variable: &Variable<'_>) -> Option<Self> {
        let space = match variable.space {
            StateSpace::Global | StateSpace::Tex => Space::Global,
            StateSpace::Const => Space::Const,
            StateSpace::Shared | StateSpace::SharedCta => Space::Shared,
            _ => return None,
        };
        let defined = variable.linkage != Linkage::Extern;
        Some(Symbol {
            name: variable.name.to_owned(),
            space,
            strength: strength(variable.linkage, defined, variable.initializer.is_some()),
            size: size_of(variable),
            align: align_of(variable),
            prototype: String::new(),
            aligns: Vec::new(),
        })
    }
}

fn strength(linkage: Linkage, defined: bool, valued: bool) -> Strength {
    match linkage {
        Linkage::Internal => Strength::Local,
        _ if !defined => Strength::Undefined,
        Linkage::Common if !valued => Strength::Common,
        Linkage::Weak => Strength::Weak,
        _ => Strength::Strong,
    }
}

/// The types of results and parameters: what has to be equal for a call to work. Integers of one width are the same
/// to NVIDIA's linker, and so are registers and `.param`.
fn prototype(function: &Function<'_>) -> String {
    let list = |variables: &[Variable<'_>]| -> String {
        let types = variables.iter().map(|v| {
            let vector = v.vector.map(|v| v.to_string()).unwrap_or_default();
            let arrays: String = v.dimensions.iter().map(|n| format!("[{n}]")).collect();
            let kind = if v.type_.is_float() { v.type_.word() } else { "" };
            format!("{vector}{kind}:{}{arrays}", v.type_.bits())
        });
        types.collect::<Vec<_>>().join(",")
    };
    format!("({})({})", list(&function.returns), list(&function.parameters))
}

/// The names at module scope that code, initial values and aliases use.
fn used<'a>(tree: &ptx_parser::Module<'a>) -> FxHashSet<&'a str> {
    let symbols = index_symbols::run(tree);
    let summaries = summarize_functions::run(tree, &symbols);
    let mut used: FxHashSet<&str> =
        summaries.all().flat_map(|s| s.calls.iter().chain(&s.addresses)).copied().collect();
    for directive in &tree.directives {
        match directive {
            Directive::Variable(variable) => {
                if let Some(initializer) = &variable.initializer {
                    visit(initializer, &mut |name| {
                        used.insert(name);
                    });
                }
            }
            Directive::Alias { aliasee, .. } => {
                used.insert(aliasee);
            }
            _ => {}
        }
    }
    used
}

impl Module {
    /// The symbols that a module's tree declares and defines.
    pub fn of(tree: &ptx_parser::Module<'_>) -> Self {
        let aliases: Vec<&str> = tree
            .directives
            .iter()
            .filter_map(|directive| match directive {
                Directive::Alias { name, .. } => Some(*name),
                _ => None,
            })
            .collect();
        let used = used(tree);
        let mut module = Module::default();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        for directive in &tree.directives {
            let symbol = match directive {
                Directive::Function(function) => {
                    let symbol = Symbol::of_function(function, &aliases);
                    if symbol.space == Space::Function
                        && symbol.strength == Strength::Undefined
                        && !used.contains(function.name)
                    {
                        continue;
                    }
                    symbol
                }
                Directive::Variable(variable) => match Symbol::of_variable(variable) {
                    Some(symbol) => symbol,
                    None => continue,
                },
                Directive::Prototype(prototype) => Symbol {
                    name: prototype.name.to_owned(),
                    space: Space::Prototype,
                    strength: Strength::Local,
                    size: 0,
                    align: 1,
                    prototype: String::new(),
                    aligns: Vec::new(),
                },
                _ => continue,
            };
            match places.get(&symbol.name) {
                // A definition takes the place of a declaration.
                Some(&place) => {
                    let known = &mut module.symbols[place];
                    if known.strength != Strength::Local && symbol.strength > known.strength {
                        *known = symbol;
                    }
                }
                None => {
                    places.insert(symbol.name.clone(), module.symbols.len());
                    module.symbols.push(symbol);
                }
            }
        }
        module
    }
}

/// The symbols that modules share, as all modules so far declare and define them.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub symbols: FxHashMap<String, Shared>,
}

/// A name that modules share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The definition that counts, or the first declaration: its strength, space, size and prototype.
    pub symbol: Symbol,
    /// The input that has it.
    pub input: usize,
    /// The largest alignment that a module asks for.
    pub align: u64,
    /// Likewise of each result and parameter of a function.
    pub aligns: Vec<u64>,
}

impl Table {
    /// Whether the symbol is a definition of something that is declared so far only.
    pub fn lacks(&self, symbol: &Symbol) -> bool {
        symbol.strength > Strength::Undefined
            && self
                .symbols
                .get(&symbol.name)
                .is_some_and(|known| known.symbol.strength == Strength::Undefined)
    }

    /// Takes the names of the module that becomes input number `input`; gives what does not fit.
    pub fn merge(
        &mut self,
        input: usize,
        name: &str,
        module: &Module,
        inputs: &[Input],
    ) -> Vec<String> {
        let mut errors = Vec::new();
        for symbol in module.symbols.iter().filter(|s| s.strength != Strength::Local) {
            let Some(known) = self.symbols.get_mut(&symbol.name) else {
                let (align, aligns) = (symbol.align, symbol.aligns.clone());
                let shared = Shared { symbol: symbol.clone(), input, align, aligns };
                self.symbols.insert(symbol.name.clone(), shared);
                continue;
            };
            let first = inputs.get(known.input).map_or("", |input| input.name.as_str());
            errors.extend(conflicts(known, symbol, name, first));
            known.align = known.align.max(symbol.align);
            for (known, align) in known.aligns.iter_mut().zip(&symbol.aligns) {
                *known = (*known).max(*align);
            }
            let larger = known.symbol.strength == Strength::Common
                && symbol.strength == Strength::Common
                && symbol.size > known.symbol.size;
            // Shared memory of no size is the same as that of some size.
            let sized = symbol.strength == Strength::Undefined
                && known.symbol.strength == Strength::Undefined
                && known.symbol.size == 0
                && symbol.size != 0;
            if symbol.strength > known.symbol.strength || larger || sized {
                (known.symbol, known.input) = (symbol.clone(), input);
            }
        }
        errors
    }
}

/// The errors that keep `new`, of the module `name`, from being the same as `known`, of the module `first`.
fn conflicts(known: &Shared, new: &Symbol, name: &str, first: &str) -> Vec<String> {
    let old = &known.symbol;
    let symbol = &new.name;
    let both = |strength| old.strength == strength && new.strength == strength;
    let mut errors = Vec::new();
    if old.space != new.space {
        errors.push(format!(
            "Memory space doesn't match for '{symbol}' in '{name}', first specified in '{first}'"
        ));
    } else if old.prototype != new.prototype {
        errors.push(format!(
            "Prototype doesn't match for '{symbol}' in '{name}', first defined in '{first}'"
        ));
    } else if old.size != new.size && old.size != 0 && new.size != 0 {
        let initialized = |s: &Symbol| s.strength > Strength::Common;
        match (old.strength, new.strength) {
            (Strength::Common, Strength::Common) => {}
            (Strength::Common, _) if initialized(new) => {
                if old.size > new.size {
                    errors.push(larger_common(symbol, first));
                }
            }
            (_, Strength::Common) if initialized(old) => {
                if new.size > old.size {
                    errors.push(larger_common(symbol, name));
                }
            }
            _ => errors.push(format!(
                "Size doesn't match for '{symbol}' in '{name}', first specified in '{first}'"
            )),
        }
    }
    if both(Strength::Strong) {
        errors.push(format!(
            "Multiple definition of '{symbol}' in '{name}', first defined in '{first}'"
        ));
    }
    errors
}

fn larger_common(symbol: &str, file: &str) -> String {
    format!("Common symbol '{symbol}' in file '{file}' has larger size than initialization")
}
