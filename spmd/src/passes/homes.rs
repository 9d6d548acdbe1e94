//! Stack variables that values go through where control gets new ways, of which LLVM's `sroa` makes values again.

use llvm_zluda::{Block, Builder, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts the value of an instruction into a stack variable, from which all other blocks get it.
pub fn move_to<'c>(module: &Module<'c>, value: Value<'c>, home: Value<'c>) {
    let own = value.parent();
    let align = take_from(module, value, Some(own), home);
    behind(module, value).store(value, home, align);
}

/// A builder that goes on as soon as the value of an instruction is made.
pub fn behind<'c>(module: &Module<'c>, value: Value<'c>) -> Builder<'c> {
    let b = module.context().builder();
    if value.opcode() == Opcode::LLVMPHI {
        position_behind_phis(&b, value.parent());
    } else if let Some(next) = value.next_instruction() {
        b.position_before(next);
    }
    b
}

/// Lets all blocks but `own` take a value from a stack variable. Returns what the variable is aligned to.
pub fn take_from<'c>(
    module: &Module<'c>,
    value: Value<'c>,
    own: Option<Block<'c>>,
    home: Value<'c>,
) -> u32 {
    let align = module.align_of(value.ty());
    let b = module.context().builder();
    let mut in_block: FxHashMap<Block<'c>, Value<'c>> = FxHashMap::default();
    let mut again = |block| {
        *in_block.entry(block).or_insert_with(|| {
            position_behind_phis(&b, block);
            b.load(value.ty(), home, align)
        })
    };
    let users: FxHashSet<_> = value.users().into_iter().collect();
    for user in users {
        if user.opcode() == Opcode::LLVMPHI {
            for (index, (incoming, from)) in user.incoming().into_iter().enumerate() {
                if incoming == value && Some(from) != own {
                    user.set_operand(index as u32, again(from));
                }
            }
        } else if Some(user.parent()) != own {
            let again = again(user.parent());
            for index in 0..user.operand_count() {
                if user.operand(index) == value {
                    user.set_operand(index, again);
                }
            }
        }
    }
    align
}

fn position_behind_phis<'c>(b: &Builder<'c>, block: Block<'c>) {
    let first = block.instructions().into_iter().find(|it| it.opcode() != Opcode::LLVMPHI);
    match first {
        Some(first) => b.position_before(first),
        None => b.position_at_end(block),
    }
}

/// Adds a block with which a function begins.
pub fn block_before<'c>(module: &Module<'c>, function: Value<'c>, name: &str) -> Block<'c> {
    let blocks = function.blocks();
    let first = module.append_block(function, name);
    let mut last = first;
    for block in blocks {
        block.move_after(last);
        last = block;
    }
    first
}

/// Lets the phis of the blocks that an end leads to take from `to` what they took from `from`.
pub fn come_from<'c>(module: &Module<'c>, end: Value<'c>, from: Block<'c>, to: Block<'c>) {
    let b = module.context().builder();
    let successors: FxHashSet<_> = end.successors().into_iter().collect();
    for phi in successors.into_iter().flat_map(Block::phis) {
        b.position_before(phi);
        let renamed = b.phi(phi.ty());
        let incoming: Vec<_> = phi
            .incoming()
            .into_iter()
            .map(|(value, way)| {
                let value = if value == phi { renamed } else { value };
                (value, if way == from { to } else { way })
            })
            .collect();
        renamed.add_incoming(&incoming);
        phi.replace_all_uses_with(renamed);
        phi.erase();
    }
}
