//! Gathers and scatters that look first whether all lanes' places lie side by side.
//!
//! Input: vector code after its last optimisation, with narrow addresses. Output: the same code; where indices are made of
//! lane numbers by arithmetic alone, as in `(x + 1) & mask` and behind loops that lanes leave at different times, a masked
//! load or store takes the place of the access if a row of memory is what it wants.
//! Why here: it is later that addresses are one base and 32 indices, half of which the comparison would have to make
//! otherwise, and the blocks that it makes would be in the way of the passes before.

mod together;

use llvm_zluda::{Block, Builder, IntPredicate, Module, Opcode, Type, Value};
use rustc_hash::FxHashMap;

use super::narrow_addresses::{erase_unused, is_address_arithmetic, places_argument};
use super::strip_mine_arithmetic::{repeated, repeated_constant};
use crate::Options;
use crate::emit::LANES;
use crate::emit::row_reads::may_read;

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
                    .is_some_and(|it| it.has_rows(options) && it.may_be_row(&b))
            })
            .collect();
        if calls.len() <= MOST {
            together::put_together(module, &b, &calls);
            // What one loads another may store.
            for access in calls.into_iter().filter_map(|call| Access::of(module, call)) {
                access.split(module, options);
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

    /// A row is faster than the access, whichever lanes are active: the processor masks rows of such elements, or all lanes are.
    fn has_rows(&self, options: &Options) -> bool {
        options.masks_rows_of(self.size) || self.is_whole()
    }

    fn is_whole(&self) -> bool {
        match self.active {
            Active::Mask(mask) => mask.repeated_element().and_then(Value::as_const_int) == Some(1),
            Active::Bits(bits) => bits.as_const_signed() == Some(-1),
        }
    }

    /// The indices come from lane numbers, by arithmetic that may leave them side by side. What is constant has been looked
    /// at before.
    fn may_be_row(&self, b: &Builder<'c>) -> bool {
        let step = Kind::Steps((self.size / self.unit) as i64);
        !self.indices.is_constant()
            && kind(b, self.indices, 0, &mut FxHashMap::default()) == Some(step)
    }

    /// Lower indices before higher ones.
    fn order(&self) -> IntPredicate {
        if self.signed { IntPredicate::LLVMIntSLE } else { IntPredicate::LLVMIntULE }
    }

    /// No index of a row that begins so wraps.
    fn grows(&self, b: &Builder<'c>, first: Value<'c>) -> Value<'c> {
        let last = first.ty().const_int(u64::from(LANES - 1) * self.size / self.unit);
        b.icmp(self.order(), first, b.add(first, last))
    }

    /// Puts a branch in the place of the call.
    fn split(&self, module: &Module<'c>, options: &Options) {
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
        let is_whole = self.is_whole();
        let number = self.indices.ty().element();
        let saw = Saw::of(&b, self.indices).filter(|_| self.size == self.unit);
        let tooth = saw.map(|saw| saw.tooth(&b));
        let (first, side_by_side) = match &tooth {
            Some(tooth) => (tooth.first, tooth.fits(&b)),
            None => self.compare(module, &b, mask, bits, is_whole),
        };
        // Numbers that wrap are far apart.
        let grows = self.grows(&b, first);
        b.cond_br(b.and(side_by_side, grows), row, apart);

        b.position_at_end(row);
        let place = self.place(&b, self.longer(&b, first));
        let mut loaded = vec![(self.access_row(module, &b, place, mask, is_whole), row)];
        b.br(done);

        b.position_at_end(apart);
        self.call.detach();
        if let Some(tooth) = &tooth
            && (options.masks_rows_of(self.size) || self.stored.is_none())
        {
            let [rows, apart] =
                ["two.rows", "apart"].map(|name| module.append_block(function, name));
            // No sum wraps.
            let end = b.add(tooth.terms, tooth.greatest);
            let steady = b.icmp(self.order(), tooth.terms, end);
            let masked = options.masks_rows_of(self.size);
            let indices = if masked {
                let before = self.longer(&b, first);
                let length = b.add(self.longer(&b, tooth.greatest), cx.i64().const_int(1));
                [before, b.sub(before, length)]
            } else {
                let back = number.const_int(u64::from(LANES) - 1);
                [b.sub(end, back), tooth.terms].map(|index| self.longer(&b, index))
            };
            let places = indices.map(|index| self.place(&b, index));
            let are_rows = if masked {
                steady
            } else {
                let [one, other] = places.map(|place| may_read(&b, place, self.size, None));
                b.and(steady, b.and(one, other))
            };
            b.cond_br(are_rows, rows, apart);
            b.position_at_end(rows);
            let value = if masked {
                self.access_two_rows(module, &b, places, mask, tooth.lanes_before_fall(&b))
            } else {
                Some(self.load_around(module, &b, places, tooth))
            };
            loaded.push((value, rows));
            b.br(done);
            b.position_at_end(apart);
        }
        let apart = b.block();
        if tooth.is_some() {
            // Rows do without the vectors.
            let places = self.call.operand(self.argument);
            let again = made_again(&b, places, 0, &mut FxHashMap::default());
            self.call.set_operand(self.argument, again);
            erase_unused(places);
        }
        b.insert(self.call);
        self.call.set_cold(cx);
        b.br(done);
        if self.stored.is_none() {
            b.position_at_start(done);
            let value = b.phi(self.call.ty());
            self.call.replace_all_uses_with(value);
            loaded.push((Some(self.call), apart));
            let incoming: Vec<_> =
                loaded.into_iter().filter_map(|(value, block)| Some((value?, block))).collect();
            value.add_incoming(&incoming);
        }
    }

    /// An index as a number of 64 bits.
    fn longer(&self, b: &Builder<'c>, index: Value<'c>) -> Value<'c> {
        match self.signed {
            true => b.sext_or_trunc(index, b.context().i64()),
            false => b.zext_or_trunc(index, b.context().i64()),
        }
    }

    fn place(&self, b: &Builder<'c>, index: Value<'c>) -> Value<'c> {
        b.byte_offset(self.base, b.mul(index, b.context().i64().const_int(self.unit)))
    }

    /// The lanes that are `ahead` in one row and the others in the other.
    fn access_two_rows(
        &self,
        module: &Module<'c>,
        b: &Builder<'c>,
        places: [Value<'c>; 2],
        mask: Value<'c>,
        ahead: Value<'c>,
    ) -> Option<Value<'c>> {
        let masks = [b.and(mask, ahead), b.and(mask, b.not(ahead))];
        let [one, other] =
            [0, 1].map(|row| self.access_row(module, b, places[row], masks[row], false));
        Some(b.select(ahead, one?, other?))
    }

    /// What all lanes load, from the last 32 elements before a fall and the 32 that it leads to. Both have elements that
    /// lanes want, so that they can be read where each lies in one page. They are put side by side in memory, and read
    /// from where lane 0's is.
    fn load_around(
        &self,
        module: &Module<'c>,
        b: &Builder<'c>,
        places: [Value<'c>; 2],
        tooth: &Tooth<'c>,
    ) -> Value<'c> {
        let cx = module.context();
        let row = self.call.ty();
        let slots = cx.builder();
        slots.position_at_start(b.block().function().entry_block());
        let both = slots.alloca(row.array(2));
        let align = module.align_of(self.element);
        let second = b.byte_offset(both, cx.i64().const_int(u64::from(LANES) * self.size));
        for (from, to) in places.into_iter().zip([both, second]) {
            b.store(b.load(row, from, align), to, align);
        }
        let back = tooth.low.ty().const_int(u64::from(LANES) - 1);
        let skipped = b.sub(tooth.low, b.sub(tooth.greatest, back));
        let skipped = b.mul(b.zext_or_trunc(skipped, cx.i64()), cx.i64().const_int(self.size));
        b.load(row, b.byte_offset(both, skipped), align)
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
    /// Some sum has a carry, and so may wrap.
    carries: bool,
}

impl<'c> Saw<'c> {
    fn of(b: &Builder<'c>, mut value: Value<'c>) -> Option<Self> {
        let (mut terms, mut carries) = (Vec::new(), false);
        loop {
            if !value.is_instruction() {
                return None;
            }
            let adds = is_sum(value);
            carries |= value.opcode() == Opcode::LLVMAdd;
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
                    return Some(Self { x, start, mask, terms, carries });
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

    /// Where the warp is.
    fn tooth(&self, b: &Builder<'c>) -> Tooth<'c> {
        let low = b.and(b.add(b.freeze(self.x), self.start), self.mask);
        let terms: Vec<_> = self.terms.iter().map(|&term| b.freeze(term)).collect();
        let sum = |first, rest: &[Value<'c>]| rest.iter().fold(first, |sum, &it| b.add(sum, it));
        let first = sum(low, &terms);
        let terms = match terms.split_first() {
            Some((&first, rest)) => sum(first, rest),
            None => low.ty().zero(),
        };
        Tooth { low, greatest: self.mask, first, terms }
    }
}

/// A warp's part of a [`Saw`], which falls at most once in it: from its greatest value to what all lanes add.
struct Tooth<'c> {
    /// Of lane 0, without the terms.
    low: Value<'c>,
    greatest: Value<'c>,
    /// The index of lane 0.
    first: Value<'c>,
    /// The sum of what all lanes add.
    terms: Value<'c>,
}

impl<'c> Tooth<'c> {
    /// The lanes follow lane 0 without a fall.
    fn fits(&self, b: &Builder<'c>) -> Value<'c> {
        let greatest = self.greatest.as_const_int().unwrap_or_default();
        let highest = self.low.ty().const_int(greatest - (u64::from(LANES) - 1));
        b.icmp(IntPredicate::LLVMIntULE, self.low, highest)
    }

    /// The mask of those, where there is a fall.
    fn lanes_before_fall(&self, b: &Builder<'c>) -> Value<'c> {
        let byte = b.context().int(8);
        let last = b.splat(b.zext_or_trunc(b.sub(self.greatest, self.low), byte), LANES);
        let lanes: Vec<_> = (0..u64::from(LANES)).map(|lane| byte.const_int(lane)).collect();
        b.icmp(IntPredicate::LLVMIntULE, b.const_vector(&lanes), last)
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
pub(super) fn split_before<'c>(module: &Module<'c>, at: Value<'c>) -> (Block<'c>, Block<'c>) {
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
