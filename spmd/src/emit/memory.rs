//! Loads, stores and fences, by the shape of their address.

use llvm_zluda::{AtomicOrdering, IntPredicate, Opcode, Type, Value};

use super::lanes::parts;
use super::masked_load::masked_load;
use super::row_reads::may_read;
use super::values::part;
use super::wide::is_wide;
use super::{Emitter, LANES, Lanes};
use crate::Error;

/// Half of the 32-bit addresses lie below.
pub(crate) const MIDDLE: u64 = 1 << 31;
/// Bytes from shared memory within which no 32-bit address wraps.
pub(crate) const FAR: i64 = 1 << 20;

impl<'c> Emitter<'_, 'c> {
    /// Makes a load. A uniform address is read once for all lanes.
    pub(super) fn load(&mut self, load: Value<'c>) -> Result<Lanes<'c>, Error> {
        if is_wide(load.ty()) {
            let lanes = self.load_wide(load)?;
            self.order(load, AtomicOrdering::LLVMAtomicOrderingAcquire);
            return Ok(lanes);
        }
        let address = self.get(load.operand(0));
        let ty = load.ty();
        let lanes = if let Lanes::Uniform(pointer) = address {
            let lane_type = self.lane_type(ty);
            let value = self.b.load(lane_type, pointer, load.alignment());
            if load.is_atomic() {
                value.set_ordering(load.ordering());
            }
            value.set_volatile(load.is_volatile());
            if load.operand(0).ty().address_space() == 4 {
                value.add_empty_metadata(self.cx, "invariant.load");
            }
            self.split(value, ty)
        } else if self.unit.options.in_step
            && matches!(address, Lanes::Vector(_))
            && parts(ty).is_none()
            && matches!(load.operand(0).ty().address_space(), 0 | 1)
        {
            self.load_together(&address, ty)?
        } else {
            self.load_parts(&address, ty, 0)?
        };
        self.order(load, AtomicOrdering::LLVMAtomicOrderingAcquire);
        Ok(lanes)
    }

    /// The value at one address, read once, if all active lanes have the same; else each lane's. A gather may read one place at
    /// several times, and lanes that keep step would part where another block stores there meanwhile.
    fn load_together(&mut self, address: &Lanes<'c>, ty: Type<'c>) -> Result<Lanes<'c>, Error> {
        let pointers = self.vector(address);
        let scalar = self.lane_type(ty);
        let first = self.first_active(pointers);
        let others = self.b.icmp(IntPredicate::LLVMIntNE, pointers, self.splat(first));
        let others = self.active_where(others);
        let zero = self.cx.i32().const_int(0);
        let mut same = self.b.icmp(IntPredicate::LLVMIntEQ, others, zero);
        if !self.mask_not_empty {
            same = self.b.and(same, self.any(self.mask));
        }
        let (one, some, done) = self.row_or_not(same);
        self.b.position_at_end(one);
        let value = self.b.load(scalar, first, self.module.align_of(scalar));
        // No pass may make two loads of it.
        value.set_volatile(true);
        let whole = self.splat(value);
        self.b.br(done);
        self.b.position_at_end(some);
        let of_some = self.load_parts(address, ty, 0)?;
        let of_some = self.vector(&of_some);
        let some = self.b.block();
        self.b.br(done);
        self.b.position_at_end(done);
        let result = self.b.phi(scalar.vector(LANES));
        result.add_incoming(&[(whole, one), (of_some, some)]);
        Ok(Lanes::Vector(result))
    }

    /// The parts of a scalar value.
    fn split(&self, value: Value<'c>, ty: Type<'c>) -> Lanes<'c> {
        match parts(ty) {
            None => Lanes::Uniform(value),
            Some(fields) => Lanes::Composite(
                fields
                    .into_iter()
                    .enumerate()
                    .map(|(index, field)| {
                        let part = if ty.is_vector() {
                            self.b.extract_element(value, self.cx.i32().const_int(index as u64))
                        } else {
                            self.b.extract_value(value, index as u32)
                        };
                        self.split(part, field)
                    })
                    .collect(),
            ),
        }
    }

    fn part_offset(&self, ty: Type<'c>, index: usize) -> u64 {
        if ty.is_struct() {
            self.module.offset_of(ty, index as u32)
        } else {
            self.module.size_of(ty.element()) * index as u64
        }
    }

    /// Loads a value, or part by part an aggregate, `offset` bytes behind each lane's address.
    pub(super) fn load_parts(
        &mut self,
        address: &Lanes<'c>,
        ty: Type<'c>,
        offset: u64,
    ) -> Result<Lanes<'c>, Error> {
        if let Some(fields) = parts(ty) {
            let mut loaded = Vec::new();
            for (index, field) in fields.into_iter().enumerate() {
                let at = offset + self.part_offset(ty, index);
                loaded.push(self.load_parts(address, field, at)?);
            }
            return Ok(Lanes::Composite(loaded));
        }
        let scalar = self.lane_type(ty);
        let size = self.module.size_of(scalar) as i64;
        if let Lanes::Strided { base, stride, .. } = address
            && *stride == size
        {
            let base = self.b.byte_offset(*base, self.cx.i64().const_int(offset));
            return self.load_row(base, scalar).map(Lanes::Vector);
        }
        if let Lanes::Halves { bases, stride, .. } = address
            && self.unit.options.masks_rows_of(size as u64)
        {
            let bases = bases.map(|base| self.b.byte_offset(base, self.cx.i64().const_int(offset)));
            if *stride == size {
                return Ok(Lanes::Vector(self.load_half_rows(bases, scalar)));
            }
            if *stride == 0 {
                return Ok(Lanes::Vector(self.load_of_halves(bases, address, scalar, offset)));
            }
        }
        Ok(Lanes::Vector(self.gather_at(address, offset, scalar)))
    }

    /// Two times 16 values that lie side by side.
    fn load_half_rows(&self, bases: [Value<'c>; 2], scalar: Type<'c>) -> Value<'c> {
        let vector = scalar.vector(LANES / 2);
        let mut halves = [vector.poison(); 2];
        for (half, base) in bases.into_iter().enumerate() {
            let mask = self.half_of(self.mask, half);
            halves[half] = masked_load(self.module, &self.b, base, mask, vector);
        }
        self.join_halves(halves)
    }

    /// One value for each half, where all lanes are active; otherwise a half may have no lane at all.
    fn load_of_halves(
        &mut self,
        bases: [Value<'c>; 2],
        address: &Lanes<'c>,
        scalar: Type<'c>,
        offset: u64,
    ) -> Value<'c> {
        if self.is_partial() {
            return self.gather_at(address, offset, scalar);
        }
        let (plain, slow, done) = self.whole_warp_or_not();
        self.b.position_at_end(plain);
        let align = self.module.align_of(scalar);
        let whole = self.join_halves(
            bases.map(|base| self.b.splat(self.b.load(scalar, base, align), LANES / 2)),
        );
        self.b.br(done);
        self.b.position_at_end(slow);
        let some = self.gather_at(address, offset, scalar);
        let slow = self.b.block();
        self.b.br(done);
        self.b.position_at_end(done);
        let result = self.b.phi(scalar.vector(LANES));
        result.add_incoming(&[(whole, plain), (some, slow)]);
        result
    }

    fn offset_pointers(&self, address: &Lanes<'c>, offset: u64) -> Value<'c> {
        let pointers = self.vector(address);
        if offset == 0 {
            return pointers;
        }
        self.b.byte_offset(pointers, self.splat(self.cx.i64().const_int(offset)))
    }

    /// 32 values that lie side by side. Where the processor masks none of their size, a row of which some lane is active, and
    /// which no page ends in, is loaded as a whole: what the other lanes get does not matter.
    fn load_row(&mut self, base: Value<'c>, scalar: Type<'c>) -> Result<Value<'c>, Error> {
        let vector = scalar.vector(LANES);
        let align = self.module.align_of(scalar);
        let size = self.module.size_of(scalar);
        if self.unit.options.masks_rows_of(size) {
            let (b, mask) = (&self.b, self.mask);
            return Ok(masked_load(self.module, b, base, mask, vector));
        }
        let all = (!self.is_partial()).then(|| self.all_active());
        // Without a lane the address may be poison.
        let bits = (!self.mask_not_empty).then(|| self.active_bits());
        let base = if bits.is_some() { self.b.freeze(base) } else { base };
        let readable = may_read(&self.b, base, size, bits);
        let reads = all.map_or(readable, |all| self.b.or(all, readable));
        let (plain, slow, done) = self.row_or_not(reads);
        self.b.position_at_end(plain);
        let whole = self.b.load(vector, base, align);
        self.b.br(done);
        self.b.position_at_end(slow);
        let some = self.gather_strided(base, size as i64, scalar);
        let slow = self.b.block();
        self.b.br(done);
        self.b.position_at_end(done);
        let result = self.b.phi(vector);
        result.add_incoming(&[(whole, plain), (some, slow)]);
        Ok(result)
    }

    /// Branches to the first block where all lanes are active, to the second otherwise.
    fn whole_warp_or_not(
        &self,
    ) -> (llvm_zluda::Block<'c>, llvm_zluda::Block<'c>, llvm_zluda::Block<'c>) {
        self.row_or_not(self.all_active())
    }

    fn all_active(&self) -> Value<'c> {
        self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), self.cx.i32().all_ones())
    }

    /// Branches to the first block where `row` holds, to the second otherwise.
    fn row_or_not(
        &self,
        row: Value<'c>,
    ) -> (llvm_zluda::Block<'c>, llvm_zluda::Block<'c>, llvm_zluda::Block<'c>) {
        let blocks = (self.block("whole"), self.block("some"), self.block("row.done"));
        self.b.cond_br(row, blocks.0, blocks.1);
        blocks
    }

    fn gather_at(&mut self, address: &Lanes<'c>, offset: u64, scalar: Type<'c>) -> Value<'c> {
        if let Lanes::Strided { base, stride, .. } = address {
            let base = self.b.byte_offset(*base, self.cx.i64().const_int(offset));
            return self.gather_strided(base, *stride, scalar);
        }
        let pointers = self.offset_pointers(address, offset);
        self.gather(pointers, scalar)
    }

    /// The values of active lanes at steps of some bytes.
    fn gather_strided(&mut self, base: Value<'c>, stride: i64, scalar: Type<'c>) -> Value<'c> {
        let size = self.module.size_of(scalar);
        if self.unit.options.gathers(size) {
            let pointers = self.strided_vector(base, stride);
            return self.gather(pointers, scalar);
        }
        let helper = crate::runtime_helpers::gather_strided(self.module, size as u32 * 8);
        let stride = self.cx.i64().const_int(stride as u64);
        let loaded = self.b.call(helper, &[base, stride, self.active_bits()]);
        self.of_integers(loaded, scalar)
    }

    /// Lanes of integers as a type of the same size.
    fn of_integers(&self, lanes: Value<'c>, scalar: Type<'c>) -> Value<'c> {
        let vector = scalar.vector(LANES);
        if scalar.is_pointer() {
            self.b.int_to_ptr(lanes, vector)
        } else {
            self.b.bitcast(lanes, vector)
        }
    }

    /// Lanes as integers of their size.
    fn integers_of(&self, lanes: Value<'c>, scalar: Type<'c>) -> Value<'c> {
        let integers = self.cx.int(self.module.size_of(scalar) as u32 * 8).vector(LANES);
        if scalar.is_pointer() {
            self.b.ptr_to_int(lanes, integers)
        } else {
            self.b.bitcast(lanes, integers)
        }
    }

    /// The values at the pointers of active lanes.
    pub(super) fn gather(&mut self, pointers: Value<'c>, scalar: Type<'c>) -> Value<'c> {
        let vector = scalar.vector(LANES);
        let size = self.module.size_of(scalar);
        if self.unit.options.gathers(size) {
            let pointers = self.with_narrow_indices(pointers);
            let arguments = [pointers, self.mask, vector.poison()];
            let gather = self.b.intrinsic(
                self.module,
                "llvm.masked.gather",
                &[vector, pointers.ty()],
                &arguments,
            );
            gather.set_argument_alignment(self.cx, 0, self.module.align_of(scalar));
            return gather;
        }
        let places = self.narrow_addresses(pointers).unwrap_or(pointers);
        let helper = crate::runtime_helpers::gather(self.module, size as u32 * 8, places.ty());
        let loaded = self.b.call(helper, &[places, self.active_bits()]);
        self.of_integers(loaded, scalar)
    }

    /// Pointers that were made of 32-bit addresses, written as signed offsets: so LLVM gathers and scatters with
    /// 32-bit indices, with half the instructions.
    fn with_narrow_indices(&self, pointers: Value<'c>) -> Value<'c> {
        let Some(addresses) = self.narrow_addresses(pointers) else { return pointers };
        let i64_type = self.cx.i64();
        let base = self.b.int_to_ptr(i64_type.const_int(MIDDLE), self.cx.ptr(0));
        let offsets = self.b.xor(addresses, self.splat(self.cx.i32().const_int(MIDDLE)));
        self.b.byte_offset(base, self.b.sext(offsets, i64_type.vector(LANES)))
    }

    /// Makes a store. Of lanes that store to a uniform address one wins.
    pub(super) fn store(&mut self, store: Value<'c>) -> Result<(), Error> {
        self.order(store, AtomicOrdering::LLVMAtomicOrderingRelease);
        if is_wide(store.operand(0).ty()) {
            return self.store_wide(store);
        }
        let value = self.get(store.operand(0));
        let address = self.get(store.operand(1));
        if let (Lanes::Uniform(pointer), Lanes::Uniform(value)) = (&address, &value) {
            let made = self.b.store(*value, *pointer, store.alignment());
            if store.is_atomic() {
                made.set_ordering(store.ordering());
            }
            made.set_volatile(store.is_volatile());
            return Ok(());
        }
        self.store_parts(&address, &value, store.operand(0).ty(), 0)?;
        if store.ordering() == AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent {
            self.b.fence(
                AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent,
                self.cx.sync_scope(""),
            );
        }
        Ok(())
    }

    /// Stores a value, or part by part an aggregate, `offset` bytes behind each lane's address.
    pub(super) fn store_parts(
        &mut self,
        address: &Lanes<'c>,
        value: &Lanes<'c>,
        ty: Type<'c>,
        offset: u64,
    ) -> Result<(), Error> {
        if let Some(fields) = parts(ty) {
            for (index, field) in fields.into_iter().enumerate() {
                let at = offset + self.part_offset(ty, index);
                self.store_parts(address, &part(value, index)?, field, at)?;
            }
            return Ok(());
        }
        let scalar = self.lane_type(ty);
        let align = self.module.align_of(scalar);
        let size = self.module.size_of(scalar);
        match address {
            Lanes::Uniform(pointer) => {
                // Lanes that store to one place: one of them wins, here the last.
                let value = match value {
                    Lanes::Uniform(value) => *value,
                    _ => self.last_active(self.vector(value)),
                };
                let pointer = self.b.byte_offset(*pointer, self.cx.i64().const_int(offset));
                self.b.store(value, pointer, align);
            }
            Lanes::Strided { base, stride, .. } => {
                let base = self.b.byte_offset(*base, self.cx.i64().const_int(offset));
                let vector = self.vector(value);
                if *stride == size as i64 {
                    self.store_row(vector, base, scalar);
                } else {
                    self.scatter_strided(vector, base, *stride, scalar);
                }
            }
            Lanes::Halves { bases, stride, .. }
                if *stride == size as i64 && self.unit.options.masks_rows_of(size) =>
            {
                let vector = self.vector(value);
                for (half, base) in bases.iter().enumerate() {
                    let base = self.b.byte_offset(*base, self.cx.i64().const_int(offset));
                    let part = self.half_of(vector, half);
                    let arguments = [part, base, self.half_of(self.mask, half)];
                    let overloads = [part.ty(), self.cx.ptr(0)];
                    let store =
                        self.b.intrinsic(self.module, "llvm.masked.store", &overloads, &arguments);
                    store.set_argument_alignment(self.cx, 1, align);
                }
            }
            _ => {
                let pointers = self.offset_pointers(address, offset);
                let vector = self.vector(value);
                self.scatter(vector, pointers, scalar);
            }
        }
        Ok(())
    }

    fn store_row(&mut self, vector: Value<'c>, base: Value<'c>, scalar: Type<'c>) {
        let align = self.module.align_of(scalar);
        if self.unit.options.masks_rows_of(self.module.size_of(scalar)) {
            let overloads = [vector.ty(), self.cx.ptr(0)];
            let store = self.b.intrinsic(
                self.module,
                "llvm.masked.store",
                &overloads,
                &[vector, base, self.mask],
            );
            store.set_argument_alignment(self.cx, 1, align);
            return;
        }
        if self.is_partial() {
            return self.scatter_strided(vector, base, self.module.size_of(scalar) as i64, scalar);
        }
        let (plain, slow, done) = self.whole_warp_or_not();
        self.b.position_at_end(plain);
        self.b.store(vector, base, align);
        self.b.br(done);
        self.b.position_at_end(slow);
        self.scatter_strided(vector, base, self.module.size_of(scalar) as i64, scalar);
        self.b.br(done);
        self.b.position_at_end(done);
    }

    fn scatter_strided(
        &mut self,
        vector: Value<'c>,
        base: Value<'c>,
        stride: i64,
        scalar: Type<'c>,
    ) {
        let size = self.module.size_of(scalar);
        if self.unit.options.scatters(size) {
            let pointers = self.strided_vector(base, stride);
            return self.scatter(vector, pointers, scalar);
        }
        let helper = crate::runtime_helpers::scatter_strided(self.module, size as u32 * 8);
        let stride = self.cx.i64().const_int(stride as u64);
        let vector = self.integers_of(vector, scalar);
        self.b.call(helper, &[vector, base, stride, self.active_bits()]);
    }

    fn scatter(&mut self, vector: Value<'c>, pointers: Value<'c>, scalar: Type<'c>) {
        let size = self.module.size_of(scalar);
        if self.unit.options.scatters(size) {
            let pointers = self.with_narrow_indices(pointers);
            let overloads = [vector.ty(), pointers.ty()];
            let arguments = [vector, pointers, self.mask];
            let scatter =
                self.b.intrinsic(self.module, "llvm.masked.scatter", &overloads, &arguments);
            scatter.set_argument_alignment(self.cx, 1, self.module.align_of(scalar));
            return;
        }
        let vector = self.integers_of(vector, scalar);
        // Shared memory has 32-bit addresses, which take half the registers.
        let places = self.narrow_addresses(pointers).unwrap_or(pointers);
        let helper = crate::runtime_helpers::scatter(self.module, size as u32 * 8, places.ty());
        self.b.call(helper, &[vector, places, self.active_bits()]);
    }

    /// The value of the highest active lane.
    pub(super) fn last_active(&self, vector: Value<'c>) -> Value<'c> {
        let i32_type = self.cx.i32();
        let arguments = [self.active_bits(), self.cx.i1().const_int(0)];
        let zeros = self.b.intrinsic(self.module, "llvm.ctlz", &[i32_type], &arguments);
        let lane = self.b.and(self.b.sub(i32_type.const_int(31), zeros), i32_type.const_int(31));
        self.b.extract_element(vector, lane)
    }

    /// The value of the lowest active lane.
    pub(super) fn first_active(&self, vector: Value<'c>) -> Value<'c> {
        let i32_type = self.cx.i32();
        let arguments = [self.active_bits(), self.cx.i1().const_int(0)];
        let lane = self.b.intrinsic(self.module, "llvm.cttz", &[i32_type], &arguments);
        let lane = self.b.and(lane, i32_type.const_int(31));
        self.b.extract_element(vector, lane)
    }

    /// Keeps the compiler from moving accesses across an ordered one; the hardware orders them itself.
    fn order(&self, access: Value<'c>, side: AtomicOrdering) {
        use AtomicOrdering::*;
        if !access.is_atomic() {
            return;
        }
        if !matches!(access.ordering(), LLVMAtomicOrderingUnordered | LLVMAtomicOrderingMonotonic) {
            self.b.fence(side, self.cx.sync_scope("singlethread"));
        }
    }

    /// Makes a fence. One of the block's scope only holds the compiler back.
    pub(super) fn fence(&mut self, fence: Value<'c>) -> Result<(), Error> {
        // A block's warps share one processor, so that a fence of a block only holds the compiler back.
        let workgroup = fence.sync_scope() == self.cx.sync_scope("workgroup");
        let scope = if workgroup { "singlethread" } else { "" };
        self.b.fence(fence.ordering(), self.cx.sync_scope(scope));
        Ok(())
    }

    /// The 32-bit addresses that pointers were made of. LLVM makes those of smaller numbers, as bytes are, as 64 bits of which it
    /// keeps the low half.
    pub(super) fn narrow_addresses(&self, pointers: Value<'c>) -> Option<Value<'c>> {
        let made_by = |value: Value<'c>, opcode| value.is_instruction() && value.opcode() == opcode;
        if !made_by(pointers, Opcode::LLVMIntToPtr) {
            return None;
        }
        let wide = pointers.operand(0);
        let is_low_half = |mask: Value<'c>| {
            let mask = mask.repeated_element().and_then(Value::as_const_int);
            mask == Some(u32::MAX.into())
        };
        if made_by(wide, Opcode::LLVMAnd) && is_low_half(wide.operand(1)) {
            return Some(self.b.trunc(wide.operand(0), self.cx.i32().vector(LANES)));
        }
        let narrow = made_by(wide, Opcode::LLVMZExt).then(|| wide.operand(0))?;
        (narrow.ty().element().bits() == 32).then_some(narrow)
    }
}
