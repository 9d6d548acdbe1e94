//! The blocks of a job that nobody has taken yet.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chaos::{Dice, Shuffle};

/// The order in which blocks begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A block begins when all lower ones have begun; so it may wait for them.
    Ascending,
    /// Each slot has a share of neighbours and begins with them: whoever runs a slot finds in its cache
    /// what the slot's blocks left there in the launch before.
    Any,
}

pub enum Blocks {
    Ascending {
        /// The next block to take; `total` or more when there is none.
        next: AtomicU64,
        total: u64,
        slot_count: u64,
    },
    Shares(Box<[Share]>),
    /// One by one, in an order by chance.
    Shuffled {
        /// The number of blocks taken; `total` or more when there is none left.
        taken: AtomicU64,
        total: u64,
        order: Shuffle,
    },
}

/// First block and end in the low and the high half. Threads take from the front of the share of their
/// own slot and from the back of those of others.
#[repr(align(128))]
pub struct Share(AtomicU64);

/// A thread takes about this part of what is left for it at a time, so that threads seldom meet while there
/// is much, and end together.
const PARTS: u64 = 8;

/// Blocks that a thread takes at a time at most.
const MOST_AT_ONCE: u64 = 8;

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
            return Blocks::Ascending { next: AtomicU64::new(0), total, slot_count };
        }
        let first = |slot: u64| total * slot / slot_count;
        let share = |slot| Share(AtomicU64::new(pack(&(first(slot)..first(slot + 1)))));
        Blocks::Shares((0..slot_count).map(share).collect())
    }

    /// Blocks of which none waits for another.
    pub fn shuffled(total: u64, dice: &Dice) -> Blocks {
        Blocks::Shuffled { taken: AtomicU64::new(0), total, order: Shuffle::new(total, dice) }
    }

    /// Takes some blocks for a slot; none when all are taken.
    pub fn take(&self, slot: u32) -> Range<u64> {
        match self {
            Blocks::Ascending { next, total, slot_count } => {
                // The look before the leap keeps idle threads from writing to the line.
                let left = total.saturating_sub(next.load(Ordering::Relaxed));
                if left == 0 {
                    return 0..0;
                }
                // Every lower block is taken already, by a thread that runs its blocks in order.
                let count = portion(left / slot_count);
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
            Blocks::Shares(shares) => {
                let front =
                    |left: Range<u64>| left.start..left.start + portion(left.end - left.start);
                let back = |left: Range<u64>| left.end - portion(left.end - left.start)..left.end;
                if let Some(taken) = shares[slot as usize].take(front) {
                    return taken;
                }
                loop {
                    let fullest = shares.iter().max_by_key(|share| share.left());
                    let Some(fullest) = fullest.filter(|share| share.left() != 0) else {
                        return 0..0;
                    };
                    if let Some(taken) = fullest.take(back) {
                        return taken;
                    }
                }
            }
        }
    }

    /// Takes all blocks that are left; returns how many.
    pub fn take_all(&self) -> u64 {
        match self {
            Blocks::Ascending { next: taken, total, .. }
            | Blocks::Shuffled { taken, total, .. } => {
                total.saturating_sub(taken.swap(*total, Ordering::Relaxed))
            }
            Blocks::Shares(shares) => shares
                .iter()
                .filter_map(|share| share.take(|left| left))
                .map(|all| all.end - all.start)
                .sum(),
        }
    }

    /// Whether all blocks have been taken.
    pub fn are_taken(&self) -> bool {
        match self {
            Blocks::Ascending { next: taken, total, .. }
            | Blocks::Shuffled { taken, total, .. } => taken.load(Ordering::Relaxed) >= *total,
            Blocks::Shares(shares) => shares.iter().all(|share| share.left() == 0),
        }
    }
}

impl Share {
    fn left(&self) -> u64 {
        let range = unpack(self.0.load(Ordering::Relaxed));
        range.end - range.start
    }

    /// Takes the blocks that `which` chooses of those that are left, at the front or at the back. Nothing if
    /// none is left.
    fn take(&self, which: impl Fn(Range<u64>) -> Range<u64>) -> Option<Range<u64>> {
        let mut value = self.0.load(Ordering::Relaxed);
        loop {
            let left = unpack(value);
            if left.is_empty() {
                return None;
            }
            let taken = which(left.clone());
            let rest = if taken.start == left.start {
                taken.end..left.end
            } else {
                left.start..taken.start
            };
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
    fn what_is_taken_all_at_once_is_counted() {
        for order in [Order::Ascending, Order::Any] {
            let blocks = Blocks::new(1000, order, 4);
            let taken = blocks.take(2);
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
