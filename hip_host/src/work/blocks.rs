//! The blocks of a job that nobody has taken yet.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chaos::{Dice, Shuffle};

/// The order in which blocks begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A block begins when all lower ones have begun; so it may wait for them.
    Ascending,
    /// Each slot has shares of neighbours and begins with them: whoever runs a slot finds in its cache what the slot's
    /// blocks left there in the launch before. A block begins when all have begun that are two [windows](Shares)
    /// lower.
    Any,
}

pub enum Blocks {
    Ascending {
        /// The next block to take; `total` or more when there is none.
        next: AtomicU64,
        total: u64,
        /// A thread takes about this part of what is left at a time.
        parts: u64,
    },
    Shares(Shares),
    /// One by one, in an order by chance.
    Shuffled {
        /// The number of blocks taken; `total` or more when there is none left.
        taken: AtomicU64,
        total: u64,
        order: Shuffle,
    },
}

/// The grid cut into windows and each window into a part for each slot. What a slot has of all windows is its share.
///
/// Nobody waits for another block here, yet there are programs whose blocks read what far lower ones wrote: all that a GPU
/// holds at a time has ended before them. So no slot gets ahead of another by more than a window.
pub struct Shares {
    shares: Box<[Share]>,
    total: u64,
    /// The number of blocks of a slot in a window.
    part: u64,
}

/// The blocks that are left of a slot's share, as they are numbered in it: the first one and the end in the low and the
/// high half.
#[repr(align(128))]
struct Share(AtomicU64);

/// A thread takes about this part of what is left for it at a time, so that threads seldom meet while there
/// is much, and end together.
const PARTS: u64 = 8;

/// Blocks that a thread takes at a time at most.
const MOST_AT_ONCE: u64 = 8;

/// Blocks of a slot in a window at most. With as many for each core a window is about what a GPU of that size holds.
const MOST_IN_WINDOW: u64 = 64;

/// Fewer blocks for each slot are not worth shares.
const SHARE_FROM: u64 = 16;

fn portion(left: u64) -> u64 {
    (left / PARTS).clamp(1, MOST_AT_ONCE)
}

impl Blocks {
    /// The blocks `0..total`, for so many slots.
    pub fn new(total: u64, order: Order, slot_count: u32) -> Blocks {
        let slot_count = u64::from(slot_count);
        let has_shares = order == Order::Any
            && slot_count > 1
            && total >= SHARE_FROM * slot_count
            && total <= u64::from(u32::MAX);
        if !has_shares {
            return Blocks::in_parts(total, Blocks::parts(slot_count as u32));
        }
        Blocks::Shares(Shares::new(total, slot_count))
    }

    /// The blocks `0..total` in their order, of which a thread takes about a part of what is left at a time.
    pub fn in_parts(total: u64, parts: u64) -> Blocks {
        Blocks::Ascending { next: AtomicU64::new(0), total, parts }
    }

    /// Of what is left, the part that a thread takes at a time of blocks for so many slots.
    fn parts(slot_count: u32) -> u64 {
        PARTS * u64::from(slot_count)
    }

    /// How many nobody has taken.
    pub fn left(&self) -> u64 {
        match self {
            Blocks::Ascending { next: taken, total, .. }
            | Blocks::Shuffled { taken, total, .. } => {
                total.saturating_sub(taken.load(Ordering::Relaxed))
            }
            Blocks::Shares(shares) => shares.left(),
        }
    }

    /// Blocks of which none waits for another.
    pub fn shuffled(total: u64, dice: &Dice) -> Blocks {
        Blocks::Shuffled { taken: AtomicU64::new(0), total, order: Shuffle::new(total, dice) }
    }

    /// Takes some blocks for a slot; none when all are taken.
    pub fn take(&self, slot: u32) -> Range<u64> {
        match self {
            Blocks::Ascending { next, total, parts } => {
                // The look before the leap keeps idle threads from writing to the line.
                let left = total.saturating_sub(next.load(Ordering::Relaxed));
                if left == 0 {
                    return 0..0;
                }
                // Every lower block is taken already, by a thread that runs its blocks in order.
                let count = (left / parts).clamp(1, MOST_AT_ONCE);
                let first = next.fetch_add(count, Ordering::Relaxed);
                first.min(*total)..(first + count).min(*total)
            }
            Blocks::Shuffled { taken, total, order } => {
                if taken.load(Ordering::Relaxed) >= *total {
                    return 0..0;
                }
                let index = taken.fetch_add(1, Ordering::Relaxed);
                if index >= *total {
                    return 0..0;
                }
                let block = order.place(index);
                block..block + 1
            }
            Blocks::Shares(shares) => shares.take(slot as usize),
        }
    }

    /// The same where no other thread takes any, of blocks that are taken in their order: half of the cost of a small block is
    /// what keeps others out. The first time it takes half of them, then what is left.
    pub fn take_alone(&self, slot: u32) -> Range<u64> {
        let Blocks::Ascending { next, total, .. } = self else { return self.take(slot) };
        let first = next.load(Ordering::Relaxed);
        let left = total.saturating_sub(first);
        let wanted = if first == 0 { left / 2 } else { left };
        let count = wanted.clamp(1, MOST_AT_ONCE).min(left);
        next.store(first + count, Ordering::Relaxed);
        first..first + count
    }

    /// Takes all blocks that are left; returns how many.
    pub fn take_all(&self) -> u64 {
        match self {
            Blocks::Ascending { next: taken, total, .. }
            | Blocks::Shuffled { taken, total, .. } => {
                total.saturating_sub(taken.swap(*total, Ordering::Relaxed))
            }
            Blocks::Shares(shares) => shares.take_all(),
        }
    }

    /// Whether all blocks have been taken.
    pub fn are_taken(&self) -> bool {
        match self {
            Blocks::Ascending { next: taken, total, .. }
            | Blocks::Shuffled { taken, total, .. } => taken.load(Ordering::Relaxed) >= *total,
            Blocks::Shares(shares) => shares.are_taken(),
        }
    }
}

impl Shares {
    fn new(total: u64, slot_count: u64) -> Shares {
        let windows = total.div_ceil(slot_count * MOST_IN_WINDOW);
        let part = total.div_ceil(slot_count * windows);
        let window = part * slot_count;
        let rest = total % window;
        let share = |slot: u64| {
            let of_rest = rest.saturating_sub(slot * part).min(part);
            Share(AtomicU64::new(pack(&(0..total / window * part + of_rest))))
        };
        Shares { shares: (0..slot_count).map(share).collect(), total, part }
    }

    /// The blocks that have these numbers, which lie in one window, in a slot's share.
    fn blocks(&self, slot: usize, numbers: &Range<u64>) -> Range<u64> {
        let window = numbers.start / self.part * self.part * self.shares.len() as u64;
        let first = window + slot as u64 * self.part + numbers.start % self.part;
        debug_assert!(first < self.total);
        first..first + (numbers.end - numbers.start)
    }

    fn take(&self, slot: usize) -> Range<u64> {
        // The number's window is looked at when it is begun alone: slots touch each other's shares seldom.
        let own = self.shares[slot].left();
        if !own.is_empty()
            && (!own.start.is_multiple_of(self.part) || own.start <= self.lowest() + self.part)
            && let Some(taken) = self.shares[slot].take(self.part)
        {
            return self.blocks(slot, &taken);
        }
        loop {
            let behind = |slot: &usize| self.shares[*slot].left();
            let left = (0..self.shares.len()).filter(|slot| !behind(slot).is_empty());
            let Some(last) = left.min_by_key(|slot| behind(slot).start) else { return 0..0 };
            if let Some(taken) = self.shares[last].take(self.part) {
                return self.blocks(last, &taken);
            }
        }
    }

    /// The lowest number that is left in any share.
    fn lowest(&self) -> u64 {
        let left = self.shares.iter().map(Share::left).filter(|left| !left.is_empty());
        left.map(|left| left.start).min().unwrap_or(u64::MAX - self.part)
    }

    fn take_all(&self) -> u64 {
        count(self.shares.iter().map(|share| unpack(share.0.swap(0, Ordering::Relaxed))))
    }

    fn left(&self) -> u64 {
        count(self.shares.iter().map(Share::left))
    }

    fn are_taken(&self) -> bool {
        self.shares.iter().all(|share| share.left().is_empty())
    }
}

impl Share {
    fn left(&self) -> Range<u64> {
        unpack(self.0.load(Ordering::Relaxed))
    }

    /// Takes the first ones of those that are left, all of one window of `part` of them. Nothing if none is left.
    fn take(&self, part: u64) -> Option<Range<u64>> {
        let mut value = self.0.load(Ordering::Relaxed);
        loop {
            let left = unpack(value);
            if left.is_empty() {
                return None;
            }
            let in_window = part - left.start % part;
            let taken = left.start..left.start + portion(left.end - left.start).min(in_window);
            let rest = taken.end..left.end;
            match self.0.compare_exchange_weak(
                value,
                pack(&rest),
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(taken),
                Err(now) => value = now,
            }
        }
    }
}

/// How many blocks some ranges have.
fn count(ranges: impl Iterator<Item = Range<u64>>) -> u64 {
    ranges.map(|range| range.end.saturating_sub(range.start)).sum()
}

/// Both ends are below 2^32.
fn pack(range: &Range<u64>) -> u64 {
    range.start | range.end << 32
}

fn unpack(value: u64) -> Range<u64> {
    value & u64::from(u32::MAX)..value >> 32
}

#[cfg(test)]
mod tests {
    use super::super::chaos::About;
    use super::*;

    /// All blocks, in the order in which threads of the slots in turn take them.
    fn drain(blocks: &Blocks, slots: &[u32]) -> Vec<u64> {
        let mut order = Vec::new();
        for slot in slots.iter().cycle() {
            let taken = blocks.take(*slot);
            if taken.is_empty() {
                return order;
            }
            order.extend(taken);
        }
        order
    }

    #[test]
    fn every_block_is_taken_once() {
        for total in [1, 7, 32, 33, 1000, 4097] {
            for slot_count in [1, 2, 3, 16] {
                for order in [Order::Ascending, Order::Any] {
                    for slots in [&[0][..], &[slot_count - 1], &[0, slot_count - 1]] {
                        let blocks = Blocks::new(total, order, slot_count);
                        let mut all = drain(&blocks, slots);
                        assert!(blocks.are_taken());
                        assert!(order == Order::Any || all.is_sorted());
                        all.sort_unstable();
                        assert_eq!(all, (0..total).collect::<Vec<_>>());
                    }
                }
            }
        }
    }

    #[test]
    fn what_one_thread_has_is_taken_by_halves() {
        let blocks = Blocks::in_parts(9, 2);
        let taken: Vec<_> = std::iter::repeat_with(|| blocks.take(0)).take(5).collect();
        assert_eq!(taken, [0..4, 4..6, 6..7, 7..8, 8..9]);
        assert!(blocks.are_taken() && blocks.take(0).is_empty());
        let alone = Blocks::new(9, Order::Ascending, 2);
        assert_eq!((alone.take_alone(0), alone.left()), (0..4, 5));
        assert_eq!((alone.take_alone(0), alone.left()), (4..9, 0));
        assert!(alone.are_taken() && alone.take_alone(0).is_empty());
        let one = Blocks::new(1, Order::Ascending, 2);
        assert_eq!((one.take_alone(0), one.left()), (0..1, 0));
        // Others take what is left as they do from the beginning.
        let left = Blocks::new(9, Order::Ascending, 2);
        assert_eq!(left.take_alone(0), 0..4);
        let taken: Vec<_> = std::iter::repeat_with(|| left.take(0)).take(5).collect();
        assert_eq!(taken, [4..5, 5..6, 6..7, 7..8, 8..9]);
        assert!(left.are_taken() && left.take_alone(0).is_empty() && left.left() == 0);
    }

    #[test]
    fn a_shuffled_order_has_every_block_once() {
        let dice = Dice::new(1, About::Job, &[]);
        let blocks = Blocks::shuffled(1000, &dice);
        let mut all = drain(&blocks, &[0, 1]);
        assert!(blocks.are_taken() && !all.is_sorted());
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        let blocks = Blocks::shuffled(1000, &dice);
        blocks.take(3);
        assert_eq!(blocks.take_all(), 999);
    }

    #[test]
    fn slots_begin_with_shares_of_their_own() {
        let blocks = Blocks::new(100, Order::Any, 2);
        assert_eq!(blocks.take(1).start, 50);
        assert_eq!(blocks.take(0).start, 0);
    }

    #[test]
    fn no_slot_is_far_ahead_of_another() {
        // The first slot never comes, or seldom: others take its blocks before they go on.
        for (total, slot_count, first_comes) in [(10_000, 2, false), (10_007, 4, true)] {
            let blocks = Blocks::new(total, Order::Any, slot_count);
            let window = MOST_IN_WINDOW * u64::from(slot_count);
            let mut begun = vec![false; total as usize];
            for turn in 0.. {
                let slot = turn % slot_count;
                let slot = if slot == 0 && !(first_comes && turn % 64 == 0) { 1 } else { slot };
                let taken = blocks.take(slot);
                for block in taken.clone() {
                    let far_lower = block.saturating_sub(2 * window) as usize;
                    assert!(begun[..far_lower].iter().all(|begun| *begun), "{block}");
                }
                begun[taken.start as usize..taken.end as usize].fill(true);
                if taken.is_empty() {
                    break;
                }
            }
            assert!(begun.iter().all(|begun| *begun));
        }
    }

    #[test]
    fn what_is_taken_all_at_once_is_counted() {
        for order in [Order::Ascending, Order::Any] {
            let blocks = Blocks::new(1000, order, 4);
            let taken = blocks.take(2);
            assert_eq!(blocks.left(), 1000 - (taken.end - taken.start));
            assert_eq!(blocks.take_all(), 1000 - (taken.end - taken.start));
            assert!(blocks.are_taken() && blocks.take(0).is_empty());
        }
    }

    #[test]
    fn more_blocks_than_a_half_holds_are_counted_too() {
        let blocks = Blocks::new(1 << 40, Order::Any, 4);
        assert_eq!(blocks.take(3), 0..MOST_AT_ONCE);
        assert_eq!(blocks.take_all(), (1 << 40) - MOST_AT_ONCE);
    }
}
