//! Groups: what becomes of a warp whose lanes have parted (`analysis::warp_splitting`, [`cpu_abi::Group`]).
//!
//! Where somebody may be missing, the code asks the group, and calls the engine if so. The call comes back
//! in each half with another group, and the code behind it goes on with what is left of its mask. In
//! the half whose lanes are all elsewhere it leaves for the next node in which some may be.

use std::mem::offset_of;

use cpu_abi::{Group, MEET_ROWS, MEET_SHUFFLE, Runtime, ShuffleKind, WarpOperation};
use llvm_zluda::{IntPredicate, Type, Value};

use super::{Emitter, LANES, Lanes};
use crate::Error;
use simt::analysis::level::level_of;

/// The operation that lanes meet for, and its operands.
struct Rendezvous<'c> {
    /// As [`Runtime::meet`] has it.
    operation: u32,
    value: Option<Value<'c>>,
    b: Option<Value<'c>>,
    c: Option<Value<'c>>,
    members: Lanes<'c>,
}

impl<'c> Emitter<'_, 'c> {
    fn group_word(&self, offset: usize) -> Value<'c> {
        let offset = self.cx.i64().const_int(offset as u64);
        let place = self.b.byte_offset(self.environment.group, offset);
        self.b.load(self.cx.i32(), place, 4)
    }

    fn lanes_of_group(&self) -> Value<'c> {
        self.group_word(offset_of!(Group, lanes))
    }

    /// The lanes of an older mask that are still in the group.
    pub(super) fn still_here(&self, mask: Value<'c>) -> Value<'c> {
        self.b.and(mask, self.mask_of_bits(self.lanes_of_group()))
    }

    /// All 32 lanes are here, so nobody is elsewhere.
    fn all_are_here(&self) -> bool {
        self.mask == self.cx.i1().vector(LANES).all_ones()
    }

    /// The lanes of the mask end, in a kernel.
    pub(super) fn lanes_exit(&self, block: usize) {
        if !self.is_kernel || self.splits.as_ref().is_none_or(|it| !it.is_partial(block)) {
            return;
        }
        let left = self.b.and(self.lanes_of_group(), self.b.not(self.active_bits()));
        let offset = self.cx.i64().const_int(offset_of!(Group, lanes) as u64);
        self.b.store(left, self.b.byte_offset(self.environment.group, offset), 4);
    }

    /// Behind a call in which lanes may have left the group. The builder comes back where some are left.
    pub(super) fn go_on_without_those_who_left(&mut self) {
        let mask = self.still_here(self.mask);
        let [some, none] = ["some.stay", "none.stay"].map(|name| self.block(name));
        let any = self.any(mask);
        self.b.cond_br(any, some, none);
        self.b.position_at_end(none);
        self.go_elsewhere();
        self.b.position_at_end(some);
        self.set_mask(mask);
    }

    /// The mask of what follows, in this node and those that it dominates.
    fn set_mask(&mut self, mask: Value<'c>) {
        self.mask = mask;
        self.mask_not_empty = true;
        if let Some(open) = self.open.last_mut() {
            open.masks[open.current] = Some((mask, true));
        }
    }

    /// Jumps to where lanes may be that are not in the current node, from where none is left.
    fn go_elsewhere(&mut self) {
        let mut top = self.open.len() - 1;
        loop {
            let of = self.open[top].of;
            let level = level_of(of);
            // All lanes of a node come to those that it dominates, down to a node with a mask of its own.
            let mut node = self.open[top].current;
            while node != 0 && !self.divergence.facts[level].partial[node] {
                node = self.levels.levels[level].dominator[node];
            }
            if self.divergence.facts[level].partial[node] {
                return self.jump(top, node, &[]);
            }
            match of {
                // A loop that lanes leave one by one goes on with those that took the back edge.
                Some(number) if !self.divergence.divergent_loop[number] => top -= 1,
                _ => {
                    let end = self.open[top].entries.len() - 1;
                    self.b.br(self.open[top].entries[end]);
                    return;
                }
            }
        }
    }

    /// Parts if lanes of the group are elsewhere: what follows waits for others, and they must not wait for
    /// the lanes that are here.
    pub(super) fn part(&mut self) {
        if self.splits.is_none() || self.all_are_here() {
            return;
        }
        let absent = self.b.and(self.lanes_of_group(), self.b.not(self.active_bits()));
        let [part, together] = ["part", "together"].map(|name| self.block(name));
        let zero = self.cx.i32().const_int(0);
        let missing = self.b.icmp(IntPredicate::LLVMIntNE, absent, zero);
        let before = (self.mask, self.b.block());
        self.b.cond_br(missing, part, together);
        self.b.position_at_end(part);
        let all = self.here();
        self.runtime(offset_of!(Runtime, part), self.cx.void(), &all);
        self.go_on_without_those_who_left();
        let after = (self.mask, self.b.block());
        self.b.br(together);
        self.b.position_at_end(together);
        let mask = self.b.phi(self.mask.ty());
        mask.add_incoming(&[before, after]);
        self.set_mask(mask);
    }

    /// Block, warp, active lanes and group, as the engine wants them.
    fn here(&self) -> [Value<'c>; 4] {
        let environment = &self.environment;
        [environment.block, environment.warp, self.active_bits(), environment.group]
    }

    /// A round of a loop that waits; `mask` are the lanes that go on waiting.
    pub(super) fn spin(&mut self, mask: Value<'c>) {
        if self.splits.is_none() {
            return self.yield_warp(self.cx.i32().const_int(0));
        }
        let environment = &self.environment;
        let all = [environment.block, environment.warp, self.bits(mask), environment.group];
        self.runtime(offset_of!(Runtime, spin), self.cx.void(), &all);
    }

    /// `bar.warp.sync`
    pub(super) fn sync_warp(&mut self, arguments: &[Value<'c>]) -> Result<(), Error> {
        let rendezvous = Rendezvous {
            operation: WarpOperation::Sync as u32,
            value: None,
            b: None,
            c: None,
            members: self.get(arguments[0]),
        };
        self.meet(rendezvous, &[], |_| Ok(Lanes::Composite(vec![])))?;
        Ok(())
    }

    /// Shuffles, votes, matches, reductions, elections.
    pub(super) fn warp_operation(
        &mut self,
        name: &str,
        arguments: &[Value<'c>],
    ) -> Result<Lanes<'c>, Error> {
        let unsupported = || Error::Unsupported(format!("the intrinsic `zluda.{name}`"));
        let operation = match name.strip_prefix("shfl.") {
            Some(mode) => ShuffleKind::from_word(mode).map(|kind| MEET_SHUFFLE + kind as u32),
            None => WarpOperation::from_word(name).map(|operation| operation as u32),
        };
        let operation = operation.ok_or_else(unsupported)?;
        let (i32_type, i1) = (self.cx.i32(), self.cx.i1());
        let results: &[Type<'c>] = match name.split_once('.') {
            Some(("shfl", _)) | None => &[i32_type, i1],
            Some(("match", mode)) if mode.starts_with("all") => &[i32_type, i1],
            Some(("vote", mode)) if mode != "ballot" => &[i1],
            _ => &[i32_type],
        };
        let [inputs @ .., members] = arguments else {
            return Err(Error::Bug(format!("`zluda.{name}` names no members")));
        };
        let mut inputs = inputs.iter().map(|&input| {
            let lanes = self.get(input);
            self.vector(&lanes)
        });
        let [value, b, c] = [inputs.next(), inputs.next(), inputs.next()];
        let rendezvous = Rendezvous { operation, value, b, c, members: self.get(*members) };
        self.meet(rendezvous, results, |this| this.among_active(name, arguments))
    }

    /// The same when all members are here.
    fn among_active(&mut self, name: &str, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        match name.split_once('.') {
            Some(("shfl", mode)) => self.shuffle(mode, arguments),
            Some(("vote", mode)) => self.vote(mode, arguments),
            Some(("match", mode)) if mode.starts_with("any") => self.match_any(arguments),
            Some(("match", _)) => self.match_all(arguments),
            Some(("redux", operation)) => self.redux(operation, arguments),
            _ => self.elect(arguments),
        }
    }

    /// Makes the operation for the lanes that are here, and for the case that members are elsewhere a call of
    /// the engine. `results` are the types of its parts.
    fn meet(
        &mut self,
        rendezvous: Rendezvous<'c>,
        results: &[Type<'c>],
        among_active: impl FnOnce(&mut Self) -> Result<Lanes<'c>, Error>,
    ) -> Result<Lanes<'c>, Error> {
        if self.splits.is_none() || self.all_are_here() {
            return among_active(self);
        }
        let b = &self.b;
        let members = match rendezvous.members {
            Lanes::Uniform(members) => members,
            ref lanes => self.reduce_active("or", self.vector(lanes), 0, self.mask),
        };
        let others = self.group_word(offset_of!(Group, others));
        let elsewhere = b.and(b.or(self.lanes_of_group(), others), b.not(self.active_bits()));
        let zero = self.cx.i32().const_int(0);
        let missing = b.icmp(IntPredicate::LLVMIntNE, b.and(members, elsewhere), zero);
        let [call, here, done] = ["meet", "all.here", "met"].map(|name| self.block(name));
        self.b.cond_br(missing, call, here);

        self.b.position_at_end(here);
        let here_mask = self.mask;
        let here_lanes = among_active(self)?;
        let mut here_values = Vec::new();
        let shapes = self.flatten(&here_lanes, &mut here_values);
        let here_end = self.b.block();
        self.b.br(done);

        self.b.position_at_end(call);
        let rows = self.call_meet(&rendezvous);
        self.go_on_without_those_who_left();
        let met_values: Vec<_> = results
            .iter()
            .zip(&shapes)
            .map(|(&ty, &uniform)| {
                // A bit is a predicate, which has the second row.
                let bit = ty == self.cx.i1();
                let row = self.b.load(self.cx.i32().vector(LANES), rows[usize::from(bit)], 64);
                let row = if bit { self.b.trunc(row, ty.vector(LANES)) } else { row };
                if uniform { self.first_active(row) } else { row }
            })
            .collect();
        let met_mask = self.mask;
        let met_end = self.b.block();
        self.b.br(done);

        self.b.position_at_end(done);
        let mask = self.b.phi(here_mask.ty());
        mask.add_incoming(&[(here_mask, here_end), (met_mask, met_end)]);
        let mut joined = here_values.iter().zip(&met_values).zip(&shapes).map(
            |((&here_value, &met_value), &uniform)| {
                let phi = self.b.phi(here_value.ty());
                phi.add_incoming(&[(here_value, here_end), (met_value, met_end)]);
                if uniform { Lanes::Uniform(phi) } else { Lanes::Vector(phi) }
            },
        );
        let lanes = match here_lanes {
            Lanes::Composite(_) => Lanes::Composite(joined.collect()),
            _ => joined.next().unwrap_or(Lanes::Composite(vec![])),
        };
        self.set_mask(mask);
        Ok(lanes)
    }

    /// The values of lanes, one for each part, and which of them are scalars.
    fn flatten(&self, lanes: &Lanes<'c>, values: &mut Vec<Value<'c>>) -> Vec<bool> {
        match lanes {
            Lanes::Composite(parts) => {
                parts.iter().flat_map(|part| self.flatten(part, values)).collect()
            }
            Lanes::Uniform(value) => {
                values.push(*value);
                vec![true]
            }
            other => {
                values.push(self.vector(other));
                vec![false]
            }
        }
    }

    /// Stores what the lanes bring, and calls the engine. Returns the places of the rows.
    fn call_meet(&mut self, rendezvous: &Rendezvous<'c>) -> Vec<Value<'c>> {
        let words = self.cx.i32().vector(LANES);
        let buffer = match self.rendezvous_rows {
            Some(buffer) => buffer,
            None => self.stack(words.array(MEET_ROWS as u64), 64),
        };
        self.rendezvous_rows = Some(buffer);
        let b = &self.b;
        let rows: Vec<_> = (0..MEET_ROWS as u64)
            .map(|row| b.byte_offset(buffer, self.cx.i64().const_int(row * u64::from(LANES) * 4)))
            .collect();
        let wide = self.cx.i64().vector(LANES);
        if let Some(value) = rendezvous.value {
            let value = b.zext_or_trunc(value, wide);
            let shift = self.splat(self.cx.i64().const_int(32));
            b.store(b.trunc(value, words), rows[0], 64);
            b.store(b.trunc(b.lshr(value, shift), words), rows[1], 64);
        }
        for (value, row) in [(rendezvous.b, 2), (rendezvous.c, 3)] {
            if let Some(value) = value {
                b.store(value, rows[row], 64);
            }
        }
        b.store(self.vector(&rendezvous.members), rows[4], 64);
        let [block, warp, mask, group] = self.here();
        let operation = self.cx.i32().const_int(rendezvous.operation.into());
        let all = [block, warp, mask, group, operation, buffer];
        self.runtime(offset_of!(Runtime, meet), self.cx.void(), &all);
        rows
    }
}
