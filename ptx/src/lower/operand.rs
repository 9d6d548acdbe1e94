//! Registers, constants and vectors as operands.

use llvm_zluda::{Type, Value};
use ptx_parser::{Address, Immediate, Operand, ScalarType};
use simt::space;

use super::Lowered;
use super::function::{Entity, FunctionLowering, word};
use super::signature::storage_type;

/// Whether a register may be wider than the instruction's type (PTX manual, "Operand Size Exceeding
/// Instruction-Type Size").
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Exact,
    AtLeast,
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// The type that values of `type_` have in lowering: `half` for `.f16`, floats, i1 for predicates,
    /// and integers for all others, packed types and bfloat16 included.
    pub fn ty(&self, type_: ScalarType) -> Type<'c> {
        match type_ {
            ScalarType::F16 => self.context.half(),
            _ => storage_type(self.context, type_),
        }
    }

    /// An operand of an instruction of `type_`, whose register has exactly that width.
    pub fn read(&mut self, operand: &Operand<'a>, type_: ScalarType) -> Lowered<Value<'c>> {
        self.read_width(operand, type_, Width::Exact)
    }

    /// An operand of an instruction of `type_`, whose register is as wide as `width` allows. Fails if it is not.
    pub fn read_width(
        &mut self,
        operand: &Operand<'a>,
        type_: ScalarType,
        width: Width,
    ) -> Lowered<Value<'c>> {
        let ty = self.ty(type_);
        let value = match operand {
            Operand::Name(name) => match self.entity(name)? {
                Entity::Register { slots, type_: register } if slots.len() == 1 => {
                    self.load_slot(slots[0], register)
                }
                Entity::Register { .. } => {
                    return Err(self.invalid(format!("`{name}` is a vector register")));
                }
                _ => self.address_of(name, 0)?,
            },
            Operand::Component(name, component) => match self.entity(name)? {
                Entity::Register { slots, type_: register } => match slots.get(component.index()) {
                    Some(&slot) if slots.len() > 1 => self.load_slot(slot, register),
                    _ => {
                        return Err(self
                            .invalid(format!("`{name}` has no element `.{}`", component.word())));
                    }
                },
                _ => return Err(self.invalid(format!("`{name}` is not a register"))),
            },
            Operand::Special(register) => self.special_register(*register)?,
            Operand::Immediate(immediate) => return self.immediate(*immediate, type_),
            Operand::Offset(address) => self.symbol_address(address)?,
            Operand::Not(name) => {
                let value = self.read_predicate(name)?;
                self.builder.not(value)
            }
            Operand::Vector(elements) => self.pack(elements, type_)?,
            Operand::Sink => return Err(self.invalid("`_` cannot be read")),
            Operand::Minus(name) => {
                let value = self.read(&Operand::Name(name), type_)?;
                let bits = self.bits_of(value);
                let sign = match type_ {
                    ScalarType::F16x2 | ScalarType::Bf16x2 => 0x8000_8000,
                    _ if type_.is_float() => 1 << (type_.bits() - 1),
                    _ => return Err(self.invalid("a negated operand does not fit here")),
                };
                let flipped = self.builder.xor(bits, bits.ty().const_int(sign));
                return Ok(self.builder.bitcast(flipped, value.ty()));
            }
        };
        let (have, want) = (value.ty().bits(), ty.bits());
        if type_ == ScalarType::Pred || have == 1 {
            if have != 1 || type_ != ScalarType::Pred {
                return Err(self.invalid(format!(
                    "{} where `.{}` is wanted",
                    described(have),
                    word(type_)
                )));
            }
            return Ok(value);
        }
        let special =
            matches!(operand, Operand::Special(_) | Operand::Offset(_)) || self.is_symbol(operand);
        if have == want {
            return Ok(self.builder.bitcast(value, ty));
        }
        if special || (have > want && width == Width::AtLeast) {
            let bits = self.bits_of(value);
            let cut = self.builder.zext_or_trunc(bits, self.context.int(want));
            return Ok(self.builder.bitcast(cut, ty));
        }
        Err(self.invalid(format!("an operand of {have} bits where `.{}` has {want}", word(type_))))
    }

    fn is_symbol(&mut self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Name(name) => !matches!(self.entity(name), Ok(Entity::Register { .. })),
            _ => false,
        }
    }

    /// `variable+4` as an address.
    fn symbol_address(&mut self, address: &Address<'a>) -> Lowered<Value<'c>> {
        match address.base {
            Some(name) => {
                let start = self.address_of(name, 0)?;
                let distance = self.distance(address, 0)?;
                Ok(self.builder.add(start, distance))
            }
            None => Ok(self.i64(address.offset as u64)),
        }
    }

    /// A constant of `type_`. Fails if it does not fit the type.
    pub fn immediate(&self, immediate: Immediate, type_: ScalarType) -> Lowered<Value<'c>> {
        let ty = self.ty(type_);
        if type_ == ScalarType::Pred {
            return match immediate.integer() {
                Some(value) => Ok(self.i1(value != 0)),
                None => Err(self.invalid("a floating-point constant is no predicate")),
            };
        }
        let bits = immediate.bits(type_).or_else(|| integer_as_float(immediate, type_));
        let Some(bits) = bits else {
            return Err(self.invalid(format!("the constant does not fit `.{}`", word(type_))));
        };
        if type_.bits() == 128 {
            let high = if immediate.integer().is_some_and(|v| v < 0) { u64::MAX } else { 0 };
            return Ok(ty.const_wide_int(&[bits, high]));
        }
        Ok(if ty.is_float() { ty.const_float_bits(bits) } else { ty.const_int(bits) })
    }

    /// The value of a predicate register, as an i1. Fails if the name is none.
    pub fn read_predicate(&mut self, name: &'a str) -> Lowered<Value<'c>> {
        match self.entity(name)? {
            Entity::Register { slots, type_: ScalarType::Pred } => {
                Ok(self.load_slot(slots[0], ScalarType::Pred))
            }
            _ => Err(self.invalid(format!("`{name}` is not a predicate"))),
        }
    }

    /// A 32-bit operand such as a shift amount: registers of other widths are extended or cut.
    pub fn read_u32(&mut self, operand: &Operand<'a>) -> Lowered<Value<'c>> {
        self.read_width(operand, ScalarType::U32, Width::AtLeast)
    }

    /// Loads a register of `type_` from its slot.
    pub(super) fn load_slot(&self, slot: Value<'c>, type_: ScalarType) -> Value<'c> {
        let ty = storage_type(self.context, type_);
        self.builder.load(ty, slot, type_.size().max(1))
    }

    /// The operand as an integer of its width, predicates as they are.
    pub fn bits_of(&self, value: Value<'c>) -> Value<'c> {
        self.builder.bitcast(value, self.context.int(value.ty().bits()))
    }

    /// `{a, b}` as one integer of the width of `type_`, the first element lowest.
    fn pack(&mut self, elements: &[Operand<'a>], type_: ScalarType) -> Lowered<Value<'c>> {
        let element = self.element_type(elements.len(), type_)?;
        let wide = self.context.int(type_.bits());
        let mut packed = wide.zero();
        for (index, operand) in elements.iter().enumerate() {
            let value = self.read_width(operand, element, Width::Exact)?;
            let value = self.builder.zext(value, wide);
            let shift = wide_constant(wide, index as u64 * u64::from(element.bits()));
            packed = match index {
                0 => value,
                _ => self.builder.or(packed, self.builder.shl(value, shift)),
            };
        }
        Ok(packed)
    }

    fn element_type(&self, count: usize, type_: ScalarType) -> Lowered<ScalarType> {
        Ok(match (type_.bits() as usize).checked_div(count) {
            Some(8) => ScalarType::B8,
            Some(16) => ScalarType::B16,
            Some(32) => ScalarType::B32,
            Some(64) => ScalarType::B64,
            _ => {
                return Err(self
                    .invalid(format!("`.{}` does not split into {count} elements", word(type_))));
            }
        })
    }

    /// Writes a result to a register of exactly its width.
    pub fn write(&mut self, operand: &Operand<'a>, value: Value<'c>) -> Lowered {
        self.write_extended(operand, value, None)
    }

    /// Writes a result; a wider register gets its sign (`Some(true)`) or zeros above it, where the
    /// instruction allows wider registers at all.
    pub fn write_extended(
        &mut self,
        operand: &Operand<'a>,
        value: Value<'c>,
        signed: Option<bool>,
    ) -> Lowered {
        let (slot, type_) = match operand {
            Operand::Sink => return Ok(()),
            Operand::Vector(elements) => return self.unpack(elements, value),
            Operand::Name(name) => match self.entity(name)? {
                Entity::Register { slots, type_ } if slots.len() == 1 => (slots[0], type_),
                Entity::Register { .. } => {
                    return Err(self.invalid(format!("`{name}` is a vector register")));
                }
                _ => return Err(self.invalid(format!("`{name}` is not a register"))),
            },
            Operand::Component(name, component) => match self.entity(name)? {
                Entity::Register { slots, type_ } => match slots.get(component.index()) {
                    Some(&slot) => (slot, type_),
                    None => {
                        return Err(self
                            .invalid(format!("`{name}` has no element `.{}`", component.word())));
                    }
                },
                _ => return Err(self.invalid(format!("`{name}` is not a register"))),
            },
            _ => return Err(self.invalid("the result needs a register")),
        };
        let ty = storage_type(self.context, type_);
        let (have, want) = (value.ty().bits(), ty.bits());
        let value = if have == want {
            self.builder.bitcast(value, ty)
        } else if let Some(signed) = signed.filter(|_| have < want && have > 1) {
            let bits = self.bits_of(value);
            let wide = self.context.int(want);
            let bits =
                if signed { self.builder.sext(bits, wide) } else { self.builder.zext(bits, wide) };
            self.builder.bitcast(bits, ty)
        } else {
            return Err(self.invalid(format!("{} into a register of {want} bits", described(have))));
        };
        self.builder.store(value, slot, type_.size().max(1));
        Ok(())
    }

    fn unpack(&mut self, elements: &[Operand<'a>], value: Value<'c>) -> Lowered {
        let bits = self.bits_of(value);
        let width = bits.ty().bits() as usize;
        if elements.is_empty() || !width.is_multiple_of(elements.len()) {
            return Err(
                self.invalid(format!("{width} bits do not split into {} elements", elements.len()))
            );
        }
        let each = (width / elements.len()) as u32;
        for (index, element) in elements.iter().enumerate() {
            let shift = wide_constant(bits.ty(), index as u64 * u64::from(each));
            let shifted = if index == 0 { bits } else { self.builder.lshr(bits, shift) };
            let part = self.builder.trunc(shifted, self.context.int(each));
            self.write(element, part)?;
        }
        Ok(())
    }

    /// The registers of a vector operand: `{a, b}`, or a vector register, such as `%tid`.
    pub fn elements(&mut self, operand: &Operand<'a>) -> Lowered<Vec<Operand<'a>>> {
        use ptx_parser::Component::{W, X, Y, Z};
        match operand {
            Operand::Vector(elements) => Ok(elements.to_vec()),
            Operand::Name(name) => match self.entity(name)? {
                Entity::Register { slots, .. } if slots.len() > 1 => {
                    let components = [X, Y, Z, W].into_iter().take(slots.len());
                    Ok(components.map(|component| Operand::Component(name, component)).collect())
                }
                _ => Err(self.invalid(format!("`{name}` is not a vector register"))),
            },
            Operand::Special(register) => {
                let elements = [X, Y, Z, W].into_iter().map(|component| {
                    register.component(component).map(Operand::Special).ok_or_else(|| {
                        self.invalid(format!("`{register}` is not a vector register"))
                    })
                });
                elements.collect()
            }
            _ => Err(self.invalid("a vector of registers is wanted")),
        }
    }

    /// The type of pointers to the generic address space.
    pub fn generic_pointer(&self) -> Type<'c> {
        self.context.ptr(space::GENERIC)
    }
}

fn described(bits: u32) -> String {
    if bits == 1 { "a predicate".to_owned() } else { format!("{bits} bits") }
}

/// ptxas takes `0` and `1` for floating-point zero and one.
fn integer_as_float(immediate: Immediate, type_: ScalarType) -> Option<u64> {
    let value = immediate.integer()? as f64;
    match type_ {
        ScalarType::F32 => Some((value as f32).to_bits().into()),
        ScalarType::F64 => Some(value.to_bits()),
        _ => None,
    }
}

fn wide_constant(ty: Type<'_>, value: u64) -> Value<'_> {
    if ty.bits() > 64 { ty.const_wide_int(&[value, 0]) } else { ty.const_int(value) }
}
