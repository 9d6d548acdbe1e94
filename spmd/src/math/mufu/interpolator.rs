//! The interpolator: C0 + C1 x + C2 s(x), exactly.
//!
//! Input: the segment's number and the operand's place x in it, a 16- or 17-bit integer.
//! Output: the sum as `double`. It has at most 40 bits, so that every step of it is exact, in any order.

use llvm_zluda::{Linkage, Value};

use super::tables::Table;
use crate::math::Math;

/// The address space of the tables; per-thread IR's global memory.
const TABLE_SPACE: u32 = 1;

/// Bits of a packed word that hold C2.
const CURVE_BITS: u32 = 12;

impl<'c> Math<'_, 'c> {
    pub(super) fn double(&self, value: f64) -> Value<'c> {
        self.builder.context().f64().const_float(value)
    }

    pub(super) fn to_double(&self, integer: Value<'c>) -> Value<'c> {
        self.builder.sitofp(integer, self.builder.context().f64())
    }

    /// 2 to `power` times C0 + C1 x + C2 s, where `square` is s.
    pub(super) fn interpolate(
        &self,
        table: &Table,
        segment: Value<'c>,
        x: Value<'c>,
        square: Value<'c>,
        power: i32,
    ) -> Value<'c> {
        let b = &self.builder;
        let (heights, slopes) = self.coefficients(table, segment);
        let slope = b.ashr(slopes, self.int(CURVE_BITS));
        let unused = self.int(32 - CURVE_BITS);
        let curve = b.ashr(b.shl(slopes, unused), unused);
        let bent = b.shl(b.mul(curve, square), self.int(table.curve_unit));
        let small = self.to_double(b.add(bent, self.int(table.bias as u32)));
        let rest = b.fadd(b.fmul(self.to_double(slope), self.to_double(x)), small);
        let height =
            b.fmul(self.to_double(heights), self.double(2f64.powi(table.unit as i32 + power)));
        b.fadd(height, b.fmul(rest, self.double(2f64.powi(power))))
    }

    /// The square of a 17-bit x in units of 2^19, as hardware makes it: of the products of two bits those that lie
    /// below 2^18 are left out.
    ///
    /// With x = 512 h + l these are l * l, and of h * l those whose places, 0 to 7 and 0 to 8, add up to less than 9.
    pub(super) fn square(&self, x: Value<'c>) -> Value<'c> {
        let b = &self.builder;
        let i8_type = b.context().i8();
        let high = b.lshr(x, self.int(9));
        // Bytes, since vectors of them are short. Bit 0 of l meets nothing that counts.
        let h = b.trunc(high, i8_type);
        let l = b.trunc(b.lshr(x, self.int(1)), i8_type);
        let row = |k: u64| {
            let bit = b.shl(l, i8_type.const_int(k - 1));
            let mask = b.ashr(bit, i8_type.const_int(7));
            b.and(mask, b.lshr(h, i8_type.const_int(k)))
        };
        let mixed = (2..=7).fold(row(1), |sum, k| b.add(sum, row(k)));
        b.add(b.lshr(b.mul(high, high), self.int(1)), b.zext(mixed, b.context().i32()))
    }

    /// C0, and C1 and C2 in one word.
    fn coefficients(&self, table: &Table, segment: Value<'c>) -> (Value<'c>, Value<'c>) {
        let mask = (1 << CURVE_BITS) - 1;
        let heights = table.rows.iter().map(|row| row[0]);
        let slopes = table.rows.iter().map(|row| row[1] << CURVE_BITS | row[2] & mask);
        let words = self.table(table.name, heights.chain(slopes));
        let count = table.rows.len();
        (self.word(words, 0, segment), self.word(words, count, segment))
    }

    /// A constant array of the module.
    pub(super) fn table(&self, name: &str, words: impl Iterator<Item = i32>) -> Value<'c> {
        self.module.global(name).unwrap_or_else(|| {
            let i32_type = self.builder.context().i32();
            let words: Vec<_> = words.map(|word| self.int(word as u32)).collect();
            let ty = i32_type.array(words.len() as u64);
            let linkage = Linkage::LLVMPrivateLinkage;
            let global = self.module.add_global(name, ty, TABLE_SPACE, linkage);
            global.set_initializer(i32_type.const_array(&words));
            global.set_global_constant(true);
            global
        })
    }

    /// The word number `first + index` of an array.
    pub(super) fn word(&self, words: Value<'c>, first: usize, index: Value<'c>) -> Value<'c> {
        let b = &self.builder;
        let (i32_type, i64_type) = (b.context().i32(), b.context().i64());
        let start = b.byte_offset(words, i64_type.const_int(4 * first as u64));
        let place = b.gep(i32_type, start, &[b.zext(index, i64_type)]);
        let word = b.load(i32_type, place, 4);
        word.add_empty_metadata(b.context(), "invariant.load");
        word
    }
}
