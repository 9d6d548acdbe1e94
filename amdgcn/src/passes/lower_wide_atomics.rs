//! Atomic accesses to 128 bits, which hardware does not have: calls of the device library (library/wide_atomics.c),
//! with the fences that their orderings ask for.
//!
//! Input: strong loads and stores, exchanges and comparisons of `i128`. Output: the calls.
//! Why here: after lanes have got ways of their own, which asks what atomic operations there are, and before the library
//! is linked.

use llvm_zluda::{AtomicOrdering, Builder, IntPredicate, Module, Opcode, Value};

use crate::intrinsics::OWN;

const BITS: u32 = 128;

/// The name of the library's operation for an instruction; none where it needs none.
fn implementation(instruction: Value<'_>) -> Option<&'static str> {
    match instruction.opcode() {
        Opcode::LLVMLoad if is_strong(instruction) => Some("load"),
        Opcode::LLVMStore if is_strong(instruction) => Some("store"),
        // There is no other operation on 128 bits than to exchange them.
        Opcode::LLVMAtomicRMW => Some("exchange"),
        Opcode::LLVMAtomicCmpXchg => Some("compare"),
        _ => None,
    }
}

/// Volatile accesses are relaxed atomic ones to PTX.
fn is_strong(access: Value<'_>) -> bool {
    access.is_volatile() || access.ordering() != AtomicOrdering::LLVMAtomicOrderingNotAtomic
}

/// Replaces all of them.
pub fn run(module: &Module<'_>) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if let Some(name) = implementation(instruction) {
                    replace(module, instruction, name);
                }
            }
        }
    }
}

fn replace<'c>(module: &Module<'c>, access: Value<'c>, name: &str) {
    let context = module.context();
    let (wide, generic) = (context.int(BITS), context.ptr(0));
    let operands = access.operands();
    // A store's address is its second operand, of all others the first.
    let is_store = access.opcode() == Opcode::LLVMStore;
    let (pointer, values) = match operands[..] {
        [value, pointer] if is_store => (pointer, vec![value]),
        [pointer, ..] => (pointer, operands[1..].to_vec()),
        [] => return,
    };
    let accessed = values.first().map_or_else(|| access.ty(), |value| value.ty());
    if accessed != wide {
        return;
    }
    let builder = context.builder();
    builder.position_before(access);
    let pair = context.i64().vector(2);
    let mut arguments = vec![match pointer.ty() == generic {
        true => pointer,
        false => builder.addr_space_cast(pointer, generic),
    }];
    arguments.extend(values.iter().map(|value| builder.bitcast(*value, pair)));
    let function = OWN.declare(module, &format!("amd.wide.{name}"), arguments.len());
    let (before, after) = fences(access);
    fence(&builder, before, access);
    let call = builder.call(function, &arguments);
    fence(&builder, after, access);
    if !is_store {
        let mut old = builder.bitcast(call, wide);
        if access.opcode() == Opcode::LLVMAtomicCmpXchg {
            let is_equal = builder.icmp(IntPredicate::LLVMIntEQ, old, values[0]);
            let both = builder.insert_value(access.ty().poison(), old, 0);
            old = builder.insert_value(both, is_equal, 1);
        }
        access.replace_all_uses_with(old);
    }
    access.erase();
}

fn fence<'c>(builder: &Builder<'c>, ordering: Option<AtomicOrdering>, access: Value<'c>) {
    if let Some(ordering) = ordering {
        builder.fence(ordering, access.sync_scope());
    }
}

/// The fences that the ordering asks for before and after the access.
fn fences(access: Value<'_>) -> (Option<AtomicOrdering>, Option<AtomicOrdering>) {
    use AtomicOrdering::{
        LLVMAtomicOrderingAcquire as Acquire, LLVMAtomicOrderingAcquireRelease as Both,
        LLVMAtomicOrderingRelease as Release,
        LLVMAtomicOrderingSequentiallyConsistent as Sequential,
    };
    let ordering = match access.opcode() {
        Opcode::LLVMAtomicCmpXchg => access.cmpxchg_orderings().0,
        _ => access.ordering(),
    };
    match ordering {
        Acquire => (None, Some(Acquire)),
        Release => (Some(Release), None),
        Both => (Some(Release), Some(Acquire)),
        Sequential => (Some(Sequential), Some(Sequential)),
        _ => (None, None),
    }
}
