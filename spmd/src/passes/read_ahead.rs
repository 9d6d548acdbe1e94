//! Bytes that are read one after the other, each if those before were the right ones, read at once.
//!
//! Input: optimised code of one thread. Output: the same code; beside blocks that read one byte each and go on to the next
//! by what it is, as those of `text[i] == a && text[i + 1] == b && ...`, there is one without a branch, for warps whose
//! bytes all lie in the page of the first ones. That page is there, or the first ones could not have been read, and what
//! is read in vain does not matter.
//! Why here: the vectoriser, which follows, makes a branch for each of them, which goes on while there is a lane that
//! does. How long that is, is random, and a wrong guess costs more than all the bytes.

use llvm_zluda::{Block, Builder, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::intrinsics::{self, Effects};

use super::check_rows::split_before;
use super::substitute_known_threads::is_simple;

/// Fewer conditions are not worth the copy.
const FEWEST: usize = 2;
/// More blocks, or bytes further away, are not worth to be read in vain.
const MOST: usize = 16;
const FURTHEST: i64 = 64;

/// Memory that is not the thread's own: generic, global and constant.
const SPACES: [u32; 3] = [0, 1, CONSTANT];
const CONSTANT: u32 = 4;

/// Makes the copies in a module.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        let blocks = function.blocks();
        let mut ways: FxHashMap<Block<'_>, usize> = FxHashMap::default();
        for block in blocks.iter().flat_map(|block| block.successors()) {
            *ways.entry(block).or_default() += 1;
        }
        let mut known = FxHashSet::default();
        for block in blocks {
            if known.contains(&block) {
                continue;
            }
            if let Some(chain) = Chain::from(block, &ways) {
                known.extend(chain.links.iter().map(|link| link.block));
                chain.copy(module);
            }
        }
    }
}

/// A block that goes on to the next one by a condition.
struct Link<'c> {
    block: Block<'c>,
    /// What it goes on by, and if it holds or not. The last one may have none, and leave.
    goes_on: Option<(Value<'c>, bool)>,
}

/// Blocks one after the other, each of which goes on or leaves for `exit`.
struct Chain<'c> {
    links: Vec<Link<'c>>,
    exit: Block<'c>,
    /// Where the last one goes otherwise.
    then: Option<Block<'c>>,
    /// The bytes that are read from an address on.
    reads: Vec<(Value<'c>, Bytes)>,
}

/// Bytes from the first one to that before `end`, counted from an address.
#[derive(Clone, Copy)]
struct Bytes {
    first: i64,
    end: i64,
}

impl<'c> Chain<'c> {
    fn from(start: Block<'c>, ways: &FxHashMap<Block<'c>, usize>) -> Option<Self> {
        let (condition, [yes, no]) = condition_of(start)?;
        let certain = certain_bytes(start);
        if certain.is_empty() {
            return None;
        }
        [(yes, no, true), (no, yes, false)].into_iter().find_map(|(next, exit, holds)| {
            let first = Link { block: start, goes_on: Some((condition, holds)) };
            let chain = Self { links: vec![first], exit, then: None, reads: certain.clone() };
            chain.followed(next, ways)
        })
    }

    /// With the blocks that follow the first one.
    fn followed(mut self, next: Block<'c>, ways: &FxHashMap<Block<'c>, usize>) -> Option<Self> {
        let mut next = Some(next);
        while let Some(block) = next {
            let only = ways.get(&block) == Some(&1);
            let leaves = match condition_of(block) {
                Some((_, ways)) => ways.contains(&self.exit),
                None => block.successors() == [self.exit],
            };
            if !only || !leaves || self.links.len() > MOST || !self.reads_in(block) {
                self.then = Some(block);
                break;
            }
            next = None;
            let goes_on = condition_of(block).map(|(condition, [yes, no])| {
                next = Some(if yes == self.exit { no } else { yes });
                (condition, no == self.exit)
            });
            self.links.push(Link { block, goes_on });
        }
        let start = self.links[0].block;
        let is_loop = self.exit == start || self.then == Some(start);
        (self.links.len() > FEWEST && !is_loop && self.can_leave()).then_some(self)
    }

    /// Whether a block has nothing but arithmetic and bytes near those that are certain. Adds them.
    fn reads_in(&mut self, block: Block<'c>) -> bool {
        let mut reads = self.reads.clone();
        let instructions = block.instructions();
        let fits = instructions.into_iter().filter(|it| !it.is_terminator()).all(|instruction| {
            if instruction.opcode() != Opcode::LLVMLoad {
                return is_harmless(instruction);
            }
            let Some((root, own)) = bytes_read(instruction) else { return false };
            let Some((_, bytes)) = reads.iter_mut().find(|(it, _)| *it == root) else {
                return false;
            };
            bytes.first = bytes.first.min(own.first);
            bytes.end = bytes.end.max(own.end);
            bytes.end - bytes.first <= FURTHEST
        });
        if fits {
            self.reads = reads;
        }
        fits
    }

    /// Whether nothing but each other and the phis of the exit uses what the blocks make.
    fn can_leave(&self) -> bool {
        let inside = || self.links[1..].iter().map(|link| link.block);
        let is_known = |user: Value<'c>| {
            let block = user.parent();
            inside().any(|it| it == block) || block == self.exit && user.opcode() == Opcode::LLVMPHI
        };
        let has_phis = |block: Block<'c>| {
            block.first_instruction().is_some_and(|it| it.opcode() == Opcode::LLVMPHI)
        };
        !self.then.is_some_and(has_phis)
            && inside().flat_map(|block| block.instructions()).all(|instruction| {
                instruction.opcode() != Opcode::LLVMPHI
                    && instruction.users().into_iter().all(is_known)
            })
    }

    /// Makes the block without branches, and the one that chooses.
    fn copy(&self, module: &Module<'c>) {
        let Some(end) = self.links[0].block.terminator() else { return };
        let (before, slow) = split_before(module, end);
        let ahead = module.append_block(slow.function(), "ahead");
        let b = module.context().builder();
        b.position_at_end(before);
        let i64_type = module.context().i64();
        let in_page = intrinsics::declare(module, "cpu.in_page", 2);
        let all_in_page = self
            .reads
            .iter()
            .filter(|(_, bytes)| bytes.end - bytes.first > 1)
            .map(|&(root, bytes)| {
                let length = i64_type.const_int((bytes.end - bytes.first) as u64);
                b.call(in_page, &[address(&b, root, bytes.first), length])
            })
            .reduce(|all, one| b.and(all, one));
        b.cond_br(all_in_page.unwrap_or_else(|| module.context().i1().all_ones()), ahead, slow);

        b.position_at_end(ahead);
        let inside = self.links[1..].iter().map(|link| link.block).collect();
        let mut copies = Copies { b: &b, inside, made: FxHashMap::default() };
        let conditions: Vec<_> = self
            .links
            .iter()
            .filter_map(|link| link.goes_on)
            .map(|(condition, holds)| (copies.of(condition), holds))
            .collect();
        let mut arriving = Vec::new();
        for phi in self.exit.phis() {
            let from = |block: Block<'c>| {
                let mut incoming = phi.incoming().into_iter();
                incoming.find(|(_, from)| *from == block).map_or(phi.ty().poison(), |(it, _)| it)
            };
            let (last, rest) = (self.links.len() - 1, &conditions[..self.links.len() - 1]);
            let mut value = copies.of(from(self.links[last].block));
            for (&(condition, holds), link) in rest.iter().zip(&self.links).rev() {
                let left = copies.of(from(link.block));
                value = chosen(&b, condition, holds, value, left);
            }
            arriving.push((phi, value));
        }
        match self.then {
            None => b.br(self.exit),
            Some(then) => {
                let no = module.context().i1().zero();
                let all = conditions
                    .iter()
                    .rev()
                    .fold(module.context().i1().all_ones(), |all, &(condition, holds)| {
                        chosen(&b, condition, holds, all, no)
                    });
                b.cond_br(all, then, self.exit)
            }
        };
        for (phi, value) in arriving {
            phi.add_incoming(&[(value, ahead)]);
        }
    }
}

/// One value where a condition is as it should be, and the other one elsewhere. In no case the other choice matters.
fn chosen<'c>(
    b: &Builder<'c>,
    condition: Value<'c>,
    holds: bool,
    value: Value<'c>,
    left: Value<'c>,
) -> Value<'c> {
    match holds {
        true => b.select(condition, value, left),
        false => b.select(condition, left, value),
    }
}

/// What a block ends with, and the different blocks it goes to.
fn condition_of<'c>(block: Block<'c>) -> Option<(Value<'c>, [Block<'c>; 2])> {
    let end = block.terminator().filter(|it| it.opcode() == Opcode::LLVMBr)?;
    let condition = end.condition()?;
    let [yes, no] = [0, 1].map(|index| end.successor(index));
    (yes != no).then_some((condition, [yes, no]))
}

/// The places that a block reads behind all that it does besides, one for each address.
fn certain_bytes<'c>(block: Block<'c>) -> Vec<(Value<'c>, Bytes)> {
    let mut found: Vec<(Value<'c>, Bytes)> = Vec::new();
    for instruction in block.instructions().into_iter().rev().filter(|it| !it.is_terminator()) {
        let is_pure = || {
            intrinsics::called(instruction).is_some_and(|it| it.effects == Effects::Pure)
                || instruction.opcode() == Opcode::LLVMPHI
        };
        if instruction.opcode() == Opcode::LLVMLoad {
            if let Some((root, bytes)) = bytes_read(instruction)
                && found.iter().all(|(it, _)| *it != root)
            {
                found.push((root, bytes));
            }
        } else if !is_harmless(instruction) && !is_pure() {
            break;
        }
    }
    found
}

fn is_harmless(instruction: Value<'_>) -> bool {
    use Opcode::*;
    is_simple(instruction)
        || matches!(instruction.opcode(), LLVMAddrSpaceCast | LLVMBitCast | LLVMFreeze)
}

/// The address that a load's is made of, and which bytes from there on it reads: one, or a number of constant memory, of which ptxas
/// reads several bytes at once. Nothing where the load is volatile or ordered, of something else, or of the thread's own memory.
fn bytes_read<'c>(load: Value<'c>) -> Option<(Value<'c>, Bytes)> {
    let ty = load.ty();
    if load.is_volatile() || load.is_atomic() || !ty.is_int() || !ty.bits().is_multiple_of(8) {
        return None;
    }
    let (mut root, mut place) = (load.operand(0), 0_i64);
    let space = root.ty().address_space();
    if !SPACES.contains(&space) || ty.bits() > 8 && space != CONSTANT {
        return None;
    }
    while root.is_instruction() {
        let is_whole = |ty: llvm_zluda::Type<'c>| ty.is_pointer() || ty.bits() == 64;
        let constant = || root.operand(1).as_const_signed();
        match root.opcode() {
            Opcode::LLVMIntToPtr | Opcode::LLVMPtrToInt | Opcode::LLVMAddrSpaceCast
                if is_whole(root.ty()) && is_whole(root.operand(0).ty()) => {}
            Opcode::LLVMAdd if constant().is_some() => place = place.checked_add(constant()?)?,
            Opcode::LLVMOr if root.is_disjoint() && constant().is_some() => {
                place = place.checked_add(constant()?)?;
            }
            Opcode::LLVMGetElementPtr
                if root.operand_count() == 2
                    && root.gep_source_type().is_int()
                    && root.gep_source_type().bits() == 8
                    && constant().is_some() =>
            {
                place = place.checked_add(constant()?)?;
            }
            Opcode::LLVMAlloca => return None,
            _ => break,
        }
        root = root.operand(0);
    }
    let bytes = Bytes { first: place, end: place.checked_add(i64::from(ty.bits() / 8))? };
    (root.is_instruction() || root.is_argument()).then_some((root, bytes))
}

/// A number that is an address so far from another one.
fn address<'c>(b: &Builder<'c>, root: Value<'c>, place: i64) -> Value<'c> {
    let i64_type = b.context().i64();
    let root = if root.ty().is_pointer() { b.ptr_to_int(root, i64_type) } else { root };
    b.add(root, i64_type.const_int(place as u64))
}

/// What blocks make, made again where the builder stands.
struct Copies<'b, 'c> {
    b: &'b Builder<'c>,
    inside: Vec<Block<'c>>,
    made: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'c> Copies<'_, 'c> {
    fn of(&mut self, value: Value<'c>) -> Value<'c> {
        if !value.is_instruction() || !self.inside.contains(&value.parent()) {
            return value;
        }
        if let Some(&made) = self.made.get(&value) {
            return made;
        }
        let read = (value.opcode() == Opcode::LLVMLoad).then(|| bytes_read(value)).flatten();
        let copy = if let Some((root, bytes)) = read {
            let place = address(self.b, root, bytes.first);
            let place = self.b.int_to_ptr(place, value.operand(0).ty());
            self.b.load(value.ty(), place, 1)
        } else {
            let operands: Vec<_> =
                value.operands().into_iter().map(|operand| self.of(operand)).collect();
            self.b.copy_with(value, operands)
        };
        self.made.insert(value, copy);
        copy
    }
}
