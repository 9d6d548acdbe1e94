//! Long stretches of arithmetic as functions that take a few lanes at a time.
//!
//! Input: vector code after its last optimisation. Output: the same code; arithmetic on 32 lanes that follows
//! itself for long, outside of the loops of a kernel, stands in functions that loop over strips of lanes.
//! Why here: a value of 32 lanes fills many registers, so that each operation is many instructions and most
//! values wait on the stack. Strips make a fraction of the instructions, which is a fraction of the time to
//! compile them, and the same stretch in several copies of the code becomes one function. Later than the
//! other passes, since they would not see through the calls.

use llvm_zluda::{Builder, Linkage, Module, Opcode, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Options;
use crate::emit::{LANES, Overload, lanewise_intrinsic, rebuild};
use crate::rows;
use crate::runtime_helpers::late_vector_function;
use crate::shortcut_vectors;
use simt::analysis::depth;

/// Stretches shorter than this stay where they are.
const LEAST_OPERATIONS: usize = 24;
/// As above, for code in loops of the kernel, which pays for the way through memory each time.
const LEAST_IN_LOOPS: usize = 200;
/// Each value that comes or goes through memory has to be worth it.
const OPERATIONS_PER_WAY: usize = 3;

/// Moves stretches of arithmetic to functions; returns whether there were any.
pub fn run(module: &Module<'_>, options: &Options) -> bool {
    let functions: Vec<_> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    let mut strips = StripMining { module, options, constants: FxHashMap::default(), count: 0 };
    for function in functions {
        if !function.value_type().parameters().first().is_some_and(|first| first.is_pointer()) {
            continue;
        }
        let deep = depth::in_loops(function);
        let blocks = function.blocks();
        for (block, deep) in blocks.into_iter().zip(deep) {
            let least = if deep { LEAST_IN_LOOPS } else { LEAST_OPERATIONS };
            let instructions = block.instructions();
            if instructions.len() >= least {
                strips.block(function, instructions, least);
            }
        }
    }
    strips.count > 0
}

struct StripMining<'m, 'c> {
    module: &'m Module<'c>,
    options: &'m Options,
    /// Variables that hold constant vectors.
    constants: FxHashMap<Value<'c>, Value<'c>>,
    count: usize,
}

/// A stretch that is being collected.
#[derive(Default)]
struct Stretch<'c> {
    members: Vec<Value<'c>>,
    inside: FxHashSet<Value<'c>>,
    /// Instructions that use members and can wait until the stretch has been run.
    waiting: Vec<Value<'c>>,
    waits: FxHashSet<Value<'c>>,
}

impl<'c> Stretch<'c> {
    fn uses_members(&self, instruction: Value<'c>) -> bool {
        instruction.operands().iter().any(|operand| self.inside.contains(operand))
    }

    fn uses_waiting(&self, instruction: Value<'c>) -> bool {
        instruction.operands().iter().any(|operand| self.waits.contains(operand))
    }
}

fn has_lanes(ty: Type<'_>) -> bool {
    ty.is_vector() && ty.len() == u64::from(LANES)
}

/// The scalar that a vector repeats.
pub(crate) fn repeated(value: Value<'_>) -> Option<Value<'_>> {
    if !value.is_instruction()
        || value.opcode() != Opcode::LLVMShuffleVector
        || value.shuffle_mask().iter().any(|&lane| lane != 0)
    {
        return None;
    }
    let start = value.operand(0);
    let inserted = start.is_instruction()
        && start.opcode() == Opcode::LLVMInsertElement
        && start.operand(2).as_const_int() == Some(0);
    inserted.then(|| start.operand(1))
}

/// The element that a constant vector repeats.
pub(crate) fn repeated_constant(value: Value<'_>) -> Option<Value<'_>> {
    if !has_lanes(value.ty()) || !value.is_constant() || value.is_undef_or_poison() {
        return None;
    }
    value.repeated_element()
}

/// Works on each lane by itself, without memory.
fn is_lanewise(instruction: Value<'_>) -> bool {
    if !has_lanes(instruction.ty()) {
        return false;
    }
    let of_lanes = || {
        instruction
            .operands()
            .iter()
            .all(|operand| !operand.ty().is_vector() || has_lanes(operand.ty()))
    };
    match instruction.opcode() {
        Opcode::LLVMCall => {
            let name = instruction.called_name();
            instruction.callee().is_function()
                && (lanewise_intrinsic(&name).is_some() || shortcut_vectors::base(&name).is_some())
        }
        // Addresses keep the form that gathers are made from.
        Opcode::LLVMGetElementPtr | Opcode::LLVMIntToPtr | Opcode::LLVMLoad | Opcode::LLVMPHI => {
            false
        }
        Opcode::LLVMSExt | Opcode::LLVMZExt => !instruction
            .users()
            .iter()
            .all(|user| matches!(user.opcode(), Opcode::LLVMGetElementPtr | Opcode::LLVMIntToPtr)),
        Opcode::LLVMShuffleVector | Opcode::LLVMInsertElement => false,
        Opcode::LLVMBitCast => has_lanes(instruction.operand(0).ty()),
        Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem => of_lanes(),
        _ => of_lanes() && instruction.operand_count() > 0 && is_arithmetic(instruction.opcode()),
    }
}

fn is_arithmetic(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMFAdd
            | LLVMFSub
            | LLVMFMul
            | LLVMFDiv
            | LLVMFNeg
            | LLVMFreeze
            | LLVMICmp
            | LLVMFCmp
            | LLVMSelect
            | LLVMTrunc
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
    )
}

/// Can be done later in its block.
fn can_wait(instruction: Value<'_>) -> bool {
    use Opcode::*;
    is_arithmetic(instruction.opcode())
        || matches!(
            instruction.opcode(),
            LLVMGetElementPtr
                | LLVMIntToPtr
                | LLVMPtrToInt
                | LLVMSExt
                | LLVMZExt
                | LLVMBitCast
                | LLVMShuffleVector
                | LLVMInsertElement
                | LLVMExtractElement
                | LLVMInsertValue
                | LLVMExtractValue
        )
}

impl<'c> StripMining<'_, 'c> {
    fn block(&mut self, function: Value<'c>, instructions: Vec<Value<'c>>, least: usize) {
        let mut stretch = Stretch::default();
        for instruction in instructions {
            if instruction.opcode() == Opcode::LLVMPHI {
                continue;
            }
            let (of_members, of_waiting) =
                (stretch.uses_members(instruction), stretch.uses_waiting(instruction));
            // What merely looks at a value from outside differently would tell copies of a stretch apart.
            let begins = of_members || instruction.opcode() != Opcode::LLVMBitCast;
            let lanewise = begins && is_lanewise(instruction);
            if lanewise && !of_waiting {
                stretch.inside.insert(instruction);
                stretch.members.push(instruction);
                continue;
            }
            if !of_members && !of_waiting && !instruction.is_terminator() {
                continue;
            }
            if !lanewise && can_wait(instruction) {
                stretch.waits.insert(instruction);
                stretch.waiting.push(instruction);
                continue;
            }
            self.finish(function, std::mem::take(&mut stretch), instruction, least);
            if lanewise {
                stretch.inside.insert(instruction);
                stretch.members.push(instruction);
            }
        }
    }

    /// Puts a call in the place of a stretch, before the instruction `at`.
    fn finish(&mut self, function: Value<'c>, stretch: Stretch<'c>, at: Value<'c>, least: usize) {
        if stretch.members.len() < least {
            return;
        }
        let mut inputs: Vec<Value<'c>> = Vec::new();
        for member in &stretch.members {
            for operand in arguments(*member) {
                let known = stretch.inside.contains(&operand) || operand.is_constant();
                if !known && !inputs.contains(&operand) {
                    inputs.push(operand);
                }
            }
        }
        let outputs: Vec<Value<'c>> = stretch
            .members
            .iter()
            .copied()
            .filter(|member| member.users().iter().any(|user| !stretch.inside.contains(user)))
            .collect();
        let through_memory =
            |input: &&Value<'c>| has_lanes(input.ty()) && repeated(**input).is_none();
        let ways = inputs.iter().filter(through_memory).count() + outputs.len();
        if stretch.members.len() < OPERATIONS_PER_WAY * ways {
            return;
        }
        self.count += 1;
        let cx = self.module.context();
        let b = cx.builder();
        let slots = cx.builder();
        match function.entry_block().first_instruction() {
            Some(first) => slots.position_before(first),
            None => return,
        }
        let slot = |ty: Type<'c>| {
            let slot = slots.alloca(ty);
            slot.set_alignment(32);
            slot
        };
        b.position_before(at);
        let mut call_arguments = vec![function.parameter(0)];
        let mut entries = Vec::new();
        for input in inputs {
            let ty = input.ty();
            let argument = if !has_lanes(ty) {
                input
            } else if let Some(scalar) = repeated(input) {
                scalar
            } else if ty.element() == cx.i1() {
                // A lane that is poison must not spoil the others.
                b.bitcast(b.freeze(input), cx.int(LANES))
            } else {
                let slot = slot(rows::kept(self.module, ty));
                rows::store(self.module, &b, input, slot, 32);
                slot
            };
            entries.push((input, call_arguments.len() as u32));
            call_arguments.push(argument);
        }
        let mut places = Vec::new();
        for output in &outputs {
            let ty = output.ty();
            let bits = ty.element() == cx.i1();
            let place = slot(if bits { cx.int(LANES) } else { rows::kept(self.module, ty) });
            places.push(call_arguments.len() as u32);
            call_arguments.push(place);
        }
        let outlined =
            self.function(&stretch.members, &call_arguments, &entries, &outputs, &places);
        b.call(outlined, &call_arguments);
        for (output, place) in outputs.iter().zip(&places) {
            let slot = call_arguments[*place as usize];
            let loaded = if output.ty().element() == cx.i1() {
                b.bitcast(b.load(cx.int(LANES), slot, 32), output.ty())
            } else {
                rows::load(self.module, &b, output.ty(), slot, 32)
            };
            output.replace_all_uses_with(loaded);
        }
        for waiting in stretch.waiting {
            let copy = waiting.clone_instruction();
            b.insert(copy);
            waiting.replace_all_uses_with(copy);
            waiting.erase();
        }
        for member in stretch.members.into_iter().rev() {
            member.replace_all_uses_with(member.ty().poison());
            member.erase();
        }
    }

    /// Lanes of a strip.
    fn lanes(&self) -> u32 {
        if self.options.avx512() { 16 } else { 8 }
    }

    fn function(
        &mut self,
        members: &[Value<'c>],
        call_arguments: &[Value<'c>],
        entries: &[(Value<'c>, u32)],
        outputs: &[Value<'c>],
        places: &[u32],
    ) -> Value<'c> {
        let module = self.module;
        let cx = module.context();
        let types: Vec<_> = call_arguments.iter().map(|argument| argument.ty()).collect();
        let name = format!("spmd.strip.{}", self.count);
        let ty = cx.function_type(cx.void(), &types);
        let function = late_vector_function(module, &name, ty, self.options);
        let [start, head, done] =
            ["start", "head", "done"].map(|name| module.append_block(function, name));
        let b = cx.builder();
        let i64_type = cx.i64();
        let lanes = self.lanes();
        let strip = |ty: Type<'c>| ty.element().vector(lanes);
        b.position_at_end(start);
        b.br(head);
        b.position_at_end(head);
        let first = b.phi(i64_type);
        let mut values: FxHashMap<Value<'c>, Value<'c>> = FxHashMap::default();
        for &(input, index) in entries {
            let parameter = function.parameter(index);
            let ty = input.ty();
            let value = if !has_lanes(ty) {
                parameter
            } else if repeated(input).is_some() {
                b.splat(parameter, lanes)
            } else if ty.element() == cx.i1() {
                let bits = b.lshr(parameter, b.trunc(first, cx.int(LANES)));
                b.bitcast(b.trunc(bits, cx.int(lanes)), strip(ty))
            } else {
                self.load_strip(&b, parameter, ty, first)
            };
            values.insert(input, value);
        }
        for &member in members {
            let operands: Vec<_> = arguments(member)
                .into_iter()
                .map(|operand| match values.get(&operand) {
                    Some(value) => *value,
                    None if has_lanes(operand.ty()) => self.constant_strip(&b, operand, first),
                    None => operand,
                })
                .collect();
            let ty = strip(member.ty());
            let made = if member.opcode() == Opcode::LLVMCall {
                self.intrinsic(&b, member, &operands, ty)
            } else {
                rebuild(&b, member, &operands, ty)
            };
            let made = made.unwrap_or_else(|| ty.poison());
            made.copy_flags_from(member);
            values.insert(member, made);
        }
        for (output, place) in outputs.iter().zip(places) {
            let (value, place) = (values[output], function.parameter(*place));
            if output.ty().element() == cx.i1() {
                let at = b.byte_offset(place, b.lshr(first, i64_type.const_int(3)));
                b.store(b.bitcast(b.freeze(value), cx.int(lanes)), at, 1);
            } else {
                let element = output.ty().element();
                let at = rows::place_of(module, &b, element, place, first);
                rows::store(module, &b, value, at, module.align_of(element));
            }
        }
        let next = b.add(first, i64_type.const_int(u64::from(lanes)));
        first.add_incoming(&[(i64_type.zero(), start), (next, head)]);
        let more = b.icmp(
            llvm_zluda::IntPredicate::LLVMIntULT,
            next,
            i64_type.const_int(u64::from(LANES)),
        );
        b.cond_br(more, head, done);
        b.position_at_end(done);
        b.ret_void();
        function
    }

    fn load_strip(
        &self,
        b: &Builder<'c>,
        place: Value<'c>,
        ty: Type<'c>,
        first: Value<'c>,
    ) -> Value<'c> {
        let (module, element) = (self.module, ty.element());
        let at = rows::place_of(module, b, element, place, first);
        rows::load(module, b, element.vector(self.lanes()), at, module.align_of(element))
    }

    /// The strip of a constant vector.
    fn constant_strip(
        &mut self,
        b: &Builder<'c>,
        constant: Value<'c>,
        first: Value<'c>,
    ) -> Value<'c> {
        let ty = constant.ty();
        let cx = self.module.context();
        let strip = ty.element().vector(self.lanes());
        if constant.is_undef_or_poison() {
            return strip.poison();
        }
        if let Some(element) = constant.repeated_element() {
            return b.splat(element, self.lanes());
        }
        let element = ty.element();
        if element == cx.i1() {
            // A table of bits, as a number.
            let bits = b.bitcast(constant, cx.int(LANES));
            let bits = b.lshr(bits, b.trunc(first, cx.int(LANES)));
            return b.bitcast(b.trunc(bits, cx.int(self.lanes())), strip);
        }
        let count = self.constants.len();
        let module = self.module;
        let variable = *self.constants.entry(constant).or_insert_with(|| {
            let name = format!("spmd.lanes.{count}");
            let kept = rows::kept(module, ty);
            let variable = module.add_global(&name, kept, 0, Linkage::LLVMInternalLinkage);
            // LLVM folds extensions of numbers.
            variable.set_initializer(if kept == ty { constant } else { b.zext(constant, kept) });
            variable.set_global_constant(true);
            variable.set_alignment(32);
            variable
        });
        self.load_strip(b, variable, ty, first)
    }

    fn intrinsic(
        &self,
        b: &Builder<'c>,
        call: Value<'c>,
        operands: &[Value<'c>],
        ty: Type<'c>,
    ) -> Option<Value<'c>> {
        let name = call.called_name();
        if let Some(base) = shortcut_vectors::base(&name) {
            let count = operands.len();
            let function = shortcut_vectors::vector(self.module, base, self.lanes(), count);
            return Some(b.call(function, operands));
        }
        let (base, overload) = lanewise_intrinsic(&name)?;
        let overloads = match overload {
            Overload::Result => vec![ty],
            Overload::First => vec![operands[0].ty()],
            Overload::ResultAndFirst => vec![ty, operands[0].ty()],
        };
        Some(b.intrinsic(self.module, &format!("llvm.{base}"), &overloads, operands))
    }
}

/// The operands of an instruction; of a call, its arguments.
fn arguments(instruction: Value<'_>) -> Vec<Value<'_>> {
    if instruction.opcode() == Opcode::LLVMCall {
        instruction.arguments()
    } else {
        instruction.operands()
    }
}
