//! Free ranges of addresses, first fit.

use std::collections::BTreeMap;

/// The free parts of some range of addresses. Knows nothing of what is taken.
///
/// By the end of each, where it begins: what is taken first and given back last, as most is, changes no keys.
#[derive(Debug, Default)]
pub struct FreeRanges(BTreeMap<usize, usize>);

impl FreeRanges {
    /// All of `start..start + size` is free.
    pub fn new(start: usize, size: usize) -> FreeRanges {
        FreeRanges(BTreeMap::from([(start + size, start)]))
    }

    /// Takes `size` bytes from the first range that has them.
    pub fn take(&mut self, size: usize) -> Option<usize> {
        let (end, free) = self.0.iter_mut().find(|(end, start)| **end - **start >= size)?;
        let (end, start) = (*end, *free);
        *free += size;
        if *free == end {
            self.0.remove(&end);
        }
        Some(start)
    }

    /// Takes `size` bytes that begin at a multiple of `align`, a power of two.
    pub fn take_aligned(&mut self, size: usize, align: usize) -> Option<usize> {
        let start = self.0.iter().find_map(|(end, start)| {
            let first = start.checked_next_multiple_of(align)?;
            (first <= *end && size <= end - first).then_some(first)
        })?;
        self.take_at(start, size).then_some(start)
    }

    /// Takes exactly this range. Returns whether it was free.
    pub fn take_at(&mut self, start: usize, size: usize) -> bool {
        let around = self.0.range(start..).next().map(|(end, first)| (*end, *first));
        let Some((end, first)) = around else { return false };
        if first > start || size > end - start {
            return false;
        }
        if start + size == end {
            self.0.remove(&end);
        } else {
            self.0.insert(end, start + size);
        }
        if first != start {
            self.0.insert(start, first);
        }
        true
    }

    /// Gives back what was taken; joins it with its neighbours. Returns the size of all that.
    pub fn give(&mut self, start: usize, size: usize) -> usize {
        let end = start + size;
        let first = self.0.remove(&start).unwrap_or(start);
        match self.0.range_mut(end..).next() {
            Some((last, begin)) if *begin == end => {
                *begin = first;
                last - first
            }
            _ => {
                self.0.insert(end, first);
                end - first
            }
        }
    }

    /// Whether exactly this range is free as a whole.
    pub fn is_whole(&self, start: usize, size: usize) -> bool {
        self.0.get(&(start + size)) == Some(&start)
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
        assert_eq!((free.give(a, 20), free.give(c, 50)), (20, 50));
        assert_eq!(free.take(60), None);
        assert_eq!(free.give(b, 30), 100);
        assert!(free.is_whole(1000, 100));
    }
}
