//! Control flow: levels of nodes laid out in one line, with real branches where all lanes go together.
//!
//! Nodes are made in the level's compact order. After each node control goes to the earliest node that
//! still has lanes coming to it: the target of a uniform branch, or the first of all targets of a
//! divergent one; the others are *pending* for the nodes after it. A node that only a part of the lanes
//! may reach has a mask in a stack slot, to which each edge adds its lanes. Phis are stack slots too;
//! LLVM's `sroa` turns both back into values.

use std::collections::BTreeSet;

use llvm_zluda::{Block, IntPredicate, Opcode, Value};

use super::{Emitter, LANES, Lanes};
use crate::Error;
use simt::analysis::level::{Edge, Node, edges, level_of};

/// A level whose nodes are being made.
pub(super) struct OpenLevel<'c> {
    pub(super) of: Option<usize>,
    /// The node that is being made.
    pub(super) current: usize,
    /// The first block of each node; the sink's last.
    pub(super) entries: Vec<Block<'c>>,
    /// Nodes that may have lanes waiting when control comes to a node.
    pending: Vec<BTreeSet<usize>>,
    /// Masks of nodes made so far.
    pub(super) masks: Vec<Option<(Value<'c>, bool)>>,
    /// The stack slot to which lanes that take the back edge add themselves, in loops that lanes leave one by one.
    live: Option<Value<'c>>,
}

impl<'c> Emitter<'_, 'c> {
    /// Makes the whole function; the builder stands where its code begins.
    pub(super) fn function_level(&mut self, thread: Value<'c>) -> Result<(), Error> {
        let result = thread.value_type().result();
        if !result.is_void() {
            self.result_slot = Some(self.new_slot(result, simt::analysis::shape::Shape::Varying));
        }
        let sink = self.level(None, None)?;
        self.b.position_at_end(sink);
        match self.result_slot.take() {
            None => {
                self.b.ret_void();
            }
            Some(slot) => {
                let lanes = self.load_slot(&slot, result);
                self.return_lanes(&lanes);
            }
        }
        Ok(())
    }

    /// Makes the nodes of a level and returns its sink, which has no code yet. The builder stands where
    /// the level begins; `self.mask` holds the lanes that enter.
    fn level(&mut self, of: Option<usize>, live: Option<Value<'c>>) -> Result<Block<'c>, Error> {
        let number = level_of(of);
        let count = self.levels.levels[number].nodes.len();
        self.make_slots(number);
        let entries: Vec<_> =
            (0..=count).map(|node| self.block(&self.node_name(number, node))).collect();
        self.b.br(entries[0]);
        self.open.push(OpenLevel {
            of,
            current: 0,
            entries,
            pending: vec![BTreeSet::new(); count + 1],
            masks: vec![None; count],
            live,
        });
        for node in 0..count {
            self.node(number, node)?;
        }
        let open = self.open.pop().ok_or_else(|| Error::Bug("levels do not nest".to_owned()))?;
        Ok(open.entries[count])
    }

    fn node_name(&self, level: usize, node: usize) -> String {
        match self.levels.levels[level].nodes.get(node) {
            Some(Node::Block(block)) => self.cfg.blocks[*block].name(),
            Some(Node::Loop(inner)) => {
                format!("loop.{}", self.cfg.blocks[self.cfg.loops[*inner].header].name())
            }
            None => "end".to_owned(),
        }
    }

    /// The masks and phis of a level's nodes have their slots in the order of the nodes.
    fn make_slots(&mut self, number: usize) {
        for node in 0..self.levels.levels[number].nodes.len() {
            if self.divergence.facts[number].partial[node] {
                self.mask_slot(number, node);
            }
            for phi in self.phis_of_node(number, node) {
                self.phi_slot(phi);
            }
        }
    }

    /// No lane waits at the nodes that a node dominates at once. Nobody comes to them but from it. The stores stand here, not where
    /// the level begins, because LLVM's `sroa` walks over all that a store to a slot dominates: for each slot over the whole
    /// function, if all were cleared at its beginning.
    fn clear_dominated(&mut self, number: usize, node: usize) {
        let mut next = node + 1;
        while next < self.levels.levels[number].subtree_end[node] {
            if self.divergence.facts[number].partial[next] {
                let slot = self.mask_slot(number, next);
                self.b.store(self.empty_mask(), slot, 4);
            }
            for phi in self.phis_of_node(number, next) {
                let slot = self.phi_slot(phi);
                self.forget_slot(&slot, phi.ty());
            }
            next = self.levels.levels[number].subtree_end[next];
        }
    }

    /// The phis of a node behind the level's first, which has those of its loop's rounds.
    fn phis_of_node(&self, number: usize, node: usize) -> Vec<Value<'c>> {
        match self.levels.levels[number].nodes[node] {
            Node::Block(block) if node != 0 => self.cfg.blocks[block].phis(),
            _ => Vec::new(),
        }
    }

    fn mask_slot(&mut self, level: usize, node: usize) -> Value<'c> {
        if let Some(slot) = self.mask_slots.get(&(level, node)) {
            return *slot;
        }
        let slot = self.stack(self.cx.i1().vector(LANES), 4);
        self.mask_slots.insert((level, node), slot);
        slot
    }

    fn phi_slot(&mut self, phi: Value<'c>) -> super::Slot<'c> {
        if let Some(slot) = self.phi_slots.get(&phi) {
            return slot.clone();
        }
        let slot = self.new_slot(phi.ty(), self.divergence.shape(phi));
        self.phi_slots.insert(phi, slot.clone());
        slot
    }

    fn node(&mut self, level: usize, node: usize) -> Result<(), Error> {
        let top = self.open.len() - 1;
        let entry = self.open[top].entries[node];
        self.b.position_at_end(entry);
        if level == 0 && node >= self.partial_until {
            self.partial_until = 0;
        }
        let facts = &self.divergence.facts[level];
        if node == 0 {
            // `self.mask` is that of the level.
        } else if facts.partial[node] {
            let guarded = self.wants_guard(level, node);
            let copied = guarded && self.wants_whole_copy(level, node);
            let stale = self.is_stale(level, node);
            let quick =
                (copied && !stale).then(|| self.quick_whole_test(top, level, node)).flatten();
            if let Some(whole) = quick {
                self.copy_for_whole_warps(whole, top, level, node)?;
            }
            if guarded && !stale {
                self.skip_where_no_lane_passes(top, level, node);
            }
            let slot = self.mask_slot(level, node);
            self.mask = self.b.load(self.cx.i1().vector(LANES), slot, 4);
            if stale {
                self.mask = self.still_here(self.mask);
            }
            self.mask_not_empty = false;
            if guarded {
                self.guard(top, node);
                if copied && quick.is_none() {
                    let ones = self.cx.i32().all_ones();
                    let whole = self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), ones);
                    self.copy_for_whole_warps(whole, top, level, node)?;
                }
            }
        } else {
            let dominator = self.levels.levels[level].dominator[node];
            (self.mask, self.mask_not_empty) = self.open[top].masks[dominator]
                .ok_or_else(|| Error::Bug("a node stands before its dominator".into()))?;
            if self.is_stale(level, node) {
                self.mask = self.still_here(self.mask);
                self.mask_not_empty = false;
                if self.wants_guard(level, node) {
                    self.guard(top, node);
                }
            }
        }
        self.node_body(top, level, node)
    }

    /// Goes on where the mask is not empty, and skips the node and what it dominates where it is.
    fn guard(&mut self, top: usize, node: usize) {
        let run = self.block("run");
        let skip = self.block("skip");
        let any = self.any(self.mask);
        self.b.cond_br(any, run, skip);
        self.b.position_at_end(skip);
        self.jump(top, node, &[]);
        self.b.position_at_end(run);
        self.mask_not_empty = true;
    }

    /// Whether lanes may have left the group since the masks that make up the node's were made.
    fn is_stale(&self, level: usize, node: usize) -> bool {
        let Some(splits) = &self.splits else { return false };
        let this = &self.levels.levels[level];
        let dominator = this.dominator[node];
        // A block's mask is renewed where its lanes part.
        let renewed = matches!(this.nodes[dominator], Node::Block(_));
        splits.in_nodes(level, dominator + usize::from(renewed)..node)
    }

    /// Skips the node and what it dominates where a test of scalars says that no lane comes to it. Masks are looked at in the
    /// other warps alone.
    fn skip_where_no_lane_passes(&mut self, top: usize, level: usize, node: usize) {
        let Some(none) = self.quick_none_test(top, level, node) else { return };
        let [none_passes, some] = ["none", "some"].map(|name| self.block(name));
        self.b.cond_br(none, none_passes, some);
        self.b.position_at_end(none_passes);
        self.jump(top, node, &[]);
        self.b.position_at_end(some);
    }

    fn node_body(&mut self, top: usize, level: usize, node: usize) -> Result<(), Error> {
        self.open[top].current = node;
        self.open[top].masks[node] = Some((self.mask, self.mask_not_empty));
        self.clear_dominated(level, node);
        match self.levels.levels[level].nodes[node] {
            Node::Block(block) => self.basic_block(node, block),
            Node::Loop(inner) => self.inner_loop(level, node, inner),
        }
    }

    /// Kernels begin by sending home the threads past the end, of which most warps have none. Where little is
    /// left it gets a copy for whole warps, if it has rows of memory or loops: there masks cost more than the work.
    fn wants_whole_copy(&mut self, level: usize, node: usize) -> bool {
        const SMALL: u32 = 64;
        const ALL_TOGETHER: u32 = 128;
        if !self.is_kernel || self.whole_copy || self.is_partial() || level != 0 {
            return false;
        }
        let end = self.levels.levels[level].subtree_end[node];
        let nodes = &self.levels.levels[level].nodes[node..end];
        let inside: Vec<_> = nodes
            .iter()
            .flat_map(|inside| match *inside {
                Node::Block(block) => self.cfg.blocks[block].instructions(),
                Node::Loop(number) => self.instructions_of_loop(number),
            })
            .collect();
        let has_loop = nodes.iter().any(|inside| matches!(inside, Node::Loop(_)));
        let has_row = inside.iter().any(|instruction| self.row_of_memory(*instruction).is_some());
        let size = inside.len() as u32;
        let wants = (has_loop || has_row)
            && size <= SMALL
            && self.whole_copies_size + size <= ALL_TOGETHER
            && self.masks_cost(&inside);
        if wants {
            self.whole_copies_size += size;
        }
        wants
    }

    /// Whether masks take a part of the instructions' time that is worth a copy without them: not beside what takes
    /// longer, but for rows of bytes and halves, which most processors mask lane by lane.
    fn masks_cost(&self, instructions: &[Value<'c>]) -> bool {
        let is_narrow = |instruction: &Value<'c>| {
            self.row_of_memory(*instruction).is_some_and(|ty| matches!(ty.bits(), 8 | 16))
        };
        !instructions.iter().any(|instruction| self.takes_long(*instruction))
            || instructions.iter().any(is_narrow)
    }

    /// All 32 lanes are seldom active where code is being made.
    pub(super) fn is_partial(&self) -> bool {
        self.partial_until != 0
    }

    /// Makes a node and all that it dominates for the case that `all` lanes come to it; the builder comes
    /// back to the other case.
    fn copy_for_whole_warps(
        &mut self,
        all: Value<'c>,
        top: usize,
        level: usize,
        node: usize,
    ) -> Result<(), Error> {
        let [whole, some] = ["whole", "some"].map(|name| self.block(name));
        self.b.cond_br(all, whole, some);
        self.b.position_at_end(whole);
        let saved = self.mask;
        let range = node + 1..self.levels.levels[level].subtree_end[node];
        let entries = self.open[top].entries.clone();
        for inside in range.clone() {
            self.open[top].entries[inside] = self.block(&self.node_name(level, inside));
        }
        self.mask = self.cx.i1().vector(LANES).all_ones();
        self.mask_not_empty = true;
        self.whole_copy = true;
        self.node_body(top, level, node)?;
        for inside in range.clone() {
            self.node(level, inside)?;
            self.open[top].pending[inside].clear();
        }
        self.whole_copy = false;
        self.partial_until = range.end;
        self.open[top].entries = entries;
        self.mask = saved;
        self.mask_not_empty = true;
        self.b.position_at_end(some);
        Ok(())
    }

    /// Whether an empty mask has to be kept out of a node and what it dominates.
    fn wants_guard(&self, level: usize, node: usize) -> bool {
        const WORTH_A_BRANCH: u32 = 24;
        let end = self.levels.levels[level].subtree_end[node];
        let partial = &self.divergence.facts[level].partial;
        let mut weight = 0;
        for inside in node..end {
            let (more, unsafe_when_empty) = self.node_weight(level, inside);
            weight += more;
            // What is under another partial node can have a guard of its own.
            let mut up = inside;
            while up > node && !partial[up] {
                up = self.levels.levels[level].dominator[up];
            }
            if weight >= WORTH_A_BRANCH || (unsafe_when_empty && up == node) {
                return true;
            }
        }
        false
    }

    fn node_weight(&self, level: usize, node: usize) -> (u32, bool) {
        match self.levels.levels[level].nodes[node] {
            Node::Loop(_) => (100, true),
            Node::Block(block) => {
                let mut weight = 0;
                let mut unsafe_when_empty = false;
                for instruction in self.cfg.blocks[block].instructions() {
                    let (more, not_empty) = self.instruction_weight(instruction);
                    weight += more;
                    unsafe_when_empty |= not_empty;
                }
                let parts =
                    self.splits.as_ref().is_some_and(|it| it.in_nodes(level, node..node + 1));
                (weight, unsafe_when_empty || parts)
            }
        }
    }

    fn basic_block(&mut self, node: usize, block: usize) -> Result<(), Error> {
        for phi in self.cfg.blocks[block].phis() {
            let slot = self.phi_slot(phi);
            let lanes = self.load_slot(&slot, phi.ty());
            self.values.insert(phi, lanes);
        }
        for instruction in self.cfg.blocks[block].instructions() {
            if instruction.opcode() != Opcode::LLVMPHI && !instruction.is_terminator() {
                self.instruction(instruction)?;
            }
        }
        let Some(terminator) = self.cfg.blocks[block].terminator() else {
            return Err(Error::Bug("a block without an end".to_owned()));
        };
        let top = self.open.len() - 1;
        let successors = edges(&self.cfg, Node::Block(block));
        match terminator.opcode() {
            Opcode::LLVMRet => {
                self.lanes_exit(block);
                if terminator.operand_count() > 0 {
                    self.store_result(terminator.operand(0));
                }
                let sink = self.open[top].entries.len() - 1;
                self.jump(top, node, &[sink]);
            }
            Opcode::LLVMUnreachable => {
                self.lanes_exit(block);
                let sink = self.open[top].entries.len() - 1;
                self.jump(top, node, &[sink]);
            }
            Opcode::LLVMBr => match terminator.condition() {
                Some(condition) if successors[0].to != successors[1].to => {
                    self.branch(top, node, condition, &successors)?;
                }
                _ => {
                    self.edge(successors[0], self.mask)?;
                    self.leave(top, node, successors[0].to);
                }
            },
            other => return Err(Error::Unsupported(format!("the terminator {other:?}"))),
        }
        Ok(())
    }

    fn store_result(&mut self, value: Value<'c>) {
        let lanes = self.get(value);
        if let Some(slot) = self.result_slot.clone() {
            let mask = self.result_stored.then_some(self.mask);
            self.store_slot(&slot, value.ty(), &lanes, mask);
            // A return in a loop runs many times, so only the first one outside of all loops stores plainly.
            self.result_stored = true;
        }
    }

    fn branch(
        &mut self,
        top: usize,
        node: usize,
        condition: Value<'c>,
        successors: &[Edge],
    ) -> Result<(), Error> {
        let lanes = self.get(condition);
        if let Lanes::Uniform(value) = lanes {
            let value = if self.mask_not_empty { value } else { self.b.freeze(value) };
            let blocks = [self.block("then"), self.block("else")];
            self.b.cond_br(value, blocks[0], blocks[1]);
            for (edge, block) in successors.iter().zip(blocks) {
                self.b.position_at_end(block);
                self.edge(*edge, self.mask)?;
                self.leave(top, node, edge.to);
            }
            return Ok(());
        }
        let condition = self.vector(&lanes);
        let yes = self.mask_and(self.mask, condition);
        let no = self.mask_and_not(self.mask, condition);
        let of = self.open[top].of;
        for (edge, mask, other) in [(successors[0], yes, no), (successors[1], no, yes)] {
            let leaves = of
                .filter(|_| of == self.whole_loop)
                .is_some_and(|number| !self.cfg.loops[number].contains[edge.to]);
            if !leaves {
                self.edge(edge, mask)?;
                continue;
            }
            // Where all lanes are about to stay, what those that leave take with them costs nothing.
            let [some, go_on] = ["leave", "stay"].map(|name| self.block(name));
            let all_stay =
                self.b.icmp(IntPredicate::LLVMIntEQ, self.bits(other), self.active_bits());
            self.b.cond_br(all_stay, go_on, some);
            self.b.position_at_end(some);
            self.edge(edge, mask)?;
            self.b.br(go_on);
            self.b.position_at_end(go_on);
        }
        let targets: Vec<_> =
            successors.iter().map(|edge| self.levels.target(&self.cfg, edge.to, of)).collect();
        self.jump(top, node, &targets);
        Ok(())
    }

    /// Gives the lanes of `mask` to the target of an edge: its mask and its phis.
    fn edge(&mut self, edge: Edge, mask: Value<'c>) -> Result<(), Error> {
        let source = self.cfg.loop_of[edge.from];
        let closed = self.open.iter().rposition(|open| {
            open.of.is_some_and(|number| {
                let closed = &self.cfg.loops[number];
                closed.header == edge.to && closed.contains[edge.from]
            })
        });
        if let Some(place) = closed {
            // From within an inner loop lanes may come here in several of its rounds.
            let at_once = place + 1 == self.open.len();
            if let Some(live) = self.open[place].live {
                let old = self.b.load(self.cx.i1().vector(LANES), live, 4);
                let both = self.b.or(old, mask);
                self.b.store(both, live, 4);
            }
            self.store_phis(edge, (!at_once).then_some(mask));
            return Ok(());
        }
        // The level that holds the target as a node; a loop is entered through its header.
        let enters =
            self.cfg.loop_of[edge.to].filter(|&number| self.cfg.loops[number].header == edge.to);
        let of = match enters {
            Some(number) => self.cfg.loops[number].parent,
            None => self.cfg.loop_of[edge.to],
        };
        let node = match enters {
            Some(number) => self.levels.loop_node[number],
            None => self.levels.block_node[edge.to],
        };
        let level = level_of(of);
        if self.divergence.facts[level].partial[node] {
            let slot = self.mask_slot(level, node);
            let old = self.b.load(self.cx.i1().vector(LANES), slot, 4);
            let both = self.b.or(old, mask);
            self.b.store(both, slot, 4);
        }
        let mut late = false;
        let mut inner = source;
        while inner != of {
            let Some(number) = inner else { break };
            late |= self.divergence.divergent_loop[number];
            inner = self.cfg.loops[number].parent;
        }
        let first = self.phis_stored.insert(edge.to);
        let blends = late || (self.divergence.facts[level].joins[node] && !first);
        self.store_phis(edge, blends.then_some(mask));
        Ok(())
    }

    fn store_phis(&mut self, edge: Edge, mask: Option<Value<'c>>) {
        let from = self.cfg.blocks[edge.from];
        // All values are read before any is stored, as phis ask for.
        let mut stores = Vec::new();
        for phi in self.cfg.blocks[edge.to].phis() {
            let Some((value, _)) = phi.incoming().into_iter().find(|(_, block)| *block == from)
            else {
                continue;
            };
            if !value.is_undef_or_poison() {
                stores.push((phi, self.get(value)));
            }
        }
        for (phi, lanes) in stores {
            let slot = self.phi_slot(phi);
            self.store_slot(&slot, phi.ty(), &lanes, mask);
        }
    }

    /// Goes on after a real branch of all lanes from `node` of an open level to the block `to`.
    fn leave(&mut self, top: usize, node: usize, to: usize) {
        let of = self.open[top].of;
        if let Some(number) = of {
            let outside = !self.cfg.loops[number].contains[to];
            if outside && !self.divergence.divergent_loop[number] {
                let node = self.levels.loop_node[number];
                return self.leave(top - 1, node, to);
            }
        }
        let target = self.levels.target(&self.cfg, to, of);
        self.jump(top, node, &[target]);
    }

    /// Jumps to the first of the targets and of what is pending, and makes the others pending there.
    pub(super) fn jump(&mut self, top: usize, node: usize, targets: &[usize]) {
        let open = &mut self.open[top];
        let mut all = open.pending[node].clone();
        all.extend(targets);
        let next = all.pop_first().unwrap_or(open.entries.len() - 1);
        open.pending[next].extend(all);
        let block = open.entries[next];
        self.b.br(block);
    }

    fn inner_loop(&mut self, level: usize, node: usize, inner: usize) -> Result<(), Error> {
        let top = self.open.len() - 1;
        let saved = (self.mask, self.mask_not_empty);
        let header = self.block("header");
        let mask_type = self.cx.i1().vector(LANES);
        let divergent = self.divergence.divergent_loop[inner];
        let slots = divergent.then(|| (self.stack(mask_type, 4), self.stack(mask_type, 4)));
        let parts = self.splits.as_ref().is_some_and(|it| it.in_loop(inner));
        let done = self.block("loop.done");
        if let Some((mask, live)) = slots {
            self.b.store(self.mask, mask, 4);
            if self.wants_whole_rounds(inner) {
                self.whole_rounds(inner, mask, live, header, done)?;
            } else {
                self.b.br(header);
            }
        } else {
            self.b.br(header);
        }
        self.b.position_at_end(header);
        if let Some((mask, live)) = slots {
            self.mask = self.b.load(mask_type, mask, 4);
            self.mask_not_empty = true;
            self.b.store(self.empty_mask(), live, 4);
        } else if parts {
            self.go_on_without_those_who_left();
        }
        let entered = self.mask;
        let sink = self.level(Some(inner), slots.map(|(_, live)| live))?;
        self.b.position_at_end(sink);
        if self.cfg.loops[inner].spins {
            self.waits = true;
            let waiting = match slots {
                Some((_, live)) => self.b.load(mask_type, live, 4),
                None if parts => self.still_here(entered),
                None => entered,
            };
            self.spin(waiting);
        }
        match slots {
            None => {
                self.b.br(header);
                // Uniform loops are left by branches of their own.
                done.delete();
            }
            Some((mask, live)) => {
                let mut left = self.b.load(mask_type, live, 4);
                if parts {
                    left = self.still_here(left);
                }
                self.b.store(left, mask, 4);
                let any = self.any(left);
                self.b.cond_br(any, header, done);
                self.b.position_at_end(done);
                (self.mask, self.mask_not_empty) = saved;
                let targets = self.levels.levels[level].successors[node].clone();
                self.jump(top, node, &targets);
            }
        }
        Ok(())
    }

    /// Small innermost loops are worth a second copy, unless there are many (code unrolled over loops runs
    /// each of them for a moment only) or masks cost nothing in them.
    fn wants_whole_rounds(&mut self, number: usize) -> bool {
        const SMALL: usize = 32;
        const ALL_TOGETHER: usize = 64;
        let this = &self.cfg.loops[number];
        let innermost = self.cfg.loops.iter().all(|other| other.parent != Some(number));
        let inside = self.instructions_of_loop(number);
        let wants = innermost
            && !self.is_partial()
            && !this.spins
            && self.splits.as_ref().is_none_or(|it| !it.in_loop(number))
            && inside.len() <= SMALL
            && self.whole_rounds_size + inside.len() <= ALL_TOGETHER
            && self.masks_cost(&inside);
        if wants {
            self.whole_rounds_size += inside.len();
        }
        wants
    }

    fn instructions_of_loop(&self, number: usize) -> Vec<Value<'c>> {
        let contains = &self.cfg.loops[number].contains;
        let blocks = self.cfg.blocks.iter().zip(contains).filter(|(_, contains)| **contains);
        blocks.flat_map(|(block, _)| block.instructions()).collect()
    }

    /// A copy of the loop for as long as all 32 lanes are in it, with a mask that is known. Its last round,
    /// in which some lanes leave, goes over to the loop at `header` or to `done`.
    fn whole_rounds(
        &mut self,
        inner: usize,
        mask: Value<'c>,
        live: Value<'c>,
        header: Block<'c>,
        done: Block<'c>,
    ) -> Result<(), Error> {
        let all = self.cx.i32().all_ones();
        let [whole, some] = ["whole", "some"].map(|name| self.block(name));
        let enters_whole = self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), all);
        self.b.cond_br(enters_whole, whole, header);
        self.b.position_at_end(whole);
        let saved = (self.mask, self.mask_not_empty);
        self.mask = self.cx.i1().vector(LANES).all_ones();
        self.mask_not_empty = true;
        self.b.store(self.empty_mask(), live, 4);
        let outer = self.whole_loop.replace(inner);
        let sink = self.level(Some(inner), Some(live))?;
        self.whole_loop = outer;
        self.b.position_at_end(sink);
        let left = self.b.load(self.cx.i1().vector(LANES), live, 4);
        let all_left = self.b.icmp(IntPredicate::LLVMIntEQ, self.bits(left), all);
        self.b.cond_br(all_left, whole, some);
        self.b.position_at_end(some);
        self.b.store(left, mask, 4);
        let any = self.any(left);
        self.b.cond_br(any, header, done);
        (self.mask, self.mask_not_empty) = saved;
        Ok(())
    }
}
