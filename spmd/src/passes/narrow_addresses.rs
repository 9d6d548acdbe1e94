//! Addresses of gathers and scatters as one base and 32 narrow indices, next to the access.
//!
//! Input: vector code after its last optimisation. Output: the same code; where the addresses of an access are
//! uniform terms and one extended 32-bit index, or in stack variables an index and constant steps, they are written
//! as such.
//! Why here: x86 gathers with 32-bit indices take half the instructions of those with 64-bit ones, and LLVM makes
//! them only of this form, in the block of the access, out of which its passes have moved what they could.

use llvm_zluda::{Builder, Module, Opcode, Type, Value};

use rustc_hash::{FxHashMap, FxHashSet};

use super::strip_mine_arithmetic::{repeated, repeated_constant};
use crate::Options;
use crate::emit::{LANES, MIDDLE};
use crate::runtime_helpers::is_of_pointers;

/// Sums with more levels than this are not looked into.
const DEEPEST: u32 = 6;
/// x86 multiplies indices by up to 8.
const GREATEST_SHIFT: u64 = 3;

/// Rewrites the addresses of a module's gathers and scatters.
pub fn run(module: &Module<'_>, options: &Options) {
    if !options.gathers(4) {
        return;
    }
    for function in module.functions() {
        let mut offsets = Offsets::default();
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMCall
                    && let Some(argument) = places_argument(instruction)
                {
                    rewrite(module, &mut offsets, instruction, argument);
                }
            }
        }
    }
}

/// The index of the argument of a gather or scatter that holds the addresses; none for other instructions.
pub(crate) fn address_argument(call: Value<'_>) -> Option<u32> {
    if call.opcode() != Opcode::LLVMCall || !call.callee().is_function() {
        return None;
    }
    let name = call.called_name();
    if name.starts_with("llvm.masked.gather.") {
        Some(0)
    } else if name.starts_with("llvm.masked.scatter.") {
        Some(1)
    } else {
        None
    }
}

/// As [`address_argument`], of functions of ours for what the processor does not gather and scatter too. The argument behind
/// it says which lanes are active.
pub(crate) fn places_argument(call: Value<'_>) -> Option<u32> {
    address_argument(call).or_else(|| {
        if call.opcode() != Opcode::LLVMCall || !call.callee().is_function() {
            return None;
        }
        let name = call.called_name();
        if is_of_pointers("spmd.gather.", &name) {
            Some(0)
        } else if is_of_pointers("spmd.scatter.", &name) {
            Some(1)
        } else {
            None
        }
    })
}

/// Offsets in stack variables, by index, sign, scale and steps.
type Offsets<'c> = FxHashMap<(Value<'c>, bool, u32, Value<'c>), Value<'c>>;

fn rewrite<'c>(module: &Module<'c>, offsets: &mut Offsets<'c>, access: Value<'c>, argument: u32) {
    let b = module.context().builder();
    b.position_before(access);
    let old = access.operand(argument);
    let mut sum = Sum { base: None, terms: Vec::new(), steps: None, index: None };
    if !old.is_instruction() || sum.pointers(old, 0).is_none() || is_as_wanted(access, old) {
        return;
    }
    let is_local = sum.is_local();
    let Sum { base, mut terms, steps, index, .. } = sum;
    let cx = module.context();
    let wide = cx.i64().vector(LANES);
    let words = cx.i32().vector(LANES);
    let (indices, shift) = match (steps, index) {
        (None, None) => return,
        (Some(steps), None) => (steps, 0),
        (None, Some(index)) => {
            let mut word = index.words(&b, words);
            if index.is_unsigned_word(words) {
                // Indices from the middle of their range on have a sign.
                word = b.xor(word, b.splat(cx.i32().const_int(MIDDLE), LANES));
                terms.push(cx.i64().const_int(MIDDLE << index.shift));
            }
            (b.sext(word, wide), index.shift)
        }
        // Small numbers, whose sums have 32 bits too.
        (Some(steps), Some(index)) if index.is_small(words) && are_small(&b, steps) => {
            let shift = b.splat(cx.i32().const_int(index.shift.into()), LANES);
            let scaled = b.shl(index.words(&b, words), shift);
            (b.sext(b.add(scaled, b.trunc(steps, words)), wide), 0)
        }
        // What lies in one stack variable is less than 32 bits apart, so that sums of 32 bits are exact, but for
        // terms that lead away from it and back: those belong to them.
        (Some(steps), Some(index)) if is_local => {
            let key = (index.lanes, index.signed, index.shift, steps);
            let mut word = *offsets.entry(key).or_insert_with(|| {
                // Accesses in other blocks use it too.
                let b = cx.builder();
                position_after(&b, index.lanes, access.parent().function());
                let shift = b.splat(cx.i32().const_int(index.shift.into()), LANES);
                let scaled = b.shl(index.words(&b, words), shift);
                b.add(scaled, b.trunc(steps, words))
            });
            let (near, far) =
                terms.into_iter().partition(|&term| is_alloca_address(term) || is_small(term));
            terms = near;
            for term in far {
                word = b.add(word, b.splat(b.trunc(term, cx.i32()), LANES));
            }
            (b.sext(word, wide), 0)
        }
        (Some(_), Some(_)) => return,
    };
    let total = terms.into_iter().reduce(|total, term| b.add(total, term));
    let base = match (base, total) {
        (Some(base), Some(total)) => b.byte_offset(base, total),
        (Some(base), None) => base,
        (None, Some(total)) => b.int_to_ptr(total, cx.ptr(0)),
        (None, None) => return,
    };
    let new = b.gep(cx.int(8 << shift), base, &[indices]);
    access.set_operand(argument, new);
    erase_unused(old);
}

/// Moves the builder behind `value`, and behind the phis of its block; to the function's beginning for a value that is
/// no instruction.
pub(crate) fn position_after<'c>(b: &Builder<'c>, value: Value<'c>, function: Value<'c>) {
    if !value.is_instruction() {
        return b.position_at_start(function.entry_block());
    }
    let block = value.parent();
    let is_phi = |next: &Value<'c>| next.opcode() == Opcode::LLVMPHI;
    let mut later = block.instructions().into_iter().skip_while(|&next| next != value).skip(1);
    match later.find(|next| !is_phi(next)) {
        Some(next) => b.position_before(next),
        None => b.position_at_end(block),
    }
}

/// The part of an address that differs between lanes.
struct Index<'c> {
    lanes: Value<'c>,
    /// They are sign-extended to 64 bits.
    signed: bool,
    shift: u32,
}

impl<'c> Index<'c> {
    fn words(&self, b: &Builder<'c>, words: Type<'c>) -> Value<'c> {
        match (self.lanes.ty() == words, self.signed) {
            (true, _) => self.lanes,
            (false, true) => b.sext(self.lanes, words),
            (false, false) => b.zext(self.lanes, words),
        }
    }

    /// Whether it is no negative number, and far from 32 bits when scaled.
    fn is_small(&self, words: Type<'c>) -> bool {
        (!self.signed || self.lanes.ty() == words) && greatest(self.lanes, 0) < SMALL >> self.shift
    }

    fn is_unsigned_word(&self, words: Type<'c>) -> bool {
        !self.signed && self.lanes.ty() == words
    }
}

struct Sum<'c> {
    base: Option<Value<'c>>,
    /// Uniform 64-bit integers.
    terms: Vec<Value<'c>>,
    /// Constant 64-bit offsets of the lanes.
    steps: Option<Value<'c>>,
    index: Option<Index<'c>>,
}

impl<'c> Sum<'c> {
    /// Adds a vector of pointers. None where it has no such form.
    fn pointers(&mut self, value: Value<'c>, depth: u32) -> Option<()> {
        if depth > DEEPEST || !value.is_instruction() {
            return None;
        }
        match value.opcode() {
            Opcode::LLVMIntToPtr => self.integers(value.operand(0), depth + 1),
            Opcode::LLVMGetElementPtr if value.operand_count() == 2 => {
                let (base, index) = (value.operand(0), value.operand(1));
                let size = size(value.gep_source_type())?;
                if base.ty().is_vector() {
                    self.pointers(base, depth + 1)?;
                } else if self.base.replace(base).is_some() {
                    return None;
                }
                if size == 1 {
                    return self.integers(index, depth + 1);
                }
                self.index(index, u64::from(size.trailing_zeros()))
            }
            _ => None,
        }
    }

    fn integers(&mut self, value: Value<'c>, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        if !value.ty().is_vector() {
            if has_alloca(value, depth) && !is_alloca_address(value) {
                return self.both(value, depth);
            }
            self.terms.push(value);
            return Some(());
        }
        if value.is_constant() {
            match repeated_constant(value) {
                Some(element) => self.terms.push(element),
                None => return self.steps.replace(value).is_none().then_some(()),
            }
            return Some(());
        }
        if let Some(scalar) = repeated(value) {
            return self.integers(scalar, depth + 1);
        }
        if !value.is_instruction() {
            return None;
        }
        match value.opcode() {
            Opcode::LLVMAdd => self.both(value, depth),
            Opcode::LLVMOr if value.is_disjoint() => self.both(value, depth),
            Opcode::LLVMShl => {
                let shift = repeated_constant(value.operand(1))?.as_const_int()?;
                self.index(value.operand(0), shift)
            }
            _ => self.index(value, 0),
        }
    }

    fn both(&mut self, sum: Value<'c>, depth: u32) -> Option<()> {
        self.integers(sum.operand(0), depth + 1)?;
        self.integers(sum.operand(1), depth + 1)
    }

    /// Takes an extension of at most 32 bits for the index.
    fn index(&mut self, value: Value<'c>, shift: u64) -> Option<()> {
        if shift > GREATEST_SHIFT || !value.is_instruction() || !value.ty().is_vector() {
            return None;
        }
        let signed = match value.opcode() {
            Opcode::LLVMSExt => true,
            Opcode::LLVMZExt => false,
            _ => return None,
        };
        let lanes = value.operand(0);
        let bits = lanes.ty().element().bits();
        if !matches!(bits, 8 | 16 | 32) {
            return None;
        }
        let signed = signed || value.has_nneg();
        let index = Index { lanes, signed, shift: shift as u32 };
        self.index.replace(index).is_none().then_some(())
    }

    /// Whether the sum is an address of a stack variable.
    fn is_local(&self) -> bool {
        self.base.is_some_and(is_alloca) || self.terms.iter().copied().any(is_alloca_address)
    }
}

fn is_alloca(value: Value<'_>) -> bool {
    value.is_instruction() && value.opcode() == Opcode::LLVMAlloca
}

/// The address of a stack variable, or of a constant offset in it.
fn is_alloca_address(term: Value<'_>) -> bool {
    if !term.is_instruction() {
        return false;
    }
    match term.opcode() {
        Opcode::LLVMPtrToInt => is_alloca(term.operand(0)),
        Opcode::LLVMAdd => is_alloca_address(term.operand(0)) && is_small(term.operand(1)),
        Opcode::LLVMOr if term.is_disjoint() => {
            is_alloca_address(term.operand(0)) && is_small(term.operand(1))
        }
        _ => false,
    }
}

/// A sum that the address of a stack variable is part of.
fn has_alloca(term: Value<'_>, depth: u32) -> bool {
    if depth > DEEPEST || !term.is_instruction() {
        return false;
    }
    match term.opcode() {
        Opcode::LLVMPtrToInt => is_alloca(term.operand(0)),
        Opcode::LLVMAdd | Opcode::LLVMOr => {
            (term.opcode() == Opcode::LLVMAdd || term.is_disjoint())
                && term.operands().into_iter().any(|operand| has_alloca(operand, depth + 1))
        }
        _ => false,
    }
}

const SMALL: u64 = 1 << 30;

/// No element of a vector is greater, as an unsigned number.
fn greatest(value: Value<'_>, depth: u32) -> u64 {
    let bits = value.ty().element().bits();
    let any = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
    if depth > DEEPEST || !value.is_instruction() {
        return any;
    }
    let of = |index| greatest(value.operand(index), depth + 1);
    let constant = || repeated_constant(value.operand(1))?.as_const_int();
    match value.opcode() {
        Opcode::LLVMAnd => constant().unwrap_or(any).min(of(0)),
        Opcode::LLVMLShr => constant().map_or(any, |by| of(0) >> by.min(63)),
        Opcode::LLVMShl => match constant().filter(|&by| by < 32).map(|by| (by, of(0))) {
            Some((by, left)) if left << by <= any && left < 1 << 32 => left << by,
            _ => any,
        },
        Opcode::LLVMOr | Opcode::LLVMXor => {
            let right = constant().unwrap_or_else(|| of(1));
            let highest = 64 - (of(0) | right).leading_zeros();
            if highest < bits { (1 << highest) - 1 } else { any }
        }
        Opcode::LLVMZExt => of(0),
        _ => any,
    }
}

/// All elements of a constant vector are numbers from 0 on that are far from 32 bits.
fn are_small<'c>(b: &Builder<'c>, steps: Value<'c>) -> bool {
    (0..LANES).all(|lane| {
        let step = b.extract_element(steps, b.context().i32().const_int(lane.into()));
        step.as_const_int().is_some_and(|step| step < SMALL)
    })
}

/// A number that is far from 32 bits.
fn is_small(term: Value<'_>) -> bool {
    const FAR: u64 = 1 << 30;
    term.as_const_int().is_some_and(|number| (number as i64).unsigned_abs() < FAR)
}

/// Bytes of the types that LLVM's passes scale indices by.
fn size(ty: Type<'_>) -> Option<u32> {
    let bits = if ty.is_int() || ty.is_float() { ty.bits() } else { return None };
    (bits >= 8 && bits.is_power_of_two()).then_some(bits / 8)
}

/// The addresses are a base and indices that are constant or were extended in the block of the access.
fn is_as_wanted(access: Value<'_>, address: Value<'_>) -> bool {
    let here = |value: Value<'_>| value.parent() == access.parent();
    address.opcode() == Opcode::LLVMGetElementPtr
        && here(address)
        && !address.operand(0).ty().is_vector()
        && match address.operand(1) {
            index if index.is_constant() => true,
            index => index.is_instruction() && index.opcode() == Opcode::LLVMSExt && here(index),
        }
}

/// Deletes what only the old addresses were made of.
pub(crate) fn erase_unused(value: Value<'_>) {
    let mut left = vec![value];
    // What several operands lead to is not looked at once it is gone.
    let mut gone = FxHashSet::default();
    while let Some(value) = left.pop() {
        if gone.contains(&value)
            || !value.is_instruction()
            || value.has_uses()
            || !is_address_arithmetic(value.opcode())
        {
            continue;
        }
        left.extend(value.operands());
        gone.insert(value);
        value.erase();
    }
}

pub(crate) fn is_address_arithmetic(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMGetElementPtr
            | LLVMIntToPtr
            | LLVMAdd
            | LLVMAnd
            | LLVMOr
            | LLVMShl
            | LLVMXor
            | LLVMSExt
            | LLVMZExt
            | LLVMShuffleVector
            | LLVMInsertElement
    )
}
