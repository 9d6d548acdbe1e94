//! Memory that threads take with `alloca`. It is given back by `stackrestore`, or when the block ends.

use rustc_hash::FxHashMap;

/// Bytes that a thread gets at a time at least.
const LEAST: usize = 4096;

/// The stacks of a block's threads, by their numbers.
#[derive(Default)]
pub struct DynamicStacks(FxHashMap<u32, Vec<Chunk>>);

struct Chunk {
    memory: Box<[u8]>,
    used: usize,
}

impl Chunk {
    fn start(&self) -> u64 {
        self.memory.as_ptr() as u64
    }

    /// The address of `bytes` bytes, if there is room.
    fn take(&mut self, bytes: usize, alignment: usize) -> Option<u64> {
        let address = (self.start() + self.used as u64).next_multiple_of(alignment as u64);
        let end = (address - self.start()) as usize + bytes;
        (end <= self.memory.len()).then(|| {
            self.used = end;
            address
        })
    }
}

impl DynamicStacks {
    /// Gives back the memory of all threads.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Memory of a thread; 0 where there is none.
    pub fn take(&mut self, thread: u32, bytes: usize, alignment: usize) -> u64 {
        // No stack of a thread is larger.
        const MOST: usize = 1 << 30;
        let alignment = alignment.next_power_of_two().clamp(8, 1 << 16);
        if bytes > MOST {
            return 0;
        }
        let chunks = self.0.entry(thread).or_default();
        if let Some(address) = chunks.last_mut().and_then(|chunk| chunk.take(bytes, alignment)) {
            return address;
        }
        let memory = vec![0; (bytes + alignment).max(LEAST)].into_boxed_slice();
        let mut chunk = Chunk { memory, used: 0 };
        let address = chunk.take(bytes, alignment).unwrap_or(0);
        chunks.push(chunk);
        address
    }

    /// The address of the next memory of a thread, without regard to alignment; 0 where it has none yet.
    pub fn top(&self, thread: u32) -> u64 {
        let last = self.0.get(&thread).and_then(|chunks| chunks.last());
        last.map_or(0, |chunk| chunk.start() + chunk.used as u64)
    }

    /// Gives back what was taken since `place` was the top.
    pub fn restore(&mut self, thread: u32, place: u64) {
        let Some(chunks) = self.0.get_mut(&thread) else { return };
        while let Some(chunk) = chunks.last_mut() {
            let offset = place.wrapping_sub(chunk.start());
            if offset <= chunk.used as u64 {
                chunk.used = offset as usize;
                return;
            }
            // The first memory stays, so that what takes it again finds it where it was.
            if chunks.len() == 1 {
                chunks[0].used = 0;
                return;
            }
            chunks.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_taken_again() {
        let mut stacks = DynamicStacks::default();
        let bottom = stacks.top(3);
        let first = stacks.take(3, 100, 16);
        assert!(first != 0 && first.is_multiple_of(16));
        let saved = stacks.top(3);
        let second = stacks.take(3, 40, 8);
        assert!(second >= first + 100);
        let large = stacks.take(3, 100_000, 64);
        assert!(large.is_multiple_of(64));
        assert_ne!(stacks.take(4, 8, 8), second);
        stacks.restore(3, saved);
        assert_eq!(stacks.take(3, 40, 8), second);
        stacks.restore(3, bottom);
        assert_eq!(stacks.take(3, 100, 16), first);
    }
}
