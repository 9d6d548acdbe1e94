//! Masks made of a word that has a bit for each lane, where the processor keeps masks in vectors of bytes.
//!
//! Input: vector code in its last form, in which sections and warps that return keep masks in frames. Output: the same code, in
//! which each lane tests its bit in a copy of the word's byte: five instructions.
//! Why here: of the cast, and of a mask that is loaded, LLVM 22 makes one insertion a lane, a hundred instructions. Earlier, its
//! passes would make the cast again of some tests, and could not tell that a word made of a mask, and then a mask of
//! that, is the same; and masks would come to memory afterwards.

use llvm_zluda::{Builder, IntPredicate, Module, Opcode, Value};

use crate::Options;
use crate::emit::LANES;

/// Rewrites the casts and loads of a module.
pub fn run(module: &Module<'_>, options: &Options) {
    if options.has_mask_registers() {
        return;
    }
    let b = module.context().builder();
    for function in module.functions() {
        for block in function.blocks() {
            for made in block.instructions().into_iter().filter(|made| is_mask(*made)) {
                b.position_before(made);
                let word = match made.opcode() {
                    Opcode::LLVMBitCast if !made.operand(0).ty().is_vector() => made.operand(0),
                    Opcode::LLVMLoad if !made.is_volatile() && !made.is_atomic() => {
                        b.load(b.context().i32(), made.operand(0), made.alignment())
                    }
                    _ => continue,
                };
                made.replace_all_uses_with(mask_of(&b, word));
                made.erase();
            }
        }
    }
}

fn is_mask(value: Value<'_>) -> bool {
    let ty = value.ty();
    ty.is_vector() && ty.element().bits() == 1 && ty.len() == u64::from(LANES)
}

fn mask_of<'c>(b: &Builder<'c>, word: Value<'c>) -> Value<'c> {
    let byte = b.context().int(8);
    let copies = b.bitcast(b.splat(word, LANES / 4), byte.vector(LANES));
    // The processor moves bytes within 16 of them.
    let byte_of_lane: Vec<_> = (0..LANES as i32).map(|lane| lane / 16 * 16 + lane / 8).collect();
    let bits: Vec<_> = (0..LANES).map(|lane| byte.const_int(1 << (lane % 8))).collect();
    let bits = b.const_vector(&bits);
    let bytes = b.shuffle(copies, copies, &byte_of_lane);
    b.icmp(IntPredicate::LLVMIntEQ, b.and(bytes, bits), bits)
}
