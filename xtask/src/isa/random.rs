//! Numbers that look random and are the same in every run.

use splitmix::Random;

/// A sequence for a name, so that what is added elsewhere does not change it.
pub fn of(name: &str) -> Random {
    // FNV-1a.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    Random::new(hash)
}
