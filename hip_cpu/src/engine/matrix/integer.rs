//! Products of integers and of single bits: exact sums, which wrap or saturate.

use cpu_abi::{MatrixOperation, MatrixType};

use super::sum::COLUMNS;

/// The number that a code of an integer type stands for.
#[inline(always)]
pub fn number(ty: MatrixType, code: u32) -> i32 {
    match ty {
        MatrixType::S8 => i32::from(code as u8 as i8),
        MatrixType::S4 => (code << 28) as i32 >> 28,
        _ => code as i32,
    }
}

/// One row of results: `meets` are the rows of `b` that the elements of `a` meet.
#[inline(always)]
pub fn row(
    operation: &MatrixOperation,
    a: &[u32],
    meets: &[u8],
    b: &[[u32; COLUMNS]],
    c: [u32; COLUMNS],
) -> [u32; COLUMNS] {
    let mut sums = [0_i32; COLUMNS];
    let bits = operation.a == MatrixType::B1;
    for (&code, &k) in a.iter().zip(meets) {
        let others = &b[usize::from(k)];
        if bits {
            for column in 0..COLUMNS {
                let met = if operation.and { code & others[column] } else { code ^ others[column] };
                sums[column] += met.count_ones() as i32;
            }
        } else {
            let value = number(operation.a, code);
            for column in 0..COLUMNS {
                sums[column] += value * number(operation.b, others[column]);
            }
        }
    }
    std::array::from_fn(|column| {
        let before = c[column] as i32;
        let after = if operation.saturate {
            before.saturating_add(sums[column])
        } else {
            before.wrapping_add(sums[column])
        };
        after as u32
    })
}
