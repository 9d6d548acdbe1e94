//! Long blocks of code as functions of their own.
//!
//! Input: a long function of vector code after its last optimisation. Output: the same code; its long blocks are
//! cut into sections, which are functions. What one section computes for another, or for the function itself, goes
//! through a frame in memory that the function has on its stack.
//! Why here: LLVM generates code for one function after the other; [`groups`] gives functions to several threads. Cuts
//! are where few values live, and of those most would wait on the stack anyway: 32 lanes of an `f32` fill two of the
//! widest registers.

use llvm_zluda::{Block, Builder, Module, Opcode, Type, Value};
use rustc_hash::FxHashMap;

use super::size::instruction_size;
use super::{LARGEST, belongs_to_its_function, is_flags, is_made_again, next_name, way};
use crate::Options;
use crate::runtime_helpers::late_vector_function;

/// About as long is a section, in estimated instructions.
const LENGTH: u64 = 350;
/// Blocks shorter than this are no section.
const LEAST: u64 = 180;
/// One in so many of a block's instructions may be for values that go through memory, or there are fewer sections.
const WORTH: u64 = 6;
/// For so many instructions a vector is not read from the frame again. x86's operations can read an operand from memory.
const STAYS: usize = 16;
/// No value's place need begin at a multiple of more bytes.
const ALIGN: u64 = 64;

/// Makes functions of a function's long blocks, named with numbers from `count` on.
pub fn outline<'c>(module: &Module<'c>, function: Value<'c>, options: &Options, count: &mut usize) {
    let cuts = Cuts::new(function);
    if cuts.sections.len() > 1 {
        cuts.apply(module, options, count);
    }
}

struct Cuts<'c> {
    function: Value<'c>,
    sections: Vec<Section<'c>>,
    /// The section of each instruction that leaves the function.
    section_of: FxHashMap<Value<'c>, usize>,
    /// The values that sections compute again where they need them, with their operands.
    made_again: FxHashMap<Value<'c>, Vec<Value<'c>>>,
}

struct Section<'c> {
    instructions: Vec<Value<'c>>,
    /// Those with the same number are of one block.
    block: usize,
}

impl<'c> Cuts<'c> {
    fn new(function: Value<'c>) -> Cuts<'c> {
        let mut sections = Vec::new();
        for (number, block) in function.blocks().into_iter().enumerate() {
            let of_block = sections_of(block);
            sections.extend(
                of_block.into_iter().map(|instructions| Section { instructions, block: number }),
            );
        }
        let mut section_of = FxHashMap::default();
        for (number, section) in sections.iter().enumerate() {
            section_of
                .extend(section.instructions.iter().map(|instruction| (*instruction, number)));
        }
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let made_again = instructions
            .filter(|instruction| is_made_again(*instruction))
            .map(|instruction| (instruction, instruction.operands()))
            .collect();
        Cuts { function, sections, section_of, made_again }
    }

    /// The values that a section needs for an operand.
    fn needed(&self, operand: Value<'c>, found: &mut dyn FnMut(Value<'c>)) {
        match self.made_again.get(&operand) {
            Some(operands) => operands.iter().for_each(|operand| self.needed(*operand, found)),
            None => found(operand),
        }
    }

    fn apply(&self, module: &Module<'c>, options: &Options, count: &mut usize) {
        let Some(frame) = Frame::new(self, module) else { return };
        let cx = module.context();
        let mut calls = Vec::new();
        for section in &self.sections {
            let name = next_name(count);
            let ty = cx.function_type(cx.void(), &[cx.ptr(0)]);
            let function = late_vector_function(module, &name, ty, options);
            let b = cx.builder();
            let last = section.instructions.last().and_then(|last| last.next_instruction());
            // A terminator follows at the latest.
            let Some(next) = last else { return };
            b.position_before(next);
            calls.push(b.call(function, &[frame.pointer]));
            b.position_at_end(module.append_block(function, ""));
            self.fill(module, &b, function.parameter(0), section, &frame);
            b.ret_void();
        }
        self.read_results(module, &frame, &calls);
        frame.place_variables(module, self.function);
    }

    /// Moves the instructions of a section to where `b` is.
    fn fill(
        &self,
        module: &Module<'c>,
        b: &Builder<'c>,
        pointer: Value<'c>,
        section: &Section<'c>,
        frame: &Frame<'c>,
    ) {
        let own = section.instructions.first().and_then(|first| self.section_of.get(first));
        let mut inputs =
            Inputs { module, b, pointer, frame, cuts: self, own, known: FxHashMap::default() };
        for (turn, &instruction) in section.instructions.iter().enumerate() {
            instruction.detach();
            inputs.give(instruction, turn);
            b.insert(instruction);
            if let Some(&offset) = frame.offsets.get(&instruction) {
                store(module, b, pointer, offset, instruction);
            }
        }
    }

    /// Reads the values that the function itself uses of its sections, where these return.
    fn read_results(&self, module: &Module<'c>, frame: &Frame<'c>, calls: &[Value<'c>]) {
        for (section, call) in self.sections.iter().zip(calls) {
            let Some(next) = call.next_instruction() else { continue };
            let b = module.context().builder();
            b.position_before(next);
            for &value in &section.instructions {
                let Some(&offset) = frame.offsets.get(&value) else { continue };
                let users: Vec<_> = value
                    .users()
                    .into_iter()
                    .filter(|user| user.parent().function() == self.function)
                    .collect();
                if users.is_empty() {
                    continue;
                }
                let result = load(module, &b, frame.pointer, offset, value.ty());
                for user in users {
                    for index in 0..user.operand_count() {
                        if user.operand(index) == value {
                            user.set_operand(index, result);
                        }
                    }
                }
            }
        }
    }
}

/// The values that a section uses and that are computed elsewhere.
struct Inputs<'i, 'c> {
    module: &'i Module<'c>,
    b: &'i Builder<'c>,
    pointer: Value<'c>,
    frame: &'i Frame<'c>,
    cuts: &'i Cuts<'c>,
    own: Option<&'i usize>,
    /// The values that stand for others, and the turns since which they do.
    known: FxHashMap<Value<'c>, (Value<'c>, usize)>,
}

impl<'c> Inputs<'_, 'c> {
    /// Gives an instruction the operands that it has here.
    fn give(&mut self, instruction: Value<'c>, turn: usize) {
        for index in 0..instruction.operand_count() {
            let operand = instruction.operand(index);
            if let Some(value) = self.value(operand, turn) {
                instruction.set_operand(index, value);
            }
        }
    }

    /// The value that stands for another one here; none if that is the value itself.
    fn value(&mut self, value: Value<'c>, turn: usize) -> Option<Value<'c>> {
        let is_constant = !value.is_instruction() && !value.is_argument();
        if is_constant || self.cuts.section_of.get(&value) == self.own {
            return None;
        }
        let is_fresh = |since| !value.ty().is_vector() || turn - since < STAYS;
        if let Some((known, _)) = self.known.get(&value).filter(|(_, since)| is_fresh(*since)) {
            return Some(*known);
        }
        let made = if let Some(operands) = self.cuts.made_again.get(&value) {
            let operands: Vec<_> =
                operands.iter().map(|&it| self.value(it, turn).unwrap_or(it)).collect();
            self.b.copy_with(value, operands)
        } else {
            let offset = *self.frame.offsets.get(&value)?;
            if is_variable(value) {
                at(self.b, self.pointer, offset)
            } else {
                load(self.module, self.b, self.pointer, offset, value.ty())
            }
        };
        self.known.insert(value, (made, turn));
        Some(made)
    }
}

/// Memory of the function itself, of a size that is known.
fn is_variable(value: Value<'_>) -> bool {
    value.is_instruction()
        && value.opcode() == Opcode::LLVMAlloca
        && value.operand(0).as_const_int() == Some(1)
        && value.parent() == value.parent().function().entry_block()
        && u64::from(value.alignment()) <= ALIGN
}

/// Memory on the function's stack for values that go from one function to another, and for those of the function's
/// variables that sections use.
struct Frame<'c> {
    pointer: Value<'c>,
    /// The offsets of values and variables, in bytes.
    offsets: FxHashMap<Value<'c>, u64>,
}

impl<'c> Frame<'c> {
    /// Lays out the frame, unless it would be too large, and writes into it what is computed in no section.
    fn new(cuts: &Cuts<'c>, module: &Module<'c>) -> Option<Frame<'c>> {
        let blocks = cuts.function.blocks();
        let instructions: Vec<_> = blocks.iter().flat_map(|block| block.instructions()).collect();
        let section_of = |value: &Value<'c>| cuts.section_of.get(value).copied();
        let block_of =
            |value: &Value<'c>| section_of(value).map(|number| cuts.sections[number].block);
        // Where else than where they are computed values are used: in which blocks' sections, or in none.
        let mut used_in: FxHashMap<Value<'c>, Vec<Option<usize>>> = FxHashMap::default();
        for user in &instructions {
            let mut note = |value: Value<'c>| {
                if (value.is_instruction() || value.is_argument())
                    && section_of(&value) != section_of(user)
                {
                    used_in.entry(value).or_default().push(block_of(user));
                }
            };
            for operand in user.operands() {
                if section_of(user).is_some() {
                    cuts.needed(operand, &mut note);
                } else {
                    note(operand);
                }
            }
        }
        let values = cuts.function.parameters().into_iter().chain(instructions);
        let goes_elsewhere: Vec<_> = values.filter(|value| used_in.contains_key(value)).collect();

        let mut offsets = FxHashMap::default();
        let place = |end: &mut u64, value: &Value<'c>| {
            let (size, align) = if is_variable(*value) {
                (module.size_of(value.allocated_type()), u64::from(value.alignment()))
            } else {
                space(module, value.ty())
            };
            let offset = end.next_multiple_of(align);
            *end = offset + size;
            offset
        };
        // What is of use in the sections of one block only shares its memory with that of other blocks.
        let is_of_block = |value: &Value<'c>| {
            let block = block_of(value);
            block.is_some() && used_in[value].iter().all(|user| *user == block)
        };
        let (of_blocks, of_function): (Vec<Value<'c>>, Vec<_>) =
            goes_elsewhere.iter().copied().partition(is_of_block);
        let mut end = 0;
        for value in of_function {
            offsets.insert(value, place(&mut end, &value));
        }
        let mut ends: FxHashMap<Option<usize>, u64> = FxHashMap::default();
        for value in of_blocks {
            let end = ends.entry(block_of(&value)).or_insert(end);
            offsets.insert(value, place(end, &value));
        }
        let size = ends.into_values().max().unwrap_or(end);
        if size > LARGEST {
            return None;
        }

        let cx = module.context();
        let b = cx.builder();
        b.position_before(cuts.function.entry_block().first_instruction()?);
        let pointer = b.alloca(cx.int(8).array(size));
        pointer.set_alignment(ALIGN as u32);
        for value in goes_elsewhere {
            if section_of(&value).is_some() || is_variable(value) {
                continue;
            }
            match first_place_for(value, pointer) {
                Some(instruction) => b.position_before(instruction),
                None => continue,
            }
            store(module, &b, pointer, offsets[&value], value);
        }
        Some(Frame { pointer, offsets })
    }

    /// Puts variables into the frame.
    fn place_variables(&self, module: &Module<'c>, function: Value<'c>) {
        let b = module.context().builder();
        for variable in function.entry_block().instructions() {
            if let Some(&offset) = self.offsets.get(&variable).filter(|_| is_variable(variable)) {
                b.position_before(variable);
                variable.replace_all_uses_with(at(&b, self.pointer, offset));
                variable.erase();
            }
        }
    }
}

/// The instruction that can be the first to use a value. Nothing comes before the allocation of the frame.
fn first_place_for<'c>(value: Value<'c>, frame: Value<'c>) -> Option<Value<'c>> {
    if value.is_argument() {
        return frame.next_instruction();
    }
    let mut next = value.next_instruction();
    while let Some(instruction) = next
        && instruction.opcode() == Opcode::LLVMPHI
    {
        next = instruction.next_instruction();
    }
    next
}

fn space(module: &Module<'_>, ty: Type<'_>) -> (u64, u64) {
    let size = module.size_of(ty);
    (size, u64::from(module.align_of(ty)).max(size.next_power_of_two()).min(ALIGN))
}

fn at<'c>(b: &Builder<'c>, frame: Value<'c>, offset: u64) -> Value<'c> {
    b.byte_offset(frame, b.context().i64().const_int(offset))
}

fn store<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    frame: Value<'c>,
    offset: u64,
    value: Value<'c>,
) {
    let at = at(b, frame, offset);
    let align = space(module, value.ty()).1 as u32;
    let value = if is_flags(value.ty()) {
        // A lane that is poison must not spoil the others.
        b.bitcast(b.freeze(value), module.context().int(value.ty().len() as u32))
    } else {
        value
    };
    b.store(value, at, align);
}

fn load<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    frame: Value<'c>,
    offset: u64,
    ty: Type<'c>,
) -> Value<'c> {
    let at = at(b, frame, offset);
    let align = space(module, ty).1 as u32;
    if is_flags(ty) {
        return b.bitcast(b.load(module.context().int(ty.len() as u32), at, align), ty);
    }
    b.load(ty, at, align)
}

/// A block's instructions in sections. Those that are in none stay.
fn sections_of(block: Block<'_>) -> Vec<Vec<Value<'_>>> {
    let instructions = block.instructions();
    let stays = |instruction: &Value<'_>| {
        matches!(instruction.opcode(), Opcode::LLVMPHI | Opcode::LLVMAlloca)
    };
    let first = instructions.iter().rposition(stays).map_or(0, |last| last + 1);
    let last = instructions.len().saturating_sub(1);
    let Some(inside) = instructions.get(first..last) else { return Vec::new() };
    let total: u64 = inside.iter().map(|instruction| instruction_size(*instruction)).sum();
    if total < LEAST || inside.iter().any(belongs_to_its_function) {
        return Vec::new();
    }
    // Fewer if they have too much to tell each other.
    (1..=(total + LENGTH / 2) / LENGTH)
        .rev()
        .map(|count| in_sections(inside, total, count))
        .find(|sections| ways(sections) * WORTH <= total)
        .unwrap_or_default()
}

/// Cuts where the fewest values live, near where sections of equal length would end.
fn in_sections<'c>(inside: &[Value<'c>], total: u64, count: u64) -> Vec<Vec<Value<'c>>> {
    let place: FxHashMap<_, _> =
        inside.iter().enumerate().map(|(index, value)| (*value, index)).collect();
    // How much more lives behind an instruction than before it.
    let mut change = vec![0i64; inside.len() + 1];
    for (index, value) in inside.iter().enumerate() {
        let users = value.users();
        if let Some(last) = users.iter().filter_map(|user| place.get(user)).max() {
            change[index] += way(value.ty()) as i64;
            change[*last] -= way(value.ty()) as i64;
        }
    }
    let mut ends: Vec<(u64, usize)> = vec![(u64::MAX, 0); count as usize];
    let (mut length, mut live) = (0, 0i64);
    for (index, value) in inside.iter().enumerate() {
        length += instruction_size(*value);
        live += change[index];
        for (number, (least, end)) in ends.iter_mut().enumerate() {
            let ideal = total * (number as u64 + 1) / count;
            if length.abs_diff(ideal) * 3 <= total / count && (live as u64) < *least {
                (*least, *end) = (live as u64, index + 1);
            }
        }
    }
    let mut sections = Vec::new();
    let mut start = 0;
    if let Some((_, end)) = ends.last_mut() {
        *end = inside.len();
    }
    for (_, end) in ends {
        if end > start {
            sections.push(inside[start..end].to_vec());
            start = end;
        }
    }
    sections
}

/// The cost of the values that these sections give each other and others, in instructions that move values.
fn ways(sections: &[Vec<Value<'_>>]) -> u64 {
    let section_of: FxHashMap<_, _> = sections
        .iter()
        .enumerate()
        .flat_map(|(number, section)| section.iter().map(move |value| (*value, number)))
        .collect();
    let mut sum = 0;
    for (value, section) in &section_of {
        let others = value.users().into_iter().map(|user| section_of.get(&user));
        let elsewhere: Vec<_> = others.filter(|other| *other != Some(section)).collect();
        let writes = u64::from(!elsewhere.is_empty());
        let reads = u64::from(elsewhere.contains(&None));
        sum += (writes + reads) * way(value.ty());
    }
    sum
}
