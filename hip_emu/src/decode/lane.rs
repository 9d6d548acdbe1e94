//! Instructions that move values between lanes, or between lanes and scalar registers.

use super::Code;
use super::operand::{OperandSource, Source, source};
use super::scalar::scalar_result;
use super::text::{Error, Text};
use super::vector::destination;
use crate::arch::Arch;
use crate::isa::Kind;

#[derive(Clone, Copy, Debug)]
pub enum CrossLane {
    ReadFirst {
        result: u8,
        source: u16,
    },
    Read {
        result: u8,
        source: u16,
        lane: OperandSource,
    },
    Write {
        result: u16,
        source: OperandSource,
        lane: OperandSource,
    },
    /// Two registers change places in each active lane.
    Swap(u16, u16),
    /// Rows, or halves of the wave, of two registers change places, in all lanes.
    SwapRows {
        first: u16,
        second: u16,
        rows: u32,
    },
    /// `v_movrels` and `v_movreld`: M0 is added to the number of the source or of the destination.
    MoveRelative {
        result: u16,
        source: OperandSource,
        moves_source: bool,
        moves_result: bool,
    },
}

/// `v_permlane16_b32` and its kin: a lane takes the value of another one of its row.
#[derive(Clone, Copy, Debug)]
pub struct Permute {
    pub result: u16,
    pub source: u16,
    pub from: From,
    /// Inactive lanes are sources too.
    pub inactive: bool,
    /// Lanes without a source take zero; else they keep what they have.
    pub zero: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum From {
    /// Lanes of the own row, 4 bits for each.
    Row(OperandSource, OperandSource),
    /// Lanes of the other row of the half.
    OtherRow(OperandSource, OperandSource),
    /// The lane of the same place in the other half of the wave.
    OtherHalf,
    /// A vector register has the lane of the own row.
    RowByLane(u16),
    OtherRowByLane(u16),
}

/// `None` for what is a plain vector instruction.
pub fn parse(_arch: &Arch, text: &Text<'_>) -> Result<Option<Code>, Error> {
    let place = |index| -> Result<OperandSource, Error> {
        let Source { place, negated, absolute, .. } =
            source(text.operand(index)?, Kind::B32, false)?;
        if negated || absolute {
            return Err(format!("operand `{}`", text.operand(index)?));
        }
        Ok(place)
    };
    let vector = |index| match place(index)? {
        OperandSource::Vector(register) => Ok(register),
        _ => Err(format!("operand {index} is no vector register")),
    };
    let result = || Ok::<_, Error>(destination(text.operand(0)?, Kind::B32)?.0);
    let scalar = || scalar_result(text.operand(0)?, Kind::B32);
    let cross = |cross| Ok(Some(Code::CrossLane(Box::new(cross))));
    let permute = |from| {
        let op_sel = text.bits("op_sel", 0)?;
        let (inactive, zero) = (op_sel & 1 != 0, op_sel & 2 != 0);
        let permute = Permute { result: result()?, source: vector(1)?, from, inactive, zero };
        Ok(Some(Code::Permute(Box::new(permute))))
    };
    if !text.encoding.is_empty() && text.encoding.ends_with("dpp") {
        return Ok(None);
    }
    match text.mnemonic {
        "v_nop" => Ok(Some(Code::Nothing)),
        "v_readfirstlane_b32" => match place(1)? {
            OperandSource::Vector(source) => {
                cross(CrossLane::ReadFirst { result: scalar()?, source })
            }
            _ => Err("a source that is no vector register".to_owned()),
        },
        "v_readlane_b32" => {
            cross(CrossLane::Read { result: scalar()?, source: vector(1)?, lane: place(2)? })
        }
        "v_writelane_b32" => {
            cross(CrossLane::Write { result: result()?, source: place(1)?, lane: place(2)? })
        }
        "v_swap_b32" => cross(CrossLane::Swap(result()?, vector(1)?)),
        "v_permlane32_swap_b32" => {
            cross(CrossLane::SwapRows { first: result()?, second: vector(1)?, rows: 2 })
        }
        "v_permlane16_swap_b32" => {
            cross(CrossLane::SwapRows { first: result()?, second: vector(1)?, rows: 1 })
        }
        "v_movrels_b32" | "v_movreld_b32" | "v_movrelsd_b32" => {
            let moves_source = text.mnemonic != "v_movreld_b32";
            let moves_result = text.mnemonic != "v_movrels_b32";
            let (result, source) = (result()?, place(1)?);
            cross(CrossLane::MoveRelative { result, source, moves_source, moves_result })
        }
        "v_permlane16_b32" => permute(From::Row(place(2)?, place(3)?)),
        "v_permlanex16_b32" => permute(From::OtherRow(place(2)?, place(3)?)),
        "v_permlane64_b32" => permute(From::OtherHalf),
        "v_permlane16_var_b32" => permute(From::RowByLane(vector(2)?)),
        "v_permlanex16_var_b32" => permute(From::OtherRowByLane(vector(2)?)),
        _ => Ok(None),
    }
}
