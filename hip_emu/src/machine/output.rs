//! Output modifiers: results multiplied, and clamped to 0..=1.

use crate::isa::{Kind, Mode};

/// Multiplies a result with `factor` and clamps it.
pub fn apply(mode: &Mode, kind: Kind, factor: f32, clamp: bool, value: u64) -> u64 {
    let mut value = value;
    if factor != 1.0 {
        value = match kind {
            Kind::F32 => (f32::from_bits(value as u32) * factor).to_bits().into(),
            Kind::F64 => (f64::from_bits(value) * f64::from(factor)).to_bits(),
            _ => value,
        };
    }
    if !clamp {
        return value;
    }
    let clamp = |bits: u64, format: Format| format.clamp(mode, bits);
    match kind {
        Kind::F16 => clamp(value, HALF),
        Kind::Bf16 => clamp(value, BF16),
        Kind::F32 => clamp(value, SINGLE),
        Kind::F64 => clamp(value, DOUBLE),
        Kind::PF16 => clamp(value & 0xffff, HALF) | clamp(value >> 16, HALF) << 16,
        Kind::PBf16 => clamp(value & 0xffff, BF16) | clamp(value >> 16, BF16) << 16,
        Kind::PF32 => clamp(value & 0xffff_ffff, SINGLE) | clamp(value >> 32, SINGLE) << 32,
        _ => value,
    }
}

/// A format of floats, whose positive values are ordered as their bits are.
#[derive(Clone, Copy)]
struct Format {
    sign: u64,
    infinity: u64,
    one: u64,
}

const HALF: Format = Format { sign: 1 << 15, infinity: 0x7c00, one: 0x3c00 };
const BF16: Format = Format { sign: 1 << 15, infinity: 0x7f80, one: 0x3f80 };
const SINGLE: Format = Format { sign: 1 << 31, infinity: 0x7f80_0000, one: 0x3f80_0000 };
const DOUBLE: Format =
    Format { sign: 1 << 63, infinity: 0x7ff0_0000_0000_0000, one: 0x3ff0_0000_0000_0000 };

impl Format {
    fn clamp(self, mode: &Mode, bits: u64) -> u64 {
        if bits & !self.sign > self.infinity {
            return if mode.dx10_clamp { 0 } else { bits };
        }
        if bits & self.sign != 0 { 0 } else { bits.min(self.one) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::mode::ModeRegister;

    #[test]
    fn results_are_clamped_to_the_unit_interval() {
        let mode = ModeRegister::default().mode;
        let clamp = |value: f32| {
            f32::from_bits(apply(&mode, Kind::F32, 1.0, true, value.to_bits().into()) as u32)
        };
        assert_eq!([2.0, 0.25, -1.0, f32::NAN].map(clamp), [1.0, 0.25, 0.0, 0.0]);
        assert_eq!(apply(&mode, Kind::PF16, 1.0, true, 0x4000_bc00), 0x3c00_0000);
        let doubled = apply(&mode, Kind::F64, 4.0, false, 1.5f64.to_bits());
        assert_eq!(f64::from_bits(doubled), 6.0);
    }
}
