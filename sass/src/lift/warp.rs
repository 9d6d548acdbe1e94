//! What the threads of a warp and of a block do together, and what the machine knows of a thread.

use super::emit::{Kind, Truth, unsupported};
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::operand::{Operands, bits, integer};
use crate::instruction::{Instruction, Operand, Predicate};

impl Machine<'_> {
    /// The lanes that take part: those that met last, which may come here from several places, or those that are together.
    fn members(&mut self) -> String {
        if let Some(mask) = &self.known.members
            && self.emit.guard().is_empty()
        {
            return mask.clone();
        }
        let mask = self.emit.temporary(Kind::B32);
        self.emit.guarded(format_args!("activemask.b32 {mask}"));
        mask
    }
}

/// The upper half of the generic address of shared memory, in place of SR_SWINHI: no other memory has it.
pub(super) const SHARED_WINDOW: u32 = 0xffff_a001;

/// Whether an instruction reads the upper half of generic addresses of shared memory.
pub(super) fn names_shared(i: &Instruction) -> bool {
    i.operands.contains(&Operand::Special("SR_SWINHI"))
}

/// Whether a kernel has to do with other blocks of its cluster. The number of the block in the cluster is read for each address of shared memory,
/// so that this alone says so only where there is none.
pub(super) fn in_cluster(all: &[&Instruction]) -> bool {
    const INSTRUCTIONS: [&str; 4] = ["UCGABAR_ARV", "UCGABAR_WAIT", "STAS", "REDAS"];
    const SHARED: [&str; 7] = ["LDS", "STS", "ATOMS", "SYNCS", "LDSM", "STSM", "LDGSTS"];
    let opcode_among = |i: &&&Instruction, names: &[&str]| names.contains(&i.opcode);
    all.iter().any(|i| opcode_among(&i, &INSTRUCTIONS) || i.opcode == "QSPC" && i.has("D"))
        || !all.iter().any(|i| opcode_among(&i, &SHARED) || names_shared(i))
}

/// SHFL.mode P, R, value, lane, clamp
pub(super) fn shfl(machine: &mut Machine, mut o: Operands) -> Lifted {
    let mode = o.instruction.modifiers.first().map(|m| m.to_lowercase()).unwrap_or_default();
    let p = o.predicate()?;
    let target = o.target()?;
    let [a, b, c] = [o.next()?, o.next()?, o.next()?];
    o.end()?;
    let [a, b, c] = [integer(machine, a)?, integer(machine, b)?, integer(machine, c)?];
    let a = machine.emit.in_register(&a);
    let members = machine.members();
    let value = machine.emit.temporary(Kind::B32);
    let found = machine.emit.temporary(Kind::Predicate);
    machine
        .emit
        .guarded(format_args!("shfl.sync.{mode}.b32 {value}|{found}, {a}, {b}, {c}, {members}"));
    machine.emit.keep_guard();
    machine.set(target, &value);
    machine.set_predicate(p, &Truth::Register(found, false));
    Ok(())
}

/// VOTE.mode [R,] P, a
pub(super) fn vote(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = match o.peek() {
        Some(Operand::Register(_)) => Some(o.target()?),
        _ => None,
    };
    let p = o.predicate()?;
    let input = o.truth(machine)?;
    o.end()?;
    let input = machine.emit.truth_register(&input);
    let members = machine.members();
    let mode = match i.modifiers.first().copied() {
        Some("ALL") => "all",
        Some("ANY") => "any",
        Some("EQ") => "uni",
        _ => return unsupported("a mode"),
    };
    let flag = machine.emit.temporary(Kind::Predicate);
    let ballot = machine.emit.temporary(Kind::B32);
    if p.number != Predicate::PT {
        machine.emit.guarded(format_args!("vote.sync.{mode}.pred {flag}, {input}, {members}"));
    }
    if target.is_some() {
        machine.emit.guarded(format_args!("vote.sync.ballot.b32 {ballot}, {input}, {members}"));
    }
    machine.emit.keep_guard();
    if let Some(target) = target {
        machine.set(target, &ballot);
    }
    if p.number != Predicate::PT {
        machine.set_predicate(p, &Truth::Register(flag, false));
    }
    Ok(())
}

/// MATCH.ANY R, a; MATCH.ALL P, R, a
pub(super) fn match_(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let p = o.optional_predicate();
    let target = o.target()?;
    let operand = o.next()?;
    o.end()?;
    let (type_, value) = if i.has("U64") {
        ("b64", super::operand::wide_bits(machine, operand)?)
    } else {
        let value = bits(machine, operand)?;
        ("b32", machine.emit.in_register(&value))
    };
    let members = machine.members();
    let mask = machine.emit.temporary(Kind::B32);
    if i.has("ALL") {
        let flag = machine.emit.temporary(Kind::Predicate);
        machine
            .emit
            .guarded(format_args!("match.all.sync.{type_} {mask}|{flag}, {value}, {members}"));
        machine.emit.keep_guard();
        machine.set(target, &mask);
        p.into_iter().for_each(|p| machine.set_predicate(p, &Truth::Register(flag.clone(), false)));
    } else {
        machine.emit.guarded(format_args!("match.any.sync.{type_} {mask}, {value}, {members}"));
        machine.set(target, &mask);
    }
    Ok(())
}

/// REDUX.operation UR, R
pub(super) fn redux(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let value = integer(machine, o.next()?)?;
    o.end()?;
    let type_ = if i.has("S32") { "s32" } else { "u32" };
    let operation = match i.modifiers.first().copied() {
        Some("SUM") => format!("add.{type_}"),
        Some("MIN") => format!("min.{type_}"),
        Some("MAX") => format!("max.{type_}"),
        Some("OR") => "or.b32".to_owned(),
        Some("XOR") => "xor.b32".to_owned(),
        None | Some("AND") => "and.b32".to_owned(),
        _ => return unsupported("an operation"),
    };
    let value = machine.emit.in_register(&value);
    let members = machine.members();
    let result = machine.emit.temporary(Kind::B32);
    machine.emit.guarded(format_args!("redux.sync.{operation} {result}, {value}, {members}"));
    machine.set(target, &result);
    Ok(())
}

/// WARPSYNC mask. Lanes of one mask are together behind it, and with `.EXCLUSIVE` without those of others; with `.COLLECTIVE` up to ENDCOLLECTIVE,
/// behind which they go on at a label.
pub(super) fn warpsync(machine: &mut Machine, mut o: Operands) -> Lifted {
    let mask = match o.instruction.has("ALL") {
        true => "0xffffffff".to_owned(),
        false => integer(machine, o.next()?)?,
    };
    if o.instruction.has("COLLECTIVE") {
        o.next()?;
    }
    meet(machine, &mask);
    o.end()
}

/// UCGABAR_ARV: arrives at the cluster's barrier.
pub(super) fn arrive_in_cluster(machine: &mut Machine, o: Operands) -> Lifted {
    machine.emit.guarded("barrier.cluster.arrive.relaxed");
    o.end()
}

/// UCGABAR_WAIT
pub(super) fn wait_in_cluster(machine: &mut Machine, o: Operands) -> Lifted {
    machine.emit.guarded("barrier.cluster.wait");
    o.end()
}

/// ACQBULK: waits for the grids before.
pub(super) fn wait_for_grids(machine: &mut Machine, o: Operands) -> Lifted {
    machine.emit.guarded("griddepcontrol.wait");
    o.end()
}

/// PREEXIT: lets the grids behind begin.
pub(super) fn let_grids_begin(machine: &mut Machine, o: Operands) -> Lifted {
    machine.emit.guarded("griddepcontrol.launch_dependents");
    o.end()
}

/// USETMAXREG.TRY_ALLOC UP, n: threads have all registers that they want; DEALLOC takes none away.
pub(super) fn set_most_registers(machine: &mut Machine, mut o: Operands) -> Lifted {
    if let Some(p) = o.optional_predicate() {
        machine.set_predicate(p, &Truth::Constant(true));
    }
    o.integer()?;
    o.end()
}

/// Whether the uniform registers that another thread of the warp put together are those for the next instruction that a warp does once.
const OTHERS: &str = "%others";

/// Whether an instruction is done once by a warp, with uniform registers that one thread has put together.
pub(super) fn is_done_once(i: &Instruction) -> bool {
    matches!(i.opcode, "UBLKCP" | "UBLKRED" | "UTMALDG" | "UTMASTG" | "UTMAREDG")
        || i.opcode == "SYNCS" && i.has("EXCH")
}

impl Machine<'_> {
    /// The next instruction that a warp does once is for threads for which this holds.
    fn put_together_by(&mut self, threads: &Truth) {
        if self.state.does_once {
            let others = self.emit.truth_register(&threads.clone().not());
            self.emit.predicates.insert(OTHERS.to_owned());
            self.emit.line(format_args!("mov.pred {OTHERS}, {others}"));
        }
    }

    /// A line that a warp does once: by the lowest of the threads that have put the registers together last, or of those that are together
    /// where none of them has; by all of them where each has its turn in a loop.
    pub(super) fn once(&mut self, text: &str) {
        self.emit.predicates.insert(OTHERS.to_owned());
        let guard = self.emit.guard_truth();
        let chosen = self.emit.join("and", &guard, &Truth::Register(OTHERS.to_owned(), true));
        if self.known.in_turn == Some(true) {
            self.emit.guard_by(&chosen);
            return self.emit.guarded(text);
        }
        let [chosen, guard] = [chosen, guard].map(|truth| self.emit.truth_register(&truth));
        let members = self.emit.temporary(Kind::B32);
        self.emit.line(format_args!("activemask.b32 {members}"));
        let [chosen, any] = [chosen, guard].map(|lanes| {
            let ballot = self.emit.temporary(Kind::B32);
            self.emit.line(format_args!("vote.sync.ballot.b32 {ballot}, {lanes}, {members}"));
            ballot
        });
        let nobody = self.emit.flag("setp.eq.u32", &[&chosen, "0"]);
        let lanes = self.emit.b32("selp.b32", &[&any, &chosen, &nobody]);
        let by = self.lowest(&lanes);
        self.emit.guard_by(&Truth::Register(by, false));
        self.emit.guarded(text);
    }

    /// Whether the thread is the lowest of some lanes.
    fn lowest(&mut self, lanes: &str) -> String {
        let inverted = self.emit.b32("not.b32", &[lanes]);
        let above = self.emit.b32("add.s32", &[&inverted, "1"]);
        let lowest = self.emit.b32("and.b32", &[lanes, &above]);
        let own = self.emit.b32("mov.u32", &["%lanemask_eq"]);
        self.emit.flag("setp.eq.u32", &[&lowest, &own])
    }
}

/// ELECT P, UR, p: one of the lanes that are together and for which p holds, and which.
pub(super) fn elect(machine: &mut Machine, mut o: Operands) -> Lifted {
    let elected = o.predicate()?;
    let target = o.target()?;
    let among = o.truth(machine)?;
    o.end()?;
    let among = machine.emit.truth_register(&among);
    let members = machine.members();
    let all = machine.emit.temporary(Kind::B32);
    machine.emit.guarded(format_args!("vote.sync.ballot.b32 {all}, {among}, {members}"));
    let is_it = machine.lowest(&all);
    let reversed = machine.emit.b32("brev.b32", &[&all]);
    let lane = machine.emit.b32("bfind.shiftamt.u32", &[&reversed]);
    machine.emit.keep_guard();
    let guard = machine.emit.guard_truth();
    let chosen = machine.emit.join("and", &guard, &Truth::Register(is_it.clone(), false));
    machine.put_together_by(&chosen);
    machine.fresh.in_turn = Some(false);
    machine.set(target, &lane);
    machine.set_predicate(elected, &Truth::Register(is_it, false));
    Ok(())
}

/// Lanes of a mask wait for each other.
pub(super) fn meet(machine: &mut Machine, mask: &str) {
    machine.emit.guarded(format_args!("bar.warp.sync {mask}"));
    if machine.emit.guard().is_empty() {
        let is_register = mask.starts_with('%');
        let kept = if is_register { machine.emit.b32("mov.b32", &[mask]) } else { mask.to_owned() };
        machine.fresh.members = Some(kept);
    }
}

/// NOP: ptxas leaves one in place of WARPSYNC where the lanes are together. A GPU does for all of them one instruction after
/// the other; here they have to wait for what the others did in memory.
pub(super) fn nop(machine: &mut Machine, o: Operands) -> Lifted {
    let members = machine.members();
    machine.emit.guarded(format_args!("bar.warp.sync {members}"));
    o.end()
}

/// BAR.SYNC id [, threads]; BAR.ARV; BAR.RED
pub(super) fn bar(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let id = barrier_operand(machine, &mut o)?;
    let mut threads = None;
    if matches!(o.peek(), Some(Operand::Immediate(_) | Operand::Register(_))) {
        threads = Some(barrier_operand(machine, &mut o)?);
    }
    let input = if o.left() > 0 { Some(o.truth(machine)?) } else { None };
    o.end()?;
    let (id, threads) = match (id, threads) {
        // One register holds both: the barrier in its lower half, the threads above. It may be printed twice.
        (id, threads) if id.starts_with('%') && threads.as_ref().is_none_or(|same| *same == id) => {
            let number = machine.emit.b32("and.b32", &[&id, "15"]);
            let count = machine.emit.b32("shr.u32", &[&id, "16"]);
            (number, Some(count))
        }
        both => both,
    };
    let threads = threads.map(|threads| format!(", {threads}")).unwrap_or_default();
    match i.modifiers.first().copied() {
        Some("SYNC") => machine.emit.guarded(format_args!("barrier.sync {id}{threads}")),
        Some("ARV") => machine.emit.guarded(format_args!("barrier.arrive {id}{threads}")),
        Some("RED") => {
            let truth = input.unwrap_or(Truth::Constant(true));
            let input = machine.emit.truth_register(&truth);
            let result = machine.barrier_result();
            match i.modifiers.get(1).copied() {
                Some("POPC") => {
                    machine.emit.guarded(format_args!(
                        "barrier.red.popc.u32 {result}, {id}{threads}, {input}"
                    ));
                }
                Some(name @ ("AND" | "OR")) => {
                    let flag = machine.emit.temporary(Kind::Predicate);
                    let name = name.to_lowercase();
                    machine.emit.guarded(format_args!(
                        "barrier.red.{name}.pred {flag}, {id}{threads}, {input}"
                    ));
                    machine.emit.guarded(format_args!("selp.b32 {result}, 1, 0, {flag}"));
                }
                _ => return unsupported("a reduction"),
            }
        }
        _ => return unsupported("a form"),
    }
    Ok(())
}

fn barrier_operand(machine: &mut Machine, o: &mut Operands) -> Result<String, Reason> {
    integer(machine, o.next()?)
}

/// B2R.RESULT R [, P]: what the last reduction at a barrier gave.
pub(super) fn b2r(machine: &mut Machine, mut o: Operands) -> Lifted {
    if !o.instruction.has("RESULT") {
        return unsupported("a form");
    }
    let target = o.target()?;
    let p = o.optional_predicate();
    o.end()?;
    let result = machine.barrier_result();
    let flag = machine.emit.flag("setp.ne.u32", &[&result, "0"]);
    machine.emit.keep_guard();
    machine.set(target, &result);
    p.into_iter().for_each(|p| machine.set_predicate(p, &Truth::Register(flag.clone(), false)));
    Ok(())
}

/// S2R R, register; S2UR; CS2R, which reads 64 bits.
pub(super) fn special(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let name = o.special()?;
    o.end()?;
    let wide = i.opcode == "CS2R" && !i.has("32");
    const WORDS: [(&str, &str); 24] = [
        ("SR_TID.X", "%tid.x"),
        ("SR_TID.Y", "%tid.y"),
        ("SR_TID.Z", "%tid.z"),
        ("SR_CTAID.X", "%ctaid.x"),
        ("SR_CTAID.Y", "%ctaid.y"),
        ("SR_CTAID.Z", "%ctaid.z"),
        ("SR_NTID.X", "%ntid.x"),
        ("SR_NTID.Y", "%ntid.y"),
        ("SR_NTID.Z", "%ntid.z"),
        ("SR_LANEID", "%laneid"),
        ("SR_VIRTUALSMID", "%smid"),
        ("SR_WARPID", "%warpid"),
        ("SR_NWARPID", "%nwarpid"),
        ("SR_EQMASK", "%lanemask_eq"),
        ("SR_LTMASK", "%lanemask_lt"),
        ("SR_LEMASK", "%lanemask_le"),
        ("SR_GTMASK", "%lanemask_gt"),
        ("SR_GEMASK", "%lanemask_ge"),
        ("SR_CLOCKLO", "%clock"),
        ("SR_CLOCKHI", "%clock_hi"),
        ("SR_GLOBALTIMERLO", "%globaltimer_lo"),
        ("SR_GLOBALTIMERHI", "%globaltimer_hi"),
        ("SR_SMID", "%smid"),
        ("SR_CgaCtaId", "%cluster_ctarank"),
    ];
    // The stack may reach to the beginning of the thread's memory.
    if name == "SRZ" || name == "SR_LMEMHIOFF" {
        if wide {
            let zero = machine.emit.b64("mov.b64", &["0"]);
            machine.set_wide(target, &zero);
        } else {
            machine.set(target, "0");
        }
        return Ok(());
    }
    if wide {
        let register = match name {
            "SR_CLOCKLO" => "%clock64",
            "SR_GLOBALTIMERLO" => "%globaltimer",
            _ => return unsupported(format!("special register {name}")),
        };
        let value = machine.emit.b64("mov.u64", &[register]);
        machine.set_wide(target, &value);
        return Ok(());
    }
    match name {
        // The lower half of the window's address.
        "SR_SWINLO" => {
            machine.set(target, "0");
            return Ok(());
        }
        "SR_SWINHI" => {
            machine.set(target, &format!("{SHARED_WINDOW:#x}"));
            return Ok(());
        }
        // With the system's.
        "SR_SMEMSZ" => {
            let own = machine.emit.b32("mov.u32", &["%total_smem_size"]);
            let reserved = machine.launch().shared.to_string();
            machine.put(target, "add.s32", &[&own, &reserved]);
            return Ok(());
        }
        "SR_CgaCtaId" if !machine.state.in_cluster => {
            machine.set(target, "0");
            return Ok(());
        }
        _ => {}
    }
    // The warp has bits 8 to 14.
    if name == "SR_VIRTID" {
        let warp = machine.emit.b32("mov.u32", &["%warpid"]);
        machine.put(target, "shl.b32", &[&warp, "8"]);
        return Ok(());
    }
    match WORDS.iter().find(|(word, _)| *word == name) {
        Some((_, register)) => machine.put(target, "mov.u32", &[register]),
        None => return unsupported(format!("special register {name}")),
    }
    Ok(())
}

/// R2UR [P,] UR, R: of one thread; the others have the same. Whether they do is what ptxas asks for before BRA.DIV; not to know
/// it is right too.
pub(super) fn r2ur(machine: &mut Machine, mut o: Operands) -> Lifted {
    let is_one = o.optional_predicate();
    let target = o.target()?;
    let value = integer(machine, o.next()?)?;
    o.end()?;
    machine.emit.keep_guard();
    if machine.state.does_once {
        let guard = machine.emit.guard_truth();
        machine.put_together_by(&guard);
        machine.fresh.in_turn = Some(is_one.is_some());
    }
    machine.set(target, &value);
    is_one.into_iter().for_each(|p| machine.set_predicate(p, &Truth::Constant(false)));
    Ok(())
}

/// LEPC R: where the instruction lies, as calls want it; LEPC R, label: where that is.
pub(super) fn lepc(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let address = match o.peek() {
        Some(Operand::Label(label)) => {
            let label = *label;
            o.next()?;
            label
        }
        _ => o.instruction.address,
    };
    let value = machine.emit.b64("mov.b64", &[&address.to_string()]);
    machine.set_wide(target, &value);
    o.end()
}
