//! Arithmetic on words whose values need 16 bits, done in 16 bits.
//!
//! Input: vector code after its last optimisation. Output: the same code; where words of 32 bits are made of bytes, halves and
//! constants by operations that cannot leave what 16 bits hold, elements of 16 bits take half as many registers, and the
//! processor multiplies them faster. Values are the same: each is known by bounds for what it was made of.
//! Why here: C and PTX widen bytes to 32 bits before they add them. LLVM's passes would do so again, and shape comparisons
//! before; it is later that code is cut into blocks that do not stand in the order in which values are made.

use llvm_zluda::{Builder, IntPredicate, Module, Opcode, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::strip_mine_arithmetic::repeated_constant;
use crate::emit::LANES;

/// Fewer operations are not worth it.
const FEWEST: usize = 4;

/// Rewrites the arithmetic of a module.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        let code = Code::of(function);
        let worth = code.worth();
        if !worth.is_empty() {
            code.rewrite(module, &worth);
        }
    }
}

/// Bounds of a number of 32 bits with a sign, in all lanes.
#[derive(Clone, Copy)]
struct Bounds {
    low: i64,
    high: i64,
}

impl Bounds {
    fn is_natural(self) -> bool {
        self.low >= 0 && self.high <= u16::MAX.into()
    }

    fn is_signed(self) -> bool {
        self.low >= i16::MIN.into() && self.high <= i16::MAX.into()
    }

    /// 16 bits hold the number, with or without a sign.
    fn fits(self) -> bool {
        self.is_natural() || self.is_signed()
    }
}

fn of_constant(value: Value<'_>) -> Option<Bounds> {
    let number = repeated_constant(value).filter(|_| is_word(value.ty()))?.as_const_signed()?;
    Some(Bounds { low: number, high: number })
}

pub(super) fn is_word(ty: Type<'_>) -> bool {
    ty.is_vector()
        && ty.len() == u64::from(LANES)
        && ty.element().is_int()
        && ty.element().bits() == 32
}

/// A number that is made longer.
fn of_leaf(value: Value<'_>) -> Option<Bounds> {
    let bits = match value.opcode() {
        Opcode::LLVMZExt | Opcode::LLVMSExt => value.operand(0).ty().element().bits(),
        _ => return None,
    };
    if bits > 16 {
        return None;
    }
    Some(match value.opcode() {
        Opcode::LLVMZExt => Bounds { low: 0, high: (1 << bits) - 1 },
        _ => Bounds { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 },
    })
}

/// The operands that are numbers of the same kind as the result.
fn numbers(value: Value<'_>) -> Vec<Value<'_>> {
    match value.opcode() {
        Opcode::LLVMSelect => vec![value.operand(1), value.operand(2)],
        _ => vec![value.operand(0), value.operand(1)],
    }
}

/// The bounds of an operation on numbers within bounds, if it is one that can be done in 16 bits.
fn of_operation(value: Value<'_>, x: Bounds, y: Bounds) -> Option<Bounds> {
    let by = || (y.low == y.high && (0..16).contains(&y.low)).then_some(y.low);
    let bounds = |corners: [i64; 4]| {
        let [a, b, c, d] = corners;
        Some(Bounds { low: a.min(b).min(c).min(d), high: a.max(b).max(c).max(d) })
    };
    match value.opcode() {
        Opcode::LLVMAdd => Some(Bounds { low: x.low + y.low, high: x.high + y.high }),
        Opcode::LLVMSub => Some(Bounds { low: x.low - y.high, high: x.high - y.low }),
        Opcode::LLVMMul => bounds([x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high]),
        Opcode::LLVMShl => by().map(|by| Bounds { low: x.low << by, high: x.high << by }),
        Opcode::LLVMLShr if x.is_natural() => {
            by().map(|by| Bounds { low: x.low >> by, high: x.high >> by })
        }
        Opcode::LLVMAnd if x.low >= 0 || y.low >= 0 => {
            let of = |it: Bounds| if it.low >= 0 { it.high } else { i64::MAX };
            Some(Bounds { low: 0, high: of(x).min(of(y)) })
        }
        Opcode::LLVMOr | Opcode::LLVMXor if x.low >= 0 && y.low >= 0 => {
            let most = x.high.max(y.high) as u64 + 1;
            Some(Bounds { low: 0, high: most.next_power_of_two() as i64 - 1 })
        }
        Opcode::LLVMSelect => bounds([x.low, x.high, y.low, y.high]),
        _ => None,
    }
}

struct Code<'c> {
    /// All words that 16 bits hold, but for constants.
    bounds: FxHashMap<Value<'c>, Bounds>,
    /// The operations among them: operands come before.
    operations: Vec<Value<'c>>,
}

impl<'c> Code<'c> {
    fn of(function: Value<'c>) -> Self {
        let mut this = Self { bounds: FxHashMap::default(), operations: Vec::new() };
        for block in function.blocks() {
            for value in block.instructions().into_iter().filter(|it| is_word(it.ty())) {
                if let Some(bounds) = of_leaf(value) {
                    this.bounds.insert(value, bounds);
                } else if let Some(bounds) = this.of_arithmetic(value) {
                    this.bounds.insert(value, bounds);
                    this.operations.push(value);
                }
            }
        }
        this
    }

    fn of_arithmetic(&self, value: Value<'c>) -> Option<Bounds> {
        use Opcode::*;
        let opcodes =
            [LLVMAdd, LLVMSub, LLVMMul, LLVMShl, LLVMLShr, LLVMAnd, LLVMOr, LLVMXor, LLVMSelect];
        if !opcodes.contains(&value.opcode()) {
            return None;
        }
        let numbers = numbers(value);
        let (x, y) = (self.of_value(numbers[0])?, self.of_value(numbers[1])?);
        of_operation(value, x, y).filter(|it| it.fits())
    }

    fn of_value(&self, value: Value<'c>) -> Option<Bounds> {
        self.bounds.get(&value).copied().or_else(|| of_constant(value)).filter(|it| it.fits())
    }

    /// How a user takes a value without its other 16 bits.
    fn narrow_use(&self, user: Value<'c>) -> Option<Use> {
        match user.opcode() {
            Opcode::LLVMTrunc if user.ty().element().bits() <= 16 => Some(Use::Truncation),
            Opcode::LLVMICmp => {
                let (x, y) = (self.of_value(user.operand(0))?, self.of_value(user.operand(1))?);
                if x.is_signed() && y.is_signed() {
                    // Numbers with a sign are in the same order when they are taken for such without one.
                    Some(Use::Comparison(user.int_predicate()))
                } else if x.is_natural() && y.is_natural() {
                    Some(Use::Comparison(without_sign(user.int_predicate())))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The operations that are done in 16 bits: those that hang together, if they are more than what it takes to
    /// make results longer again.
    fn worth(&self) -> FxHashSet<Value<'c>> {
        let mut group_of: FxHashMap<Value<'c>, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<Value<'c>>> = Vec::new();
        for &operation in &self.operations {
            let mut group = groups.len();
            groups.push(vec![operation]);
            group_of.insert(operation, group);
            for number in numbers(operation) {
                let Some(&other) = group_of.get(&number).filter(|&&other| other != group) else {
                    continue;
                };
                // The smaller one joins the larger one.
                let (from, to) = if groups[group].len() < groups[other].len() {
                    (group, other)
                } else {
                    (other, group)
                };
                let members = std::mem::take(&mut groups[from]);
                for &member in &members {
                    group_of.insert(member, to);
                }
                groups[to].extend(members);
                group = to;
            }
        }
        groups.into_iter().filter(|group| self.is_worth(group)).flatten().collect()
    }

    fn is_worth(&self, group: &[Value<'c>]) -> bool {
        let is_longer = |operation: &&Value<'c>| {
            let is_wide = |user: &Value<'c>| {
                !self.bounds.contains_key(user) && self.narrow_use(*user).is_none()
            };
            operation.users().iter().any(is_wide)
        };
        group.len() >= FEWEST && group.iter().filter(is_longer).count() * 3 <= group.len()
    }

    fn rewrite(&self, module: &Module<'c>, worth: &FxHashSet<Value<'c>>) {
        let narrow = module.context().int(16).vector(LANES);
        let b = module.context().builder();
        let mut short = Short { narrow, made: FxHashMap::default() };
        for &operation in self.operations.iter().filter(|it| worth.contains(it)) {
            let operands: Vec<_> =
                numbers(operation).into_iter().map(|it| short.of(&b, it)).collect();
            b.position_before(operation);
            short.made.insert(operation, operate(&b, operation, operands[0], operands[1]));
        }
        for &operation in self.operations.iter().filter(|it| worth.contains(it)) {
            let Some(&made) = short.made.get(&operation) else { continue };
            let mut longer = None;
            for user in operation.users() {
                if worth.contains(&user) || !user.has_uses() && is_narrowing(user) {
                    continue;
                }
                match self.narrow_use(user) {
                    Some(Use::Truncation) => {
                        b.position_before(user);
                        user.replace_all_uses_with(b.trunc(made, user.ty()));
                    }
                    Some(Use::Comparison(predicate)) => {
                        let [x, y] = [0, 1].map(|index| short.of(&b, user.operand(index)));
                        b.position_before(user);
                        user.replace_all_uses_with(b.icmp(predicate, x, y));
                    }
                    None => {
                        let longer = *longer.get_or_insert_with(|| {
                            b.position_before(operation);
                            self.longer(&b, operation, made)
                        });
                        for index in 0..user.operand_count() {
                            if user.operand(index) == operation {
                                user.set_operand(index, longer);
                            }
                        }
                    }
                }
            }
        }
        self.erase(worth);
    }

    fn longer(&self, b: &Builder<'c>, operation: Value<'c>, made: Value<'c>) -> Value<'c> {
        match self.bounds.get(&operation) {
            Some(bounds) if bounds.is_natural() => b.zext(made, operation.ty()),
            _ => b.sext(made, operation.ty()),
        }
    }

    /// Removes what nobody uses any more.
    fn erase(&self, worth: &FxHashSet<Value<'c>>) {
        for &operation in self.operations.iter().rev().filter(|it| worth.contains(it)) {
            let users: FxHashSet<_> = operation.users().into_iter().collect();
            for user in users.into_iter().filter(|&user| is_narrowing(user) && !user.has_uses()) {
                user.erase();
            }
            operation.erase();
        }
        for &leaf in self.bounds.keys() {
            if !worth.contains(&leaf) && of_leaf(leaf).is_some() && !leaf.has_uses() {
                leaf.erase();
            }
        }
    }
}

/// Has a result that is no word.
fn is_narrowing(user: Value<'_>) -> bool {
    matches!(user.opcode(), Opcode::LLVMICmp | Opcode::LLVMTrunc)
}

enum Use {
    Truncation,
    /// As a comparison of 16 bits.
    Comparison(IntPredicate),
}

pub(super) fn without_sign(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntSLT => LLVMIntULT,
        LLVMIntSLE => LLVMIntULE,
        LLVMIntSGT => LLVMIntUGT,
        LLVMIntSGE => LLVMIntUGE,
        other => other,
    }
}

/// The lower 16 bits of words.
struct Short<'c> {
    narrow: Type<'c>,
    made: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'c> Short<'c> {
    /// Moves the builder.
    fn of(&mut self, b: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        if let Some(&made) = self.made.get(&value) {
            return made;
        }
        if let Some(number) = repeated_constant(value).and_then(Value::as_const_int) {
            return b.splat(self.narrow.element().const_int(number & u64::from(u16::MAX)), LANES);
        }
        b.position_before(value);
        let made = match value.opcode() {
            Opcode::LLVMZExt => b.zext(value.operand(0), self.narrow),
            Opcode::LLVMSExt => b.sext(value.operand(0), self.narrow),
            // It stays a word.
            _ => {
                if let Some(next) = value.next_instruction() {
                    b.position_before(next);
                }
                b.trunc(value, self.narrow)
            }
        };
        self.made.insert(value, made);
        made
    }
}

/// The operation in 16 bits.
fn operate<'c>(b: &Builder<'c>, operation: Value<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    match operation.opcode() {
        Opcode::LLVMAdd => b.add(x, y),
        Opcode::LLVMSub => b.sub(x, y),
        Opcode::LLVMMul => b.mul(x, y),
        Opcode::LLVMShl => b.shl(x, y),
        Opcode::LLVMLShr => b.lshr(x, y),
        Opcode::LLVMAnd => b.and(x, y),
        Opcode::LLVMOr => b.or(x, y),
        Opcode::LLVMXor => b.xor(x, y),
        _ => b.select(operation.operand(0), x, y),
    }
}
