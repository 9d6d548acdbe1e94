//! Arrivals at barriers in shared memory (mbarrier), which on these machines are words of 64 bits that code looks into:
//!
//! | bits | what |
//! |---|---|
//! | 0 to 31 | 0x4000_0000 less the number of arrivals that each phase expects |
//! | 32 to 62 | 0x8000_0000 less the number of arrivals that this phase still expects |
//! | 63 | the phase |
//!
//! So ptxas initialises them, asks for the phase and for what is pending, and takes arrivals away. An arrival adds one to the upper
//! half: the last one changes the phase by its carry, and begins the next one with what the lower half says.

use super::emit::Kind;
use super::machine::{Lifted, Machine};
use super::operand::{Operands, Target};
use crate::instruction::{File, Register};

/// ATOMS.ARRIVE.64 R, [address]: what was there before.
pub(super) fn atomic(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    arrive(machine, o, target)
}

/// ARRIVES.LDGSTSBAR.64 [address]: arrives when the thread's copies to shared memory are done, which they are. On sm_90 `.ARVCNT` does so,
/// and `.TRANSCNT` takes back what was expected for the copies just before, which was left away.
pub(super) fn copies(machine: &mut Machine, mut o: Operands) -> Lifted {
    if o.instruction.has("TRANSCNT") {
        return Ok(());
    }
    if o.instruction.has("ARVCNT") {
        let address = o.address()?;
        o.end()?;
        let place = machine.shared_address(&address)?;
        machine.emit.guarded(format_args!("mbarrier.arrive.shared.b64 _, [{place}]"));
        return Ok(());
    }
    arrive(machine, o, Target { file: File::General, number: Register::RZ })
}

fn arrive(machine: &mut Machine, mut o: Operands, target: Target) -> Lifted {
    let i = o.instruction;
    let address = o.address()?;
    o.end()?;
    let place = machine.place_of(i, &address)?;
    let end = machine.skip();
    let again = format!("{end}_again");
    let emit = &mut machine.emit;
    let old = emit.b64("ld.relaxed.cta.shared.b64", &[&format!("[{place}]")]);
    emit.label(&again);
    let (expected, pending) = emit.halves(&old);
    let next = emit.b32("add.s32", &[&pending, "1"]);
    let left = emit.b32("and.b32", &[&next, "0x7fffffff"]);
    let is_last = emit.flag("setp.eq.u32", &[&left, "0"]);
    let begin = emit.b32("add.s32", &[&expected, "0x40000000"]);
    let begin = emit.b32("and.b32", &[&begin, "0x7fffffff"]);
    let begin = emit.b32("selp.b32", &[&begin, "0", &is_last]);
    let next = emit.b32("or.b32", &[&next, &begin]);
    let new = emit.joined(&expected, &next);
    let seen = emit.temporary(Kind::B64);
    emit.line(format_args!("atom.acq_rel.cta.shared.cas.b64 {seen}, [{place}], {old}, {new}"));
    let failed = emit.flag("setp.ne.b64", &[&seen, &old]);
    emit.line(format_args!("mov.b64 {old}, {seen}"));
    emit.line(format_args!("@{failed} bra {again}"));
    machine.set_wide(target, &old);
    machine.emit.label(end);
    Ok(())
}
