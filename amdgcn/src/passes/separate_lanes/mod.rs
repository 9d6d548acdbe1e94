//! Threads of a warp that go on by themselves, as CUDA promises and AMD's hardware does not.
//!
//! A wave has one program counter: it runs one way of a branch to its end before it begins the other, and leaves a
//! loop when its last lane has. Lanes that wait for a neighbour who is elsewhere would wait forever. So in kernels
//! where lanes may do that ([`lockstep::kernel_parts`]) every lane has a *place*, the block that it comes to next, and
//! the kernel is one loop: in each round the wave goes past all places in their order, and runs each for those lanes
//! that are there. The order brings lanes together again where ways join, and lanes that only go forward are
//! through in one round. What follows a place and comes to an end whatever other lanes do belongs to it ([`places`]).
//!
//! Each operation that lanes do together (`shfl`, `vote`, `bar.warp.sync`, ...) has a block of its own,
//! whichever instruction they come from; lanes leave it when all members are there. Where all lanes wait for one
//! another, as in code that is wrong on every GPU, those who are there go on without the rest.
//!
//! Input: a kernel in which lanes may wait for one another. Output: that loop; other kernels stay as they are.
//! Why here: the code still says what is an operation of several lanes, which the device library's code does not.

mod color_slots;
mod places;
mod rematerialise_values;

use llvm_zluda::{Block, Builder, IntPredicate, Module, Opcode, Type, Value, run_passes};
use rustc_hash::FxHashSet;
use simt::Blocks;
use simt::analysis::lockstep::{self, Waves};
use simt::intrinsics::{self, Participants, Property};

use places::Places;

use super::end_waits;
use crate::Error;
use crate::intrinsics::OWN;

/// The place of lanes that have ended.
const ENDED: u64 = 0xffff_ffff;

/// The lanes that take part in an operation of several lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Party {
    /// The lanes in the mask that is the last operand.
    Members,
    /// The lanes of the warp.
    Warp,
    /// The lanes of the wave.
    Wave,
}

/// Changes the kernel if its lanes may wait for one another, and says whether it did. What parts in functions is
/// inlined first; recursive functions stay as they are.
pub fn run(module: &Module<'_>, kernel: &str, blocks: Blocks, waves: Waves) -> Result<bool, Error> {
    let splitting = lockstep::functions_that_split(module)?;
    for function in splitting.iter().filter_map(|name| module.function(name)) {
        module.add_attribute(function, "alwaysinline");
    }
    if !splitting.is_empty() {
        let inline = "always-inline,function(sroa,early-cse,simplifycfg),globaldce";
        run_passes(module, inline, None, false)?;
    }
    if !lockstep::kernel_parts(module, blocks, waves)? {
        return Ok(false);
    }
    let Some(function) = module.function(kernel) else { return Ok(false) };
    run_passes(module, "function(lower-switch)", None, false)?;
    let ending = places::ending_loops(function);
    split_at_rendezvous(module, function);
    rematerialise_values::run(module, function);
    // Values that one block gives to another lie on the stack while blocks change their order.
    run_passes(module, "function(reg2mem)", None, false)?;
    Rounds::new(module, function).build(&ending);
    run_passes(module, "function(sroa,early-cse,simplifycfg)", None, false)?;
    Ok(true)
}

/// The lanes that take part, if an instruction is an operation of several lanes.
fn party(instruction: Value<'_>) -> Option<Party> {
    match intrinsics::called(instruction)?.participants {
        Participants::Thread | Participants::Present => None,
        Participants::Members => Some(Party::Members),
        Participants::Aligned | Participants::Warp => Some(Party::Warp),
        Participants::Block | Participants::Cluster => Some(Party::Wave),
    }
}

/// Gives each rendezvous a block of its own.
fn split_at_rendezvous<'c>(module: &Module<'c>, function: Value<'c>) {
    for mut block in function.blocks() {
        for call in block.instructions().into_iter().filter(|&it| party(it).is_some()) {
            let own = split_before(module, block, call);
            block = split_after(module, own, call);
        }
    }
}

/// Moves an instruction and those that follow it to a new block, to which the old one goes on.
fn split_before<'c>(module: &Module<'c>, block: Block<'c>, first: Value<'c>) -> Block<'c> {
    let new = module.append_block(block.function(), "");
    new.move_after(block);
    let builder = module.context().builder();
    builder.position_at_end(new);
    for instruction in block.instructions().into_iter().skip_while(|&other| other != first) {
        instruction.detach();
        builder.insert(instruction);
    }
    for next in new.successors() {
        come_from(&builder, next, block, new);
    }
    builder.position_at_end(block);
    builder.br(new);
    new
}

/// Lets the phis of a block have another predecessor in place of one.
fn come_from<'c>(builder: &Builder<'c>, block: Block<'c>, old: Block<'c>, new: Block<'c>) {
    let phis = block.phis().into_iter();
    for phi in phis.filter(|phi| phi.incoming().iter().any(|(_, from)| *from == old)) {
        let moved = |(value, from)| (value, if from == old { new } else { from });
        let incoming: Vec<_> = phi.incoming().into_iter().map(moved).collect();
        builder.position_before(phi);
        let changed = builder.phi(phi.ty());
        changed.add_incoming(&incoming);
        phi.replace_all_uses_with(changed);
        phi.erase();
    }
}

fn split_after<'c>(module: &Module<'c>, block: Block<'c>, last: Value<'c>) -> Block<'c> {
    let mut rest = block.instructions().into_iter().skip_while(|&other| other != last).skip(1);
    rest.next().map_or(block, |first| split_before(module, block, first))
}

/// The one copy of an operation that lanes do together, wherever they come from.
struct Handler<'c> {
    /// Tells it from others.
    operation: String,
    party: Party,
    /// Stands in no block yet; of all calls the first, so errors are told at its place.
    call: Value<'c>,
    /// Slots for the operands; constants that are the same at every call are themselves.
    operands: Vec<Operand<'c>>,
    result: Option<Value<'c>>,
}

#[derive(Clone, Copy)]
enum Operand<'c> {
    Slot(Value<'c>),
    Constant(Value<'c>),
}

/// A block that ends with a rendezvous.
struct Rendezvous<'c> {
    block: Block<'c>,
    /// The block in which lanes go on.
    after: Block<'c>,
    handler: usize,
}

/// The loop around all blocks.
struct Rounds<'m, 'c> {
    module: &'m Module<'c>,
    function: Value<'c>,
    b: Builder<'c>,
    head: Block<'c>,
    // Slots of a lane.
    /// The number of the place that it comes to next.
    place: Value<'c>,
    /// The number of the place where it goes on after a rendezvous.
    resume: Value<'c>,
    // Slots with the same value for all lanes of the wave.
    /// Rounds since a lane was elsewhere than at a rendezvous.
    idle: Value<'c>,
    /// Rounds so far.
    rounds: Value<'c>,
    /// Lanes that have not ended.
    alive: Value<'c>,
}

/// The blocks that ask lanes whether they are at a place, in the order of places; the last begins the next round.
struct Gates<'c>(Vec<Block<'c>>);

impl<'c> Gates<'c> {
    fn behind(&self, place: usize) -> Block<'c> {
        self.0[place + 1]
    }
}

impl<'m, 'c> Rounds<'m, 'c> {
    fn new(module: &'m Module<'c>, function: Value<'c>) -> Self {
        let cx = module.context();
        let b = cx.builder();
        b.position_at_start(function.entry_block());
        let [place, resume, idle, rounds] = [(); 4].map(|()| b.alloca(cx.i32()));
        let alive = b.alloca(cx.i64());
        let head = module.append_block(function, "round");
        Self { module, function, b, head, place, resume, idle, rounds, alive }
    }

    /// `ending` is what [`places::ending_loops`] found.
    fn build(&self, ending: &FxHashSet<Block<'c>>) {
        let entry = self.function.entry_block();
        let slots = color_slots::slots(self.module, entry);
        let start = self.empty(entry);
        let (handlers, points) = self.prepare_rendezvous();
        let after_rendezvous: FxHashSet<_> = points.iter().map(|point| point.after).collect();
        self.b.position_at_end(entry);
        let to_start = self.b.br(start);
        let places = Places::new(self.function, &after_rendezvous, ending);
        color_slots::run(self.function, &slots, |block| places.is_place(block));
        to_start.erase();
        let own = |block: &Block<'c>| *block != entry && *block != self.head;
        let blocks: Vec<_> = self.function.blocks().into_iter().filter(own).collect();
        let in_turn: Vec<_> =
            blocks.iter().copied().filter(|&block| places.is_place(block)).collect();
        let position =
            |block: Block<'c>| in_turn.iter().position(|&it| it == block).unwrap_or_default();
        let number_of = |block: Block<'c>| self.word(position(block) as u64);
        let gate = |_| self.module.append_block(self.function, "gate");
        let all = in_turn.len() + handlers.len();
        let gates = Gates((0..all).map(gate).chain([self.head]).collect());
        for &block in &blocks {
            let Some(end) = block.terminator() else { continue };
            let behind = gates.behind(position(places.place_of(block)));
            self.b.position_before(end);
            if let Some(point) = points.iter().find(|point| point.block == block) {
                self.store(self.resume, number_of(point.after));
                self.end_turn(end, self.word((in_turn.len() + point.handler) as u64), behind);
            } else if end.opcode() == Opcode::LLVMRet {
                self.end_turn(end, self.word(ENDED), behind);
            } else {
                for (index, to) in (0..).zip(end.successors()) {
                    if places.is_place(to) && !places.is_within(block, to) {
                        end.set_successor(index, self.way_to(number_of(to), behind));
                    }
                }
            }
        }
        self.b.position_at_end(entry);
        let zero = self.word(0);
        self.come_to(number_of(start));
        self.store(self.idle, zero);
        self.store(self.rounds, zero);
        self.b.br(self.head);
        let meet = |(number, handler)| self.meet(handler, gates.behind(in_turn.len() + number));
        let handlers: Vec<_> = handlers.iter().enumerate().map(meet).collect();
        self.choose(&gates, &in_turn, &handlers);
    }

    fn word(&self, value: u64) -> Value<'c> {
        self.module.context().i32().const_int(value)
    }

    fn load(&self, slot: Value<'c>) -> Value<'c> {
        self.b.load(self.module.context().i32(), slot, 4)
    }

    fn store(&self, slot: Value<'c>, value: Value<'c>) {
        self.b.store(value, slot, 4);
    }

    /// Says where a lane comes next. LLVM does not know this number, so that it does not let lanes that know which gate is
    /// theirs go there by themselves.
    fn come_to(&self, place: Value<'c>) {
        let hidden = self.call("amd.hidden", &[place]);
        self.store(self.place, hidden);
    }

    fn is_equal(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.b.icmp(IntPredicate::LLVMIntEQ, a, b)
    }

    /// Calls a function of the prelude.
    fn call(&self, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        self.b.call(OWN.declare(self.module, name, arguments.len()), arguments)
    }

    /// The lanes of the wave that are here and have a property.
    fn wave_ballot(&self, property: Value<'c>) -> Value<'c> {
        self.call("amd.wave_ballot", &[property])
    }

    fn wave_here(&self) -> Value<'c> {
        self.wave_ballot(self.module.context().i1().all_ones())
    }

    /// Leaves nothing in the entry but stack variables; returns the block of the rest.
    fn empty(&self, entry: Block<'c>) -> Block<'c> {
        let start = self.module.append_block(self.function, "start");
        start.move_after(entry);
        self.b.position_at_end(start);
        for instruction in entry.instructions() {
            let is_variable = instruction.opcode() == Opcode::LLVMAlloca
                && instruction.operand(0).as_const_int().is_some();
            if !is_variable {
                instruction.detach();
                self.b.insert(instruction);
            }
        }
        start
    }

    /// Lanes at a rendezvous leave their operands in slots, and find the result in one.
    fn prepare_rendezvous(&self) -> (Vec<Handler<'c>>, Vec<Rendezvous<'c>>) {
        let (mut handlers, mut points) = (Vec::<Handler<'c>>::new(), Vec::new());
        for block in self.function.blocks() {
            let found = block.instructions().into_iter().find_map(|it| Some((it, party(it)?)));
            let Some((call, party)) = found else { continue };
            let operation = operation(call);
            let known = handlers.iter().position(|handler| handler.operation == operation);
            let handler = known.unwrap_or_else(|| {
                handlers.push(self.handler(operation, party, call));
                handlers.len() - 1
            });
            let after = split_after(self.module, block, call);
            self.b.position_before(call);
            for (operand, argument) in handlers[handler].operands.iter().zip(call.arguments()) {
                if let Operand::Slot(slot) = operand {
                    self.b.store(argument, *slot, self.module.align_of(argument.ty()));
                }
            }
            if let Some(result) = handlers[handler].result {
                self.b.position_at_start(after);
                let result = self.b.load(call.ty(), result, self.module.align_of(call.ty()));
                call.replace_all_uses_with(result);
            }
            call.erase();
            points.push(Rendezvous { block, after, handler });
        }
        (handlers, points)
    }

    fn handler(&self, operation: String, party: Party, call: Value<'c>) -> Handler<'c> {
        self.b.position_at_start(self.function.entry_block());
        let operands = call.arguments().into_iter().enumerate().map(|(index, argument)| {
            if index == 0 && has_number(call) {
                Operand::Constant(argument)
            } else {
                Operand::Slot(self.b.alloca(argument.ty()))
            }
        });
        let operands = operands.collect();
        let result = (!call.ty().is_void()).then(|| self.b.alloca(call.ty()));
        Handler { operation, party, call: call.clone_instruction(), operands, result }
    }

    /// Instead of going on, lanes say where they come next.
    fn end_turn(&self, end: Value<'c>, place: Value<'c>, gate: Block<'c>) {
        self.come_to(place);
        self.b.br(gate);
        end.erase();
    }

    /// A block where lanes say that they come next to a place.
    fn way_to(&self, place: Value<'c>, gate: Block<'c>) -> Block<'c> {
        let way = self.module.append_block(self.function, "way");
        self.b.position_at_end(way);
        self.come_to(place);
        self.b.br(gate);
        way
    }

    /// The block in which lanes do something together once all are there, or all wait for somebody.
    fn meet(&self, handler: &Handler<'c>, behind: Block<'c>) -> Block<'c> {
        let [block, together] =
            ["meet", "together"].map(|name| self.module.append_block(self.function, name));
        self.b.position_at_end(block);
        let operand = |operand: &Operand<'c>, ty: Type<'c>| match *operand {
            Operand::Constant(value) => value,
            Operand::Slot(slot) => self.b.load(ty, slot, self.module.align_of(ty)),
        };
        let types = handler.call.called_function_type().parameters();
        let arguments: Vec<_> =
            handler.operands.iter().zip(types).map(|(slot, ty)| operand(slot, ty)).collect();
        let ready = self.are_all_here(handler.party, arguments.last().copied());
        let none_moves = self.b.icmp(IntPredicate::LLVMIntUGT, self.load(self.idle), self.word(1));
        let go = self.b.or(ready, none_moves);
        self.b.cond_br(go, together, behind);

        self.b.position_at_end(together);
        let call = handler.call;
        for (index, argument) in (0..).zip(arguments) {
            call.set_operand(index, argument);
        }
        self.b.insert(call);
        if let Some(slot) = handler.result {
            self.b.store(call, slot, self.module.align_of(call.ty()));
        }
        self.store(self.place, self.load(self.resume));
        self.b.br(behind);
        block
    }

    fn are_all_here(&self, party: Party, members: Option<Value<'c>>) -> Value<'c> {
        let cx = self.module.context();
        let (i32_type, alive) = (cx.i32(), self.b.load(cx.i64(), self.alive, 8));
        let of_warp = |lanes: Value<'c>| self.call("amd.own_half", &[lanes]);
        let (wanted, here) = match (party, members) {
            (Party::Members, Some(members)) => {
                let all = i32_type.all_ones();
                let same = self.call("match.any.b32", &[members, all]);
                (self.b.and(members, of_warp(alive)), same)
            }
            (Party::Warp, _) => (of_warp(alive), of_warp(self.wave_here())),
            (Party::Wave | Party::Members, _) => (alive, self.wave_here()),
        };
        let missing = self.b.and(wanted, self.b.not(here));
        self.is_equal(missing, missing.ty().zero())
    }

    /// The head of the loop, which the wave leaves as one, and the gates.
    fn choose(&self, gates: &Gates<'c>, in_turn: &[Block<'c>], handlers: &[Block<'c>]) {
        let [go, end] = ["go", "end"].map(|name| self.module.append_block(self.function, name));
        let b = &self.b;
        b.position_at_end(self.head);
        let place = self.load(self.place);
        let goes_on = b.icmp(IntPredicate::LLVMIntNE, place, self.word(ENDED));
        let alive = self.wave_ballot(goes_on);
        b.store(alive, self.alive, 8);
        b.cond_br(self.is_equal(alive, alive.ty().zero()), end, go);

        b.position_at_end(go);
        let round = b.add(self.load(self.rounds), self.word(1));
        self.store(self.rounds, round);
        self.call(end_waits::LOOK, &[round]);
        let first = self.word(in_turn.len() as u64);
        let is_at_rendezvous = b.and(goes_on, b.icmp(IntPredicate::LLVMIntUGE, place, first));
        let all_wait = self.is_equal(self.wave_ballot(is_at_rendezvous), alive);
        let idle = b.add(self.load(self.idle), self.word(1));
        self.store(self.idle, b.select(all_wait, idle, self.word(0)));
        b.br(gates.0[0]);

        for (number, &block) in (0..).zip(in_turn.iter().chain(handlers)) {
            b.position_at_end(gates.0[number]);
            let is_here = self.is_equal(self.load(self.place), self.word(number as u64));
            b.cond_br(is_here, block, gates.behind(number));
        }
        b.position_at_end(end);
        b.ret_void();
    }
}

/// The number of a matrix operation has to stay a constant.
fn has_number(call: Value<'_>) -> bool {
    intrinsics::called(call).is_some_and(|it| it.has(Property::MatrixOperation))
}

/// Lanes whose operations are the same meet.
fn operation(call: Value<'_>) -> String {
    let name = call.called_name();
    match call.arguments().first() {
        Some(number) if has_number(call) => format!("{name} {}", number.print()),
        _ => name,
    }
}
