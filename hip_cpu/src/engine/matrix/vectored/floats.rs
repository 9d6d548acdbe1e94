//! Products of f16, bf16 and tf32: the sums of [`sum`](super::super::sum), for many elements at once.
//!
//! What is multiplied are the floats themselves, so that a product and its exponent are found apart: the exponents
//! first, of which the largest gives the unit that everything is cut to. Numbers that this does not fit for make the
//! largest exponent one out of range.

use super::super::Row;
use super::Fragments;
use super::vector::{GROUP, Vectors};

/// The exponent of a zero, in halves of words. With that of any number it is below zero.
const NOTHING: u16 = -0x2000_i16 as u16;
/// The exponent of what there is no float for: infinities, NaNs, and subnormal numbers of the formats whose exponents
/// are those of f32. With that of any number, or of zero, it is above all others.
const SPECIAL: u16 = 0x3000;

/// Bits below the largest exponent that count.
const WIDTH: i32 = 25;
/// The range of the largest exponent in which products and sums are not subnormal, unless they are cut to zero.
const LEAST: i32 = -100;
const MOST: i32 = 100;

const fn twice(half: u16) -> u32 {
    half as u32 * 0x1_0001
}

/// A format of factors.
pub trait Element {
    /// The exponents of two factors, as [`Element::exponents`] has them, are that of the product and this.
    const BIAS: i32;
    /// Elements of a word.
    const EACH: usize;

    /// Exponents, in a half of a word each: those of the codes.
    fn exponents<V: Vectors>(v: V, words: V::Words) -> V::Words;

    /// The elements of a row's words as f32: those of the lower halves, and of the upper ones.
    fn values<V: Vectors>(v: V, row: &Row, piece: usize) -> [V::Words; 2];

    /// The same elements, in an order of which [`Element::meets`] knows.
    #[inline(always)]
    fn values_of_a<V: Vectors>(v: V, row: &Row, piece: usize) -> [V::Words; 2] {
        Self::values(v, row, piece)
    }

    /// The half of a word, and the word of a column, with the element of `b` for word `k` of a group in vector `part` of
    /// what [`Element::values_of_a`] gives.
    #[inline(always)]
    fn meets(part: usize, k: usize) -> (usize, usize) {
        (part, k)
    }
}

pub struct F16;
pub struct Bf16;
pub struct Tf32;

impl Element for F16 {
    const BIAS: i32 = 2 * 15;
    const EACH: usize = 2;

    #[inline(always)]
    fn exponents<V: Vectors>(v: V, words: V::Words) -> V::Words {
        let magnitudes = v.and(words, v.splat(0x7fff_7fff));
        let fields = v.shift_halves_right(magnitudes, 10);
        let exponents = v.most_halves(fields, v.splat(0x0001_0001));
        let (zero, last) = (v.splat(0), v.splat(twice(0x1f)));
        let exponents = v.if_halves_equal(magnitudes, zero, v.splat(twice(NOTHING)), exponents);
        v.if_halves_equal(fields, last, v.splat(twice(SPECIAL)), exponents)
    }

    #[inline(always)]
    fn values<V: Vectors>(v: V, row: &Row, piece: usize) -> [V::Words; 2] {
        v.load_halves(row, piece)
    }

    #[inline(always)]
    fn values_of_a<V: Vectors>(v: V, row: &Row, piece: usize) -> [V::Words; 2] {
        v.load_halves_in_order(row, piece)
    }

    #[inline(always)]
    fn meets(part: usize, k: usize) -> (usize, usize) {
        (k % 2, 2 * part + k / 2)
    }
}

impl Element for Bf16 {
    const BIAS: i32 = 2 * 127;
    const EACH: usize = 2;

    #[inline(always)]
    fn exponents<V: Vectors>(v: V, words: V::Words) -> V::Words {
        let magnitudes = v.and(words, v.splat(0x7fff_7fff));
        let fields = v.shift_halves_right(magnitudes, 7);
        let (zero, last) = (v.splat(0), v.splat(twice(0xff)));
        let (nothing, special) = (v.splat(twice(NOTHING)), v.splat(twice(SPECIAL)));
        let small = v.if_halves_equal(magnitudes, zero, nothing, special);
        let exponents = v.if_halves_equal(fields, zero, small, fields);
        v.if_halves_equal(fields, last, special, exponents)
    }

    #[inline(always)]
    fn values<V: Vectors>(v: V, row: &Row, piece: usize) -> [V::Words; 2] {
        let words = v.load(row, piece);
        [v.shift_left(words, 16), v.and(words, v.splat(0xffff_0000))]
    }
}

impl Tf32 {
    const fn with_upper(half: u16) -> u32 {
        half as u32 | (NOTHING as u32) << 16
    }
}

/// In lower halves; upper ones have nothing.
impl Element for Tf32 {
    const BIAS: i32 = 2 * 127;
    const EACH: usize = 1;

    #[inline(always)]
    fn exponents<V: Vectors>(v: V, words: V::Words) -> V::Words {
        // The low 13 bits do not count.
        let magnitudes = v.and(words, v.splat(0x7fff_e000));
        let fields = v.shift_right(magnitudes, 23);
        let (zero, last) = (v.splat(0), v.splat(0xff));
        let nothing = v.splat(Self::with_upper(NOTHING));
        let special = v.splat(Self::with_upper(SPECIAL));
        let small = v.if_equal(magnitudes, zero, nothing, special);
        let exponents = v.xor(fields, v.splat(Self::with_upper(0)));
        let exponents = v.if_equal(fields, zero, small, exponents);
        v.if_equal(fields, last, special, exponents)
    }

    #[inline(always)]
    fn values<V: Vectors>(v: V, row: &Row, piece: usize) -> [V::Words; 2] {
        [v.and(v.load(row, piece), v.splat(0xffff_e000)); 2]
    }
}

/// Which accumulators have halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfAccumulators {
    pub c: bool,
    pub d: bool,
}

/// A register of `b` by columns: what all rows of `a` meet.
struct Columns {
    exponents: Row,
    values: [Row; 2],
}

impl Columns {
    #[inline(always)]
    fn new<V: Vectors, E: Element>(v: V, register: &Row) -> Self {
        let words = v.columns(register);
        let mut columns = Self { exponents: [0; 32], values: [[0; 32]; 2] };
        for piece in 0..32 / V::LENGTH {
            let exponents = E::exponents(v, v.load(&words, piece));
            v.store(&mut columns.exponents, piece, exponents);
            let values = E::values(v, &words, piece);
            for half in 0..E::EACH {
                v.store(&mut columns.values[half], piece, values[half]);
            }
        }
        columns
    }
}

/// A product of 16 rows, with `REGISTERS` registers of `b` and twice as many of `a`. False if there is a number that it
/// is not for.
#[inline(always)]
pub fn multiply<V: Vectors, E: Element, const REGISTERS: usize>(
    v: V,
    fragments: &Fragments,
    half: HalfAccumulators,
    d: &mut [Row; 4],
) -> bool {
    // With one register the second one is a copy, which nobody reads.
    let columns = [
        Columns::new::<V, E>(v, fragments.b[0]),
        Columns::new::<V, E>(v, fragments.b[REGISTERS - 1]),
    ];
    // One pass after the other, so that the processor finds much to do that does not wait for each other.
    let mut largest = [[0; 32]; 4];
    let made = find_largest::<V, E, REGISTERS>(v, fragments, &columns, half, &mut largest);
    if made {
        add_up::<V, E, REGISTERS>(v, fragments, &columns, half, &largest, d);
    }
    made
}

/// The largest exponent of each sum, with the bias of products, where an f32 accumulator has its place. False if one is
/// out of range.
#[inline(always)]
fn find_largest<V: Vectors, E: Element, const REGISTERS: usize>(
    v: V,
    fragments: &Fragments,
    columns: &[Columns; 2],
    half: HalfAccumulators,
    largest: &mut [Row; 4],
) -> bool {
    let mut range = Range::new(v, E::BIAS);
    for rows in 0..2 {
        for piece in 0..32 / V::LENGTH {
            let mut both = [v.splat(twice(NOTHING)); 2];
            for register in 0..REGISTERS {
                let a = v.load(fragments.a[2 * register + rows], piece);
                let a = v.spread(E::exponents(v, a));
                for k in 0..GROUP {
                    for odd in 0..2 {
                        let b = v.load_group(&columns[register].exponents, 2 * k + odd);
                        both[odd] = v.most_halves(both[odd], v.add_halves(a[k], b));
                    }
                }
            }
            let c = accumulators(v, fragments, half, rows, piece);
            let codes = match half {
                HalfAccumulators { c: true, d: true } => {
                    let row = v.load(fragments.c[rows], piece);
                    Some(F16::exponents(v, row))
                }
                _ => None,
            };
            for odd in 0..2 {
                let products = v.most_signed(lower(v, both[odd]), upper(v, both[odd]));
                let accumulator = match codes {
                    Some(codes) => {
                        let code = if odd == 0 { lower(v, codes) } else { upper(v, codes) };
                        v.add(code, v.splat((E::BIAS - 15) as u32))
                    }
                    None => {
                        let field = v.shift_right(v.shift_left(c[odd], 1), 24);
                        v.add(field, v.splat((E::BIAS - 127) as u32))
                    }
                };
                let most = range.most(v, products, accumulator, c[odd]);
                v.store(&mut largest[2 * rows + odd], piece, most);
            }
        }
    }
    range.holds(v)
}

/// The lower halves of words, with their signs.
#[inline(always)]
fn lower<V: Vectors>(v: V, words: V::Words) -> V::Words {
    v.shift_signed(v.shift_left(words, 16), 16)
}

#[inline(always)]
fn upper<V: Vectors>(v: V, words: V::Words) -> V::Words {
    v.shift_signed(words, 16)
}

/// What is known of the exponents of sums, with a bias.
struct Range<V: Vectors> {
    bias: i32,
    /// The largest ones.
    largest: V::Words,
    /// The smallest ones of products, but for those that are zero; and the smallest accumulators, times two, less one.
    products: V::Words,
    accumulators: V::Words,
}

impl<V: Vectors> Range<V> {
    #[inline(always)]
    fn new(v: V, bias: i32) -> Self {
        let last = v.splat(u32::MAX);
        Self { bias, largest: v.splat(0), products: last, accumulators: last }
    }

    /// The larger exponents, at least the smallest in range: sums of nothing but zeros have none, and any will do.
    #[inline(always)]
    fn most(&mut self, v: V, products: V::Words, accumulator: V::Words, c: V::Words) -> V::Words {
        let least = v.splat((self.bias + LEAST) as u32);
        let most = v.most_signed(v.most_signed(products, accumulator), least);
        self.largest = v.most_signed(self.largest, most);
        self.products = v.least(self.products, products);
        let magnitude = v.shift_left(c, 1);
        self.accumulators = v.least(self.accumulators, v.subtract(magnitude, v.splat(1)));
        most
    }

    /// Whether all are in range.
    #[inline(always)]
    fn holds(&self, v: V) -> bool {
        let last = v.splat(u32::MAX);
        let large = v.any_above(self.largest, (self.bias + MOST) as u32);
        // What is below a limit has a complement above the limit's.
        let least = (self.bias + LEAST).max(0) as u32;
        let small = v.any_above(v.xor(self.products, last), !least);
        let least = ((127 + LEAST) as u32) << 24;
        let tiny = v.any_above(v.xor(self.accumulators, last), !least);
        !(large | small | tiny)
    }
}

/// The sums, in the units that [`find_largest`] found.
#[inline(always)]
fn add_up<V: Vectors, E: Element, const REGISTERS: usize>(
    v: V,
    fragments: &Fragments,
    columns: &[Columns; 2],
    half: HalfAccumulators,
    largest: &[Row; 4],
    d: &mut [Row; 4],
) {
    // The exponents of `2^WIDTH` and of its reciprocal, with the bias of the products' added and taken away.
    let to_units = v.splat((127 + WIDTH + E::BIAS) as u32);
    let from_units = v.splat((127 - WIDTH - E::BIAS) as u32);
    for rows in 0..2 {
        for piece in 0..32 / V::LENGTH {
            let mut scales = [v.splat(0); 2];
            let mut units = [v.splat(0); 2];
            for odd in 0..2 {
                let largest = v.load(&largest[2 * rows + odd], piece);
                scales[odd] = v.shift_left(v.subtract(to_units, largest), 23);
                units[odd] = v.shift_left(v.add(from_units, largest), 23);
            }
            let mut sums = [v.splat(0); 2];
            for register in 0..REGISTERS {
                let a = E::values_of_a(v, fragments.a[2 * register + rows], piece);
                for part in 0..E::EACH {
                    let a = v.spread(a[part]);
                    for k in 0..GROUP {
                        let (other, place) = E::meets(part, k);
                        for odd in 0..2 {
                            let b = &columns[register].values[other];
                            let b = v.load_group(b, 2 * place + odd);
                            let term = v.multiply(v.multiply(a[k], b), scales[odd]);
                            sums[odd] = v.add(sums[odd], v.cut(term));
                        }
                    }
                }
            }
            let c = accumulators(v, fragments, half, rows, piece);
            let mut results = [v.splat(0); 2];
            for odd in 0..2 {
                let accumulator = v.cut(v.multiply(c[odd], scales[odd]));
                // Where only the result has halves, it is rounded from an f32.
                let sum = v.sum_to_float(sums[odd], accumulator, half.c && half.d);
                results[odd] = v.multiply(sum, units[odd]);
            }
            if half.d {
                v.store(&mut d[rows], piece, v.to_halves(results[0], results[1]));
            } else {
                v.store(&mut d[2 * rows], piece, results[0]);
                v.store(&mut d[2 * rows + 1], piece, results[1]);
            }
        }
    }
}

/// Accumulators as f32: those of even columns, and of odd ones.
#[inline(always)]
fn accumulators<V: Vectors>(
    v: V,
    fragments: &Fragments,
    half: HalfAccumulators,
    rows: usize,
    piece: usize,
) -> [V::Words; 2] {
    if half.c {
        v.load_halves(fragments.c[rows], piece)
    } else {
        [v.load(fragments.c[2 * rows], piece), v.load(fragments.c[2 * rows + 1], piece)]
    }
}
