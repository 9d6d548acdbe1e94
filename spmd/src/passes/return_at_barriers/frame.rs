//! The frame that a warp's values are kept in while it waits.

use fixedbitset::FixedBitSet;
use llvm_zluda::{Block, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::analysis::cfg::Cfg;

use super::FunctionBlocks;

/// Bytes at the beginning of a frame, which hold the number of the place where the warp waits; 0 before it has begun.
const STATE: u64 = 8;
/// Frames and what is in them begin at multiples of at most so many bytes.
pub const ALIGN: u64 = 64;

/// The places of values and variables in a frame.
pub struct Layout<'c> {
    pub offsets: FxHashMap<Value<'c>, u64>,
    /// In bytes.
    pub size: u64,
}

/// A place in a frame, and the waits at which a value is in it.
struct Place {
    offset: u64,
    size: u64,
    waits: FixedBitSet,
}

impl<'c> Layout<'c> {
    /// A place for each value that is stored at one of the waits, which those share that are never stored at the same
    /// one, and for variables. Those that are stored `early` share none.
    pub fn new(
        module: &Module<'c>,
        stored: &[Vec<Value<'c>>],
        early: &FxHashSet<Value<'c>>,
        variables: &[Value<'c>],
    ) -> Self {
        let mut waits: FxHashMap<Value<'c>, FixedBitSet> = FxHashMap::default();
        let mut values = Vec::new();
        for (wait, &value) in
            stored.iter().enumerate().flat_map(|(w, all)| all.iter().map(move |v| (w, v)))
        {
            let waits_of_value = waits.entry(value).or_insert_with(|| {
                values.push(value);
                FixedBitSet::with_capacity(stored.len())
            });
            if early.contains(&value) {
                waits_of_value.insert_range(..);
            } else {
                waits_of_value.insert(wait);
            }
        }
        let mut layout = Layout { offsets: FxHashMap::default(), size: STATE };
        // Small ones first: they lie together.
        values.sort_by_key(|value| module.size_of(value.ty()));
        let mut places: Vec<Place> = Vec::new();
        for value in values {
            let (size, waits) = (module.size_of(value.ty()), &waits[&value]);
            let free = |place: &&mut Place| place.size == size && place.waits.is_disjoint(waits);
            let offset = match places.iter_mut().find(free) {
                Some(place) => {
                    place.waits.union_with(waits);
                    place.offset
                }
                None => {
                    let offset = layout.add(size, module.align_of(value.ty()).into());
                    places.push(Place { offset, size, waits: waits.clone() });
                    offset
                }
            };
            layout.offsets.insert(value, offset);
        }
        for &variable in variables {
            let size = module.size_of(variable.allocated_type());
            let offset = layout.add(size, ALIGN);
            layout.offsets.insert(variable, offset);
        }
        // An odd number of lines: frames of the warps of a block lie in different sets of a cache.
        layout.size = layout.size.next_multiple_of(ALIGN) | ALIGN;
        layout
    }

    fn add(&mut self, size: u64, align: u64) -> u64 {
        let offset = self.size.next_multiple_of(align.min(ALIGN));
        self.size = offset + size;
        offset
    }
}

/// The values that the frame holds already where warps wait.
pub struct Kept<'c> {
    numbers: FxHashMap<Value<'c>, usize>,
    at_wait: Vec<FixedBitSet>,
}

impl<'c> Kept<'c> {
    /// `stored` are the values that the frame has to hold at each wait.
    pub fn new(function: &FunctionBlocks<'c>, stored: &[Vec<Value<'c>>]) -> Kept<'c> {
        let mut numbers = FxHashMap::default();
        for &value in stored.iter().flatten() {
            let next = numbers.len();
            numbers.entry(value).or_insert(next);
        }
        let count = numbers.len();
        let made: Vec<FixedBitSet> = function
            .blocks
            .iter()
            .map(|block| {
                let mut made = FixedBitSet::with_capacity(count);
                made.extend(block.instructions().iter().filter_map(|it| numbers.get(it).copied()));
                made
            })
            .collect();
        let behind: FxHashMap<usize, &Vec<Value<'c>>> = function
            .waits
            .iter()
            .zip(stored)
            .map(|(wait, stored)| (function.index[&wait.behind], stored))
            .collect();
        let mut predecessors = vec![Vec::new(); function.blocks.len()];
        for (number, block) in function.blocks.iter().enumerate() {
            for next in block.successors() {
                predecessors[function.index[&next]].push(number);
            }
        }
        let mut all = FixedBitSet::with_capacity(count);
        all.insert_range(..);
        let mut at_end = vec![all.clone(); function.blocks.len()];
        let at_begin = |number: usize, at_end: &[FixedBitSet]| {
            let mut held = FixedBitSet::with_capacity(count);
            if let Some(stored) = behind.get(&number) {
                held.extend(stored.iter().map(|value| numbers[value]));
            } else if number != 0 {
                held = all.clone();
                predecessors[number].iter().for_each(|from| held.intersect_with(&at_end[*from]));
            }
            held
        };
        loop {
            let mut changed = false;
            for number in 0..function.blocks.len() {
                let mut held = at_begin(number, &at_end);
                held.difference_with(&made[number]);
                if held != at_end[number] {
                    at_end[number] = held;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let at_wait = function
            .waits
            .iter()
            .map(|wait| at_end[function.index[&wait.before]].clone())
            .collect();
        Kept { numbers, at_wait }
    }

    /// Whether the frame holds a value at a wait.
    pub fn holds(&self, wait: usize, value: Value<'c>) -> bool {
        self.at_wait[wait].contains(self.numbers[&value])
    }
}

/// The values that are stored where they are made, since there the warp comes less often than to a wait that they are stored
/// for: the wait is in a loop without them.
pub fn stored_early<'c>(
    function: &FunctionBlocks<'c>,
    stored: &[Vec<Value<'c>>],
) -> FxHashSet<Value<'c>> {
    let entry = function.blocks[0];
    let Ok(cfg) = Cfg::as_it_is(entry.function()) else { return FxHashSet::default() };
    let loop_of = |block: Block<'c>| cfg.index.get(&block).map(|&number| cfg.loop_of[number]);
    let mut early = FxHashSet::default();
    for (wait, values) in function.waits.iter().zip(stored) {
        let Some(around) = loop_of(wait.before).filter(|around| around.is_some()) else { continue };
        let is_outside = |value: &&Value<'c>| {
            let own = loop_of(value.parent());
            own.is_some_and(|own| own != around && cfg.is_inside(around, own))
        };
        early.extend(values.iter().filter(is_outside));
    }
    early
}

/// The stack variables of a function whose contents may have to outlive a wait: those that are used on both sides of one,
/// or whose address goes where uses of it cannot be seen.
pub fn variables_across<'c>(function: &FunctionBlocks<'c>) -> Vec<Value<'c>> {
    let variables = function.blocks[0].instructions().into_iter().filter(is_variable);
    let mut found: Vec<(Value<'c>, Option<FixedBitSet>)> = variables
        .map(|variable| {
            let mut uses = FixedBitSet::with_capacity(function.blocks.len());
            let seen = uses_of(variable, function, &mut uses);
            (variable, seen.then_some(uses))
        })
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let sides: Vec<_> = function.waits.iter().map(|wait| function.sides(wait)).collect();
    found.retain(|(_, uses)| match uses {
        Some(uses) => sides
            .iter()
            .any(|[before, behind]| !uses.is_disjoint(before) && !uses.is_disjoint(behind)),
        None => true,
    });
    found.into_iter().map(|(variable, _)| variable).collect()
}

/// Whether an instruction is a variable of its function's stack.
pub fn is_variable(instruction: &Value<'_>) -> bool {
    instruction.opcode() == Opcode::LLVMAlloca
}

/// The blocks in which memory is used by an address or what is made of it. False if not all of them can be seen.
fn uses_of<'c>(address: Value<'c>, function: &FunctionBlocks<'c>, uses: &mut FixedBitSet) -> bool {
    address.users().into_iter().all(|user| {
        match user.opcode() {
            Opcode::LLVMGetElementPtr => return uses_of(user, function, uses),
            Opcode::LLVMLoad => {}
            Opcode::LLVMStore if user.operand(0) != address => {}
            // LLVM's own functions keep no address.
            Opcode::LLVMCall if user.called_name().starts_with("llvm.") => {}
            _ => return false,
        }
        uses.insert(function.index[&user.parent()]);
        true
    })
}
