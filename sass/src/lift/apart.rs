//! Functions that are lifted apart, as functions of PTX: they call themselves, or are called by their addresses. Each takes and gives
//! back all registers of the machine that any of them uses, as a call in machine code does.

use super::call::code_address;
use super::emit::{Emitter, Kind, Truth, unsupported};
use super::machine::{Lifted, Machine};
use crate::flow::Place;
use crate::instruction::Instruction;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What a kernel and its functions have in common: above all what the latter take and give back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Registers of 32 bits and predicates, by their names in PTX.
    pub(super) registers: BTreeSet<String>,
    pub(super) predicates: BTreeSet<String>,
    pub(super) uses_shared: bool,
    /// Functions read the kernel's parameters.
    pub(super) uses_parameters: bool,
    /// Loads from shared memory may be asking for a barrier's phase, in a loop: each looks anew.
    pub(super) watches_shared: bool,
    /// Generic addresses of shared memory are put together of its window's upper half.
    pub(super) names_shared: bool,
    /// There are instructions that a warp does once, with the uniform registers of one thread.
    pub(super) does_once: bool,
    /// Addresses of shared memory say of which block of the cluster it is.
    pub(super) in_cluster: bool,
    /// Of the stack, as functions round its pointer.
    pub(super) frame_alignment: u32,
}

/// What functions take before the registers: the generic address of the thread's own memory, the address of shared memory, and that of
/// the kernel's parameters, if any function reads them.
const TAKEN: usize = 24;
/// What they give back before the registers: where the function goes, in its section.
const GIVEN: usize = 4;
/// A function that goes back to an address, which is not looked at.
const ANYWHERE: u32 = u32::MAX;
/// The register of a function for where it goes.
const BACK: &str = "%back";
/// In functions: the address of the thread's own memory.
pub(super) const FRAME_OF_CALLER: &str = "%frame";
/// In functions: what `parameter_window` is in the kernel.
pub(super) const PARAMETERS_OF_CALLER: &str = "%parameters";
const END: &str = "LEAVE";

impl State {
    pub(super) fn add(&mut self, machine: &Machine) {
        self.registers.extend(machine.emit.registers.iter().cloned());
        self.predicates.extend(machine.emit.predicates.iter().cloned());
        // The stack's pointer, which functions check.
        self.registers.insert("%r1".to_owned());
        self.uses_shared |= machine.uses_shared;
        self.uses_parameters |= machine.uses_parameters;
        self.frame_alignment = self.frame_alignment.max(machine.frame_alignment);
    }

    /// Bytes of what is taken and given.
    fn sizes(&self) -> (usize, usize) {
        let registers = 4 * (self.registers.len() + self.predicates.len());
        (TAKEN + registers, GIVEN + registers)
    }

    /// Names with their places behind the first bytes: of registers, and of predicates.
    fn places(&self, first: usize) -> [Vec<(&String, usize)>; 2] {
        let at = |index: usize| first + 4 * index;
        let registers = self.registers.iter().enumerate();
        let predicates = self.predicates.iter().enumerate();
        let behind = self.registers.len();
        [
            registers.map(|(index, name)| (name, at(index))).collect(),
            predicates.map(|(index, name)| (name, at(behind + index))).collect(),
        ]
    }

    fn store(&self, emit: &mut Emitter, to: &str, first: usize) -> String {
        let mut text = String::new();
        let [registers, predicates] = self.places(first);
        for (name, at) in registers {
            let _ = write!(text, "\n    st.param.b32 [{to}+{at}], {name};");
        }
        for (name, at) in predicates {
            let word = emit.temporary(Kind::B32);
            let _ = write!(
                text,
                "\n    selp.b32 {word}, 1, 0, {name};\n    st.param.b32 [{to}+{at}], {word};"
            );
        }
        text
    }

    fn load(&self, emit: &mut Emitter, from: &str, first: usize) -> String {
        let mut text = String::new();
        let [registers, predicates] = self.places(first);
        for (name, at) in registers {
            let _ = write!(text, "\n    ld.param.b32 {name}, [{from}+{at}];");
        }
        for (name, at) in predicates {
            let word = emit.temporary(Kind::B32);
            let _ = write!(
                text,
                "\n    ld.param.b32 {word}, [{from}+{at}];\n    setp.ne.u32 {name}, {word}, 0;"
            );
        }
        text
    }
}

/// The name of a kernel's function in PTX.
fn name(machine: &Machine, place: Place) -> String {
    format!("__{}_calls_{}_{:x}", machine.kernel.name, place.code, place.address)
}

/// A function's first line.
fn signature(machine: &Machine, place: Place) -> String {
    let (taken, given) = machine.state.sizes();
    let name = name(machine, place);
    format!(".func (.param .align 4 .b8 given[{given}]) {name}(.param .align 8 .b8 taken[{taken}])")
}

pub(super) fn declaration(machine: &Machine, place: Place) -> String {
    format!("{};\n", signature(machine, place))
}

/// Calls a function: one of several, by a place in the section in a register, `base` being what is added to it, or the only one.
pub(super) fn relative(
    machine: &mut Machine,
    i: &Instruction,
    address: u64,
    targets: &[Place],
    own: usize,
) -> Lifted {
    let end = machine.skip();
    match super::kernel::offset(machine, i, address)? {
        None => {
            let [target] = targets else { return unsupported("a call") };
            let callee = name(machine, *target);
            call(machine, &callee, "", address + 16, target.code == own)?;
        }
        Some(place) => {
            let numbers = targets.iter().map(|target| (*target, target.address));
            let chosen = choose(machine, "u32", &place, numbers);
            never(machine, &chosen);
            call(machine, &chosen, ", prototype", address + 16, true)?;
        }
    }
    machine.emit.label(end);
    Ok(())
}

/// Calls the function that an address means. `elsewhere`: whether it means none that the module has.
pub(super) fn absolute(
    machine: &mut Machine,
    called: &str,
    address: u64,
    targets: &[Place],
) -> Lifted {
    let end = machine.skip();
    let numbers = targets.iter().map(|target| (*target, code_address(*target)));
    let chosen = choose(machine, "u64", called, numbers);
    let none = machine.emit.flag("setp.eq.u64", &[&chosen, "0"]);
    machine.emit.line(format_args!("@{none} bra {end}"));
    call(machine, &chosen, ", prototype", address + 16, false)?;
    machine.emit.label(end);
    Ok(())
}

/// The address in PTX of the function that has a number; 0 where none has it.
fn choose(
    machine: &mut Machine,
    type_: &str,
    number: &str,
    functions: impl Iterator<Item = (Place, u64)>,
) -> String {
    let mut chosen = machine.emit.b64("mov.b64", &["0"]);
    for (place, own) in functions {
        machine.uses_prototype = true;
        let callee = name(machine, place);
        let address = machine.emit.b64("mov.u64", &[&callee]);
        let is_it = machine.emit.flag(&format!("setp.eq.{type_}"), &[number, &own.to_string()]);
        chosen = machine.emit.b64("selp.b64", &[&address, &chosen, &is_it]);
    }
    chosen
}

fn never(machine: &mut Machine, chosen: &str) {
    let none = machine.emit.flag("setp.eq.u64", &[chosen, "0"]);
    machine.emit.line(format_args!("@{none} trap"));
}

fn call(
    machine: &mut Machine,
    callee: &str,
    prototype: &str,
    back: u64,
    is_relative: bool,
) -> Lifted {
    let state = machine.state.clone();
    let (taken, given) = state.sizes();
    let frame = machine.local_window();
    let shared = if state.uses_shared { machine.shared_word() } else { "0".to_owned() };
    let parameters =
        if state.uses_parameters { machine.parameter_window()? } else { "0".to_owned() };
    let stores = state.store(&mut machine.emit, "in", TAKEN);
    let loads = state.load(&mut machine.emit, "out", GIVEN);
    let place = machine.emit.temporary(Kind::B32);
    machine.emit.line(format_args!(
        "{{\n    .param .align 8 .b8 in[{taken}];\n    .param .align 4 .b8 out[{given}];\n    \
         st.param.b64 [in], {frame};\n    st.param.b32 [in+8], {shared};\n    \
         st.param.b64 [in+16], {parameters};{stores}\n    \
         call (out), {callee}, (in){prototype};\n    ld.param.b32 {place}, [out];{loads}\n    }}"
    ));
    if is_relative {
        // Functions come back to where they were called; a register that says another place ends the grid.
        let elsewhere = machine.emit.flag("setp.ne.u32", &[&place, &back.to_string()]);
        let known = machine.emit.flag("setp.ne.u32", &[&place, &ANYWHERE.to_string()]);
        let both = machine.emit.flag("and.pred", &[&elsewhere, &known]);
        machine.emit.line(format_args!("@{both} trap"));
    }
    Ok(())
}

/// The end of a function: to the place in a register, where that is one of the section.
pub(super) fn leave(machine: &mut Machine, i: &Instruction, condition: &Truth) {
    let place = match i.operands.first() {
        Some(crate::instruction::Operand::Register(register)) if i.has("REL") => {
            machine.general(register)
        }
        _ => ANYWHERE.to_string(),
    };
    let truth = machine.emit.truth_register(condition);
    machine.emit.line(format_args!("@{truth} mov.b32 {BACK}, {place}"));
    machine.emit.line(format_args!("@{truth} bra {END}"));
}

/// What calls by registers need in a body.
pub(super) fn prototype(machine: &Machine) -> String {
    let (taken, given) = machine.state.sizes();
    match machine.uses_prototype {
        true => format!(
            "    prototype: .callprototype (.param .align 4 .b8 _[{given}]) _ (.param .align 8 .b8 _[{taken}]);\n"
        ),
        false => String::new(),
    }
}

/// A function's PTX. `room`: bytes by which it may move the stack's pointer.
pub(super) fn put_together(mut machine: Machine, place: Place, room: u32) -> String {
    let signature = signature(&machine, place);
    let state = machine.state.clone();
    let loads = state.load(&mut machine.emit, "taken", TAKEN);
    let stores = state.store(&mut machine.emit, "given", GIVEN);
    // The stack's end: what does not fit ends the grid.
    let overflow = machine.emit.temporary(Kind::Predicate);
    let mut text = format!("{signature}\n{{\n{}", machine.emit.declarations());
    let _ = writeln!(
        text,
        "    .reg .b32 {BACK};\n    mov.b32 {BACK}, {ANYWHERE};\n    .reg .b64 {FRAME_OF_CALLER};\n    \
         ld.param.b64 {FRAME_OF_CALLER}, [taken];\n    cvta.to.local.u64 {FRAME_OF_CALLER}, {FRAME_OF_CALLER};{loads}\n    \
         setp.lt.s32 {overflow}, %r1, {room};\n    @{overflow} trap;"
    );
    if machine.uses_shared {
        let shared = super::machine::SHARED;
        let _ = writeln!(text, "    .reg .b32 {shared};\n    ld.param.b32 {shared}, [taken+8];");
    }
    if machine.uses_parameters {
        let _ = writeln!(
            text,
            "    .reg .b64 {PARAMETERS_OF_CALLER};\n    ld.param.b64 {PARAMETERS_OF_CALLER}, [taken+16];"
        );
    }
    if machine.uses_barrier_result {
        let _ = writeln!(text, "    .reg .b32 %barrier;\n    mov.b32 %barrier, 0;");
    }
    text.push_str(&prototype(&machine));
    text.push_str(&machine.emit.text);
    let _ = writeln!(text, "{END}:\n    st.param.b32 [given], {BACK};{stores}\n    ret;\n}}");
    text
}
