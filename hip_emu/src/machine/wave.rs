//! A wave: its registers, and where it is.

use super::mode::ModeRegister;
use crate::decode::Named;
use crate::decode::operand::{OperandSource, Special, sgpr};

/// Rows of vector registers behind those of the kernel, for values on their way.
pub const SCRATCH_ROWS: usize = 10;

/// The state of a wave between instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    AtBarrier,
    Ended,
}

#[derive(Debug)]
pub struct Wave {
    pub state: State,
    /// The word of code that comes next.
    pub pc: usize,
    pub scc: bool,
    pub scalar: [u32; sgpr::COUNT],
    /// Register `r` of lane `l` is `vector[r * lanes + l]`.
    pub vector: Vec<u32>,
    pub lanes: usize,
    /// The registers that the kernel has.
    pub allocated: Named,
    /// The first of the rows for values on their way.
    pub scratch_row: usize,
    pub mode: ModeRegister,
    /// Scratch memory: that of lane `l` begins `l * private_size` bytes from here.
    pub private: usize,
    pub private_size: usize,
    /// The host's memory that the dispatcher tells it of: first addresses and sizes.
    pub told: [(u64, u64); 3],
    /// Its number in the workgroup.
    pub number: u32,
    /// The operands of vector instructions that `index` is added to: a bit for each source, and 8 for the destination.
    pub index_uses: u32,
    pub index: u32,
    /// Barriers that it has signalled and not waited for.
    pub signalled: bool,
}

/// Apertures of generic addresses: upper halves of addresses that no host has.
pub const SHARED_APERTURE: u32 = 0x0001_0000;
pub const PRIVATE_APERTURE: u32 = 0x0002_0000;

impl Wave {
    /// `registers` vector registers.
    pub fn new(lanes: usize, registers: usize, number: u32) -> Wave {
        Wave {
            state: State::Ended,
            pc: 0,
            scc: false,
            scalar: [0; sgpr::COUNT],
            vector: vec![0; (registers + SCRATCH_ROWS) * lanes],
            lanes,
            allocated: Named::ALL,
            scratch_row: registers,
            mode: ModeRegister::default(),
            private: 0,
            private_size: 0,
            told: [(0, 0); 3],
            number,
            index_uses: 0,
            index: 0,
            signalled: false,
        }
    }

    /// Whether an address is of memory that the dispatcher tells of.
    pub fn is_told(&self, address: u64) -> bool {
        self.told.iter().any(|(start, size)| address.wrapping_sub(*start) < *size)
    }

    /// Registers of the kernel.
    pub fn registers(&self) -> usize {
        self.scratch_row
    }

    /// The mask of lanes that are there.
    pub fn all_lanes(&self) -> u64 {
        if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 }
    }

    /// EXEC: the mask of active lanes.
    pub fn exec(&self) -> u64 {
        self.mask(sgpr::EXEC)
    }

    /// Sets EXEC, of which waves of 32 lanes have the low half.
    pub fn set_exec(&mut self, mask: u64) {
        self.set_mask(sgpr::EXEC, mask);
    }

    /// A mask of lanes in scalar registers.
    pub fn mask(&self, register: u8) -> u64 {
        match (register, self.lanes) {
            (sgpr::NULL, _) => 0,
            (_, 64) => self.scalar64(register),
            _ => self.scalar32(register).into(),
        }
    }

    /// Writes a mask of lanes to scalar registers: two, or one in waves of 32 lanes.
    pub fn set_mask(&mut self, register: u8, mask: u64) {
        match self.lanes {
            64 => self.set_scalar64(register, mask),
            _ => self.set_scalar32(register, mask as u32),
        }
    }

    /// The value of a scalar register.
    pub fn scalar32(&self, register: u8) -> u32 {
        // What was written to the null register never got there.
        self.scalar[usize::from(register)]
    }

    /// The value of two scalar registers, the low half first; the null register is 0.
    pub fn scalar64(&self, register: u8) -> u64 {
        if register == sgpr::NULL {
            return 0;
        }
        let at = usize::from(register);
        u64::from(self.scalar[at]) | u64::from(self.scalar[at + 1]) << 32
    }

    /// Writes a scalar register; the null register stays.
    pub fn set_scalar32(&mut self, register: u8, value: u32) {
        if register != sgpr::NULL {
            self.scalar[usize::from(register)] = value;
        }
    }

    /// Writes two scalar registers, the low half first.
    pub fn set_scalar64(&mut self, register: u8, value: u64) {
        if register != sgpr::NULL {
            let at = usize::from(register);
            self.scalar[at] = value as u32;
            self.scalar[at + 1] = (value >> 32) as u32;
        }
    }

    /// A source that is the same for all lanes; 64 bits where `wide`.
    pub fn uniform(&self, place: OperandSource, wide: bool) -> u64 {
        match place {
            OperandSource::Constant(value) => value,
            OperandSource::Scalar(register) if wide => self.scalar64(register),
            OperandSource::Scalar(register) => self.scalar32(register).into(),
            OperandSource::Special(special) => self.special(special, wide),
            // Decoding lets none through.
            OperandSource::Vector(_) => 0,
        }
    }

    fn special(&self, special: Special, wide: bool) -> u64 {
        // Of 32 bits, the hardware gives the upper half of an aperture.
        let aperture = |upper: u32, lower: u32| {
            if wide { u64::from(upper) << 32 | u64::from(lower) } else { upper.into() }
        };
        match special {
            Special::VccZero => (self.mask(sgpr::VCC) == 0).into(),
            Special::ExecZero => (self.exec() == 0).into(),
            Special::Scc => self.scc.into(),
            Special::SharedBase => aperture(SHARED_APERTURE, 0),
            Special::SharedLimit => aperture(SHARED_APERTURE, u32::MAX),
            Special::PrivateBase => aperture(PRIVATE_APERTURE, 0),
            Special::PrivateLimit => aperture(PRIVATE_APERTURE, u32::MAX),
        }
    }

    /// The index in `vector` of a register's first lane.
    pub fn row(&self, register: usize) -> usize {
        register * self.lanes
    }

    /// A lane's value of a vector register.
    pub fn lane32(&self, register: u16, lane: usize) -> u32 {
        self.vector[usize::from(register) * self.lanes + lane]
    }

    /// A lane's value of two vector registers, the low half first.
    pub fn lane64(&self, register: u16, lane: usize) -> u64 {
        let low = self.lane32(register, lane);
        u64::from(low) | u64::from(self.lane32(register + 1, lane)) << 32
    }

    /// Writes a lane of a vector register.
    pub fn set_lane32(&mut self, register: u16, lane: usize, value: u32) {
        let at = usize::from(register) * self.lanes + lane;
        self.vector[at] = value;
    }

    /// Writes a lane of two vector registers, the low half first.
    pub fn set_lane64(&mut self, register: u16, lane: usize, value: u64) {
        self.set_lane32(register, lane, value as u32);
        self.set_lane32(register + 1, lane, (value >> 32) as u32);
    }
}

/// The lanes of a mask, the lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(pub u64);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane as usize)
    }
}
