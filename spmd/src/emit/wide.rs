//! Loads and stores of per-thread vectors, and of 128 bits: one access a lane.
//!
//! An NVIDIA GPU makes one transaction of an aligned access of up to 16 bytes, and programs rely on it: none may see a
//! half of what another thread stores. Up to 8 bytes are one number, of which the elements are parts. With 16 bytes or
//! more the lanes are rows of memory, which are loaded and stored as they are, and transposed in registers; where only
//! some lanes are active, or where they are not side by side, rows go by the stack one after the other.
//!
//! Aligned accesses of 16 bytes are whole on all processors with AVX, as Intel and AMD say of the instructions that ask
//! for alignment, which are those for volatile and ordered accesses. Plain ones read and write the same 16 bytes at
//! once by instructions that take any address. Those of 32 bytes are whole as far as the processor makes them so.

use llvm_zluda::{IntPredicate, Type, Value};

use super::memory::narrow_addresses;
use super::values::part;
use super::{Emitter, LANES, Lanes};
use crate::Error;
use crate::runtime_helpers::{Places, RowCopy, copy_rows};

/// Bytes of the widest number that an access of all lanes has.
const WIDEST_NUMBER: u64 = 8;
/// Bytes of a row, or of a half of it.
const BLOCK: u64 = 16;

/// The type that one lane accesses.
#[derive(Clone, Copy)]
struct Form<'c> {
    element: Type<'c>,
    elements: usize,
    is_vector: bool,
    /// Bytes.
    size: u64,
}

impl<'c> Form<'c> {
    fn of_parts(&self, mut parts: Vec<Lanes<'c>>) -> Lanes<'c> {
        if self.is_vector { Lanes::Composite(parts) } else { parts.swap_remove(0) }
    }

    /// Elements in 16 bytes.
    fn in_block(&self) -> usize {
        self.elements / self.blocks()
    }

    fn blocks(&self) -> usize {
        (self.size / BLOCK) as usize
    }
}

/// Whether an access of this type is made here.
pub(super) fn is_wide(ty: Type<'_>) -> bool {
    ty.is_vector() || ty.bits() == 128
}

impl<'c> Emitter<'_, 'c> {
    fn form(&self, ty: Type<'c>) -> Form<'c> {
        let size = self.module.store_size_of(ty);
        let (element, elements) =
            if ty.is_vector() { (ty.element(), ty.len() as usize) } else { (ty, 1) };
        Form { element, elements, is_vector: ty.is_vector(), size }
    }

    /// Makes a load of a type that [`is_wide`] accepts.
    pub(super) fn load_wide(&mut self, load: Value<'c>) -> Result<Lanes<'c>, Error> {
        let form = self.form(load.ty());
        let ordered = load.is_volatile() || load.is_atomic();
        let address = self.get(load.operand(0));
        if let Lanes::Uniform(pointer) = address {
            let ty = self.scalar_of(form);
            let constant = load.operand(0).ty().address_space() == 4;
            let align = if ordered { form.size as u32 } else { self.element_align(form) };
            let value = self.b.load(ty, pointer, align);
            value.set_volatile(ordered || (form.size > WIDEST_NUMBER && !constant));
            if constant {
                value.add_empty_metadata(self.cx, "invariant.load");
            }
            return Ok(self.elements_of_scalar(value, form));
        }
        if form.size <= WIDEST_NUMBER {
            let number = self.load_parts(&address, self.cx.int(8 * form.size as u32), 0)?;
            let numbers = self.vector(&number);
            return Ok(form.of_parts(self.elements_of_numbers(numbers, form)));
        }
        let stack = self.rows(form);
        let Some(base) = self.rows_in_place(&address, form, ordered) else {
            self.copy_rows(&address, stack, form, RowCopy { loads: true, ordered });
            return Ok(form.of_parts(self.load_rows(stack, form, false)));
        };
        let all =
            self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), self.cx.i32().all_ones());
        let before = self.b.block();
        let [some, ready] = ["some", "rows"].map(|name| self.block(name));
        self.b.cond_br(all, ready, some);
        self.b.position_at_end(some);
        self.copy_rows(&address, stack, form, RowCopy { loads: true, ordered });
        self.b.br(ready);
        self.b.position_at_end(ready);
        let from = self.b.phi(self.cx.ptr(0));
        from.add_incoming(&[(base, before), (stack, some)]);
        Ok(form.of_parts(self.load_rows(from, form, true)))
    }

    /// Makes a store of a type that [`is_wide`] accepts.
    pub(super) fn store_wide(&mut self, store: Value<'c>) -> Result<(), Error> {
        let form = self.form(store.operand(0).ty());
        let ordered = store.is_volatile() || store.is_atomic();
        let value = self.get(store.operand(0));
        let mut elements = Vec::new();
        for index in 0..form.elements {
            elements.push(if form.is_vector { part(&value, index)? } else { value.clone() });
        }
        let address = self.get(store.operand(1));
        if let Lanes::Uniform(pointer) = address {
            let scalar = self.scalar_of_elements(&elements, form);
            let align = if ordered { form.size as u32 } else { self.element_align(form) };
            let made = self.b.store(scalar, pointer, align);
            made.set_volatile(ordered || form.size > WIDEST_NUMBER);
            return Ok(());
        }
        let vectors: Vec<_> = elements.iter().map(|element| self.vector(element)).collect();
        if form.size <= WIDEST_NUMBER {
            let number = Lanes::Vector(self.numbers_of_elements(&vectors, form));
            return self.store_parts(&address, &number, self.cx.int(8 * form.size as u32), 0);
        }
        let stack = self.rows(form);
        let Some(base) = self.rows_in_place(&address, form, ordered) else {
            self.store_rows(&vectors, stack, form, false);
            self.copy_rows(&address, stack, form, RowCopy { loads: false, ordered });
            return Ok(());
        };
        let all =
            self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), self.cx.i32().all_ones());
        let to = self.b.select(all, base, stack);
        self.store_rows(&vectors, to, form, true);
        let [some, done] = ["some", "rows.done"].map(|name| self.block(name));
        self.b.cond_br(all, done, some);
        self.b.position_at_end(some);
        self.copy_rows(&address, stack, form, RowCopy { loads: false, ordered });
        self.b.br(done);
        self.b.position_at_end(done);
        Ok(())
    }

    fn element_align(&self, form: Form<'c>) -> u32 {
        self.module.store_size_of(form.element) as u32
    }

    /// The type by which a scalar access is one instruction.
    fn scalar_of(&self, form: Form<'c>) -> Type<'c> {
        if form.size <= WIDEST_NUMBER {
            self.cx.int(8 * form.size as u32)
        } else {
            self.cx.i64().vector(form.size as u32 / 8)
        }
    }

    fn elements_of_scalar(&self, scalar: Value<'c>, form: Form<'c>) -> Lanes<'c> {
        if !form.is_vector {
            return Lanes::Uniform(self.b.bitcast(scalar, form.element));
        }
        let vector = self.b.bitcast(scalar, form.element.vector(form.elements as u32));
        let element = |index| {
            let index = self.cx.i32().const_int(index);
            Lanes::Uniform(self.b.extract_element(vector, index))
        };
        Lanes::Composite((0..form.elements as u64).map(element).collect())
    }

    /// The value that a store to a uniform address leaves. Of lanes that store different values one wins, here the
    /// last.
    fn scalar_of_elements(&self, elements: &[Lanes<'c>], form: Form<'c>) -> Value<'c> {
        let element = |lanes: &Lanes<'c>| match lanes {
            Lanes::Uniform(value) => *value,
            _ => self.last_active(self.vector(lanes)),
        };
        let whole = if form.is_vector {
            let start = form.element.vector(form.elements as u32).poison();
            elements.iter().zip(0..).fold(start, |vector, (lanes, index)| {
                self.b.insert_element(vector, element(lanes), self.cx.i32().const_int(index))
            })
        } else {
            element(&elements[0])
        };
        self.b.bitcast(whole, self.scalar_of(form))
    }

    /// The parts of 32 numbers.
    fn elements_of_numbers(&self, numbers: Value<'c>, form: Form<'c>) -> Vec<Lanes<'c>> {
        let (b, bits) = (&self.b, form.element.bits());
        let integers = self.cx.int(bits).vector(LANES);
        let count = form.elements as u32;
        let element = |index: u32| {
            let part = if bits >= 32 {
                let all = b.bitcast(numbers, self.cx.int(bits).vector(LANES * count));
                let mask: Vec<_> = (0..LANES).map(|lane| (lane * count + index) as i32).collect();
                b.shuffle(all, all, &mask)
            } else {
                let by = numbers.ty().element().const_int((index * bits).into());
                b.trunc(b.lshr(numbers, self.splat(by)), integers)
            };
            Lanes::Vector(b.bitcast(part, form.element.vector(LANES)))
        };
        (0..count).map(element).collect()
    }

    fn numbers_of_elements(&self, elements: &[Value<'c>], form: Form<'c>) -> Value<'c> {
        let (b, bits) = (&self.b, form.element.bits());
        let numbers = self.cx.int(8 * form.size as u32).vector(LANES);
        let integers = self.cx.int(bits).vector(LANES);
        if let (32, &[low, high]) = (bits, elements) {
            let [low, high] = [low, high].map(|element| b.bitcast(element, integers));
            return self.joined_words(low, high);
        }
        let place = |(element, index): (&Value<'c>, u64)| {
            let wide = b.zext(b.bitcast(*element, integers), numbers);
            let by = numbers.element().const_int(index * u64::from(bits));
            b.shl(wide, self.splat(by))
        };
        let parts = elements.iter().zip(0..).map(place);
        parts.reduce(|all, part| b.or(all, part)).unwrap_or_else(|| numbers.zero())
    }

    /// Numbers of 64 bits, of their halves.
    pub(super) fn joined_words(&self, low: Value<'c>, high: Value<'c>) -> Value<'c> {
        let mask: Vec<_> = (0..LANES as i32).flat_map(|lane| [lane, lane + LANES as i32]).collect();
        let pairs = self.b.shuffle(low, high, &mask);
        self.b.bitcast(pairs, self.cx.i64().vector(LANES))
    }

    /// Memory for a row of each lane. Nothing stays in it.
    fn rows(&mut self, form: Form<'c>) -> Value<'c> {
        const NUMBER: usize = usize::MAX - 1;
        self.lane_place(NUMBER, self.cx.i8().array(form.size * u64::from(LANES)))
    }

    /// The address of rows that lie side by side and can be accessed as they are.
    fn rows_in_place(
        &self,
        address: &Lanes<'c>,
        form: Form<'c>,
        ordered: bool,
    ) -> Option<Value<'c>> {
        let transposes = form.size == BLOCK && form.elements > 1;
        match address {
            Lanes::Strided { base, stride, .. }
                if *stride == BLOCK as i64 && transposes && !ordered && !self.is_partial() =>
            {
                Some(*base)
            }
            _ => None,
        }
    }

    /// Copies the rows of active lanes to the stack, or from there.
    fn copy_rows(&self, address: &Lanes<'c>, stack: Value<'c>, form: Form<'c>, copy: RowCopy) {
        let mut arguments = Vec::new();
        let places = if let Lanes::Strided { base, stride, .. } = address {
            arguments.extend([*base, self.cx.i64().const_int(*stride as u64)]);
            Places::Strided
        } else {
            let pointers = self.vector(address);
            // Shared memory has 32-bit addresses, which take half the registers.
            let places = narrow_addresses(pointers).unwrap_or(pointers);
            arguments.push(places);
            Places::Vector(places.ty())
        };
        arguments.extend([stack, self.active_bits()]);
        let function = copy_rows(self.module, form.size, places, copy);
        self.b.call(function, &arguments);
    }

    /// Blocks in the registers by which rows are transposed.
    fn register_blocks(&self) -> usize {
        if self.unit.options.avx512() { 4 } else { 2 }
    }

    /// The elements of all lanes, of rows that lie side by side.
    fn load_rows(&self, from: Value<'c>, form: Form<'c>, in_place: bool) -> Vec<Lanes<'c>> {
        let b = &self.b;
        let count = form.in_block();
        if count == 1 {
            let blocks = form.blocks() as u32;
            let all = b.load(form.element.vector(LANES * blocks), from, BLOCK as u32);
            let lanes = |block: u32| {
                let mask: Vec<_> = (0..LANES).map(|lane| (lane * blocks + block) as i32).collect();
                Lanes::Vector(b.shuffle(all, all, &mask))
            };
            return (0..blocks).map(lanes).collect();
        }
        let block = form.element.vector(count as u32);
        let align = if in_place { self.element_align(form) } else { BLOCK as u32 };
        let load = |lane: usize, offset: u64| {
            let place = self.place(from, lane as u64 * form.size + offset);
            let load = b.load(block, place, align);
            load.set_volatile(in_place);
            load
        };
        let registers = self.register_blocks();
        let mut elements = Vec::new();
        for offset in (0..form.size).step_by(BLOCK as usize) {
            let mut groups = vec![Vec::new(); count];
            for first in (0..LANES as usize).step_by(registers * count) {
                let row = |k: usize| {
                    let lanes = (0..registers).map(|j| first + j * count + k);
                    self.concatenated(lanes.map(|lane| load(lane, offset)).collect())
                };
                let rows = (0..count).map(row).collect();
                for (group, part) in groups.iter_mut().zip(self.transposed(rows, count)) {
                    group.push(part);
                }
            }
            elements
                .extend(groups.into_iter().map(|group| Lanes::Vector(self.concatenated(group))));
        }
        elements
    }

    /// Stores the elements of all lanes as rows that lie side by side.
    fn store_rows(&self, elements: &[Value<'c>], to: Value<'c>, form: Form<'c>, in_place: bool) {
        let b = &self.b;
        let count = form.in_block();
        let align = if in_place { self.element_align(form) } else { BLOCK as u32 };
        let registers = self.register_blocks();
        let block_type = form.element.vector(count as u32);
        for (number, parts) in elements.chunks(count).enumerate() {
            let offset = number as u64 * BLOCK;
            for first in (0..LANES as usize).step_by(registers * count) {
                let of_group = |part: &Value<'c>| self.slice(*part, first, registers * count);
                let rows = self.transposed(parts.iter().map(of_group).collect(), count);
                if form.size == BLOCK && count > 1 {
                    for (number, row) in self.in_order(rows, count).into_iter().enumerate() {
                        let lane = first + number * registers;
                        let place = self.place(to, lane as u64 * form.size);
                        b.store(row, place, align).set_volatile(in_place);
                    }
                    continue;
                }
                for (k, row) in rows.into_iter().enumerate() {
                    for j in 0..registers {
                        let lane = first + j * count + k;
                        let place = self.place(to, lane as u64 * form.size + offset);
                        let block = self.slice(row, j * count, count);
                        debug_assert_eq!(block.ty(), block_type);
                        b.store(block, place, align);
                    }
                }
            }
        }
    }

    fn place(&self, base: Value<'c>, offset: u64) -> Value<'c> {
        self.b.byte_offset(base, self.cx.i64().const_int(offset))
    }

    fn slice(&self, vector: Value<'c>, first: usize, length: usize) -> Value<'c> {
        let mask: Vec<_> = (first as i32..(first + length) as i32).collect();
        self.b.shuffle(vector, vector, &mask)
    }

    /// Vectors of one type behind each other; as many as a power of two.
    fn concatenated(&self, mut pieces: Vec<Value<'c>>) -> Value<'c> {
        while pieces.len() > 1 {
            let length = 2 * pieces[0].ty().len() as i32;
            let mask: Vec<_> = (0..length).collect();
            pieces = pieces.chunks(2).map(|pair| self.b.shuffle(pair[0], pair[1], &mask)).collect();
        }
        pieces.swap_remove(0)
    }

    /// Transposes `count` registers whose blocks have as many elements, each block with those in the same place: element
    /// `i` of register `k` and element `k` of register `i` change places.
    fn transposed(&self, mut registers: Vec<Value<'c>>, count: usize) -> Vec<Value<'c>> {
        let half = count / 2;
        for _ in 0..count.ilog2() {
            let (low, high) = registers.split_at(half);
            let pairs = low.iter().zip(high);
            registers = pairs
                .flat_map(|(a, b)| [0, half].map(|from| self.interleaved(*a, *b, count, from)))
                .collect();
        }
        registers
    }

    /// Elements of two registers by turns: in each block of `count` elements, half of it, `from` an element on.
    fn interleaved(&self, a: Value<'c>, b: Value<'c>, count: usize, from: usize) -> Value<'c> {
        let length = a.ty().len() as usize;
        let mask: Vec<_> = (0..length)
            .map(|place| {
                let (block, within) = (place / count, place % count);
                (block * count + from + within / 2 + within % 2 * length) as i32
            })
            .collect();
        self.b.shuffle(a, b, &mask)
    }

    /// The blocks of transposed registers in the order of lanes: block `j` of register `k` is that of lane
    /// `j * count + k`.
    fn in_order(&self, mut registers: Vec<Value<'c>>, count: usize) -> Vec<Value<'c>> {
        let blocks = self.register_blocks();
        let take = |pair: &[Value<'c>], odd: usize| {
            let mask: Vec<_> = (0..blocks * count)
                .map(|place| ((2 * (place / count) + odd) * count + place % count) as i32)
                .collect();
            self.b.shuffle(pair[0], pair[1], &mask)
        };
        for _ in 0..blocks.ilog2() {
            let pairs = || registers.chunks(2);
            registers = pairs()
                .map(|pair| take(pair, 0))
                .chain(pairs().map(|pair| take(pair, 1)))
                .collect();
        }
        registers
    }
}
