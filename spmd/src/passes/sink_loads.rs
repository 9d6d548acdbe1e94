//! Loads, as late as they are needed.
//!
//! Input: optimised code of one thread. Output: the same code; a load stands before the first instruction of its block that uses it, or
//! before the first that may change what it reads; and so does what is made of one value alone, such as an address so many bytes from
//! another one.
//! Why: machine code loads long before it needs what it loads, as a GPU waits for memory in the order of its instructions. A processor
//! looks ahead by itself, and where a register of the thread is several vectors, it has no place for so many of them at once.
//! Why here: the vectoriser, which follows, keeps the order.

use llvm_zluda::{Block, Builder, Module, Opcode, Value};
use rustc_hash::FxHashMap;
use simt::intrinsics::{self, Effects};

use super::effects;
use super::substitute_known_threads::is_simple;

const GENERIC: u32 = 0;
const CONSTANT: u32 = 4;

/// Moves the loads of a module.
pub fn run(module: &Module<'_>) {
    let b = module.context().builder();
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        for block in function.blocks() {
            sink(&b, block);
        }
    }
}

fn sink<'c>(b: &Builder<'c>, block: Block<'c>) {
    let instructions = block.instructions();
    // Where each stands: that of a load is that of what it stands before.
    let mut places: FxHashMap<Value<'c>, usize> =
        instructions.iter().enumerate().map(|(place, instruction)| (*instruction, place)).collect();
    // The first of the loads before an instruction, by its place.
    let mut heads: FxHashMap<usize, Value<'c>> = FxHashMap::default();
    // The next ones that may write, from the end on.
    let mut writers: Vec<(Option<u32>, usize)> = Vec::new();
    for (place, &instruction) in instructions.iter().enumerate().rev() {
        if let Some(space) = written(instruction) {
            writers.retain(|(other, _)| *other != space);
            writers.push((space, place));
        }
        let space = match instruction.opcode() {
            Opcode::LLVMLoad if is_plain(instruction) => {
                Some(instruction.operand(0).ty().address_space())
            }
            _ if is_of_one(instruction) => None,
            _ => continue,
        };
        let users = instruction.users().into_iter();
        let users = users.filter(|user| user.parent() == block && user.opcode() != Opcode::LLVMPHI);
        let Some(first) = users.map(|user| places[&user]).min() else { continue };
        let meets = |other: Option<u32>| match (space, other) {
            (None | Some(CONSTANT), _) => false,
            (_, None) => true,
            (Some(space), Some(other)) => space == other || [space, other].contains(&GENERIC),
        };
        let writer =
            writers.iter().filter(|(other, _)| meets(*other)).map(|(_, place)| *place).min();
        let place = writer.map_or(first, |writer| writer.min(first));
        places.insert(instruction, place);
        let before = heads.insert(place, instruction).unwrap_or(instructions[place]);
        if instruction.next_instruction() != Some(before) {
            instruction.detach();
            b.position_before(before);
            b.insert(instruction);
        }
    }
}

/// The address space that an instruction may write to or orders accesses of, if it does; none of all of them.
fn written(instruction: Value<'_>) -> Option<Option<u32>> {
    match instruction.opcode() {
        Opcode::LLVMStore if is_plain(instruction) => {
            Some(Some(instruction.operand(1).ty().address_space()))
        }
        Opcode::LLVMLoad => (!is_plain(instruction)).then_some(None),
        Opcode::LLVMCall => {
            let is_in_the_way = match intrinsics::called(instruction) {
                Some(called) => !matches!(called.effects, Effects::Pure | Effects::Momentary),
                None => effects::is_access(instruction),
            };
            is_in_the_way.then_some(None)
        }
        Opcode::LLVMStore
        | Opcode::LLVMAtomicRMW
        | Opcode::LLVMAtomicCmpXchg
        | Opcode::LLVMFence
        | Opcode::LLVMInvoke => Some(None),
        _ => None,
    }
}

fn is_plain(access: Value<'_>) -> bool {
    !access.is_volatile() && !access.is_atomic()
}

/// Arithmetic with one value and numbers: where it stands, one register is taken.
fn is_of_one(instruction: Value<'_>) -> bool {
    is_simple(instruction)
        && instruction.operands().into_iter().filter(|operand| !operand.is_constant()).count() == 1
}
