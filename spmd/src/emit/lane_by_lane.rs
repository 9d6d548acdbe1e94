//! Code that runs for one lane after the other, and vectors in memory, of which a lane's element can be chosen.

use cpu_abi::BlockContext;
use llvm_zluda::{Builder, Type, Value};
use std::mem::offset_of;

use super::environment::{call_runtime, field};
use super::{Emitter, LANES, Lanes};
use crate::Error;
use crate::rows;
use crate::runtime_helpers::{self, Pace};

/// One lane's share of what [`Emitter::lane_by_lane`] is given, in a function of its own.
pub(super) struct Lane<'l, 'c> {
    pub b: &'l Builder<'c>,
    /// The block's context.
    pub block: Value<'c>,
    /// The other values that are the same for all lanes.
    pub uniform: &'l [Value<'c>],
    /// Its elements of the vectors.
    pub elements: &'l [Value<'c>],
    /// Its number, `i64`.
    pub number: Value<'c>,
}

/// Makes a lane's results.
pub(super) type OfLane<'f, 'c> = &'f dyn Fn(&Lane<'_, 'c>) -> Result<Vec<Value<'c>>, Error>;

impl<'c> Lane<'_, 'c> {
    /// Calls the function of the runtime's table at an offset.
    pub fn runtime(&self, offset: usize, result: Type<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let ptr = self.b.context().ptr(0);
        let table = field(self.b, self.block, offset_of!(BlockContext, runtime), ptr, 8);
        call_runtime(self.b, table, offset, result, arguments)
    }
}

impl<'c> Emitter<'_, 'c> {
    /// Runs `body` for each active lane, one after the other, and returns vectors of its results; `name` says what it
    /// does. The loop is a function, which all code with the same name and types shares: kernels have many such
    /// instructions, and none is quick.
    pub(super) fn lane_by_lane(
        &mut self,
        name: &str,
        uniform: &[Value<'c>],
        vectors: &[Value<'c>],
        results: &[Type<'c>],
        body: OfLane<'_, 'c>,
    ) -> Result<Vec<Value<'c>>, Error> {
        self.for_lanes(name, Pace::OneByOne, uniform, vectors, results, body)
    }

    /// [`Self::lane_by_lane`], at some pace.
    pub(super) fn for_lanes(
        &mut self,
        name: &str,
        pace: Pace,
        uniform: &[Value<'c>],
        vectors: &[Value<'c>],
        results: &[Type<'c>],
        body: OfLane<'_, 'c>,
    ) -> Result<Vec<Value<'c>>, Error> {
        let mut all = vec![self.environment.block];
        all.extend(uniform);
        let elements: Vec<_> = vectors.iter().map(|vector| vector.ty().element()).collect();
        let types: Vec<_> = elements.iter().chain(results).map(|ty| ty.print()).collect();
        let name = format!("spmd.lanes.{name}.{}", types.join("."));
        let shared: Vec<_> = all.iter().map(|value| value.ty()).collect();
        let function = runtime_helpers::for_active_lanes(
            self.module,
            &name,
            [&shared, &elements, results],
            pace,
            &|b, all, elements, number| {
                let (block, uniform) = (all[0], &all[1..]);
                body(&Lane { b, block, uniform, elements, number })
            },
        )?;
        let mut places = 0;
        let mut place = |this: &mut Self, ty: Type<'c>| {
            places += 1;
            this.lane_place(places - 1, rows::kept(this.module, ty.vector(LANES)))
        };
        for vector in vectors {
            if pace == Pace::AllAtOnce {
                all.push(*vector);
                continue;
            }
            let place = place(self, vector.ty().element());
            rows::store(self.module, &self.b, *vector, place, 32);
            all.push(place);
        }
        let made: Vec<_> = results.iter().map(|ty| (place(self, *ty), *ty)).collect();
        all.extend(made.iter().map(|(place, _)| *place));
        all.push(self.active_bits());
        self.b.call(function, &all);
        let load = |(place, ty): (Value<'c>, Type<'c>)| {
            rows::load(self.module, &self.b, ty.vector(LANES), place, 32)
        };
        Ok(made.into_iter().map(load).collect())
    }

    /// Memory for what [`Self::lane_by_lane`] is given, by a number and a type: nothing stays in it.
    pub(super) fn lane_place(&mut self, number: usize, ty: Type<'c>) -> Value<'c> {
        if let Some(place) = self.lane_places.get(&(number, ty)) {
            return *place;
        }
        let place = self.stack(ty, 32);
        self.lane_places.insert((number, ty), place);
        place
    }

    /// An instruction's operands as vectors.
    pub(super) fn vectors(&mut self, operands: &[Value<'c>]) -> Vec<Value<'c>> {
        operands
            .iter()
            .map(|&operand| {
                let lanes: Lanes<'c> = self.get(operand);
                self.vector(&lanes)
            })
            .collect()
    }

    /// Writes a vector to the stack, so that one of its lanes can be read.
    pub(super) fn spill(&self, vector: Value<'c>) -> Value<'c> {
        let slot = self.stack(rows::kept(self.module, vector.ty()), 32);
        rows::store(self.module, &self.b, vector, slot, 32);
        slot
    }

    /// Loads one lane of a vector that [`Self::spill`] stored; `ty` is a lane's type, `lane` an `i32`.
    pub(super) fn lane_of(&self, spilled: Value<'c>, ty: Type<'c>, lane: Value<'c>) -> Value<'c> {
        let lane = self.b.zext(lane, self.cx.i64());
        rows::load_element(self.module, &self.b, ty, spilled, lane)
    }
}
