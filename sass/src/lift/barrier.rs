//! Barriers in shared memory (mbarrier) of sm_90, by instructions of their own. What code knows of them is what it initialises them
//! with, and the state that an arrival gives back:
//!
//! | bits | what |
//! |---|---|
//! | 1 to 20 | 0x10_0000 less the number of arrivals that each phase expects |
//! | 43 to 62 | 0x10_0000 less the number of arrivals that this phase still expects |
//! | 63 | the phase |

use super::emit::{Kind, Truth, unsupported};
use super::machine::{Lifted, Machine};
use super::operand::{Operands, Target, integer};
use crate::instruction::Register;

/// SYNCS: the function is its first modifier.
pub(super) fn syncs(machine: &mut Machine, o: Operands) -> Lifted {
    match o.instruction.modifiers.first().copied() {
        Some("EXCH") => initialise(machine, o),
        Some("ARRIVE") => arrive(machine, o),
        Some("PHASECHK") => ask(machine, o),
        Some("CCTL") => invalidate(machine, o),
        _ => unsupported("a form"),
    }
}

/// SYNCS.EXCH.64 URZ, [address], UR
fn initialise(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let address = o.address()?;
    let word = integer(machine, o.next()?)?;
    o.end()?;
    if target.number != Register::URZ {
        return unsupported("what was there before");
    }
    let place = machine.shared_address(&address)?;
    let field = machine.emit.b32("shr.u32", &[&word, "1"]);
    let count = machine.emit.b32("sub.s32", &["0x100000", &field]);
    let count = machine.emit.b32("and.b32", &[&count, "0xfffff"]);
    machine.once(&format!("mbarrier.init.shared.b64 [{place}], {count}"));
    Ok(())
}

/// SYNCS.CCTL.IV [address]
fn invalidate(machine: &mut Machine, mut o: Operands) -> Lifted {
    let address = o.address()?;
    o.end()?;
    let place = machine.shared_address(&address)?;
    machine.emit.guarded(format_args!("mbarrier.inval.shared.b64 [{place}]"));
    Ok(())
}

/// SYNCS.PHASECHK.TRANS64[.TRYWAIT] P, [address], R: whether the phase whose parity is bit 31 is over.
fn ask(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let p = o.predicate()?;
    let address = o.address()?;
    let asked = integer(machine, o.next()?)?;
    o.end()?;
    let place = machine.shared_address(&address)?;
    let parity = machine.emit.b32("shr.u32", &[&asked, "31"]);
    let name = if i.has("TRYWAIT") { "try_wait" } else { "test_wait" };
    let flag = machine.emit.temporary(Kind::Predicate);
    machine
        .emit
        .guarded(format_args!("mbarrier.{name}.parity.shared.b64 {flag}, [{place}], {parity}"));
    machine.emit.keep_guard();
    machine.set_predicate(p, &Truth::Register(flag, false));
    Ok(())
}

/// SYNCS.ARRIVE.TRANS64[.RED][.OPTOUT][.what] R, [address], R: `A1` and `AR` arrive once or as often as the register says, `TR` expects as many
/// bytes, `TX` has them, and what says nothing arrives once and expects them. `RED` gives nothing back, and the barrier may be another block's.
fn arrive(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let address = o.address()?;
    let operand = integer(machine, o.next()?)?;
    o.end()?;
    // For copies by threads, whose arrivals come with the copies: at once.
    if i.has("A0T1") {
        return Ok(());
    }
    let operand = machine.emit.in_register(&operand);
    let is_reduction = i.has("RED");
    if is_reduction && target.number != Register::RZ {
        return unsupported("a result");
    }
    let (place, space) = match is_reduction && machine.state.in_cluster {
        true => (machine.cluster_address(&address)?, ".shared::cluster"),
        false => (machine.shared_address(&address)?, ".shared::cta"),
    };
    let transaction =
        |name: &str| format!("mbarrier.{name}.relaxed.cluster{space}.b64 [{place}], {operand}");
    match () {
        () if i.has("A0TR") => {
            machine.emit.guarded(transaction("expect_tx"));
            return Ok(());
        }
        () if i.has("A0TX") => {
            machine.emit.guarded(transaction("complete_tx"));
            return Ok(());
        }
        () => {}
    }
    let name = if i.has("OPTOUT") { "arrive_drop" } else { "arrive" };
    let (kind, count) = match () {
        () if i.has("TMASK") => (".noComplete", format!(", {operand}")),
        () if i.has("A1T0") => ("", String::new()),
        () if i.has("ART0") => ("", format!(", {operand}")),
        () => (".expect_tx", format!(", {operand}")),
    };
    if space == ".shared::cluster" {
        machine.emit.guarded(format_args!(
            "mbarrier.{name}{kind}.release.cluster{space}.b64 _, [{place}]{count}"
        ));
        return Ok(());
    }
    let state = machine.emit.temporary(Kind::B64);
    let order = if kind == ".noComplete" { "" } else { ".release.cta" };
    machine.emit.guarded(format_args!(
        "mbarrier.{name}{kind}{order}.shared::cta.b64 {state}, [{place}]{count}"
    ));
    if target.number != Register::RZ {
        leave_state(machine, target, &state);
    }
    Ok(())
}

/// Leaves the state as code looks at it: the phase, and what is pending before the arrival.
fn leave_state(machine: &mut Machine, target: Target, state: &str) {
    let emit = &mut machine.emit;
    let pending = emit.b32("mbarrier.pending_count.b64", &[state]);
    let pending = emit.b32("sub.s32", &["0x100000", &pending]);
    let pending = emit.b32("and.b32", &[&pending, "0xfffff"]);
    let pending = emit.b32("shl.b32", &[&pending, "11"]);
    let phase = emit.high(state);
    let phase = emit.b32("and.b32", &[&phase, "0x80000000"]);
    let high = emit.b32("or.b32", &[&pending, &phase]);
    let word = emit.joined("0", &high);
    machine.set_wide(target, &word);
}
