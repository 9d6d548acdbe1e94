//! Products of f64: one fused operation after the other, beginning with the accumulator.

use cpu_abi::{MatrixOperation, MatrixRounding};
use device_library::matrix::fused;

use super::multiply::has_wide_vectors;
use super::sum::COLUMNS;
use super::{Row, fragment};

/// The most accumulator registers of a product.
const MOST_WORDS: usize = 8;

/// `d = a * b + c`, all in registers.
pub fn multiply(operation: &MatrixOperation, rows: &mut [Row]) {
    let (MatrixRounding::Nearest, true) = (operation.rounding, has_wide_vectors()) else {
        return in_general(operation, rows);
    };
    // SAFETY: the processor has these features.
    let made = unsafe {
        match (operation.m, operation.k) {
            (8, 4) => to_nearest::<8, 4>(rows),
            (16, 4) => to_nearest::<16, 4>(rows),
            (16, 8) => to_nearest::<16, 8>(rows),
            (16, 16) => to_nearest::<16, 16>(rows),
            _ => false,
        }
    };
    if !made {
        in_general(operation, rows);
    }
}

/// With the processor's own fused operations, rounded to the nearest. False, and nothing done, if a result is a NaN: which
/// one is another question.
#[target_feature(enable = "avx2,fma,bmi2")]
fn to_nearest<const HEIGHT: usize, const DEPTH: usize>(rows: &mut [Row]) -> bool {
    let (a_rows, rest) = rows.split_at(HEIGHT * DEPTH / 16);
    let (b_rows, c_rows) = rest.split_at(DEPTH / 2);
    let mut b = [[0.0; COLUMNS]; DEPTH];
    for (k, row) in b.iter_mut().enumerate() {
        for (j, element) in row.iter_mut().enumerate() {
            *element = double(b_rows, fragment::of_b(k, j, 1));
        }
    }
    let mut d = [[0; 32]; MOST_WORDS];
    let mut nan = false;
    for i in 0..HEIGHT {
        let mut sums = [0.0; COLUMNS];
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum = double(c_rows, fragment::of_c(i, j));
        }
        for (k, row) in b.iter().enumerate() {
            let a = double(a_rows, fragment::of_a(i, k, 1, HEIGHT));
            for (sum, b) in sums.iter_mut().zip(row) {
                *sum = f64::mul_add(a, *b, *sum);
            }
        }
        for (j, sum) in sums.iter().enumerate() {
            nan |= sum.is_nan();
            put(&mut d, fragment::of_c(i, j), sum.to_bits());
        }
    }
    if !nan {
        let words = HEIGHT / 2;
        rows[..words].copy_from_slice(&d[..words]);
    }
    !nan
}

/// The element at an index of a lane, whose halves are words of two registers.
#[inline(always)]
fn double(rows: &[Row], (lane, index): (usize, usize)) -> f64 {
    f64::from_bits(u64::from(rows[2 * index][lane]) | u64::from(rows[2 * index + 1][lane]) << 32)
}

#[inline(always)]
fn put(rows: &mut [Row], (lane, index): (usize, usize), bits: u64) {
    rows[2 * index][lane] = bits as u32;
    rows[2 * index + 1][lane] = (bits >> 32) as u32;
}

/// For all numbers and roundings.
fn in_general(operation: &MatrixOperation, rows: &mut [Row]) {
    let words = operation.words();
    let (height, depth) = (usize::from(operation.m), usize::from(operation.k));
    let (a_rows, rest) = rows.split_at(words.a as usize);
    let (b_rows, c_rows) = rest.split_at(words.b as usize);
    let mut d = [[0; 32]; MOST_WORDS];
    for i in 0..height {
        for j in 0..COLUMNS {
            let place = fragment::of_c(i, j);
            let sum = (0..depth).fold(double(c_rows, place).to_bits(), |sum, k| {
                let a = double(a_rows, fragment::of_a(i, k, 1, height)).to_bits();
                let b = double(b_rows, fragment::of_b(k, j, 1)).to_bits();
                fused(a, b, sum, operation.rounding)
            });
            put(&mut d, place, sum);
        }
    }
    let d_words = words.d as usize;
    rows[..d_words].copy_from_slice(&d[..d_words]);
}

#[cfg(test)]
mod tests {
    use cpu_abi::{MatrixKind, MatrixType};
    use splitmix::Random;

    use super::*;

    #[test]
    fn the_processors_operations_have_the_bits_of_the_general_way() {
        let mut random = Random::new(64);
        for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
            let operation = MatrixOperation {
                b: MatrixType::F64,
                c: MatrixType::F64,
                d: MatrixType::F64,
                ..MatrixOperation::new(MatrixKind::Multiply, m, 8, k, MatrixType::F64)
            };
            let words = operation.words();
            for round in 0..2_000 {
                let mut rows = vec![[0; 32]; words.inputs() as usize];
                // Upper words have the exponents: of all numbers, or of those near one and of a few others.
                let others = [0, 0x8000_0000, 1, 0x7fe0_0000, 0x7ff0_0000, 0xfff8_0000];
                for (index, row) in rows.iter_mut().enumerate() {
                    row.fill_with(|| match (random.bits() as u32, index % 2, round % 4) {
                        (word, 0, _) | (word, _, 0) => word,
                        (_, _, 1) if random.below(40) == 0 => others[random.below(6)],
                        (word, ..) => word & 0x807f_ffff | 0x3f80_0000,
                    });
                }
                let mut expected = rows.clone();
                in_general(&operation, &mut expected);
                multiply(&operation, &mut rows);
                let d = words.d as usize;
                assert_eq!(rows[..d], expected[..d], "round {round}: {operation:?}");
            }
        }
    }
}
