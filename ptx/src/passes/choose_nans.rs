//! Input: `zluda.nan.f64` around the results of `.f64` arithmetic. `zluda.nan.f64(x, a)` is x, or `a` made quiet where `a`
//! is NaN: it says which of several NaN operands makes the result.
//! Output: plain IR.
//! Why here: it is part of [`super::canonicalize_nans`].
//!
//! Processors make the NaN of an operation of its operand that is NaN, as an NVIDIA GPU does, but have a rule of their
//! own where two are. That rule holds inside of loops, where keeping NVIDIA's would cost too much. Elsewhere nothing has to be
//! chosen where the operands' NaNs are those of one value: a polynomial of one variable has its NaN, whatever is
//! added and multiplied first.

use llvm_zluda::{Block, Module, Opcode, RealPredicate, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bit that makes a NaN quiet.
const QUIET: u64 = 1 << 51;

pub fn run(module: &Module<'_>) {
    let Some(marker) = module.function("zluda.nan.f64") else { return };
    let marks: FxHashSet<_> = marker.users().into_iter().collect();
    let mut functions: Vec<_> = marks.iter().map(|mark| mark.parent().function()).collect();
    let mut seen = FxHashSet::default();
    functions.retain(|function| seen.insert(*function));
    let mut loops = Loops::default();
    for function in functions {
        let mut sources = Sources { marks: &marks, of: FxHashMap::default() };
        let mut needless = FxHashSet::default();
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let order: Vec<_> = instructions.filter(|it| marks.contains(it)).collect();
        for &mark in &order {
            // Of the marks around a result, the last.
            if !mark.users().iter().any(|user| marks.contains(user) && user.operand(0) == mark) {
                let is_in_loop = loops.contain(mark.parent());
                sources.look_at(module, mark, is_in_loop, &mut needless);
            }
        }
        for mark in order {
            choose(module, mark, needless.contains(&mark) || loops.contain(mark.parent()));
        }
    }
    marker.delete_global();
}

/// Where values get their NaNs from.
struct Sources<'m, 'c> {
    marks: &'m FxHashSet<Value<'c>>,
    /// A value whose NaN this one has whenever that one is NaN; else the value is no NaN, or has the one that processors
    /// make of numbers. It is itself for values that are not here.
    of: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'c> Sources<'_, 'c> {
    /// Sees which marks around a result are not needed.
    fn look_at(
        &mut self,
        module: &Module<'c>,
        last: Value<'c>,
        is_in_loop: bool,
        needless: &mut FxHashSet<Value<'c>>,
    ) {
        let (mut chain, mut result) = (vec![last], last.operand(0));
        while self.marks.contains(&result) {
            chain.push(result);
            result = result.operand(0);
        }
        let Some(operands) = operands(result) else { return };
        chain.retain(|mark| !mark.operand(1).is_constant());
        let marked: FxHashSet<_> = chain.iter().map(|mark| mark.operand(1)).collect();
        if operands.iter().any(|operand| !operand.is_constant() && !marked.contains(operand)) {
            return;
        }
        let source = |operand: &Value<'c>| self.of.get(operand).copied().unwrap_or(*operand);
        let sources: FxHashSet<_> = marked.iter().map(source).collect();
        let keeps = keeps_nans(module, result, &operands);
        let mut sources = sources.into_iter();
        match (sources.next(), sources.next(), chain.last()) {
            (Some(source), None, _) => {
                if keeps {
                    needless.extend(chain);
                }
                if keeps || !is_in_loop {
                    self.of.insert(last, source);
                }
            }
            // The first one counts where no other is NaN.
            (_, _, Some(&first)) if keeps => {
                needless.insert(first);
            }
            _ => {}
        }
    }
}

/// The operands of an operation that is NaN where one of them is.
fn operands(result: Value<'_>) -> Option<Vec<Value<'_>>> {
    use Opcode::*;
    if !result.is_instruction() {
        return None;
    }
    match result.opcode() {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg => Some(result.operands()),
        LLVMCall if result.called_name() == "llvm.fma.f64" => Some(result.arguments()),
        _ => None,
    }
}

/// Whether the only NaN among the operands is what comes out, with its sign, whatever LLVM makes of the operation.
fn keeps_nans<'c>(module: &Module<'c>, result: Value<'c>, operands: &[Value<'c>]) -> bool {
    let context = module.context();
    let is_simple = |operand: &Value<'c>| {
        if !operand.is_constant() {
            return true;
        }
        let bits = context.builder().bitcast(*operand, context.i64()).as_const_int();
        // Operations with these are no operations any more.
        bits.is_some_and(|bits| ![0.0f64, 1.0].map(f64::to_bits).contains(&(bits << 1 >> 1)))
    };
    // A difference may become a sum with the negative, whose NaN has the other sign.
    let is_difference = result.opcode() == Opcode::LLVMFSub && !operands[1].is_constant();
    let is_negative = result.opcode() == Opcode::LLVMFNeg;
    !is_difference && !is_negative && operands.iter().all(is_simple)
}

fn choose<'c>(module: &Module<'c>, mark: Value<'c>, is_needless: bool) {
    let (result, operand) = (mark.operand(0), mark.operand(1));
    let chosen = if is_needless {
        result
    } else {
        let context = module.context();
        let builder = context.builder();
        builder.position_before(mark);
        let [bits, own] = [result, operand].map(|value| builder.bitcast(value, context.i64()));
        let nan = builder.fcmp(RealPredicate::LLVMRealUNO, operand, operand);
        let quiet = builder.or(own, context.i64().const_int(QUIET));
        builder.bitcast(builder.select(nan, quiet, bits), result.ty())
    };
    mark.replace_all_uses_with(chosen);
    mark.erase();
}

/// Which blocks lie in loops, as far as somebody asked.
#[derive(Default)]
struct Loops<'c>(FxHashMap<Block<'c>, bool>);

impl<'c> Loops<'c> {
    /// Whether the block can be reached from itself.
    fn contain(&mut self, block: Block<'c>) -> bool {
        *self.0.entry(block).or_insert_with(|| {
            let mut seen = FxHashSet::default();
            let mut work = block.successors();
            while let Some(next) = work.pop() {
                if next == block {
                    return true;
                }
                if seen.insert(next) {
                    work.extend(next.successors());
                }
            }
            false
        })
    }
}
