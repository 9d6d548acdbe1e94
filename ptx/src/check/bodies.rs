//! Bodies: what each name means where it stands.
//!
//! A block is a scope. Registers, variables and parameters are declared before they are used; labels are
//! seen in all of their block and in the blocks in it.

use ptx_parser::isa::Named;
use ptx_parser::{
    Access, Directive, Error, Function, FunctionKind, GuardedInstruction, Instruction, Linkage,
    Module, Operand, OperandRef, Prototype, Span, StateSpace, Statement, Variable,
};
use rustc_hash::FxHashMap;

use super::{calls, variables};

/// The thing that a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Entity<'m, 'a> {
    /// A register or a variable.
    Variable(&'m Variable<'a>),
    /// A parameter of the function that the body belongs to.
    Parameter(&'m Variable<'a>, Role),
    Function(&'m Function<'a>),
    Label,
    Prototype(&'m Prototype<'a>),
    CallTargets(&'m [&'a str]),
    BranchTargets,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    OfKernel,
    OfFunction,
    Result,
}

#[derive(Default)]
struct Scope<'m, 'a> {
    names: FxHashMap<&'a str, Entity<'m, 'a>>,
    /// `%r<100>`: by the part before the number.
    ranges: FxHashMap<&'a str, &'m Variable<'a>>,
}

pub struct Body<'m, 'a, 'e> {
    source: &'m str,
    function: &'m Function<'a>,
    /// The innermost last; the first is that of the module.
    scopes: Vec<Scope<'m, 'a>>,
    errors: &'e mut Vec<Error>,
}

/// The bodies of all functions.
pub fn check<'m, 'a>(module: &'m Module<'a>, source: &'m str, errors: &mut Vec<Error>) {
    let mut global = Scope::default();
    for directive in &module.directives {
        match directive {
            Directive::Variable(variable) if variable.range.is_some() => {
                global.ranges.insert(variable.name, variable);
            }
            Directive::Variable(variable) => {
                global.names.insert(variable.name, Entity::Variable(variable));
            }
            Directive::Prototype(prototype) => {
                global.names.insert(prototype.name, Entity::Prototype(prototype));
            }
            Directive::Function(function) => {
                let known = global.names.entry(function.name);
                let entity = known.or_insert(Entity::Function(function));
                if function.body.is_some() {
                    *entity = Entity::Function(function);
                }
                if let Some(statements) = &function.body
                    && !statements.iter().any(may_declare)
                {
                    let scopes = vec![global];
                    let mut body = Body { source, function, scopes, errors };
                    body.function(statements);
                    global = body.scopes.swap_remove(0);
                }
            }
            _ => {}
        }
    }
}

/// Whether a statement that could not be read may declare what others use.
fn may_declare(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::Unknown(unknown) => {
            !unknown.text.starts_with(|c: char| c.is_alphabetic() || c == '@')
        }
        Statement::Block(inner) => inner.iter().any(may_declare),
        _ => false,
    }
}

impl<'m, 'a> Body<'m, 'a, '_> {
    /// Adds an error of the function at `span`.
    pub fn invalid(&mut self, span: Span, message: String) {
        self.errors.push(Error::invalid(span, message).in_function(self.function.name));
    }

    fn function(&mut self, statements: &'m [Statement<'a>]) {
        let function = self.function;
        let role = match function.kind {
            FunctionKind::Entry => Role::OfKernel,
            FunctionKind::Func => Role::OfFunction,
        };
        let mut scope = Scope::default();
        let results = function.returns.iter().map(|v| (v, Role::Result));
        for (variable, role) in results.chain(function.parameters.iter().map(|v| (v, role))) {
            scope.names.insert(variable.name, Entity::Parameter(variable, role));
        }
        self.scope(scope, statements);
    }

    /// A block, whose scope has `scope` already.
    fn scope(&mut self, scope: Scope<'m, 'a>, statements: &'m [Statement<'a>]) {
        self.scopes.push(scope);
        for statement in statements {
            let (name, span, entity) = match statement {
                Statement::Label { name, span } => (*name, *span, Entity::Label),
                Statement::BranchTargets { name, span, .. } => {
                    (*name, *span, Entity::BranchTargets)
                }
                _ => continue,
            };
            self.declare(name, span, entity);
        }
        for statement in statements {
            self.statement(statement);
        }
        self.scopes.pop();
    }

    fn declare(&mut self, name: &'a str, span: Span, entity: Entity<'m, 'a>) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let known = scope.names.get_key_value(name).map(|(name, entity)| (*name, *entity));
        let in_range = of_range(&scope.ranges, name).is_some();
        let later = matches!(known, Some((_, Entity::Label)));
        if later || known.is_none() {
            scope.names.insert(name, entity);
        }
        if (known.is_some() || in_range) && name != "_" {
            // Labels are known before they come.
            let span = match known {
                Some((label, _)) if later && !matches!(entity, Entity::Label) => {
                    self.place(label, span)
                }
                _ => span,
            };
            self.invalid(span, format!("`{name}` is declared already"));
        }
    }

    fn statement(&mut self, statement: &'m Statement<'a>) {
        match statement {
            Statement::Variable(variable) => self.variable(variable),
            Statement::Block(inner) => self.scope(Scope::default(), inner),
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Prototype(prototype) => {
                self.declare(prototype.name, prototype.span, Entity::Prototype(prototype));
            }
            Statement::CallTargets { name, targets, span } => {
                for target in targets {
                    if !matches!(self.find(target), Some(Entity::Function(_))) {
                        let span = self.place(target, *span);
                        self.invalid(span, format!("there is no function `{target}`"));
                    }
                }
                self.declare(name, *span, Entity::CallTargets(targets));
            }
            Statement::BranchTargets { targets, span, .. } => {
                targets.iter().for_each(|target| self.label(target, *span));
            }
            Statement::Label { .. }
            | Statement::Loc(_)
            | Statement::Pragma(_)
            | Statement::Unknown(_) => {}
        }
    }

    fn variable(&mut self, variable: &'m Variable<'a>) {
        let before = self.errors.len();
        variables::check(variable, self.errors);
        for error in &mut self.errors[before..] {
            error.function = Some(self.function.name.to_owned());
        }
        if variable.linkage != Linkage::Internal {
            let message = format!("`{}` is seen in this function only", variable.name);
            self.invalid(variable.span, message);
        }
        if variable.range.is_none() {
            return self.declare(variable.name, variable.span, Entity::Variable(variable));
        }
        let Some(scope) = self.scopes.last_mut() else { return };
        if scope.ranges.insert(variable.name, variable).is_some() {
            let message = format!("registers `{}<...>` are declared already", variable.name);
            self.invalid(variable.span, message);
        }
    }

    /// The thing that a name stands for, looked for from the innermost scope outwards.
    pub fn find(&self, name: &str) -> Option<Entity<'m, 'a>> {
        self.scopes.iter().rev().find_map(|scope| {
            let named = scope.names.get(name).copied();
            named.or_else(|| of_range(&scope.ranges, name).map(Entity::Variable))
        })
    }

    /// The place of a name of the tree in the text; `statement` if it is not part of it.
    pub fn place(&self, name: &str, statement: Span) -> Span {
        Span::of(self.source, name).unwrap_or(statement)
    }

    fn label(&mut self, name: &'a str, span: Span) {
        let message = match self.find(name) {
            Some(Entity::Label) => return,
            Some(_) => format!("`{name}` is no label"),
            None => format!("there is no label `{name}`"),
        };
        let span = self.place(name, span);
        self.invalid(span, message);
    }

    fn instruction(&mut self, guarded: &'m GuardedInstruction<'a>) {
        let span = guarded.span;
        if let Some(guard) = guarded.guard {
            self.known(guard.predicate, span);
        }
        match &guarded.instruction {
            Instruction::Bra(i) => match &i.tgt {
                Operand::Name(name) => self.label(name, span),
                _ => self.operand_types(&guarded.instruction, span),
            },
            Instruction::BrxIdx(i) => {
                if let Operand::Name(name) = &i.index {
                    self.known(name, span);
                }
                if let Operand::Name(name) = &i.tlist
                    && !matches!(self.find(name), Some(Entity::BranchTargets))
                {
                    let span = self.place(name, span);
                    self.invalid(span, format!("there is no list of branch targets `{name}`"));
                } else {
                    self.operand_types(&guarded.instruction, span);
                }
            }
            Instruction::Call(call) => calls::check(self, call, span),
            instruction => {
                let mut written = false;
                instruction.operands(|operand, access| {
                    written |= access == Access::Write
                        && matches!(operand, OperandRef::Operand(Operand::Special(_)));
                });
                if written {
                    self.invalid(span, "a special register is written to".to_owned());
                }
                self.operand_types(instruction, span);
                let mut names = Vec::new();
                instruction.names(|name, _| names.push(name));
                names.into_iter().for_each(|name| self.operand(name, span));
                self.parameter_access(instruction, span);
            }
        }
    }

    /// Types and kinds of operands, as far as their names are known.
    fn operand_types(&mut self, instruction: &Instruction<'a>, span: Span) {
        let wrong = instruction.wrong_operand(|name| match self.find(name)? {
            Entity::Variable(v) | Entity::Parameter(v, _) if v.space == StateSpace::Reg => {
                Some(Named::Register(v.type_, v.vector))
            }
            Entity::Variable(v) => Some(Named::Variable(v.space)),
            Entity::Function(_) => Some(Named::Function),
            Entity::BranchTargets => Some(Named::Targets),
            // Parameters may be in several spaces, and labels have an error of their own.
            _ => None,
        });
        if let Some(wrong) = wrong {
            self.invalid(span, wrong);
        }
    }

    /// A name in an operand: anything but a label.
    fn operand(&mut self, name: &'a str, span: Span) {
        match self.find(name) {
            Some(Entity::Label | Entity::Prototype(_) | Entity::BranchTargets) => {
                let span = self.place(name, span);
                self.invalid(span, format!("the label `{name}` is no operand"));
            }
            _ => self.known(name, span),
        }
    }

    /// Adds an error, at the name's place in the text or at `span`, if nothing declares `name`.
    pub fn known(&mut self, name: &'a str, span: Span) {
        if self.find(name).is_none() {
            let span = self.place(name, span);
            self.invalid(span, format!("`{name}` is not declared"));
        }
    }

    /// Parameters are read, and results written.
    fn parameter_access(&mut self, instruction: &Instruction<'a>, span: Span) {
        let (base, written) = match instruction {
            Instruction::Ld(i) => (i.a.base, false),
            Instruction::St(i) => (i.a.base, true),
            _ => return,
        };
        let Some(name) = base else { return };
        let Some(Entity::Parameter(variable, role)) = self.find(name) else { return };
        if variable.space != StateSpace::Param {
            return;
        }
        let span = self.place(name, span);
        match (role, written) {
            (Role::OfKernel | Role::OfFunction, true) => {
                self.invalid(span, format!("the parameter `{name}` is written to"));
            }
            (Role::Result, false) => {
                self.invalid(span, format!("the result `{name}` is read"));
            }
            _ => {}
        }
    }
}

/// The registers `%r<100>` that a name like `%r7` belongs to.
fn of_range<'m, 'a>(
    ranges: &FxHashMap<&'a str, &'m Variable<'a>>,
    name: &str,
) -> Option<&'m Variable<'a>> {
    if ranges.is_empty() {
        return None;
    }
    // The part before the number may end in digits itself.
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (1..=digits).find_map(|count| {
        let (prefix, number) = name.split_at(name.len() - count);
        let variable = ranges.get(prefix)?;
        (number.parse::<u32>().ok()? < variable.range?).then_some(*variable)
    })
}
