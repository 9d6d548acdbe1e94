//! Philox4x32-10 of Salmon, Moraes, Dror and Shaw (Parallel random numbers: as easy as 1, 2, 3, SC 2011): blocks of four
//! draws by number. Groups of four values go to 65,536 streams in turn.

use super::output::OutputBuffer;
use parking_lot::Mutex;

const STREAMS: usize = 65_536;
/// Streams that are one part of a call.
const IN_PART: usize = 1024;
/// Values that a stream gives in turn.
const GROUP: usize = 4;

/// The draws of a stream's block.
#[inline(always)]
fn block(seed: u64, stream: u64, number: u64) -> [u32; 4] {
    let mut c = [number as u32, (number >> 32) as u32, stream as u32, (stream >> 32) as u32];
    let (mut low, mut high) = (seed as u32, (seed >> 32) as u32);
    for _ in 0..10 {
        let a = u64::from(c[0]) * 0xd251_1f53;
        let b = u64::from(c[2]) * 0xcd9e_8d57;
        c = [(b >> 32) as u32 ^ c[1] ^ low, b as u32, (a >> 32) as u32 ^ c[3] ^ high, a as u32];
        low = low.wrapping_add(0x9e37_79b9);
        high = high.wrapping_add(0xbb67_ae85);
    }
    c
}

/// All streams: the number of the next block of each.
pub struct Streams {
    seed: u64,
    parts: Vec<Mutex<Vec<u64>>>,
}

impl Streams {
    /// The streams from a position on.
    pub fn new(seed: u64, position: u64) -> Self {
        let groups = position / GROUP as u64;
        let (row, more) = (groups / STREAMS as u64, groups % STREAMS as u64);
        let blocks: Vec<u64> =
            (0..STREAMS as u64).map(|stream| row + u64::from(stream < more)).collect();
        let parts = blocks.chunks(IN_PART).map(|blocks| Mutex::new(blocks.to_vec())).collect();
        Streams { seed, parts }
    }

    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Fills the places of a part's streams in a call that begins at a position; a group of four values takes `BLOCKS`
    /// blocks of its stream once its last value is taken.
    #[inline(always)]
    pub fn fill<T: Copy, const BLOCKS: usize>(
        &self,
        part: usize,
        position: u64,
        output: OutputBuffer<T>,
        values: impl Fn([[u32; 4]; BLOCKS]) -> [T; GROUP],
    ) {
        const ROW: usize = STREAMS * GROUP;
        // Counted from the beginning of the first row.
        let start = (position % ROW as u64) as usize;
        let end = start + output.length();
        let mut blocks = self.parts[part].lock();
        for row in (0..end).step_by(ROW) {
            for (i, next) in blocks.iter_mut().enumerate() {
                let stream = part * IN_PART + i;
                let at = row + stream * GROUP;
                if at >= end || at + GROUP <= start {
                    continue;
                }
                let draws = |i| block(self.seed, stream as u64, next.wrapping_add(i as u64));
                let values = values(std::array::from_fn(draws));
                if at >= start && at + GROUP <= end {
                    output.put(at - start, values);
                } else {
                    for (i, value) in values.into_iter().enumerate() {
                        // What lies before the call is outside of the output, as what lies behind it.
                        output.put_one((at + i).wrapping_sub(start), value);
                    }
                }
                if at + GROUP <= end {
                    *next = next.wrapping_add(BLOCKS as u64);
                }
            }
        }
    }
}
