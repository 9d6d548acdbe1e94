//! The function that runs a loop for several warps, and what they tell each other about it.

use llvm_zluda::{Builder, IntPredicate, Linkage, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Jam, Place};
use crate::{entry, round};

/// What a warp's place says about its loop, in its first word.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum State {
    /// The warp is about to begin, or to go on.
    Waits = 1,
    /// It goes on alone.
    Alone = 2,
    /// Several rounds were for it too, and there are more.
    GoesOn = 3,
    /// So they were, and the loop has ended.
    Done = 4,
}

/// What the names of such functions end with.
pub const SUFFIX: &str = ".together";

impl State {
    pub fn value<'c>(self, module: &Module<'c>) -> Value<'c> {
        module.context().i32().const_int(self as u64)
    }
}

/// Makes the function: for the warps from the one that calls it on, if they wait where it does. Its parameters are the
/// block's context, the warp, the round, and the warp's place.
pub fn make<'c>(jam: &Jam<'_, 'c>, place: &Place<'c>) -> Value<'c> {
    let (module, cx) = (jam.module, jam.module.context());
    let ty = cx.function_type(cx.void(), &[cx.ptr(0), cx.i32(), cx.ptr(0), cx.ptr(0)]);
    let function = module.add_function(&format!("{}{SUFFIX}", jam.function.name()), ty);
    function.set_linkage(Linkage::LLVMInternalLinkage);
    module.add_attribute(function, "noinline");
    // Threads that fault here are unwound.
    module.add_attribute_with_value(function, "uwtable", 2);
    let names = ["start", "mine", "ask", "begin", "round", "end", "done"];
    let [start, mine, ask, begin, body, end, done] =
        names.map(|name| module.append_block(function, name));
    let [context, warp, words, own] = [0, 1, 2, 3].map(|index| function.parameter(index));
    let b = cx.builder();
    let size = |b: &Builder<'c>| b.load(cx.i64(), round::frame_size(module), 8);
    let waits = State::Waits.value(module);
    let is = |b: &Builder<'c>, left, right| b.icmp(IntPredicate::LLVMIntEQ, left, right);

    b.position_at_end(start);
    b.cond_br(is(&b, b.load(cx.i32(), own, 4), waits), mine, done);

    b.position_at_end(mine);
    b.store(State::Alone.value(module), own, 4);
    let warps = b.lshr(entry::threads(&b, context), cx.i32().const_int(5));
    let last = b.add(warp, cx.i32().const_int(jam.warps));
    b.cond_br(b.icmp(IntPredicate::LLVMIntULE, last, warps), ask, done);

    // The frame says where a warp waits: in this loop, or elsewhere.
    b.position_at_end(ask);
    let frame = round::frame(module, &b, words, warp);
    let here = b.load(cx.i32(), frame, 4);
    let mut places = vec![own];
    let mut all = cx.i1().all_ones();
    for number in 1..jam.warps {
        let distance = b.mul(size(&b), cx.i64().const_int(number));
        let other = b.byte_offset(own, distance);
        let is_here = is(&b, b.load(cx.i32(), b.byte_offset(frame, distance), 4), here);
        let does_wait = is(&b, b.load(cx.i32(), other, 4), waits);
        all = b.and(all, b.and(is_here, does_wait));
        places.push(other);
    }
    b.cond_br(all, begin, done);

    b.position_at_end(begin);
    let copies = Copies::new(jam, place, &places, &b);
    b.br(body);
    copies.make(&b, [begin, body, end]);
    b.br(done);
    b.position_at_end(done);
    b.ret_void();
    function
}

/// The values of a loop, for each warp.
struct Copies<'j, 'c> {
    jam: &'j Jam<'j, 'c>,
    place: &'j Place<'c>,
    places: &'j [Value<'c>],
    known: Vec<FxHashMap<Value<'c>, Value<'c>>>,
    first: Vec<FxHashMap<Value<'c>, Value<'c>>>,
}

impl<'j, 'c> Copies<'j, 'c> {
    fn new(
        jam: &'j Jam<'j, 'c>,
        place: &'j Place<'c>,
        places: &'j [Value<'c>],
        b: &Builder<'c>,
    ) -> Self {
        let mut known = vec![FxHashMap::default(); places.len()];
        let mut first = known.clone();
        for (number, &from) in places.iter().enumerate() {
            let read = |value: Value<'c>, all: &[FxHashMap<Value<'c>, Value<'c>>]| {
                if number > 0 && jam.same.contains(&value) {
                    all[0][&value]
                } else {
                    place.read(b, from, value)
                }
            };
            for &value in &jam.needs {
                let made = read(value, &known);
                known[number].insert(value, made);
            }
            for &phi in &jam.phis {
                let made = read(phi, &first);
                first[number].insert(phi, made);
            }
        }
        Self { jam, place, places, known, first }
    }

    /// The loop, and what each warp finds behind it.
    fn make(mut self, b: &Builder<'c>, [begin, body, end]: [llvm_zluda::Block<'c>; 3]) {
        let (jam, cx) = (self.jam, b.context());
        b.position_at_end(body);
        for &phi in &jam.phis {
            self.for_each(phi, |number, all| {
                let copy = b.phi(phi.ty());
                copy.add_incoming(&[(all.first[number][&phi], begin)]);
                copy
            });
        }
        for &it in &jam.body {
            self.for_each(it, |number, all| {
                let known = &all.known[number];
                let operand = |value| *known.get(&value).unwrap_or(&value);
                b.copy_with(it, it.operands().into_iter().map(operand))
            });
        }
        for &phi in &jam.phis {
            let next = jam.next(phi);
            for known in &self.known {
                let next = *known.get(&next).unwrap_or(&next);
                known[&phi].add_incoming(&[(next, body)]);
                if jam.same.contains(&phi) {
                    break;
                }
            }
        }
        let stay = |known: &FxHashMap<Value<'c>, Value<'c>>| {
            let condition = *known.get(&jam.condition).unwrap_or(&jam.condition);
            if jam.stays_if { condition } else { b.not(condition) }
        };
        let stays: Vec<_> = self.known.iter().map(stay).collect();
        let all = stays.iter().copied().reduce(|all, one| b.and(all, one));
        b.cond_br(all.unwrap_or(cx.i1().zero()), body, end);

        b.position_at_end(end);
        let [goes_on, done] = [State::GoesOn, State::Done].map(|it| it.value(jam.module));
        for ((known, &to), &stays) in self.known.iter().zip(self.places).zip(&stays) {
            for &phi in &jam.phis {
                let next = jam.next(phi);
                self.place.write(b, to, phi, *known.get(&next).unwrap_or(&next));
            }
            for &value in &jam.outs {
                self.place.write_out(b, to, value, known[&value]);
            }
            b.store(b.select(stays, goes_on, done), to, 4);
        }
    }

    /// Makes a value for each warp, or once if it is the same for all.
    fn for_each(&mut self, value: Value<'c>, make: impl Fn(usize, &Self) -> Value<'c>) {
        for number in 0..self.known.len() {
            let made = if number > 0 && self.jam.same.contains(&value) {
                self.known[0][&value]
            } else {
                make(number, self)
            };
            self.known[number].insert(value, made);
        }
    }
}

/// The values that are the same for all warps of a block: those that a loop needs, and its own.
pub struct Sameness<'c> {
    warp: Value<'c>,
    known: FxHashMap<Value<'c>, bool>,
}

impl<'c> Sameness<'c> {
    pub fn new(warp: Value<'c>) -> Self {
        Self { warp, known: FxHashMap::default() }
    }

    /// Of a value outside of the loop.
    pub fn outside(&mut self, module: &Module<'c>, value: Value<'c>) -> bool {
        if !value.is_instruction() {
            return value != self.warp;
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let may_be = match value.opcode() {
            Opcode::LLVMLoad => {
                !value.is_volatile() && value.has_metadata(module.context(), "invariant.load")
            }
            opcode => is_arithmetic(opcode),
        };
        let is_same =
            may_be && value.operands().into_iter().all(|operand| self.outside(module, operand));
        self.known.insert(value, is_same);
        is_same
    }

    /// Those of a loop, whose phis begin with `first`. A load in a round gives the same wherever the address is the same: who
    /// writes there meanwhile races with it.
    pub fn inside(
        &mut self,
        module: &Module<'c>,
        phis: &[(Value<'c>, Value<'c>, Value<'c>)],
        body: &[Value<'c>],
        needs: &[Value<'c>],
    ) -> FxHashSet<Value<'c>> {
        let mut same: FxHashSet<_> =
            needs.iter().copied().filter(|need| self.outside(module, *need)).collect();
        let mut candidates: Vec<_> =
            phis.iter().filter(|(_, first, _)| self.outside(module, *first)).collect();
        let outside = same.clone();
        loop {
            same = outside.clone();
            same.extend(candidates.iter().map(|(phi, ..)| *phi));
            let is_same = |value: Value<'c>, same: &FxHashSet<Value<'c>>| {
                same.contains(&value) || (!value.is_instruction() && value != self.warp)
            };
            for &it in body {
                let operands = it.operands();
                if it.opcode() != Opcode::LLVMStore
                    && operands.into_iter().all(|operand| is_same(operand, &same))
                {
                    same.insert(it);
                }
            }
            let before = candidates.len();
            candidates.retain(|(_, _, next)| is_same(*next, &same));
            if candidates.len() == before {
                return same;
            }
        }
    }
}

fn is_arithmetic(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMFreeze
            | Opcode::LLVMICmp
            | Opcode::LLVMSelect
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMBitCast
            | Opcode::LLVMInsertElement
            | Opcode::LLVMShuffleVector
    )
}
