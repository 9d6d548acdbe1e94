//! One check for loads that are looked at one after the other: the neighbours of a cell of a plane without ends are six of
//! them.

use llvm_zluda::{Builder, Module, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Access, DEEPEST, Saw, made_again, split_before};
use crate::passes::effects::may_write;
use crate::passes::narrow_addresses::{erase_unused, is_address_arithmetic};

/// Loads for all lanes with [`Saw`]s as indices, of one block, that nothing writes between.
struct Loads<'c> {
    loads: Vec<(Access<'c>, Saw<'c>)>,
    /// What stands behind the first one, and that one.
    behind: FxHashSet<Value<'c>>,
}

/// Looks at loads together: where all are rows they are read as such. Elsewhere each remains to be looked at.
pub(super) fn put_together<'c>(module: &Module<'c>, b: &Builder<'c>, calls: &[Value<'c>]) {
    let mut rest = calls;
    while let Some((&first, others)) = rest.split_first() {
        rest = others;
        let Some(mut group) = Loads::from(module, b, first) else { continue };
        while let Some((&next, others)) = rest.split_first()
            && group.add(module, b, next)
        {
            rest = others;
        }
        if group.loads.len() > 1 {
            group.check(module);
        }
    }
}

impl<'c> Loads<'c> {
    fn from(module: &Module<'c>, b: &Builder<'c>, first: Value<'c>) -> Option<Self> {
        let mut this = Self { loads: Vec::new(), behind: FxHashSet::default() };
        let behind = first.parent().instructions().into_iter().skip_while(|&it| it != first);
        this.behind.extend(behind);
        this.add(module, b, first).then_some(this)
    }

    /// Adds the call that is looked at next, if it can be made where the first one stands.
    fn add(&mut self, module: &Module<'c>, b: &Builder<'c>, call: Value<'c>) -> bool {
        let Some(access) = Access::of(module, call).filter(|it| it.is_whole_row()) else {
            return false;
        };
        let Some(saw) = Saw::of(b, access.indices) else { return false };
        let places = call.operand(access.argument);
        if !self.behind.contains(&call) || self.writes_before(call) || !self.can_be_made(places, 0)
        {
            return false;
        }
        self.loads.push((access, saw));
        true
    }

    /// Something between the first load and this one may write memory.
    fn writes_before(&self, call: Value<'c>) -> bool {
        let Some((first, _)) = self.loads.first() else { return false };
        let behind = std::iter::successors(Some(first.call), |it| it.next_instruction());
        let is_load = |it: Value<'c>| self.loads.iter().any(|(load, _)| load.call == it);
        behind.take_while(|&it| it != call).any(|it| !is_load(it) && may_write(it))
    }

    /// Whether a value is at hand where the first load stands, or is made by arithmetic of what is.
    fn can_be_made(&self, value: Value<'c>, depth: u32) -> bool {
        if !self.behind.contains(&value) {
            return true;
        }
        depth < DEEPEST
            && is_address_arithmetic(value.opcode())
            && value.operands().into_iter().all(|operand| self.can_be_made(operand, depth + 1))
    }

    /// Moves the scalars that a value is made of before the first load.
    fn move_scalars(&mut self, b: &Builder<'c>, value: Value<'c>) {
        if !self.behind.contains(&value) {
            return;
        }
        for operand in value.operands() {
            self.move_scalars(b, operand);
        }
        if !value.ty().is_vector() {
            self.behind.remove(&value);
            value.detach();
            b.insert(value);
        }
    }

    fn check(&mut self, module: &Module<'c>) {
        let Some(first) = self.loads.first().map(|(first, _)| first.call) else { return };
        let b = module.context().builder();
        b.position_before(first);
        let places = self.loads.iter().map(|(it, _)| it.call.operand(it.argument));
        for places in places.collect::<Vec<_>>() {
            self.move_scalars(&b, places);
        }
        let function = first.parent().function();
        let (before, done) = split_before(module, first);
        let [rows, apart] = ["rows", "apart"].map(|name| module.append_block(function, name));
        b.position_at_end(before);
        let teeth = self.loads.iter().map(|(access, saw)| (access, saw, saw.tooth(&b)));
        let teeth: Vec<_> = teeth.collect();
        let mut known = FxHashSet::default();
        let mut checks = Vec::new();
        for (access, saw, tooth) in &teeth {
            if known.insert((saw.x, saw.start, saw.mask)) {
                checks.push(tooth.fits(&b));
            }
            if saw.carries {
                checks.push(access.grows(&b, tooth.first));
            }
        }
        let are_rows = checks.into_iter().reduce(|all, one| b.and(all, one));
        b.cond_br(are_rows.unwrap_or_else(|| module.context().i1().zero()), rows, apart);

        b.position_at_end(rows);
        let loaded: Vec<_> = teeth
            .iter()
            .map(|(access, _, tooth)| {
                let place = access.place(&b, access.longer(&b, tooth.first));
                b.load(access.call.ty(), place, module.align_of(access.element))
            })
            .collect();
        b.br(done);

        b.position_at_end(apart);
        let mut known = FxHashMap::default();
        for (access, _) in &self.loads {
            let places = access.call.operand(access.argument);
            let again = made_again(&b, places, 0, &mut known);
            access.call.set_operand(access.argument, again);
            access.call.detach();
            b.insert(access.call);
            erase_unused(places);
        }
        b.br(done);

        b.position_at_start(done);
        for ((access, _), row) in self.loads.iter().zip(loaded) {
            let value = b.phi(access.call.ty());
            access.call.replace_all_uses_with(value);
            value.add_incoming(&[(row, rows), (access.call, apart)]);
        }
    }
}

impl<'c> Access<'c> {
    /// A load for all lanes whose indices count elements.
    fn is_whole_row(&self) -> bool {
        self.is_whole() && self.stored.is_none() && self.size == self.unit
    }
}
