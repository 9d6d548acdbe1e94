//! Vectors of 32-bit words, and what products need of them.

use super::super::Row;

/// Words of a group: the lanes that hold pieces of one row of `a`.
pub const GROUP: usize = 4;

/// The instructions of a processor for vectors, whose words come in groups of [`GROUP`].
///
/// Who has a value of such a type knows that the processor has the instructions. Nothing here depends on modes of
/// rounding, and nothing on modes for subnormal numbers as long as there are none.
pub trait Vectors: Copy {
    /// Integers, or floats by their bits.
    type Words: Copy;
    /// Words of a vector. Vector `piece` of a row begins with word `piece * LENGTH`.
    const LENGTH: usize;
    /// [`Vectors::dot`] takes this many parts of each word.
    const PARTS: usize;
    /// [`Vectors::dot`] takes bytes of `a` without sign, and of `b` with one.
    const MIXED_SIGNS: bool;

    fn load(self, row: &Row, piece: usize) -> Self::Words;
    fn store(self, row: &mut Row, piece: usize, words: Self::Words);
    /// A group of a row in all groups of the result.
    fn load_group(self, row: &Row, group: usize) -> Self::Words;
    /// The lower and the upper halves of a row's words, f16, as f32.
    fn load_halves(self, row: &Row, piece: usize) -> [Self::Words; 2];
    /// The first four and the last four halves of each group of a row, f16, as f32.
    fn load_halves_in_order(self, row: &Row, piece: usize) -> [Self::Words; 2];
    /// The words of `b` by columns: word `t` of column `2 p + s` becomes word `8 t + 4 s + p`.
    fn columns(self, row: &Row) -> Row;
    /// Each word of a group in all words of it.
    fn spread(self, words: Self::Words) -> [Self::Words; GROUP];
    fn splat(self, word: u32) -> Self::Words;

    fn and(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn xor(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn shift_left(self, a: Self::Words, count: u32) -> Self::Words;
    fn shift_right(self, a: Self::Words, count: u32) -> Self::Words;
    fn shift_signed(self, a: Self::Words, count: u32) -> Self::Words;
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn subtract(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn most_signed(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The smaller words without sign.
    fn least(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// `then` in words in which `a` and `b` are equal.
    fn if_equal(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        otherwise: Self::Words,
    ) -> Self::Words;
    /// Whether a word without sign is above `most`.
    fn any_above(self, words: Self::Words, most: u32) -> bool;

    fn shift_halves_right(self, a: Self::Words, count: u32) -> Self::Words;
    fn add_halves(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The larger halves, with sign.
    fn most_halves(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn if_halves_equal(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        otherwise: Self::Words,
    ) -> Self::Words;

    /// The product of floats, whose rounding does not matter: it is exact, or cut to zero later.
    fn multiply(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Floats to integers, towards zero.
    fn cut(self, floats: Self::Words) -> Self::Words;
    /// The sum of integers, of fewer than 2^32 in magnitude, cut towards zero to an f32. `odd`: where something was
    /// cut away, the last bit is set, so that a later rounding to fewer bits is that of the exact sum.
    fn sum_to_float(self, a: Self::Words, b: Self::Words, odd: bool) -> Self::Words;
    /// Floats, rounded to the nearest f16: those of `low` in the lower halves.
    fn to_halves(self, low: Self::Words, high: Self::Words) -> Self::Words;

    /// The parts of words of four bytes that [`Vectors::dot`] wants.
    fn parts(self, words: Self::Words, signed: bool) -> [Self::Words; 2];
    /// `sum` and the products of four bytes, or of what a part has of them.
    fn dot(self, sum: Self::Words, a: Self::Words, b: Self::Words) -> Self::Words;
}
