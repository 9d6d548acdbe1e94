//! The state of a wave: hardware registers, modes, clocks.

use std::sync::LazyLock;
use std::time::Instant;

use super::Stop;
use super::wave::Wave;
use crate::decode::operand::{OperandSource, sgpr};
use crate::decode::scalar::{Clock, Hardware, Status};

/// The moment from which clocks count.
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

fn nanoseconds() -> u64 {
    ORIGIN.elapsed().as_nanos() as u64
}

/// The count of a core of 1 GHz.
fn cycles() -> u64 {
    nanoseconds()
}

/// Reads a clock into its one or two scalar registers.
pub fn read_clock(wave: &mut Wave, clock: &Clock) {
    let value = if clock.real { nanoseconds() / 10 } else { cycles() };
    if clock.wide {
        wave.set_scalar64(clock.result, value);
    } else {
        wave.set_scalar32(clock.result, value as u32);
    }
}

fn ones(size: u32) -> u32 {
    if size >= 32 { u32::MAX } else { (1 << size) - 1 }
}

/// Runs an instruction that reads or writes a hardware register.
pub fn run(wave: &mut Wave, status: &Status) -> Result<(), Stop> {
    match *status {
        Status::Get { result, register, offset, size } => {
            let value = match register {
                Hardware::Mode => wave.mode.bits(),
                Hardware::Constant(value) => value,
                Hardware::Cycles => cycles() as u32,
                Hardware::CyclesHigh => (cycles() >> 32) as u32,
                Hardware::Id => wave.number,
                Hardware::FlatScratchLow => wave.scalar32(sgpr::FLAT_SCRATCH),
                Hardware::FlatScratchHigh => wave.scalar32(sgpr::FLAT_SCRATCH + 1),
            };
            wave.set_scalar32(result, value >> offset & ones(size));
        }
        Status::Set { source, register, offset, size } => {
            let value = wave.uniform(source, false) as u32;
            match register {
                Hardware::Mode => wave.mode.replace(ones(size) << offset, value << offset),
                Hardware::FlatScratchLow => wave.set_scalar32(sgpr::FLAT_SCRATCH, value),
                Hardware::FlatScratchHigh => wave.set_scalar32(sgpr::FLAT_SCRATCH + 1, value),
                Hardware::Constant(_) => {}
                Hardware::Cycles | Hardware::CyclesHigh | Hardware::Id => {
                    return Err(Stop::Unknown(format!("a write to {register:?}")));
                }
            }
        }
        Status::Round(bits) => wave.mode.replace(0xf, bits),
        Status::Denormals(bits) => wave.mode.replace(0xf0, bits << 4),
        Status::MoveRelative { result, source, wide, moves_source } => {
            let by = wave.scalar32(sgpr::M0);
            let moved = |register: u8| {
                let moved = u32::from(register).saturating_add(by);
                if moved < 105 {
                    Ok(moved as u8)
                } else {
                    Err(Stop::Unknown(format!("a scalar register of number {moved}")))
                }
            };
            let source = match source {
                OperandSource::Scalar(register) if moves_source => {
                    OperandSource::Scalar(moved(register)?)
                }
                other => other,
            };
            let result = if moves_source { result } else { moved(result)? };
            let value = wave.uniform(source, wide);
            if wide {
                wave.set_scalar64(result, value);
            } else {
                wave.set_scalar32(result, value as u32);
            }
        }
        Status::IndexOn(place, uses) => {
            wave.index = wave.uniform(place, false) as u32 & 0xff;
            wave.index_uses = uses;
            let m0 = wave.scalar32(sgpr::M0) & 0xffff_0f00;
            wave.set_scalar32(sgpr::M0, m0 | wave.index | uses << 12);
        }
        Status::IndexOff => wave.index_uses = 0,
        Status::IndexSet(place) => wave.index = wave.uniform(place, false) as u32 & 0xff,
    }
    Ok(())
}
