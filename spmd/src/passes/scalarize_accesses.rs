//! Accesses of one or two lanes as plain loads and stores.
//!
//! Input: vector code after its last optimisation. Output: the same code without gathers and scatters whose mask is a
//! constant with one or two lanes; addresses are computed for these lanes alone, as far as they are simple.
//! Why here: that is what the first lane of a warp does behind a reduction. x86 takes as long for one lane of a gather as for
//! all of them. Before, LLVM's passes find out which masks are constant; behind, addresses have other forms.

use llvm_zluda::{Builder, Module, Opcode, Value};

use super::narrow_addresses::address_argument;
use super::strip_mine_arithmetic::repeated;
use crate::emit::{LANES, rebuild};

/// More lanes stay together.
const MOST_LANES: usize = 2;
/// Operations behind a value that are made anew for a lane, one after the other.
const DEEPEST: u32 = 8;

/// Rewrites the accesses of a module.
pub fn run(module: &Module<'_>) {
    for function in module.functions() {
        for block in function.blocks() {
            for access in block.instructions() {
                if let Some(addresses) = address_argument(access) {
                    rewrite(module, access, addresses);
                }
            }
        }
    }
}

fn rewrite<'c>(module: &Module<'c>, access: Value<'c>, addresses: u32) {
    let cx = module.context();
    let b = cx.builder();
    b.position_before(access);
    let mask = access.operand(addresses + 1);
    if !mask.is_constant() {
        return;
    }
    let is_active =
        |lane: &u64| b.extract_element(mask, cx.i32().const_int(*lane)).as_const_int() == Some(1);
    let active: Vec<u64> = (0..u64::from(LANES)).filter(is_active).collect();
    if active.len() > MOST_LANES {
        return;
    }
    let stores = addresses == 1;
    let mut result = if stores { None } else { Some(access.operand(2)) };
    for lane in active {
        let lane = cx.i32().const_int(lane);
        let address = lane_of(&b, access.operand(addresses), lane, DEEPEST);
        match result {
            None => {
                b.store(b.extract_element(access.operand(0), lane), address, 1);
            }
            Some(so_far) => {
                let value = b.load(access.ty().element(), address, 1);
                result = Some(b.insert_element(so_far, value, lane));
            }
        }
    }
    if let Some(result) = result {
        access.replace_all_uses_with(result);
    }
    access.erase();
}

/// A vector's element, computed again from elements where that is simple.
fn lane_of<'c>(b: &Builder<'c>, value: Value<'c>, lane: Value<'c>, depth: u32) -> Value<'c> {
    if let Some(scalar) = repeated(value) {
        return scalar;
    }
    let is_lanewise = value.is_instruction()
        && depth > 0
        && !matches!(value.opcode(), Opcode::LLVMFreeze)
        && value.operands().iter().all(|it| !it.ty().is_vector() || it.ty().len() == LANES.into());
    if is_lanewise && is_simple(value.opcode()) {
        let operands: Vec<_> = value
            .operands()
            .into_iter()
            .map(|it| if it.ty().is_vector() { lane_of(b, it, lane, depth - 1) } else { it })
            .collect();
        if let Some(made) = rebuild(b, value, &operands, value.ty().element()) {
            if made.is_instruction() && made.opcode() == value.opcode() {
                made.copy_flags_from(value);
            }
            return made;
        }
    }
    b.extract_element(value, lane)
}

/// Operations that take no longer for one element than to take it from their result, a division aside.
fn is_simple(opcode: Opcode) -> bool {
    use Opcode::*;
    !matches!(opcode, LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMFDiv)
}
