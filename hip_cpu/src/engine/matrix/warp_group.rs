//! `wgmma.mma_async`: the 16 rows of one warp of a group of four.
//!
//! The factors lie in shared memory where descriptors say: PTX ISA, "Asynchronous Warpgroup Level Matrix
//! Shared Memory Layout". Bits of a descriptor: 0 to 13 the address, 16 to 29 and 32 to 45 two distances,
//! all in units of 16 bytes, 62 and 63 the swizzle.

use cpu_abi::{BlockContext, MatrixOperation, MatrixType};

use super::multiply::{Product, has_wide_vectors, meetings};
use super::sum::COLUMNS;
use super::{Row, fragment};

/// Performs the operation for a warp. `rows` holds its fragments on entry, those of `d` at its beginning on return.
pub fn multiply(block: &BlockContext, warp: u32, operation: &MatrixOperation, rows: &mut [Row]) {
    let bits = if operation.a == MatrixType::B1 { 32 } else { operation.a.bits() as usize };
    // The k of an instruction fills 32 bytes, a sparse `b` twice as many.
    match (bits, operation.sparse) {
        (32, false) => fast::<8, 8>(block, warp, operation, rows),
        (16, false) => fast::<16, 16>(block, warp, operation, rows),
        (8, false) => fast::<32, 32>(block, warp, operation, rows),
        (32, true) => fast::<8, 16>(block, warp, operation, rows),
        (16, true) => fast::<16, 32>(block, warp, operation, rows),
        (8, true) => fast::<32, 64>(block, warp, operation, rows),
        _ => {}
    }
}

fn fast<const K: usize, const D: usize>(
    block: &BlockContext,
    warp: u32,
    operation: &MatrixOperation,
    rows: &mut [Row],
) {
    #[target_feature(enable = "avx2,fma,bmi2")]
    fn wide<const K: usize, const D: usize>(
        block: &BlockContext,
        warp: u32,
        operation: &MatrixOperation,
        rows: &mut [Row],
    ) {
        sized::<K, D>(block, warp, operation, rows);
    }
    if has_wide_vectors() {
        // SAFETY: the processor has these features.
        unsafe { wide::<K, D>(block, warp, operation, rows) };
    } else {
        sized::<K, D>(block, warp, operation, rows);
    }
}

#[inline(always)]
fn sized<const K: usize, const D: usize>(
    block: &BlockContext,
    warp: u32,
    operation: &MatrixOperation,
    rows: &mut [Row],
) {
    let words = operation.words();
    let (a_words, b_words, c_words) = (words.a as usize, words.b as usize, words.c as usize);
    // Bytes of an element; single bits come 32 at a time.
    let bits = if operation.a == MatrixType::B1 { 32 } else { operation.a.bits() as usize };
    let bytes = bits / 8;
    let descriptor = |rows: &[Row]| u64::from(rows[0][0]) | u64::from(rows[1][0]) << 32;

    let mut a = [[0; K]; 16];
    if operation.a_in_registers {
        for (i, row) in a.iter_mut().enumerate() {
            for (k, code) in row.iter_mut().enumerate() {
                let (lane, index) = fragment::of_a(i, k, 32 / bits, 16);
                *code = fragment::element(&rows[..a_words], bits, lane, index);
            }
        }
    } else {
        let factor = Factor::new(block, descriptor(rows), operation.a_columns);
        for (i, row) in a.iter_mut().enumerate() {
            let line = 16 * (warp as usize % 4) + i;
            for (k, code) in row.iter_mut().enumerate() {
                *code = factor.element(line, k, bytes);
            }
        }
    }
    let sign = if bits == 8 { 0x80 } else { 1 << (bits - 1) };
    if operation.negate_a {
        a.iter_mut().flatten().for_each(|code| *code ^= sign);
    }
    let more = a_words + b_words + c_words;
    let meets = meetings::<K>(operation, &rows[more..]);
    let accumulates = rows[words.inputs() as usize - 1][0] != 0;
    let b_factor = Factor::new(block, descriptor(&rows[a_words..]), operation.b_rows);
    let c_bits = operation.c.bits() as usize;
    let per_tile = c_bits * 4 / 32;
    for tile in 0..usize::from(operation.n) / COLUMNS {
        let mut b = [[0; COLUMNS]; D];
        for (k, row) in b.iter_mut().enumerate() {
            for (j, code) in row.iter_mut().enumerate() {
                *code = b_factor.element(tile * COLUMNS + j, k, bytes);
                if operation.negate_b {
                    *code ^= sign;
                }
            }
        }
        let product = Product::new(operation, &b);
        let first = a_words + b_words + tile * per_tile;
        let mut d = [[0; 32]; 4];
        for i in 0..16 {
            let c = std::array::from_fn(|j| {
                let (lane, index) = fragment::of_c(i, j);
                if accumulates { fragment::element(&rows[first..], c_bits, lane, index) } else { 0 }
            });
            for (j, value) in product.row(i, &a[i], &meets[i], c, &[]).into_iter().enumerate() {
                let (lane, index) = fragment::of_c(i, j);
                fragment::put(&mut d, c_bits, lane, index, value);
            }
        }
        // The accumulators are where they came from until all are there.
        rows[first..first + per_tile].copy_from_slice(&d[..per_tile]);
    }
    rows.copy_within(a_words + b_words..more, 0);
}

/// A factor in shared memory.
struct Factor<'b> {
    memory: &'b BlockContext,
    start: u32,
    leading: u32,
    stride: u32,
    /// Bytes after which the pattern of a swizzle repeats; 16 without one.
    width: u32,
    transposed: bool,
}

/// Bits of an address that a descriptor has.
const ADDRESS_MASK: u32 = 0x3_ffff;

impl<'b> Factor<'b> {
    fn new(memory: &'b BlockContext, descriptor: u64, transposed: bool) -> Self {
        let field = |bit: u32| ((descriptor >> bit & 0x3fff) << 4) as u32;
        Self {
            memory,
            start: field(0),
            leading: field(16),
            stride: field(32),
            width: [16, 128, 64, 32][(descriptor >> 62) as usize],
            transposed,
        }
    }

    /// The code of element `k` of a row of `a` or a column of `b`.
    #[inline(always)]
    fn element(&self, line: usize, k: usize, bytes: usize) -> u32 {
        let (line, width) = (line as u32, self.width);
        let offset = if self.transposed {
            // Elements of one k lie side by side, `width` bytes of them.
            let (k, along) = (k as u32, line * bytes as u32);
            let (outer, inner) =
                if width == 16 { (self.stride, self.leading) } else { (self.leading, self.stride) };
            along / width * outer + k / 8 * inner + k % 8 * width + along % width
        } else {
            let along = (k * bytes) as u32;
            let across = line / 8 * self.stride + line % 8 * width;
            if width == 16 {
                across + along / 16 * self.leading + along % 16
            } else {
                across + along
            }
        };
        let address = self.start.wrapping_add(offset);
        // Bits 7 to 9 are mixed into bits 4 to 6, as many as the width has.
        let address = address ^ (address >> 7 & (width / 16 - 1)) << 4;
        self.read(address, bytes)
    }

    /// The bytes at an address, of which the low bits are known; nothing is read outside of the block's memory.
    #[inline(always)]
    fn read(&self, address: u32, bytes: usize) -> u32 {
        let base = self.memory.shared as usize as u32;
        let offset = address.wrapping_sub(base) & ADDRESS_MASK;
        if offset as usize + bytes > self.memory.total_shared_size as usize {
            return 0;
        }
        // SAFETY: the block's shared memory has `total_shared_size` bytes.
        unsafe {
            let place = self.memory.shared.add(offset as usize);
            match bytes {
                1 => u32::from(place.read()),
                2 => u32::from(place.cast::<u16>().read_unaligned()),
                _ => place.cast::<u32>().read_unaligned(),
            }
        }
    }
}
