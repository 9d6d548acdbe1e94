//! `mma`: fragments to tiles of 16 or 8 rows and 8 columns, and back.

use cpu_abi::{MatrixKind, MatrixOperation, MatrixType};

use super::format::{Format, NAN_F16, NAN_F32, Number, narrowed, round_to_f16, widened};
use super::sparse::Pattern;
use super::sum::{self, Accumulator, COLUMNS, ColumnFactors, RowFactors, Rules};
use super::vectored::Plan as Vectored;
use super::{Row, fragment, integer, scaled};

/// The most accumulator registers of a product, and rows of a tile.
const MOST_WORDS: usize = 8;
const MOST_ROWS: usize = 16;

/// `d = a * b + c`, all in registers.
pub fn multiply(operation: &MatrixOperation, rows: &mut [Row]) {
    if Vectored::of(operation).is_some_and(|plan| plan.multiply_rows(rows)) {
        return;
    }
    in_general(operation, rows);
}

/// All products that there are.
pub fn in_general(operation: &MatrixOperation, rows: &mut [Row]) {
    if operation.is_quad_pairs() {
        return super::quad_pairs::multiply(operation, rows);
    }
    if operation.a == MatrixType::F64 {
        return super::doubles::multiply(operation, rows);
    }
    let stored = usize::from(operation.k) / if operation.sparse { 2 } else { 1 };
    // Single bits are taken 32 at a time.
    let stored = if operation.a == MatrixType::B1 { stored / 32 } else { stored };
    match (stored, operation.sparse) {
        (4, false) => fast::<4, 4>(operation, rows),
        (8, false) => fast::<8, 8>(operation, rows),
        (16, false) => fast::<16, 16>(operation, rows),
        (32, false) => fast::<32, 32>(operation, rows),
        (64, false) => fast::<64, 64>(operation, rows),
        (4, true) => fast::<4, 8>(operation, rows),
        (8, true) => fast::<8, 16>(operation, rows),
        (16, true) => fast::<16, 32>(operation, rows),
        (32, true) => fast::<32, 64>(operation, rows),
        (64, true) => fast::<64, 128>(operation, rows),
        _ => {}
    }
}

/// With the instructions of the processor at hand. All give the same bits.
fn fast<const K: usize, const D: usize>(operation: &MatrixOperation, rows: &mut [Row]) {
    #[target_feature(enable = "avx2,fma,bmi2")]
    fn wide<const K: usize, const D: usize>(operation: &MatrixOperation, rows: &mut [Row]) {
        sized::<K, D>(operation, rows);
    }
    if has_wide_vectors() {
        // SAFETY: the processor has these features.
        unsafe { wide::<K, D>(operation, rows) };
    } else {
        sized::<K, D>(operation, rows);
    }
}

/// Whether the processor has AVX2, FMA and BMI2.
pub fn has_wide_vectors() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi2")
}

/// A product whose rows of `a` have `K` stored elements, and whose columns of `b` have `D`.
#[inline(always)]
fn sized<const K: usize, const D: usize>(operation: &MatrixOperation, rows: &mut [Row]) {
    let words = operation.words();
    let (a_words, b_words, c_words) = (words.a as usize, words.b as usize, words.c as usize);
    let height = usize::from(operation.m);
    let bits = element_bits(operation);
    let (a_rows, rest) = rows.split_at(a_words);
    let (b_rows, rest) = rest.split_at(b_words);
    let (c_rows, more) = rest.split_at(c_words);
    let each = 32 / bits;

    let mut a = [[0; K]; MOST_ROWS];
    for (i, row) in a.iter_mut().enumerate().take(height) {
        for (k, code) in row.iter_mut().enumerate() {
            let (lane, index) = fragment::of_a(i, k, each, height);
            *code = fragment::element(a_rows, bits, lane, index);
        }
    }
    let mut b = [[0; COLUMNS]; D];
    for (k, row) in b.iter_mut().enumerate() {
        for (j, code) in row.iter_mut().enumerate() {
            let (lane, index) = fragment::of_b(k, j, each);
            *code = fragment::element(b_rows, bits, lane, index);
        }
    }
    let meets = meetings(operation, more);
    let (c_bits, d_bits) = (operation.c.bits() as usize, operation.d.bits() as usize);
    let mut d = [[0; 32]; MOST_WORDS];
    let product = Product::new(operation, &b);
    for i in 0..height {
        let c = std::array::from_fn(|j| {
            let (lane, index) = fragment::of_c(i, j);
            fragment::element(c_rows, c_bits, lane, index)
        });
        for (j, value) in product.row(i, &a[i], &meets[i], c, more).into_iter().enumerate() {
            let (lane, index) = fragment::of_c(i, j);
            fragment::put(&mut d, d_bits, lane, index, value);
        }
    }
    let d_words = words.d as usize;
    rows[..d_words].copy_from_slice(&d[..d_words]);
}

/// The k of each stored element of a row of `a`.
#[inline(always)]
pub fn meetings<const K: usize>(operation: &MatrixOperation, more: &[Row]) -> [[u8; K]; MOST_ROWS] {
    let mut meets = [std::array::from_fn(|k| k as u8); MOST_ROWS];
    if operation.sparse {
        let pattern = Pattern::new(operation.a, 2 * K, operation.packed);
        let selector = more[1][0] as usize;
        for (i, meets) in meets.iter_mut().enumerate() {
            pattern.positions(&more[0], selector, i, meets);
        }
    }
    meets
}

/// A tile of `b`, ready to be multiplied with rows of `a`.
pub struct Product<'t, const D: usize> {
    operation: &'t MatrixOperation,
    b: &'t [[u32; COLUMNS]; D],
    floats: Option<(Plan, Format, Columns<D>)>,
}

impl<'t, const D: usize> Product<'t, D> {
    /// Takes the tile's columns apart, once for all rows of `a`.
    #[inline(always)]
    pub fn new(operation: &'t MatrixOperation, b: &'t [[u32; COLUMNS]; D]) -> Self {
        let formats = (Format::of(operation.a), Format::of(operation.b));
        let floats = match formats {
            (Some(format_a), Some(format_b)) if operation.scale.is_none() => {
                Some((Plan::of(operation), format_a, Columns::new(b, format_b)))
            }
            _ => None,
        };
        Self { operation, b, floats }
    }

    /// Row `i` of the results. `more` holds metadata, selector and scales.
    #[inline(always)]
    pub fn row<const K: usize>(
        &self,
        i: usize,
        a: &[u32; K],
        meets: &[u8; K],
        c: [u32; COLUMNS],
        more: &[Row],
    ) -> [u32; COLUMNS] {
        let operation = self.operation;
        if let Some((plan, format, columns)) = &self.floats {
            return match (operation.c, operation.d) {
                (MatrixType::F16, MatrixType::F32) => {
                    plan.row(a, meets, *format, columns, c.map(widened))
                }
                (MatrixType::F32, MatrixType::F16) => {
                    plan.row(a, meets, *format, columns, c).map(narrowed)
                }
                _ => plan.row(a, meets, *format, columns, c),
            };
        }
        if operation.scale.is_some() {
            let scales = &more[if operation.sparse { 2 } else { 0 }..];
            return scaled::row(operation, i, a, meets, self.b, c, scales);
        }
        integer::row(operation, a, meets, self.b, c)
    }
}

/// Bits of an element of `a` or `b` in its register.
fn element_bits(operation: &MatrixOperation) -> usize {
    match operation.a {
        MatrixType::B1 => 32,
        _ if operation.packed => 4,
        ty => ty.bits() as usize,
    }
}

/// `b`, taken apart.
struct Columns<const D: usize> {
    codes: [[u32; COLUMNS]; D],
    significands: [[f32; COLUMNS]; D],
    powers: [[f32; COLUMNS]; D],
    format: Format,
    special: bool,
}

impl<const D: usize> Columns<D> {
    #[inline(always)]
    fn new(codes: &[[u32; COLUMNS]; D], format: Format) -> Self {
        let mut columns = Self {
            codes: *codes,
            significands: [[0.0; COLUMNS]; D],
            powers: [[0.0; COLUMNS]; D],
            format,
            special: false,
        };
        for (k, row) in codes.iter().enumerate() {
            for (j, &code) in row.iter().enumerate() {
                let (significand, power) = format.parts(code);
                columns.significands[k][j] = significand;
                columns.powers[k][j] = power;
                columns.special |= power == f32::INFINITY;
            }
        }
        columns
    }
}

/// In which order and with which rules a product of floats is summed.
struct Plan {
    rules: Rules,
    /// The accumulator is added at the end, by an addition of its own.
    apart: bool,
    /// Elements of a row come in two blocks: those in the lower halves of words first.
    halves: bool,
}

impl Plan {
    fn of(operation: &MatrixOperation) -> Self {
        // Where the accumulators differ in type, f32 is what is summed.
        let both = operation.c == MatrixType::F16 && operation.d == MatrixType::F16;
        let result = if both { Accumulator::F16 } else { Accumulator::F32 };
        let bytes = matches!(operation.a, MatrixType::E4m3 | MatrixType::E5m2)
            && matches!(operation.b, MatrixType::E4m3 | MatrixType::E5m2);
        if bytes && operation.kind == MatrixKind::WarpGroup {
            return Self { rules: Rules::of_bytes(result), apart: false, halves: false };
        }
        // Only `wgmma` has tensor cores for bytes: for `mma` they become f16, two words for one.
        Self { rules: Rules::usual(result), apart: bytes, halves: bytes }
    }

    #[inline(always)]
    fn row<const K: usize, const D: usize>(
        &self,
        codes: &[u32; K],
        meets: &[u8; K],
        format: Format,
        columns: &Columns<D>,
        c: [u32; COLUMNS],
    ) -> [u32; COLUMNS] {
        let (mut codes, mut meets) = (*codes, *meets);
        if self.halves {
            let order: [usize; K] = std::array::from_fn(|place| {
                let (half, index) = (place / (K / 2), place % (K / 2));
                index / 2 * 4 + 2 * half + index % 2
            });
            codes = order.map(|index| codes[index]);
            meets = order.map(|index| meets[index]);
        }
        let parts = codes.map(|code| format.parts(code));
        let significands = parts.map(|(significand, _)| significand);
        let powers = parts.map(|(_, power)| power);
        let special = columns.special || powers.contains(&f32::INFINITY);
        let b = ColumnFactors {
            codes: &columns.codes,
            significands: &columns.significands,
            powers: &columns.powers,
            format: columns.format,
        };
        let block = |range: std::ops::Range<usize>, c: [u32; COLUMNS]| {
            let a = RowFactors {
                codes: &codes[range.clone()],
                significands: &significands[range.clone()],
                powers: &powers[range.clone()],
                meets: &meets[range],
                format,
            };
            sum::row(self.rules, a, b, c, special)
        };
        let start = if self.apart { [0; COLUMNS] } else { c };
        let sum =
            if self.halves { block(K / 2..K, block(0..K / 2, start)) } else { block(0..K, start) };
        if !self.apart {
            return sum;
        }
        std::array::from_fn(|j| match self.rules.result {
            Accumulator::F32 => add_f32(sum[j], c[j]),
            Accumulator::F16 => add_f16(sum[j], c[j]),
        })
    }
}

/// An addition outside of the tensor cores.
pub fn add_f32(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(a) + f32::from_bits(b);
    if sum.is_nan() { NAN_F32 } else { sum.to_bits() }
}

fn add_f16(a: u32, b: u32) -> u32 {
    match (Format::F16.number(a), Format::F16.number(b)) {
        (Number::Nan, _) | (_, Number::Nan) => NAN_F16,
        (Number::Infinite { negative: x }, Number::Infinite { negative: y }) if x != y => NAN_F16,
        (Number::Infinite { .. }, _) => a,
        (_, Number::Infinite { .. }) => b,
        (
            Number::Finite { negative: x, significand: p, exponent: e },
            Number::Finite { negative: y, significand: q, exponent: f },
        ) => {
            // Multiples of 2^-37.
            let fixed = |negative: bool, significand: u32, exponent: i32| {
                let magnitude = i64::from(significand) << (exponent + 14);
                if negative { -magnitude } else { magnitude }
            };
            let sum = fixed(x, p, e) + fixed(y, q, f);
            if sum == 0 && x && y && p == 0 {
                return 0x8000;
            }
            round_to_f16(sum < 0, sum.unsigned_abs(), -37)
        }
    }
}
