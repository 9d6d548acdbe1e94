//! Free ranges of addresses, first fit.

use std::collections::BTreeMap;

/// The free parts of some range of addresses. Knows nothing of what is taken.
#[derive(Debug, Default)]
pub struct FreeRanges(BTreeMap<usize, usize>);

impl FreeRanges {
    /// All of `start..start + size` is free.
    pub fn new(start: usize, size: usize) -> FreeRanges {
        FreeRanges(BTreeMap::from([(start, size)]))
    }

    /// Takes `size` bytes from the first range that has them.
    pub fn take(&mut self, size: usize) -> Option<usize> {
        let (start, free) =
            self.0.iter().find(|(_, free)| **free >= size).map(|(start, free)| (*start, *free))?;
        self.0.remove(&start);
        if free > size {
            self.0.insert(start + size, free - size);
        }
        Some(start)
    }

    /// Takes `size` bytes that begin at a multiple of `align`, a power of two.
    pub fn take_aligned(&mut self, size: usize, align: usize) -> Option<usize> {
        let start = self.0.iter().find_map(|(start, free)| {
            let first = start.checked_next_multiple_of(align)?;
            (first - start <= *free && size <= start + free - first).then_some(first)
        })?;
        self.take_at(start, size).then_some(start)
    }

    /// Takes exactly this range. Returns whether it was free.
    pub fn take_at(&mut self, start: usize, size: usize) -> bool {
        let before = self.0.range(..=start).next_back().map(|(first, free)| (*first, *free));
        let Some((first, free)) = before else { return false };
        let (skipped, end) = (start - first, first + free);
        if skipped > free || size > end - start {
            return false;
        }
        self.0.remove(&first);
        if skipped != 0 {
            self.0.insert(first, skipped);
        }
        if start + size != end {
            self.0.insert(start + size, end - start - size);
        }
        true
    }

    /// Gives back what was taken; joins it with its neighbours.
    pub fn give(&mut self, mut start: usize, mut size: usize) {
        if let Some((before, free)) =
            self.0.range(..start).next_back().map(|(start, free)| (*start, *free))
            && before + free == start
        {
            self.0.remove(&before);
            (start, size) = (before, size + free);
        }
        if let Some(free) = self.0.remove(&(start + size)) {
            size += free;
        }
        self.0.insert(start, size);
    }

    /// Whether exactly this range is free as a whole.
    pub fn is_whole(&self, start: usize, size: usize) -> bool {
        self.0.get(&start) == Some(&size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_where_they_are_wanted() {
        let mut free = FreeRanges::new(1000, 1000);
        assert_eq!(free.take_aligned(100, 256), Some(1024));
        assert_eq!(free.take_aligned(800, 256), None);
        assert!(!free.take_at(1100, 100) && !free.take_at(999, 1) && !free.take_at(1999, 2));
        assert!(free.take_at(1000, 24) && free.take_at(1999, 1) && free.take_at(1500, 10));
        for (start, size) in [(1024, 100), (1000, 24), (1500, 10), (1999, 1)] {
            free.give(start, size);
        }
        assert!(free.is_whole(1000, 1000));
    }

    #[test]
    fn neighbours_join_again() {
        let mut free = FreeRanges::new(1000, 100);
        let [a, b, c] = [20, 30, 50].map(|size| free.take(size).unwrap());
        assert_eq!([a, b, c], [1000, 1020, 1050]);
        assert_eq!(free.take(1), None);
        free.give(a, 20);
        free.give(c, 50);
        assert_eq!(free.take(60), None);
        free.give(b, 30);
        assert!(free.is_whole(1000, 100));
    }
}
