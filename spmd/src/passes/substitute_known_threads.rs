//! Addresses where the number of the thread is known, as behind `if (threadIdx.x == 0)`, made of that number.
//!
//! Input: optimised code of one thread. Output: the same code; where it runs for one column of the block only, or for one
//! lane of a warp, addresses of accesses are computed from the column's or the lane's number, and not from what is made
//! of each thread's own.
//! Why here: such addresses are the same for a warp, and the vectoriser, which follows, makes scalar accesses of what would
//! be gathers. LLVM's passes replace uses of the number itself, but not what was made of it before the branch.

use llvm_zluda::{Block, Builder, IntPredicate, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::check_rows::is_bound;

/// Operations behind an address that are made anew, one behind the other.
const DEEPEST: u32 = 12;
/// Conditions one in the other.
const MOST_CONDITIONS: usize = 8;

/// Rewrites the addresses of a module's accesses.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        for block in function.blocks() {
            for known in Known::behind(block) {
                known.substitute(module, function);
            }
        }
    }
}

/// A number that is another one in all blocks that control comes to by an edge.
struct Known<'c> {
    number: Value<'c>,
    is: Value<'c>,
    first: Block<'c>,
}

impl<'c> Known<'c> {
    /// What the end of a block says of the thread behind it.
    fn behind(block: Block<'c>) -> Vec<Self> {
        let Some(end) = block.terminator() else { return Vec::new() };
        let mut found = Vec::new();
        match (end.opcode(), end.condition()) {
            (Opcode::LLVMSwitch, _) => {
                let number = end.operand(0);
                let cases = end.switch_cases().into_iter();
                found.extend(cases.map(|(is, first)| Known { number, is, first }));
            }
            (_, Some(condition)) if end.successor_count() == 2 => {
                for (way, is_true) in [(0, true), (1, false)] {
                    Self::by(condition, is_true, end.successor(way), MOST_CONDITIONS, &mut found);
                }
            }
            _ => {}
        }
        found.retain(|known| is_of_thread(known.number) && known.is.is_constant());
        found
    }

    /// What is known where a condition is true, or is not.
    fn by(
        condition: Value<'c>,
        is_true: bool,
        first: Block<'c>,
        left: usize,
        found: &mut Vec<Self>,
    ) {
        let Some(left) = left.checked_sub(1).filter(|_| condition.is_instruction()) else { return };
        let operand = |index| condition.operand(index);
        let is = |index, number| operand(index).as_const_int() == Some(number);
        let both = match condition.opcode() {
            Opcode::LLVMICmp => {
                let equal = match condition.int_predicate() {
                    IntPredicate::LLVMIntEQ => true,
                    IntPredicate::LLVMIntNE => false,
                    _ => return,
                };
                if equal == is_true {
                    found.push(Known { number: operand(0), is: operand(1), first });
                }
                return;
            }
            Opcode::LLVMXor if is(1, 1) => {
                return Self::by(operand(0), !is_true, first, left, found);
            }
            Opcode::LLVMAnd if is_true => [0, 1],
            Opcode::LLVMOr if !is_true => [0, 1],
            Opcode::LLVMSelect if is_true && is(2, 0) => [0, 1],
            Opcode::LLVMSelect if !is_true && is(1, 1) => [0, 2],
            _ => return,
        };
        for index in both {
            Self::by(operand(index), is_true, first, left, found);
        }
    }

    fn substitute(&self, module: &Module<'c>, function: Value<'c>) {
        let blocks = function.blocks();
        let ways = blocks.iter().flat_map(|block| block.successors());
        if ways.filter(|to| *to == self.first).count() != 1 {
            return;
        }
        // What only this edge leads to.
        let elsewhere = reached(function.entry_block(), Some(self.first));
        let b = module.context().builder();
        for block in reached(self.first, None).into_iter().filter(|it| !elsewhere.contains(it)) {
            for access in block.instructions() {
                let address = match access.opcode() {
                    Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => 0,
                    Opcode::LLVMStore => 1,
                    _ => continue,
                };
                b.position_before(access);
                let mut made = FxHashMap::default();
                if let Some(new) = self.made_of(access.operand(address), &b, &mut made, DEEPEST) {
                    access.set_operand(address, new);
                }
            }
        }
    }

    /// A value made of what the number is; nothing where it is not made of the number.
    fn made_of(
        &self,
        value: Value<'c>,
        b: &Builder<'c>,
        made: &mut FxHashMap<Value<'c>, Option<Value<'c>>>,
        depth: u32,
    ) -> Option<Value<'c>> {
        if value == self.number {
            return Some(self.is);
        }
        if depth == 0 || !value.is_instruction() || !is_simple(value) {
            return None;
        }
        if let Some(known) = made.get(&value) {
            return *known;
        }
        let operands: Vec<_> = (0..value.operand_count())
            .map(|index| self.made_of(value.operand(index), b, made, depth - 1))
            .collect();
        let new = operands.iter().any(Option::is_some).then(|| {
            let operands = operands.into_iter().zip(value.operands());
            b.copy_with(value, operands.map(|(new, old)| new.unwrap_or(old)))
        });
        made.insert(value, new);
        new
    }
}

/// The blocks to which control may come from one, without those behind another one.
fn reached<'c>(from: Block<'c>, without: Option<Block<'c>>) -> FxHashSet<Block<'c>> {
    let mut found = FxHashSet::default();
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if Some(block) != without && found.insert(block) {
            work.extend(block.successors());
        }
    }
    found
}

/// The number of a thread in its row or in its warp.
fn is_of_thread(value: Value<'_>) -> bool {
    if !value.is_instruction() {
        return false;
    }
    match value.opcode() {
        Opcode::LLVMCall => {
            matches!(value.called_name().as_str(), "zluda.tid.x" | "zluda.laneid")
        }
        Opcode::LLVMAnd => value.operand(1).is_constant() && is_of_thread(value.operand(0)),
        _ => false,
    }
}

/// Arithmetic that any thread may do.
pub(super) fn is_simple(value: Value<'_>) -> bool {
    use Opcode::*;
    match value.opcode() {
        LLVMCall => is_bound(value),
        opcode => matches!(
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
                | LLVMZExt
                | LLVMSExt
                | LLVMTrunc
                | LLVMICmp
                | LLVMSelect
                | LLVMIntToPtr
                | LLVMPtrToInt
                | LLVMGetElementPtr
        ),
    }
}
