//! Numbers of 64 bits that are kept in two registers, as one.
//!
//! Input: per-thread IR whose registers are values. Output: the same; what is put together of the halves of a number is that number, and
//! two values of 32 bits that meet in a block, and are put together behind, are one of 64 bits there wherever one of those that come in is.
//! Why here: machine code has addresses in two registers. LLVM makes masks of halves that other blocks took apart, and leaves those that go
//! round a loop, so that nobody would see the stride of an address.

use llvm_zluda::{Block, Builder, Module, Opcode, Value};
use rustc_hash::FxHashMap;

/// Loops inside each other that are looked at.
const MOST_ROUNDS: usize = 8;

/// Rewrites the functions of a module.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        for _ in 0..MOST_ROUNDS {
            if !rewrite(module, function) {
                break;
            }
        }
    }
}

/// A lower and an upper half, both values that meet in the same block, and where they are put together.
type Pairs<'c> = FxHashMap<(Value<'c>, Value<'c>), Vec<Value<'c>>>;

fn rewrite<'c>(module: &Module<'c>, function: Value<'c>) -> bool {
    let mut pairs: Pairs<'c> = FxHashMap::default();
    let mut order = Vec::new();
    let mut gone = Vec::new();
    let mut is_changed = false;
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    for whole in instructions.filter(|it| it.opcode() == Opcode::LLVMOr) {
        let Some((low, high)) = halves(whole) else { continue };
        if let Some(source) = source(low, high) {
            is_changed |= whole.has_uses();
            whole.replace_all_uses_with(source);
        } else if is_phi(low) && is_phi(high) && low.parent() == high.parent() {
            let wholes = pairs.entry((low, high)).or_default();
            if wholes.is_empty() {
                order.push((low, high));
            }
            wholes.push(whole);
        }
    }
    for pair in order {
        // Each is one pair's: the other one that a value is in has it as it was.
        if gone.contains(&pair.0) || gone.contains(&pair.1) {
            continue;
        }
        if join(module, pair, &pairs[&pair]) {
            gone.extend([pair.0, pair.1]);
        }
    }
    is_changed || !gone.is_empty()
}

/// What comes in from a block.
enum Incoming<'c> {
    Whole(Value<'c>),
    /// What the block itself has.
    Own,
    Halves(Value<'c>, Value<'c>),
}

fn join<'c>(
    module: &Module<'c>,
    (low, high): (Value<'c>, Value<'c>),
    wholes: &[Value<'c>],
) -> bool {
    let mut incoming: Vec<(Incoming<'c>, Block<'c>)> = Vec::new();
    for (lower, block) in low.incoming() {
        let upper = high.incoming().into_iter().find(|(_, other)| *other == block);
        let Some((upper, _)) = upper else { return false };
        incoming.push((
            match source(lower, upper) {
                Some(whole) => Incoming::Whole(whole),
                None if (lower, upper) == (low, high) => Incoming::Own,
                None => Incoming::Halves(lower, upper),
            },
            block,
        ));
    }
    if !incoming.iter().any(|(it, _)| matches!(it, Incoming::Whole(_))) {
        return false;
    }
    let b = module.context().builder();
    let (block, wide) = (low.parent(), module.context().i64());
    b.position_at_start(block);
    let joined = b.phi(wide);
    let mut built: Vec<(Value<'c>, Block<'c>)> = Vec::new();
    for (it, from) in incoming {
        // A switch may come from one block several times, with one value.
        let before = built.iter().find(|(_, other)| *other == from).map(|(value, _)| *value);
        let value = match (before, it) {
            (Some(value), _) => value,
            (None, Incoming::Whole(whole)) => whole,
            (None, Incoming::Own) => joined,
            (None, Incoming::Halves(lower, upper)) => {
                if let Some(end) = from.terminator() {
                    b.position_before(end);
                }
                put_together(&b, lower, upper)
            }
        };
        built.push((value, from));
    }
    joined.add_incoming(&built);
    let first = block.instructions().into_iter().find(|it| it.opcode() != Opcode::LLVMPHI);
    if let Some(first) = first {
        b.position_before(first);
    }
    let narrow = module.context().i32();
    for (half, value) in [
        (low, b.trunc(joined, narrow)),
        (high, b.trunc(b.lshr(joined, wide.const_int(32)), narrow)),
    ] {
        half.replace_all_uses_with(value);
    }
    for whole in wholes {
        whole.replace_all_uses_with(joined);
    }
    low.erase();
    high.erase();
    true
}

fn put_together<'c>(b: &Builder<'c>, low: Value<'c>, high: Value<'c>) -> Value<'c> {
    let wide = b.context().i64();
    let [low, high] = [low, high].map(|half| b.zext(half, wide));
    b.or(low, b.shl(high, wide.const_int(32)))
}

/// The halves of which a number is put together.
fn halves<'c>(whole: Value<'c>) -> Option<(Value<'c>, Value<'c>)> {
    let [low, shifted] = [whole.operand(0), whole.operand(1)];
    let is_shifted = is(shifted, Opcode::LLVMShl) && shifted.operand(1).as_const_int() == Some(32);
    let high = is_shifted.then(|| shifted.operand(0))?;
    let narrow = |wide: Value<'c>| {
        let is_it = is(wide, Opcode::LLVMZExt)
            && wide.ty().bits() == 64
            && wide.operand(0).ty().bits() == 32;
        is_it.then(|| wide.operand(0))
    };
    Some((narrow(low)?, narrow(high)?))
}

/// What two values are the halves of.
fn source<'c>(low: Value<'c>, high: Value<'c>) -> Option<Value<'c>> {
    let lower = is(low, Opcode::LLVMTrunc).then(|| low.operand(0))?;
    let shifted = is(high, Opcode::LLVMTrunc).then(|| high.operand(0))?;
    let is_upper = lower.ty().bits() == 64
        && is(shifted, Opcode::LLVMLShr)
        && shifted.operand(0) == lower
        && shifted.operand(1).as_const_int() == Some(32);
    is_upper.then_some(lower)
}

fn is(value: Value<'_>, opcode: Opcode) -> bool {
    value.is_instruction() && value.opcode() == opcode
}

fn is_phi(value: Value<'_>) -> bool {
    is(value, Opcode::LLVMPHI)
}
