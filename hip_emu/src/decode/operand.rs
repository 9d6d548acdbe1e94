//! Operands: registers, constants, and what else can be read.

use super::text::{Error, integer};
use crate::isa::Kind;

/// Numbers of scalar registers that have names of their own. Those of `s0` and so on are their own.
pub mod sgpr {
    pub const VCC: u8 = 106;
    pub const TTMP: u8 = 108;
    pub const M0: u8 = 124;
    /// Reads as zero; what is written is lost.
    pub const NULL: u8 = 125;
    pub const EXEC: u8 = 126;
    pub const FLAT_SCRATCH: u8 = 128;
    pub const XNACK_MASK: u8 = 130;
    pub const COUNT: usize = 132;
}

/// The first accumulation register, as a vector register.
pub const ACCUMULATION: u16 = 256;

/// Registers in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    Vector { first: u16, count: u16 },
    Scalar { first: u8, count: u8 },
}

/// The source of an operand's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandSource {
    Vector(u16),
    Scalar(u8),
    Constant(u64),
    Special(Special),
}

/// Values that the hardware provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    VccZero,
    ExecZero,
    Scc,
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
}

/// A source with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub place: OperandSource,
    pub negated: bool,
    pub absolute: bool,
    /// SDWA: the selected part is extended by its sign.
    pub signed: bool,
    /// The half of the register, where the text says one.
    pub half: Option<Half>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Low,
    High,
}

/// 32-bit registers that a value fills.
pub fn registers_of(kind: Kind) -> u16 {
    match kind {
        Kind::None => 0,
        Kind::B64 | Kind::F64 | Kind::PF32 | Kind::P32 => 2,
        _ => 1,
    }
}

/// Registers by their names: `v3`, `v[0:1]`, `a2`, `s[4:7]`, `vcc`, `exec_lo`, `m0`, `null`.
pub fn registers(text: &str) -> Option<Registers> {
    let scalar = |first, count| Some(Registers::Scalar { first, count });
    match text {
        "vcc_lo" => return scalar(sgpr::VCC, 1),
        "vcc_hi" => return scalar(sgpr::VCC + 1, 1),
        "vcc" => return scalar(sgpr::VCC, 2),
        "exec_lo" => return scalar(sgpr::EXEC, 1),
        "exec_hi" => return scalar(sgpr::EXEC + 1, 1),
        "exec" => return scalar(sgpr::EXEC, 2),
        "m0" => return scalar(sgpr::M0, 1),
        "null" => return scalar(sgpr::NULL, 1),
        "flat_scratch_lo" => return scalar(sgpr::FLAT_SCRATCH, 1),
        "flat_scratch_hi" => return scalar(sgpr::FLAT_SCRATCH + 1, 1),
        "flat_scratch" => return scalar(sgpr::FLAT_SCRATCH, 2),
        "xnack_mask_lo" => return scalar(sgpr::XNACK_MASK, 1),
        "xnack_mask_hi" => return scalar(sgpr::XNACK_MASK + 1, 1),
        "xnack_mask" => return scalar(sgpr::XNACK_MASK, 2),
        _ => {}
    }
    let digits = text.find(|c: char| c == '[' || c.is_ascii_digit())?;
    let (bank, numbers) = text.split_at(digits);
    let (first, count) = match numbers.strip_prefix('[') {
        Some(range) => {
            let range = range.strip_suffix(']')?;
            let (first, last) = range.split_once(':').unwrap_or((range, range));
            let (first, last): (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
            (first, last.checked_sub(first)? + 1)
        }
        None => (numbers.parse().ok()?, 1),
    };
    if first > 255 || first + count > 256 {
        return None;
    }
    match bank {
        "v" => Some(Registers::Vector { first, count }),
        "a" => Some(Registers::Vector { first: first + ACCUMULATION, count }),
        "s" if first + count <= 106 => scalar(first as u8, count as u8),
        "ttmp" if first + count <= 16 => scalar(sgpr::TTMP + first as u8, count as u8),
        _ => None,
    }
}

fn special(text: &str) -> Option<Special> {
    Some(match text.strip_prefix("src_").unwrap_or(text) {
        "vccz" => Special::VccZero,
        "execz" => Special::ExecZero,
        "scc" => Special::Scc,
        "shared_base" => Special::SharedBase,
        "shared_limit" => Special::SharedLimit,
        "private_base" => Special::PrivateBase,
        "private_limit" => Special::PrivateLimit,
        _ => return None,
    })
}

/// A source whose value is of this kind. `signed` says how literals fill 64 bits.
pub fn source(text: &str, kind: Kind, signed: bool) -> Result<Source, Error> {
    let unknown = || format!("operand `{text}`");
    let (mut rest, mut negated, mut absolute, mut extended) = (text, false, false, false);
    if let Some(inner) = call(rest, "neg") {
        (rest, negated) = (inner, true);
    } else if let Some(inner) = rest.strip_prefix('-')
        && !inner.starts_with(|c: char| c.is_ascii_digit())
    {
        (rest, negated) = (inner, true);
    }
    if let Some(inner) = rest.strip_prefix('|') {
        (rest, absolute) = (inner.strip_suffix('|').ok_or_else(unknown)?, true);
    } else if let Some(inner) = call(rest, "abs") {
        (rest, absolute) = (inner, true);
    }
    if let Some(inner) = call(rest, "sext") {
        (rest, extended) = (inner, true);
    }
    let (name, half) = match (rest.strip_suffix(".l"), rest.strip_suffix(".h")) {
        (Some(name), _) => (name, Some(Half::Low)),
        (_, Some(name)) => (name, Some(Half::High)),
        _ => (rest, None),
    };
    let place = if let Some(found) = registers(name) {
        let (place, count) = match found {
            Registers::Vector { first, count } => (OperandSource::Vector(first), count),
            Registers::Scalar { first, count } => (OperandSource::Scalar(first), count.into()),
        };
        let wanted = registers_of(kind);
        if count != wanted && found != (Registers::Scalar { first: sgpr::NULL, count: 1 }) {
            return Err(format!("operand `{text}` of {count} registers instead of {wanted}"));
        }
        place
    } else if let Some(special) = special(name) {
        OperandSource::Special(special)
    } else {
        OperandSource::Constant(constant(name, kind, signed).ok_or_else(unknown)?)
    };
    Ok(Source { place, negated, absolute, signed: extended, half })
}

fn call<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')
}

/// The bits of an inline constant or a literal.
pub fn constant(text: &str, kind: Kind, signed: bool) -> Option<u64> {
    if text.contains('.') {
        return float_constant(text.parse().ok()?, kind);
    }
    // A literal whose value would fit without one is marked.
    let marked = call(text, "lit").or_else(|| call(text, "lit64"));
    let value = integer(marked.unwrap_or(text))?;
    let literal = marked.is_some() || text.contains("0x");
    Some(match kind {
        Kind::None => return None,
        Kind::B16 | Kind::F16 | Kind::Bf16 => value as u64 & 0xffff,
        Kind::F64 if literal => (value as u64) << 32,
        Kind::B64 if literal && signed => i64::from(value as i32) as u64,
        Kind::B64 | Kind::F64 => value as u64,
        _ => value as u64 & 0xffff_ffff,
    })
}

fn float_constant(value: f64, kind: Kind) -> Option<u64> {
    // The inline constants besides 1 / (2 * pi), whose bits all formats have exactly.
    let exact = [0.5, 1.0, 2.0, 4.0].contains(&value.abs());
    let turn = (value - 0.159_154_943).abs() < 1e-6;
    if !exact && !turn {
        return None;
    }
    let single = if turn { 0x3e22_f983 } else { (value as f32).to_bits() };
    Some(match kind {
        Kind::None => return None,
        Kind::B16 | Kind::F16 | Kind::PF16 if turn => 0x3118,
        Kind::B16 | Kind::F16 | Kind::PF16 => {
            let sign = single >> 16 & 0x8000;
            let exponent = (single >> 23 & 0xff) - 112;
            (sign | exponent << 10).into()
        }
        Kind::Bf16 | Kind::PBf16 => (single >> 16).into(),
        Kind::B64 | Kind::F64 if turn => 0x3fc4_5f30_6dc9_c882,
        Kind::B64 | Kind::F64 => value.to_bits(),
        Kind::B32 | Kind::F32 | Kind::P16 | Kind::PF32 | Kind::P32 => single.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_mean_what_their_kind_says() {
        let bits = |text, kind| constant(text, kind, false);
        assert_eq!(bits("1.0", Kind::F32), Some(0x3f80_0000));
        assert_eq!(bits("-4.0", Kind::F16), Some(0xc400));
        assert_eq!(bits("0.5", Kind::PF16), Some(0x3800));
        assert_eq!(bits("2.0", Kind::F64), Some(0x4000_0000_0000_0000));
        assert_eq!(bits("1.0", Kind::PBf16), Some(0x3f80));
        assert_eq!(bits("0.15915494", Kind::F16), Some(0x3118));
        assert_eq!(bits("-1", Kind::B64), Some(u64::MAX));
        assert_eq!(bits("-1", Kind::B16), Some(0xffff));
        assert_eq!(bits("0x40240000", Kind::F64), Some(0x4024_0000_0000_0000));
        assert_eq!(bits("0x80000000", Kind::B64), Some(0x8000_0000));
        assert_eq!(constant("0x80000000", Kind::B64, true), Some(0xffff_ffff_8000_0000));
        assert_eq!(bits("lit(0xffffffff)", Kind::B32), Some(0xffff_ffff));
        assert_eq!(bits("0.3", Kind::F32), None);
    }

    #[test]
    fn modifiers_of_sources_are_read() {
        let read = |text| source(text, Kind::F32, false).unwrap();
        let plain = read("v3");
        assert_eq!(plain.place, OperandSource::Vector(3));
        assert!(read("-|v3|").negated && read("-|v3|").absolute);
        assert_eq!(read("-4.0").place, OperandSource::Constant(0xc080_0000));
        assert!(read("neg(1.0)").negated);
        assert_eq!(source("v3.h", Kind::F16, false).unwrap().half, Some(Half::High));
        assert!(source("v[0:1]", Kind::F32, false).is_err());
        assert!(source("v[0:1]", Kind::F64, false).is_ok());
        assert!(source("s106", Kind::B32, false).is_err());
        assert_eq!(source("vcc", Kind::B64, false).unwrap().place, OperandSource::Scalar(106));
    }
}
