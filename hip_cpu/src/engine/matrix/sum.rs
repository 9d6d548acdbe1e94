//! The sum of products as Hopper's tensor cores make it.
//!
//! Products are exact. The accumulator and the products of a block are cut, towards zero, to multiples
//! of `2^(e - width)`, where `e` is the largest exponent among them, an exponent being the sum of those
//! that the codes of the factors hold. Their sum is exact, and is cut to f32 towards zero, or rounded to
//! the nearest f16. docs/dev/matrix.md says how this was found.

use super::format::{Format, NAN_F16, NAN_F32, Number, round_to_f16, truncate_to_f32};

/// Columns of a tile.
pub const COLUMNS: usize = 8;

/// The format of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulator {
    F32,
    F16,
}

impl Accumulator {
    /// The format that takes its codes apart.
    pub fn format(self) -> Format {
        match self {
            Accumulator::F32 => Format::F32,
            Accumulator::F16 => Format::F16,
        }
    }

    fn nan(self) -> u32 {
        match self {
            Accumulator::F32 => NAN_F32,
            Accumulator::F16 => NAN_F16,
        }
    }

    fn infinity(self, negative: bool) -> u32 {
        match self {
            Accumulator::F32 => 0x7f80_0000 | u32::from(negative) << 31,
            Accumulator::F16 => 0x7c00 | u32::from(negative) << 15,
        }
    }
}

/// The precision and the rounding of sums.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Bits below the largest exponent that count.
    pub width: i32,
    /// Bits of the significand of an f32 result, the leading one included.
    pub kept: u32,
    pub result: Accumulator,
}

impl Rules {
    /// Those of f16, bf16 and tf32.
    pub fn usual(result: Accumulator) -> Self {
        Self { width: 25, kept: 24, result }
    }

    /// Those of `wgmma` of bytes.
    pub fn of_bytes(result: Accumulator) -> Self {
        Self { width: 13, kept: 14, result }
    }
}

/// Factors of a row of `a`: parts of the numbers (see [`Format::parts`]) and the rows of `b` that they meet.
#[derive(Clone, Copy)]
pub struct RowFactors<'t> {
    pub codes: &'t [u32],
    pub significands: &'t [f32],
    pub powers: &'t [f32],
    pub meets: &'t [u8],
    pub format: Format,
}

impl RowFactors<'_> {
    fn len(&self) -> usize {
        self.codes.len()
    }
}

/// Columns of `b`, a row for each k.
#[derive(Clone, Copy)]
pub struct ColumnFactors<'t> {
    pub codes: &'t [[u32; COLUMNS]],
    pub significands: &'t [[f32; COLUMNS]],
    pub powers: &'t [[f32; COLUMNS]],
    pub format: Format,
}

/// The range of the largest power in which floats are exact enough.
const LEAST: f32 = f32::from_bits((127 - 90) << 23);
const MOST: f32 = f32::from_bits((127 + 90) << 23);

/// One row of results. `special`: some factor is infinite or not a number.
#[inline(always)]
pub fn row(
    rules: Rules,
    a: RowFactors,
    b: ColumnFactors,
    c: [u32; COLUMNS],
    special: bool,
) -> [u32; COLUMNS] {
    if special {
        return std::array::from_fn(|column| exact(rules, a, b, c[column], column));
    }
    let parts = c.map(|code| rules.result.format().parts(code));
    let mut largest = parts.map(|(_, power)| power);
    let terms = a.powers.iter().zip(a.meets);
    for (&power, &k) in terms {
        let with = &b.powers[usize::from(k)];
        for column in 0..COLUMNS {
            let product = power * with[column];
            largest[column] = if product > largest[column] { product } else { largest[column] };
        }
    }
    let mut results = [0; COLUMNS];
    // A power of two is its exponent: the reciprocal is one subtraction. Lanes out of range are mended below.
    let inside = largest.map(|power| (LEAST..=MOST).contains(&power));
    let unit: [f32; COLUMNS] = std::array::from_fn(|column| {
        let bits = (254_u32 << 23).wrapping_sub(largest[column].to_bits());
        if inside[column] { f32::from_bits(bits) } else { 0.0 }
    });
    // Significands have 23 bits of fraction each.
    let power_of_two = |exponent: i32| f32::from_bits(((127 + exponent) as u32) << 23);
    let of_products = unit.map(|unit| unit * power_of_two(rules.width - 46));
    let of_accumulator = power_of_two(rules.width - 23);
    let mut sums: [[i32; COLUMNS]; 2] = [[0; COLUMNS]; 2];
    for column in 0..COLUMNS {
        let (significand, power) = parts[column];
        let scaled = significand * (power * (unit[column] * of_accumulator));
        sums[0][column] = cut(if inside[column] { scaled } else { 0.0 });
    }
    for index in 0..a.len() {
        let k = usize::from(a.meets[index]);
        let (significand, power) = (a.significands[index], a.powers[index]);
        let (with, powers) = (&b.significands[k], &b.powers[k]);
        for column in 0..COLUMNS {
            let scale = power * powers[column] * of_products[column];
            let term = significand * with[column] * scale;
            let term = cut(if inside[column] { term } else { 0.0 });
            let sum = &mut sums[index % 2][column];
            *sum = sum.wrapping_add(term);
        }
    }
    for column in 0..COLUMNS {
        let total = f64::from(sums[0][column]) + f64::from(sums[1][column]);
        results[column] = match rules.result {
            Accumulator::F32 => {
                let unit = f64::from(power_of_two(-rules.width));
                let scaled = total * f64::from(largest[column]) * unit;
                let dropped = (1_u64 << (53 - rules.kept)) - 1;
                let kept = f64::from_bits(scaled.to_bits() & !dropped);
                (kept as f32).to_bits()
            }
            Accumulator::F16 => {
                let exponent = (largest[column].to_bits() >> 23) as i32 - 127 - rules.width;
                round_to_f16(total < 0.0, total.abs() as u64, exponent)
            }
        };
    }
    for column in 0..COLUMNS {
        if !inside[column] {
            results[column] =
                if largest[column] == 0.0 { 0 } else { exact(rules, a, b, c[column], column) };
        }
    }
    results
}

/// Towards zero. What comes here is less than 2^28.
#[inline(always)]
fn cut(value: f32) -> i32 {
    // SAFETY: the value is a finite number below 2^31: significands have 24 bits at most, and their scale
    // brings the largest one of a sum to less than 2^27. Powers are finite where `special` is not set.
    unsafe { value.to_int_unchecked() }
}

/// One result, for all numbers that there are.
#[cold]
#[inline(never)]
fn exact(rules: Rules, a: RowFactors, b: ColumnFactors, c: u32, column: usize) -> u32 {
    let result = rules.result;
    let mut infinite = [false; 2];
    // Sign, significand with `fraction` bits below one, exponent.
    let mut terms: Vec<(bool, u64, i32, i32)> = Vec::with_capacity(a.len() + 1);
    match result.format().number(c) {
        Number::Nan => return result.nan(),
        Number::Infinite { negative } => infinite[usize::from(negative)] = true,
        Number::Finite { negative, significand, exponent } => {
            terms.push((negative, significand.into(), exponent, 23));
        }
    }
    for (&code, &k) in a.codes.iter().zip(a.meets) {
        let other = b.codes[usize::from(k)][column];
        match (a.format.number(code), b.format.number(other)) {
            (Number::Nan, _) | (_, Number::Nan) => return result.nan(),
            (Number::Infinite { negative: one }, Number::Infinite { negative: two }) => {
                infinite[usize::from(one != two)] = true;
            }
            (
                Number::Infinite { negative: one },
                Number::Finite { negative: two, significand, .. },
            )
            | (
                Number::Finite { negative: two, significand, .. },
                Number::Infinite { negative: one },
            ) => {
                if significand == 0 {
                    return result.nan();
                }
                infinite[usize::from(one != two)] = true;
            }
            (
                Number::Finite { negative: one, significand: x, exponent: e },
                Number::Finite { negative: two, significand: y, exponent: f },
            ) => terms.push((one != two, u64::from(x) * u64::from(y), e + f, 46)),
        }
    }
    match infinite {
        [true, true] => return result.nan(),
        [true, false] => return result.infinity(false),
        [false, true] => return result.infinity(true),
        [false, false] => {}
    }
    terms.retain(|(_, significand, ..)| *significand != 0);
    let Some(largest) = terms.iter().map(|(.., exponent, _)| *exponent).max() else { return 0 };
    let unit = largest - rules.width;
    let total: i64 = terms
        .iter()
        .map(|&(negative, significand, exponent, fraction)| {
            let shift = unit - (exponent - fraction);
            let kept = match shift {
                64.. => 0,
                0..64 => significand >> shift,
                _ => significand << -shift,
            };
            if negative { -(kept as i64) } else { kept as i64 }
        })
        .sum();
    let (negative, mut magnitude) = (total < 0, total.unsigned_abs());
    match result {
        Accumulator::F16 => round_to_f16(negative, magnitude, unit),
        Accumulator::F32 => {
            let length = 64 - magnitude.leading_zeros();
            if length > rules.kept {
                let dropped = length - rules.kept;
                magnitude = magnitude >> dropped << dropped;
            }
            truncate_to_f32(negative, magnitude, unit)
        }
    }
}
