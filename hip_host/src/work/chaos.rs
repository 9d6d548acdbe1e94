//! `ZLUDA_CHAOS`: the engine varies everything that programs may not rely on, so that what is wrong with
//! the order of things goes wrong soon: how many threads there are, which blocks and units run first and where
//! they are left, when operations begin, and how long anything takes.
//!
//! A seed gives the same choices again as far as they do not depend on the system's scheduler. Without
//! the variable [`seed`] is all that is ever called.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use splitmix::{STEP, mix};
use zluda_common::config::config;

/// The seed, if there is to be chaos.
#[inline]
pub fn seed() -> Option<u64> {
    config().chaos
}

/// The subjects of choices: each has numbers of its own.
#[derive(Clone, Copy, Debug)]
pub enum About {
    /// Cores of the device.
    Cores,
    /// A job, by its number.
    Job,
    /// Blocks that a thread takes of a job, by the slot.
    Taken,
    /// A block, by its place.
    Block,
    /// A launch, by its grid's number.
    Launch,
    /// An operation, by its number.
    Operation,
    /// A thread, by its number.
    Thread,
    /// The threads that are jolted.
    Jolts,
}

/// A source of numbers, which several owners may ask.
#[derive(Clone, Debug)]
pub struct Dice(Cell<u64>);

/// Dice for one thing, if there is to be chaos.
#[inline]
pub fn dice(about: About, numbers: &[u64]) -> Option<Dice> {
    seed().map(|seed| Dice::new(seed, about, numbers))
}

/// Dice of the calling thread, if there is to be chaos.
pub fn dice_of_thread() -> Option<Dice> {
    thread_local! {
        static OWN: Option<Dice> = {
            static THREADS: AtomicU64 = AtomicU64::new(0);
            dice(About::Thread, &[THREADS.fetch_add(1, Ordering::Relaxed)])
        };
    }
    seed()?;
    // Their state goes on, so that no two calls get the same.
    OWN.try_with(|own| own.as_ref().map(|own| Dice(Cell::new(own.next())))).ok()?
}

impl Dice {
    /// Dice for one thing, which `numbers` tell from others of the same subject.
    pub fn new(seed: u64, about: About, numbers: &[u64]) -> Dice {
        let mixed = [about as u64].iter().chain(numbers).fold(mix(seed), |state, number| {
            mix(state.wrapping_add(STEP) ^ number.wrapping_mul(STEP))
        });
        Dice(Cell::new(mixed))
    }

    fn next(&self) -> u64 {
        self.0.set(self.0.get().wrapping_add(STEP));
        mix(self.0.get())
    }

    /// A number from 0 to `end - 1`; 0 where there is none.
    pub fn below(&self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Whether it is one time out of so many.
    pub fn one_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Brings a list into an order by chance.
    pub fn shuffle<T>(&self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// Nothing, more often than not; else a time that another thread can do something in.
    pub fn delay(&self) -> Option<Duration> {
        let most = [0, 0, 0, 0, 0, 30, 300, 2000][self.below(8) as usize];
        (most != 0).then(|| Duration::from_micros(1 + self.below(most)))
    }

    /// Sleeps, one time out of so many.
    pub fn sleep_sometimes(&self, times: u64) {
        if self.one_in(times)
            && let Some(delay) = self.delay()
        {
            std::thread::sleep(delay);
        }
    }
}

/// An order of `total` things, which [`Shuffle::place`] gives one by one.
#[derive(Debug)]
pub struct Shuffle {
    factor: u64,
    offset: u64,
    total: u64,
}

impl Shuffle {
    /// An order by chance; a `total` of 0 counts as 1.
    pub fn new(total: u64, dice: &Dice) -> Shuffle {
        let total = total.max(1);
        let mut factor = 1 + dice.below(total);
        while gcd(factor, total) != 1 {
            factor = factor % total + 1;
        }
        Shuffle { factor, offset: dice.below(total), total }
    }

    /// The number of the thing at this place, from 0 to `total - 1`.
    pub fn place(&self, index: u64) -> u64 {
        let product = u128::from(index) * u128::from(self.factor) + u128::from(self.offset);
        (product % u128::from(self.total)) as u64
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_has_each_place_once() {
        let dice = Dice::new(5, About::Job, &[]);
        for total in [1, 2, 7, 12, 360, 4096] {
            let shuffle = Shuffle::new(total, &dice);
            let mut all: Vec<_> = (0..total).map(|index| shuffle.place(index)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..total).collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbers_depend_on_the_seed_and_on_what_they_are_for() {
        let first = |seed, about, numbers: &[u64]| Dice::new(seed, about, numbers).below(1 << 32);
        let base = first(1, About::Job, &[2]);
        assert_eq!(base, first(1, About::Job, &[2]));
        assert_ne!(base, first(2, About::Job, &[2]));
        assert_ne!(base, first(1, About::Block, &[2]));
        assert_ne!(base, first(1, About::Job, &[3]));
    }
}
