//! `ldmatrix`, `stmatrix`, `movmatrix`: rows of small matrices between shared memory and registers.

use cpu_abi::{MatrixOperation, MatrixType};

use super::Row;

/// The address of a row, which a lane gives.
fn address(rows: &[u32; 32], mask: u32, lane: usize) -> Option<usize> {
    (lane < 32 && mask >> lane & 1 != 0).then(|| rows[lane] as usize)
}

/// # Safety
/// The addresses of the lanes of `mask` are those of rows that may be read.
pub unsafe fn load(operation: &MatrixOperation, mask: u32, rows: &mut [Row]) {
    let addresses = rows[0];
    let count = usize::from(operation.k);
    if (operation.m, operation.n) == (8, 8) && operation.a == MatrixType::B16 {
        for (matrix, result) in rows.iter_mut().enumerate().take(count) {
            let mut halves = [[0_u16; 8]; 8];
            for (row, halves) in halves.iter_mut().enumerate() {
                if let Some(address) = address(&addresses, mask, 8 * matrix + row) {
                    // SAFETY: as the caller says.
                    *halves = unsafe { (address as *const [u16; 8]).read_unaligned() };
                }
            }
            *result = spread(&halves, operation.a_columns);
        }
        return;
    }
    // Bytes: of 8 x 16 matrices, or of 16 x 16 ones, transposed, with two registers each.
    let tall = operation.m == 16;
    for matrix in 0..count {
        let height = if tall { 16 } else { 8 };
        let mut bytes = [[0_u8; 16]; 16];
        for (row, bytes) in bytes.iter_mut().enumerate().take(height) {
            if let Some(address) = address(&addresses, mask, height * matrix + row) {
                // SAFETY: as the caller says; formats of fewer bits fill a row of 16 bytes all the same.
                let packed = unsafe { (address as *const [u8; 16]).read_unaligned() };
                *bytes = unpacked(operation.a, packed);
            }
        }
        if tall {
            for (half, row) in rows[2 * matrix..2 * matrix + 2].iter_mut().enumerate() {
                for (lane, word) in row.iter_mut().enumerate() {
                    let (column, first) = (lane / 4 + 8 * half, lane % 4 * 4);
                    *word = u32::from_le_bytes(std::array::from_fn(|i| bytes[first + i][column]));
                }
            }
        } else {
            for (lane, word) in rows[matrix].iter_mut().enumerate() {
                let first = lane % 4 * 4;
                *word = u32::from_le_bytes(std::array::from_fn(|i| bytes[lane / 4][first + i]));
            }
        }
    }
}

/// 16 codes, a byte each, from what a row of memory holds.
fn unpacked(ty: MatrixType, packed: [u8; 16]) -> [u8; 16] {
    let bits = |width: usize, index: usize| {
        let at = width * index;
        let pair = u16::from(packed[at / 8])
            | u16::from(packed.get(at / 8 + 1).copied().unwrap_or(0)) << 8;
        (pair >> (at % 8)) as u8 & ((1 << width) - 1)
    };
    match ty {
        // 6-bit codes lie in the low bits of their bytes, 4-bit ones in bits 2 to 5.
        MatrixType::B6x16P32 => std::array::from_fn(|index| bits(6, index)),
        MatrixType::B4x16P64 => std::array::from_fn(|index| bits(4, index) << 2),
        _ => packed,
    }
}

/// # Safety
/// The addresses of the lanes of `mask` are those of rows that may be written.
pub unsafe fn store(operation: &MatrixOperation, mask: u32, rows: &mut [Row]) {
    let (addresses, sources) = rows.split_at(1);
    let count = usize::from(operation.k);
    for (matrix, source) in sources.iter().enumerate().take(count) {
        if operation.a == MatrixType::B16 {
            let halves = gathered(source, operation.a_columns);
            for (row, halves) in halves.iter().enumerate() {
                if let Some(address) = address(&addresses[0], mask, 8 * matrix + row) {
                    // SAFETY: as the caller says.
                    unsafe { (address as *mut [u16; 8]).write_unaligned(*halves) };
                }
            }
            continue;
        }
        // 16 x 8 bytes, transposed: registers hold columns of 16, memory rows of 16 for each of 8.
        for row in 0..8 {
            if let Some(address) = address(&addresses[0], mask, 8 * matrix + row) {
                let bytes: [u8; 16] =
                    std::array::from_fn(|i| (source[4 * row + i / 4] >> (8 * (i % 4))) as u8);
                // SAFETY: as the caller says.
                unsafe { (address as *mut [u8; 16]).write_unaligned(bytes) };
            }
        }
    }
}

/// `movmatrix`: transposes the matrix of 8 by 8 elements of 16 bits in the first row.
pub fn transpose(rows: &mut [Row]) {
    rows[0] = spread(&gathered(&rows[0], false), true);
}

/// The register of a matrix: lane `4 r + c` has elements `2 c` and `2 c + 1` of row `r`, or of column `r`.
pub fn spread(halves: &[[u16; 8]; 8], columns: bool) -> Row {
    std::array::from_fn(|lane| {
        let (r, c) = (lane / 4, lane % 4 * 2);
        let [low, high] = if columns {
            [halves[c][r], halves[c + 1][r]]
        } else {
            [halves[r][c], halves[r][c + 1]]
        };
        u32::from(low) | u32::from(high) << 16
    })
}

fn gathered(row: &Row, columns: bool) -> [[u16; 8]; 8] {
    std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            let (r, c) = if columns { (c, r) } else { (r, c) };
            (row[4 * r + c / 2] >> (16 * (c % 2))) as u16
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_matrix_has_its_columns_in_rows() {
        let mut rows = [std::array::from_fn(|lane| ((2 * lane) | ((2 * lane + 1) << 16)) as u32)];
        transpose(&mut rows);
        // Element (r, c) was 8 r + c.
        assert_eq!(rows[0][0], 8 << 16);
        assert_eq!(rows[0][5], 17 | 25 << 16);
        transpose(&mut rows);
        assert_eq!(rows[0][9], 18 | 19 << 16);
    }
}
