//! Control flow of a kernel: what follows each instruction, with functions that are called copied to each place that calls them,
//! but for those that are lifted apart, because they call themselves or are called by their addresses.

mod code;
mod reason;
mod written;

pub use code::{Code, Place};
pub use reason::Reason;
pub(crate) use written::written;

use crate::instruction::{File, Immediate, Instruction, Operand, Predicate, Register};
use std::collections::{BTreeMap, BTreeSet};

/// An instruction in one copy of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// The number of the copy; 0 is the kernel.
    pub copy: usize,
    pub address: u64,
}

/// What follows an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next instruction.
    Through,
    /// One other instruction, for threads whose guard holds; the next for the others.
    Go(Node),
    /// A function that is called, which comes back to the next instruction.
    Call(Node),
    /// The end of a function: to the instruction after its call, where a register says the address.
    Return(Node),
    /// One of several, each with the address that the register has for it.
    Back(Vec<(u64, Node)>),
    /// One of several, by a register.
    Choose(Vec<Node>),
    /// A function that is lifted apart, which comes back to the next instruction: one of several, by a register, or the only one.
    Apart(Vec<Place>),
    /// The end of a function that is lifted apart.
    Leave,
    /// The end of the thread.
    Exit,
}

/// A copy of a function.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The section of code.
    pub code: usize,
    /// Where it comes back to.
    pub back: Option<Node>,
    /// The place that each barrier goes on at, when it is called.
    barriers: Barriers,
}

/// The flow of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    pub copies: Vec<Copy>,
    pub nodes: BTreeMap<Node, Next>,
    /// Nodes that something but the instruction before goes to.
    pub labels: BTreeSet<Node>,
}

/// Where control flow cannot be followed.
#[derive(Clone, Debug)]
pub struct Stuck {
    pub code: usize,
    pub address: u64,
    pub reason: Reason,
    /// The function that calls itself, where that is why.
    pub calls_itself: Option<Place>,
}

/// The functions of a kernel that are no part of the code that calls them.
#[derive(Clone, Debug, Default)]
pub struct Callees {
    /// Those that call themselves.
    pub recursive: BTreeSet<Place>,
    /// What a call may mean by a place in the section, in a register: of the kernel's own section.
    pub by_offset: Vec<Place>,
    /// What a call may mean by an address.
    pub by_address: Vec<Place>,
}

/// Calls within calls.
const DEEPEST: usize = 16;
/// Instructions of a kernel with all that it calls.
const MOST: usize = 2_000_000;

/// Registers and places of the thread's own memory that are written hold no barrier any more, but for what is moved there from
/// another of them.
fn forget(i: &Instruction, barriers: &mut Barriers) {
    let is_move = i.opcode == "MOV" || i.opcode == "IMAD" && i.has("MOV");
    let moved = match (slot(i), i.operands.last()) {
        _ if i.guard != Predicate::TRUE => None,
        (Some(slot), _) if i.opcode == "LDL" => Some(slot),
        (_, Some(Operand::Register(from))) if is_move || i.opcode == "STL" => {
            Some(Holder::Register(from.number))
        }
        _ => None,
    };
    let moved = moved.filter(|_| !WIDTHS.iter().any(|width| i.has(width)));
    let moved = moved.and_then(|from| barriers.get(&from).copied());
    for (file, number) in written(i) {
        if file == File::General {
            barriers.remove(&Holder::Register(number));
            if number == Register::STACK {
                barriers.retain(|holder, _| !matches!(holder, Holder::Slot(_)));
            }
        }
    }
    let mut to = match i.operands.first() {
        Some(Operand::Register(to)) => Some(Holder::Register(to.number)),
        _ => None,
    };
    if let (Some(Holder::Slot(first)), "STL") = (slot(i), i.opcode) {
        // As many bytes as the widest store has.
        let is_near = |offset: i64| (first - 3..first + 16).contains(&offset);
        barriers.retain(|holder, _| !matches!(holder, Holder::Slot(offset) if is_near(*offset)));
        to = slot(i);
    }
    if let (Some(place), Some(to)) = (moved, to) {
        barriers.insert(to, place);
    }
}

/// What loads and stores say that have no 32 bits.
const WIDTHS: [&str; 6] = ["U8", "S8", "U16", "S16", "64", "128"];

/// The place on the stack that an instruction names by its offset. Places that it names otherwise are those of variables, which
/// lie elsewhere.
fn slot(i: &Instruction) -> Option<Holder> {
    i.operands.iter().find_map(|operand| match operand {
        Operand::Address(address) if address.uniform.is_none() => {
            let base = address
                .base
                .filter(|it| it.file == File::General && it.number == Register::STACK)?;
            base.suffix.is_none().then_some(Holder::Slot(address.offset))
        }
        _ => None,
    })
}

/// What holds a barrier of convergence: BMOV keeps some in registers, which may be spilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Barrier(u8),
    Register(u8),
    /// Four bytes on the stack.
    Slot(i64),
}

/// The place that each barrier of convergence goes on at.
type Barriers = BTreeMap<Holder, u64>;

/// BMOV: the barrier of the second operand is the first's too.
fn move_barrier(i: &Instruction, barriers: &mut Barriers) {
    let holder = |operand: Option<&Operand>| match operand? {
        Operand::Barrier(number) => Some(Holder::Barrier(*number)),
        Operand::Register(register) => Some(Holder::Register(register.number)),
        _ => None,
    };
    let Some(to) = holder(i.operands.first()) else { return };
    match holder(i.operands.get(1)).and_then(|from| barriers.get(&from).copied()) {
        Some(place) => barriers.insert(to, place),
        None => barriers.remove(&to),
    };
}

/// Where RET.ABS R, offset goes if R is the place of an instruction: for each LEPC R of the section its address, and that which is so
/// many bytes from there. LEPC and a branch make a call of their own, which comes back that way.
fn counted_from_places(code: &Code, i: &Instruction) -> Vec<(u64, u64)> {
    let [Operand::Register(to), offset] = i.operands.as_slice() else { return Vec::new() };
    let offset = match offset {
        _ if !i.has("ABS") => return Vec::new(),
        Operand::Immediate(Immediate::Integer(offset)) => *offset,
        // As text says it where it is no negative number.
        Operand::Label(offset) => i64::try_from(*offset).unwrap_or_default(),
        _ => return Vec::new(),
    };
    let is_place = |i: &&Instruction| {
        let is_register =
            |operand| matches!(operand, &Operand::Register(r) if r.number == to.number);
        i.opcode == "LEPC" && i.operands.iter().any(is_register)
    };
    let places = code.instructions.iter().filter_map(|i| i.as_ref().ok()).filter(is_place);
    places.map(|i| (i.address, i.address.wrapping_add_signed(offset))).collect()
}

struct Walk<'a> {
    code: &'a [Code],
    callees: &'a Callees,
    /// What is followed is a function that is lifted apart.
    is_function: bool,
    flow: Flow,
    /// Of each copy: what it begins with, and which copy calls it.
    calls: Vec<(Place, Option<usize>)>,
    calls_itself: Option<Place>,
    /// What is to be looked at, with the barriers as they are before it.
    open: Vec<(Node, Barriers)>,
    seen: BTreeMap<Node, Barriers>,
}

/// Follows control flow from the first instruction of a kernel or, where `is_function`, of a function that is lifted apart.
pub fn follow(
    code: &[Code],
    start: Place,
    is_function: bool,
    callees: &Callees,
) -> Result<Flow, Stuck> {
    let mut walk = Walk {
        code,
        callees,
        is_function,
        flow: Flow::default(),
        calls: vec![(start, None)],
        calls_itself: None,
        open: Vec::new(),
        seen: BTreeMap::new(),
    };
    walk.flow.copies.push(Copy { code: start.code, back: None, barriers: Barriers::new() });
    walk.open.push((Node { copy: 0, address: start.address }, Barriers::new()));
    while let Some((node, barriers)) = walk.open.pop() {
        walk.visit(node, barriers).map_err(|reason| Stuck {
            code: walk.flow.copies[node.copy].code,
            address: node.address,
            reason,
            calls_itself: walk.calls_itself,
        })?;
    }
    Ok(walk.flow)
}

impl<'a> Walk<'a> {
    fn instruction(&self, node: Node) -> Result<&'a Instruction, Reason> {
        let code = self.flow.copies.get(node.copy).and_then(|copy| self.code.get(copy.code));
        let code = code.ok_or_else(|| Reason::Invalid("no section of code".to_owned()))?;
        let index = usize::try_from(node.address / 16).unwrap_or(usize::MAX);
        match code.instructions.get(index) {
            Some(Ok(instruction)) if node.address.is_multiple_of(16) => Ok(instruction),
            Some(Err(reason)) => Err(Reason::Unsupported(reason.clone())),
            _ => Err(Reason::Invalid("control goes where there is no instruction".to_owned())),
        }
    }

    fn visit(&mut self, node: Node, mut barriers: Barriers) -> Result<(), Reason> {
        match self.seen.get_mut(&node) {
            Some(seen) if *seen == barriers => return Ok(()),
            // Barriers that were set on one way only are of no use behind both.
            Some(seen) => {
                barriers.retain(|number, target| seen.get(number) == Some(target));
                if *seen == barriers {
                    return Ok(());
                }
                *seen = barriers.clone();
            }
            None => {
                self.seen.insert(node, barriers.clone());
            }
        }
        if self.seen.len() > MOST {
            return Err(Reason::Unsupported("more instructions than can be lifted".to_owned()));
        }
        let i = self.instruction(node)?;
        let next = self.next(node, i, &mut barriers)?;
        let after = Node { address: node.address + 16, ..node };
        let conditional = i.guard != Predicate::TRUE
            || i.operands.iter().any(|o| matches!(o, Operand::Predicate(_)));
        let go = |walk: &mut Self, to: Node, barriers: &Barriers| {
            walk.flow.labels.insert(to);
            walk.open.push((to, barriers.clone()));
        };
        let mut falls = conditional;
        match &next {
            Next::Through | Next::Apart(_) => falls = true,
            Next::Go(to) | Next::Call(to) => go(self, *to, &barriers),
            // Who does not return has its own still.
            Next::Return(to) => {
                let of_caller = self.flow.copies[node.copy].barriers.clone();
                go(self, *to, &of_caller);
            }
            Next::Choose(targets) => targets.iter().for_each(|to| go(self, *to, &barriers)),
            Next::Back(targets) => targets.iter().for_each(|(_, to)| go(self, *to, &barriers)),
            Next::Leave | Next::Exit => {}
        }
        if falls {
            self.open.push((after, barriers));
        }
        self.flow.nodes.insert(node, next);
        Ok(())
    }

    /// A copy more, of a function that another copy calls. Fails if the function is already one of those that wait for it.
    fn enter(&mut self, place: Place, caller: usize) -> Result<(), Reason> {
        let mut depth = 1;
        let mut above = Some(caller);
        while let Some(copy) = above {
            let (begins, caller) = self.calls[copy];
            if begins == place {
                self.calls_itself = Some(place);
                return Err(Reason::Unsupported("a function that calls itself".to_owned()));
            }
            depth += 1;
            above = caller;
        }
        if depth > DEEPEST {
            return Err(Reason::Unsupported(format!("calls within calls, {depth} deep")));
        }
        self.calls.push((place, Some(caller)));
        Ok(())
    }

    fn next(
        &mut self,
        node: Node,
        i: &Instruction,
        barriers: &mut Barriers,
    ) -> Result<Next, Reason> {
        let code = &self.code[self.flow.copies[node.copy].code];
        let label = || match i.operands.last() {
            Some(Operand::Label(address)) => Ok(Node { address: *address, ..node }),
            _ => Err(Reason::Unsupported("no place to go to".to_owned())),
        };
        let barrier = || match i.operands.first() {
            Some(Operand::Barrier(number)) => Ok(*number),
            _ => Err(Reason::Unsupported("a barrier in a register".to_owned())),
        };
        Ok(match i.opcode {
            // Lanes of a mask that are not together go aside (`.DIV`), to where each waits by its own mask: that is right for all,
            // and nobody goes the way of those that are together. It may be one on which they never are, as its lanes are those
            // of one side of a branch, and what ptxas has made of it then counts on that. `.CONV` is the other way round.
            "BRA" if i.has("CONV") => Next::Through,
            "BRA" => Next::Go(label()?),
            "BSSY" => {
                barriers.insert(Holder::Barrier(barrier()?), label()?.address);
                Next::Through
            }
            "BSYNC" => match barriers.get(&Holder::Barrier(barrier()?)) {
                Some(address) => Next::Go(Node { address: *address, ..node }),
                None => return Err(Reason::Unsupported("a barrier that is not known".to_owned())),
            },
            "EXIT" => Next::Exit,
            "CALL" if i.has("REL") && matches!(i.operands.first(), Some(Operand::Register(_))) => {
                let own = self.flow.copies[node.copy].code;
                let all = self.callees.by_offset.iter().copied();
                Next::Apart(all.filter(|place| place.code == own).collect())
            }
            "CALL" if i.has("REL") || code.calls.contains_key(&node.address) => {
                let place = match code.calls.get(&node.address) {
                    Some(place) => *place,
                    None => {
                        Place { code: self.flow.copies[node.copy].code, address: label()?.address }
                    }
                };
                // What is called this way comes back only by the address that it is given: ptxas leaves loops so, too.
                let own = self.flow.copies[node.copy].code;
                if place.code == own
                    && !code.functions.is_empty()
                    && !code.functions.contains(&place.address)
                {
                    return Ok(Next::Go(Node { address: place.address, ..node }));
                }
                if self.callees.recursive.contains(&place) {
                    return Ok(Next::Apart(vec![place]));
                }
                if let Some(Next::Call(known)) = self.flow.nodes.get(&node) {
                    self.flow.copies[known.copy].barriers = barriers.clone();
                    return Ok(Next::Call(*known));
                }
                self.enter(place, node.copy)?;
                let copy = self.flow.copies.len();
                let back = Node { address: node.address + 16, ..node };
                self.flow.copies.push(Copy {
                    code: place.code,
                    back: Some(back),
                    barriers: barriers.clone(),
                });
                Next::Call(Node { copy, address: place.address })
            }
            "RET" if i.has("REL") || i.has("ABS") => match self.flow.copies[node.copy].back {
                Some(back) => Next::Return(back),
                None if self.is_function => Next::Leave,
                None => match counted_from_places(code, i) {
                    places if places.is_empty() => {
                        return Err(Reason::Unsupported("a return from no call".to_owned()));
                    }
                    places => Next::Back(
                        places
                            .into_iter()
                            .map(|(from, address)| (from, Node { address, ..node }))
                            .collect(),
                    ),
                },
            },
            "CALL" if i.has("ABS") && matches!(i.operands.first(), Some(Operand::Register(_))) => {
                Next::Apart(self.callees.by_address.clone())
            }
            "CALL" if i.has("ABS") => Next::Through,
            "BRX" | "BRXU" => match code.indirect.get(&node.address) {
                Some(targets) => Next::Choose(
                    targets.iter().map(|address| Node { address: *address, ..node }).collect(),
                ),
                None => {
                    return Err(Reason::Unsupported(
                        "an indirect branch without a list".to_owned(),
                    ));
                }
            },
            // What ends there goes on at the label.
            "WARPSYNC" if i.has("COLLECTIVE") => {
                let end = label()?.address.wrapping_sub(16) / 16;
                let last = usize::try_from(end).ok().and_then(|at| code.instructions.get(at));
                match last {
                    Some(Ok(last)) if last.opcode == "ENDCOLLECTIVE" => Next::Through,
                    _ => {
                        return Err(Reason::Unsupported(
                            "a collective operation that ends elsewhere".to_owned(),
                        ));
                    }
                }
            }
            "BMOV" => {
                move_barrier(i, barriers);
                Next::Through
            }
            "CALL" | "RET" | "JMP" | "JMX" | "KILL" | "RPCMOV" | "BPT" if i.opcode != "BPT" => {
                return Err(Reason::Unsupported("this kind of control flow".to_owned()));
            }
            "BPT" => {
                if i.has("TRAP") {
                    Next::Exit
                } else {
                    Next::Through
                }
            }
            _ => {
                if barriers.keys().any(|holder| !matches!(holder, Holder::Barrier(_))) {
                    forget(i, barriers);
                }
                Next::Through
            }
        })
    }
}
