//! Time in ticks of the processor, for questions that are asked so often that to ask the system costs too much: twice to
//! five times as much, and as much as a small block takes.
//!
//! Processors count 2 to 4 ticks in a nanosecond, whatever their frequency is at the moment: right for limits that might as
//! well be half or twice as large, and for nothing else.

use std::arch::x86_64::_rdtsc;

/// Ticks in a microsecond, of a processor in the middle.
const IN_A_MICROSECOND: u64 = 3_000;

/// A number of ticks, or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticks(u64);

impl Ticks {
    /// About so many microseconds.
    pub const fn about_micros(micros: u64) -> Ticks {
        Ticks(micros * IN_A_MICROSECOND)
    }

    #[inline(always)]
    pub fn now() -> Ticks {
        // SAFETY: every x86-64 processor has the instruction, and systems let programs use it.
        Ticks(unsafe { _rdtsc() })
    }

    /// Ticks since a moment; none where another processor counts a little behind.
    #[inline(always)]
    pub fn since(earlier: Ticks) -> Ticks {
        Ticks::now().after(earlier)
    }

    /// Ticks from a moment to this one; none where another processor counts a little behind.
    #[inline(always)]
    pub fn after(self, earlier: Ticks) -> Ticks {
        Ticks(self.0.saturating_sub(earlier.0))
    }
}
