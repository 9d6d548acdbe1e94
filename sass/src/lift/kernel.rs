//! A kernel put together: its copies of functions one after the other, with their labels and branches.

use super::apart::{self, State};
use super::call;
use super::emit::{Truth, unsupported};
use super::error::{Error, Reason};
use super::image::{Image, Kernel};
use super::machine::{DECLARED, DYNAMIC, FRAME, Lifted, Machine, SHARED};
use super::moves;
use super::opcodes::lifter;
use super::operand::Operands;
use super::stack;
use super::warp;
use crate::flow::{Flow, Next, Node, Place, Stuck, follow};
use crate::instruction::{Immediate, Instruction, Operand, Predicate};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What a kernel's PTX asks of the module.
pub(super) struct Body {
    pub(super) text: String,
    pub(super) system_calls: BTreeSet<&'static str>,
    pub(super) uses_dynamic: bool,
}

/// Dynamic shared memory begins at a multiple of it.
const SHARED_UNIT: u32 = 16;

fn label(node: Node) -> String {
    format!("L{}_{:x}", node.copy, node.address)
}

/// The PTX of a kernel, and of its functions that are lifted apart.
pub(super) fn lift(image: &Image, kernel: &Kernel) -> Result<Body, Error> {
    let (flow, functions) = flows(image, kernel)?;
    // Functions take and give back what any of them uses, which is known when they were lifted once.
    let mut all: Vec<&Instruction> = Vec::new();
    for flow in functions.values().chain([&flow]) {
        all.extend(flow.nodes.keys().filter_map(|node| Some(instruction(image, flow, node)?.1)));
    }
    let mut state = State {
        watches_shared: all
            .iter()
            .any(|i| i.opcode != "SYNCS" && (i.opcode == "ARRIVES" || i.has("ARRIVE"))),
        names_shared: all.iter().any(|i| warp::names_shared(i)),
        in_cluster: warp::in_cluster(&all),
        does_once: all.iter().any(|i| warp::is_done_once(i)),
        ..State::default()
    };
    let unknown = state.clone();
    for (place, flow) in &functions {
        state.add(&body(image, kernel, flow, Some(*place), &unknown)?);
    }
    let mut kernels = body(image, kernel, &flow, None, &state)?;
    // What is declared is there, whether code looks at it or not: the module's head says so.
    kernels.uses_shared |= kernel.shared > 0;
    let mut whole = Body {
        text: String::new(),
        system_calls: std::mem::take(&mut kernels.system_calls),
        uses_dynamic: kernels.uses_shared,
    };
    for place in functions.keys() {
        whole.text.push_str(&apart::declaration(&kernels, *place));
    }
    for (place, flow) in &functions {
        let mut function = body(image, kernel, flow, Some(*place), &state)?;
        whole.system_calls.append(&mut function.system_calls);
        whole.text.push_str(&apart::put_together(
            function,
            *place,
            stack::room(&instructions(image, flow)),
        ));
    }
    whole.text.push_str(&put_together(kernels));
    Ok(whole)
}

/// How control flows in a kernel, and in its functions that are lifted apart.
fn flows(image: &Image, kernel: &Kernel) -> Result<(Flow, BTreeMap<Place, Flow>), Error> {
    let start = Place { code: kernel.code, address: kernel.entry };
    let mut callees = image.callees(kernel);
    'again: loop {
        let mut flows = BTreeMap::new();
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            if flows.contains_key(&place) {
                continue;
            }
            let flow = match follow(&image.code, place, place != start, &callees) {
                Ok(flow) => flow,
                // A function that calls itself is lifted apart.
                Err(Stuck { calls_itself: Some(function), .. })
                    if function != start && callees.recursive.insert(function) =>
                {
                    continue 'again;
                }
                Err(stuck) => {
                    return Err(Error {
                        section: name_of(image, stuck.code),
                        address: stuck.address,
                        instruction: text_of(image, stuck.code, stuck.address),
                        reason: stuck.reason,
                    });
                }
            };
            for next in flow.nodes.values() {
                if let Next::Apart(places) = next {
                    open.extend(places);
                }
            }
            flows.insert(place, flow);
        }
        let flow = flows.remove(&start).unwrap_or_default();
        return Ok((flow, flows));
    }
}

fn name_of(image: &Image, code: usize) -> String {
    image.code.get(code).map(|code| code.name.clone()).unwrap_or_default()
}

fn instruction<'a>(image: &'a Image, flow: &Flow, node: &Node) -> Option<(usize, &'a Instruction)> {
    let code = flow.copies.get(node.copy).map_or(0, |copy| copy.code);
    let found = image.code.get(code)?.instructions.get(node.address as usize / 16);
    Some((code, found?.as_ref().ok()?))
}

/// All instructions of a flow, in the order of its nodes.
fn instructions<'a>(image: &'a Image, flow: &Flow) -> Vec<&'a Instruction> {
    flow.nodes.keys().filter_map(|node| Some(instruction(image, flow, node)?.1)).collect()
}

/// A kernel's body, or that of its function at a place.
fn body<'a>(
    image: &'a Image,
    kernel: &'a Kernel,
    flow: &Flow,
    function: Option<Place>,
    state: &State,
) -> Result<Machine<'a>, Error> {
    let mut machine = Machine::new(image, kernel, state);
    machine.is_function = function.is_some();
    machine.has_functions = machine.is_function
        || flow
            .nodes
            .values()
            .any(|next| matches!(next, Next::Apart(places) if !places.is_empty()));
    let nodes: Vec<(&Node, &Next)> = flow.nodes.iter().collect();
    let all = instructions(image, flow);
    let alignments = all.iter().filter_map(|i| stack::frame_alignment(i));
    machine.frame_alignment = machine.frame_alignment.max(alignments.max().unwrap_or(0));
    if !machine.is_function {
        // Whoever comes to a label may come a second time.
        let is_label = |(node, _): &&(&Node, &Next)| flow.labels.contains(*node);
        let first = nodes.iter().position(|it| is_label(&it)).unwrap_or(nodes.len());
        machine.stack_pointer = stack::pointer(&all, first, machine.stack());
    }
    // A function's entry need not be its lowest address.
    if let (Some(place), Some((first, _))) = (function, nodes.first())
        && first.address != place.address
    {
        machine.emit.line(format_args!("bra {}", label(Node { copy: 0, address: place.address })));
    }
    for (index, (node, next)) in nodes.iter().enumerate() {
        let Some((code, instruction)) = instruction(image, flow, node) else { continue };
        let is_next = |to: Node| nodes.get(index + 1).is_some_and(|(next, _)| **next == to);
        let is_entry =
            function.is_some_and(|place| node.copy == 0 && place.address == node.address);
        if flow.labels.contains(*node) || is_entry {
            machine.emit.label(label(**node));
            machine.forget();
        }
        let place = Place { code, address: node.address };
        machine.half = image.halves.get(&place).cloned();
        machine.called = image.system_calls.get(&place).cloned();
        one(&mut machine, flow, **node, instruction, next, &is_next).map_err(|reason| Error {
            section: name_of(image, code),
            address: node.address,
            instruction: instruction.to_string(),
            reason,
        })?;
    }
    Ok(machine)
}

fn text_of(image: &Image, code: usize, address: u64) -> String {
    let code = image.code.get(code);
    match code.and_then(|code| code.instructions.get(address as usize / 16)) {
        Some(Ok(instruction)) => instruction.to_string(),
        _ => String::new(),
    }
}

/// One instruction, with what follows it.
fn one(
    machine: &mut Machine,
    flow: &Flow,
    node: Node,
    i: &Instruction,
    next: &Next,
    is_next: &dyn Fn(Node) -> bool,
) -> Lifted {
    if !machine.emit.begin(i.guard) {
        return Ok(());
    }
    if *next != Next::Through {
        machine.known.members = None;
    }
    match next {
        Next::Through => {
            ordinary(machine, i)?;
            learn_constant(machine, i);
            machine.learn(i);
            Ok(())
        }
        Next::Go(to) => {
            let condition = condition(machine, i);
            branch(machine, &condition, *to, is_next(*to));
            Ok(())
        }
        Next::Call(to) => {
            let condition = condition(machine, i);
            branch(machine, &condition, *to, is_next(*to));
            Ok(())
        }
        Next::Return(to) => {
            // Functions come back to where they were called; a register that says another place ends the grid.
            let caller = flow.copies.get(to.copy).map(|copy| copy.code);
            let own = flow.copies.get(node.copy).map(|copy| copy.code);
            if let Some(Operand::Register(register)) = i.operands.first()
                && caller == own
                && i.has("REL")
            {
                let place = machine.general(register);
                let elsewhere =
                    machine.emit.flag("setp.ne.u32", &[&place, &to.address.to_string()]);
                let elsewhere = Truth::Register(elsewhere, false);
                let condition = condition(machine, i);
                let both = machine.emit.join("and", &elsewhere, &condition);
                let both = machine.emit.truth_register(&both);
                machine.emit.line(format_args!("@{both} trap"));
            }
            let condition = condition(machine, i);
            branch(machine, &condition, *to, is_next(*to));
            Ok(())
        }
        Next::Choose(targets) => {
            let Some(place) = offset(machine, i, node.address)? else {
                return unsupported("no register");
            };
            let targets: BTreeSet<_> = targets.iter().map(|to| (to.address, *to)).collect();
            choose(machine, i, &place, targets)
        }
        Next::Back(targets) => match i.operands.first() {
            Some(Operand::Register(register)) => {
                let place = machine.general(register);
                choose(machine, i, &place, targets.iter().copied())
            }
            _ => unsupported("no register"),
        },
        Next::Apart(targets) => {
            let own = flow.copies.get(node.copy).map_or(0, |copy| copy.code);
            match i.operands.iter().find(|operand| matches!(operand, Operand::Register(_))) {
                Some(Operand::Register(register)) if i.has("ABS") => {
                    call::absolute(machine, register, node.address, targets)?;
                }
                // There is nothing that it could call: who comes here is wrong.
                _ if targets.is_empty() => machine.emit.guarded("trap"),
                _ => apart::relative(machine, i, node.address, targets, own)?,
            }
            machine.forget();
            Ok(())
        }
        Next::Leave => {
            let condition = condition(machine, i);
            apart::leave(machine, i, &condition);
            Ok(())
        }
        Next::Exit => {
            let condition = condition(machine, i);
            let name = if i.opcode == "BPT" { "trap" } else { "exit" };
            match condition {
                Truth::Constant(true) => machine.emit.line(name),
                Truth::Constant(false) => {}
                Truth::Register(p, not) => {
                    machine.emit.line(format_args!("@{}{p} {name}", if not { "!" } else { "" }))
                }
            }
            Ok(())
        }
    }
}

fn ordinary(machine: &mut Machine, i: &Instruction) -> Lifted {
    match i.opcode {
        "BRA" if i.has("CONV") => Ok(()),
        "CALL" => match machine.called.clone() {
            Some(name) => {
                call::system(machine, &name)?;
                machine.forget();
                Ok(())
            }
            _ => unsupported("a call"),
        },
        "BPT" => unsupported("a stop for a debugger"),
        "HFMA2" if let Some(value) = moves::product_of_zeros(i) => {
            let target = Operands::new(i).target()?;
            machine.put(target, "mov.b32", &[&value.to_string()]);
            Ok(())
        }
        _ => lifter(i)?(machine, Operands::new(i)),
    }
}

/// A number that is moved is known until the block ends or the register is written.
fn learn_constant(machine: &mut Machine, i: &Instruction) {
    if i.guard != Predicate::TRUE || machine.half.is_some() {
        return;
    }
    if let Some((to, value)) = moves::moved_number(i) {
        machine.fresh.constants.insert((to.file, to.number), value);
    }
}

/// The guard together with the predicates among the operands.
fn condition(machine: &mut Machine, i: &Instruction) -> Truth {
    let mut condition = machine.emit.truth(i.guard);
    for operand in &i.operands {
        if let Operand::Predicate(predicate) = operand {
            let truth = machine.emit.truth(*predicate);
            condition = machine.emit.join("and", &condition, &truth);
        }
    }
    condition
}

fn branch(machine: &mut Machine, condition: &Truth, to: Node, is_next: bool) {
    let to = label(to);
    match condition {
        Truth::Constant(false) => {}
        _ if is_next => {}
        Truth::Constant(true) => machine.emit.line(format_args!("bra {to}")),
        Truth::Register(p, not) => {
            machine.emit.line(format_args!("@{}{p} bra {to}", if *not { "!" } else { "" }))
        }
    }
}

/// Goes to the place whose number a register has, or ends the grid.
fn choose(
    machine: &mut Machine,
    i: &Instruction,
    number: &str,
    targets: impl IntoIterator<Item = (u64, Node)>,
) -> Lifted {
    let condition = condition(machine, i);
    for (own, to) in targets {
        let here =
            Truth::Register(machine.emit.flag("setp.eq.u32", &[number, &own.to_string()]), false);
        let both = machine.emit.join("and", &here, &condition);
        branch(machine, &both, to, false);
    }
    match condition {
        Truth::Constant(true) => machine.emit.line("trap"),
        condition => {
            let p = machine.emit.truth_register(&condition);
            machine.emit.line(format_args!("@{p} trap"));
        }
    }
    Ok(())
}

/// The place in the section that a register and a number say: that of the next instruction and both. None where there is no register.
pub(super) fn offset(
    machine: &mut Machine,
    i: &Instruction,
    address: u64,
) -> Result<Option<String>, Reason> {
    let mut base = address + 16;
    let mut register = None;
    for operand in &i.operands {
        match operand {
            Operand::Register(found) => register = Some(*found),
            Operand::Immediate(Immediate::Integer(value)) => {
                base = base.wrapping_add_signed(*value)
            }
            Operand::Label(address) => base = *address,
            Operand::Predicate(_) => {}
            other => return unsupported(format!("operand `{other}`")),
        }
    }
    let Some(register) = register else { return Ok(None) };
    let offset = machine.general(&register);
    Ok(Some(machine.emit.b32("add.s32", &[&offset, &(base as i32).to_string()])))
}

/// A kernel that cannot be lifted: a directive tells whoever asks for it why.
pub(super) fn refused(kernel: &Kernel, error: &Error) -> String {
    let error = error.to_string().replace('"', "'");
    format!("{}.pragma \"cannot be lifted: {error}\";\n{{\n    trap;\n}}\n", head(kernel))
}

/// A kernel without its code, with all that a launch takes.
pub(super) fn empty(kernel: &Kernel) -> String {
    let shared = match declared_shared(kernel) {
        0 => String::new(),
        size => format!("    .shared .align 1024 .b8 {DECLARED}[{size}];\n"),
    };
    format!("{}{{\n{shared}    trap;\n}}\n", head(kernel))
}

/// Bytes of shared memory that a kernel's text declares.
fn declared_shared(kernel: &Kernel) -> u32 {
    kernel.shared.next_multiple_of(SHARED_UNIT)
}

fn head(kernel: &Kernel) -> String {
    let mut text = format!(".visible .entry {}(", kernel.name);
    // ptxas aligns places in bank 0, where the first one has an odd multiple of 16 bytes before it.
    let (mut end, mut are_laid_out) = (0u32, true);
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let align = alignment(end, parameter.offset, parameter.size);
        are_laid_out &= end.next_multiple_of(align) == parameter.offset;
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}.param .align {align} .b8 p{index}[{}]", parameter.size);
        end = parameter.offset + parameter.size;
    }
    text.push_str(")\n");
    if kernel.has_clusters {
        text.push_str(".explicitcluster\n");
    }
    let sizes = [
        (".reqntid", kernel.threads),
        (".maxntid", kernel.most_threads),
        (".reqnctapercluster", kernel.blocks),
    ];
    for (name, size) in sizes {
        if let Some([x, y, z]) = size {
            let _ = writeln!(text, "{name} {x}, {y}, {z}");
        }
    }
    if !are_laid_out {
        let offsets: Vec<_> = kernel.parameters.iter().map(|p| p.offset.to_string()).collect();
        let _ = writeln!(text, ".pragma \"offsets {}\";", offsets.join(" "));
    }
    // What is declared for them below has other sizes.
    let _ = writeln!(text, ".pragma \"local {}\";", kernel.local);
    if !kernel.shared.is_multiple_of(SHARED_UNIT) {
        let _ = writeln!(text, ".pragma \"shared {}\";", kernel.shared);
    }
    if kernel.is_launched {
        let address = call::code_address(Place { code: kernel.code, address: kernel.entry });
        let _ = writeln!(text, ".pragma \"address {address}\";");
    }
    if kernel.registers != 0 {
        let _ = writeln!(text, ".pragma \"registers {}\";", kernel.registers);
    }
    text
}

fn put_together(machine: Machine) -> String {
    let kernel = machine.kernel;
    let mut text = head(kernel);
    text.push_str("{\n");
    if machine.uses_frame {
        let (size, align) = (machine.stack(), machine.frame_alignment);
        let _ = writeln!(text, "    .local .align {align} .b8 {FRAME}[{size}];");
    }
    text.push_str(&machine.emit.declarations());
    if machine.uses_barrier_result {
        let _ = writeln!(text, "    .reg .b32 %barrier;\n    mov.b32 %barrier, 0;");
    }
    if machine.uses_shared {
        let size = declared_shared(kernel);
        let _ = writeln!(text, "    .reg .b32 {SHARED};\n    mov.u32 {SHARED}, {DYNAMIC};");
        if size > 0 {
            // What is declared is there because something may write it: sizes are never so large.
            let _ = writeln!(
                text,
                "    .shared .align 1024 .b8 {DECLARED}[{size}];\n    sub.s32 {SHARED}, {SHARED}, {size};\n    \
                 .reg .b32 %size;\n    .reg .pred %never;\n    mov.u32 %size, %dynamic_smem_size;\n    \
                 setp.eq.u32 %never, %size, 0xffffffff;\n    @%never st.shared.b32 [{DECLARED}], %size;"
            );
        }
    }
    let first = machine.launch().shared;
    if machine.uses_shared && first > 0 {
        let _ = writeln!(text, "    sub.s32 {SHARED}, {SHARED}, {first};");
    }
    text.push_str(&apart::prototype(&machine));
    text.push_str(&machine.emit.text);
    text.push_str("}\n");
    text
}

/// The alignment that puts a parameter at its offset, if one does.
fn alignment(end: u32, offset: u32, size: u32) -> u32 {
    let fits =
        |align: &u32| offset.is_multiple_of(*align) && end.next_multiple_of(*align) == offset;
    let natural = size.next_power_of_two().clamp(1, 16);
    [16, 8, 4, 2, 1]
        .into_iter()
        .filter(|align| *align <= natural)
        .find(fits)
        .or_else(|| [128, 64, 32, 16, 8, 4, 2, 1].into_iter().find(fits))
        .unwrap_or_else(|| natural.min(1 << offset.trailing_zeros().min(4)))
}
