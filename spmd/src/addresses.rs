//! Addresses of gathers and scatters as one base and 32 narrow indices, next to the access.
//!
//! Input: vector code after its last optimisation. Output: the same code; where the addresses of an access are
//! uniform terms and one sign-extended 32-bit index, they are written as such.
//! Why here: x86 gathers with 32-bit indices take half the instructions of those with 64-bit ones, and LLVM makes
//! them only of this form, in the block of the access, out of which its passes have moved what they could.

use llvm_zluda::{Builder, Module, Opcode, Type, Value};

use rustc_hash::FxHashSet;

use crate::Options;
use crate::emit::LANES;
use crate::strips::repeated;

/// Sums with more levels than this are not looked into.
const DEEPEST: u32 = 6;
/// x86 multiplies indices by up to 8.
const GREATEST_SHIFT: u64 = 3;

/// Rewrites the addresses of a module's gathers and scatters.
pub fn narrow(module: &Module<'_>, options: &Options) {
    if !options.gathers(4) {
        return;
    }
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMCall
                    && let Some(argument) = address_argument(instruction)
                {
                    rewrite(module, instruction, argument);
                }
            }
        }
    }
}

fn address_argument(call: Value<'_>) -> Option<u32> {
    if !call.callee().is_function() {
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

fn rewrite<'c>(module: &Module<'c>, access: Value<'c>, argument: u32) {
    let b = module.context().builder();
    b.position_before(access);
    let old = access.operand(argument);
    let mut sum = Sum { b: &b, base: None, terms: Vec::new(), index: None };
    if !old.is_instruction() || sum.pointers(old, 0).is_none() {
        return;
    }
    let Sum { base, terms, index: Some(index), .. } = sum else { return };
    if is_as_wanted(access, old) {
        return;
    }
    let cx = module.context();
    let total = terms.into_iter().reduce(|total, term| b.add(total, term));
    let base = match (base, total) {
        (Some(base), Some(total)) => b.byte_offset(base, total),
        (Some(base), None) => base,
        (None, Some(total)) => b.int_to_ptr(total, cx.ptr(0)),
        (None, None) => return,
    };
    let wide = cx.i64().vector(LANES);
    let indices = match index.extended {
        None => index.lanes,
        Some(signed) => {
            let words = cx.i32().vector(LANES);
            let narrow = index.lanes;
            let word = match (narrow.ty() == words, signed) {
                (true, _) => narrow,
                (false, true) => b.sext(narrow, words),
                (false, false) => b.zext(narrow, words),
            };
            b.sext(word, wide)
        }
    };
    let new = b.gep(cx.int(8 << index.shift), base, &[indices]);
    access.set_operand(argument, new);
    erase_unused(old);
}

/// What the lanes of an address have apart.
struct Index<'c> {
    lanes: Value<'c>,
    /// How they become 64 bits wide, signed or not; none for constants that are.
    extended: Option<bool>,
    shift: u32,
}

struct Sum<'b, 'c> {
    b: &'b Builder<'c>,
    base: Option<Value<'c>>,
    /// Uniform 64-bit integers.
    terms: Vec<Value<'c>>,
    index: Option<Index<'c>>,
}

impl<'c> Sum<'_, 'c> {
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
            self.terms.push(value);
            return Some(());
        }
        if value.is_constant() {
            match self.constant(value) {
                Some(element) => self.terms.push(element),
                None => {
                    let index = Index { lanes: value, extended: None, shift: 0 };
                    return self.index.replace(index).is_none().then_some(());
                }
            }
            return Some(());
        }
        if let Some(scalar) = repeated(value) {
            self.terms.push(scalar);
            return Some(());
        }
        if !value.is_instruction() {
            return None;
        }
        match value.opcode() {
            Opcode::LLVMAdd => self.both(value, depth),
            Opcode::LLVMOr if value.is_disjoint() => self.both(value, depth),
            Opcode::LLVMShl => {
                let shift = self.constant(value.operand(1))?.as_const_int()?;
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
        if !(bits == 8 || bits == 16 || bits == 32 && (signed || value.has_nneg())) {
            return None;
        }
        let index = Index { lanes, extended: Some(signed), shift: shift as u32 };
        self.index.replace(index).is_none().then_some(())
    }

    /// The element that a constant vector repeats.
    fn constant(&self, value: Value<'c>) -> Option<Value<'c>> {
        if !value.is_constant() || value.is_undef_or_poison() {
            return None;
        }
        let first = self.b.extract_element(value, self.b.context().i32().zero());
        (first.is_constant() && self.b.splat(first, LANES) == value).then_some(first)
    }
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
fn erase_unused(value: Value<'_>) {
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

fn is_address_arithmetic(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMGetElementPtr
            | LLVMIntToPtr
            | LLVMAdd
            | LLVMOr
            | LLVMShl
            | LLVMSExt
            | LLVMZExt
            | LLVMShuffleVector
            | LLVMInsertElement
    )
}
