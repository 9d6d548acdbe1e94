//! Single-precision arithmetic that rounds in a direction, by AVX-512's instructions that name one.
//!
//! [`take`] has per-thread IR as its input, with functions of [`simt::directed`] and their bodies; its output calls
//! intrinsics instead. The vectoriser makes calls of `directed.<operation>.<direction>.32` of these, functions of vectors
//! without a body, which are arithmetic of each lane to the passes that follow. [`expand`] makes instructions of them.
//! Why there: before bodies are inlined, and behind the passes that would not know LLVM's intrinsics for x86 to be
//! arithmetic.

use llvm_zluda::{MemoryEffects, Module, Value};
use simt::directed::PREFIX;
use simt::{LANES, intrinsics};

/// Lanes of an instruction.
const REGISTER: u64 = 16;

/// Calls intrinsics in the place of functions that have bodies.
pub fn take(module: &Module<'_>) {
    for function in module.functions() {
        let name = function.name();
        if !name.starts_with(PREFIX) {
            continue;
        }
        let count = function.value_type().parameters().len();
        let intrinsic = intrinsics::declare(module, &name, count);
        for call in function.users() {
            let b = module.context().builder();
            b.position_before(call);
            call.replace_all_uses_with(b.call(intrinsic, &call.arguments()));
            call.erase();
        }
        function.delete_global();
    }
}

/// The function of vectors of so many lanes for `name`, such as `directed.fma.rm`.
pub(crate) fn vector<'c>(
    module: &Module<'c>,
    name: &str,
    lanes: u32,
    operands: usize,
) -> Value<'c> {
    let name = format!("{name}.{lanes}");
    module.function(&name).unwrap_or_else(|| {
        let ty = module.context().f32().vector(lanes);
        let ty = module.context().function_type(ty, &vec![ty; operands]);
        let function = module.add_function(&name, ty);
        for attribute in ["nounwind", "willreturn", "speculatable"] {
            module.add_attribute(function, attribute);
        }
        module.set_memory_effects(function, MemoryEffects::None);
        function
    })
}

/// What [`vector`] made a name of, if it did.
pub(crate) fn base(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)?;
    name.rsplit_once('.').map(|(base, _)| base)
}

/// Puts instructions in the place of calls.
pub fn expand(module: &Module<'_>) {
    for function in module.functions() {
        let name = function.name();
        let Some((operation, direction)) =
            base(&name).and_then(|base| base.strip_prefix(PREFIX)?.split_once('.'))
        else {
            continue;
        };
        let operation = if operation == "fma" { "vfmadd" } else { operation };
        let instruction = format!("llvm.x86.avx512.{operation}.ps.512");
        // The direction, and no exceptions.
        let direction = module.context().i32().const_int(match direction {
            "rm" => 9,
            "rp" => 10,
            _ => 11,
        });
        for call in function.users() {
            call.replace_all_uses_with(in_registers(module, call, &instruction, direction));
            call.erase();
        }
        function.delete_global();
    }
}

fn in_registers<'c>(
    module: &Module<'c>,
    call: Value<'c>,
    instruction: &str,
    direction: Value<'c>,
) -> Value<'c> {
    let b = module.context().builder();
    b.position_before(call);
    let lanes = call.ty().len();
    debug_assert!(lanes == REGISTER || lanes == 2 * REGISTER && lanes == u64::from(LANES));
    let part = |first: u64| {
        let places: Vec<_> = (first as i32..(first + REGISTER) as i32).collect();
        let operands = call.arguments().into_iter().map(|operand| match lanes {
            REGISTER => operand,
            _ => b.shuffle(operand, operand, &places),
        });
        let operands: Vec<_> = operands.chain([direction]).collect();
        b.intrinsic(module, instruction, &[], &operands)
    };
    if lanes == REGISTER {
        return part(0);
    }
    let places: Vec<_> = (0..lanes as i32).collect();
    b.shuffle(part(0), part(REGISTER), &places)
}
