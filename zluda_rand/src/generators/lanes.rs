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
    parts: Vec<Mutex<Vec<Kept<C>>>>,
    streams: usize,
}

/// Streams, and the second normal value of a pair of which one has given the first alone.
#[derive(Clone, Copy)]
struct Kept<C> {
    chunk: C,
    seconds: [Option<f32>; LANES],
}

impl<C: Chunk> Lanes<C> {
    pub fn new(chunks: &[C]) -> Self {
        let kept = |chunk: &C| Kept { chunk: *chunk, seconds: [None; LANES] };
        let part = |chunks: &[C]| Mutex::new(chunks.iter().map(kept).collect());
        let parts = chunks.chunks(CHUNKS).map(part).collect();
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
        for (i, Kept { chunk, .. }) in chunks.iter_mut().enumerate() {
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

impl<C: Chunk> Lanes<C> {
    /// Fills the places of a part's streams with values of one normal value each: those of a pair are two turns of a stream.
    pub fn fill_by_turns<T: Copy>(
        &self,
        part: usize,
        first: usize,
        output: OutputBuffer<T>,
        pair: impl Fn([u32; 2]) -> [f32; 2],
        value: impl Fn(f32) -> T,
    ) {
        let (units, streams) = (output.length(), self.streams);
        let mut chunks = self.parts[part].lock();
        for (i, Kept { chunk, seconds }) in chunks.iter_mut().enumerate() {
            let base = (part * CHUNKS + i) * LANES;
            let unit = |lane: usize| (base + lane + streams - first) % streams;
            for turn in (0..units).step_by(streams) {
                let is_wanted = |lane: usize| unit(lane) + turn < units;
                let before = *chunk;
                let pairs = (0..LANES).any(|lane| is_wanted(lane) && seconds[lane].is_none());
                let pairs = pairs.then(|| row(chunk, &|draws| pair(draws)));
                for (lane, second) in seconds.iter_mut().enumerate() {
                    let kept = if is_wanted(lane) { second.take() } else { None };
                    let made = match (is_wanted(lane), kept, &pairs) {
                        (true, None, Some(pairs)) => {
                            *second = Some(pairs[lane][1]);
                            Some(pairs[lane][0])
                        }
                        (_, kept, pairs) => {
                            if pairs.is_some() {
                                chunk.take(&before, lane);
                            }
                            kept
                        }
                    };
                    if let Some(normal) = made {
                        output.put_one(unit(lane) + turn, value(normal));
                    }
                }
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
