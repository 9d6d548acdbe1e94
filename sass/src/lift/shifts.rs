//! Shifts of 64 bits to the left put together again.
//!
//! ptxas takes them apart, one half before the other:
//!
//! ```text
//! IMAD.SHL.U32 R4, R2, 0x4, RZ
//! SHF.L.U64.HI R5, R2, 0x2, R3
//! ```
//!
//! Whoever looks for the stride of an address sees none in halves that are made apart. So both are taken from one shift of 64 bits, as long as
//! the block goes on and the registers keep what they have.

use super::machine::Machine;
use super::operand::Target;
use crate::instruction::{File, Operand, Signs};

type Place = (File, u8);

/// What a block knows of shifts that may be halves.
#[derive(Default)]
pub(super) struct Shifts {
    /// Lower halves, and where they are.
    lower: Vec<(Half, Target)>,
    /// The names of the lower halves of whole shifts.
    whole: Vec<(Half, String)>,
}

/// A register that is shifted to the left, by so many bits.
#[derive(Clone, Copy, PartialEq)]
struct Half {
    of: Place,
    by: u32,
}

impl Half {
    fn new(operand: &Operand, by: u32) -> Option<Self> {
        match operand {
            Operand::Register(of) if of.signs == Signs::default() && !of.is_zero() => {
                Some(Self { of: (of.file, of.number), by })
            }
            _ => None,
        }
    }
}

impl Shifts {
    /// Forgets what registers are written, and takes over what an instruction tells.
    pub(super) fn learn(&mut self, written: &[Place], fresh: &mut Self) {
        self.lower.retain(|(_, target)| !written.contains(&(target.file, target.number)));
        self.lower.append(&mut fresh.lower);
        self.whole.append(&mut fresh.whole);
        self.lower.retain(|(half, _)| !written.contains(&half.of));
        self.whole.retain(|(half, _)| !written.contains(&half.of));
    }
}

/// Takes a register that is shifted from a whole shift, if one was there before; else notes it as a lower half.
pub(super) fn lower(machine: &mut Machine, target: Target, of: &Operand, by: u32) -> bool {
    let Some(half) = Half::new(of, by) else { return false };
    let known = machine.known.shifts.whole.iter().find(|(known, _)| *known == half);
    if let Some((_, name)) = known {
        let name = name.clone();
        machine.set(target, &name);
        return true;
    }
    if machine.emit.guard().is_empty() {
        machine.fresh.shifts.lower.push((half, target));
    }
    false
}

/// Takes the lower halves that were there before from a whole shift, and notes it for those behind.
pub(super) fn upper(machine: &mut Machine, low: &Operand, by: u32, name: &str) {
    let Some(half) = Half::new(low, by) else { return };
    let known = machine.known.shifts.lower.iter().filter(|(known, _)| *known == half);
    let targets: Vec<Target> = known.map(|(_, target)| *target).collect();
    for target in targets {
        let place = machine.place(target);
        machine.emit.line(format_args!("mov.b32 {place}, {name}"));
        machine.emit.moved(&place, name);
    }
    machine.fresh.shifts.whole.push((half, name.to_owned()));
}
