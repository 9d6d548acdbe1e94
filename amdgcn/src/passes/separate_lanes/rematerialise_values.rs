//! Values that are cheap to compute are computed where they are needed.
//!
//! Input: a kernel in SSA form, blocks split where its lanes may go on without each other.
//! Output: the same with copies of what is a constant away from something else, in all blocks that use it.
//! Why here: each value that is needed in another place is kept in a register all the time, by every lane, when the
//! kernel is one loop around its places ([`super`]). A shared address and fifteen constants are
//! one such value rather than sixteen.

use llvm_zluda::{Module, Opcode, Value};
use rustc_hash::FxHashMap;
use simt::analysis::cfg::Cfg;
use simt::intrinsics::{self, Property};

/// Instructions that are not worth a register.
const MOST: u32 = 4;

/// Leaves functions with loops of several entries as they are.
pub fn run<'c>(module: &Module<'c>, function: Value<'c>) {
    let Ok(cfg) = Cfg::as_it_is(function) else { return };
    let instructions: Vec<_> = cfg.blocks.iter().flat_map(|block| block.instructions()).collect();
    let mut recipes: FxHashMap<Value<'c>, Recipe<'c>> = FxHashMap::default();
    for &instruction in &instructions {
        if let Some(recipe) = recipe(instruction, &recipes) {
            recipes.insert(instruction, recipe);
        }
    }
    let mut kept: FxHashMap<Value<'c>, u32> = FxHashMap::default();
    for &instruction in instructions.iter().filter(|it| is_needed_elsewhere(**it)) {
        let leaf = recipes.get(&instruction).map_or(Some(instruction), |recipe| recipe.from);
        *kept.entry(leaf.unwrap_or(instruction)).or_default() += 1;
    }
    // Users first, so that copies have their operands copied.
    for &instruction in instructions.iter().rev() {
        let Some(recipe) = recipes.get(&instruction) else { continue };
        // One value is as good as another one that it comes from, but for conditions, which are masks of lanes.
        let is_less = recipe.from.is_none_or(|from| {
            let is_condition = |value: Value<'_>| value.ty().bits() == 1;
            kept.get(&from).is_some_and(|count| *count > 1)
                || (is_condition(instruction) && !is_condition(from))
        });
        if is_less {
            copy_to_users(module, instruction);
        }
    }
}

/// The way in which a value is computed again.
#[derive(Clone, Copy)]
struct Recipe<'c> {
    /// Instructions.
    cost: u32,
    /// The one value that is needed, where that is not at hand.
    from: Option<Value<'c>>,
}

fn recipe<'c>(
    instruction: Value<'c>,
    recipes: &FxHashMap<Value<'c>, Recipe<'c>>,
) -> Option<Recipe<'c>> {
    use Opcode::*;
    let cost = match instruction.opcode() {
        LLVMCall => {
            let called = intrinsics::called(instruction);
            let is_at_hand = called.is_some_and(|intrinsic| intrinsic.has(Property::AtHand));
            return is_at_hand.then_some(Recipe { cost: 1, from: None });
        }
        LLVMLoad => {
            let pointer = instruction.operand(0);
            let is_parameter = pointer.ty().address_space() == 4
                && recipes.get(&pointer).is_some_and(|recipe| recipe.from.is_none())
                && !instruction.is_volatile();
            is_parameter.then_some(1)
        }
        LLVMZExt | LLVMTrunc | LLVMIntToPtr | LLVMPtrToInt | LLVMBitCast => Some(0),
        LLVMSExt | LLVMAddrSpaceCast | LLVMGetElementPtr | LLVMICmp | LLVMFCmp | LLVMAdd
        | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => Some(1),
        _ => None,
    };
    let mut recipe = Recipe { cost: cost?, from: None };
    for operand in instruction.operands() {
        if operand.is_constant() {
            continue;
        }
        let of_operand =
            recipes.get(&operand).copied().unwrap_or(Recipe { cost: 0, from: Some(operand) });
        recipe.cost += of_operand.cost;
        match (recipe.from, of_operand.from) {
            (Some(one), Some(other)) if one != other => return None,
            (from, of_operand) => recipe.from = from.or(of_operand),
        }
    }
    (recipe.cost <= MOST).then_some(recipe)
}

fn is_needed_elsewhere(value: Value<'_>) -> bool {
    let block = value.parent();
    let mut users = value.users().into_iter();
    users.any(|user| user.parent() != block || user.opcode() == Opcode::LLVMPHI)
}

/// Gives each block but its own a copy of a value that it uses.
fn copy_to_users<'c>(module: &Module<'c>, value: Value<'c>) {
    let own = value.parent();
    let builder = module.context().builder();
    let mut copies = FxHashMap::default();
    for user in value.users() {
        let incoming = match user.opcode() {
            Opcode::LLVMPHI => user.incoming(),
            _ => Vec::new(),
        };
        for index in (0..user.operand_count()).filter(|&index| user.operand(index) == value) {
            let block = incoming.get(index as usize).map_or(user.parent(), |(_, from)| *from);
            if block == own {
                continue;
            }
            let copy = *copies.entry(block).or_insert_with(|| {
                let mut instructions = block.instructions().into_iter();
                let copy = value.clone_instruction();
                if let Some(first) = instructions.find(|it| it.opcode() != Opcode::LLVMPHI) {
                    builder.position_before(first);
                    builder.insert(copy);
                }
                copy
            });
            user.set_operand(index, copy);
        }
    }
    if !value.has_uses() {
        value.erase();
    }
}
