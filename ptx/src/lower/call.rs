//! Calls: direct, of functions that the system provides, and through registers.

use llvm_zluda::{IntPredicate, Linkage, Value};
use ptx_parser::{Call, Operand, ScalarType};
use simt::space;

use super::Lowered;
use super::function::{Entity, FunctionLowering};
use super::operand::Width;
use super::signature::{Signature, Slot, storage_type};
use crate::passes::index_symbols::{self, Symbol, function};
use crate::passes::number_functions::{self, address_of};

/// Of what `malloc` returns, in bytes.
const MALLOC_ALIGNMENT: u64 = 16;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn call(&mut self, i: &Call<'a>) -> Lowered {
        let unit = self.module.unit;
        let Some(Symbol::Function(index)) = unit.symbols.get(i.target) else {
            return self.call_through_register(i);
        };
        if let Some((callee, signature)) = self.module.functions.get(&index).cloned() {
            let arguments = self.arguments(i, &signature)?;
            let result = self.call_function(callee, arguments.clone());
            self.results_from_memory(i, &signature, &arguments)?;
            return self.results(i, &signature, result);
        }
        let Some(tree) = function(unit.tree, index) else {
            return Err(self.invalid(format!("`{}` is not a function", i.target)));
        };
        if tree.body.is_some() {
            return Err(self.unsupported(format!("calls of the kernel `{}`", i.target)));
        }
        let signature = Signature::new(&tree.returns, &tree.parameters)?;
        let arguments = self.arguments(i, &signature)?;
        let result = self.system_function(i.target, &arguments)?;
        if self.is_terminated() {
            return Ok(());
        }
        match result {
            Some(result) => self.results(i, &signature, result),
            None => Ok(()),
        }
    }

    /// `vprintf` and its kin, which modules declare `.extern`.
    fn system_function(
        &mut self,
        name: &str,
        arguments: &[Value<'c>],
    ) -> Lowered<Option<Value<'c>>> {
        let ptr = self.generic_pointer();
        let pointer = |s: &Self, value: Value<'c>| s.builder.int_to_ptr(value, ptr);
        match (name, arguments) {
            ("vprintf", &[format, values]) => {
                let arguments = [pointer(self, format), pointer(self, values)];
                Ok(Some(self.zluda("vprintf", &arguments)))
            }
            ("malloc", &[size]) => {
                let alignment = self.context.i64().const_int(MALLOC_ALIGNMENT);
                Ok(Some(self.allocate(size, alignment)))
            }
            ("__cuda_syscall_aligned_malloc", &[size, alignment]) => {
                Ok(Some(self.allocate(size, alignment)))
            }
            ("free", &[memory]) => {
                self.zluda("free", &[pointer(self, memory)]);
                Ok(None)
            }
            ("__assertfail", &[message, file, line, function, char_size]) => {
                let arguments = [
                    pointer(self, message),
                    pointer(self, file),
                    line,
                    pointer(self, function),
                    char_size,
                ];
                self.zluda("assertfail", &arguments);
                self.builder.unreachable();
                Ok(None)
            }
            ("memset", &[memory, value, size]) => {
                let byte = self.builder.trunc(value, self.context.i8());
                self.for_each_byte(size, |s, offset| {
                    let target = s.builder.int_to_ptr(s.builder.add(memory, offset), ptr);
                    s.builder.store(byte, target, 1);
                });
                Ok(Some(memory))
            }
            ("memcpy", &[target, source, size]) => {
                self.for_each_byte(size, |s, offset| {
                    let from = s.builder.int_to_ptr(s.builder.add(source, offset), ptr);
                    let to = s.builder.int_to_ptr(s.builder.add(target, offset), ptr);
                    let byte = s.builder.load(s.context.i8(), from, 1);
                    s.builder.store(byte, to, 1);
                });
                Ok(Some(target))
            }
            // A condition of a graph is the address of its value, which the driver looks at.
            ("cudaGraphSetConditional", &[handle, value]) => {
                let global = self.context.ptr(space::GLOBAL);
                let word = self.builder.int_to_ptr(handle, global);
                let value = self.builder.zext_or_trunc(value, self.context.i32());
                self.builder.store(value, word, 4).set_volatile(true);
                Ok(None)
            }
            _ => match self.device_runtime_function(name, arguments)? {
                Some(result) => Ok(Some(result)),
                None => Err(self.unsupported(format!(
                    "`{name}` is declared `.extern` and defined in another module"
                ))),
            },
        }
    }

    /// The address of new memory on the heap of kernels.
    fn allocate(&mut self, size: Value<'c>, alignment: Value<'c>) -> Value<'c> {
        let i64 = self.context.i64();
        let [size, alignment] = [size, alignment].map(|value| self.builder.zext(value, i64));
        let memory = self.zluda("malloc", &[size, alignment]);
        self.builder.ptr_to_int(memory, i64)
    }

    fn for_each_byte(&mut self, size: Value<'c>, body: impl Fn(&Self, Value<'c>)) {
        let i64 = self.context.i64();
        let size = self.builder.zext(size, i64);
        let (copy, done) = (self.new_block("bytes"), self.new_block("after"));
        let before = self.builder.block();
        self.builder.cond_br(self.eq(size, i64.zero()), done, copy);
        self.builder.position_at_end(copy);
        let offset = self.builder.phi(i64);
        body(self, offset);
        let next = self.builder.add(offset, self.i64(1));
        offset.add_incoming(&[(i64.zero(), before), (next, copy)]);
        let more = self.builder.icmp(IntPredicate::LLVMIntULT, next, size);
        self.builder.cond_br(more, copy, done);
        self.builder.position_at_end(done);
    }

    /// The LLVM arguments: pointers to results in memory, then the parameters.
    fn arguments(&mut self, i: &Call<'a>, signature: &Signature) -> Lowered<Vec<Value<'c>>> {
        if i.arguments.len() != signature.parameters.len()
            || i.returns.len() != signature.returns.len()
        {
            return Err(self.invalid(format!(
                "a call of `{}` with {} arguments and {} results, which has {} and {}",
                i.target,
                i.arguments.len(),
                i.returns.len(),
                signature.parameters.len(),
                signature.returns.len(),
            )));
        }
        let mut arguments = Vec::new();
        let skip = usize::from(signature.returned().is_some());
        for (operand, slot) in i.returns.iter().zip(&signature.returns).skip(skip) {
            arguments.push(self.memory_operand(operand, *slot)?);
        }
        for (operand, slot) in i.arguments.iter().zip(&signature.parameters) {
            let argument = match slot {
                Slot::Memory { .. } => {
                    let pointer = self.memory_operand(operand, *slot)?;
                    if let Some(registers) = self.registers_of(operand)? {
                        self.store_registers(&registers, pointer);
                    }
                    pointer
                }
                Slot::Scalar(type_) => self.scalar_argument(operand, *type_)?,
            };
            arguments.push(argument);
        }
        Ok(arguments)
    }

    /// A `.param` variable that is passed by its address, or a place for registers.
    fn memory_operand(&mut self, operand: &Operand<'a>, slot: Slot) -> Lowered<Value<'c>> {
        if let Operand::Name(name) = operand
            && let Entity::Memory { pointer } = self.entity(name)?
        {
            return Ok(pointer);
        }
        if operand == &Operand::Sink || self.registers_of(operand)?.is_some() {
            let (size, align) = slot.layout();
            return Ok(self.local(size, align));
        }
        Err(self.invalid("an argument or result of many bytes is a `.param` variable or a vector"))
    }

    /// The register, or vector of them, that an operand names.
    fn registers_of(&mut self, operand: &Operand<'a>) -> Lowered<Option<Entity<'c>>> {
        let Operand::Name(name) = operand else { return Ok(None) };
        let entity = self.entity(name)?;
        Ok(matches!(entity, Entity::Register { .. }).then_some(entity))
    }

    /// Results that the callee leaves in memory and that registers are to have. `arguments` are those of the call,
    /// first the places of these results.
    fn results_from_memory(
        &mut self,
        i: &Call<'a>,
        signature: &Signature,
        arguments: &[Value<'c>],
    ) -> Lowered {
        let skip = usize::from(signature.returned().is_some());
        for (operand, pointer) in i.returns.iter().skip(skip).zip(arguments) {
            if let Some(registers) = self.registers_of(operand)? {
                self.load_registers(&registers, *pointer);
            }
        }
        Ok(())
    }

    fn scalar_argument(&mut self, operand: &Operand<'a>, type_: ScalarType) -> Lowered<Value<'c>> {
        let ty = storage_type(self.context, type_);
        if let Operand::Name(name) = operand
            && let Entity::Memory { pointer } = self.entity(name)?
        {
            return Ok(self.builder.load(ty, pointer, type_.size().max(1)));
        }
        let value = self.read_width(operand, type_, Width::AtLeast)?;
        Ok(self.builder.bitcast(value, ty))
    }

    /// The result that the call returns, into its `.param` variable or register.
    fn results(&mut self, i: &Call<'a>, signature: &Signature, result: Value<'c>) -> Lowered {
        let (Some(type_), Some(operand)) = (signature.returned(), i.returns.first()) else {
            return Ok(());
        };
        if let Operand::Name(name) = operand
            && let Entity::Memory { pointer } = self.entity(name)?
        {
            // A system function's result has no other width, but maybe another type.
            let value = self.builder.bitcast(result, storage_type(self.context, type_));
            self.builder.store(value, pointer, type_.size().max(1));
            return Ok(());
        }
        self.write_extended(operand, result, Some(type_.is_signed()))
    }

    fn call_through_register(&mut self, i: &Call<'a>) -> Lowered {
        let Entity::Register { .. } = self.entity(i.target)? else {
            return Err(self.invalid(format!("`{}` is not a function", i.target)));
        };
        let Some(prototype) = i.prototype else {
            return Err(self.invalid("a call through a register takes a prototype"));
        };
        let (signature, targets) = match self.entity(prototype)? {
            Entity::Prototype(signature) => (signature, self.module.unit.numbers.functions.clone()),
            Entity::CallTargets(targets) => (self.signature_of(&targets)?, targets),
            _ => {
                let targets = self.functions_in(prototype);
                (self.signature_of(&targets)?, targets)
            }
        };
        let address = self.read_width(&Operand::Name(i.target), ScalarType::B64, Width::Exact)?;
        let mut arguments = vec![address];
        arguments.extend(self.arguments(i, &signature)?);
        let dispatcher = self.dispatcher(&signature, &targets);
        let result = self.call_function(dispatcher, arguments.clone());
        self.results_from_memory(i, &signature, &arguments[1..])?;
        self.results(i, &signature, result)
    }

    /// The functions whose addresses are the initial value of a variable.
    fn functions_in(&self, variable: &str) -> Vec<usize> {
        let unit = self.module.unit;
        let mut functions = Vec::new();
        if let Some(Symbol::Variable(index)) = unit.symbols.get(variable)
            && let Some(variable) = index_symbols::variable(unit.tree, index)
            && let Some(initializer) = &variable.initializer
        {
            number_functions::visit(initializer, &mut |name| {
                if let Some(Symbol::Function(index)) = unit.symbols.get(name) {
                    functions.push(index);
                }
            });
        }
        functions
    }

    fn signature_of(&self, targets: &[usize]) -> Lowered<Signature> {
        let first = targets.first().and_then(|index| self.module.functions.get(index));
        match first {
            Some((_, signature)) => Ok(signature.clone()),
            None => Err(self.invalid("the list of call targets is empty")),
        }
    }

    /// `@zluda.indirect.<k>`: a switch over the addresses of all functions that fit.
    fn dispatcher(&mut self, signature: &Signature, targets: &[usize]) -> Value<'c> {
        let module = &mut self.module;
        let same = |(known, reached, _): &&(Signature, Vec<usize>, Value<'c>)| {
            known == signature && reached == targets
        };
        if let Some((.., made)) = module.dispatchers.iter().find(same) {
            return *made;
        }
        let context = self.context;
        let mut types = vec![context.i64()];
        types.extend(signature.parameter_types(context));
        types.extend(module.exit_parameter());
        let ty = context.function_type(signature.return_type(context), &types);
        let name = format!("zluda.indirect.{}", module.dispatchers.len());
        let dispatcher = module.llvm.add_function(&name, ty);
        dispatcher.set_linkage(Linkage::LLVMInternalLinkage);
        module.llvm.add_attribute(dispatcher, "nounwind");
        module.dispatchers.push((signature.clone(), targets.to_vec(), dispatcher));

        let here = self.builder.block();
        let entry = self.module.llvm.append_block(dispatcher, "entry");
        let nowhere = self.module.llvm.append_block(dispatcher, "nowhere");
        let mut cases = Vec::new();
        let numbered: Vec<_> =
            self.module.unit.numbers.functions.iter().copied().enumerate().collect();
        for (number, index) in numbered {
            let Some((callee, own)) = self.module.functions.get(&index).cloned() else { continue };
            if !targets.contains(&index) || !own.compatible(signature) {
                continue;
            }
            let block = self.module.llvm.append_block(dispatcher, "call");
            self.builder.position_at_end(block);
            let wanted = own.parameter_types(context);
            let arguments: Vec<_> = dispatcher
                .parameters()
                .into_iter()
                .skip(1)
                .zip(wanted.into_iter().chain(self.module.exit_parameter()))
                .map(|(value, ty)| self.builder.bitcast(value, ty))
                .collect();
            let result = self.builder.call(callee, &arguments);
            match signature.returned() {
                Some(_) => {
                    self.builder.ret(self.builder.bitcast(result, signature.return_type(context)))
                }
                None => self.builder.ret_void(),
            };
            cases.push((context.i32().const_int(address_of(number)), block));
        }
        self.builder.position_at_end(nowhere);
        self.trap();
        self.builder.position_at_end(entry);
        // Numbers of functions are small: lanes compare half of the bits, once all have the other half zero.
        let address = dispatcher.parameter(0);
        let low = self.builder.trunc(address, context.i32());
        let small = self.builder.icmp(IntPredicate::LLVMIntULT, address, self.i64(1 << 32));
        let word = self.builder.select(small, low, context.i32().const_int(0));
        self.builder.switch(word, nowhere, &cases);
        self.builder.position_at_end(here);
        dispatcher
    }
}
