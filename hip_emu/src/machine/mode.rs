//! The MODE register: how results are rounded, and what subnormal numbers are.

use crate::isa::{Mode, Round};

/// The register's bits, and what they mean for operations.
#[derive(Clone, Copy, Debug)]
pub struct ModeRegister {
    bits: u32,
    pub mode: Mode,
}

const DX10_CLAMP: u32 = 1 << 8;
const IEEE: u32 = 1 << 9;

impl Default for ModeRegister {
    /// Round to the nearest, keep subnormals.
    fn default() -> Self {
        ModeRegister::new(0xf0 | DX10_CLAMP)
    }
}

impl ModeRegister {
    /// The register with these bits.
    pub fn new(bits: u32) -> ModeRegister {
        let round = |field: u32| match field & 3 {
            0 => Round::NearestEven,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        };
        // Of each two bits, the lower one allows subnormal operands, the upper one subnormal results.
        let flushes = |bit: u32| bits & 1 << bit == 0;
        let mode = Mode {
            round_f32: round(bits),
            round_f64: round(bits >> 2),
            flush_in_f32: flushes(4),
            flush_out_f32: flushes(5),
            flush_in_f64: flushes(6),
            flush_out_f64: flushes(7),
            dx10_clamp: bits & DX10_CLAMP != 0,
            ieee: bits & IEEE != 0,
        };
        ModeRegister { bits, mode }
    }

    /// The register's bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Replaces the bits of `mask`.
    pub fn replace(&mut self, mask: u32, bits: u32) {
        *self = ModeRegister::new(self.bits & !mask | bits & mask);
    }
}
