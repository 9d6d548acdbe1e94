//! Counters that grow with time.

/// Microseconds: times have a resolution of 10 milliseconds.
const SHORTEST: u64 = 50_000;

/// The value of a counter, and when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) amount: u64,
    /// Microseconds.
    pub(super) time: u64,
}

/// How fast a counter grew between the last two questions that lie far enough apart.
#[derive(Clone, Debug)]
pub(super) struct Rate {
    from: Count,
    rate: Option<f64>,
}

impl Rate {
    pub(super) fn new(from: Count) -> Rate {
        Rate { from, rate: None }
    }

    /// The amount in a microsecond, once there are two such questions. A counter that went back starts again.
    pub(super) fn next(&mut self, now: Count) -> Option<f64> {
        let Count { amount, time } = self.from;
        match (now.amount.checked_sub(amount), now.time.checked_sub(time)) {
            (Some(_), Some(passed)) if passed < SHORTEST => {}
            (Some(grown), Some(passed)) => {
                *self = Rate { from: now, rate: Some(grown as f64 / passed as f64) };
            }
            _ => *self = Rate::new(now),
        }
        self.rate
    }
}

/// A part of a whole as percent, 100 at most.
pub(super) fn percent(part: f64) -> u32 {
    (part * 100.0).round().clamp(0.0, 100.0) as u32
}
