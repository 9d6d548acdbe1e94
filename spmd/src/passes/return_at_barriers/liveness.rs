//! The values that live at the beginning of each block.

use fixedbitset::FixedBitSet;
use llvm_zluda::{Block, Opcode, Value};
use rustc_hash::FxHashMap;

pub struct Liveness<'c> {
    /// The instructions that other blocks use.
    values: Vec<Value<'c>>,
    /// By block.
    at_begin: Vec<FixedBitSet>,
}

impl<'c> Liveness<'c> {
    /// `blocks` are all those of a function, `index` their places.
    pub fn new(blocks: &[Block<'c>], index: &FxHashMap<Block<'c>, usize>) -> Liveness<'c> {
        let mut values = Vec::new();
        let mut numbers: FxHashMap<Value<'c>, usize> = FxHashMap::default();
        for &block in blocks {
            for instruction in block.instructions() {
                let leaves =
                    |user: &Value<'c>| user.parent() != block || user.opcode() == Opcode::LLVMPHI;
                // Variables are addresses that the function has from the beginning.
                if instruction.opcode() != Opcode::LLVMAlloca
                    && instruction.users().iter().any(leaves)
                {
                    numbers.insert(instruction, values.len());
                    values.push(instruction);
                }
            }
        }
        let none = || vec![FixedBitSet::with_capacity(values.len()); blocks.len()];
        let (mut made, mut used, mut used_by_phis) = (none(), none(), none());
        for (number, &block) in blocks.iter().enumerate() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMPHI {
                    for (value, from) in instruction.incoming() {
                        if let Some(&value) = numbers.get(&value) {
                            used_by_phis[index[&from]].insert(value);
                        }
                    }
                } else {
                    for operand in instruction.operands() {
                        if let Some(&value) = numbers.get(&operand)
                            && !made[number].contains(value)
                        {
                            used[number].insert(value);
                        }
                    }
                }
                if let Some(&value) = numbers.get(&instruction) {
                    made[number].insert(value);
                }
            }
        }
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| block.successors().iter().map(|next| index[next]).collect())
            .collect();
        let mut at_begin = used;
        loop {
            let mut changed = false;
            for number in (0..blocks.len()).rev() {
                let mut live = used_by_phis[number].clone();
                for &next in &successors[number] {
                    live.union_with(&at_begin[next]);
                }
                live.difference_with(&made[number]);
                live.union_with(&at_begin[number]);
                if live != at_begin[number] {
                    at_begin[number] = live;
                    changed = true;
                }
            }
            if !changed {
                return Liveness { values, at_begin };
            }
        }
    }

    /// The values that live at the beginning of a block, in the order of the function. The block has no phis.
    pub fn live_at_begin(&self, block: usize) -> Vec<Value<'c>> {
        self.at_begin[block].ones().map(|number| self.values[number]).collect()
    }
}
