//! Instructions without memory effects, and constants.

use llvm_zluda::{Builder, IntPredicate, Opcode, Type, Value};
use simt::intrinsics::{self, Intrinsic};

use super::arithmetic::is_division;
use super::lanes::parts;
use super::memory::FAR;
use super::{Emitter, LANES, Lanes, Pair};
use crate::Error;
use simt::analysis::shape::{Shape, alloca_stride};

impl<'c> Emitter<'_, 'c> {
    /// Takes the parameters of the warp function as the values of the per-thread function's.
    pub(super) fn bind_arguments(&mut self, pair: Pair<'c>) {
        for (index, parameter) in pair.thread.parameters().into_iter().enumerate() {
            let lanes =
                Lanes::Vector(pair.warp.parameter(index as u32 + super::calls::HIDDEN_ARGUMENTS));
            self.values.insert(parameter, lanes);
        }
    }

    /// The lanes of a value that has been made, or of a constant.
    pub(super) fn get(&self, value: Value<'c>) -> Lanes<'c> {
        if let Some(lanes) = self.values.get(&value) {
            return lanes.clone();
        }
        debug_assert!(value.is_constant(), "{value:?} is used before it is made");
        self.constant(value)
    }

    fn constant(&self, value: Value<'c>) -> Lanes<'c> {
        let ty = value.ty();
        if let Some(fields) = parts(ty) {
            let part = |index: usize| {
                if ty.is_vector() {
                    self.b.extract_element(value, self.cx.i32().const_int(index as u64))
                } else {
                    self.b.extract_value(value, index as u32)
                }
            };
            return Lanes::Composite(
                (0..fields.len()).map(|index| self.constant(part(index))).collect(),
            );
        }
        if value.is_undef_or_poison() {
            return Lanes::Uniform(self.lane_type(ty).zero());
        }
        Lanes::Uniform(self.scalar_constant(value))
    }

    fn scalar_constant(&self, value: Value<'c>) -> Value<'c> {
        let ty = self.lane_type(value.ty());
        if value.is_constant_expression() {
            let operands: Vec<_> =
                value.operands().into_iter().map(|operand| self.scalar_constant(operand)).collect();
            if let Some(made) = self.build(value, &operands, ty) {
                return made;
            }
        }
        if value.ty().is_pointer() && value.ty() != ty {
            if value.is_global_variable() {
                return self.b.addr_space_cast(value, ty);
            }
            return ty.zero();
        }
        value
    }

    /// The cost of an instruction to its node, in rough numbers of instructions, and whether it must not run without an
    /// active lane.
    pub(super) fn instruction_weight(&self, instruction: Value<'c>) -> (u32, bool) {
        let uniform = |value: Value<'c>| self.divergence.shape(value).is_uniform();
        match instruction.opcode() {
            Opcode::LLVMLoad => {
                let uniform = uniform(instruction.operand(0));
                (if uniform { 1 } else { 8 }, uniform)
            }
            Opcode::LLVMStore => {
                let uniform = uniform(instruction.operand(1));
                (if uniform { 2 } else { 6 }, uniform)
            }
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => (20, true),
            Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem => {
                let constant = instruction.operand(1).as_const_int().is_some();
                (if uniform(instruction) { 2 } else { 12 }, uniform(instruction) && !constant)
            }
            Opcode::LLVMFDiv => (4, false),
            Opcode::LLVMCall => {
                let name = instruction.called_name();
                if name.starts_with("llvm.") {
                    (2, false)
                } else if let Some(intrinsic) = intrinsics::called(instruction) {
                    (4, !intrinsic.is_harmless_for_nobody())
                } else {
                    (100, true)
                }
            }
            Opcode::LLVMFence | Opcode::LLVMUnreachable => (1, false),
            _ => (1, false),
        }
    }

    /// Whether a call or an atomic takes much longer than a row of memory: most go from lane to lane.
    pub(super) fn takes_long(&self, instruction: Value<'c>) -> bool {
        match instruction.opcode() {
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
            Opcode::LLVMCall => {
                let name = instruction.called_name();
                // Such as `zluda.ntid.x`.
                let is_register = intrinsics::called(instruction)
                    .is_some_and(Intrinsic::is_harmless_for_nobody)
                    && self.divergence.shape(instruction) != Shape::Varying;
                !name.starts_with("llvm.") && !is_register
            }
            _ => false,
        }
    }

    /// The type of one lane's element, where an instruction reads or writes at constant distances.
    pub(super) fn row_of_memory(&self, instruction: Value<'c>) -> Option<Type<'c>> {
        let (address, ty) = match instruction.opcode() {
            Opcode::LLVMLoad => (instruction.operand(0), instruction.ty()),
            Opcode::LLVMStore => (instruction.operand(1), instruction.operand(0).ty()),
            _ => return None,
        };
        let shape = self.divergence.shape(address);
        matches!(shape, Shape::Strided(stride) if stride != 0).then_some(ty)
    }

    /// Makes an instruction for all lanes, and keeps its result. Fails for instructions that the CPU target lacks.
    pub(super) fn instruction(&mut self, instruction: Value<'c>) -> Result<(), Error> {
        let lanes = match instruction.opcode() {
            Opcode::LLVMLoad => self.load(instruction)?,
            Opcode::LLVMStore => return self.store(instruction),
            Opcode::LLVMFence => return self.fence(instruction),
            Opcode::LLVMAtomicRMW => self.atomic_rmw(instruction)?,
            Opcode::LLVMAtomicCmpXchg => self.cmpxchg(instruction)?,
            Opcode::LLVMCall => match self.call(instruction)? {
                Some(lanes) => lanes,
                None => return Ok(()),
            },
            Opcode::LLVMAlloca => self.stack_variable(instruction)?,
            Opcode::LLVMExtractValue => {
                let mut lanes = self.get(instruction.operand(0));
                for index in instruction.aggregate_indices() {
                    lanes = part(&lanes, index as usize)?;
                }
                lanes
            }
            Opcode::LLVMInsertValue => {
                let mut whole = self.get(instruction.operand(0));
                let element = self.get(instruction.operand(1));
                let mut place = &mut whole;
                for index in instruction.aggregate_indices() {
                    let Lanes::Composite(parts) = place else { return Err(malformed()) };
                    place = parts.get_mut(index as usize).ok_or_else(malformed)?;
                }
                *place = element;
                whole
            }
            Opcode::LLVMExtractElement => {
                let index = constant_index(instruction.operand(1))?;
                part(&self.get(instruction.operand(0)), index)?
            }
            Opcode::LLVMInsertElement => {
                let mut whole = self.get(instruction.operand(0));
                let index = constant_index(instruction.operand(2))?;
                let element = self.get(instruction.operand(1));
                let Lanes::Composite(parts) = &mut whole else { return Err(malformed()) };
                *parts.get_mut(index).ok_or_else(malformed)? = element;
                whole
            }
            Opcode::LLVMBitCast if instruction.ty().is_vector() || has_vector(instruction) => {
                let value = self.get(instruction.operand(0));
                self.bitcast_parts(&value, instruction.operand(0).ty(), instruction.ty())?
            }
            Opcode::LLVMShuffleVector => {
                let (Lanes::Composite(mut all), Lanes::Composite(second)) =
                    (self.get(instruction.operand(0)), self.get(instruction.operand(1)))
                else {
                    return Err(malformed());
                };
                all.extend(second);
                let element = instruction.ty().element();
                Lanes::Composite(
                    instruction
                        .shuffle_mask()
                        .iter()
                        .map(|&index| {
                            all.get(index as usize).cloned().unwrap_or_else(|| self.poison(element))
                        })
                        .collect(),
                )
            }
            _ => {
                let operands: Vec<_> =
                    instruction.operands().into_iter().map(|operand| self.get(operand)).collect();
                self.elementwise(instruction, &operands, instruction.ty())?
            }
        };
        self.values.insert(instruction, lanes);
        Ok(())
    }

    /// The same bits as vectors of other elements, or as one number.
    fn bitcast_parts(
        &self,
        value: &Lanes<'c>,
        from: Type<'c>,
        to: Type<'c>,
    ) -> Result<Lanes<'c>, Error> {
        let mut parts = match value {
            Lanes::Composite(parts) => parts.clone(),
            scalar => vec![scalar.clone()],
        };
        let element = |ty: Type<'c>| if ty.is_vector() { ty.element() } else { ty };
        let (old, new) = (element(from), element(to));
        let (old_bits, new_bits) = (old.bits(), new.bits());
        if old_bits == 0 || new_bits == 0 || old_bits.max(new_bits) % old_bits.min(new_bits) != 0 {
            return Err(Error::Unsupported("a bitcast of such a vector".to_owned()));
        }
        let uniform = parts.iter().all(|part| matches!(part, Lanes::Uniform(_)));
        let shaped = |ty: Type<'c>| if uniform { ty } else { ty.vector(LANES) };
        let number = |ty: Type<'c>, value: u32| {
            let scalar = ty.const_int(value.into());
            if uniform { scalar } else { self.splat(scalar) }
        };
        let b = &self.b;
        let integers: Vec<_> = parts
            .drain(..)
            .map(|part| match part {
                Lanes::Uniform(value) if uniform => value,
                lanes => self.vector(&lanes),
            })
            .map(|value| b.bitcast(value, shaped(self.cx.int(old_bits))))
            .collect();
        let wide = self.cx.int(old_bits.max(new_bits));
        let narrow = shaped(self.cx.int(new_bits));
        let made: Vec<_> = if old_bits >= new_bits {
            let pieces = integers.iter().flat_map(|&integer| {
                (0..old_bits / new_bits).map(move |piece| (integer, piece * new_bits))
            });
            pieces.map(|(value, by)| b.trunc(b.lshr(value, number(wide, by)), narrow)).collect()
        } else {
            let joined = |pieces: &[Value<'c>]| {
                if let (32, false, &[low, high]) = (old_bits, uniform, pieces) {
                    return Some(self.joined_words(low, high));
                }
                let placed = pieces.iter().zip(0..).map(|(&piece, index)| {
                    b.shl(b.zext(piece, shaped(wide)), number(wide, index * old_bits))
                });
                placed.reduce(|all, piece| b.or(all, piece))
            };
            integers.chunks((new_bits / old_bits) as usize).filter_map(joined).collect()
        };
        let mut lanes = made.into_iter().map(|value| {
            let value = b.bitcast(value, shaped(new));
            if uniform { Lanes::Uniform(value) } else { Lanes::Vector(value) }
        });
        if to.is_vector() {
            return Ok(Lanes::Composite(lanes.collect()));
        }
        lanes.next().ok_or_else(malformed)
    }

    /// An instruction that works on each element of per-thread vectors apart.
    fn elementwise(
        &mut self,
        instruction: Value<'c>,
        operands: &[Lanes<'c>],
        ty: Type<'c>,
    ) -> Result<Lanes<'c>, Error> {
        if let Some(fields) = parts(ty) {
            let mut results = Vec::new();
            for (index, field) in fields.into_iter().enumerate() {
                let of_part: Result<Vec<_>, _> = operands
                    .iter()
                    .map(|operand| match operand {
                        Lanes::Composite(_) => part(operand, index),
                        scalar => Ok(scalar.clone()),
                    })
                    .collect();
                results.push(self.elementwise(instruction, &of_part?, field)?);
            }
            return Ok(Lanes::Composite(results));
        }
        let shape = self.divergence.shape(instruction);
        let scalar = self.lane_type(ty);
        if let (Opcode::LLVMBitCast, [Lanes::Row { row, .. }]) = (instruction.opcode(), operands) {
            return Ok(Lanes::Row { row: *row, ty: scalar });
        }
        if let Some(address) = self.shared_address(instruction, operands) {
            return Ok(address);
        }
        let unsupported =
            || Error::Unsupported(format!("the instruction {:?}", instruction.opcode()));
        if operands.iter().all(|operand| matches!(operand, Lanes::Uniform(_))) {
            let values: Vec<_> = operands.iter().map(|operand| self.base(operand)).collect();
            let made = self.build(instruction, &values, scalar).ok_or_else(unsupported)?;
            if self.mask_not_empty {
                made.copy_flags_from(instruction);
            }
            return Ok(Lanes::Uniform(made));
        }
        if let Shape::Strided(stride) = shape {
            let values: Vec<_> = operands.iter().map(|operand| self.base(operand)).collect();
            let base = match instruction.opcode() {
                Opcode::LLVMZExt => self.widen_base(&operands[0], scalar),
                _ => self.build(instruction, &values, scalar).ok_or_else(unsupported)?,
            };
            if stride == 0 {
                return Ok(Lanes::Uniform(base));
            }
            // Lanes may wrap at another place than lane 0 where a value widens.
            let inexact = matches!(instruction.opcode(), Opcode::LLVMSExt | Opcode::LLVMZExt)
                || operands
                    .iter()
                    .any(|operand| matches!(operand, Lanes::Strided { vector: Some(_), .. }));
            let vector = if inexact {
                Some(self.lanewise(instruction, operands, scalar).ok_or_else(unsupported)?)
            } else {
                None
            };
            return Ok(Lanes::Strided { base, stride, vector });
        }
        if let Shape::Halves(stride) = shape {
            let of_half: Vec<[Value<'c>; 2]> =
                operands.iter().map(|operand| self.bases(operand)).collect();
            let mut bases = [scalar.zero(); 2];
            let same = of_half.iter().all(|[low, high]| low == high);
            for half in 0..if same { 1 } else { 2 } {
                let base = &mut bases[half];
                let values: Vec<_> = of_half.iter().map(|values| values[half]).collect();
                *base = match (instruction.opcode(), &operands[0]) {
                    (Opcode::LLVMZExt, Lanes::Halves { stride, .. }) => {
                        self.widen_lane(values[0], *stride, scalar)
                    }
                    _ => self.build(instruction, &values, scalar).ok_or_else(unsupported)?,
                };
            }
            if same {
                bases[1] = bases[0];
            }
            let inexact = stride != 0
                && (matches!(instruction.opcode(), Opcode::LLVMSExt | Opcode::LLVMZExt)
                    || operands.iter().any(|operand| {
                        matches!(
                            operand,
                            Lanes::Strided { vector: Some(_), .. }
                                | Lanes::Halves { vector: Some(_), .. }
                        )
                    }));
            let vector = if inexact {
                Some(self.lanewise(instruction, operands, scalar).ok_or_else(unsupported)?)
            } else {
                None
            };
            return Ok(Lanes::Halves { bases, stride, vector });
        }
        let opcode = instruction.opcode();
        if is_division(opcode) {
            let made = match &operands[1] {
                Lanes::Uniform(divisor) if divisor.as_const_int().is_some_and(|d| d != 0) => {
                    self.divide_by_constant(opcode, &operands[0], *divisor)
                }
                divisor => {
                    let (a, b) = (self.vector(&operands[0]), self.vector(divisor));
                    Some(self.divide(opcode, a, b))
                }
            };
            if let Some(made) = made {
                return Ok(Lanes::Vector(made));
            }
        }
        if opcode == Opcode::LLVMTrunc
            && let Some(made) = self.high_product(instruction)
        {
            return Ok(Lanes::Vector(made));
        }
        Ok(Lanes::Vector(self.lanewise(instruction, operands, scalar).ok_or_else(unsupported)?))
    }

    fn lanewise(
        &self,
        instruction: Value<'c>,
        operands: &[Lanes<'c>],
        scalar: Type<'c>,
    ) -> Option<Value<'c>> {
        let one_of_two = instruction.opcode() == Opcode::LLVMSelect;
        let values: Vec<_> = operands
            .iter()
            .enumerate()
            .map(|(index, operand)| match operand {
                // A scalar condition chooses between whole vectors, and GEPs mix scalars and vectors.
                Lanes::Uniform(value) if one_of_two && index == 0 => *value,
                Lanes::Uniform(value) if instruction.opcode() == Opcode::LLVMGetElementPtr => {
                    *value
                }
                _ => self.vector(operand),
            })
            .collect();
        let made = self.build(instruction, &values, scalar.vector(LANES))?;
        made.copy_flags_from(instruction);
        Some(made)
    }

    /// Lane 0 of a zero-extension, for addresses: where the warp's 32-bit values pass zero, lanes before it
    /// count as negative, since those after it are the ones that can be addresses.
    fn widen_base(&self, operand: &Lanes<'c>, wide: Type<'c>) -> Value<'c> {
        let Lanes::Strided { base, stride, .. } = operand else {
            return self.b.zext(self.base(operand), wide);
        };
        self.widen_lane(*base, *stride, wide)
    }

    fn widen_lane(&self, base: Value<'c>, stride: i64, wide: Type<'c>) -> Value<'c> {
        let narrow = base.ty();
        let zero_extended = self.b.zext(base, wide);
        if stride <= 0 || narrow.bits() >= wide.bits() {
            return zero_extended;
        }
        let last = self.b.add(base, narrow.const_int((stride * (i64::from(LANES) - 1)) as u64));
        let wraps = self.b.icmp(IntPredicate::LLVMIntULT, last, base);
        let lower = self.b.sub(zero_extended, wide.const_int(1 << narrow.bits()));
        self.b.select(wraps, lower, zero_extended)
    }

    /// The instruction's operation on other operands: [`rebuild`] at the builder's place.
    pub(super) fn build(
        &self,
        like: Value<'c>,
        v: &[Value<'c>],
        ty: Type<'c>,
    ) -> Option<Value<'c>> {
        rebuild(&self.b, like, v, ty)
    }

    /// The address that a 32-bit number is in shared memory, which lies far from both ends of the numbers: neither what
    /// lanes add nor a constant makes an address wrap that is there, and accesses at several constants have one base.
    fn shared_address(&self, cast: Value<'c>, operands: &[Lanes<'c>]) -> Option<Lanes<'c>> {
        let is_cast = cast.opcode() == Opcode::LLVMIntToPtr && cast.ty().is_pointer();
        if !is_cast || cast.ty().address_space() != 3 || !cast.operand(0).is_instruction() {
            return None;
        }
        let wide = cast.operand(0);
        let extends = wide.opcode() == Opcode::LLVMZExt && wide.operand(0).ty().bits() == 32;
        let (mut number, mut constant) = (extends.then(|| wide.operand(0))?, 0i64);
        while let Some((rest, part)) = sum_with_constant(number) {
            (number, constant) = (rest, constant.checked_add(part)?);
        }
        let number = self.values.get(&number)?;
        let (Lanes::Uniform(_) | Lanes::Strided { .. } | Lanes::Halves { .. }) = number else {
            return None;
        };
        let stride = match number {
            Lanes::Strided { stride, .. } | Lanes::Halves { stride, .. } => *stride,
            _ => 0,
        };
        if constant.abs().saturating_add(stride.abs().saturating_mul(LANES.into())) >= FAR {
            return None;
        }
        let (i64_type, pointer) = (self.cx.i64(), self.cx.ptr(0));
        let address = |number: Value<'c>| {
            let base = self.b.int_to_ptr(self.b.zext(number, i64_type), pointer);
            self.b.byte_offset(base, i64_type.const_int(constant as u64))
        };
        Some(match number {
            Lanes::Strided { base, stride, .. } => Lanes::Strided {
                base: address(*base),
                stride: *stride,
                vector: Some(self.lanewise(cast, operands, pointer)?),
            },
            Lanes::Halves { bases: [low, high], stride, .. } => {
                let first = address(*low);
                let second = if low == high { first } else { address(*high) };
                Lanes::Halves {
                    bases: [first, second],
                    stride: *stride,
                    vector: Some(self.lanewise(cast, operands, pointer)?),
                }
            }
            _ => Lanes::Uniform(address(self.base(number))),
        })
    }

    fn stack_variable(&mut self, alloca: Value<'c>) -> Result<Lanes<'c>, Error> {
        if alloca.operand(0).as_const_int().is_none() {
            return Err(Error::Unsupported("a stack variable of variable size".to_owned()));
        }
        let stride = alloca_stride(self.module, alloca);
        let bytes = self.cx.i8().array(stride * u64::from(LANES));
        let base = self.stack(bytes, alloca.alignment().max(32));
        Ok(Lanes::Strided { base, stride: stride as i64, vector: None })
    }
}

/// The other operand of a sum, or of an `or` that is one, and the constant.
fn sum_with_constant(sum: Value<'_>) -> Option<(Value<'_>, i64)> {
    if !sum.is_instruction() {
        return None;
    }
    let adds =
        sum.opcode() == Opcode::LLVMAdd || (sum.opcode() == Opcode::LLVMOr && sum.is_disjoint());
    if adds { Some((sum.operand(0), sum.operand(1).as_const_signed()?)) } else { None }
}

/// The instruction's operation on other operands, scalars or vectors, with a result of type `ty`.
pub(crate) fn rebuild<'c>(
    b: &Builder<'c>,
    like: Value<'c>,
    v: &[Value<'c>],
    ty: Type<'c>,
) -> Option<Value<'c>> {
    Some(match like.opcode() {
        Opcode::LLVMAdd => b.add(v[0], v[1]),
        Opcode::LLVMSub => b.sub(v[0], v[1]),
        Opcode::LLVMMul => b.mul(v[0], v[1]),
        Opcode::LLVMUDiv => b.udiv(v[0], v[1]),
        Opcode::LLVMSDiv => b.sdiv(v[0], v[1]),
        Opcode::LLVMURem => b.urem(v[0], v[1]),
        Opcode::LLVMSRem => b.srem(v[0], v[1]),
        Opcode::LLVMShl => b.shl(v[0], v[1]),
        Opcode::LLVMLShr => b.lshr(v[0], v[1]),
        Opcode::LLVMAShr => b.ashr(v[0], v[1]),
        Opcode::LLVMAnd => b.and(v[0], v[1]),
        Opcode::LLVMOr => b.or(v[0], v[1]),
        Opcode::LLVMXor => b.xor(v[0], v[1]),
        Opcode::LLVMFAdd => b.fadd(v[0], v[1]),
        Opcode::LLVMFSub => b.fsub(v[0], v[1]),
        Opcode::LLVMFMul => b.fmul(v[0], v[1]),
        Opcode::LLVMFDiv => b.fdiv(v[0], v[1]),
        Opcode::LLVMFNeg => b.fneg(v[0]),
        Opcode::LLVMFreeze => b.freeze(v[0]),
        Opcode::LLVMICmp => b.icmp(like.int_predicate(), v[0], v[1]),
        Opcode::LLVMFCmp => b.fcmp(like.real_predicate(), v[0], v[1]),
        Opcode::LLVMSelect => b.select(v[0], v[1], v[2]),
        Opcode::LLVMTrunc => b.trunc(v[0], ty),
        Opcode::LLVMZExt => b.zext(v[0], ty),
        Opcode::LLVMSExt => b.sext(v[0], ty),
        Opcode::LLVMFPToUI => b.fptoui(v[0], ty),
        Opcode::LLVMFPToSI => b.fptosi(v[0], ty),
        Opcode::LLVMUIToFP => b.uitofp(v[0], ty),
        Opcode::LLVMSIToFP => b.sitofp(v[0], ty),
        Opcode::LLVMFPTrunc => b.fptrunc(v[0], ty),
        Opcode::LLVMFPExt => b.fpext(v[0], ty),
        Opcode::LLVMPtrToInt => b.ptr_to_int(v[0], ty),
        Opcode::LLVMIntToPtr => b.int_to_ptr(v[0], ty),
        // Address spaces are one.
        Opcode::LLVMAddrSpaceCast => v[0],
        Opcode::LLVMBitCast => b.bitcast(v[0], ty),
        Opcode::LLVMGetElementPtr => b.gep(like.gep_source_type(), v[0], &v[1..]),
        _ => return None,
    })
}

/// The part of an aggregate at an index. Fails if there is none.
pub(super) fn part<'c>(lanes: &Lanes<'c>, index: usize) -> Result<Lanes<'c>, Error> {
    match lanes {
        Lanes::Composite(parts) => parts.get(index).cloned().ok_or_else(malformed),
        _ => Err(malformed()),
    }
}

fn has_vector(cast: Value<'_>) -> bool {
    cast.operand(0).ty().is_vector()
}

fn malformed() -> Error {
    Error::Bug("a value without the parts that its type has".to_owned())
}

fn constant_index(value: Value<'_>) -> Result<usize, Error> {
    let index = value
        .as_const_int()
        .ok_or_else(|| Error::Unsupported("a vector element by a variable index".to_owned()))?;
    Ok(index as usize)
}
