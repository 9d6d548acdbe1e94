//! Gathers and scatters that look first whether all lanes' places lie side by side.
//!
//! Input: vector code after its last optimisation, with narrow addresses. Output: the same code; where indices are made of
//! lane numbers by arithmetic alone, as in `(x + 1) & mask` and behind loops that lanes leave at different times, a masked
//! load or store takes the place of the access if a row of memory is what it wants.
//! Why here: it is later that addresses are one base and 32 indices, half of which the comparison would have to make
//! otherwise, and the blocks that it makes would be in the way of the passes before.

use llvm_zluda::{Block, Builder, IntPredicate, Module, Opcode, Type, Value};
use rustc_hash::FxHashMap;

use super::narrow_addresses::{erase_unused, is_address_arithmetic, places_argument};
use super::strip_mine_arithmetic::{repeated, repeated_constant};
use crate::Options;
use crate::emit::LANES;

/// Indices with more operations in a row than this are not looked into.
const DEEPEST: u32 = 12;
/// A function with more accesses than this would grow too much.
const MOST: usize = 24;

/// Adds the comparisons.
pub fn run(module: &Module<'_>, options: &Options) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let b = module.context().builder();
        let calls: Vec<_> = instructions
            .filter(|&instruction| {
                Access::of(module, instruction)
                    .is_some_and(|it| options.masks_rows_of(it.size) && it.may_be_row(&b))
            })
            .collect();
        if calls.len() <= MOST {
            // What one loads another may store.
            for access in calls.into_iter().filter_map(|call| Access::of(module, call)) {
                access.split(module);
            }
        }
    }
}

/// An access of 32 lanes to memory.
struct Access<'c> {
    call: Value<'c>,
    /// The argument that holds the places.
    argument: u32,
    /// What a scatter stores.
    stored: Option<Value<'c>>,
    element: Type<'c>,
    size: u64,
    base: Value<'c>,
    /// The places, counted from the base, and bytes of a unit.
    indices: Value<'c>,
    unit: u64,
    /// Numbers of 32 bits with a sign.
    signed: bool,
    active: Active<'c>,
}

/// The active lanes.
enum Active<'c> {
    Mask(Value<'c>),
    Bits(Value<'c>),
}

impl<'c> Access<'c> {
    fn of(module: &Module<'c>, call: Value<'c>) -> Option<Self> {
        let argument = places_argument(call)?;
        let arguments = call.arguments();
        let stored = (argument == 1).then(|| arguments[0]);
        let element = stored.unwrap_or(call).ty().element();
        let [places, active] = [0, 1].map(|index| arguments[argument as usize + index]);
        let active =
            if active.ty().is_vector() { Active::Mask(active) } else { Active::Bits(active) };
        let wide = places.is_instruction()
            && places.opcode() == Opcode::LLVMGetElementPtr
            && places.operand_count() == 2
            && places.ty().len() == u64::from(LANES);
        if !wide || element.is_pointer() {
            return None;
        }
        let (base, wide) = (places.operand(0), places.operand(1));
        let base = if base.ty().is_vector() { repeated(base)? } else { base };
        let unit = module.size_of(places.gep_source_type());
        let size = module.size_of(element);
        if !wide.ty().is_vector() || unit == 0 || !size.is_multiple_of(unit) {
            return None;
        }
        let extension = wide.is_instruction().then(|| wide.opcode());
        let (indices, signed) = match extension {
            Some(Opcode::LLVMSExt) if is_word(wide.operand(0)) => (wide.operand(0), true),
            Some(Opcode::LLVMZExt) if is_word(wide.operand(0)) => (wide.operand(0), false),
            _ => (wide, true),
        };
        Some(Self { call, argument, stored, element, size, base, indices, unit, signed, active })
    }

    /// The indices come from lane numbers, by arithmetic that may leave them side by side. What is constant has been looked
    /// at before.
    fn may_be_row(&self, b: &Builder<'c>) -> bool {
        let step = Kind::Steps((self.size / self.unit) as i64);
        !self.indices.is_constant()
            && kind(b, self.indices, 0, &mut FxHashMap::default()) == Some(step)
    }

    /// Puts a branch in the place of the call.
    fn split(&self, module: &Module<'c>) {
        let cx = module.context();
        let function = self.call.parent().function();
        let (before, done) = split_before(module, self.call);
        let [row, apart] = ["row", "apart"].map(|name| module.append_block(function, name));
        let b = cx.builder();
        b.position_at_end(before);
        let (mask, bits) = match self.active {
            Active::Mask(mask) => (mask, None),
            Active::Bits(bits) => (b.bitcast(bits, cx.i1().vector(LANES)), Some(bits)),
        };
        let is_whole = match self.active {
            Active::Mask(mask) => mask.repeated_element().and_then(Value::as_const_int) == Some(1),
            Active::Bits(bits) => bits.as_const_signed() == Some(-1),
        };
        let number = self.indices.ty().element();
        let saw = Saw::of(&b, self.indices).filter(|_| self.size == self.unit);
        let (first, side_by_side) = match &saw {
            Some(saw) => saw.first(&b),
            None => self.compare(module, &b, mask, bits, is_whole),
        };
        // Numbers that wrap are far apart.
        let last = number.const_int(u64::from(LANES - 1) * self.size / self.unit);
        let order = if self.signed { IntPredicate::LLVMIntSLE } else { IntPredicate::LLVMIntULE };
        let grows = b.icmp(order, first, b.add(first, last));
        b.cond_br(b.and(side_by_side, grows), row, apart);

        b.position_at_end(row);
        let offset = match self.signed {
            true => b.sext_or_trunc(first, cx.i64()),
            false => b.zext_or_trunc(first, cx.i64()),
        };
        let place = b.byte_offset(self.base, b.mul(offset, cx.i64().const_int(self.unit)));
        let loaded = self.access_row(module, &b, place, mask, is_whole);
        b.br(done);

        b.position_at_end(apart);
        self.call.detach();
        if saw.is_some() {
            // Rows do without the vectors.
            let places = self.call.operand(self.argument);
            let again = made_again(&b, places, 0, &mut FxHashMap::default());
            self.call.set_operand(self.argument, again);
            erase_unused(places);
        }
        b.insert(self.call);
        self.call.set_cold(cx);
        b.br(done);
        if let Some(loaded) = loaded {
            b.position_at_start(done);
            let value = b.phi(self.call.ty());
            self.call.replace_all_uses_with(value);
            value.add_incoming(&[(loaded, row), (self.call, apart)]);
        }
    }

    /// The index that lane 0 has in a row, and whether the active lanes are in that row.
    fn compare(
        &self,
        module: &Module<'c>,
        b: &Builder<'c>,
        mask: Value<'c>,
        bits: Option<Value<'c>>,
        is_whole: bool,
    ) -> (Value<'c>, Value<'c>) {
        let cx = module.context();
        let number = self.indices.ty().element();
        let steps: Vec<_> = (0..u64::from(LANES))
            .map(|lane| number.const_int(lane * self.size / self.unit))
            .collect();
        // Lanes that are not active may be poison.
        let indices = b.freeze(self.indices);
        let first = if is_whole {
            b.extract_element(indices, cx.i32().const_int(0))
        } else {
            let bits = bits.unwrap_or_else(|| b.bitcast(mask, cx.i32()));
            let lane = b.intrinsic(module, "llvm.cttz", &[cx.i32()], &[bits, cx.i1().zero()]);
            let lane = b.and(lane, cx.i32().const_int(u64::from(LANES) - 1));
            let step = number.const_int(self.size / self.unit);
            let before = b.mul(b.zext_or_trunc(lane, number), step);
            b.sub(b.extract_element(indices, lane), before)
        };
        let wanted = b.add(b.splat(first, LANES), b.const_vector(&steps));
        let same = b.icmp(IntPredicate::LLVMIntEQ, indices, wanted);
        let same = if is_whole { same } else { b.select(mask, same, same.ty().all_ones()) };
        let same = b.bitcast(same, cx.i32());
        (first, b.icmp(IntPredicate::LLVMIntEQ, same, cx.i32().all_ones()))
    }

    fn access_row(
        &self,
        module: &Module<'c>,
        b: &Builder<'c>,
        place: Value<'c>,
        mask: Value<'c>,
        is_whole: bool,
    ) -> Option<Value<'c>> {
        let cx = module.context();
        let align = module.align_of(self.element);
        let row = self.element.vector(LANES);
        match self.stored {
            None if is_whole => Some(b.load(row, place, align)),
            None => {
                let (name, types) = ("llvm.masked.load", [row, cx.ptr(0)]);
                let load = b.intrinsic(module, name, &types, &[place, mask, row.poison()]);
                load.set_argument_alignment(cx, 0, align);
                Some(load)
            }
            Some(stored) if is_whole => {
                b.store(stored, place, align);
                None
            }
            Some(stored) => {
                let (name, types) = ("llvm.masked.store", [row, cx.ptr(0)]);
                let store = b.intrinsic(module, name, &types, &[stored, place, mask]);
                store.set_argument_alignment(cx, 1, align);
                None
            }
        }
    }
}

/// Indices `((x + lane) & mask) + terms`, where the mask's lowest bits are set: whether they are a row is one comparison.
struct Saw<'c> {
    x: Value<'c>,
    /// What lane 0 adds.
    start: Value<'c>,
    mask: Value<'c>,
    terms: Vec<Value<'c>>,
}

impl<'c> Saw<'c> {
    fn of(b: &Builder<'c>, mut value: Value<'c>) -> Option<Self> {
        let mut terms = Vec::new();
        loop {
            if !value.is_instruction() {
                return None;
            }
            let adds = is_sum(value);
            if !adds && value.opcode() != Opcode::LLVMAnd {
                return None;
            }
            let (left, right) = (value.operand(0), value.operand(1));
            match (uniform(left), uniform(right)) {
                (None, Some(mask)) if !adds => {
                    let greatest = mask.as_const_int()?;
                    let fits = (u64::from(LANES) - 1..1 << 31).contains(&greatest);
                    if !fits || !(greatest + 1).is_power_of_two() {
                        return None;
                    }
                    let (x, start) = steady(b, left)?;
                    return Some(Self { x, start, mask, terms });
                }
                (None, Some(term)) if adds => {
                    terms.push(term);
                    value = left;
                }
                (Some(term), None) if adds => {
                    terms.push(term);
                    value = right;
                }
                _ => return None,
            }
        }
    }

    /// The index of lane 0, and whether the others follow it.
    fn first(&self, b: &Builder<'c>) -> (Value<'c>, Value<'c>) {
        let low = b.and(b.add(b.freeze(self.x), self.start), self.mask);
        let greatest = self.mask.as_const_int().unwrap_or_default();
        let highest = self.mask.ty().const_int(greatest - (u64::from(LANES) - 1));
        let fits = b.icmp(IntPredicate::LLVMIntULE, low, highest);
        (self.terms.iter().fold(low, |sum, &term| b.add(sum, b.freeze(term))), fits)
    }
}

/// The scalar that a vector repeats, constant or not.
fn uniform(value: Value<'_>) -> Option<Value<'_>> {
    repeated(value).or_else(|| repeated_constant(value))
}

fn is_sum(value: Value<'_>) -> bool {
    value.opcode() == Opcode::LLVMAdd || value.opcode() == Opcode::LLVMOr && value.is_disjoint()
}

/// `x + start + lane`.
fn steady<'c>(b: &Builder<'c>, value: Value<'c>) -> Option<(Value<'c>, Value<'c>)> {
    if !value.is_instruction() || !is_sum(value) {
        return None;
    }
    let (x, steps) = (uniform(value.operand(0))?, value.operand(1));
    if !steps.is_constant() || steps.is_undef_or_poison() {
        return None;
    }
    let of = |lane: u64| b.extract_element(steps, x.ty().const_int(lane));
    let start = of(0);
    let first = start.as_const_int()?;
    let follows = |lane| of(lane) == x.ty().const_int(first.wrapping_add(lane));
    (0..u64::from(LANES)).all(follows).then_some((x, start))
}

/// The address arithmetic behind a value once more, where the builder stands.
fn made_again<'c>(
    b: &Builder<'c>,
    value: Value<'c>,
    depth: u32,
    known: &mut FxHashMap<Value<'c>, Value<'c>>,
) -> Value<'c> {
    let is_made = value.is_instruction() && value.ty().is_vector();
    if !is_made || depth > DEEPEST || !is_address_arithmetic(value.opcode()) {
        return value;
    }
    if let Some(&made) = known.get(&value) {
        return made;
    }
    let operands: Vec<_> =
        value.operands().into_iter().map(|it| made_again(b, it, depth + 1, known)).collect();
    let copy = b.copy_with(value, operands);
    known.insert(value, copy);
    copy
}

fn is_word(value: Value<'_>) -> bool {
    value.ty().element().bits() == 32
}

/// Puts what stands before an instruction in its block, which is the second one of the result, into a block of its own.
/// Phis of the blocks that follow stay as they are.
fn split_before<'c>(module: &Module<'c>, at: Value<'c>) -> (Block<'c>, Block<'c>) {
    let block = at.parent();
    let function = block.function();
    let blocks = function.blocks();
    let before = module.append_block(function, "");
    let b = module.context().builder();
    b.position_at_end(before);
    for instruction in block.instructions().into_iter().take_while(|&next| next != at) {
        instruction.detach();
        b.insert(instruction);
    }
    for terminator in blocks.iter().filter_map(|block| block.terminator()) {
        for index in 0..terminator.successor_count() {
            if terminator.successor(index) == block {
                terminator.set_successor(index, before);
            }
        }
    }
    if blocks.first() == Some(&block) {
        // The function begins with it.
        let mut last = before;
        for block in blocks {
            block.move_after(last);
            last = block;
        }
    }
    (before, block)
}

/// What the lanes of a vector have in common, as far as their arithmetic tells: masks, bounds, and remainders may cut off
/// anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All.
    Uniform,
    /// From one lane to the next it is so much more.
    Steps(i64),
}

impl Kind {
    fn map(self, steps: impl Fn(i64) -> i64) -> Self {
        match self {
            Self::Uniform => Self::Uniform,
            Self::Steps(count) => Self::Steps(steps(count)),
        }
    }
}

type Known<'c> = FxHashMap<Value<'c>, Option<Kind>>;

/// None for what may be anything.
fn kind<'c>(b: &Builder<'c>, value: Value<'c>, depth: u32, known: &mut Known<'c>) -> Option<Kind> {
    if value.is_constant() {
        return of_constant(b, value);
    }
    if repeated(value).is_some() {
        return Some(Kind::Uniform);
    }
    if depth > DEEPEST || !value.is_instruction() {
        return None;
    }
    if let Some(&kind) = known.get(&value) {
        return kind;
    }
    // Until more is known of a phi, it is what its other operands are.
    known.insert(value, Some(Kind::Uniform));
    let kind = of_instruction(b, value, depth, known);
    known.insert(value, kind);
    kind
}

fn of_constant<'c>(b: &Builder<'c>, value: Value<'c>) -> Option<Kind> {
    if value.is_undef_or_poison() || repeated_constant(value).is_some() {
        return Some(Kind::Uniform);
    }
    let lane = |lane: u32| {
        b.extract_element(value, b.context().i32().const_int(lane.into())).as_const_signed()
    };
    let step = lane(1)?.wrapping_sub(lane(0)?);
    let follows = |next: u32| {
        lane(next - 1).zip(lane(next)).is_some_and(|(one, next)| next.wrapping_sub(one) == step)
    };
    (1..LANES).all(follows).then_some(Kind::Steps(step))
}

fn of_instruction<'c>(
    b: &Builder<'c>,
    value: Value<'c>,
    depth: u32,
    known: &mut Known<'c>,
) -> Option<Kind> {
    use Kind::{Steps, Uniform};
    use Opcode::*;
    let opcode = value.opcode();
    let mut of = |operand| kind(b, operand, depth + 1, known);
    match opcode {
        LLVMSExt | LLVMZExt | LLVMTrunc | LLVMFreeze => of(value.operand(0)),
        LLVMShl | LLVMMul => {
            let by = repeated_constant(value.operand(1)).and_then(Value::as_const_signed);
            match (of(value.operand(0))?, by) {
                (Uniform, _) => (of(value.operand(1))? == Uniform).then_some(Uniform),
                (kind, Some(by)) if opcode == LLVMMul => Some(kind.map(|it| it.wrapping_mul(by))),
                (kind, Some(by)) => {
                    Some(kind.map(|it| it.checked_shl(by as u32).unwrap_or_default()))
                }
                _ => None,
            }
        }
        LLVMAdd | LLVMSub => match (of(value.operand(0))?, of(value.operand(1))?) {
            (left, Uniform) => Some(left),
            (Uniform, right) if opcode == LLVMSub => Some(right.map(i64::wrapping_neg)),
            (Uniform, right) => Some(right),
            (Steps(left), Steps(right)) if opcode == LLVMAdd => {
                Some(Steps(left.wrapping_add(right)))
            }
            (Steps(left), Steps(right)) => Some(Steps(left.wrapping_sub(right))),
        },
        LLVMAnd | LLVMOr | LLVMXor | LLVMURem | LLVMSRem => {
            match (of(value.operand(0))?, of(value.operand(1))?) {
                (left, Uniform) => Some(left),
                (Uniform, right) => Some(right),
                _ => None,
            }
        }
        LLVMSelect | LLVMPHI | LLVMCall => {
            let choices = match opcode {
                LLVMSelect => value.operands().split_off(1),
                LLVMPHI => value.incoming().into_iter().map(|(value, _)| value).collect(),
                _ if is_bound(value) => value.arguments(),
                _ => return None,
            };
            let mut all = Uniform;
            for choice in choices {
                all = match (all, of(choice)?) {
                    (kind, Uniform) | (Uniform, kind) => kind,
                    (Steps(one), Steps(other)) if one == other => all,
                    _ => return None,
                };
            }
            Some(all)
        }
        _ => None,
    }
}

/// A minimum or a maximum of integers.
pub(super) fn is_bound(call: Value<'_>) -> bool {
    const BOUNDS: [&str; 4] = ["llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax."];
    call.callee().is_function() && BOUNDS.iter().any(|bound| call.called_name().starts_with(bound))
}
