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

/// Rows that a warp accesses as they are, by the address of lane 0, or by those of lanes 0 and 16.
#[derive(Clone, Copy)]
enum RowsInPlace<'c> {
    /// Each half of the warp has rows side by side.
    Apart([Value<'c>; 2]),
    /// As above, and both halves have the same ones.
    Twice(Value<'c>),
    /// One row for all lanes of a half.
    OneEach([Value<'c>; 2]),
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
        let Some(rows) = self.rows_in_place(&address, form, ordered) else {
            self.copy_rows(&address, stack, form, RowCopy { loads: true, ordered });
            let stack = self.adjacent(stack, form);
            return Ok(form.of_parts(self.load_rows(stack, form, false)));
        };
        let all =
            self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), self.cx.i32().all_ones());
        let [some, ready] = ["some", "rows"].map(|name| self.block(name));
        let RowsInPlace::Apart(bases) = rows else {
            let whole = self.block("whole");
            self.b.cond_br(all, whole, some);
            self.b.position_at_end(whole);
            // Blocks of a cluster write to each other's shared memory.
            let clusters = self.module.function("zluda.cpu.cluster_shared");
            let own = load.operand(0).ty().address_space() == 3
                && !clusters.is_some_and(|function| function.has_uses());
            let of_all = self.load_repeated(rows, form, own);
            let whole = self.b.block();
            self.b.br(ready);
            self.b.position_at_end(some);
            self.copy_rows(&address, stack, form, RowCopy { loads: true, ordered });
            let of_some = self.load_rows(self.adjacent(stack, form), form, false);
            self.b.br(ready);
            self.b.position_at_end(ready);
            let either = |(whole_value, some_value): (Value<'c>, Lanes<'c>)| {
                let value = self.b.phi(whole_value.ty());
                value.add_incoming(&[(whole_value, whole), (self.vector(&some_value), some)]);
                Lanes::Vector(value)
            };
            return Ok(form.of_parts(of_all.into_iter().zip(of_some).map(either).collect()));
        };
        let before = self.b.block();
        self.b.cond_br(all, ready, some);
        self.b.position_at_end(some);
        self.copy_rows(&address, stack, form, RowCopy { loads: true, ordered });
        let stacks = self.adjacent(stack, form);
        self.b.br(ready);
        self.b.position_at_end(ready);
        let mut from = bases;
        for (place, stack) in from.iter_mut().zip(stacks) {
            let base = *place;
            *place = self.b.phi(self.cx.ptr(0));
            place.add_incoming(&[(base, before), (stack, some)]);
        }
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
        let stacks = self.adjacent(stack, form);
        let bases = match self.rows_in_place(&address, form, ordered) {
            Some(RowsInPlace::Apart(bases)) => bases,
            // Half a warp and the other one store to the same places.
            Some(RowsInPlace::Twice(base)) => [base; 2],
            Some(RowsInPlace::OneEach(_)) | None => {
                self.store_rows(&vectors, stacks, form, false);
                self.copy_rows(&address, stack, form, RowCopy { loads: false, ordered });
                return Ok(());
            }
        };
        let all =
            self.b.icmp(IntPredicate::LLVMIntEQ, self.active_bits(), self.cx.i32().all_ones());
        let mut to = bases;
        for (place, stack) in to.iter_mut().zip(stacks) {
            *place = self.b.select(all, *place, stack);
        }
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

    /// Rows that can be accessed as they are.
    fn rows_in_place(
        &self,
        address: &Lanes<'c>,
        form: Form<'c>,
        ordered: bool,
    ) -> Option<RowsInPlace<'c>> {
        let transposes = form.size == BLOCK && form.elements > 1;
        if !transposes || ordered || self.is_partial() {
            return None;
        }
        match address {
            Lanes::Strided { base, stride, .. } if *stride == BLOCK as i64 => {
                Some(RowsInPlace::Apart(self.adjacent(*base, form)))
            }
            Lanes::Halves { bases: [low, high], stride, .. } if *stride == BLOCK as i64 => {
                Some(if low == high {
                    RowsInPlace::Twice(*low)
                } else {
                    RowsInPlace::Apart([*low, *high])
                })
            }
            Lanes::Halves { bases, stride: 0, .. } => Some(RowsInPlace::OneEach(*bases)),
            _ => None,
        }
    }

    /// The addresses of lanes 0 and 16, of rows that all lie side by side.
    fn adjacent(&self, base: Value<'c>, form: Form<'c>) -> [Value<'c>; 2] {
        [base, self.place(base, form.size * u64::from(LANES / 2))]
    }

    /// The elements of all lanes, where several lanes have a row; `own` is memory that no other thread of the processor
    /// writes, whose rows need not be read at once.
    fn load_repeated(&self, rows: RowsInPlace<'c>, form: Form<'c>, own: bool) -> Vec<Value<'c>> {
        let both_halves = || {
            let mask = (0..LANES).map(|lane| (lane % (LANES / 2)) as i32);
            mask.collect::<Vec<_>>()
        };
        let bases = match rows {
            RowsInPlace::Apart(_) => return Vec::new(),
            RowsInPlace::Twice(base) => {
                let half = self.load_half(base, form, true);
                return half
                    .into_iter()
                    .map(|half| self.b.shuffle(half, half, &both_halves()))
                    .collect();
            }
            RowsInPlace::OneEach(bases) => bases,
        };
        let count = form.elements as u32;
        if own {
            let place = |base, index: u32| {
                self.place(base, u64::from(index) * form.size / u64::from(count))
            };
            let align = self.element_align(form);
            let half = |base, index| {
                self.b.splat(self.b.load(form.element, place(base, index), align), LANES / 2)
            };
            let element = |index| self.join_halves(bases.map(|base| half(base, index)));
            return (0..count).map(element).collect();
        }
        let [low, high] = bases.map(|base| {
            let row = self.b.load(form.element.vector(count), base, self.element_align(form));
            row.set_volatile(true);
            row
        });
        let element = |index: u32| {
            let of_lane = |lane: u32| (index + if lane < LANES / 2 { 0 } else { count }) as i32;
            self.b.shuffle(low, high, &(0..LANES).map(of_lane).collect::<Vec<_>>())
        };
        (0..count).map(element).collect()
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
            let places = self.narrow_addresses(pointers).unwrap_or(pointers);
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

    /// The elements of all lanes, of rows that lie side by side in each half of the warp. Elements that fill a row lie in one
    /// piece, from the first address on.
    fn load_rows(&self, from: [Value<'c>; 2], form: Form<'c>, in_place: bool) -> Vec<Lanes<'c>> {
        let b = &self.b;
        if form.in_block() == 1 {
            let blocks = form.blocks() as u32;
            let all = b.load(form.element.vector(LANES * blocks), from[0], BLOCK as u32);
            let lanes = |block: u32| {
                let mask: Vec<_> = (0..LANES).map(|lane| (lane * blocks + block) as i32).collect();
                Lanes::Vector(b.shuffle(all, all, &mask))
            };
            return (0..blocks).map(lanes).collect();
        }
        let [low, high] = [0, 1].map(|half| self.load_half(from[half], form, in_place));
        let pairs = low.into_iter().zip(high);
        pairs.map(|(low, high)| Lanes::Vector(self.concatenated(vec![low, high]))).collect()
    }

    /// The elements of half a warp, whose rows lie side by side.
    fn load_half(&self, from: Value<'c>, form: Form<'c>, in_place: bool) -> Vec<Value<'c>> {
        let b = &self.b;
        let count = form.in_block();
        let block = form.element.vector(count as u32);
        let align = if in_place { self.element_align(form) } else { BLOCK as u32 };
        let load = |lane: usize, offset: u64| {
            let place = self.place(from, lane as u64 * form.size + offset);
            let load = b.load(block, place, align);
            load.set_volatile(in_place);
            load
        };
        let lanes = LANES as usize / 2;
        if in_place && form.size == BLOCK && form.element.bits() >= 32 && self.unit.options.avx512()
        {
            // A register has four lanes, whose first, second, ... elements come out of it by halves.
            let register = form.element.vector(4 * count as u32);
            let load = |first: usize| {
                let load = b.load(register, self.place(from, first as u64 * form.size), align);
                load.set_volatile(true);
                load
            };
            let registers = (0..lanes).step_by(4).map(load).collect();
            return self
                .every(count, registers)
                .into_iter()
                .map(|it| self.concatenated(it))
                .collect();
        }
        let registers = self.register_blocks().min(lanes / count);
        let mut elements = Vec::new();
        for offset in (0..form.size).step_by(BLOCK as usize) {
            let mut groups = vec![Vec::new(); count];
            for first in (0..lanes).step_by(registers * count) {
                let row = |k: usize| {
                    let lanes = (0..registers).map(|j| first + j * count + k);
                    self.concatenated(lanes.map(|lane| load(lane, offset)).collect())
                };
                let rows = (0..count).map(row).collect();
                for (group, part) in groups.iter_mut().zip(self.transposed(rows, count)) {
                    group.push(part);
                }
            }
            elements.extend(groups.into_iter().map(|group| self.concatenated(group)));
        }
        elements
    }

    /// Stores the elements of all lanes as rows that lie side by side in each half of the warp.
    fn store_rows(
        &self,
        elements: &[Value<'c>],
        to: [Value<'c>; 2],
        form: Form<'c>,
        in_place: bool,
    ) {
        let b = &self.b;
        let count = form.in_block();
        let align = if in_place { self.element_align(form) } else { BLOCK as u32 };
        let registers = self.register_blocks();
        let block_type = form.element.vector(count as u32);
        let half = LANES as usize / 2;
        let row_place = |lane: usize| self.place(to[lane / half], (lane % half) as u64 * form.size);
        for (number, parts) in elements.chunks(count).enumerate() {
            let offset = number as u64 * BLOCK;
            for first in (0..LANES as usize).step_by(registers * count) {
                let of_group = |part: &Value<'c>| self.slice(*part, first, registers * count);
                let rows = self.transposed(parts.iter().map(of_group).collect(), count);
                if form.size == BLOCK && count > 1 {
                    for (number, row) in self.in_order(rows, count).into_iter().enumerate() {
                        let lane = first + number * registers;
                        b.store(row, row_place(lane), align).set_volatile(in_place);
                    }
                    continue;
                }
                for (k, row) in rows.into_iter().enumerate() {
                    for j in 0..registers {
                        let lane = first + j * count + k;
                        let place = self.place(row_place(lane), offset);
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

    /// Of a sequence of elements those at each distance below `count` from the multiples of it.
    fn every(&self, count: usize, registers: Vec<Value<'c>>) -> Vec<Vec<Value<'c>>> {
        if count == 1 {
            return vec![registers];
        }
        let length = registers[0].ty().len() as i32;
        let parts = [0, 1].map(|odd| {
            let mask: Vec<_> = (0..length).map(|place| 2 * place + odd).collect();
            let pairs = registers.chunks(2);
            let half = pairs.map(|pair| self.b.shuffle(pair[0], pair[1], &mask)).collect();
            self.every(count / 2, half)
        });
        let [even, odd] = parts;
        even.into_iter().zip(odd).flat_map(|(even, odd)| [even, odd]).collect()
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
