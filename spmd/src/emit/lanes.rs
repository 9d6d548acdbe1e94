//! [`Lanes`]: what stands for a per-thread value in the code of a warp.

use llvm_zluda::{Type, Value};

use super::Emitter;
use simt::analysis::shape::Shape;

/// Lanes in a warp.
pub(crate) const LANES: u32 = simt::LANES;
const _: () = assert!(LANES == cpu_abi::WARP_SIZE);

#[derive(Clone, Debug)]
pub(crate) enum Lanes<'c> {
    /// One scalar for all lanes.
    Uniform(Value<'c>),
    /// Lane 0's scalar, and what each lane adds. `vector` holds the lanes where the arithmetic of lane 0
    /// may wrap at another place than theirs; addresses go by base and stride, data by the vector.
    Strided {
        base: Value<'c>,
        stride: i64,
        vector: Option<Value<'c>>,
    },
    /// As above for each half of the warp, from lanes 0 and 16 on.
    Halves {
        bases: [Value<'c>; 2],
        stride: i64,
        vector: Option<Value<'c>>,
    },
    Vector(Value<'c>),
    /// The result of a matrix operation, in one of the function's rows.
    Row {
        row: usize,
        ty: Type<'c>,
    },
    /// The parts of a structure, array or vector of one thread.
    Composite(Vec<Lanes<'c>>),
}

/// Memory for a value that several edges store and one place loads.
#[derive(Clone, Debug)]
pub(crate) enum Slot<'c> {
    Uniform(Value<'c>),
    Strided(Value<'c>, i64),
    Halves([Value<'c>; 2], i64),
    Vector(Value<'c>),
    Composite(Vec<Slot<'c>>),
}

/// The fields of a per-thread aggregate or vector.
pub(crate) fn parts<'c>(ty: Type<'c>) -> Option<Vec<Type<'c>>> {
    if ty.is_struct() {
        Some(ty.fields())
    } else if ty.is_array() || ty.is_vector() {
        Some(vec![ty.element(); ty.len() as usize])
    } else {
        None
    }
}

impl<'c> Emitter<'_, 'c> {
    /// The type of one lane: all address spaces are one.
    pub(super) fn lane_type(&self, ty: Type<'c>) -> Type<'c> {
        if ty.is_pointer() {
            self.cx.ptr(0)
        } else if ty.is_struct() {
            let fields: Vec<_> =
                ty.fields().into_iter().map(|field| self.lane_type(field)).collect();
            self.cx.structure(&fields, false)
        } else if ty.is_array() {
            self.lane_type(ty.element()).array(ty.len())
        } else if ty.is_vector() {
            self.lane_type(ty.element()).vector(ty.len() as u32)
        } else {
            ty
        }
    }

    /// The type of a vector of 32 lanes.
    pub(super) fn vector_type(&self, ty: Type<'c>) -> Type<'c> {
        self.lane_type(ty).vector(LANES)
    }

    /// `0, stride, 2 * stride, ...`
    pub(super) fn steps(&self, ty: Type<'c>, stride: i64) -> Value<'c> {
        let steps: Vec<_> =
            (0..LANES as i64).map(|lane| ty.const_int(lane.wrapping_mul(stride) as u64)).collect();
        self.b.const_vector(&steps)
    }

    /// A vector with the same scalar in all lanes.
    pub(super) fn splat(&self, scalar: Value<'c>) -> Value<'c> {
        self.b.splat(scalar, LANES)
    }

    /// The 32 lanes of a value that has no parts.
    pub(super) fn vector(&self, lanes: &Lanes<'c>) -> Value<'c> {
        match lanes {
            Lanes::Uniform(value) => self.splat(*value),
            Lanes::Strided { vector: Some(vector), .. } | Lanes::Vector(vector) => *vector,
            Lanes::Strided { base, stride, vector: None } => self.strided_vector(*base, *stride),
            Lanes::Halves { vector: Some(vector), .. } => *vector,
            Lanes::Halves { bases, stride, vector: None } => {
                let halves = bases.map(|base| self.strided_half(base, *stride));
                self.join_halves(halves)
            }
            Lanes::Row { row, ty } => self.load_matrix_row(*row, *ty),
            Lanes::Composite(_) => {
                debug_assert!(false, "a value with parts has no one vector");
                self.cx.i32().vector(LANES).poison()
            }
        }
    }

    /// A vector of `base + lane * stride`; the stride of a pointer is in bytes.
    pub(super) fn strided_vector(&self, base: Value<'c>, stride: i64) -> Value<'c> {
        if base.ty().is_pointer() {
            self.b.byte_offset(base, self.steps(self.cx.i64(), stride))
        } else {
            self.b.add(self.splat(base), self.steps(base.ty(), stride))
        }
    }

    /// 16 lanes from a base on.
    pub(super) fn strided_half(&self, base: Value<'c>, stride: i64) -> Value<'c> {
        let ty = if base.ty().is_pointer() { self.cx.i64() } else { base.ty() };
        let steps: Vec<_> = (0..16i64).map(|lane| ty.const_int((lane * stride) as u64)).collect();
        let steps = self.b.const_vector(&steps);
        if base.ty().is_pointer() {
            return self.b.byte_offset(base, steps);
        }
        self.b.add(self.b.splat(base, LANES / 2), steps)
    }

    /// The 32 lanes of two vectors of 16.
    pub(super) fn join_halves(&self, halves: [Value<'c>; 2]) -> Value<'c> {
        let lanes: Vec<_> = (0..LANES as i32).collect();
        self.b.shuffle(halves[0], halves[1], &lanes)
    }

    /// Lanes 0 to 15 of a vector, or 16 to 31 for `half` 1.
    pub(super) fn half_of(&self, vector: Value<'c>, half: usize) -> Value<'c> {
        let first = 16 * half as i32;
        let lanes: Vec<_> = (first..first + 16).collect();
        self.b.shuffle(vector, vector, &lanes)
    }

    /// The values of lanes 0 and 16.
    pub(super) fn bases(&self, lanes: &Lanes<'c>) -> [Value<'c>; 2] {
        match lanes {
            Lanes::Halves { bases, .. } => *bases,
            Lanes::Strided { base, stride, .. } => {
                let step = stride * 16;
                let second = if base.ty().is_pointer() {
                    self.b.byte_offset(*base, self.cx.i64().const_int(step as u64))
                } else {
                    self.b.add(*base, base.ty().const_int(step as u64))
                };
                [*base, second]
            }
            Lanes::Vector(_) | Lanes::Row { .. } => {
                let vector = self.vector(lanes);
                [0, 16].map(|lane| self.b.extract_element(vector, self.cx.i32().const_int(lane)))
            }
            Lanes::Uniform(_) | Lanes::Composite(_) => [self.base(lanes); 2],
        }
    }

    /// Lane 0's value, for values that are uniform or strided.
    pub(super) fn base(&self, lanes: &Lanes<'c>) -> Value<'c> {
        match lanes {
            Lanes::Uniform(value) | Lanes::Strided { base: value, .. } => *value,
            Lanes::Halves { bases, .. } => bases[0],
            Lanes::Vector(_) | Lanes::Row { .. } => {
                self.b.extract_element(self.vector(lanes), self.cx.i32().const_int(0))
            }
            Lanes::Composite(parts) => {
                let values: Vec<_> = parts.iter().map(|part| self.base(part)).collect();
                let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
                let mut whole = self.cx.structure(&types, false).poison();
                for (index, value) in values.into_iter().enumerate() {
                    whole = self.b.insert_value(whole, value, index as u32);
                }
                whole
            }
        }
    }

    /// Poison of every lane.
    pub(super) fn poison(&self, ty: Type<'c>) -> Lanes<'c> {
        match parts(ty) {
            Some(fields) => {
                Lanes::Composite(fields.into_iter().map(|field| self.poison(field)).collect())
            }
            None => Lanes::Uniform(self.lane_type(ty).poison()),
        }
    }

    /// Memory on the stack for a value of this type and shape.
    pub(super) fn new_slot(&self, ty: Type<'c>, shape: Shape) -> Slot<'c> {
        if let Some(fields) = parts(ty) {
            let shape = if shape.is_uniform_or_unknown() { Shape::UNIFORM } else { Shape::Varying };
            return Slot::Composite(
                fields.into_iter().map(|field| self.new_slot(field, shape)).collect(),
            );
        }
        let scalar = self.lane_type(ty);
        match shape {
            Shape::Unknown | Shape::Strided(0) => Slot::Uniform(self.slots_builder.alloca(scalar)),
            Shape::Strided(stride) => Slot::Strided(self.slots_builder.alloca(scalar), stride),
            Shape::Halves(stride) => {
                Slot::Halves([(); 2].map(|()| self.slots_builder.alloca(scalar)), stride)
            }
            Shape::Varying => Slot::Vector(self.slots_builder.alloca(scalar.vector(LANES))),
        }
    }

    /// Stores to a slot; where `mask` is given, only in its lanes.
    pub(super) fn store_slot(
        &self,
        slot: &Slot<'c>,
        ty: Type<'c>,
        lanes: &Lanes<'c>,
        mask: Option<Value<'c>>,
    ) {
        match (slot, lanes) {
            (Slot::Composite(slots), Lanes::Composite(values)) => {
                let fields = parts(ty).unwrap_or_default();
                for ((slot, value), field) in slots.iter().zip(values).zip(fields) {
                    self.store_slot(slot, field, value, mask);
                }
            }
            (Slot::Uniform(slot) | Slot::Strided(slot, _), _) => {
                let value = self.base(lanes);
                self.b.store(value, *slot, self.module.align_of(value.ty()));
            }
            (Slot::Halves(slots, _), _) => {
                for (slot, value) in slots.iter().zip(self.bases(lanes)) {
                    self.b.store(value, *slot, self.module.align_of(value.ty()));
                }
            }
            (Slot::Vector(slot), _) => {
                let vector_type = self.vector_type(ty);
                let align = self.module.align_of(vector_type);
                let mut value = self.vector(lanes);
                if let Some(mask) = mask {
                    let old = self.b.load(vector_type, *slot, align);
                    value = self.b.select(mask, value, old);
                }
                self.b.store(value, *slot, align);
            }
            (Slot::Composite(_), _) => {
                debug_assert!(false, "a slot with parts takes a value with parts")
            }
        }
    }

    /// The value that a slot holds.
    pub(super) fn load_slot(&self, slot: &Slot<'c>, ty: Type<'c>) -> Lanes<'c> {
        match slot {
            Slot::Composite(slots) => {
                let fields = parts(ty).unwrap_or_default();
                Lanes::Composite(
                    slots
                        .iter()
                        .zip(fields)
                        .map(|(slot, field)| self.load_slot(slot, field))
                        .collect(),
                )
            }
            Slot::Uniform(slot) => {
                let ty = self.lane_type(ty);
                Lanes::Uniform(self.b.load(ty, *slot, self.module.align_of(ty)))
            }
            Slot::Strided(slot, stride) => {
                let ty = self.lane_type(ty);
                let base = self.b.load(ty, *slot, self.module.align_of(ty));
                Lanes::Strided { base, stride: *stride, vector: None }
            }
            Slot::Halves(slots, stride) => {
                let ty = self.lane_type(ty);
                let bases = slots.map(|slot| self.b.load(ty, slot, self.module.align_of(ty)));
                Lanes::Halves { bases, stride: *stride, vector: None }
            }
            Slot::Vector(slot) => {
                let ty = self.vector_type(ty);
                Lanes::Vector(self.b.load(ty, *slot, self.module.align_of(ty)))
            }
        }
    }

    /// Makes the slot undefined, so that no value of an earlier iteration lives on.
    pub(super) fn forget_slot(&self, slot: &Slot<'c>, ty: Type<'c>) {
        match slot {
            Slot::Composite(slots) => {
                for (slot, field) in slots.iter().zip(parts(ty).unwrap_or_default()) {
                    self.forget_slot(slot, field);
                }
            }
            Slot::Vector(slot) => {
                let ty = self.vector_type(ty);
                self.b.store(ty.poison(), *slot, self.module.align_of(ty));
            }
            Slot::Uniform(_) | Slot::Strided(..) | Slot::Halves(..) => {}
        }
    }
}
