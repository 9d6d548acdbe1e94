//! Metadata of sparse factors: which elements of `a` are there.

use cpu_abi::MatrixType;

use super::Row;

/// The pattern of the elements that are left out of a row of `a`.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// Elements of a group, and those of them that are there.
    group: usize,
    stored: usize,
    ty: MatrixType,
    packed: bool,
    /// Bits of metadata for a row.
    row_bits: usize,
}

impl Pattern {
    /// The pattern for elements of a type, of which a row of the whole `a` has `k`.
    pub fn new(ty: MatrixType, k: usize, packed: bool) -> Self {
        // Four bits of metadata are two positions among four: of elements, of pairs of those of four bits,
        // or of halves of those of 32 bits.
        let group = match ty {
            MatrixType::Tf32 => 2,
            MatrixType::S4 | MatrixType::U4 => 8,
            _ if packed => 8,
            _ => 4,
        };
        Self { group, stored: group / 2, ty, packed, row_bits: k / group * 4 }
    }

    /// The k of each stored element of a row.
    pub fn positions(self, metadata: &Row, selector: usize, row: usize, to: &mut [u8]) {
        for (index, place) in to.iter_mut().enumerate() {
            let (group, within) = (index / self.stored, index % self.stored);
            let code = self.code(metadata, selector, row, group) as usize;
            let offset = match self.group {
                2 => (code & 3) / 2,
                8 => (code >> (within / 2 * 2) & 3) * 2 + within % 2,
                _ => code >> (2 * within) & 3,
            };
            *place = (group * self.group + offset) as u8;
        }
    }

    /// Four bits for a group. The selector names the lanes of each four that give metadata.
    fn code(self, metadata: &Row, selector: usize, row: usize, group: usize) -> u32 {
        let (quad, half) = (row % 8 * 4, row / 8);
        let narrow = self.packed || self.ty.bits() <= 8;
        let (lane, bit) = match (self.row_bits, narrow) {
            (0..=16, _) => (selector, 16 * half + 4 * group),
            (32, false) => (2 * selector + group / 4, 16 * half + 4 * (group % 4)),
            (32, true) => (2 * selector + half, 4 * group),
            _ => (half + 2 * (group / 8), 4 * (group % 8)),
        };
        metadata[quad + lane % 4] >> (bit % 32) & 15
    }
}
