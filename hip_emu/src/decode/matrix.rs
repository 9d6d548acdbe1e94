//! Matrix instructions: operands of many registers.

use super::Code;
use super::operand::{Registers, constant, registers};
use super::text::{Error, Text, integer};
use crate::arch::{Arch, Generation};
use crate::isa::Kind;
use crate::isa::matrix::{Family, Matrix, Modifiers};

/// A matrix instruction, whose operands begin at these vector registers.
#[derive(Clone, Copy, Debug)]
pub struct Multiply {
    pub matrix: Matrix,
    pub modifiers: Modifiers,
    pub a: u16,
    pub b: u16,
    pub c: Accumulator,
    pub result: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulator {
    Registers(u16),
    /// All elements are the same.
    Constant(u64),
    /// D is C too; the register says which elements a sparse A has.
    Indices(u16),
}

/// Nothing where the mnemonic is of another family.
pub fn parse(arch: &Arch, text: &Text<'_>) -> Result<Option<Code>, Error> {
    if !["v_wmma_", "v_swmmac_", "v_mfma_", "v_smfmac_"]
        .iter()
        .any(|prefix| text.mnemonic.starts_with(prefix))
    {
        return Ok(None);
    }
    let of = |family| Matrix::parse(text.mnemonic, family, arch.has_unsigned_zeros());
    let matrix = match arch.generation {
        Generation::Gfx11 => of(Family::Gfx11),
        Generation::Gfx12 => of(Family::Gfx12),
        Generation::Gfx90a => Matrix::parse_older(text.mnemonic),
        Generation::Gfx940 => of(Family::Gfx940),
        _ => None,
    };
    let matrix = matrix.ok_or("mnemonic")?;
    text.expect(4)?;
    let [a_count, b_count, c_count] = matrix.registers();
    let first = |index: usize, wanted: usize| match registers(text.operand(index)?) {
        Some(Registers::Vector { first, count }) if usize::from(count) == wanted => Ok(first),
        _ => Err(format!("operand `{}`", text.operand(index)?)),
    };
    let c = text.operand(3)?;
    let c = match registers(c) {
        _ if matrix.sparse => Accumulator::Indices(first(3, 1)?),
        Some(_) => Accumulator::Registers(first(3, c_count)?),
        None => Accumulator::Constant(inline(&matrix, c).ok_or_else(|| format!("operand `{c}`"))?),
    };
    let op_sel = text.bits("op_sel", 0)?;
    if op_sel & !4 != 0 {
        return Err("halves of factors".to_owned());
    }
    let modifiers = Modifiers {
        negated_lo: text.bits("neg_lo", 0)?,
        negated_hi: text.bits("neg_hi", 0)?,
        upper_half: op_sel & 4 != 0,
        clamp: text.has("clamp"),
        index_set: if matrix.sparse { index_set(text)? } else { 0 },
    };
    let (a, b, result) = (first(1, a_count)?, first(2, b_count)?, first(0, c_count)?);
    Ok(Some(Code::Matrix(Box::new(Multiply { matrix, modifiers, a, b, c, result }))))
}

/// The part of the register in which the indices are: it is named differently by the generations.
fn index_set(text: &Text<'_>) -> Result<u32, Error> {
    let (set, key) = (text.number("abid")?, text.number("index_key")?);
    // With this one set, it is always the first part.
    let is_first = text.number("cbsz")? != 0;
    Ok(if is_first { 0 } else { set.max(key) as u32 })
}

/// A constant, whose bits are those of a float where it is written as one.
fn inline(matrix: &Matrix, text: &str) -> Option<u64> {
    if text.contains('.') {
        let bits = constant(text, Kind::F32, false)? as u32;
        return Some(matrix.constant(f32::from_bits(bits).into(), bits));
    }
    Some(matrix.integer_constant(integer(text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(processor: &str, text: &str) -> Result<Multiply, Error> {
        let arch = Arch::parse(processor).ok_or("processor")?;
        let text = Text::new(text);
        let code = parse(&arch, &text)?;
        text.finish()?;
        match code {
            Some(Code::Matrix(multiply)) => Ok(*multiply),
            _ => Err("no matrix instruction".to_owned()),
        }
    }

    #[test]
    fn operands_and_modifiers_are_read() {
        let text =
            "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[16:23] neg_lo:[1,0,0] clamp";
        let multiply = parsed("gfx1100", text).expect("an instruction");
        assert_eq!((multiply.result, multiply.a, multiply.b), (0, 8, 12));
        assert_eq!(multiply.c, Accumulator::Registers(16));
        assert!(multiply.modifiers.clamp && multiply.modifiers.negated_lo == 1);

        let constant = |text: &str| parsed("gfx942", text).map(|multiply| multiply.c);
        let of = |c| format!("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], {c}");
        assert_eq!(constant(&of("2.0")), Ok(Accumulator::Constant(0x4000_0000)));
        assert_eq!(constant(&of("0")), Ok(Accumulator::Constant(0)));
        let older = parsed("gfx90a", "v_mfma_f32_4x4x1f32 a[0:3], v4, v5, a[0:3]");
        assert_eq!(older.map(|multiply| (multiply.a, multiply.b)), Ok((4, 5)));
        let double = "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], 0.5";
        assert_eq!(constant(double), Ok(Accumulator::Constant(0x3fe0_0000_0000_0000)));
    }

    #[test]
    fn sparse_factors_have_indices() {
        let text = "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10 abid:2";
        let multiply = parsed("gfx942", text).expect("an instruction");
        assert_eq!((multiply.c, multiply.modifiers.index_set), (Accumulator::Indices(10), 2));
        let text = "v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20 index_key:1";
        let multiply = parsed("gfx1200", text).expect("an instruction");
        assert_eq!((multiply.c, multiply.modifiers.index_set), (Accumulator::Indices(20), 1));
    }

    #[test]
    fn what_is_not_emulated_is_refused() {
        let broadcast = "v_mfma_f32_16x16x4_4b_f16 v[0:15], v[16:17], v[18:19], 0 cbsz:1";
        assert_eq!(parsed("gfx942", broadcast).err(), Some("modifier `cbsz:1`".to_owned()));
        let narrow = "v_mfma_f32_16x16x16_f16 v[0:3], v4, v[6:7], 0";
        assert_eq!(parsed("gfx942", narrow).err(), Some("operand `v4`".to_owned()));
        let reduced = "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], 0";
        assert_eq!(parsed("gfx942", reduced).err(), Some("mnemonic".to_owned()));
    }
}
