//! The number of bytes that a memory pool has in use and holds, as an NVIDIA GPU counts them.
//!
//! The provider places memory by itself; programs read these numbers to see what a pool keeps. An H100 gives
//! pools memory in chunks of 32 MiB, finds the first gap for each allocation, and takes a chunk back when nothing
//! in it is in use and the program waits for the work that freed it.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes that pools grow and shrink by.
const CHUNK: u64 = 32 << 20;
/// Allocations begin at multiples of this.
const GRAIN: u64 = 512;
/// All places lie before this.
const END: u64 = u64::MAX / GRAIN * GRAIN;

/// A place that is taken in a pool, for memory that is there or is about to be.
#[derive(Debug)]
#[must_use]
pub(crate) struct Taken {
    place: u64,
    bytes: u64,
}

impl Taken {
    /// The first place behind it.
    fn end(&self) -> u64 {
        self.place + self.bytes.next_multiple_of(GRAIN)
    }
}

#[derive(Debug)]
pub(crate) struct Ledger {
    /// What is not in use: by the end of each gap, where it begins. So the first place can be taken, and given back,
    /// without a change of keys.
    gaps: BTreeMap<u64, u64>,
    /// The numbers of the chunks that the pool holds.
    chunks: BTreeSet<u64>,
    /// Streams in which memory was freed since anybody waited for them.
    freed_in: Vec<u64>,
    used: u64,
    used_high: u64,
    reserved_high: u64,
    /// Bytes that the pool may hold; 0 for no limit.
    limit: u64,
}

impl Ledger {
    /// That of a pool with a maximum size, of which an NVIDIA driver makes whole chunks; 0 for none.
    pub(crate) fn new(maximum: u64) -> Self {
        Self {
            gaps: BTreeMap::from([(END, 0)]),
            chunks: BTreeSet::new(),
            freed_in: Vec::new(),
            used: 0,
            used_high: 0,
            reserved_high: 0,
            limit: maximum.next_multiple_of(CHUNK),
        }
    }

    /// Takes a place for so many bytes, in the first gap that has them; none where the pool may not hold as many.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<Taken> {
        let size = bytes.checked_next_multiple_of(GRAIN)?;
        let (end, begin) = self.gaps.iter_mut().find(|(end, begin)| **end - **begin >= size)?;
        let (end, place) = (*end, *begin);
        if self.limit != 0 && place + size > self.limit {
            return None;
        }
        *begin += size;
        if *begin == end {
            self.gaps.remove(&end);
        }
        self.used += bytes;
        Some(Taken { place, bytes })
    }

    /// The memory of a place is there now. The pool holds its chunks: before, no memory may be there for as many.
    pub(crate) fn settle(&mut self, taken: &Taken) {
        let chunks = taken.place / CHUNK..=(taken.end() - 1) / CHUNK;
        let is_new = |chunk: &u64| !self.chunks.contains(chunk);
        if is_new(chunks.start()) || is_new(chunks.end()) || chunks.end() - chunks.start() > 1 {
            self.chunks.extend(chunks);
            self.reserved_high = self.reserved_high.max(self.reserved());
        }
        self.used_high = self.used_high.max(self.used);
    }

    /// There is no memory for a place, or none any more.
    pub(crate) fn leave(&mut self, taken: &Taken) {
        self.used -= taken.bytes;
        let end = taken.end();
        let begin = self.gaps.remove(&taken.place).unwrap_or(taken.place);
        match self.gaps.range_mut(end..).next() {
            Some((_, next)) if *next == end => *next = begin,
            _ => drop(self.gaps.insert(end, begin)),
        }
    }

    /// Whether nothing is in use in a chunk.
    fn is_idle(&self, chunk: u64) -> bool {
        let (begin, end) = (chunk * CHUNK, (chunk * CHUNK).saturating_add(CHUNK).min(END));
        self.gaps.range(end..).next().is_some_and(|(_, gap)| *gap <= begin)
    }

    /// A place is no longer in use, once that stream has come there. Returns whether that is the first one since
    /// somebody has waited for all of them.
    pub(crate) fn give_back(&mut self, taken: &Taken, stream: u64) -> bool {
        self.leave(taken);
        let is_first = self.freed_in.is_empty();
        if !self.freed_in.contains(&stream) {
            self.freed_in.push(stream);
        }
        is_first
    }

    /// The program has waited for a stream, or for all. What is not in use goes, but for `keep` bytes.
    pub(crate) fn wait(&mut self, stream: Option<u64>, keep: u64) {
        let before = self.freed_in.len();
        self.freed_in.retain(|freed_in| stream.is_some_and(|stream| stream != *freed_in));
        if self.freed_in.len() < before {
            self.trim(keep);
        }
    }

    /// Whether memory was freed in a stream that nobody has waited for since.
    pub(crate) fn waits(&self) -> bool {
        !self.freed_in.is_empty()
    }

    /// Gives chunks back that nothing is in, as long as `keep` bytes are left.
    pub(crate) fn trim(&mut self, keep: u64) {
        let idle: Vec<u64> =
            self.chunks.iter().copied().filter(|chunk| self.is_idle(*chunk)).collect();
        for chunk in idle.into_iter().rev() {
            if self.reserved().checked_sub(CHUNK).is_none_or(|left| left < keep) {
                break;
            }
            self.chunks.remove(&chunk);
        }
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// The most bytes in use since the last reset.
    pub(crate) fn used_high(&self) -> u64 {
        self.used_high
    }

    /// Bytes that the pool holds.
    pub(crate) fn reserved(&self) -> u64 {
        self.chunks.len() as u64 * CHUNK
    }

    /// The most bytes that the pool has held since the last reset.
    pub(crate) fn reserved_high(&self) -> u64 {
        self.reserved_high
    }

    /// Begins to count the most bytes in use anew.
    pub(crate) fn reset_used_high(&mut self) {
        self.used_high = self.used;
    }

    /// Begins to count the most bytes held anew.
    pub(crate) fn reset_reserved_high(&mut self) {
        self.reserved_high = self.reserved();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_in_whole_chunks_and_holds_until_memory_comes_back() {
        let mut ledger = Ledger::new(1 << 20);
        assert!(ledger.take(CHUNK + 1).is_none());
        let whole = ledger.take(CHUNK).unwrap();
        assert!(ledger.take(1).is_none());
        ledger.leave(&whole);
        assert_eq!((ledger.used(), ledger.reserved()), (0, 0));
        let most = ledger.take(CHUNK - GRAIN).unwrap();
        ledger.settle(&most);
        assert!(ledger.take(GRAIN + 1).is_none() && ledger.take(u64::MAX).is_none());
        let last = ledger.take(GRAIN).unwrap();
        ledger.settle(&last);
        assert!(ledger.give_back(&most, 0));
        assert!(ledger.take(CHUNK - GRAIN).is_some() && ledger.take(1).is_none());
    }

    /// Whether there is memory for it is found out afterwards, and costs nothing here.
    #[test]
    fn places_may_be_of_any_size() {
        let mut ledger = Ledger::new(0);
        let (one, most) = (ledger.take(1).unwrap(), ledger.take(u64::MAX / 2).unwrap());
        ledger.settle(&one);
        assert!(ledger.take(u64::MAX / 2 + 1).is_none());
        ledger.trim(0);
        assert_eq!(ledger.reserved(), CHUNK);
        ledger.leave(&most);
        ledger.give_back(&one, 0);
        ledger.trim(0);
        assert_eq!((ledger.used(), ledger.reserved()), (0, 0));
    }

    #[test]
    fn the_first_gap_is_taken_and_gaps_join() {
        let mut ledger = Ledger::new(0);
        let [a, b, c, d] = [1, GRAIN, 3 * GRAIN, 1].map(|bytes| ledger.take(bytes).unwrap());
        for taken in [&a, &b, &c, &d] {
            ledger.settle(taken);
        }
        assert_eq!([&a, &b, &c, &d].map(|taken| taken.place), [0, GRAIN, 2 * GRAIN, 5 * GRAIN]);
        ledger.give_back(&a, 0);
        ledger.give_back(&c, 0);
        // Too large for the first gap.
        let e = ledger.take(GRAIN + 1).unwrap();
        assert_eq!(e.place, 2 * GRAIN);
        ledger.give_back(&b, 0);
        ledger.give_back(&e, 0);
        let all = ledger.take(5 * GRAIN).unwrap();
        assert_eq!(all.place, 0);
        for taken in [&all, &d] {
            ledger.give_back(taken, 0);
        }
        assert_eq!((ledger.used(), ledger.used_high()), (0, 4 * GRAIN + 2));
        assert_eq!(ledger.gaps, BTreeMap::from([(END, 0)]));
    }

    #[test]
    fn only_the_first_free_since_all_was_waited_for_says_so() {
        let mut ledger = Ledger::new(0);
        let free = |ledger: &mut Ledger, stream| {
            let taken = ledger.take(1).unwrap();
            ledger.settle(&taken);
            ledger.give_back(&taken, stream)
        };
        assert_eq!([1, 1, 2].map(|stream| free(&mut ledger, stream)), [true, false, false]);
        ledger.wait(Some(1), 0);
        assert!(ledger.waits() && !free(&mut ledger, 1));
        ledger.wait(None, 0);
        assert!(!ledger.waits() && free(&mut ledger, 2));
    }
}
