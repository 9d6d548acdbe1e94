//! Values that move between lanes, or between lanes and scalar registers.

use super::Stop;
use super::wave::{Lanes, Wave};
use crate::decode::lane::{CrossLane, From, Permute};
use crate::decode::operand::{OperandSource, sgpr};

/// Runs an instruction that moves values between lanes, or between lanes and scalar registers.
pub fn run(wave: &mut Wave, cross: &CrossLane) -> Result<(), Stop> {
    let exec = wave.exec() & wave.all_lanes();
    match *cross {
        CrossLane::ReadFirst { result, source } => {
            let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
            let value = wave.lane32(source, lane);
            wave.set_scalar32(result, value);
        }
        CrossLane::Read { result, source, lane } => {
            let lane = wave.uniform(lane, false) as usize % wave.lanes;
            let value = wave.lane32(source, lane);
            wave.set_scalar32(result, value);
        }
        CrossLane::Write { result, source, lane } => {
            let lane = wave.uniform(lane, false) as usize % wave.lanes;
            let value = wave.uniform(source, false) as u32;
            wave.set_lane32(result, lane, value);
        }
        CrossLane::Swap(first, second) => {
            for lane in Lanes(exec) {
                let (one, other) = (wave.lane32(first, lane), wave.lane32(second, lane));
                wave.set_lane32(first, lane, other);
                wave.set_lane32(second, lane, one);
            }
        }
        CrossLane::SwapRows { first, second, rows } => {
            // Odd rows of the first register with even rows of the second.
            let width = 16 * rows as usize;
            for lane in (0..wave.lanes).filter(|lane| lane / width % 2 == 1) {
                let (one, other) = (wave.lane32(first, lane), wave.lane32(second, lane - width));
                wave.set_lane32(first, lane, other);
                wave.set_lane32(second, lane - width, one);
            }
        }
        CrossLane::MoveRelative { result, source, moves_source, moves_result } => {
            let by = wave.scalar32(sgpr::M0) as usize;
            let from = match source {
                OperandSource::Vector(register) if moves_source => {
                    Some(usize::from(register).saturating_add(by))
                }
                OperandSource::Vector(register) => Some(register.into()),
                _ => None,
            };
            let to = usize::from(result).saturating_add(if moves_result { by } else { 0 });
            if to >= wave.registers() || from.is_some_and(|from| from >= wave.registers()) {
                // What a bad index names is not defined; so long as nobody uses it, it does not matter.
                return Ok(());
            }
            for lane in Lanes(exec) {
                let value = match from {
                    Some(register) => wave.lane32(register as u16, lane),
                    None => wave.uniform(source, false) as u32,
                };
                wave.set_lane32(to as u16, lane, value);
            }
        }
    }
    Ok(())
}

/// Runs an instruction in which each lane reads the value of another one.
pub fn permute(wave: &mut Wave, permute: &Permute) {
    let exec = wave.exec() & wave.all_lanes();
    let picks = match permute.from {
        From::Row(low, high) | From::OtherRow(low, high) => {
            wave.uniform(low, false) | wave.uniform(high, false) << 32
        }
        _ => 0,
    };
    let mut values = [None; 64];
    for lane in Lanes(exec) {
        let (row, place) = (lane & !15, lane & 15);
        let own = |picked: u64| row + (picked & 15) as usize;
        let from = match permute.from {
            From::Row(..) => own(picks >> (4 * place)),
            From::OtherRow(..) => own(picks >> (4 * place)) ^ 16,
            From::OtherHalf => (lane ^ 32) % wave.lanes,
            From::RowByLane(register) => own(wave.lane32(register, lane).into()),
            From::OtherRowByLane(register) => own(wave.lane32(register, lane).into()) ^ 16,
        };
        values[lane] = if permute.inactive || exec >> from & 1 != 0 {
            Some(wave.lane32(permute.source, from))
        } else {
            permute.zero.then_some(0)
        };
    }
    for lane in Lanes(exec) {
        if let Some(value) = values[lane] {
            wave.set_lane32(permute.result, lane, value);
        }
    }
}
