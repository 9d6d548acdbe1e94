//! Values that are never needed at the same time share a slot.
//!
//! Input: a kernel whose values go from block to block through slots on the stack, its blocks still in their own order.
//! Output: as many slots as values are needed at once, where a lane comes to a place of its own.
//! Why here: when the kernel is one loop around its places ([`super`]), LLVM sees a way from each
//! place to every other one. It would carry all values of all places around that loop, in registers of their own.

use llvm_zluda::{Block, Module, Opcode, Type, Value};
use rustc_hash::FxHashMap;

/// The stack variables of a block that are loaded and stored as they are, and nothing else.
pub fn slots<'c>(module: &Module<'c>, entry: Block<'c>) -> Vec<Value<'c>> {
    let is_slot = |&variable: &Value<'c>| {
        variable.opcode() == Opcode::LLVMAlloca
            && variable.operand(0).as_const_int() == Some(1)
            && variable.users().iter().all(|&user| {
                let ty = match user.opcode() {
                    Opcode::LLVMLoad => user.ty(),
                    Opcode::LLVMStore if user.operand(0) != variable => user.operand(0).ty(),
                    _ => return false,
                };
                !user.is_volatile()
                    && module.size_of(ty) == module.size_of(variable.allocated_type())
            })
    };
    entry.instructions().into_iter().filter(is_slot).collect()
}

/// Lets slots be one where no lane needs both. Only those that a lane keeps on its way to a place count.
pub fn run<'c>(function: Value<'c>, slots: &[Value<'c>], is_place: impl Fn(Block<'c>) -> bool) {
    let blocks = function.blocks();
    let lives = Lives::new(&blocks, slots);
    let mut kept = Set::new(slots.len());
    for (number, _) in blocks.iter().enumerate().filter(|(_, block)| is_place(**block)) {
        kept.add_all(&lives.at_start[number]);
    }
    let neighbours = Neighbours::new(&lives, &blocks, &kept);
    // Slots that stay, with all that must not share them, and for other slots which of these they become.
    let mut homes: Vec<(usize, Set)> = Vec::new();
    let mut home_of: FxHashMap<usize, usize> = FxHashMap::default();
    for slot in kept.iter() {
        let others = &neighbours.apart[&slot];
        let ty = slots[slot].allocated_type();
        let fits = |home: &usize| {
            let (first, apart) = &homes[*home];
            !apart.contains(slot) && shape(slots[*first].allocated_type()) == shape(ty)
        };
        let copies = neighbours.copies.get(&slot).into_iter().flatten();
        let mut likely = copies.filter_map(|copy| home_of.get(copy).copied());
        let home = likely.find(fits).or_else(|| (0..homes.len()).find(fits));
        home_of.insert(slot, home.unwrap_or(homes.len()));
        match home {
            Some(home) => homes[home].1.add_all(others),
            None => homes.push((slot, others.clone())),
        }
    }
    for (&slot, &home) in &home_of {
        let first = homes[home].0;
        if first != slot {
            slots[slot].replace_all_uses_with(slots[first]);
            slots[slot].erase();
        }
    }
}

/// The shape of values that share a slot: numbers of a width, other types each with themselves.
#[derive(PartialEq)]
enum SlotType<'c> {
    Bits(u32),
    Other(Type<'c>),
}

fn shape(ty: Type<'_>) -> SlotType<'_> {
    if ty.is_int() || ty.is_float() { SlotType::Bits(ty.bits()) } else { SlotType::Other(ty) }
}

/// Which slots have a value that is needed later.
struct Lives<'c> {
    number_of: FxHashMap<Value<'c>, usize>,
    at_start: Vec<Set>,
    at_end: Vec<Set>,
}

impl<'c> Lives<'c> {
    fn new(blocks: &[Block<'c>], slots: &[Value<'c>]) -> Self {
        let number_of = slots.iter().enumerate().map(|(number, &slot)| (slot, number)).collect();
        let empty = vec![Set::new(slots.len()); blocks.len()];
        let mut lives = Self { number_of, at_start: empty.clone(), at_end: empty };
        let index: FxHashMap<_, _> = blocks.iter().enumerate().map(|(i, &it)| (it, i)).collect();
        let accesses: Vec<Vec<_>> = blocks.iter().map(|&block| lives.accesses(block)).collect();
        let mut changes = true;
        while changes {
            changes = false;
            for (number, block) in blocks.iter().enumerate().rev() {
                for next in block.successors() {
                    lives.at_end[number].add_all(&lives.at_start[index[&next]]);
                }
                let mut live = lives.at_end[number].clone();
                for access in &accesses[number] {
                    access.apply(&mut live);
                }
                changes |= live != lives.at_start[number];
                lives.at_start[number] = live;
            }
        }
        lives
    }

    /// The last one first.
    fn accesses(&self, block: Block<'c>) -> Vec<Access> {
        let slot_of = |pointer: Value<'c>| self.number_of.get(&pointer).copied();
        let mut accesses = Vec::new();
        // What has been loaded, while it is in its slot.
        let mut loaded: FxHashMap<Value<'c>, usize> = FxHashMap::default();
        for instruction in block.instructions() {
            if instruction.opcode() == Opcode::LLVMLoad
                && let Some(slot) = slot_of(instruction.operand(0))
            {
                loaded.insert(instruction, slot);
                accesses.push(Access::Load(slot));
            } else if instruction.opcode() == Opcode::LLVMStore
                && let Some(to) = slot_of(instruction.operand(1))
            {
                let from = loaded.get(&instruction.operand(0)).copied();
                loaded.retain(|_, slot| *slot != to);
                accesses.push(Access::Store { to, from });
            }
        }
        accesses.reverse();
        accesses
    }
}

/// Which slots of a set can be one.
struct Neighbours {
    /// For each slot, the others whose values it must not overwrite, and the other way round.
    apart: FxHashMap<usize, Set>,
    /// For each slot, those that it is copied from or to.
    copies: FxHashMap<usize, Vec<usize>>,
}

impl Neighbours {
    fn new<'c>(lives: &Lives<'c>, blocks: &[Block<'c>], set: &Set) -> Self {
        let none = Set::new(lives.number_of.len());
        let apart = set.iter().map(|slot| (slot, none.clone())).collect();
        let mut neighbours = Self { apart, copies: FxHashMap::default() };
        for (number, &block) in blocks.iter().enumerate() {
            let mut live = lives.at_end[number].clone();
            for access in lives.accesses(block) {
                if let Access::Store { to, from } = access
                    && set.contains(to)
                {
                    neighbours.add(to, from, &live);
                }
                access.apply(&mut live);
            }
        }
        neighbours
    }

    /// `to` is stored while others live.
    fn add(&mut self, to: usize, from: Option<usize>, live: &Set) {
        // A copy may be where the original is.
        for other in live.iter().filter(|&it| it != to && Some(it) != from) {
            if let Some(others) = self.apart.get_mut(&other) {
                others.insert(to);
                if let Some(others) = self.apart.get_mut(&to) {
                    others.insert(other);
                }
            }
        }
        if let Some(from) = from {
            self.copies.entry(to).or_default().push(from);
            self.copies.entry(from).or_default().push(to);
        }
    }
}

#[derive(Clone, Copy)]
enum Access {
    Load(usize),
    /// Of what was loaded `from` another slot and is still there.
    Store {
        to: usize,
        from: Option<usize>,
    },
}

impl Access {
    /// Makes of the slots that are needed after the access those that are needed before it.
    fn apply(self, live: &mut Set) {
        match self {
            Self::Load(slot) => live.insert(slot),
            Self::Store { to, .. } => live.remove(to),
        }
    }
}

/// A set of slots.
#[derive(Clone, PartialEq)]
struct Set {
    words: Vec<u64>,
}

impl Set {
    fn new(slots: usize) -> Self {
        Self { words: vec![0; slots.div_ceil(64)] }
    }

    fn insert(&mut self, slot: usize) {
        self.words[slot / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: usize) {
        self.words[slot / 64] &= !(1 << (slot % 64));
    }

    fn contains(&self, slot: usize) -> bool {
        self.words[slot / 64] >> (slot % 64) & 1 != 0
    }

    fn add_all(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(index, &word)| {
            let rest = |left: &u64| Some(left & left.checked_sub(1)?);
            let left = std::iter::successors(Some(word), rest).take_while(|&left| left != 0);
            left.map(move |left| index * 64 + left.trailing_zeros() as usize)
        })
    }
}
