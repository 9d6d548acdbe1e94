//! Input: the tree and its symbols.
//! Output: for each function with a body: which module-scope names it uses, and how.
//! Why here: the passes that follow ask for it once per kernel; bodies are walked once only.

use ptx_parser::{
    Call, Function, GuardedInstruction, Instruction, Module, Operand, StateSpace, Statement,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::index_symbols::Symbols;
use super::layout_parameters::{align_of, size_of};

#[derive(Debug, Default)]
pub struct Summary<'a> {
    /// Functions that are called by name.
    pub calls: Vec<&'a str>,
    /// Module-scope names in other places: variables that are accessed, functions whose address is taken.
    pub addresses: Vec<&'a str>,
    /// Calls through a register.
    pub calls_indirectly: bool,
    /// It holds `exit`.
    pub exits: bool,
    /// It takes the address of a `.local` variable with 32 bits.
    pub narrow_local_addresses: bool,
    /// Bytes of `.local` variables.
    pub local_size: u64,
    /// The greatest alignment of these, 0 where there are none.
    pub local_align: u64,
    /// `.shared` variables of the function itself: size and alignment, in bytes.
    pub shared: Vec<(u64, u64)>,
}

#[derive(Debug, Default)]
pub struct Summaries<'a> {
    by_function: FxHashMap<usize, Summary<'a>>,
}

impl<'a> Summaries<'a> {
    /// The summary of a function, an index into the directives; none if it has no body.
    pub fn get(&self, function: usize) -> Option<&Summary<'a>> {
        self.by_function.get(&function)
    }

    /// The summaries of all functions with bodies, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &Summary<'a>> {
        self.by_function.values()
    }
}

/// Walks the bodies of all functions.
pub fn run<'a>(module: &Module<'a>, symbols: &Symbols<'a>) -> Summaries<'a> {
    let mut summaries = Summaries::default();
    for (index, directive) in module.directives.iter().enumerate() {
        if let ptx_parser::Directive::Function(function) = directive
            && function.body.is_some()
        {
            summaries.by_function.insert(index, summarize(function, symbols));
        }
    }
    summaries
}

fn summarize<'a>(function: &Function<'a>, symbols: &Symbols<'a>) -> Summary<'a> {
    let mut walk = Walk {
        symbols,
        seen: FxHashSet::default(),
        locals: FxHashSet::default(),
        summary: Summary::default(),
    };
    walk.statements(function.body.as_deref().unwrap_or_default());
    walk.summary
}

struct Walk<'w, 'a> {
    symbols: &'w Symbols<'a>,
    /// Names that are in the summary already, and whether as a call.
    seen: FxHashSet<(&'a str, bool)>,
    /// `.local` variables of the function.
    locals: FxHashSet<&'a str>,
    summary: Summary<'a>,
}

impl<'a> Walk<'_, 'a> {
    fn statements(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            match statement {
                Statement::Variable(variable) => self.variable(variable),
                Statement::Block(statements) => self.statements(statements),
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::CallTargets { targets, .. } => {
                    targets.iter().for_each(|name| self.address(name))
                }
                Statement::Label { .. }
                | Statement::Prototype(_)
                | Statement::BranchTargets { .. }
                | Statement::Loc(_)
                | Statement::Pragma(_)
                | Statement::Unknown(_) => {}
            }
        }
    }

    fn variable(&mut self, variable: &Variable<'a>) {
        match variable.space {
            StateSpace::Local => {
                let (size, align) = (size_of(variable), align_of(variable));
                self.summary.local_size = self.summary.local_size.next_multiple_of(align) + size;
                self.summary.local_align = self.summary.local_align.max(align);
                self.locals.insert(variable.name);
            }
            StateSpace::Shared | StateSpace::SharedCta => {
                let align = align_of(variable);
                self.summary.shared.push((size_of(variable), align));
            }
            _ => {}
        }
    }

    fn instruction(&mut self, instruction: &GuardedInstruction<'a>) {
        if let Instruction::Call(call) = &instruction.instruction {
            self.call(call);
            return;
        }
        if let Instruction::Mov(mov) = &instruction.instruction
            && mov.type_.bits() == 32
        {
            let name = match &mov.a {
                Operand::Name(name) => Some(*name),
                Operand::Offset(address) => address.base,
                _ => None,
            };
            self.summary.narrow_local_addresses |=
                name.is_some_and(|name| self.locals.contains(name));
        }
        self.summary.exits |= matches!(instruction.instruction, Instruction::Exit(_));
        instruction.instruction.names(|name, _| self.address(name));
    }

    fn call(&mut self, call: &Call<'a>) {
        if self.symbols.get(call.target).is_some() {
            if self.seen.insert((call.target, true)) {
                self.summary.calls.push(call.target);
            }
        } else {
            self.summary.calls_indirectly = true;
        }
        for operand in call.arguments.iter().chain(&call.returns) {
            if let Operand::Name(name) = operand {
                self.address(name);
            }
        }
        if let Some(name) = call.prototype {
            self.address(name);
        }
    }

    fn address(&mut self, name: &'a str) {
        // Almost all names are registers.
        if !name.starts_with('%')
            && self.symbols.get(name).is_some()
            && self.seen.insert((name, false))
        {
            self.summary.addresses.push(name);
        }
    }
}
