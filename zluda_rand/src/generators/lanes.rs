//! Generators that are many streams of one sequence, far apart: value after value goes to the next stream. Streams that lie
//! beside each other are stepped together.

use super::output::OutputBuffer;
use parking_lot::Mutex;

/// Streams that are stepped together.
pub const LANES: usize = 8;
/// Chunks of streams that are one part of a call.
const CHUNKS: usize = 64;

/// The states of [`LANES`] streams.
pub trait Chunk: Copy + Send {
    /// The next draw of each.
    fn draw(&mut self) -> [u32; LANES];
    /// Takes the state of one stream from another chunk.
    fn take(&mut self, from: &Self, lane: usize);
}

/// All streams, in parts that threads work on.
pub struct Lanes<C> {
    parts: Vec<Mutex<Vec<C>>>,
    streams: usize,
}

impl<C: Chunk> Lanes<C> {
    pub fn new(chunks: &[C]) -> Self {
        let parts = chunks.chunks(CHUNKS).map(|chunks| Mutex::new(chunks.to_vec())).collect();
        Lanes { parts, streams: chunks.len() * LANES }
    }

    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    pub fn streams(&self) -> usize {
        self.streams
    }

    /// Fills the places of a part's streams: each unit of `OUT` values takes `DRAWS` draws of one stream, and the first unit
    /// is that of stream `first`.
    #[inline(always)]
    pub fn fill<T: Copy, const DRAWS: usize, const OUT: usize>(
        &self,
        part: usize,
        first: usize,
        output: OutputBuffer<T>,
        value: impl Fn([u32; DRAWS]) -> [T; OUT],
    ) {
        let units = output.length().div_ceil(OUT);
        let streams = self.streams;
        let mut chunks = self.parts[part].lock();
        for (i, chunk) in chunks.iter_mut().enumerate() {
            let base = (part * CHUNKS + i) * LANES;
            let unit = |lane: usize| (base + lane + streams - first) % streams;
            let mut start = unit(0);
            // Whole rows, unless the first unit's stream is inside of the chunk.
            if unit(LANES - 1) == start + LANES - 1 {
                while start + LANES <= units {
                    let values = row(chunk, &value);
                    for (lane, values) in values.into_iter().enumerate() {
                        output.put((start + lane) * OUT, values);
                    }
                    start += streams;
                }
            }
            let passed = start - unit(0);
            let mut row_start = passed;
            while (0..LANES).any(|lane| unit(lane) + row_start < units) {
                let before = *chunk;
                let values = row(chunk, &value);
                for (lane, values) in values.into_iter().enumerate() {
                    if unit(lane) + row_start < units {
                        output.put((unit(lane) + row_start) * OUT, values);
                    } else {
                        chunk.take(&before, lane);
                    }
                }
                row_start += streams;
            }
        }
    }
}

/// A unit of each stream.
#[inline(always)]
fn row<C: Chunk, T: Copy, const DRAWS: usize, const OUT: usize>(
    chunk: &mut C,
    value: &impl Fn([u32; DRAWS]) -> [T; OUT],
) -> [[T; OUT]; LANES] {
    let draws: [[u32; LANES]; DRAWS] = std::array::from_fn(|_| chunk.draw());
    std::array::from_fn(|lane| value(std::array::from_fn(|draw| draws[draw][lane])))
}
