//! Constants in the addresses of gathers and scatters as constant offsets of the access.
//!
//! Input: vector code after its last optimisation, with narrow addresses. Output: the same code; where all lanes add the
//! same constant, the scalar base has it, which an instruction adds for nothing.
//! Why here: parts of a vector, and neighbours in an array, have the same indices then. LLVM's passes would make one
//! vector of each index and its constant.
//!
//! Addresses in shared memory are 32 bits wide and far from both ends of that range, as the engine places it: what is less
//! than a megabyte away from one does not wrap.

use llvm_zluda::{Builder, Module, Opcode, Value};
use rustc_hash::FxHashMap;

use super::narrow_addresses::{address_argument, erase_unused, position_after};
use super::strip_mine_arithmetic::{repeated, repeated_constant};
use crate::Options;
use crate::emit::{FAR, LANES, MIDDLE};

/// Rewrites the addresses of a module's gathers and scatters.
pub fn run(module: &Module<'_>, options: &Options) {
    if !options.gathers(4) {
        return;
    }
    for function in module.functions() {
        let mut split =
            Split { module, b: module.context().builder(), indices: FxHashMap::default() };
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMCall
                    && let Some(argument) = address_argument(instruction)
                {
                    split.rewrite(instruction, argument);
                }
            }
        }
    }
}

struct Split<'m, 'c> {
    module: &'m Module<'c>,
    b: Builder<'c>,
    /// Indices from the middle of 32-bit addresses, by the addresses.
    indices: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'c> Split<'_, 'c> {
    fn rewrite(&mut self, access: Value<'c>, argument: u32) {
        let old = access.operand(argument);
        if !old.is_instruction() {
            return;
        }
        self.b.position_before(access);
        let new = match old.opcode() {
            Opcode::LLVMIntToPtr => self.of_wide(old.operand(0)),
            Opcode::LLVMGetElementPtr if old.operand_count() == 2 && is_middle(old.operand(0)) => {
                self.of_shared(access, old.operand(1))
            }
            _ => None,
        };
        if let Some(new) = new {
            access.set_operand(argument, new);
            erase_unused(old);
        }
    }

    /// A 64-bit address and a constant.
    fn of_wide(&self, address: Value<'c>) -> Option<Value<'c>> {
        let (rest, constant) = sum_with_constant(address)?;
        let offset = repeated_constant(constant)?.as_const_signed()?;
        if offset.abs() >= FAR {
            return None;
        }
        let base = self.base(offset);
        Some(self.b.byte_offset(base, rest))
    }

    /// The index of an access to shared memory, from the middle of the 32-bit addresses.
    fn of_shared(&mut self, access: Value<'c>, index: Value<'c>) -> Option<Value<'c>> {
        if !index.is_instruction() || index.opcode() != Opcode::LLVMSExt {
            return None;
        }
        let cx = self.module.context();
        let word = index.operand(0);
        if word.ty() != cx.i32().vector(LANES) {
            return None;
        }
        let (rest, constant) = sum_with_constant(word)?;
        let from_middle = |constant: Value<'c>| {
            let constant = constant.as_const_int()? as u32;
            let offset = i64::from(constant.wrapping_sub(MIDDLE as u32) as i32);
            (offset.abs() < FAR).then_some(offset)
        };
        if let Some(constant) = repeated_constant(constant) {
            let offset = from_middle(constant)?;
            let words = *self.indices.entry(rest).or_insert_with(|| {
                // Accesses in other blocks use it too.
                let b = cx.builder();
                position_after(&b, rest, access.parent().function());
                b.xor(rest, b.splat(cx.i32().const_int(MIDDLE), LANES))
            });
            let base = self.base(MIDDLE as i64 + offset);
            return Some(self.b.byte_offset(base, self.b.sext(words, index.ty())));
        }
        // Lanes that are constant steps apart: the first one's address, and the steps.
        let scalar = repeated(rest)?;
        let lane = |lane: u32| {
            from_middle(self.b.extract_element(constant, cx.i32().const_int(lane.into())))
        };
        let first = lane(0)?;
        let steps: Option<Vec<_>> = (0..LANES)
            .map(|number| Some(cx.i64().const_int((lane(number)? - first) as u64)))
            .collect();
        let base = self.b.int_to_ptr(self.b.zext(scalar, cx.i64()), cx.ptr(0));
        let base = self.b.byte_offset(base, cx.i64().const_int(first as u64));
        Some(self.b.byte_offset(base, self.b.const_vector(&steps?)))
    }

    fn base(&self, address: i64) -> Value<'c> {
        let cx = self.module.context();
        self.b.int_to_ptr(cx.i64().const_int(address as u64), cx.ptr(0))
    }
}

/// The other operand and the constant one of a sum, or of an `or` that is one.
fn sum_with_constant(sum: Value<'_>) -> Option<(Value<'_>, Value<'_>)> {
    if !sum.is_instruction() {
        return None;
    }
    let adds =
        sum.opcode() == Opcode::LLVMAdd || (sum.opcode() == Opcode::LLVMOr && sum.is_disjoint());
    let (rest, constant) = if adds { (sum.operand(0), sum.operand(1)) } else { return None };
    (constant.is_constant() && !constant.is_undef_or_poison() && !rest.is_constant())
        .then_some((rest, constant))
}

/// The address in the middle of 32-bit ones, of which indices have a sign.
fn is_middle(base: Value<'_>) -> bool {
    base.is_constant_expression()
        && base.opcode() == Opcode::LLVMIntToPtr
        && base.operand(0).as_const_int() == Some(MIDDLE)
}
