//! Block-scaled products, which no recording shows: sums of a block are exact as far as f64 goes, and the
//! result is rounded to the nearest f32.

use cpu_abi::{MatrixOperation, MatrixType};

use super::Row;
use super::format::{Format, NAN_F32, Number};
use super::sum::COLUMNS;

/// Row `i` of the results. `scales`: for `a` and then for `b` the words with factors, the first byte, and
/// the threads that give them.
pub fn row(
    operation: &MatrixOperation,
    i: usize,
    a: &[u32],
    meets: &[u8],
    b: &[[u32; COLUMNS]],
    c: [u32; COLUMNS],
    scales: &[Row],
) -> [u32; COLUMNS] {
    let [data_a, byte_a, thread_a, data_b, byte_b, thread_b] = scales else { return c };
    let Some(scale) = operation.scale else { return c };
    let (Some(format_a), Some(format_b)) = (Format::of(operation.a), Format::of(operation.b))
    else {
        return c;
    };
    let factors = usize::from(scale.factors);
    let length = b.len() / factors;
    let word_a = data_a[i % 8 * 4 + 2 * (thread_a[0] as usize & 1) + i / 8];
    let factor = |word: u32, first: u32, block: usize| {
        let code = word >> (8 * (first as usize + block) % 32) & 0xff;
        match (scale.ue4m3, code) {
            (true, _) => Format::of(MatrixType::E4m3).map_or(0.0, |f| value(f, code & 0x7f)),
            (false, 0xff) => f64::NAN,
            (false, _) => 2f64.powi(code as i32 - 127),
        }
    };
    std::array::from_fn(|j| {
        let word_b = data_b[j * 4 + (thread_b[0] as usize & 3)];
        let mut total = f64::from(f32::from_bits(c[j]));
        for block in 0..factors {
            let sum: f64 = a
                .iter()
                .zip(meets)
                .filter(|(_, k)| usize::from(**k) / length == block)
                .map(|(&code, &k)| value(format_a, code) * value(format_b, b[usize::from(k)][j]))
                .sum();
            total += sum * factor(word_a, byte_a[0], block) * factor(word_b, byte_b[0], block);
        }
        if total.is_nan() { NAN_F32 } else { (total as f32).to_bits() }
    })
}

fn value(format: Format, code: u32) -> f64 {
    match format.number(code) {
        Number::Nan => f64::NAN,
        Number::Infinite { negative: true } => f64::NEG_INFINITY,
        Number::Infinite { negative: false } => f64::INFINITY,
        Number::Finite { negative, significand, exponent } => {
            let magnitude = f64::from(significand) * 2f64.powi(exponent - 23);
            if negative { -magnitude } else { magnitude }
        }
    }
}
