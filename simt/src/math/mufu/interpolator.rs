//! The interpolator: C0 + C1 x + C2 s(x), exactly.
//!
//! Input: the segment's number and the operand's place x in it, a 16- or 17-bit integer.
//! Output: the sum, of at most 41 bits, as two integers. Products with a part of x fit 32 bits, so that the sum's lowest
//! bits are known before the products with the upper part of x come in.

use llvm_zluda::{IntPredicate, Linkage, Value};

use super::tables::Table;
use crate::math::Math;

/// The address space of the tables; per-thread IR's global memory.
const TABLE_SPACE: u32 = 1;

/// Bits of a packed word that hold C2.
const CURVE_BITS: u32 = 12;

/// A place in a segment.
pub(super) struct SegmentOffset<'c> {
    /// The upper 8 bits.
    high: Value<'c>,
    /// The others: 9, or 8 of a place of 16 bits.
    low: Value<'c>,
    low_bits: u32,
}

/// `upper` 2^`low_bits` + `lower`.
pub(super) struct Sum<'c> {
    pub upper: Value<'c>,
    pub lower: Value<'c>,
    pub low_bits: u32,
}

impl<'c> Math<'_, 'c> {
    /// A double in all lanes.
    pub(in crate::math) fn double(&self, value: f64) -> Value<'c> {
        self.spread(self.builder.context().f64().const_float(value))
    }

    /// A signed integer as a double.
    pub(super) fn to_double(&self, integer: Value<'c>) -> Value<'c> {
        self.builder.sitofp(integer, self.f64())
    }

    /// The place in the lowest `bits` of a number, 16 or 17.
    pub(super) fn place(&self, number: Value<'c>, bits: u32) -> SegmentOffset<'c> {
        let b = &self.builder;
        let low_bits = bits - 8;
        SegmentOffset {
            high: b.and(b.lshr(number, self.int(low_bits)), self.int(0xff)),
            low: b.and(number, self.int((1 << low_bits) - 1)),
            low_bits,
        }
    }

    /// C0 + C1 x + C2 s(x), the first and the last one in the table's units.
    pub(super) fn interpolate(
        &self,
        table: &Table,
        segment: Value<'c>,
        place: &SegmentOffset<'c>,
    ) -> Sum<'c> {
        let b = &self.builder;
        let low_bits = place.low_bits;
        // The bias is a part of C0, but for its lowest bits.
        let heights = table.rows.iter().map(|row| {
            ((row[0] as u32) << (table.unit - low_bits))
                .wrapping_add((table.bias >> low_bits) as u32)
        });
        let mask = (1 << CURVE_BITS) - 1;
        let slopes = table.rows.iter().map(|row| (row[1] << CURVE_BITS | row[2] & mask) as u32);
        let (height, slopes) = self.look_up(table.name, heights.zip(slopes), segment);
        let slope = b.ashr(slopes, self.int(CURVE_BITS));
        let unused = self.int(32 - CURVE_BITS);
        let curve = b.ashr(b.shl(slopes, unused), unused);
        let bent = b.shl(b.mul(curve, self.square(place)), self.int(table.curve_unit));
        let rest = self.int((table.bias & ((1 << low_bits) - 1)) as u32);
        let lower = b.add(b.add(b.mul(slope, place.low), bent), rest);
        let carried = b.ashr(lower, self.int(low_bits));
        let upper = b.add(b.add(height, b.mul(slope, place.high)), carried);
        Sum { upper, lower: b.and(lower, self.int((1 << low_bits) - 1)), low_bits }
    }

    /// The sum without its lowest `bits`, which are at least those of the lower part.
    pub(super) fn without_lowest(&self, sum: &Sum<'c>, bits: u32) -> Value<'c> {
        self.builder.lshr(sum.upper, self.int(bits - sum.low_bits))
    }

    /// The sum, cut to a multiple of 2^`cut` and in units of that.
    pub(super) fn sum_as_double(&self, sum: &Sum<'c>, cut: u32) -> Value<'c> {
        let b = &self.builder;
        let scale = self.double(f64::from(1u32 << (sum.low_bits - cut)));
        let lower = self.to_double(b.lshr(sum.lower, self.int(cut)));
        b.fadd(b.fmul(self.to_double(sum.upper), scale), lower)
    }

    /// The square of a 17-bit x in units of 2^19, as hardware makes it: of the products of two bits those that lie
    /// below 2^18 are left out. A place of 16 bits counts twice.
    ///
    /// With x = 512 h + l these are l * l, and of h * l those whose places, 0 to 7 and 0 to 8, add up to less than 9.
    pub(super) fn square(&self, place: &SegmentOffset<'c>) -> Value<'c> {
        let b = &self.builder;
        // Bytes, since vectors of them are short. Bit 0 of l meets nothing that counts.
        let mut h = b.trunc(place.high, self.i8());
        let mut l = b.trunc(b.lshr(place.low, self.int(place.low_bits - 8)), self.i8());
        let mut mixed = None;
        for row in 1..=7 {
            if row > 1 {
                l = b.add(l, l);
            }
            h = b.lshr(h, self.byte(1));
            let part = b.and(b.ashr(l, self.byte(7)), h);
            mixed = Some(mixed.map_or(part, |sum| b.add(sum, part)));
        }
        let whole = b.lshr(b.mul(place.high, place.high), self.int(1));
        mixed.map_or(whole, |mixed| b.add(whole, b.zext(mixed, self.i32())))
    }

    /// The words of a row of a table, or of one for each lane.
    pub(super) fn look_up(
        &self,
        name: &str,
        rows: impl Iterator<Item = (u32, u32)>,
        index: Value<'c>,
    ) -> (Value<'c>, Value<'c>) {
        if !self.permutes {
            return self.row(self.table(name, rows), index);
        }
        let (first, second): (Vec<_>, Vec<_>) = rows.unzip();
        (self.permuted(&first, index), self.permuted(&second, index))
    }

    /// A word for each lane out of registers: the lowest five bits of an index choose from two of them, the others from
    /// what is found there.
    fn permuted(&self, words: &[u32], indices: Value<'c>) -> Value<'c> {
        const REGISTER: usize = 16;
        let b = &self.builder;
        let i32_type = b.context().i32();
        let register = |words: &[u32]| {
            let words = words.iter().copied().chain(std::iter::repeat(0)).take(REGISTER);
            b.const_vector(&words.map(|word| i32_type.const_int(word.into())).collect::<Vec<_>>())
        };
        let splat = |word| b.splat(i32_type.const_int(word), REGISTER as u32);
        let parts = (0..self.lanes as i32).step_by(REGISTER).map(|first| {
            let lanes: Vec<_> = (first..first + REGISTER as i32).collect();
            let indices = b.shuffle(indices, indices, &lanes);
            let mut found: Vec<_> = words
                .chunks(2 * REGISTER)
                .map(|words| {
                    let (low, high) = words.split_at(words.len().min(REGISTER));
                    let name = "llvm.x86.avx512.vpermi2var.d.512";
                    b.intrinsic(self.module, name, &[], &[register(low), indices, register(high)])
                })
                .collect();
            for bit in 5.. {
                if found.len() == 1 {
                    break;
                }
                let bit = b.and(indices, splat(1 << bit));
                let upper = b.icmp(IntPredicate::LLVMIntNE, bit, splat(0));
                let choose = |pair: &[Value<'c>]| match *pair {
                    [low, high] => b.select(upper, high, low),
                    _ => pair[0],
                };
                found = found.chunks(2).map(choose).collect();
            }
            found[0]
        });
        self.joined(parts.collect())
    }

    /// A constant array of the module, of pairs of words.
    fn table(&self, name: &str, rows: impl Iterator<Item = (u32, u32)>) -> Value<'c> {
        self.module.global(name).unwrap_or_else(|| {
            let i64_type = self.builder.context().i64();
            let rows: Vec<_> = rows
                .map(|(first, second)| {
                    i64_type.const_int(u64::from(second) << 32 | u64::from(first))
                })
                .collect();
            let ty = i64_type.array(rows.len() as u64);
            let linkage = Linkage::LLVMPrivateLinkage;
            let global = self.module.add_global(name, ty, TABLE_SPACE, linkage);
            global.set_initializer(i64_type.const_array(&rows));
            global.set_global_constant(true);
            global
        })
    }

    /// The words of a row, or of one for each lane.
    fn row(&self, table: Value<'c>, index: Value<'c>) -> (Value<'c>, Value<'c>) {
        let b = &self.builder;
        let (i32_type, i64_type) = (b.context().i32(), b.context().i64());
        let load = |index: Value<'c>| {
            let row = b.load(i64_type, b.gep(i64_type, table, &[b.zext(index, i64_type)]), 8);
            row.add_empty_metadata(b.context(), "invariant.load");
            row
        };
        if self.lanes > 1 {
            return self.rows(index, &load);
        }
        let row = load(index);
        let second = b.lshr(row, i64_type.const_int(32));
        (b.trunc(row, i32_type), b.trunc(second, i32_type))
    }

    /// As [`row`](Self::row), lane by lane: a load for each takes less time than gathering the first words and then
    /// the second ones.
    fn rows(
        &self,
        indices: Value<'c>,
        load: &dyn Fn(Value<'c>) -> Value<'c>,
    ) -> (Value<'c>, Value<'c>) {
        let b = &self.builder;
        let (i32_type, i64_type) = (b.context().i32(), b.context().i64());
        let slot = b.alloca(indices.ty());
        b.store(indices, slot, 4);
        let mut words = [Vec::new(), Vec::new()];
        for first in (0..self.lanes).step_by(8) {
            // Lanes in the order in which the shuffles of single registers find them.
            let halves = [[0, 1, 4, 5], [2, 3, 6, 7]].map(|lanes| {
                let mut rows = i64_type.vector(4).poison();
                for (place, lane) in lanes.into_iter().enumerate() {
                    let lane = i64_type.const_int(u64::from(first + lane));
                    let index = b.load(i32_type, b.gep(i32_type, slot, &[lane]), 4);
                    let row = load(index);
                    rows = b.insert_element(rows, row, i32_type.const_int(place as u64));
                }
                b.bitcast(rows, i32_type.vector(8))
            });
            for (word, words) in words.iter_mut().enumerate() {
                let mask = [0, 2, 8, 10, 4, 6, 12, 14].map(|place| place + word as i32);
                words.push(b.shuffle(halves[0], halves[1], &mask));
            }
        }
        let [first, second] = words.map(|parts| self.joined(parts));
        (first, second)
    }

    /// One vector of several.
    fn joined(&self, mut parts: Vec<Value<'c>>) -> Value<'c> {
        let b = &self.builder;
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| {
                    let lanes: Vec<i32> = (0..2 * pair[0].ty().len() as i32).collect();
                    b.shuffle(pair[0], pair[1], &lanes)
                })
                .collect();
        }
        parts[0]
    }
}
