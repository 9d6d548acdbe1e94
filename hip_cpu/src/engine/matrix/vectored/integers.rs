//! Products of integers of eight and of four bits: exact sums, which wrap or saturate.

use super::super::Row;
use super::Fragments;
use super::vector::{GROUP, Vectors};

/// What the elements of factors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    pub a_signed: bool,
    pub b_signed: bool,
    pub saturate: bool,
}

/// The last and the first bits of bytes.
const ONES: u32 = 0x0101_0101;
const SIGNS: u32 = 0x8080_8080;
/// What is added to a byte, or taken from it, where another sign is wanted.
const MOVE: u32 = 128;

/// Words of elements as `EACH` words of bytes: of four bits those with even numbers, then those with odd ones.
#[inline(always)]
fn bytes<V: Vectors, const EACH: usize>(v: V, words: V::Words, signed: bool) -> [V::Words; 2] {
    if EACH == 1 {
        return [words; 2];
    }
    let mut bytes = [words, v.shift_right(words, 4)];
    for byte in &mut bytes {
        *byte = v.and(*byte, v.splat(0x0f * ONES));
        if signed {
            // 30 times bit 3 are bits 4 to 7.
            let sign = v.and(*byte, v.splat(0x08 * ONES));
            let above = v.subtract(v.shift_left(sign, 5), v.shift_left(sign, 1));
            *byte = v.xor(*byte, above);
        }
    }
    bytes
}

/// What [`Vectors::dot`] wants of bytes, moved where it wants the other sign.
#[inline(always)]
fn parts<V: Vectors>(v: V, bytes: V::Words, signed: bool, wanted: bool) -> [V::Words; 2] {
    let moved = V::MIXED_SIGNS && signed != wanted;
    v.parts(if moved { v.xor(bytes, v.splat(SIGNS)) } else { bytes }, signed)
}

/// What sums are too large by where bytes were moved: `a` by [`MOVE`] too large, `b` too small.
struct Moved<V: Vectors> {
    /// The products of what was added to `a` with a row of `b`'s words, to be added up for each column.
    columns: Row,
    /// What was added to both has met in each sum.
    both: V::Words,
}

impl<V: Vectors> Moved<V> {
    #[inline(always)]
    fn new<const EACH: usize, const REGISTERS: usize>(
        v: V,
        b: &[[[Row; 2]; EACH]; REGISTERS],
        b_signed: bool,
    ) -> Self {
        let mut columns = [0; 32];
        for piece in 0..32 / V::LENGTH {
            let mut sum = v.splat(0);
            for [parts, _] in b.as_flattened() {
                // As bytes without a sign these are MOVE.
                sum = v.dot(sum, v.splat(SIGNS), v.load(parts, piece));
            }
            v.store(&mut columns, piece, sum);
        }
        let elements = (REGISTERS * EACH * GROUP * GROUP) as u32;
        let both = if b_signed { 0 } else { MOVE * MOVE * elements };
        Self { columns, both: v.splat(both) }
    }

    /// For even columns, or for odd ones.
    #[inline(always)]
    fn excess(&self, v: V, odd: usize) -> V::Words {
        let mut excess = self.both;
        for k in 0..GROUP {
            excess = v.add(excess, v.load_group(&self.columns, 2 * k + odd));
        }
        excess
    }
}

/// A product of `8 * BLOCKS` rows, with `REGISTERS` registers of `b`, of which each has `EACH` of bytes.
#[inline(always)]
pub fn multiply<V: Vectors, const REGISTERS: usize, const BLOCKS: usize, const EACH: usize>(
    v: V,
    fragments: &Fragments,
    integers: Integers,
    d: &mut [Row; 4],
) {
    let Integers { a_signed, b_signed, saturate } = integers;
    let mut b = [[[[0; 32]; 2]; EACH]; REGISTERS];
    for register in 0..REGISTERS {
        let words = v.columns(fragments.b[register]);
        for piece in 0..32 / V::LENGTH {
            let bytes = bytes::<V, EACH>(v, v.load(&words, piece), b_signed);
            for half in 0..EACH {
                let parts = parts(v, bytes[half], b_signed, true);
                for part in 0..V::PARTS {
                    v.store(&mut b[register][half][part], piece, parts[part]);
                }
            }
        }
    }
    let mut excess = [v.splat(0); 2];
    if V::MIXED_SIGNS && a_signed {
        let moved = Moved::new(v, &b, b_signed);
        for odd in 0..2 {
            excess[odd] = moved.excess(v, odd);
        }
    }
    for rows in 0..BLOCKS {
        for piece in 0..32 / V::LENGTH {
            let mut sums = [v.splat(0); 2];
            let mut elements = v.splat(0);
            for register in 0..REGISTERS {
                let words = v.load(fragments.a[BLOCKS * register + rows], piece);
                let bytes = bytes::<V, EACH>(v, words, a_signed);
                for half in 0..EACH {
                    let parts = parts(v, bytes[half], a_signed, false);
                    for part in 0..V::PARTS {
                        let a = v.spread(parts[part]);
                        for k in 0..GROUP {
                            for odd in 0..2 {
                                let b = v.load_group(&b[register][half][part], 2 * k + odd);
                                sums[odd] = v.dot(sums[odd], a[k], b);
                            }
                        }
                    }
                    // As bytes with a sign these are -MOVE, which is what `b` was moved by.
                    elements = v.dot(elements, parts[0], v.splat(SIGNS));
                }
            }
            let mut excess = excess;
            if V::MIXED_SIGNS && !b_signed {
                for elements in v.spread(elements) {
                    excess = [v.add(excess[0], elements), v.add(excess[1], elements)];
                }
            }
            for odd in 0..2 {
                let row = 2 * rows + odd;
                let sum = v.subtract(sums[odd], excess[odd]);
                let c = v.load(fragments.c[row], piece);
                v.store(&mut d[row], piece, total(v, sum, c, saturate));
            }
        }
    }
}

#[inline(always)]
fn total<V: Vectors>(v: V, sum: V::Words, c: V::Words, saturate: bool) -> V::Words {
    let total = v.add(sum, c);
    if !saturate {
        return total;
    }
    let wrapped = v.and(v.xor(sum, total), v.xor(c, total));
    let limit = v.xor(v.shift_signed(c, 31), v.splat(i32::MAX as u32));
    let change = v.and(v.xor(total, limit), v.shift_signed(wrapped, 31));
    v.xor(total, change)
}
