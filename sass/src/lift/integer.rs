//! Integers: sums, products, shifts, logic, comparisons, and what counts and moves bits.

use super::emit::{Truth, unsupported};
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::operand::{self, Operands, Target, bits, integer, signs, wide_integer};
use super::shifts;
use super::sums;
use crate::instruction::{Immediate, Instruction, Operand, Predicate};

/// The terms of a sum in 64 bits, so that carries are seen, and in 32 where nobody wants them.
enum Width {
    Narrow,
    Wide,
}

/// A term: complement and one for a minus, as the adder has it.
fn term(machine: &mut Machine, operand: &Operand, width: &Width) -> Result<String, Reason> {
    let Width::Wide = width else { return integer(machine, operand) };
    let signs = signs(operand);
    let plain = bits(machine, operand)?;
    let emit = &mut machine.emit;
    if signs.negated {
        let inverted = emit.b32("not.b32", &[&plain]);
        let wide = emit.b64("cvt.u64.u32", &[&inverted]);
        return Ok(emit.b64("add.s64", &[&wide, "1"]));
    }
    let value = if signs.inverted { emit.b32("not.b32", &[&plain]) } else { plain };
    let value = emit.in_register(&value);
    Ok(emit.b64("cvt.u64.u32", &[&value]))
}

/// Adds terms and carries, and leaves the sum and how often it overflows.
fn sum(
    machine: &mut Machine,
    target: Target,
    carries_out: &[Predicate],
    terms: Vec<String>,
    carries: &[Truth],
    width: Width,
) {
    let emit = &mut machine.emit;
    let mut terms: Vec<String> = terms.into_iter().filter(|term| term != "0").collect();
    for carry in carries {
        let word = emit.truth_word(carry);
        match width {
            _ if word == "0" => {}
            Width::Narrow => terms.push(word),
            Width::Wide => {
                let word = emit.in_register(&word);
                terms.push(emit.b64("cvt.u64.u32", &[&word]));
            }
        }
    }
    let last = terms.pop().unwrap_or_else(|| "0".to_owned());
    match width {
        Width::Narrow => {
            let Some((first, rest)) = terms.split_first() else {
                return machine.set(target, &last);
            };
            let mut total = first.clone();
            for term in rest {
                total = emit.b32("add.s32", &[&total, term]);
            }
            machine.put(target, "add.s32", &[&total, &last]);
        }
        Width::Wide => {
            let total = terms.iter().fold(last, |total, term| emit.b64("add.s64", &[&total, term]));
            let (low, high) = emit.halves(&total);
            let flags: Vec<_> = carries_out
                .iter()
                .enumerate()
                .map(|(index, _)| {
                    Truth::Register(emit.flag("setp.gt.u32", &[&high, &index.to_string()]), false)
                })
                .collect();
            machine.emit.keep_guard();
            machine.set(target, &low);
            for (place, flag) in carries_out.iter().zip(&flags) {
                machine.set_predicate(*place, flag);
            }
        }
    }
}

/// The predicates that follow a result: carries.
fn carries_out(operands: &mut Operands) -> Vec<Predicate> {
    std::iter::from_fn(|| operands.optional_predicate()).collect()
}

fn carries_in(machine: &mut Machine, operands: &mut Operands) -> Result<Vec<Truth>, Reason> {
    let mut carries = Vec::new();
    while operands.left() > 0 {
        carries.push(operands.truth(machine)?);
    }
    Ok(carries)
}

/// IADD3 R, [P, [P,]] a, b, c [, carry, carry]
pub(super) fn iadd3(machine: &mut Machine, mut o: Operands) -> Lifted {
    if o.instruction.has("64") {
        return iadd3_of_64(machine, o);
    }
    let target = o.target()?;
    let out = carries_out(&mut o);
    let width = if out.is_empty() { Width::Narrow } else { Width::Wide };
    let operands = [o.next()?, o.next()?, o.next()?];
    let carries = carries_in(machine, &mut o)?;
    if out.is_empty() && sums::upper(machine, target, &operands, &carries)? {
        return Ok(());
    }
    if !out.is_empty() && carries.is_empty() {
        sums::is_lower(machine, target, &out, &operands, 0)?;
    }
    let mut terms = Vec::new();
    for operand in operands.into_iter().filter(|operand| !sums::is_zero(operand)) {
        terms.push(term(machine, operand, &width)?);
    }
    sum(machine, target, &out, terms, &carries, width);
    Ok(())
}

/// UIADD3.64 UR, a, b, c: of two registers each.
fn iadd3_of_64(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    if o.instruction.has("X") || !carries_out(&mut o).is_empty() {
        return unsupported("carries of 64 bits");
    }
    let mut sum = machine.emit.b64("mov.b64", &["0"]);
    for _ in 0..3 {
        let term = match o.next()? {
            // A number of 32 bits; whether its sign is one of 64 is not known.
            Operand::Immediate(Immediate::Integer(number @ 0..=0x7fff_ffff)) => number.to_string(),
            Operand::Immediate(_) => return unsupported("a negative number of 32 bits in 64"),
            other => wide_integer(machine, other)?,
        };
        sum = machine.emit.b64("add.s64", &[&sum, &term]);
    }
    machine.set_wide(target, &sum);
    o.end()
}

/// IMAD R, a, b, c [, carry]: the low half; .HI: the high half of a product with a sum of 64 bits; .WIDE: both.
pub(super) fn imad(machine: &mut Machine, mut o: Operands) -> Lifted {
    let instruction = o.instruction;
    let unsigned = instruction.has("U32");
    let target = o.target()?;
    let out = carries_out(&mut o);
    let [a, b, c] = [o.next()?, o.next()?, o.next()?];
    let carries = carries_in(machine, &mut o)?;
    let is_wide = instruction.has("WIDE");
    if !is_wide && !instruction.has("HI") {
        if !out.is_empty() {
            return unsupported("a carry of IMAD");
        }
        if let Some(terms) = terms_of_product([a, b, c])
            && sums::upper(machine, target, &terms, &carries)?
        {
            return Ok(());
        }
        if let Operand::Immediate(Immediate::Integer(factor)) = b
            && factor.count_ones() == 1
            && sums::is_zero(c)
            && carries.is_empty()
            && shifts::lower(machine, target, a, factor.trailing_zeros())
        {
            return Ok(());
        }
        let [x, y, z] = [integer(machine, a)?, integer(machine, b)?, integer(machine, c)?];
        let carry = carries.into_iter().next().unwrap_or(Truth::Constant(false));
        let word = machine.emit.truth_word(&carry);
        let z = match (z.as_str(), word.as_str()) {
            (_, "0") => z,
            ("0", _) => word,
            _ => machine.emit.b32("add.s32", &[&z, &word]),
        };
        match (x.as_str(), y.as_str(), z.as_str()) {
            ("0", ..) | (_, "0", _) => machine.set(target, &z),
            (_, "0x1", "0") => machine.set(target, &x),
            (_, "0x1", _) => machine.put(target, "add.s32", &[&x, &z]),
            (.., "0") => machine.put(target, "mul.lo.s32", &[&x, &y]),
            _ => machine.put(target, "mad.lo.s32", &[&x, &y, &z]),
        }
        return Ok(());
    }
    // A minus is one of the product or of the sum, not of a factor that is as wide as it can be.
    let (product_minus, x, y) = factors(machine, a, b)?;
    let operation = if unsigned { "mul.wide.u32" } else { "mul.wide.s32" };
    let [x, y] = [x, y].map(|factor| machine.emit.in_register(&factor));
    let product = machine.emit.b64(operation, &[&x, &y]);
    let product = if product_minus { machine.emit.b64("neg.s64", &[&product]) } else { product };
    if matches!(c, Operand::Immediate(_)) {
        return unsupported("a number that is added to a product of 64 bits");
    }
    let addend = wide_integer(machine, c)?;
    let emit = &mut machine.emit;
    let total = emit.b64("add.s64", &[&product, &addend]);
    let mut overflow = if out.is_empty() {
        Truth::Constant(false)
    } else {
        Truth::Register(emit.flag("setp.lt.u64", &[&total, &addend]), false)
    };
    let carry = carries.into_iter().next().unwrap_or(Truth::Constant(false));
    let word = emit.truth_word(&carry);
    let total = if word == "0" {
        total
    } else {
        let word = emit.in_register(&word);
        let word = emit.b64("cvt.u64.u32", &[&word]);
        let more = emit.b64("add.s64", &[&total, &word]);
        if !out.is_empty() {
            let again = Truth::Register(emit.flag("setp.lt.u64", &[&more, &word]), false);
            overflow = emit.join("or", &overflow, &again);
        }
        more
    };
    if out.len() > 1 || (product_minus && !out.is_empty()) {
        return unsupported("carries of IMAD");
    }
    machine.emit.keep_guard();
    if is_wide {
        machine.set_wide(target, &total);
    } else {
        let high = machine.emit.high(&total);
        machine.set(target, &high);
    }
    for place in out {
        machine.set_predicate(place, &overflow);
    }
    Ok(())
}

/// What is added, where a product is none.
fn terms_of_product([a, b, c]: [&Operand; 3]) -> Option<[&Operand; 2]> {
    let is_zero = |o: &Operand| matches!(o, Operand::Register(register) if register.is_zero());
    match b {
        Operand::Immediate(Immediate::Integer(1)) => Some([a, c]),
        _ if is_zero(b) && is_zero(a) => Some([b, c]),
        _ => None,
    }
}

fn factors(
    machine: &mut Machine,
    a: &Operand,
    b: &Operand,
) -> Result<(bool, String, String), Reason> {
    let minus = signs(a).negated != signs(b).negated;
    if signs(a).inverted || signs(b).inverted {
        return unsupported("a complement of a factor");
    }
    Ok((minus, bits(machine, a)?, bits(machine, b)?))
}

/// LEA R, [P,] a, b, [c,] shift [, carry]: the sum of a shifted number, of 64 bits (c:a) for .HI, and b.
pub(super) fn lea(machine: &mut Machine, mut o: Operands) -> Lifted {
    let instruction = o.instruction;
    let target = o.target()?;
    let out = carries_out(&mut o);
    let a = o.next()?;
    let b = o.next()?;
    let high = instruction.has("HI");
    let upper = if high && !instruction.has("SX32") { Some(o.next()?) } else { None };
    let shift = o.integer()? & 31;
    let carries = carries_in(machine, &mut o)?;
    match (high, out.is_empty()) {
        (true, true)
            if sums::upper_of_shifted(machine, target, [a, b], upper, shift as u32, &carries)? =>
        {
            return Ok(());
        }
        (false, false) => sums::is_lower(machine, target, &out, &[a, b], shift as u32)?,
        _ => {}
    }
    let plain = bits(machine, a)?;
    let intermediate = if !high {
        if shift == 0 { plain } else { machine.emit.b32("shl.b32", &[&plain, &shift.to_string()]) }
    } else {
        let above = match upper {
            Some(upper) => bits(machine, upper)?,
            None => machine.emit.b32("shr.s32", &[&plain, "31"]),
        };
        if shift == 0 {
            above
        } else if above == "0" {
            machine.emit.b32("shr.u32", &[&plain, &(32 - shift).to_string()])
        } else {
            machine.emit.b32("shf.l.clamp.b32", &[&plain, &above, &shift.to_string()])
        }
    };
    let signs = signs(a);
    let emit = &mut machine.emit;
    if out.is_empty() {
        let value =
            if signs.inverted { emit.b32("not.b32", &[&intermediate]) } else { intermediate };
        let value = if signs.negated { operand::negated(emit, &value) } else { value };
        let b = term(machine, b, &Width::Narrow)?;
        sum(machine, target, &[], vec![value, b], &carries, Width::Narrow);
        return Ok(());
    }
    let value = if signs.negated || signs.inverted {
        emit.b32("not.b32", &[&intermediate])
    } else {
        intermediate
    };
    let value = emit.in_register(&value);
    let value = emit.b64("cvt.u64.u32", &[&value]);
    let value = if signs.negated { emit.b64("add.s64", &[&value, "1"]) } else { value };
    let b = term(machine, b, &Width::Wide)?;
    sum(machine, target, &out, vec![value, b], &carries, Width::Wide);
    Ok(())
}

/// IABS R, a
pub(super) fn iabs(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let a = integer(machine, o.next()?)?;
    machine.put(target, "abs.s32", &[&a]);
    o.end()
}

/// IMNMX R, a, b, P: the smaller where P. VIMNMX, of halves too, and with negative results as zeros.
pub(super) fn imnmx(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [a, b] = [integer(machine, o.next()?)?, integer(machine, o.next()?)?];
    extreme(machine, i, target, o, &a, &b)
}

/// VIMNMX3 R, a, b, c, P: the smallest of three where P.
pub(super) fn vimnmx3(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [a, b] = [integer(machine, o.next()?)?, integer(machine, o.next()?)?];
    let c = integer(machine, o.next()?)?;
    let smaller = o.truth(machine)?;
    o.end()?;
    let of_two = extreme_of(machine, i, &smaller, &a, &b);
    let of_all = extreme_of(machine, i, &smaller, &of_two, &c);
    machine.set(target, &of_all);
    Ok(())
}

/// VIADDMNMX R, a, b, c, P: the smaller of the sum of the first two and the third.
pub(super) fn viaddmnmx(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let halves = i.has("S16x2") || i.has("U16x2");
    let sum = added(machine, &mut o, halves)?;
    let c = integer(machine, o.next()?)?;
    extreme(machine, i, target, o, &sum, &c)
}

/// VIADD R, a, b
pub(super) fn viadd(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let halves = o.instruction.has("16x2");
    let sum = added(machine, &mut o, halves)?;
    machine.set(target, &sum);
    o.end()
}

/// The sum of the next two operands.
fn added(machine: &mut Machine, o: &mut Operands, halves: bool) -> Result<String, Reason> {
    let [a, b] = [o.next()?, o.next()?];
    if halves && (signs(a).negated || signs(b).negated) {
        return unsupported("a minus of halves");
    }
    let [a, b] = [a, b].map(|operand| integer(machine, operand));
    let [a, b] = [machine.emit.in_register(&a?), machine.emit.in_register(&b?)];
    Ok(machine.emit.b32(if halves { "add.u16x2" } else { "add.s32" }, &[&a, &b]))
}

/// The smaller of two numbers where the predicate that is left holds, the greater elsewhere.
fn extreme(
    machine: &mut Machine,
    i: &Instruction,
    target: Target,
    mut o: Operands,
    a: &str,
    b: &str,
) -> Lifted {
    let smaller = o.truth(machine)?;
    o.end()?;
    let value = extreme_of(machine, i, &smaller, a, b);
    machine.set(target, &value);
    Ok(())
}

fn extreme_of(machine: &mut Machine, i: &Instruction, smaller: &Truth, a: &str, b: &str) -> String {
    let type_ = match () {
        () if i.has("U32") => "u32",
        () if i.has("U16x2") => "u16x2",
        () if i.has("S16x2") => "s16x2",
        () => "s32",
    };
    let relu = if i.has("RELU") { ".relu" } else { "" };
    let [a, b] = match type_.ends_with("x2") {
        true => [machine.emit.in_register(a), machine.emit.in_register(b)],
        false => [a.to_owned(), b.to_owned()],
    };
    let mut one = |name: &str| machine.emit.b32(&format!("{name}{relu}.{type_}"), &[&a, &b]);
    match smaller {
        Truth::Constant(true) => one("min"),
        Truth::Constant(false) => one("max"),
        smaller => {
            let [min, max] = [one("min"), one("max")];
            machine.emit.select(smaller, &min, &max)
        }
    }
}

/// SEL R, a, b, P
pub(super) fn sel(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let is_float = o.instruction.opcode == "FSEL";
    let read = if is_float { operand::float } else { integer };
    let [a, b] = [read(machine, o.next()?)?, read(machine, o.next()?)?];
    let truth = o.truth(machine)?;
    o.end()?;
    let value = machine.emit.select(&truth, &a, &b);
    machine.set(target, &value);
    Ok(())
}

/// MOV R, a [, mask of bytes]
pub(super) fn mov(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let a = integer(machine, o.next()?)?;
    if o.left() > 0 && o.integer()? != 0xf {
        return unsupported("a mask of bytes");
    }
    machine.set(target, &a);
    Ok(())
}

/// SHF.L or .R: R, low, shift, high. A shift of 64 bits, of which .HI leaves the upper half.
pub(super) fn shf(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [low_of, shift_of, of] = [o.next()?, o.next()?, o.next()?];
    o.end()?;
    let [low, shift, high] =
        [integer(machine, low_of)?, integer(machine, shift_of)?, integer(machine, of)?];
    let to_the_left = match shift_of {
        Operand::Immediate(Immediate::Integer(by @ 1..32)) if i.has("L") => Some(*by as u32),
        _ => None,
    };
    let wide = i.has("U64") || i.has("S64");
    let signed = i.has("S32") || i.has("S64");
    let (left, wrap, upper) = (i.has("L"), i.has("W"), i.has("HI"));
    if !wide {
        if left == upper {
            let way = if left { 'l' } else { 'r' };
            let mode = if wrap { "wrap" } else { "clamp" };
            machine.put(target, &format!("shf.{way}.{mode}.b32"), &[&low, &high, &shift]);
            return Ok(());
        }
        if signed && !wrap && low == "0" && shift == "0x1f" {
            sums::is_sign(machine, target, of);
        }
        if let Some(by) = to_the_left
            && shifts::lower(machine, target, low_of, by)
        {
            return Ok(());
        }
        // Nothing of the other half comes in, and shifts of 32 bits end at their width.
        let shift = if wrap { machine.emit.b32("and.b32", &[&shift, "31"]) } else { shift };
        match (left, signed) {
            (true, _) => machine.put(target, "shl.b32", &[&low, &shift]),
            (false, true) => machine.put(target, "shr.s32", &[&high, &shift]),
            (false, false) => machine.put(target, "shr.u32", &[&high, &shift]),
        }
        return Ok(());
    }
    let emit = &mut machine.emit;
    let shift = if wrap { emit.b32("and.b32", &[&shift, "63"]) } else { shift };
    let value = emit.joined(&low, &high);
    let operation = match (left, signed) {
        (true, _) => "shl.b64",
        (false, true) => "shr.s64",
        (false, false) => "shr.u64",
    };
    let shifted = emit.b64(operation, &[&value, &shift]);
    let (low, high) = emit.halves(&shifted);
    if let (Some(by), true) = (to_the_left, upper) {
        shifts::upper(machine, low_of, by, &low);
    }
    machine.set(target, if upper { &high } else { &low });
    Ok(())
}

/// LOP3.LUT [P,] R, a, b, c, table, P
pub(super) fn lop3(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let flag = o.optional_predicate();
    let target = o.target()?;
    let [a, b, c] = [o.next()?, o.next()?, o.next()?];
    let [a, b, c] = [integer(machine, a)?, integer(machine, b)?, integer(machine, c)?];
    let table = o.integer()?;
    let input = if o.left() > 0 { o.truth(machine)? } else { Truth::Constant(false) };
    o.end()?;
    let operands = match table {
        0xc0 => Some(("and.b32", vec![&a, &b])),
        0xfc => Some(("or.b32", vec![&a, &b])),
        0x3c => Some(("xor.b32", vec![&a, &b])),
        0x33 => Some(("not.b32", vec![&b])),
        0x0f => Some(("not.b32", vec![&a])),
        _ => None,
    };
    let table = table.to_string();
    let (operation, operands): (_, Vec<&str>) = match &operands {
        Some((operation, operands)) => (*operation, operands.iter().map(|o| o.as_str()).collect()),
        None => ("lop3.b32", vec![&a, &b, &c, &table]),
    };
    let Some(flag) = flag else {
        machine.put(target, operation, &operands);
        return Ok(());
    };
    let value = machine.emit.b32(operation, &operands);
    let found = Truth::Register(machine.emit.flag("setp.ne.u32", &[&value, "0"]), false);
    let joined = machine.emit.join(if i.has("PAND") { "and" } else { "or" }, &found, &input);
    machine.emit.keep_guard();
    machine.set(target, &value);
    machine.set_predicate(flag, &joined);
    Ok(())
}

/// A function of three truths by its table.
fn table_of_truths(machine: &mut Machine, [a, b, c]: &[Truth; 3], table: i64) -> Truth {
    let mut result = Truth::Constant(false);
    for row in 0..8 {
        if table >> row & 1 == 0 {
            continue;
        }
        let side = |truth: &Truth, bit: i64| {
            if row >> bit & 1 == 1 { truth.clone() } else { truth.clone().not() }
        };
        let emit = &mut machine.emit;
        let both = emit.join("and", &side(a, 2), &side(b, 1));
        let all = emit.join("and", &both, &side(c, 0));
        result = emit.join("or", &result, &all);
    }
    result
}

/// PLOP3.LUT P, Q, a, b, c, table, table
pub(super) fn plop3(machine: &mut Machine, mut o: Operands) -> Lifted {
    let [p, q] = [o.predicate()?, o.predicate()?];
    let inputs = [o.truth(machine)?, o.truth(machine)?, o.truth(machine)?];
    let tables = [o.integer()?, o.integer()?];
    o.end()?;
    let value = table_of_truths(machine, &inputs, tables[0]);
    let other = if q.number == Predicate::PT {
        Truth::Constant(false)
    } else {
        table_of_truths(machine, &inputs, tables[1])
    };
    machine.emit.keep_guard();
    let value = machine.copied(value);
    let other = machine.copied(other);
    machine.set_predicate(p, &value);
    machine.set_predicate(q, &other);
    Ok(())
}

impl Machine<'_> {
    /// A truth that later writes do not change.
    pub(super) fn copied(&mut self, truth: Truth) -> Truth {
        match truth {
            Truth::Register(name, not) if !name.starts_with("%q") => {
                Truth::Register(self.emit.flag("mov.pred", &[&name]), not)
            }
            other => other,
        }
    }
}

/// The name that PTX has for the comparison among the modifiers.
pub(super) fn comparison(modifiers: &[&str]) -> Option<&'static str> {
    const NAMES: [(&str, &str); 14] = [
        ("LT", "lt"),
        ("EQ", "eq"),
        ("LE", "le"),
        ("GT", "gt"),
        ("NE", "ne"),
        ("GE", "ge"),
        ("NUM", "num"),
        ("NAN", "nan"),
        ("LTU", "ltu"),
        ("EQU", "equ"),
        ("LEU", "leu"),
        ("GTU", "gtu"),
        ("NEU", "neu"),
        ("GEU", "geu"),
    ];
    // The first modifier compares; later ones may have the same letters.
    modifiers
        .iter()
        .find_map(|modifier| NAMES.iter().find(|(name, _)| name == modifier))
        .map(|(_, name)| *name)
}

/// The join with the last predicate among the modifiers.
pub(super) fn join_name(modifiers: &[&str]) -> &'static str {
    match modifiers {
        m if m.contains(&"OR") => "or",
        m if m.contains(&"XOR") => "xor",
        _ => "and",
    }
}

/// ISETP P, Q, a, b, c [, result of the lower halves]
pub(super) fn isetp(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let [p, q] = [o.predicate()?, o.predicate()?];
    let [a, b] = [integer(machine, o.next()?)?, integer(machine, o.next()?)?];
    let input = o.truth(machine)?;
    let lower = if i.has("EX") { Some(o.truth(machine)?) } else { None };
    o.end()?;
    let name = match i.modifiers.first().copied() {
        Some("T") => None,
        Some("F") => None,
        _ => Some(
            comparison(&i.modifiers).ok_or_else(|| Reason::Invalid("no comparison".to_owned()))?,
        ),
    };
    let type_ = if i.has("U32") { "u32" } else { "s32" };
    let mut found = match name {
        None => Truth::Constant(i.has("T")),
        Some(name) => {
            Truth::Register(machine.emit.flag(&format!("setp.{name}.{type_}"), &[&a, &b]), false)
        }
    };
    if let Some(lower) = lower {
        let emit = &mut machine.emit;
        let equal = Truth::Register(emit.flag("setp.eq.u32", &[&a, &b]), false);
        let of_lower = emit.join("and", &equal, &lower);
        let of_upper = emit.join("and", &equal.not(), &found);
        found = emit.join("or", &of_lower, &of_upper);
    }
    leave_comparison(machine, [p, q], found, &input, &i.modifiers);
    Ok(())
}

/// Joins a comparison and its opposite with a predicate, and leaves both.
pub(super) fn leave_comparison(
    machine: &mut Machine,
    [p, q]: [Predicate; 2],
    found: Truth,
    input: &Truth,
    modifiers: &[&str],
) {
    let join = join_name(modifiers);
    let value = machine.emit.join(join, &found, input);
    let value = machine.copied(value);
    let opposite = if q.number == Predicate::PT {
        Truth::Constant(false)
    } else {
        let opposite = machine.emit.join(join, &found.not(), input);
        machine.copied(opposite)
    };
    machine.emit.keep_guard();
    machine.set_predicate(p, &value);
    machine.set_predicate(q, &opposite);
}

/// PRMT R, a, selector, b
pub(super) fn prmt(machine: &mut Machine, mut o: Operands) -> Lifted {
    let mode = match o.instruction.modifiers.as_slice() {
        [] | ["IDX"] => "",
        ["F4E"] => ".f4e",
        ["B4E"] => ".b4e",
        ["RC8"] => ".rc8",
        ["ECL"] => ".ecl",
        ["ECR"] => ".ecr",
        ["RC16"] => ".rc16",
        _ => return unsupported("a mode"),
    };
    let target = o.target()?;
    let [a, selector, b] = [o.next()?, o.next()?, o.next()?];
    o.end()?;
    let [a, selector, b] =
        [integer(machine, a)?, integer(machine, selector)?, integer(machine, b)?];
    machine.put(target, &format!("prmt.b32{mode}"), &[&a, &b, &selector]);
    Ok(())
}

/// Operations of one source and one result.
pub(super) fn popc(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let a = integer(machine, o.next()?)?;
    let operation = match o.instruction.opcode.trim_start_matches('U') {
        "POPC" => "popc.b32",
        _ => "brev.b32",
    };
    machine.put(target, operation, &[&a]);
    o.end()
}

/// FLO R, a: the place of the first bit that counts, or -1.
pub(super) fn flo(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let found = o.optional_predicate();
    let a = integer(machine, o.next()?)?;
    o.end()?;
    let type_ = if i.has("U32") { "u32" } else { "s32" };
    let shift = if i.has("SH") { ".shiftamt" } else { "" };
    let value = machine.emit.b32(&format!("bfind{shift}.{type_}"), &[&a]);
    let truth = Truth::Register(machine.emit.flag("setp.ne.u32", &[&value, "0xffffffff"]), false);
    machine.emit.keep_guard();
    machine.set(target, &value);
    found.into_iter().for_each(|found| machine.set_predicate(found, &truth));
    Ok(())
}

/// BMSK R, position, width
pub(super) fn bmsk(machine: &mut Machine, mut o: Operands) -> Lifted {
    let mode = if o.instruction.has("W") { "wrap" } else { "clamp" };
    let target = o.target()?;
    let [a, b] = [integer(machine, o.next()?)?, integer(machine, o.next()?)?];
    machine.put(target, &format!("bmsk.{mode}.b32"), &[&a, &b]);
    o.end()
}

/// SGXT R, a, width
pub(super) fn sgxt(machine: &mut Machine, mut o: Operands) -> Lifted {
    let mode = if o.instruction.has("W") { "wrap" } else { "clamp" };
    let type_ = if o.instruction.has("U32") { "u32" } else { "s32" };
    let target = o.target()?;
    let [a, b] = [integer(machine, o.next()?)?, integer(machine, o.next()?)?];
    machine.put(target, &format!("szext.{mode}.{type_}"), &[&a, &b]);
    o.end()
}

/// VABSDIFF R, a, b, c: the distance of a and b, and c. VABSDIFF4: of their bytes.
pub(super) fn vabsdiff(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [a, b] = [integer(machine, o.next()?)?, integer(machine, o.next()?)?];
    let c = integer(machine, o.next()?)?;
    o.end()?;
    if i.opcode == "VABSDIFF4" {
        let sides = |name: &str| match name {
            "U8" => Some("u32"),
            "S8" => Some("s32"),
            _ => None,
        };
        let types: Vec<_> = i.modifiers.iter().filter_map(|name| sides(name)).collect();
        let [x, y] = match types.as_slice() {
            [] => ["u32", "u32"],
            [one] => [*one, *one],
            [one, other, ..] => [*one, *other],
        };
        let add = if i.has("ACC") { ".add" } else { "" };
        let saturate = if i.has("SAT") { ".sat" } else { "" };
        machine.put(target, &format!("vabsdiff4.u32.{x}.{y}{saturate}{add}"), &[&a, &b, &c]);
        return Ok(());
    }
    let operation = if i.has("U32") { "u32" } else { "s32" };
    if i.modifiers.iter().any(|name| *name != "U32") {
        return unsupported("a modifier");
    }
    // The distance of signed numbers takes all 32 bits.
    let [wide_a, wide_b] = [a, b].map(|value| {
        let value = machine.emit.in_register(&value);
        machine.emit.b64(&format!("cvt.{}64.{operation}", &operation[..1]), &[&value])
    });
    let emit = &mut machine.emit;
    let distance = emit.b64("sub.s64", &[&wide_a, &wide_b]);
    let distance = emit.b64("abs.s64", &[&distance]);
    let distance = emit.low(&distance);
    machine.put(target, "add.s32", &[&distance, &c]);
    Ok(())
}

/// IDP.4A and IDP.2A: products of bytes, summed.
pub(super) fn idp(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let sides: Vec<&str> = i
        .modifiers
        .iter()
        .filter_map(|name| match *name {
            "U8" | "U16" => Some("u32"),
            "S8" | "S16" => Some("s32"),
            _ => None,
        })
        .collect();
    let [x, y] = sides[..] else { return unsupported("types") };
    let name = match i.modifiers.as_slice() {
        ["4A", ..] => "dp4a",
        ["2A", "LO", ..] => "dp2a.lo",
        ["2A", "HI", ..] => "dp2a.hi",
        _ => return unsupported("a form"),
    };
    let target = o.target()?;
    let [a, b, c] = [o.next()?, o.next()?, o.next()?];
    o.end()?;
    let [a, b, c] = [integer(machine, a)?, integer(machine, b)?, integer(machine, c)?];
    machine.put(target, &format!("{name}.{x}.{y}"), &[&a, &b, &c]);
    Ok(())
}

/// R2P PR, a, mask; P2R R, PR, a, mask: predicates as the bits of a word, or of one of its bytes.
pub(super) fn r2p(machine: &mut Machine, mut o: Operands) -> Lifted {
    let file = predicates_file(o.next()?)?;
    let source = o.next()?;
    let value = integer(machine, source)?;
    // All predicates where it is left out.
    let mask = if o.left() > 0 { o.integer()? } else { 0xff };
    o.end()?;
    machine.emit.keep_guard();
    for number in 0..Predicate::PT {
        if mask >> number & 1 == 1 {
            let emit = &mut machine.emit;
            let bit = emit.b32("and.b32", &[&value, &(1u32 << number).to_string()]);
            let flag = Truth::Register(emit.flag("setp.ne.u32", &[&bit, "0"]), false);
            machine.set_predicate(Predicate { file, number, negated: false }, &flag);
        }
    }
    Ok(())
}

fn predicates_file(operand: &Operand) -> Result<crate::instruction::File, Reason> {
    match operand {
        Operand::Predicates(file) => Ok(*file),
        other => unsupported(format!("operand `{other}`")),
    }
}

pub(super) fn p2r(machine: &mut Machine, mut o: Operands) -> Lifted {
    let shift = match o.instruction.modifiers.as_slice() {
        [] | ["B0"] => 0,
        ["B1"] => 8,
        ["B2"] => 16,
        ["B3"] => 24,
        _ => return unsupported("a modifier"),
    };
    let target = o.target()?;
    let file = predicates_file(o.next()?)?;
    let kept = integer(machine, o.next()?)?;
    let mask = o.integer()? as u32;
    o.end()?;
    // A byte of the source gives way, under the mask.
    let kept_mask = !(mask << shift);
    let mut word = machine.emit.b32("and.b32", &[&kept, &format!("{kept_mask:#x}")]);
    for number in 0..8u8 {
        if mask >> number & 1 == 0 {
            continue;
        }
        let truth = machine.emit.truth(Predicate { file, number, negated: false });
        let bit =
            machine.emit.select(&truth, &(1u32 << (u32::from(number) + shift)).to_string(), "0");
        word = machine.emit.b32("or.b32", &[&word, &bit]);
    }
    machine.set(target, &word);
    Ok(())
}

/// I2I.type.S32.SAT R, a: a word cut to a smaller type.
pub(super) fn i2i(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let a = integer(machine, o.next()?)?;
    o.end()?;
    let types: Vec<String> =
        i.modifiers.iter().filter(|m| **m != "SAT").map(|m| m.to_lowercase()).collect();
    let [to, from] = types.as_slice() else { return unsupported("types") };
    if from != "s32" && from != "u32" {
        return unsupported("a source that is no word");
    }
    let saturate = if i.has("SAT") { ".sat" } else { "" };
    let a = machine.emit.in_register(&a);
    let value = match to.as_str() {
        "u8" | "s8" | "u16" | "s16" => {
            // Registers of 32 bits may hold narrow results.
            machine.emit.b32(&format!("cvt{saturate}.{to}.{from}"), &[&a])
        }
        "u32" | "s32" => machine.emit.b32(&format!("cvt{saturate}.{to}.{from}"), &[&a]),
        _ => return unsupported("a type"),
    };
    machine.set(target, &value);
    Ok(())
}

/// I2IP.type.S32.SAT R, a, b, c: two words cut, before the lower part of a third.
pub(super) fn i2ip(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let to = i.modifiers.first().map(|m| m.to_lowercase()).unwrap_or_default();
    let target = o.target()?;
    let [a, b, c] = [o.next()?, o.next()?, o.next()?];
    o.end()?;
    let [a, b, c] = [integer(machine, a)?, integer(machine, b)?, integer(machine, c)?];
    match to.as_str() {
        "u16" | "s16" => machine.put(target, &format!("cvt.pack.sat.{to}.s32"), &[&a, &b]),
        _ => machine.put(target, &format!("cvt.pack.sat.{to}.s32.b32"), &[&a, &b, &c]),
    }
    Ok(())
}
