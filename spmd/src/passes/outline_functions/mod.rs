//! Long functions in parts, which LLVM generates code for on several threads ([`crate::groups`]).
//!
//! Input: vector code after its last optimisation. Output: the same code, of shorter functions: first what is many
//! blocks leaves a function ([`regions`]), then what is in long ones ([`sections`]).
//! Why here: passes before it would not see through the calls, and make code longer or shorter.

mod regions;
mod sections;
mod size;

pub use size::size;

use llvm_zluda::{Module, Opcode, Type, Value};

use crate::Options;

/// Functions of this size, in estimated instructions, are cut.
const LONG: u64 = 700;
/// Functions of this size are cut again, what is left of them and the calls of their regions, as long as that gives more.
const HUGE: u64 = 20_000;
/// Bytes of stack that are no longer worth it: warps have a few hundred thousand.
pub const LARGEST: u64 = 64 << 10;
/// The prefix of the names of parts.
const PREFIX: &str = "spmd.part.";

/// Whether a function is a part of another one.
pub fn is_part(function: Value<'_>) -> bool {
    function.name().starts_with(PREFIX)
}

/// The name of the next part.
pub fn next_name(count: &mut usize) -> String {
    *count += 1;
    format!("{PREFIX}{}", *count - 1)
}

/// Cuts long functions; returns whether there were any.
pub fn run(module: &Module<'_>, options: &Options) -> bool {
    let is_long = |function: &Value<'_>| !function.is_declaration() && size(*function) >= LONG;
    let functions: Vec<_> = module.functions().into_iter().filter(is_long).collect();
    let mut count = 0;
    for function in functions {
        let is_huge = size(function) >= HUGE;
        loop {
            let regions = regions::outline(module, function);
            for region in &regions {
                region.set_name(&next_name(&mut count));
            }
            if regions.is_empty() || !is_huge || !is_long(&function) {
                break;
            }
        }
        if is_long(&function) {
            sections::outline(module, function, options, &mut count);
        }
    }
    count > 0
}

/// Whether a type is one of flags for lanes, which are a number in memory.
pub fn is_flags(ty: Type<'_>) -> bool {
    ty.is_vector() && !ty.element().is_pointer() && ty.element().bits() == 1
}

/// The cost of writing a value to memory, in instructions.
pub fn way(ty: Type<'_>) -> u64 {
    if is_flags(ty) { 8 } else { size::registers(ty) }
}

/// Costs less than to go through memory: addresses at constant distances, and scalars in all lanes.
pub fn is_made_again(value: Value<'_>) -> bool {
    match value.opcode() {
        Opcode::LLVMGetElementPtr => {
            !value.ty().is_vector()
                && value.operands().iter().skip(1).all(|index| index.is_constant())
        }
        Opcode::LLVMInsertElement => {
            value.operand(0).is_undef_or_poison() && value.operand(2).as_const_int() == Some(0)
        }
        Opcode::LLVMShuffleVector => {
            let of = value.operand(0);
            of.is_instruction()
                && of.opcode() == Opcode::LLVMInsertElement
                && is_made_again(of)
                && value.shuffle_mask().iter().all(|lane| *lane == 0)
        }
        _ => false,
    }
}

/// Works on the stack of the function that it is in.
pub fn belongs_to_its_function(instruction: &Value<'_>) -> bool {
    const OF_THE_STACK: [&str; 4] =
        ["llvm.stack", "llvm.lifetime", "llvm.frameaddress", "llvm.returnaddress"];
    instruction.opcode() == Opcode::LLVMCall && {
        let name = instruction.called_name();
        OF_THE_STACK.iter().any(|prefix| name.starts_with(prefix))
    }
}
