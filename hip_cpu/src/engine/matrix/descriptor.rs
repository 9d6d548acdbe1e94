//! Factors of `wgmma` in shared memory where descriptors say: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
//! Layout".

use cpu_abi::BlockContext;

use super::Row;
use super::tile::spread;

/// A factor in shared memory.
pub struct Factor<'b> {
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
    /// What a descriptor says: bits 0 to 13 are the address, 16 to 29 and 32 to 45 two distances, all in units of 16
    /// bytes, 62 and 63 the swizzle. A factor that is `transposed` has elements of one k side by side.
    pub fn new(memory: &'b BlockContext, descriptor: u64, transposed: bool) -> Self {
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
    pub fn element(&self, line: usize, k: usize, bytes: usize) -> u32 {
        let Some((place, left)) = self.place(self.address(line, k, bytes)) else { return 0 };
        if left < bytes {
            return 0;
        }
        // SAFETY: the element's bytes are left.
        unsafe {
            match bytes {
                1 => u32::from(place.read()),
                2 => u32::from(place.cast::<u16>().read_unaligned()),
                _ => place.cast::<u32>().read_unaligned(),
            }
        }
    }

    /// Eight rows of `a` or columns of `b` as registers of a fragment, of which each has 16 bytes of a row's or column's k.
    pub fn registers(&self, first: usize, bytes: usize) -> [Row; 2] {
        let mut registers = [[0; 32]; 2];
        let in_register = 16 / bytes;
        for (number, register) in registers.iter_mut().enumerate() {
            let first_k = number * in_register;
            if self.transposed {
                // Halves, since others are never transposed.
                let halves: [[u16; 8]; 8] = std::array::from_fn(|k| {
                    let of_k = self.sixteen(self.address(first, first_k + k, bytes), bytes);
                    let pairs = of_k.as_chunks().0;
                    std::array::from_fn(|line| u16::from_le_bytes(pairs[line]))
                });
                *register = spread(&halves, true);
                continue;
            }
            for (line, words) in register.chunks_exact_mut(4).enumerate() {
                let of_line = self.sixteen(self.address(first + line, first_k, bytes), bytes);
                for (word, bytes) in words.iter_mut().zip(of_line.as_chunks().0) {
                    *word = u32::from_le_bytes(*bytes);
                }
            }
        }
        registers
    }

    /// The place of an element. Those of 16 bytes that begin at a multiple of 16 lie side by side.
    #[inline(always)]
    fn address(&self, line: usize, k: usize, bytes: usize) -> u32 {
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
        address ^ (address >> 7 & (width / 16 - 1)) << 4
    }

    /// As many bytes as there are, in whole elements.
    #[inline(always)]
    fn sixteen(&self, address: u32, bytes: usize) -> [u8; 16] {
        let mut sixteen = [0; 16];
        match self.place(address) {
            // SAFETY: so many bytes are left.
            Some((place, 16..)) => unsafe { place.cast::<[u8; 16]>().read() },
            Some((place, left)) => {
                let count = left / bytes * bytes;
                // SAFETY: so many bytes are left, fewer than 16.
                unsafe { place.copy_to_nonoverlapping(sixteen.as_mut_ptr(), count) };
                sixteen
            }
            None => sixteen,
        }
    }

    /// The place at an address, of which the low bits are known, and how many bytes of the block's memory are left there.
    #[inline(always)]
    fn place(&self, address: u32) -> Option<(*const u8, usize)> {
        let base = self.memory.shared as usize as u32;
        let offset = (address.wrapping_sub(base) & ADDRESS_MASK) as usize;
        let left = (self.memory.total_shared_size as usize).checked_sub(offset)?;
        // SAFETY: the block's shared memory has `total_shared_size` bytes.
        Some((unsafe { self.memory.shared.add(offset) }, left))
    }
}
