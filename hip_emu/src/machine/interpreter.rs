//! One instruction after the other.

use std::sync::atomic::{Ordering, fence};

use super::group::Local;
use super::wave::Wave;
use super::{Stop, lane, matrix, memory, status, vector};
use crate::decode::operand::sgpr;
use crate::decode::scalar::{Branch, Condition, Jump, SaveExec, Scalar};
use crate::decode::{Code, Program};
use crate::isa::Kind;

/// The reasons for which a wave lets others run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It has run for long enough.
    Slice,
    /// It waits for something that others do.
    Yield,
    Barrier,
    End,
}

/// Runs a wave until it pauses, `limit` instructions at most. `at` is the word of code where it is.
pub fn run(
    wave: &mut Wave,
    local: &Local,
    program: &Program,
    limit: u32,
    at: &mut usize,
) -> Result<Pause, Stop> {
    for _ in 0..limit {
        *at = wave.pc;
        let Some(instruction) = program.instructions.get(wave.pc) else {
            return Err(Stop::BadCode(program.address_of(wave.pc)));
        };
        if !instruction.named.are_among(&wave.allocated) {
            return Err(Stop::BadRegister);
        }
        wave.pc += usize::from(instruction.words);
        match &instruction.code {
            Code::Vector(vector) => vector::run(wave, vector),
            Code::Scalar(scalar) => arithmetic(wave, scalar),
            Code::Nothing => {}
            Code::Memory(access) => memory::run(wave, local, access)?,
            Code::Branch(branch) => jump(wave, branch),
            Code::SaveExec(save) => save_exec(wave, save),
            Code::ScalarLoad(load) => memory::load_scalar(wave, load)?,
            Code::Dual(both) => vector::run_dual(wave, both),
            Code::Matrix(multiply) => matrix::run(wave, multiply),
            Code::CrossLane(cross) => lane::run(wave, cross)?,
            Code::Permute(permute) => lane::permute(wave, permute),
            Code::LdsExchange(exchange) => memory::exchange(wave, local, exchange)?,
            Code::Jump(jump) => {
                let next = program.address_of(wave.pc);
                let to = match **jump {
                    Jump::Get(result) => {
                        wave.set_scalar64(result, next);
                        continue;
                    }
                    Jump::Set(from) => wave.scalar64(from),
                    Jump::Swap(result, from) => {
                        let to = wave.scalar64(from);
                        wave.set_scalar64(result, next);
                        to
                    }
                    Jump::Call(result, distance) => {
                        wave.set_scalar64(result, next);
                        next.wrapping_add_signed(i64::from(distance) * 4)
                    }
                };
                wave.pc = program.word_of(to).ok_or(Stop::BadCode(to))?;
            }
            Code::Status(what) => status::run(wave, what)?,
            Code::Clock(clock) => status::read_clock(wave, clock),
            Code::Fence => fence(Ordering::SeqCst),
            Code::Yield => return Ok(Pause::Yield),
            Code::Barrier => return Ok(Pause::Barrier),
            Code::BarrierSignal => wave.signalled = true,
            Code::BarrierWait => {
                if wave.signalled {
                    return Ok(Pause::Barrier);
                }
            }
            Code::End => return Ok(Pause::End),
            Code::Trap(number) => return Err(Stop::Trap(*number)),
            Code::Unknown(why) => return Err(Stop::Unknown(why.to_string())),
        }
    }
    Ok(Pause::Slice)
}

fn arithmetic(wave: &mut Wave, scalar: &Scalar) {
    let operation = scalar.operation;
    let mut sources = [0; 3];
    for (slot, kind) in operation.sources.iter().enumerate() {
        let wide = matches!(kind, Kind::B64 | Kind::F64);
        let value = wave.uniform(scalar.sources[slot], wide);
        let is_half = matches!(kind, Kind::B16 | Kind::F16 | Kind::Bf16);
        sources[slot] = if is_half { value & 0xffff } else { value };
    }
    let (value, scc) = (operation.run)(&wave.mode.mode, sources, wave.scc);
    wave.scc = scc;
    match operation.result {
        Kind::None => {}
        Kind::B64 | Kind::F64 => wave.set_scalar64(scalar.result, value),
        _ => wave.set_scalar32(scalar.result, value as u32),
    }
}

fn save_exec(wave: &mut Wave, save: &SaveExec) {
    let source = wave.uniform(save.source, save.wide);
    let exec = if save.wide { wave.scalar64(sgpr::EXEC) } else { wave.scalar32(sgpr::EXEC).into() };
    let new = (save.combine)(source, exec);
    let kept = if save.writes_new { new } else { exec };
    if save.wide {
        wave.set_scalar64(save.result, kept);
        wave.set_scalar64(sgpr::EXEC, new);
        wave.scc = new != 0;
    } else {
        wave.set_scalar32(save.result, kept as u32);
        wave.set_scalar32(sgpr::EXEC, new as u32);
        wave.scc = new as u32 != 0;
    }
}

fn jump(wave: &mut Wave, branch: &Branch) {
    let taken = match branch.condition {
        Condition::Always => true,
        Condition::Scc(wanted) => wave.scc == wanted,
        Condition::VccZero(wanted) => (wave.mask(sgpr::VCC) == 0) == wanted,
        Condition::ExecZero(wanted) => (wave.exec() == 0) == wanted,
    };
    if taken {
        wave.pc = wave.pc.wrapping_add_signed(branch.distance as isize);
    }
}
