//! Warp-wide operations: shuffles, votes, matches, reductions. Lanes that are not active take no part.

use llvm_zluda::{IntPredicate, Value};

use super::{Emitter, LANES, Lanes};
use crate::Error;

impl<'c> Emitter<'_, 'c> {
    fn word(&self, value: u64) -> Value<'c> {
        self.cx.i32().const_int(value)
    }

    fn lane_numbers(&self) -> Value<'c> {
        self.steps(self.cx.i32(), 1)
    }

    /// `shfl.sync`: value and predicate.
    pub(super) fn shuffle(
        &mut self,
        mode: &str,
        arguments: &[Value<'c>],
    ) -> Result<Lanes<'c>, Error> {
        let value = self.get(arguments[0]);
        let (by, clamp) = (self.get(arguments[1]), self.get(arguments[2]));
        let constant = |lanes: &Lanes<'c>| match lanes {
            Lanes::Uniform(value) => value.as_const_int().map(|value| value as u32),
            _ => None,
        };
        if let (Some(by), Some(clamp)) = (constant(&by), constant(&clamp)) {
            let sources: Vec<_> =
                (0..LANES).map(|lane| source_lane(mode, lane, by, clamp)).collect();
            let flags: Vec<_> = sources
                .iter()
                .map(|(_, valid)| self.cx.i1().const_int(u64::from(*valid)))
                .collect();
            let predicate = self.b.const_vector(&flags);
            let moved = match value {
                Lanes::Uniform(value) => Lanes::Uniform(value),
                _ if sources.iter().all(|source| *source == (sources[0].0, true)) => {
                    let vector = self.vector(&value);
                    Lanes::Uniform(
                        self.b.extract_element(vector, self.word(u64::from(sources[0].0))),
                    )
                }
                _ => {
                    let vector = self.vector(&value);
                    let lanes: Vec<_> = sources.iter().map(|(lane, _)| *lane as i32).collect();
                    Lanes::Vector(self.b.shuffle(vector, vector, &lanes))
                }
            };
            // The shape analysis takes a broadcast for uniform as a whole.
            let predicate =
                if matches!(moved, Lanes::Uniform(_)) && sources.iter().all(|(_, valid)| *valid) {
                    Lanes::Uniform(self.cx.i1().const_int(1))
                } else {
                    Lanes::Vector(predicate)
                };
            return Ok(Lanes::Composite(vec![moved, predicate]));
        }
        if let (Lanes::Uniform(from), Some(0x1f), "idx") =
            (&by, constant(&clamp).map(|c| c & 0x1f1f), mode)
        {
            let lane = self.b.and(*from, self.word(31));
            let moved = match value {
                Lanes::Uniform(value) => value,
                _ => {
                    let vector = self.vector(&value);
                    self.b.extract_element(vector, lane)
                }
            };
            return Ok(Lanes::Composite(vec![
                Lanes::Uniform(moved),
                Lanes::Uniform(self.cx.i1().const_int(1)),
            ]));
        }
        let b = &self.b;
        let splat = |value: u64| self.splat(self.word(value));
        let lane = self.lane_numbers();
        let clamp = self.vector(&clamp);
        let by = b.and(self.vector(&by), splat(31));
        let segment = b.and(b.lshr(clamp, splat(8)), splat(31));
        let clamp = b.and(clamp, splat(31));
        let outside = b.xor(segment, splat(31));
        let first = b.and(lane, segment);
        let last = b.or(first, b.and(clamp, outside));
        let source = match mode {
            "up" => b.sub(lane, by),
            "down" => b.add(lane, by),
            "bfly" => b.xor(lane, by),
            _ => b.or(first, b.and(by, outside)),
        };
        let compare =
            if mode == "up" { IntPredicate::LLVMIntSGE } else { IntPredicate::LLVMIntSLE };
        let valid = b.icmp(compare, source, last);
        let source = b.and(b.select(valid, source, lane), splat(31));
        let moved = match value {
            Lanes::Uniform(value) => self.splat(value),
            _ => {
                let spilled = self.spill(self.vector(&value));
                let pointers = self.b.gep(self.cx.i32(), spilled, &[source]);
                let saved =
                    std::mem::replace(&mut self.mask, self.cx.i1().vector(LANES).all_ones());
                let moved = self.gather(pointers, self.cx.i32());
                self.mask = saved;
                moved
            }
        };
        Ok(Lanes::Composite(vec![Lanes::Vector(moved), Lanes::Vector(valid)]))
    }

    /// `vote.sync` of the modes `ballot`, `any`, `all` and `uni`; arguments are the condition and the members' bits.
    pub(super) fn vote(&mut self, mode: &str, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        let condition = self.get(arguments[0]);
        let condition = self.vector(&condition);
        let bits = self.active_where(condition);
        let active = self.active_bits();
        let members = self.get(arguments[1]);
        // One answer for the warp, or one for each lane's own set of members.
        let uniform = matches!(members, Lanes::Uniform(_));
        let (members, bits, active) = match members {
            Lanes::Uniform(members) => (members, bits, active),
            _ => (self.vector(&members), self.splat(bits), self.splat(active)),
        };
        let b = &self.b;
        let bits = b.and(bits, members);
        let active = b.and(active, members);
        let zero = bits.ty().zero();
        let answer = match mode {
            "ballot" => bits,
            "any" => b.icmp(IntPredicate::LLVMIntNE, bits, zero),
            "all" => b.icmp(IntPredicate::LLVMIntEQ, bits, active),
            _ => {
                let all = b.icmp(IntPredicate::LLVMIntEQ, bits, active);
                let none = b.icmp(IntPredicate::LLVMIntEQ, bits, zero);
                b.or(all, none)
            }
        };
        Ok(if uniform { Lanes::Uniform(answer) } else { Lanes::Vector(answer) })
    }

    /// Runs `body` once for each group of active lanes that have the same `key`: with the group's bits, as
    /// `i32`, and the lane that leads it.
    fn for_each_group(
        &mut self,
        key: Value<'c>,
        body: impl FnOnce(&mut Self, Value<'c>, Value<'c>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let i32_type = self.cx.i32();
        let active = self.active_bits();
        let element = key.ty().element();
        let spilled = self.spill(key);
        let before = self.b.block();
        let head = self.block("group");
        let work = self.block("group.work");
        let done = self.block("groups.done");
        self.b.br(head);
        self.b.position_at_end(head);
        let left = self.b.phi(i32_type);
        let none = self.b.icmp(IntPredicate::LLVMIntEQ, left, self.word(0));
        self.b.cond_br(none, done, work);
        self.b.position_at_end(work);
        let lane = self.b.intrinsic(
            self.module,
            "llvm.cttz",
            &[i32_type],
            &[left, self.cx.i1().const_int(1)],
        );
        let leader = self.lane_of(spilled, element, lane);
        let same = self.b.icmp(IntPredicate::LLVMIntEQ, key, self.splat(leader));
        let bits = self.active_where(same);
        body(self, bits, lane)?;
        let rest = self.b.and(left, self.b.not(bits));
        let latch = self.b.block();
        self.b.br(head);
        left.add_incoming(&[(active, before), (rest, latch)]);
        self.b.position_at_end(done);
        Ok(())
    }

    /// `match.any.sync`: for each lane the bits of the members that have its value.
    pub(super) fn match_any(&mut self, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        let value = self.get(arguments[0]);
        let key = self.vector(&value);
        let words = self.cx.i32().vector(LANES);
        let results = self.stack(words, 32);
        self.b.store(words.zero(), results, 32);
        self.for_each_group(key, |this, bits, _| {
            let old = this.b.load(words, results, 32);
            let new = this.b.select(this.mask_of_bits(bits), this.splat(bits), old);
            this.b.store(new, results, 32);
            Ok(())
        })?;
        let found = self.b.load(words, results, 32);
        let members = self.get(arguments[1]);
        Ok(Lanes::Vector(self.b.and(found, self.vector(&members))))
    }

    /// `match.all.sync`: the members' bits, or 0 where their values differ, and the predicate.
    pub(super) fn match_all(&mut self, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        let members = self.get(arguments[1]);
        let Lanes::Uniform(members) = members else {
            return self.match_all_in_groups(arguments[0], &members);
        };
        let value = self.get(arguments[0]);
        let vector = self.vector(&value);
        let active = self.b.and(self.active_bits(), members);
        let first = self.first_active(vector);
        let same = self.b.icmp(IntPredicate::LLVMIntEQ, vector, self.splat(first));
        let bits = self.b.and(self.active_where(same), members);
        let all = self.b.icmp(IntPredicate::LLVMIntEQ, bits, active);
        let found = self.b.select(all, active, self.word(0));
        Ok(Lanes::Composite(vec![Lanes::Uniform(found), Lanes::Uniform(all)]))
    }

    /// `match.all` where lanes name different members: those that name the same ones are a group.
    fn match_all_in_groups(
        &mut self,
        value: Value<'c>,
        members: &Lanes<'c>,
    ) -> Result<Lanes<'c>, Error> {
        let value = self.get(value);
        let vector = self.vector(&value);
        let spilled = self.spill(vector);
        let element = vector.ty().element();
        let words = self.cx.i32().vector(LANES);
        let results = self.stack(words, 32);
        self.b.store(words.zero(), results, 32);
        let members = self.vector(members);
        self.for_each_group(members, |this, bits, leader| {
            let first = this.lane_of(spilled, element, leader);
            let same = this.b.icmp(IntPredicate::LLVMIntEQ, vector, this.splat(first));
            let matching = this.b.and(this.active_where(same), bits);
            let all = this.b.icmp(IntPredicate::LLVMIntEQ, matching, bits);
            let found = this.b.select(all, bits, this.word(0));
            let old = this.b.load(words, results, 32);
            let new = this.b.select(this.mask_of_bits(bits), this.splat(found), old);
            this.b.store(new, results, 32);
            Ok(())
        })?;
        let found = self.b.load(words, results, 32);
        let all = self.b.icmp(IntPredicate::LLVMIntNE, found, words.zero());
        Ok(Lanes::Composite(vec![Lanes::Vector(found), Lanes::Vector(all)]))
    }

    /// `redux.sync` of 32-bit integers; arguments are the value and the members' bits. Fails for unknown operations.
    pub(super) fn redux(
        &mut self,
        operation: &str,
        arguments: &[Value<'c>],
    ) -> Result<Lanes<'c>, Error> {
        let (name, identity) = match operation {
            "add" => ("add", 0),
            "min.s" => ("smin", 0x7fff_ffff),
            "max.s" => ("smax", 0x8000_0000),
            "min.u" => ("umin", 0xffff_ffff),
            "max.u" => ("umax", 0),
            "and" => ("and", 0xffff_ffff),
            "or" => ("or", 0),
            "xor" => ("xor", 0),
            _ => return Err(Error::Unsupported(format!("redux.{operation}"))),
        };
        let value = self.get(arguments[0]);
        let vector = self.vector(&value);
        let members = self.get(arguments[1]);
        if let Lanes::Uniform(members) = members {
            let mask = self.mask_and(self.mask, self.mask_of_bits(members));
            return Ok(Lanes::Uniform(self.reduce_active(name, vector, identity, mask)));
        }
        let words = self.cx.i32().vector(LANES);
        let results = self.stack(words, 32);
        self.b.store(words.zero(), results, 32);
        let members = self.vector(&members);
        self.for_each_group(members, |this, bits, _| {
            let group = this.mask_of_bits(bits);
            let total = this.reduce_active(name, vector, identity, group);
            let old = this.b.load(words, results, 32);
            let new = this.b.select(group, this.splat(total), old);
            this.b.store(new, results, 32);
            Ok(())
        })?;
        Ok(Lanes::Vector(self.b.load(words, results, 32)))
    }

    /// `elect.sync`: the lowest active member leads.
    pub(super) fn elect(&mut self, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        let members = self.get(arguments[0]);
        let members = self.vector(&members);
        let active = self.b.and(self.splat(self.active_bits()), members);
        let undefined_at_zero = self.cx.i1().const_int(0);
        let leader = self.b.intrinsic(
            self.module,
            "llvm.cttz",
            &[active.ty()],
            &[active, undefined_at_zero],
        );
        let leads = self.b.icmp(IntPredicate::LLVMIntEQ, leader, self.lane_numbers());
        Ok(Lanes::Composite(vec![Lanes::Vector(leader), Lanes::Vector(leads)]))
    }
}

/// The lane that `shfl.sync` reads from, and its predicate, as the PTX manual has it.
fn source_lane(mode: &str, lane: u32, by: u32, clamp: u32) -> (u32, bool) {
    let segment = (clamp >> 8) & 31;
    let by = by & 31;
    let first = lane & segment;
    let last = (first | (clamp & 31 & !segment)) as i32;
    let source = match mode {
        "up" => lane as i32 - by as i32,
        "down" => lane as i32 + by as i32,
        "bfly" => (lane ^ by) as i32,
        _ => (first | (by & !segment & 31)) as i32,
    };
    let valid = if mode == "up" { source >= last } else { source <= last };
    if valid { (source as u32 & 31, true) } else { (lane, false) }
}
