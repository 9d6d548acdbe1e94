//! A body: scopes, labels, guards, and the ends of blocks.

use llvm_zluda::{Block, Builder, Context, Value};
use ptx_parser::{
    Error, Function, GuardedInstruction, Linkage, ScalarType, Span, StateSpace, Statement, Variable,
};
use rustc_hash::FxHashMap;
use simt::parameters::Hidden;
use simt::space;

use super::Lowered;
use super::module::ModuleLowering;
use super::signature::{Signature, Slot, storage_type};
use crate::passes::index_symbols::{Symbol, variable};
use crate::passes::layout_globals::Declared;
use crate::passes::layout_parameters::{self, align_of, lanes, size_of};

/// The thing that a name stands for inside a function.
#[derive(Clone, Debug)]
pub enum Entity<'c> {
    /// One slot a component; a scalar has one.
    Register {
        slots: Vec<Value<'c>>,
        type_: ScalarType,
    },
    /// A variable: a pointer in its address space.
    Memory {
        pointer: Value<'c>,
    },
    /// A parameter of the kernel: its offset in the parameter buffer.
    KernelParameter {
        offset: u32,
    },
    Label(Block<'c>),
    Function(usize),
    Prototype(Signature),
    /// The functions of a `.calltargets`.
    CallTargets(Vec<usize>),
    BranchTargets(Vec<Block<'c>>),
}

#[derive(Default)]
struct Scope<'c, 'a> {
    names: FxHashMap<&'a str, Entity<'c>>,
    ranges: Vec<Range<'a>>,
}

/// `%r<100>`: registers, or parameters, that are made when they are first used.
#[derive(Clone, Copy)]
struct Range<'a> {
    prefix: &'a str,
    count: u32,
    type_: ScalarType,
    /// Size and alignment of what lies in memory.
    memory: Option<(u64, u64)>,
}

pub struct FunctionLowering<'l, 'u, 'c, 'a> {
    pub module: &'l mut ModuleLowering<'u, 'c, 'a>,
    pub context: &'c Context,
    pub builder: Builder<'c>,
    pub value: Value<'c>,
    /// None for a kernel.
    pub signature: Option<Signature>,
    /// The instruction being lowered.
    pub span: Span,
    /// The condition code of `add.cc` and its kin, made when first used.
    pub carry: Option<Value<'c>>,
    tree: &'u Function<'a>,
    scopes: Vec<Scope<'c, 'a>>,
    /// Holds the allocas; branches to `body`.
    entry: Block<'c>,
    /// The slot that keeps a scalar result until `ret`.
    result: Option<Value<'c>>,
    /// The caller's memory for results, each with the registers that keep it until `ret`.
    results_in_memory: Vec<(Value<'c>, Entity<'c>)>,
    globals: Option<Value<'c>>,
    /// A place in the thread's local memory. The first variable, so that addresses within it become simple.
    pub(super) frame: Option<Value<'c>>,
    /// The pointer to the word in which functions tell that they have ended the thread, once it is asked for.
    pub(super) exit_word: Option<Value<'c>>,
}

impl<'l, 'u, 'c, 'a> FunctionLowering<'l, 'u, 'c, 'a> {
    /// The lowering of one function into `value`, LLVM's function; kernels have no signature.
    pub fn new(
        module: &'l mut ModuleLowering<'u, 'c, 'a>,
        tree: &'u Function<'a>,
        value: Value<'c>,
        signature: Option<Signature>,
    ) -> Self {
        let context = module.context;
        let builder = context.builder();
        let entry = module.llvm.append_block(value, "entry");
        Self {
            module,
            context,
            builder,
            value,
            signature,
            span: tree.span,
            carry: None,
            tree,
            scopes: vec![Scope::default()],
            entry,
            result: None,
            results_in_memory: Vec::new(),
            globals: None,
            frame: None,
            exit_word: None,
        }
    }

    /// Lowers the whole body. Fails with the first error.
    pub fn lower(mut self) -> Lowered {
        let body = self.module.llvm.append_block(self.value, "body");
        self.builder.position_at_end(body);
        self.declare_parameters()?;
        let statements = self.tree.body.as_deref().unwrap_or_default();
        self.declare_labels(statements)?;
        self.statements(statements)?;
        if !self.is_terminated() {
            self.return_()?;
        }
        self.builder.position_at_end(self.entry);
        self.builder.br(body);
        Ok(())
    }

    // ---- errors

    /// The error that PTX's rules are broken, at the present statement.
    pub fn invalid(&self, message: impl Into<String>) -> Error {
        Error::invalid(self.span, message)
    }

    /// The error that something is not supported, at the present statement.
    pub fn unsupported(&self, message: impl Into<String>) -> Error {
        Error::unsupported(self.span, message)
    }

    // ---- parameters and results

    /// Whether the function is a kernel.
    pub fn is_kernel(&self) -> bool {
        self.signature.is_none()
    }

    /// Whether `name` is a parameter of the function in a register.
    pub fn is_register_parameter(&self, name: &str) -> bool {
        let named = |p: &Variable<'a>| p.name == name && p.space == StateSpace::Reg;
        self.tree.parameters.iter().any(named)
    }

    fn declare_parameters(&mut self) -> Lowered {
        let parameters = &self.tree.parameters;
        let Some(signature) = self.signature.clone() else {
            let unit = self.module.unit;
            for (parameter, layout) in parameters.iter().zip(&unit.info.params) {
                self.declare(parameter.name, Entity::KernelParameter { offset: layout.offset });
            }
            return Ok(());
        };
        let returns = &self.tree.returns;
        let mut argument = 0;
        for (index, (variable, slot)) in returns.iter().zip(&signature.returns).enumerate() {
            let entity = match slot {
                Slot::Scalar(type_) if index == 0 => {
                    let entity = self.scalar_variable(variable, *type_);
                    self.result = Some(match &entity {
                        Entity::Register { slots, .. } => slots[0],
                        Entity::Memory { pointer } => *pointer,
                        _ => {
                            return Err(Error::bug(
                                variable.span,
                                "a result is neither register nor memory",
                            ));
                        }
                    });
                    entity
                }
                _ => {
                    let pointer = self.value.parameter(argument);
                    argument += 1;
                    if variable.space == StateSpace::Reg {
                        let registers = self.new_registers(variable);
                        self.results_in_memory.push((pointer, registers.clone()));
                        registers
                    } else {
                        Entity::Memory { pointer }
                    }
                }
            };
            self.declare(variable.name, entity);
        }
        for (variable, slot) in parameters.iter().zip(&signature.parameters) {
            let value = self.value.parameter(argument);
            argument += 1;
            let entity = match slot {
                Slot::Memory { .. } if variable.space == StateSpace::Reg => {
                    let registers = self.new_registers(variable);
                    self.load_registers(&registers, value);
                    registers
                }
                Slot::Memory { .. } => Entity::Memory { pointer: value },
                Slot::Scalar(type_) => {
                    let entity = self.scalar_variable(variable, *type_);
                    let pointer = match &entity {
                        Entity::Register { slots, .. } => slots[0],
                        Entity::Memory { pointer } => *pointer,
                        _ => {
                            return Err(Error::bug(
                                variable.span,
                                "a parameter is neither register nor memory",
                            ));
                        }
                    };
                    self.builder.store(value, pointer, type_.size().max(1));
                    entity
                }
            };
            self.declare(variable.name, entity);
        }
        Ok(())
    }

    /// A scalar parameter or result: a register, or a place in local memory.
    fn scalar_variable(&self, variable: &Variable<'a>, type_: ScalarType) -> Entity<'c> {
        if variable.space == StateSpace::Reg {
            Entity::Register { slots: vec![self.slot(type_)], type_ }
        } else {
            Entity::Memory { pointer: self.local(u64::from(type_.size()), align_of(variable)) }
        }
    }

    fn new_registers(&self, variable: &Variable<'a>) -> Entity<'c> {
        let count = variable.vector.map_or(1, lanes);
        let slots = (0..count).map(|_| self.slot(variable.type_)).collect();
        Entity::Register { slots, type_: variable.type_ }
    }

    /// Puts registers into memory, one behind the other; predicates are bytes there.
    pub(super) fn store_registers(&self, registers: &Entity<'c>, pointer: Value<'c>) {
        let Entity::Register { slots, type_ } = registers else { return };
        let size = type_.size().max(1);
        for (slot, offset) in slots.iter().zip((0..).step_by(size as usize)) {
            let value = self.load_slot(*slot, *type_);
            let value = match type_ {
                ScalarType::Pred => self.builder.zext(value, self.context.i8()),
                _ => value,
            };
            self.builder.store(value, self.builder.byte_offset(pointer, self.i64(offset)), size);
        }
    }

    /// Takes registers from memory, as [`Self::store_registers`] puts them there.
    pub(super) fn load_registers(&self, registers: &Entity<'c>, pointer: Value<'c>) {
        let Entity::Register { slots, type_ } = registers else { return };
        let size = type_.size().max(1);
        for (slot, offset) in slots.iter().zip((0..).step_by(size as usize)) {
            let place = self.builder.byte_offset(pointer, self.i64(offset));
            let value = match type_ {
                ScalarType::Pred => {
                    let byte = self.builder.load(self.context.i8(), place, 1);
                    self.builder.trunc(byte, self.context.i1())
                }
                _ => self.builder.load(storage_type(self.context, *type_), place, size),
            };
            self.builder.store(value, *slot, size);
        }
    }

    /// `ret`: in a kernel the end of the thread.
    pub fn return_(&mut self) -> Lowered {
        for (pointer, registers) in &self.results_in_memory {
            self.store_registers(registers, *pointer);
        }
        let returned = self.signature.as_ref().and_then(Signature::returned);
        match (returned, self.result) {
            (Some(type_), Some(result)) => {
                let ty = storage_type(self.context, type_);
                let value = self.builder.load(ty, result, type_.size().max(1));
                self.builder.ret(value);
            }
            (Some(_), None) => return Err(Error::bug(self.span, "a function has lost its result")),
            (None, _) => {
                self.builder.ret_void();
            }
        }
        Ok(())
    }

    // ---- allocas

    /// Makes instructions at the end of the entry block, and comes back to the present position.
    pub(super) fn in_entry<T>(&self, make: impl FnOnce(&Self) -> T) -> T {
        let here = self.builder.block();
        self.builder.position_at_end(self.entry);
        let made = make(self);
        self.builder.position_at_end(here);
        made
    }

    /// A place for a register.
    pub fn slot(&self, type_: ScalarType) -> Value<'c> {
        let ty = storage_type(self.context, type_);
        self.in_entry(|s| s.builder.alloca(ty))
    }

    /// Local memory of the function, as `ptr addrspace(5)`.
    pub fn local(&self, size: u64, align: u64) -> Value<'c> {
        self.in_entry(|s| {
            let alloca = s.builder.alloca(s.context.i8().array(size));
            alloca.set_alignment(align.clamp(1, 1 << 16) as u32);
            s.builder.addr_space_cast(alloca, s.context.ptr(space::LOCAL))
        })
    }

    /// The address of the module's globals segment, loaded once.
    pub fn globals_segment(&mut self) -> Value<'c> {
        if let Some(segment) = self.globals {
            return segment;
        }
        let offset = Hidden::Globals.place(self.module.unit.info.hidden_offset);
        let segment = self.in_entry(|s| {
            let place = s.builder.byte_offset(s.parameters(), s.i64(offset));
            let load = s.builder.load(s.context.ptr(space::GLOBAL), place, 8);
            load.add_empty_metadata(s.context, "invariant.load");
            load
        });
        self.globals = Some(segment);
        segment
    }

    /// Half of the address of the grid's workspace: `half` is 0 for the low one, 4 for the high one.
    pub fn grid_workspace(&self, half: u64) -> Value<'c> {
        let offset = Hidden::Workspace.place(self.module.unit.info.hidden_offset);
        let place = self.builder.byte_offset(self.parameters(), self.i64(offset + half));
        self.builder.load(self.context.i32(), place, 4)
    }

    /// The parameter buffer of the launch.
    pub fn parameters(&self) -> Value<'c> {
        self.zluda("params", &[])
    }

    // ---- names

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &'a str, entity: Entity<'c>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, entity);
        }
    }

    /// The thing that `name` stands for here: in the innermost scope that declares it, then in the module.
    pub fn entity(&mut self, name: &'a str) -> Lowered<Entity<'c>> {
        for index in (0..self.scopes.len()).rev() {
            if let Some(entity) = self.scopes[index].names.get(name) {
                return Ok(entity.clone());
            }
            let range = self.scopes[index].ranges.iter().find(|range| range.contains(name));
            if let Some(&Range { type_, memory, .. }) = range {
                let entity = match memory {
                    None => Entity::Register { slots: vec![self.slot(type_)], type_ },
                    Some((size, align)) => Entity::Memory { pointer: self.local(size, align) },
                };
                self.scopes[index].names.insert(name, entity.clone());
                return Ok(entity);
            }
        }
        match self.module.unit.symbols.get(name) {
            Some(Symbol::Function(function)) => Ok(Entity::Function(function)),
            Some(Symbol::Variable(index)) => self.module_variable(name, index),
            None => Err(self.invalid(format!("`{name}` is not declared"))),
        }
    }

    fn module_variable(&mut self, name: &str, index: usize) -> Lowered<Entity<'c>> {
        if let Some(&pointer) = self.module.shared.get(&index) {
            return Ok(Entity::Memory { pointer });
        }
        let unit = self.module.unit;
        // What no module defines is zero, as NVIDIA's compiler has it ("ignoring extern qualifier"), if its size
        // is known.
        let unsized_extern = |v: &Variable<'a>| v.linkage == Linkage::Extern && size_of(v) == 0;
        if variable(unit.tree, index).is_some_and(unsized_extern) {
            return Err(self.unsupported(format!(
                "`{name}` is declared `.extern` and defined in another module"
            )));
        }
        let Some(&offset) = unit.globals.offsets.get(&Declared::InModule(index)) else {
            return Err(
                self.unsupported(format!("`{name}` lies in a state space that is not known here"))
            );
        };
        let segment = self.globals_segment();
        let offset = self.i64(offset);
        Ok(Entity::Memory { pointer: self.builder.byte_offset(segment, offset) })
    }

    // ---- statements

    fn declare_labels(&mut self, statements: &[Statement<'a>]) -> Lowered {
        for statement in statements {
            if let Statement::Label { name, .. } = statement {
                let block = self.module.llvm.append_block(self.value, name.trim_start_matches('$'));
                self.declare(name, Entity::Label(block));
            }
        }
        for statement in statements {
            if let Statement::BranchTargets { name, targets, span } = statement {
                self.span = *span;
                let blocks =
                    targets.iter().map(|target| self.label(target)).collect::<Lowered<_>>()?;
                self.declare(name, Entity::BranchTargets(blocks));
            }
        }
        Ok(())
    }

    /// The block of a label. Fails if the name is none.
    pub fn label(&mut self, name: &'a str) -> Lowered<Block<'c>> {
        match self.entity(name)? {
            Entity::Label(block) => Ok(block),
            _ => Err(self.invalid(format!("`{name}` is not a label"))),
        }
    }

    fn statements(&mut self, statements: &[Statement<'a>]) -> Lowered {
        for statement in statements {
            match statement {
                Statement::Variable(variable) => {
                    self.span = variable.span;
                    self.variable(variable)?;
                }
                Statement::Label { name, span } => {
                    self.span = *span;
                    let block = self.label(name)?;
                    if !self.is_terminated() {
                        self.builder.br(block);
                    }
                    block.move_after(self.builder.block());
                    self.builder.position_at_end(block);
                }
                Statement::Instruction(instruction) => {
                    self.span = instruction.span;
                    self.guarded(instruction)?;
                }
                Statement::Block(statements) => {
                    self.scopes.push(Scope::default());
                    self.declare_labels(statements)?;
                    self.statements(statements)?;
                    self.scopes.pop();
                }
                Statement::Prototype(prototype) => {
                    let signature = Signature::new(&prototype.returns, &prototype.parameters)?;
                    self.declare(prototype.name, Entity::Prototype(signature));
                }
                Statement::CallTargets { name, targets, span } => {
                    self.span = *span;
                    let targets = targets
                        .iter()
                        .map(|target| match self.module.unit.symbols.get(target) {
                            Some(Symbol::Function(index)) => Ok(index),
                            _ => Err(self.invalid(format!("`{target}` is not a function"))),
                        })
                        .collect::<Lowered<_>>()?;
                    self.declare(name, Entity::CallTargets(targets));
                }
                Statement::Unknown(unknown) => return Err(unknown.error.clone()),
                Statement::BranchTargets { .. } | Statement::Loc(_) | Statement::Pragma(_) => {}
            }
        }
        Ok(())
    }

    fn declare_range(&mut self, variable: &Variable<'a>, count: u32, memory: Option<(u64, u64)>) {
        let range = Range { prefix: variable.name, count, type_: variable.type_, memory };
        if let Some(scope) = self.scopes.last_mut() {
            scope.ranges.push(range);
        }
    }

    fn variable(&mut self, variable: &Variable<'a>) -> Lowered {
        let entity = match variable.space {
            StateSpace::Reg => {
                if let Some(count) = variable.range {
                    self.declare_range(variable, count, None);
                    return Ok(());
                }
                self.new_registers(variable)
            }
            StateSpace::Local | StateSpace::Param | StateSpace::ParamFunc => {
                if variable.initializer.is_some() {
                    return Err(self.unsupported("initialised local variables"));
                }
                let (size, align) = (size_of(variable), layout_parameters::align_of(variable));
                if let Some(count) = variable.range {
                    self.declare_range(variable, count, Some((size, align)));
                    return Ok(());
                }
                let pointer = self.local(size, align);
                if variable.space == StateSpace::Local {
                    self.frame.get_or_insert(pointer);
                }
                Entity::Memory { pointer }
            }
            StateSpace::Shared | StateSpace::SharedCta => {
                Entity::Memory { pointer: self.module.shared_variable(variable) }
            }
            StateSpace::Global | StateSpace::Const => {
                let declared = Declared::InFunction(variable.span.start);
                let Some(&offset) = self.module.unit.globals.offsets.get(&declared) else {
                    return Err(Error::bug(variable.span, "a variable has no place"));
                };
                let segment = self.globals_segment();
                let offset = self.i64(offset);
                Entity::Memory { pointer: self.builder.byte_offset(segment, offset) }
            }
            _ => {
                return Err(self.unsupported(format!(
                    "variables in `.{}` inside a function",
                    word(variable.space)
                )));
            }
        };
        self.declare(variable.name, entity);
        Ok(())
    }

    fn guarded(&mut self, guarded: &GuardedInstruction<'a>) -> Lowered {
        if self.is_terminated() {
            // Nothing comes here; the block goes away with the first clean-up.
            let block = self.new_block("dead");
            self.builder.position_at_end(block);
        }
        let Some(guard) = guarded.guard else {
            return self.instruction(&guarded.instruction);
        };
        let mut condition = self.read_predicate(guard.predicate)?;
        if guard.not {
            condition = self.builder.not(condition);
        }
        let then = self.new_block("then");
        let next = self.new_block("next");
        self.builder.cond_br(condition, then, next);
        self.builder.position_at_end(then);
        self.instruction(&guarded.instruction)?;
        if !self.is_terminated() {
            self.builder.br(next);
        }
        self.builder.position_at_end(next);
        Ok(())
    }

    // ---- blocks

    /// Whether the present block has its last instruction.
    pub fn is_terminated(&self) -> bool {
        self.builder.block().terminator().is_some()
    }

    /// An empty block behind the present one.
    pub fn new_block(&self, name: &str) -> Block<'c> {
        self.module.llvm.append_block(self.value, name)
    }
}

impl Range<'_> {
    fn contains(&self, name: &str) -> bool {
        let Some(number) = name.strip_prefix(self.prefix) else { return false };
        let canonical = number == "0" || !number.starts_with('0');
        canonical
            && number.bytes().all(|b| b.is_ascii_digit())
            && number.parse::<u32>().is_ok_and(|number| number < self.count)
    }
}

/// The word of a modifier in PTX.
pub fn word<M: ptx_parser::Modifier>(modifier: M) -> &'static str {
    modifier.word()
}
