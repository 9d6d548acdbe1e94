//! Reads instructions from nvdisasm's text, for tests and tools: a lifter can be tried on text that was written by hand, and
//! a decoder held against it.
//!
//! Taken are a line of a listing (`/*0010*/ @P0 IADD3 R1, R1, -0x8, RZ ; /* 0x... */`), or its middle alone. Names that are not
//! known live on until the process ends, so this is nothing for input of any length.

use crate::instruction::{
    Address, Bank, Constant, File, Immediate, Instruction, Matrices, Operand, Predicate, Register,
    Signs,
};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{line}`: {reason}")]
pub struct Error {
    pub line: String,
    pub reason: String,
}

/// Reads one line. Where it begins with no address (`/*0010*/`), the address is 0. Names of labels and functions are looked up by
/// `label`, which gets `.L_x_3` of `` `(.L_x_3) ``.
pub fn parse_with(line: &str, label: impl Fn(&str) -> Option<u64>) -> Result<Instruction, Error> {
    parts(line, &label).map_err(|reason| Error { line: line.trim().to_owned(), reason })
}

/// [`parse_with`] no labels but addresses.
pub fn parse(line: &str) -> Result<Instruction, Error> {
    parse_with(line, |_| None)
}

/// Reads the instructions of a listing, with its labels, and addresses that count up by 16 where none are given. Empty lines,
/// comments (`//`) and lines that begin with a dot but are no label are skipped.
pub fn parse_all(text: &str) -> Result<Vec<Instruction>, Error> {
    let lines = text.lines().map(str::trim);
    let is_code = |line: &&str| {
        let word = line.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        let rest = word.map_or(*line, |(_, rest)| rest.trim());
        let plain = !line.starts_with('.') && !line.starts_with("//") && !line.ends_with(':');
        plain && !rest.is_empty() && !rest.starts_with("/*")
    };
    let mut labels = std::collections::BTreeMap::new();
    let mut address = 0;
    for line in lines.clone() {
        if let Some(name) = line.strip_suffix(':') {
            labels.insert(name, address);
        } else if is_code(&line) {
            address = address_of(line).unwrap_or(address) + 16;
        }
    }
    let mut all = Vec::new();
    let mut address = 0;
    for line in lines.filter(is_code) {
        let mut instruction = parse_with(line, |name| labels.get(name).copied())?;
        instruction.address = address_of(line).unwrap_or(address);
        address = instruction.address + 16;
        all.push(instruction);
    }
    Ok(all)
}

fn address_of(line: &str) -> Option<u64> {
    let (digits, _) = line.trim().strip_prefix("/*")?.split_once("*/")?;
    u64::from_str_radix(digits, 16).ok()
}

type Label<'a> = &'a dyn Fn(&str) -> Option<u64>;

fn parts(line: &str, label: Label) -> Result<Instruction, String> {
    let address = address_of(line);
    let mut rest = line.trim();
    if address.is_some() {
        rest = rest.split_once("*/").map_or("", |(_, rest)| rest).trim();
    }
    rest = rest.split([';']).next().unwrap_or_default().trim();
    let mut guard = Predicate::TRUE;
    if let Some(after) = rest.strip_prefix('@') {
        let (name, after) = after.split_once(' ').ok_or("a guard alone")?;
        guard = predicate(name).ok_or_else(|| format!("`{name}` is no predicate"))?;
        rest = after.trim();
    }
    let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut names = name.split('.').map(intern);
    let opcode = names.next().filter(|name| !name.is_empty()).ok_or("no opcode")?;
    let modifiers: Vec<_> = names.collect();
    let kind = Floats::of(opcode, &modifiers);
    let mut read = Vec::new();
    // With a suffix, nvdisasm parts the bank from its offset.
    let operands = operands.replace("] [", "][");
    for word in split(&operands) {
        read.push(operand(word, kind, label).ok_or_else(|| format!("operand `{word}`"))?);
    }
    if matches!(
        opcode,
        "BRA" | "BSSY" | "CALL" | "RET" | "WARPSYNC" | "JMP" | "BRX" | "JMX" | "LEPC"
    ) && let Some(last @ Operand::Immediate(Immediate::Integer(_))) = read.last_mut()
        && let Operand::Immediate(Immediate::Integer(value)) = *last
        && !(opcode == "BRX" || opcode == "JMX")
        && (opcode != "WARPSYNC" || modifiers.contains(&"COLLECTIVE"))
    {
        *last = Operand::Label(value as u64);
    }
    Ok(Instruction { address: address.unwrap_or(0), guard, opcode, modifiers, operands: read })
}

/// Splits at commas outside of brackets, and at spaces between operands that have no comma. What begins with `&` or `?` is about
/// scheduling.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0u32;
    let outside = |c: char| {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c == ' ')
    };
    let words: Vec<_> = text.split(outside).map(str::trim).collect();
    words
        .into_iter()
        .filter(|word| !word.is_empty() && !word.starts_with('&') && !word.starts_with('?'))
        .collect()
}

/// How immediates with a decimal point or none are meant.
#[derive(Clone, Copy, PartialEq)]
enum Floats {
    None,
    F16,
    Bf16,
    F32,
    F64,
}

impl Floats {
    /// Numbers of an instruction are of the width on which it works.
    fn of(opcode: &str, modifiers: &[&str]) -> Self {
        match opcode {
            "HADD2" | "HMUL2" | "HFMA2" | "HSETP2" | "HSET2" | "HMNMX2" => {
                if modifiers.contains(&"BF16_V2") || modifiers.contains(&"BF16") {
                    Self::Bf16
                } else if modifiers.contains(&"F32") {
                    Self::F32
                } else {
                    Self::F16
                }
            }
            "FADD" | "FMUL" | "FFMA" | "FSETP" | "FSET" | "FSEL" | "FMNMX" | "MUFU" | "FCHK"
            | "FSWZADD" | "FRND" | "F2F" | "F2I" | "F2FP" | "F2IP" | "RRO" => {
                let is_wide = |modifier: &&str| ["F64", "RCP64H", "RSQ64H"].contains(modifier);
                if modifiers.iter().any(is_wide) { Self::F64 } else { Self::F32 }
            }
            "DADD" | "DMUL" | "DFMA" | "DSETP" | "DSET" | "DMNMX" => Self::F64,
            _ => Self::None,
        }
    }
}

fn operand(word: &str, floats: Floats, label: Label) -> Option<Operand> {
    if let Some(name) = word.strip_prefix("`(").and_then(|rest| rest.strip_suffix(')')) {
        return label(name).map(Operand::Label);
    }
    match word {
        "PR" => return Some(Operand::Predicates(File::General)),
        "UPR" => return Some(Operand::Predicates(File::Uniform)),
        _ => {}
    }
    if let Some(set) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let bit = |number: &str| number.trim().parse::<u32>().ok().filter(|n| *n < 8);
        let bits = set.split(',').map(|number| bit(number).map(|n| 1u8 << n));
        return bits.sum::<Option<u8>>().map(Operand::Scoreboards);
    }
    if word.starts_with("SR_") {
        return Some(Operand::Special(intern(word)));
    }
    if let Some(predicate) = predicate(word) {
        return Some(Operand::Predicate(predicate));
    }
    let number = |prefix: &str| word.strip_prefix(prefix)?.parse().ok();
    if let Some(number) = number("SB") {
        return Some(Operand::Scoreboard(number));
    }
    if let Some(number) = number("B") {
        return Some(Operand::Barrier(number));
    }
    if let Some(rest) = word.strip_prefix("gdesc[") {
        return matrices(rest).map(Operand::Matrices);
    }
    if let Some(name) = word.strip_prefix("desc[").and_then(|rest| rest.strip_suffix(']'))
        && !name.contains(']')
    {
        return plain_register(name).map(Operand::Descriptor);
    }
    if word.starts_with('[') || word.starts_with("desc[") {
        return address(word).map(Operand::Address);
    }
    if let Some(immediate) = immediate(word, floats) {
        return Some(Operand::Immediate(immediate));
    }
    let (signs, inner, suffix) = signs(word)?;
    if inner.starts_with("c[") || inner.starts_with("cx[") {
        return Some(Operand::Constant(Constant { signs, suffix, ..constant(inner)? }));
    }
    if let Some(register) = plain_register(inner) {
        return Some(Operand::Register(Register { signs, suffix, ..register }));
    }
    word.starts_with(|c: char| c.is_ascii_alphanumeric()).then(|| Operand::Word(intern(word)))
}

/// `UR4].tnspA.negB`
fn matrices(text: &str) -> Option<Matrices> {
    let (name, behind) = text.split_once(']')?;
    let register = plain_register(name)?;
    let mut matrices = Matrices { register, transposed: [false; 2], negated: [false; 2] };
    for name in behind.split('.').filter(|name| !name.is_empty()) {
        *matrices.modifiers().into_iter().find(|(known, _)| *known == name)?.1 = true;
    }
    Some(matrices)
}

/// Takes `-~|` and the suffix off.
fn signs(word: &str) -> Option<(Signs, &str, Option<&'static str>)> {
    let mut signs = Signs::default();
    let mut rest = word;
    if let Some(after) = rest.strip_prefix('-') {
        signs.negated = true;
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('~') {
        signs.inverted = true;
        rest = after;
    }
    let behind;
    if let Some(inside) = rest.strip_prefix('|') {
        signs.absolute = true;
        (rest, behind) = inside.split_once('|')?;
    } else {
        behind = "";
    }
    let end = rest.rfind(']').map_or(0, |at| at + 1);
    let dot = rest[end..].find('.').map_or(rest.len(), |at| at + end);
    let (rest, inside) = rest.split_at(dot);
    let behind = if behind.is_empty() { inside } else { behind };
    let mut suffixes = behind.split('.').filter(|suffix| !suffix.is_empty() && *suffix != "reuse");
    let suffix = suffixes.next().map(intern);
    suffixes.next().is_none().then_some((signs, rest, suffix))
}

fn plain_register(word: &str) -> Option<Register> {
    let (register, zero, digits) = if let Some(rest) = word.strip_prefix("UR") {
        (Register::uniform(Register::URZ), "Z", rest)
    } else {
        (Register::general(Register::RZ), "Z", word.strip_prefix('R')?)
    };
    if digits == zero {
        return Some(register);
    }
    Some(Register { number: digits.parse().ok()?, ..register })
}

fn register(word: &str) -> Option<Register> {
    let (signs, inner, suffix) = signs(word)?;
    plain_register(inner).map(|register| Register { signs, suffix, ..register })
}

fn predicate(word: &str) -> Option<Predicate> {
    let (negated, rest) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
    let (file, rest) = rest
        .strip_prefix("UP")
        .map_or((File::General, rest.strip_prefix('P')), |rest| (File::Uniform, Some(rest)));
    let number = match rest? {
        "T" => Predicate::PT,
        digits => digits.parse().ok().filter(|number| *number < Predicate::PT)?,
    };
    Some(Predicate { file, number, negated })
}

fn integer(word: &str) -> Option<i64> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    } as i64;
    Some(if negative { value.wrapping_neg() } else { value })
}

fn immediate(word: &str, floats: Floats) -> Option<Immediate> {
    if word.contains("0x") || floats == Floats::None {
        return integer(word).map(Immediate::Integer);
    }
    let word = word.trim_start_matches('+');
    let (sign, name) = word.strip_prefix('-').map_or((1.0, word), |rest| (-1.0, rest));
    // nvdisasm tells no more of a NaN than its sign and whether it is quiet.
    let is_negative = sign < 0.0;
    match name {
        "QNAN" => return Some(nan(floats, is_negative, true)),
        "SNAN" => return Some(nan(floats, is_negative, false)),
        _ => {}
    }
    let value = match name {
        "INF" => f64::INFINITY,
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            digits.parse().ok()?
        }
        _ => return None,
    } * sign;
    let single = (value as f32).to_bits();
    Some(match floats {
        Floats::F16 => Immediate::F16(narrow(value)),
        Floats::Bf16 => Immediate::Bf16((single >> 16) as u16),
        Floats::F64 => Immediate::F64(value.to_bits()),
        _ => Immediate::F32(single),
    })
}

/// A NaN: with the highest bit of the fraction where it is quiet, else with the lowest.
fn nan(floats: Floats, is_negative: bool, is_quiet: bool) -> Immediate {
    let bits = |width: u32, fraction: u32| {
        let infinity = (1u64 << (width - 1)) - (1 << fraction);
        let payload = if is_quiet { 1 << (fraction - 1) } else { 1 };
        u64::from(is_negative) << (width - 1) | infinity | payload
    };
    match floats {
        Floats::F16 => Immediate::F16(bits(16, 10) as u16),
        Floats::Bf16 => Immediate::Bf16(bits(16, 7) as u16),
        // Of 64 bits the lower half is zero.
        Floats::F64 => Immediate::F64(bits(64, 52) & !1 | u64::from(!is_quiet) << 32),
        _ => Immediate::F32(bits(32, 23) as u32),
    }
}

/// The binary16 of a number that is one exactly, as those that are printed are.
fn narrow(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let size = value.abs();
    sign | if value.is_nan() {
        0x7e00
    } else if size.is_infinite() {
        0x7c00
    } else if size < 2f64.powi(-14) {
        (size * 2f64.powi(24)) as u16
    } else {
        let exponent = (size.to_bits() >> 52) as i32 - 1023;
        ((exponent + 15) as u16) << 10 | (size.to_bits() >> 42 & 0x3ff) as u16
    }
}

/// `c[0x0][0x160]`, `cx[UR4][R2+0x8]`
fn constant(word: &str) -> Option<Constant> {
    let (bank, place) = word.split_once("][")?;
    let bank = match bank.strip_prefix("cx[") {
        Some(name) => Bank::Bindless(plain_register(name)?.number),
        None => Bank::Number(integer(bank.strip_prefix("c[")?)?.try_into().ok()?),
    };
    let terms = terms(place.strip_suffix(']')?)?;
    let [register, None] = terms.registers else { return None };
    let offset = terms.offset.try_into().ok()?;
    Some(Constant { bank, register, offset, signs: Signs::default(), suffix: None })
}

fn address(word: &str) -> Option<Address> {
    let mut descriptor = None;
    let mut place = word;
    if let Some(rest) = word.strip_prefix("desc[") {
        let (name, rest) = rest.split_once(']')?;
        descriptor = Some(register(name)?);
        place = rest;
    }
    let terms = terms(place.strip_prefix('[')?.strip_suffix(']')?)?;
    let general = |register: &Register| register.file == File::General;
    let (base, uniform) = match terms.registers {
        [Some(first), None] if !general(&first) => (None, Some(first)),
        [first, second] => (first, second),
    };
    Some(Address { descriptor, base, uniform, offset: terms.offset })
}

struct Terms {
    registers: [Option<Register>; 2],
    offset: i64,
}

/// What is added in brackets.
fn terms(text: &str) -> Option<Terms> {
    let mut terms = Terms { registers: [None; 2], offset: 0 };
    for term in text.split('+') {
        if let Some(value) = integer(term) {
            terms.offset = value;
        } else {
            *terms.registers.iter_mut().find(|place| place.is_none())? = Some(register(term)?);
        }
    }
    Some(terms)
}

/// The same text for as long as the process lives.
fn intern(text: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(text) {
        return known;
    }
    let name: &'static str = Box::leak(text.to_owned().into_boxed_str());
    names.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as nvdisasm prints them of raw code come out as they went in.
    #[test]
    fn what_is_read_prints_the_same() {
        for line in [
            "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]",
            "@!P0 EXIT",
            "@UP1 UIADD3 UR4, UR4, 0x1, URZ",
            "IADD3 R1, P0, -R1, -0x8, RZ",
            "ISETP.GE.U32.AND P0, PT, R3, c[0x0][0x168], PT",
            "LDG.E.128.CONSTANT R4, [R4.64+0x10]",
            "STS.64 [R0.X8+UR4+-0x10], R2",
            "LDS R0, [UR4]",
            "LDC R0, c[0x3][R0+0x8]",
            "FFMA R7, -R5, |R6|, 1.5",
            "FADD R7, -|R5|, -RZ",
            "MUFU.RSQ R2, -QNAN",
            "FADD R2, R2, +SNAN",
            "DADD R2, R2, -SNAN",
            "HFMA2.MMA R5, -RZ, RZ, 1, -0.0000152587890625",
            "HADD2.F32 R5, -RZ, R4.H1_H1",
            "DFMA R2, R4, R6, 1.25",
            "LOP3.LUT P0, RZ, R0, 0xff, RZ, 0xc0, !PT",
            "RET.REL.NODEC R4 0x0",
            "BSSY B0, 0x1a0",
            "BRA.DIV ~URZ, 0x90",
            "S2R R3, SR_TID.X",
            "P2R R3, PR, RZ, 0x7f",
            "DEPBAR.LE SB0, 0x0, {4,1}",
            "ULDC.64 UR36, c[0x0][0x118]",
            "LDC R2, cx[UR4][0x10]",
        ] {
            let instruction = parse(line).expect(line);
            assert_eq!(instruction.to_string(), line, "{instruction:?}");
        }
    }

    #[test]
    fn reuse_is_left_out_and_floats_keep_their_bits() {
        let instruction =
            parse("        /*0120*/ @P1 FMUL R0, R2.reuse, 0.10000000149011611938 ; /* 0x1 */");
        let instruction = instruction.expect("a line of a listing");
        assert_eq!(instruction.address, 0x120);
        let one_tenth = Operand::Immediate(Immediate::F32(0x3dcc_cccd));
        let expected = [
            Operand::Register(Register::general(0)),
            Operand::Register(Register::general(2)),
            one_tenth,
        ];
        assert_eq!(instruction.operands, expected);
    }

    #[test]
    fn labels_of_a_listing_are_addresses() {
        let text = "k:\n.text.k:\n /*0000*/ BRA `(.L_x_1) ; /* 0x1 */\n /* 0x2 */\n.L_x_0:\n NOP ;\n.L_x_1:\n EXIT ;\n";
        let all = parse_all(text).expect("a listing");
        let text: Vec<_> = all.iter().map(|i| format!("{:x} {i}", i.address)).collect();
        assert_eq!(text, ["0 BRA 0x20", "10 NOP", "20 EXIT"]);
    }
}
