//! The number of bytes that a memory pool has in use and holds, as an NVIDIA GPU counts them.
//!
//! The provider places memory by itself; programs read these numbers to see what a pool keeps. An H100 gives
//! pools memory in chunks of 32 MiB, finds the first gap for each allocation, and takes a chunk back when nothing
//! in it is in use and the program waits for the work that freed it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bytes that pools grow and shrink by.
const CHUNK: u64 = 32 << 20;
/// Allocations begin at multiples of this.
const GRAIN: u64 = 512;

/// A place that was taken in a pool, for memory that is about to be there.
#[must_use]
pub(crate) struct Taken {
    place: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Places in the pool with the bytes in use there.
    live: BTreeMap<u64, u64>,
    /// The places of addresses.
    places: HashMap<u64, u64>,
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
        Self { limit: maximum.next_multiple_of(CHUNK), ..Self::default() }
    }

    /// Takes a place for so many bytes; none where the pool may not hold as many.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<Taken> {
        let place = self.place_of(bytes);
        let end = place.checked_add(bytes)?;
        if self.limit != 0 && end > self.limit {
            return None;
        }
        // The next place is a number, too.
        end.checked_next_multiple_of(GRAIN)?;
        self.live.insert(place, bytes);
        self.used += bytes;
        Some(Taken { place, bytes })
    }

    /// The memory of a place has an address now. The pool holds its chunks: before, no memory may be there for as many.
    pub(crate) fn settle(&mut self, address: u64, taken: Taken) {
        let Taken { place, bytes } = taken;
        self.places.insert(address, place);
        self.chunks.extend(place / CHUNK..=(place + bytes.max(1) - 1) / CHUNK);
        self.used_high = self.used_high.max(self.used);
        self.reserved_high = self.reserved_high.max(self.reserved());
    }

    /// There is no memory for a place.
    pub(crate) fn leave(&mut self, taken: Taken) {
        if let Some(bytes) = self.live.remove(&taken.place) {
            self.used -= bytes;
        }
    }

    /// The first gap for so many bytes.
    fn place_of(&self, bytes: u64) -> u64 {
        let mut place = 0;
        for (&begin, &taken) in &self.live {
            if begin - place >= bytes {
                break;
            }
            place = (begin + taken).next_multiple_of(GRAIN);
        }
        place
    }

    /// Whether nothing is in use in a chunk.
    fn is_idle(&self, chunk: u64) -> bool {
        let begin = chunk * CHUNK;
        let last = self.live.range(..begin + CHUNK).next_back();
        last.is_none_or(|(place, bytes)| place + (*bytes).max(1) <= begin)
    }

    /// It is no longer, once that stream has come there.
    pub(crate) fn give_back(&mut self, address: u64, stream: u64) {
        let Some(bytes) = self.places.remove(&address).and_then(|place| self.live.remove(&place))
        else {
            return;
        };
        self.used -= bytes;
        if !self.freed_in.contains(&stream) {
            self.freed_in.push(stream);
        }
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
        ledger.leave(whole);
        assert_eq!((ledger.used(), ledger.reserved()), (0, 0));
        let most = ledger.take(CHUNK - GRAIN).unwrap();
        ledger.settle(0x1000, most);
        assert!(ledger.take(GRAIN + 1).is_none() && ledger.take(u64::MAX).is_none());
        let last = ledger.take(GRAIN).unwrap();
        ledger.settle(0x2000, last);
        ledger.give_back(0x1000, 0);
        assert!(ledger.take(CHUNK - GRAIN).is_some() && ledger.take(1).is_none());
    }

    /// Whether there is memory for it is found out afterwards, and costs nothing here.
    #[test]
    fn places_may_be_of_any_size() {
        let mut ledger = Ledger::new(0);
        let (one, most) = (ledger.take(1).unwrap(), ledger.take(u64::MAX / 2).unwrap());
        ledger.settle(0x1000, one);
        assert!(ledger.take(u64::MAX / 2 + 1).is_none());
        ledger.trim(0);
        assert_eq!(ledger.reserved(), CHUNK);
        ledger.leave(most);
        ledger.give_back(0x1000, 0);
        ledger.trim(0);
        assert_eq!((ledger.used(), ledger.reserved()), (0, 0));
    }
}
