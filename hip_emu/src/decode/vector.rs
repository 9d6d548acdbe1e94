//! Vector instructions: one operation in every lane.

use super::operand::{
    Half, OperandSource, Registers, Source, registers, registers_of, sgpr, source,
};
use super::text::{Error, Text, integer, list};
use super::vector_operation;
use crate::arch::Arch;
use crate::isa::{Action, Kind, Number, Operation};

/// A vector instruction.
#[derive(Debug)]
pub struct Vector {
    pub operation: &'static Operation,
    /// As many as the operation has.
    pub sources: [Source; 3],
    /// The vector register of the result; `None` of comparisons.
    pub result: Option<u16>,
    pub part: Part,
    /// The mask whose bits are read.
    pub flag_in: u8,
    /// The mask whose bits are written.
    pub flag_out: u8,
    /// A second mask that comparisons write: EXEC, of `v_cmpx` where it writes two.
    pub also_exec: bool,
    pub clamp: bool,
    /// The factor of the result, by `omod`: 1.0, 2.0, 4.0 or 0.5.
    pub factor: f32,
    /// The halves of the sources that the two results of packed operations are made of, a bit for each source.
    pub op_sel: u32,
    pub op_sel_hi: u32,
    pub negated_lo: u32,
    pub negated_hi: u32,
    /// Of [`Action::WithNumber`].
    pub number: u32,
    pub cross: Option<Cross>,
}

/// The part of its register that a result of 16 bits or fewer fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The lower half; the upper one becomes zero.
    LowClear,
    Low,
    High,
    Selected(Select, Unused),
}

/// Sources from elsewhere.
#[derive(Debug, PartialEq, Eq)]
pub enum Cross {
    Dpp(Dpp),
    Sdwa([Select; 2]),
}

/// A part of a register, of SDWA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    Byte(u8),
    Word(u8),
    Dword,
}

/// The treatment of the part of the destination that SDWA does not select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unused {
    Zero,
    Sign,
    Keep,
}

/// The first source comes from another lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dpp {
    pub control: Control,
    pub row_mask: u32,
    pub bank_mask: u32,
    /// Lanes without a source take zero; else they do nothing.
    pub zero: bool,
    /// Inactive lanes are sources too.
    pub inactive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    QuadPerm([u8; 4]),
    RowShl(u8),
    RowShr(u8),
    RowRor(u8),
    WaveShl,
    WaveRol,
    WaveShr,
    WaveRor,
    RowMirror,
    RowHalfMirror,
    /// Lane 15 of each row for the next one.
    RowBroadcast15,
    /// Lane 31 for the upper half.
    RowBroadcast31,
    RowShare(u8),
    RowXmask(u8),
    Dpp8([u8; 8]),
}

const NOTHING: Source = Source {
    place: OperandSource::Constant(0),
    negated: false,
    absolute: false,
    signed: false,
    half: None,
};

impl Vector {
    /// Decodes an instruction of the vector unit. Fails for what the emulator does not know.
    pub fn parse(arch: &Arch, text: &Text<'_>) -> Result<Vector, Error> {
        let clamp = text.has("clamp");
        let plain = vector_operation(arch, text.mnemonic, false)?;
        let saturates = clamp && !is_float(plain.result);
        let operation =
            if saturates { vector_operation(arch, text.mnemonic, true)? } else { plain };
        let is_compare = matches!(operation.action, Action::Test(_));
        let is_cmpx = text.mnemonic.starts_with("v_cmpx_");
        let mut operands = text.operands.iter().copied();
        let mut next = || operands.next().ok_or("too few operands");

        let mut result = None;
        let mut half = None;
        let mut flag_out = sgpr::NULL;
        if is_compare {
            flag_out = sgpr::EXEC;
            if !is_cmpx || arch.cmpx_writes_mask() {
                flag_out = mask(arch, next()?)?;
            }
        } else {
            let name = next()?;
            let (register, found) = destination(name, operation.result)?;
            (result, half) = (Some(register), found);
            if matches!(operation.action, Action::AndFlag(_) | Action::WithAndFlag(_)) {
                flag_out = mask(arch, next()?)?;
            }
        }

        let signed = text.mnemonic.contains("_i64");
        let given = operation.sources.len() - usize::from(operation.reads_destination);
        let mut sources = [NOTHING; 3];
        for (place, kind) in operation.sources[..given].iter().enumerate() {
            sources[place] = source(next()?, *kind, signed)?;
        }
        if let (true, Some(register)) = (operation.reads_destination, result) {
            sources[given] = Source { place: OperandSource::Vector(register), half, ..NOTHING };
        }
        let mut flag_in = sgpr::VCC;
        if matches!(operation.action, Action::WithFlag(_) | Action::WithAndFlag(_))
            && let Ok(name) = next()
        {
            flag_in = mask(arch, name)?;
        }
        if next().is_ok() {
            return Err("too many operands".to_owned());
        }

        let op_sel = text.bits("op_sel", 0)?;
        // Sources of mixing operations are floats unless the text says that they are halves.
        let is_mix = matches!(operation.action, Action::WithNumber(Number::Mix, _));
        let op_sel_hi = text.bits("op_sel_hi", if is_mix { 0 } else { 7 })?;
        let negated_lo = text.bits("neg_lo", 0)?;
        let negated_hi = text.bits("neg_hi", 0)?;
        let factor = match (text.value("mul"), text.value("div")) {
            (None, None) => 1.0,
            (Some("2"), None) => 2.0,
            (Some("4"), None) => 4.0,
            (None, Some("2")) => 0.5,
            _ => return Err("output modifier".to_owned()),
        };
        if factor != 1.0 && !operation.result.may_be_multiplied() {
            return Err("output modifier".to_owned());
        }
        let has_halves = |kind: Kind| matches!(kind, Kind::B16 | Kind::F16 | Kind::Bf16);
        let mut number = 0;
        if let Action::WithNumber(what, _) = operation.action {
            number = match what {
                Number::Lane => 0,
                Number::Signs => negated_lo,
                Number::Table => text.value("bitop3").and_then(integer).unwrap_or(0) as u32,
                Number::Byte => text.number("byte_sel")? as u32,
                Number::Mix => mix_number(&sources, op_sel, op_sel_hi, negated_lo, negated_hi),
            };
        }
        if is_mix {
            for source in &mut sources {
                (source.negated, source.absolute) = (false, false);
            }
        }
        // The halves that `op_sel` names, where the text does not say them with the registers.
        if !is_mix {
            for (place, kind) in operation.sources.iter().enumerate() {
                if has_halves(*kind) && sources[place].half.is_none() && place < given {
                    let high = op_sel >> place & 1 != 0;
                    sources[place].half = Some(if high { Half::High } else { Half::Low });
                }
                if is_pair(*kind)
                    && matches!(sources[place].place, OperandSource::Constant(value) if value != 0)
                    && (op_sel | op_sel_hi) >> place & 1 != 0
                {
                    return Err("a constant's upper half".to_owned());
                }
            }
        }
        let picks_high = op_sel >> given & 1 != 0
            && (has_halves(operation.result) || text.mnemonic.ends_with("mixhi_f16"));
        let mut part = match half {
            Some(Half::Low) => Part::Low,
            Some(Half::High) => Part::High,
            None if picks_high || text.mnemonic.ends_with("mixhi_f16") => Part::High,
            None if keeps_upper_half(text.mnemonic) => Part::Low,
            None if arch.clears_upper_half() => Part::LowClear,
            None => Part::Low,
        };
        let cross = if text.encoding == "_sdwa" {
            let select = |name| select(text.value(name).unwrap_or("DWORD"));
            let selects = [select("src0_sel")?, select("src1_sel")?];
            let selected = select("dst_sel")?;
            let unused = match text.value("dst_unused") {
                None | Some("UNUSED_PAD") => Unused::Zero,
                Some("UNUSED_SEXT") => Unused::Sign,
                Some("UNUSED_PRESERVE") => Unused::Keep,
                Some(other) => return Err(format!("`{other}`")),
            };
            part = Part::Selected(selected, unused);
            Some(Cross::Sdwa(selects))
        } else {
            Dpp::parse(text)?.map(Cross::Dpp)
        };
        Ok(Vector {
            operation,
            sources,
            result,
            part,
            flag_in,
            flag_out,
            also_exec: is_cmpx && arch.cmpx_writes_mask(),
            clamp: clamp && !saturates,
            factor,
            op_sel,
            op_sel_hi,
            negated_lo,
            negated_hi,
            number,
            cross,
        })
    }
}

/// Whether results of 16 bits leave the upper half as it is, on all generations.
fn keeps_upper_half(mnemonic: &str) -> bool {
    mnemonic.ends_with("mixlo_f16") || ["v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32"].contains(&mnemonic)
}

fn mix_number(sources: &[Source; 3], op_sel: u32, op_sel_hi: u32, neg_lo: u32, neg_hi: u32) -> u32 {
    let bits = |of: fn(&Source) -> bool| {
        sources
            .iter()
            .enumerate()
            .fold(0, |all, (place, source)| all | u32::from(of(source)) << place)
    };
    let negated = neg_lo | bits(|source| source.negated);
    let absolute = neg_hi | bits(|source| source.absolute);
    op_sel & 7 | (op_sel_hi & 7) << 3 | (negated & 7) << 6 | (absolute & 7) << 9
}

/// Two values in two registers.
pub fn is_pair(kind: Kind) -> bool {
    matches!(kind, Kind::PF32 | Kind::P32)
}

/// Two values in one register.
pub fn is_packed(kind: Kind) -> bool {
    matches!(kind, Kind::P16 | Kind::PF16 | Kind::PBf16)
}

fn is_float(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, F16 | Bf16 | F32 | F64 | PF16 | PBf16 | PF32)
}

/// A mask: a scalar register, or two where waves have 64 lanes.
pub fn mask(arch: &Arch, text: &str) -> Result<u8, Error> {
    match registers(text) {
        Some(Registers::Scalar { first: sgpr::NULL, .. }) => Ok(sgpr::NULL),
        Some(Registers::Scalar { first, count }) if usize::from(count) * 32 == arch.lanes => {
            Ok(first)
        }
        _ => Err(format!("mask `{text}`")),
    }
}

/// The register of a result, and the half that the text names.
pub fn destination(text: &str, kind: Kind) -> Result<(u16, Option<Half>), Error> {
    let (name, half) = match (text.strip_suffix(".l"), text.strip_suffix(".h")) {
        (Some(name), _) => (name, Some(Half::Low)),
        (_, Some(name)) => (name, Some(Half::High)),
        _ => (text, None),
    };
    match registers(name) {
        Some(Registers::Vector { first, count }) if count == registers_of(kind) => {
            Ok((first, half))
        }
        _ => Err(format!("destination `{text}`")),
    }
}

fn select(text: &str) -> Result<Select, Error> {
    Ok(match text {
        "BYTE_0" => Select::Byte(0),
        "BYTE_1" => Select::Byte(1),
        "BYTE_2" => Select::Byte(2),
        "BYTE_3" => Select::Byte(3),
        "WORD_0" => Select::Word(0),
        "WORD_1" => Select::Word(1),
        "DWORD" => Select::Dword,
        _ => return Err(format!("`{text}`")),
    })
}

impl Dpp {
    fn parse(text: &Text<'_>) -> Result<Option<Dpp>, Error> {
        if !text.encoding.ends_with("_dpp") {
            return Ok(None);
        }
        let number = |name: &str| text.value(name).and_then(integer).map(|number| number as u8);
        let lanes = |name: &str| text.value(name).and_then(list);
        let byte = |list: &[u32], place: usize| list.get(place).map_or(0, |lane| *lane as u8);
        let control = if let Some(list) = lanes("dpp8") {
            Control::Dpp8(std::array::from_fn(|place| byte(&list, place)))
        } else if let Some(list) = lanes("quad_perm") {
            Control::QuadPerm(std::array::from_fn(|place| byte(&list, place)))
        } else if let Some(distance) = number("row_shl") {
            Control::RowShl(distance)
        } else if let Some(distance) = number("row_shr") {
            Control::RowShr(distance)
        } else if let Some(distance) = number("row_ror") {
            Control::RowRor(distance)
        } else if number("wave_shl").is_some() {
            Control::WaveShl
        } else if number("wave_rol").is_some() {
            Control::WaveRol
        } else if number("wave_shr").is_some() {
            Control::WaveShr
        } else if number("wave_ror").is_some() {
            Control::WaveRor
        } else if text.has("row_mirror") {
            Control::RowMirror
        } else if text.has("row_half_mirror") {
            Control::RowHalfMirror
        } else if let Some(lane) = number("row_share").or_else(|| number("row_newbcast")) {
            Control::RowShare(lane)
        } else if let Some(mask) = number("row_xmask") {
            Control::RowXmask(mask)
        } else {
            match number("row_bcast") {
                Some(15) => Control::RowBroadcast15,
                Some(31) => Control::RowBroadcast31,
                _ => return Err("control of lanes".to_owned()),
            }
        };
        let mask = |name: &str| text.value(name).and_then(integer).map_or(15, |mask| mask as u32);
        Ok(Some(Dpp {
            control,
            row_mask: mask("row_mask"),
            bank_mask: mask("bank_mask"),
            zero: text.value("bound_ctrl").is_some() || matches!(control, Control::Dpp8(_)),
            inactive: text.value("fi").is_some_and(|value| value == "1"),
        }))
    }
}
