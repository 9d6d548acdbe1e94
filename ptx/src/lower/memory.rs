//! Moves, loads, stores, and copies to shared memory.

use llvm_zluda::{AtomicOrdering, IntPredicate, Type, Value};
use ptx_parser::isa::{CpAsync, Ld, Ldu, Mov, St};
use ptx_parser::{Address, Operand, ScalarType, Scope, Semantics, StateSpace, VectorSize};

use super::Lowered;
use super::function::{Entity, FunctionLowering, word};
use super::operand::Width;
use super::signature::storage_type;

/// Bytes of the widest atomic access that all targets have an instruction for. Wider ones are volatile, with fences.
const WIDEST_ATOMIC: u32 = 8;

/// The memory semantics of an operation: `.weak`, `.volatile`, or an ordering and its scope.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Weak,
    Volatile,
    Atomic(AtomicOrdering, u32),
}

/// Whether a vector is accessed as one number: LLVM has no atomic vectors, and cuts volatile ones of short elements.
fn is_number(element: ScalarType, size: u32, order: Order) -> bool {
    size <= WIDEST_ATOMIC && (order != Order::Weak || element.bits() < 32)
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn mov(&mut self, i: &Mov<'a>) -> Lowered {
        if i.vec.is_some() {
            let to = self.elements(&i.d)?;
            let mut values = if self.is_vector(&i.a) {
                let from = self.elements(&i.a)?;
                from.iter().map(|element| self.read(element, i.type_)).collect::<Lowered<_>>()?
            } else {
                vec![self.read(&i.a, i.type_)?]
            };
            // The assembler takes a single value; the other elements mean nothing then.
            if values.len() == 1 {
                values.resize(to.len(), self.ty(i.type_).zero());
            }
            if to.len() != values.len() {
                return Err(self.invalid("vectors of different lengths"));
            }
            return to
                .iter()
                .zip(values)
                .try_for_each(|(element, value)| self.write(element, value));
        }
        let a = self.unfolded(&i.a)?;
        let d = self.unfolded(&i.d)?;
        let vector = |operand: &Operand<'_>| matches!(operand, Operand::Vector(_));
        // A vector register alone is `{v.x, v.y}`, of bits; braces on both sides are no instruction.
        if vector(&a) && vector(&d) {
            return Err(self.invalid("one of the two has to be no vector"));
        }
        let bits = matches!(
            i.type_,
            ScalarType::B16 | ScalarType::B32 | ScalarType::B64 | ScalarType::B128
        );
        if (vector(&a) || vector(&d)) && !bits {
            return Err(self.invalid("vectors are packed and unpacked as bits"));
        }
        let value = self.read(&a, i.type_)?;
        self.write(&d, value)
    }

    /// A vector register as the list of its elements, which packs or unpacks.
    fn unfolded(&mut self, operand: &Operand<'a>) -> Lowered<Operand<'a>> {
        Ok(match operand {
            Operand::Name(_) if self.is_vector(operand) => {
                Operand::Vector(self.elements(operand)?.into())
            }
            _ => operand.clone(),
        })
    }

    fn is_vector(&mut self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Vector(_) => true,
            Operand::Special(register) => register.is_vector(),
            Operand::Name(name) => {
                matches!(self.entity(name), Ok(Entity::Register { slots, .. }) if slots.len() > 1)
            }
            _ => false,
        }
    }

    /// The synchronisation scope; PTX's default is the GPU.
    pub fn scope(&self, scope: Option<Scope>) -> u32 {
        self.context.sync_scope(match scope {
            Some(Scope::Cta) => "workgroup",
            None | Some(Scope::Cluster | Scope::Gpu | Scope::Gl) => "agent",
            Some(Scope::Sys) => "",
        })
    }

    fn order(&self, semantics: Option<Semantics>, scope: Option<Scope>) -> Lowered<Order> {
        use AtomicOrdering::*;
        let atomic = |ordering| Order::Atomic(ordering, self.scope(scope));
        Ok(match semantics {
            None | Some(Semantics::Weak) => Order::Weak,
            Some(Semantics::Volatile | Semantics::Mmio) => Order::Volatile,
            Some(Semantics::Relaxed) => atomic(LLVMAtomicOrderingMonotonic),
            Some(Semantics::Acquire) => atomic(LLVMAtomicOrderingAcquire),
            Some(Semantics::Release) => atomic(LLVMAtomicOrderingRelease),
            Some(other) => {
                return Err(self.invalid(format!("`.{}` on a load or store", word(other))));
            }
        })
    }

    pub fn ld(&mut self, i: &Ld<'a>) -> Lowered {
        let order = if i.mmio { Order::Volatile } else { self.order(i.sem, i.scope)? };
        self.load_to(&i.d, &i.a, i.ss, i.vec, i.type_, order)
    }

    pub fn ldu(&mut self, i: &Ldu<'a>) -> Lowered {
        self.load_to(&i.d, &i.a, i.ss, i.vec, i.type_, Order::Weak)
    }

    fn load_to(
        &mut self,
        d: &Operand<'a>,
        address: &Address<'a>,
        space: Option<StateSpace>,
        vector: Option<VectorSize>,
        type_: ScalarType,
        order: Order,
    ) -> Lowered {
        if self.names_register(address, space) {
            // `ld.param` of a parameter that is a register.
            let value = self.read_register_parameter(address, type_)?;
            return self.write_extended(d, value, Some(type_.is_signed()));
        }
        let targets = self.loaded_or_stored(d, vector)?;
        self.check_vector(address, space, targets.len(), type_.size().into())?;
        let pointer = self.pointer(address, space, 0)?;
        let values = self.load_elements(pointer, type_, targets.len() as u32, order);
        for (target, value) in targets.iter().zip(values) {
            self.write_extended(target, value, Some(type_.is_signed()))?;
        }
        Ok(())
    }

    /// All elements of a vector in one access, as software relies on: see `docs/dev/per_thread_ir.md`.
    fn load_elements(
        &mut self,
        pointer: Value<'c>,
        type_: ScalarType,
        count: u32,
        order: Order,
    ) -> Vec<Value<'c>> {
        let element = storage_type(self.context, type_);
        let size = type_.size() * count;
        let load = |this: &Self, ty: Type<'c>, order: Order| {
            let load = this.builder.load(ty, pointer, size);
            this.set_order(load, order);
            if order == Order::Weak && pointer.ty().address_space() == simt::space::CONSTANT {
                load.add_empty_metadata(this.context, "invariant.load");
            }
            load
        };
        if count == 1 {
            return vec![load(self, element, order)];
        }
        let vector_type = element.vector(count);
        let vector = if is_number(type_, size, order) {
            let number = load(self, self.context.int(8 * size), order);
            self.builder.bitcast(number, vector_type)
        } else if let Order::Atomic(ordering, scope) = order {
            let vector = load(self, vector_type, Order::Volatile);
            if ordering == AtomicOrdering::LLVMAtomicOrderingAcquire {
                self.builder.fence(ordering, scope);
            }
            vector
        } else {
            load(self, vector_type, order)
        };
        (0..count).map(|index| self.builder.extract_element(vector, self.i32(index))).collect()
    }

    /// As [`Self::load_elements`].
    fn store_elements(
        &mut self,
        values: &[Value<'c>],
        pointer: Value<'c>,
        type_: ScalarType,
        order: Order,
    ) {
        let size = type_.size() * values.len() as u32;
        let store = |this: &Self, value: Value<'c>, order: Order| {
            let store = this.builder.store(value, pointer, size);
            this.set_order(store, order);
        };
        if let [value] = values {
            return store(self, *value, order);
        }
        let start = values[0].ty().vector(values.len() as u32).poison();
        let vector = values.iter().zip(0..).fold(start, |vector, (value, index)| {
            self.builder.insert_element(vector, *value, self.i32(index))
        });
        if is_number(type_, size, order) {
            let number = self.builder.bitcast(vector, self.context.int(8 * size));
            store(self, number, order);
        } else if let Order::Atomic(ordering, scope) = order {
            if ordering == AtomicOrdering::LLVMAtomicOrderingRelease {
                self.builder.fence(ordering, scope);
            }
            store(self, vector, Order::Volatile);
        } else {
            store(self, vector, order);
        }
    }

    /// The registers that are loaded or stored; one may stand in braces.
    fn loaded_or_stored(
        &mut self,
        operand: &Operand<'a>,
        vector: Option<VectorSize>,
    ) -> Lowered<Vec<Operand<'a>>> {
        match (operand, vector) {
            (Operand::Vector(elements), None) if elements.len() == 1 => Ok(elements.to_vec()),
            (_, None) => Ok(vec![operand.clone()]),
            (_, Some(_)) => self.elements(operand),
        }
    }

    fn set_order(&self, access: Value<'c>, order: Order) {
        match order {
            Order::Weak => {}
            Order::Volatile => access.set_volatile(true),
            Order::Atomic(ordering, scope) => {
                access.set_ordering(ordering);
                access.set_sync_scope(scope);
            }
        }
    }

    /// Whether `ld.param` names a parameter of a function that is a register.
    pub fn names_register(&mut self, address: &Address<'a>, space: Option<StateSpace>) -> bool {
        matches!(space, Some(StateSpace::Param | StateSpace::ParamFunc))
            && address.base.is_some_and(|name| self.is_register_parameter(name))
    }

    fn read_register_parameter(
        &mut self,
        address: &Address<'a>,
        type_: ScalarType,
    ) -> Lowered<Value<'c>> {
        match address.base {
            Some(name) if address.offset == 0 && address.index.is_none() => {
                self.read_width(&Operand::Name(name), type_, Width::AtLeast)
            }
            _ => Err(self.invalid("a register has no address")),
        }
    }

    pub fn st(&mut self, i: &St<'a>) -> Lowered {
        let order = if i.mmio { Order::Volatile } else { self.order(i.sem, i.scope)? };
        let sources = self.loaded_or_stored(&i.b, i.vec)?;
        self.check_vector(&i.a, i.ss, sources.len(), i.type_.size().into())?;
        let mut values = Vec::with_capacity(sources.len());
        for source in &sources {
            let value = self.read_width(source, i.type_, Width::AtLeast)?;
            values.push(self.builder.bitcast(value, storage_type(self.context, i.type_)));
        }
        let pointer = self.pointer(&i.a, i.ss, 0)?;
        self.store_elements(&values, pointer, i.type_, order);
        Ok(())
    }

    /// A plain copy, finished at once: the commits and waits that follow have nothing to do.
    pub fn cp_async(&mut self, i: &CpAsync<'a>) -> Lowered {
        let bytes = match &i.cp_size {
            Operand::Immediate(size) => {
                size.integer().and_then(|v| u32::try_from(v).ok()).unwrap_or(0)
            }
            _ => 0,
        };
        if ![4, 8, 16].contains(&bytes) {
            return Err(self.invalid("`cp.async` copies 4, 8 or 16 bytes"));
        }
        self.check_alignment(&i.src, Some(StateSpace::Global), bytes.into())?;
        self.check_alignment(&i.dst, Some(StateSpace::Shared), bytes.into())?;
        // How many bytes come from the source; the rest is zeros.
        let taken = match &i.src_size {
            None => None,
            Some(operand) if self.is_predicate(operand) => {
                let ignore = self.read(operand, ScalarType::Pred)?;
                Some(self.builder.select(ignore, self.i32(0), self.i32(bytes)))
            }
            Some(operand) => Some(self.read_u32(operand)?),
        };
        let source = self.pointer(&i.src, Some(StateSpace::Global), 0)?;
        let target = self.pointer(&i.dst, Some(StateSpace::Shared), 0)?;
        let words = bytes / 4;
        let values = match taken {
            None => self.load_elements(source, ScalarType::B32, words, Order::Weak),
            Some(taken) => self.load_some_words(source, taken, words),
        };
        self.store_elements(&values, target, ScalarType::B32, Order::Weak);
        Ok(())
    }

    fn is_predicate(&mut self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Not(_) => true,
            Operand::Name(name) => {
                matches!(self.entity(name), Ok(Entity::Register { type_: ScalarType::Pred, .. }))
            }
            _ => false,
        }
    }

    /// The words of a copy of which only `taken` bytes are read: in one access where that is all.
    fn load_some_words(
        &mut self,
        source: Value<'c>,
        taken: Value<'c>,
        words: u32,
    ) -> Vec<Value<'c>> {
        let i32 = self.context.i32();
        let [whole, some, next] = ["whole", "some", "copied"].map(|name| self.new_block(name));
        let all = self.builder.icmp(IntPredicate::LLVMIntUGE, taken, self.i32(4 * words));
        self.builder.cond_br(all, whole, some);
        self.builder.position_at_end(whole);
        let of_whole = self.load_elements(source, ScalarType::B32, words, Order::Weak);
        self.builder.br(next);
        self.builder.position_at_end(some);
        let offsets = (0..words).map(|word| 4 * word);
        let of_some: Vec<_> =
            offsets.map(|offset| self.load_some_bytes(source, taken, offset)).collect();
        let some = self.builder.block();
        self.builder.br(next);
        self.builder.position_at_end(next);
        let join = |(whole_word, word): (Value<'c>, Value<'c>)| {
            let value = self.builder.phi(i32);
            value.add_incoming(&[(whole_word, whole), (word, some)]);
            value
        };
        of_whole.into_iter().zip(of_some).map(join).collect()
    }

    /// The word at `offset` of a copy of which only `taken` bytes are read.
    fn load_some_bytes(&mut self, source: Value<'c>, taken: Value<'c>, offset: u32) -> Value<'c> {
        let i32 = self.context.i32();
        let before = self.builder.block();
        let (read, next) = (self.new_block("copy"), self.new_block("copied"));
        let any = self.builder.icmp(IntPredicate::LLVMIntUGT, taken, self.i32(offset));
        self.builder.cond_br(any, read, next);
        self.builder.position_at_end(read);
        let place = self.builder.byte_offset(source, self.i64(offset.into()));
        let word = self.builder.load(i32, place, 4);
        let left = self.umin(self.builder.sub(taken, self.i32(offset)), self.i32(4));
        let unused = self.builder.sub(self.i32(32), self.builder.shl(left, self.i32(3)));
        let mask = self.builder.lshr(i32.all_ones(), unused);
        let word = self.builder.and(word, mask);
        self.builder.br(next);
        self.builder.position_at_end(next);
        let value = self.builder.phi(i32);
        value.add_incoming(&[(i32.zero(), before), (word, read)]);
        value
    }
}
