//! Input: per-thread IR where values have taken the place of registers, with `zluda.nan.f64` around the results of
//! `.f64` arithmetic. `zluda.nan.f64(x, a)` is x, or `a` made quiet where `a` is NaN.
//! Output: plain IR, with a selection where a processor could hand on another NaN than an NVIDIA GPU.
//! Why here: a selection is three instructions for one, so that it must be known which values can differ. Long
//! arithmetic mostly comes from one number, and all NaNs in it are that number's.
//!
//! A processor hands on a NaN operand, made quiet, and makes one fixed NaN where no operand is one. Which of two
//! it takes has rules of its own; they hold within loops, where keeping NVIDIA's would cost too much.

use llvm_zluda::{Block, Builder, Module, Opcode, RealPredicate, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::intrinsics::{self, Property};

/// The bit that makes a NaN of `.f64` quiet.
const QUIET: u64 = 1 << 51;
/// The address space of stack variables.
const STACK: u32 = 5;
const MARKER: &str = "zluda.nan.f64";
/// Users to look at for one value, so that large functions take no longer than their size.
const LIMIT: usize = 100;

/// Removes `zluda.nan.f64`, and adds selections where a processor could hand on another NaN, in all functions.
pub fn run(module: &Module<'_>) {
    let Some(marker) = module.function(MARKER) else { return };
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        let mut choice = Choice {
            module,
            builder: module.context().builder(),
            origins: FxHashMap::default(),
            sources: FxHashMap::default(),
            plain: FxHashSet::default(),
            loops: Loops::default(),
        };
        for block in in_order(function) {
            for instruction in block.instructions() {
                choice.instruction(instruction);
            }
        }
    }
    // Of code that nothing leads to.
    for mark in marker.users() {
        mark.replace_all_uses_with(mark.operand(0));
        mark.erase();
    }
    marker.delete_global();
}

/// The source of the NaN where a value is NaN, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin<'c> {
    /// It is never NaN.
    Number,
    /// The value is the NaN of `root` made quiet, or, unless `always`, a number, where `root` is NaN. Elsewhere it is a
    /// number or the processor's own NaN.
    Of { root: Value<'c>, always: bool },
}

struct Choice<'m, 'c> {
    module: &'m Module<'c>,
    builder: Builder<'c>,
    /// Values come in the order of the code. One that is not here yet is its own root, which is always true.
    origins: FxHashMap<Value<'c>, Origin<'c>>,
    /// The roots that a root is NaN with.
    sources: FxHashMap<Value<'c>, Vec<Value<'c>>>,
    /// Values that LLVM does not take for the negative of another one: the processor negates products without
    /// touching the signs of NaNs.
    plain: FxHashSet<Value<'c>>,
    loops: Loops<'c>,
}

impl<'c> Choice<'_, 'c> {
    fn instruction(&mut self, value: Value<'c>) {
        if value.ty() != self.module.context().f64() {
            return;
        }
        if is_mark(value) {
            if !is_marked_again(value) {
                self.chain(value);
            }
            return;
        }
        let origin = match value.opcode() {
            Opcode::LLVMSIToFP | Opcode::LLVMUIToFP => Origin::Number,
            Opcode::LLVMSelect => self.joined(value, &[value.operand(1), value.operand(2)]),
            // Around a loop roots are those of the round before.
            Opcode::LLVMPHI if !self.loops.contain(value.parent()) => {
                let arms: Vec<_> = value.incoming().into_iter().map(|(arm, _)| arm).collect();
                self.joined(value, &arms)
            }
            Opcode::LLVMCall if is_nan_of_nan(value) => {
                self.note_sources(value, &value.arguments());
                own(value)
            }
            _ => own(value),
        };
        self.origins.insert(value, origin);
        if self.is_plain_instruction(value) {
            self.plain.insert(value);
        }
    }

    fn origin(&self, value: Value<'c>) -> Origin<'c> {
        if value.is_constant() {
            return if is_nan(self.module, value) { own(value) } else { Origin::Number };
        }
        self.origins.get(&value).copied().unwrap_or(own(value))
    }

    /// One of several values.
    fn joined(&self, value: Value<'c>, arms: &[Value<'c>]) -> Origin<'c> {
        let mut all: Option<Origin<'c>> = None;
        for arm in arms {
            let next = self.origin(*arm);
            all = Some(match (all, next) {
                (None, next) => next,
                (Some(Origin::Number), Origin::Number) => Origin::Number,
                (Some(Origin::Number), Origin::Of { root, .. })
                | (Some(Origin::Of { root, .. }), Origin::Number) => {
                    Origin::Of { root, always: false }
                }
                (
                    Some(Origin::Of { root, always }),
                    Origin::Of { root: other, always: another },
                ) if root == other => Origin::Of { root, always: always && another },
                _ => return own(value),
            });
        }
        all.unwrap_or(own(value))
    }

    /// Whether the values have the same root, those apart that are never NaN.
    fn have_one_root(&self, values: &[Value<'c>]) -> bool {
        let mut only = None;
        values.iter().all(|value| match self.origin(*value) {
            Origin::Number => true,
            Origin::Of { root, .. } => *only.get_or_insert(root) == root,
        })
    }

    /// The origin of an operation's result, given its operands, of which the later ones win.
    fn result(&mut self, value: Value<'c>, operands: &[Value<'c>]) -> Origin<'c> {
        let origins: Vec<_> = operands.iter().map(|operand| self.origin(*operand)).collect();
        let mut roots = origins.iter().rev().filter_map(|origin| match origin {
            Origin::Number => None,
            Origin::Of { root, always } => Some((*root, *always)),
        });
        // Where it is a number, the processor may make its own NaN of it, or take another.
        if let Some((winner, true)) = roots.next()
            && roots.all(|(root, _)| self.is_source(root, winner))
        {
            return Origin::Of { root: winner, always: true };
        }
        if self.have_one_root(operands)
            && let Some(&always) =
                origins.iter().find(|origin| matches!(origin, Origin::Of { always: true, .. }))
        {
            return always;
        }
        self.note_sources(value, operands);
        own(value)
    }

    /// The value is NaN where any of the operands is.
    fn note_sources(&mut self, value: Value<'c>, operands: &[Value<'c>]) {
        let mut sources = Vec::new();
        for operand in operands {
            if let Origin::Of { root, always: true } = self.origin(*operand) {
                sources.push(root);
            }
        }
        self.sources.insert(value, sources);
    }

    /// Whether one root is NaN wherever another is.
    fn is_source(&self, source: Value<'c>, root: Value<'c>) -> bool {
        let mut work = vec![root];
        for _ in 0..LIMIT {
            match work.pop() {
                None => return false,
                Some(root) if root == source => return true,
                Some(root) => work.extend(self.sources.get(&root).into_iter().flatten()),
            }
        }
        false
    }

    /// Replaces the marks around one operation; `last` is the outermost.
    fn chain(&mut self, last: Value<'c>) {
        let mut marks = vec![last];
        let mut operation = last.operand(0);
        while is_mark(operation) && is_marked_again(operation) {
            marks.push(operation);
            operation = operation.operand(0);
        }
        marks.reverse();
        // The later ones win.
        let operands: Vec<_> = marks.iter().map(|mark| mark.operand(1)).collect();
        let known = is_operation_on(operation, &operands);
        let exact = known && !is_folded(self.module, operation) && !meets_signs(self.module, last);
        let repeats = self.loops.contain(last.parent());
        let needed: Vec<bool> = if repeats {
            vec![false; marks.len()]
        } else if !exact {
            vec![true; marks.len()]
        } else {
            let mut first = 0;
            while first < operands.len() && self.have_one_root(&operands[..=first]) {
                first += 1;
            }
            let counts = |(index, operand): (usize, &Value<'c>)| {
                self.origin(*operand) != Origin::Number
                    && (index >= first || !self.is_plain(*operand))
            };
            operands.iter().enumerate().map(counts).collect()
        };
        let mut value = operation;
        for ((mark, operand), needed) in marks.iter().zip(&operands).zip(needed) {
            if needed {
                self.builder.position_before(*mark);
                value = self.selection(value, *operand);
            }
        }
        // What is negated by itself keeps its NaN too.
        let hands_on = if repeats {
            exact && self.have_one_root(&operands)
        } else {
            known || operation.opcode() == Opcode::LLVMFNeg
        };
        let origin = if hands_on { self.result(value, &operands) } else { own(value) };
        self.origins.insert(value, origin);
        self.plain.insert(value);
        last.replace_all_uses_with(value);
        marks.iter().rev().for_each(|mark| mark.erase());
    }

    /// The bits are chosen as integers: of floats, LLVM may take one NaN for another.
    fn selection(&self, result: Value<'c>, operand: Value<'c>) -> Value<'c> {
        let context = self.module.context();
        let o = &self.builder;
        let [bits, own] = [result, operand].map(|value| o.bitcast(value, context.i64()));
        let nan = o.fcmp(RealPredicate::LLVMRealUNO, operand, operand);
        let quiet = o.or(own, context.i64().const_int(QUIET));
        o.bitcast(o.select(nan, quiet, bits), result.ty())
    }

    fn is_plain(&self, value: Value<'c>) -> bool {
        !value.is_instruction() || self.plain.contains(&value)
    }

    fn is_plain_instruction(&self, value: Value<'c>) -> bool {
        match value.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMExtractElement => is_loaded(value),
            Opcode::LLVMFPExt
            | Opcode::LLVMSIToFP
            | Opcode::LLVMUIToFP
            | Opcode::LLVMFAdd
            | Opcode::LLVMFDiv
            | Opcode::LLVMExtractValue => true,
            Opcode::LLVMFSub | Opcode::LLVMFMul => !is_folded(self.module, value),
            Opcode::LLVMCall => {
                let name = value.called_name();
                !["llvm.fabs.", "llvm.copysign."].iter().any(|other| name.starts_with(other))
            }
            Opcode::LLVMSelect => {
                [1, 2].into_iter().all(|index| self.is_plain(value.operand(index)))
            }
            Opcode::LLVMPHI => value.incoming().into_iter().all(|(arm, _)| self.is_plain(arm)),
            Opcode::LLVMBitCast => {
                let bits = value.operand(0);
                !bits.is_instruction()
                    || match bits.opcode() {
                        Opcode::LLVMLoad | Opcode::LLVMExtractElement => is_loaded(bits),
                        Opcode::LLVMCall | Opcode::LLVMExtractValue => true,
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}

/// Read, by itself or as an element, from memory that LLVM does not make values of.
fn is_loaded(value: Value<'_>) -> bool {
    let is_element = value.opcode() == Opcode::LLVMExtractElement;
    let load = if is_element { value.operand(0) } else { value };
    load.is_instruction()
        && load.opcode() == Opcode::LLVMLoad
        && load.operand(0).ty().address_space() != STACK
}

fn own(value: Value<'_>) -> Origin<'_> {
    Origin::Of { root: value, always: true }
}

fn is_mark(value: Value<'_>) -> bool {
    value.is_instruction() && value.opcode() == Opcode::LLVMCall && value.called_name() == MARKER
}

/// Only another mark uses this one.
fn is_marked_again(mark: Value<'_>) -> bool {
    matches!(mark.users()[..], [user] if is_mark(user) && user.operand(0) == mark)
}

/// A constant's number; none for other values.
fn number(module: &Module<'_>, value: Value<'_>) -> Option<f64> {
    if !value.is_constant() || value.ty() != module.context().f64() {
        return None;
    }
    let context = module.context();
    context.builder().bitcast(value, context.i64()).as_const_int().map(f64::from_bits)
}

fn is_nan(module: &Module<'_>, constant: Value<'_>) -> bool {
    !constant.is_undef_or_poison() && number(module, constant).is_none_or(f64::is_nan)
}

/// An instruction of the processor that hands on NaNs, on these operands and constants.
fn is_operation_on(value: Value<'_>, operands: &[Value<'_>]) -> bool {
    if !value.is_instruction() {
        return false;
    }
    let inputs = match value.opcode() {
        Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul | Opcode::LLVMFDiv => {
            value.operands()
        }
        Opcode::LLVMCall
            if matches!(value.called_name().as_str(), "llvm.fma.f64" | "llvm.sqrt.f64") =>
        {
            value.arguments()
        }
        _ => return false,
    };
    inputs.iter().all(|input| input.is_constant() || operands.contains(input))
        && operands.iter().all(|operand| inputs.contains(operand))
}

/// An approximation is NaN where its operand is.
fn is_nan_of_nan(call: Value<'_>) -> bool {
    intrinsics::called(call).is_some_and(|intrinsic| intrinsic.has(Property::NanOfNan))
}

/// A zero or an infinity, or a selection or phi of one.
fn may_be_special(module: &Module<'_>, value: Value<'_>) -> bool {
    let is_special =
        |arm| number(module, arm).is_some_and(|number| number == 0.0 || !number.is_finite());
    match value.is_instruction().then(|| value.opcode()) {
        Some(Opcode::LLVMSelect) => [1, 2].into_iter().any(|arm| is_special(value.operand(arm))),
        Some(Opcode::LLVMPHI) => value.incoming().into_iter().any(|(arm, _)| is_special(arm)),
        _ => is_special(value),
    }
}

/// Zeros and ones let LLVM make less of an operation: its operand as it is, or the operand's negative. Of zeros and
/// infinities it makes NaNs of its own.
fn is_folded(module: &Module<'_>, operation: Value<'_>) -> bool {
    let any = |folds: fn(f64) -> bool| {
        let mut numbers =
            operation.operands().into_iter().filter_map(|operand| number(module, operand));
        numbers.any(|number| !number.is_finite() || folds(number))
    };
    if operation.operands().iter().filter(|operand| may_be_special(module, **operand)).count() > 1 {
        return true;
    }
    match operation.opcode() {
        Opcode::LLVMFAdd | Opcode::LLVMFSub => any(|number| number == 0.0),
        Opcode::LLVMFMul | Opcode::LLVMFDiv => any(|number| number == 0.0 || number.abs() == 1.0),
        _ => {
            let factors = operation.operands().into_iter().take(2);
            let mut factors = factors.filter_map(|operand| number(module, operand));
            any(|_| false) || factors.any(|factor| factor == 0.0 || factor.abs() == 1.0)
        }
    }
}

/// Blocks behind those that lead to them, but for loops.
fn in_order<'c>(function: Value<'c>) -> Vec<Block<'c>> {
    let entry = function.entry_block();
    let mut seen: FxHashSet<Block<'c>> = FxHashSet::from_iter([entry]);
    let mut order = Vec::new();
    let mut work = vec![(entry, entry.successors())];
    while let Some((block, left)) = work.last_mut() {
        match left.pop() {
            Some(next) if seen.insert(next) => work.push((next, next.successors())),
            Some(_) => {}
            None => {
                order.push(*block);
                work.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Whether something may change the value's sign: LLVM makes that a part of the operation, which leaves the sign of a
/// NaN as it was.
fn meets_signs<'c>(module: &Module<'c>, value: Value<'c>) -> bool {
    use Opcode::*;
    let mut seen: FxHashSet<(Value<'c>, bool)> = FxHashSet::default();
    // With whether bits have been changed on the way.
    let mut work = vec![(value, false)];
    while let Some((value, changed)) = work.pop() {
        for user in value.users() {
            let next = match user.opcode() {
                LLVMFNeg | LLVMRet => return true,
                LLVMFMul | LLVMFSub if is_folded(module, user) => return true,
                LLVMCall => match user.called_name() {
                    name if name.starts_with("llvm.fabs.") => return true,
                    name if name.starts_with("llvm.copysign.") => return true,
                    name if name.starts_with("llvm.") || name.starts_with("zluda.") => continue,
                    _ => return true,
                },
                LLVMBitCast if changed => return true,
                LLVMAnd | LLVMOr | LLVMXor => (user, true),
                LLVMBitCast | LLVMPHI | LLVMSelect | LLVMFreeze | LLVMTrunc | LLVMZExt
                | LLVMSExt | LLVMShl | LLVMLShr | LLVMAShr | LLVMAdd | LLVMSub => (user, changed),
                _ => continue,
            };
            if seen.len() >= LIMIT {
                return true;
            }
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    false
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
