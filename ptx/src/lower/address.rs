//! Addresses: of variables, in instructions, and between state spaces.

use llvm_zluda::Value;
use ptx_parser::isa::{Cvta, Isspacep};
use ptx_parser::{Address, ScalarType, StateSpace};
use simt::space;

use super::Lowered;
use super::function::{Entity, FunctionLowering, word};
use super::operand::Width;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// The LLVM address space of a state space; none is generic.
    pub fn address_space(&self, state_space: Option<StateSpace>) -> Lowered<u32> {
        Ok(match state_space {
            None => space::GENERIC,
            Some(StateSpace::Global) => space::GLOBAL,
            // `.const` variables are in the globals segment.
            Some(StateSpace::Const) => space::CONSTANT,
            Some(StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster) => {
                space::SHARED
            }
            Some(StateSpace::Local) => space::LOCAL,
            Some(StateSpace::ParamEntry) => space::CONSTANT,
            Some(StateSpace::ParamFunc) => space::LOCAL,
            Some(StateSpace::Param) => {
                if self.is_kernel() {
                    space::CONSTANT
                } else {
                    space::LOCAL
                }
            }
            Some(other) => return Err(self.unsupported(format!("accesses to `.{}`", word(other)))),
        })
    }

    /// The address of a variable, parameter or function, as an integer in its own state space.
    pub fn address_of(&mut self, name: &'a str, offset: i64) -> Lowered<Value<'c>> {
        let address = match self.entity(name)? {
            Entity::Memory { pointer } => self.builder.ptr_to_int(pointer, self.context.i64()),
            Entity::KernelParameter { offset } => {
                let place = self.builder.byte_offset(self.parameters(), self.i64(offset.into()));
                self.builder.ptr_to_int(place, self.context.i64())
            }
            Entity::Function(function) => match self.module.unit.numbers.address(function) {
                Some(address) => self.i64(address),
                None => {
                    return Err(self
                        .unsupported(format!("the address of `{name}`, which has no body here")));
                }
            },
            Entity::Label(_) => return Err(self.unsupported("addresses of labels")),
            _ => return Err(self.invalid(format!("`{name}` has no address"))),
        };
        Ok(self.builder.add(address, self.i64(offset as u64)))
    }

    /// The pointer of `[base+offset]` in a state space, with `more` bytes added.
    pub fn pointer(
        &mut self,
        address: &Address<'a>,
        state_space: Option<StateSpace>,
        more: u64,
    ) -> Lowered<Value<'c>> {
        let target = self.address_space(state_space)?;
        let offset = self.distance(address, more)?;
        let Some(name) = address.base else {
            return Ok(self.builder.int_to_ptr(offset, self.context.ptr(target)));
        };
        match self.entity(name)? {
            Entity::Memory { pointer } => {
                let place = self.builder.byte_offset(pointer, offset);
                // `.param` variables of a body hold arguments and results of calls, also in a kernel.
                let named = matches!(state_space, Some(StateSpace::Param | StateSpace::ParamFunc));
                Ok(if named { place } else { self.in_space(place, target) })
            }
            Entity::KernelParameter { offset: parameter } => {
                let offset = self.builder.add(self.i64(parameter.into()), offset);
                let place = self.builder.byte_offset(self.parameters(), offset);
                Ok(self.in_space(place, target))
            }
            Entity::Register { type_, .. } => {
                let operand = ptx_parser::Operand::Name(name);
                let base = match type_.bits() {
                    32 => ScalarType::B32,
                    64 => ScalarType::B64,
                    bits => return Err(self.invalid(format!("an address of {bits} bits"))),
                };
                let base = self.read_width(&operand, base, Width::Exact)?;
                let offset = (address.offset as u64).wrapping_add(more);
                let sum = self.builder.add(base, base.ty().const_int(offset));
                let narrow = base.ty().bits() == 32;
                let wide = self.builder.zext(sum, self.context.i64());
                let wide = match target {
                    space::LOCAL => self.local_address(wide),
                    // Addresses in the memory of other blocks come from `mapa`, which makes them whole.
                    space::SHARED if state_space != Some(StateSpace::SharedCluster) => {
                        let start = self.unnamed_shared_start();
                        start.map_or(wide, |start| self.builder.add(wide, start))
                    }
                    space::CONSTANT if narrow => self.constant_address(sum, state_space),
                    _ => wide,
                };
                Ok(self.builder.int_to_ptr(wide, self.context.ptr(target)))
            }
            _ => Err(self.invalid(format!("`{name}` has no address"))),
        }
    }

    /// What an address adds to its base, and `more`. Elements of arrays are counted in 32 bits, as NVIDIA's assembler does.
    pub fn distance(&mut self, address: &Address<'a>, more: u64) -> Lowered<Value<'c>> {
        let Some(index) = address.index else {
            return Ok(self.i64((address.offset as u64).wrapping_add(more)));
        };
        let register = self.entity(index.register)?;
        let type_ = match register {
            Entity::Register { type_, .. } if type_.bits() >= 16 && !type_.is_float() => type_,
            _ => return Err(self.invalid(format!("`{}` is no index", index.register))),
        };
        let number = self.read(&ptx_parser::Operand::Name(index.register), type_)?;
        let number = self.builder.zext_or_trunc(number, self.context.i32());
        let bytes = self.builder.mul(number, self.i32(index.size));
        let bytes = self.builder.add(bytes, self.i32(address.offset as u32));
        let wide = self.builder.zext(bytes, self.context.i64());
        Ok(self.builder.add(wide, self.i64(more)))
    }

    /// An address in `.local`, of which maybe only 32 bits are left. Local variables of CPUs lie in 64 bits of
    /// addresses, all near the frame, so that a place in the frame tells the other half.
    fn local_address(&mut self, address: Value<'c>) -> Value<'c> {
        let narrow = self.module.unit.reached.narrow_local_addresses;
        if !narrow || self.module.is_amdgcn {
            return address;
        }
        let frame = match self.frame {
            Some(frame) => frame,
            None => self.local(1, 1),
        };
        self.frame = Some(frame);
        let low = self.builder.trunc(address, self.context.i32());
        self.nearest(low, frame)
    }

    /// What addresses in shared memory count from where no variable names any of it; else they are whole.
    fn unnamed_shared_start(&mut self) -> Option<Value<'c>> {
        let first = self.module.unnamed_shared()?;
        Some(self.builder.ptr_to_int(first, self.context.i64()))
    }

    /// An address of parameters or constants of which 32 bits are left.
    fn constant_address(&mut self, low: Value<'c>, state_space: Option<StateSpace>) -> Value<'c> {
        let start = match state_space {
            Some(StateSpace::Const) => self.globals_segment(),
            _ => self.parameters(),
        };
        self.nearest(low, start)
    }

    /// The address with these low 32 bits that is nearest to a place.
    fn nearest(&self, low: Value<'c>, place: Value<'c>) -> Value<'c> {
        let i64 = self.context.i64();
        let place = self.builder.ptr_to_int(place, i64);
        let distance = self.builder.sub(low, self.builder.trunc(place, low.ty()));
        self.builder.add(place, self.builder.sext(distance, i64))
    }

    /// A variable accessed through another state space than its own: `.global` for `.const`, generic.
    fn in_space(&self, pointer: Value<'c>, target: u32) -> Value<'c> {
        let own = pointer.ty().address_space();
        if own == target {
            return pointer;
        }
        if own == space::GENERIC || target == space::GENERIC {
            return self.builder.addr_space_cast(pointer, self.context.ptr(target));
        }
        let bits = self.builder.ptr_to_int(pointer, self.context.i64());
        self.builder.int_to_ptr(bits, self.context.ptr(target))
    }

    pub fn cvta(&mut self, i: &Cvta<'a>) -> Lowered {
        let target = self.address_space(Some(i.space))?;
        let a = self.read_width(&i.a, i.size, Width::AtLeast)?;
        let wide = self.builder.zext(a, self.context.i64());
        let local = target == space::LOCAL && !i.to;
        let wide = if local { self.local_address(wide) } else { wide };
        let shared = matches!(i.space, StateSpace::Shared | StateSpace::SharedCta);
        let start = if shared { self.unnamed_shared_start() } else { None };
        let wide = match start {
            Some(start) if !i.to => self.builder.add(wide, start),
            _ => wide,
        };
        let (from, to) = if i.to { (space::GENERIC, target) } else { (target, space::GENERIC) };
        let pointer = self.builder.int_to_ptr(wide, self.context.ptr(from));
        let pointer = self.builder.addr_space_cast(pointer, self.context.ptr(to));
        let address = self.builder.ptr_to_int(pointer, self.context.i64());
        let address = match start {
            Some(start) if i.to => self.builder.sub(address, start),
            _ => address,
        };
        let address = self.builder.trunc(address, self.ty(i.size));
        self.write_extended(&i.d, address, Some(false))
    }

    pub fn isspacep(&mut self, i: &Isspacep<'a>) -> Lowered {
        let name = match i.space {
            StateSpace::Shared | StateSpace::SharedCta => "isspacep.shared",
            StateSpace::SharedCluster => "isspacep.shared.cluster",
            StateSpace::Local => "isspacep.local",
            StateSpace::Global => "isspacep.global",
            StateSpace::Const => "isspacep.const",
            StateSpace::Param | StateSpace::ParamEntry => {
                let address = self.read_width(&i.a, ScalarType::B64, Width::Exact)?;
                let start = self.builder.ptr_to_int(self.parameters(), self.context.i64());
                let bytes = self.i64(self.module.unit.info.param_size.into());
                let inside = self.ult(self.builder.sub(address, start), bytes);
                return self.write(&i.p, inside);
            }
            other => return Err(self.unsupported(format!("`isspacep` of `.{}`", word(other)))),
        };
        let a = self.read_width(&i.a, ScalarType::B64, Width::Exact)?;
        let pointer = self.builder.int_to_ptr(a, self.generic_pointer());
        let inside = self.zluda(name, &[pointer]);
        self.write(&i.p, inside)
    }
}
