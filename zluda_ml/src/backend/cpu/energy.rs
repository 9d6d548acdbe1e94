//! Energy that the processors have taken, by their own counters (RAPL). Systems let only the administrator
//! read them.

use super::super::rate::{Count, Rate};
use zluda_common::linux::files::{Root, uptime};

/// Watts: more than a processor takes.
const MOST: u64 = 700;
/// Microseconds by which two readings may be further apart than their times.
const JITTER: u64 = 20_000;

/// The sum over all processors since this was made.
#[derive(Debug)]
pub(super) struct Energy {
    packages: Vec<Package>,
    /// `None`: counters may have gone around or started again unseen, and their sum is lost.
    microjoules: Option<u64>,
    time: u64,
    rate: Rate,
}

#[derive(Debug)]
struct Package {
    folder: String,
    counter: u64,
    /// The counter starts again from 0 here.
    range: u64,
}

impl Energy {
    pub(super) fn new(root: &Root) -> Energy {
        let packages: Option<Vec<_>> = folders(root)
            .into_iter()
            .map(|folder| {
                let counter = root.number(format!("{folder}/energy_uj"))?;
                let range = root.number(format!("{folder}/max_energy_range_uj"))?;
                Some(Package { folder, counter, range })
            })
            .collect();
        let time = uptime(root);
        let microjoules = time.and(packages.as_ref()).filter(|some| !some.is_empty()).map(|_| 0);
        let time = time.unwrap_or(0);
        let rate = Rate::new(Count { amount: 0, time });
        Energy { packages: packages.unwrap_or_default(), microjoules, time, rate }
    }

    /// Milliwatts, since the last question.
    pub(super) fn power(&mut self, root: &Root) -> Option<u32> {
        self.advance(root);
        let now = Count { amount: self.microjoules?, time: self.time };
        // Microjoules in a microsecond are watts.
        Some((self.rate.next(now)? * 1000.0) as u32)
    }

    /// Millijoules.
    pub(super) fn total(&mut self, root: &Root) -> Option<u64> {
        self.advance(root);
        Some(self.microjoules? / 1000)
    }

    /// Milliwatts that the processors may take for long.
    pub(super) fn limit(&self, root: &Root) -> Option<u32> {
        let limits = folders(root).into_iter().map(|folder| {
            let long = (0..4).find(|index| {
                let name = root.text(format!("{folder}/constraint_{index}_name"));
                name.is_some_and(|name| name.trim() == "long_term")
            })?;
            root.number::<u64>(format!("{folder}/constraint_{long}_power_limit_uw"))
        });
        let sum = limits.into_iter().try_fold(0u64, |sum, limit| sum.checked_add(limit?))?;
        u32::try_from(sum / 1000).ok().filter(|&limit| limit > 0)
    }

    fn advance(&mut self, root: &Root) {
        self.microjoules = self.step(root);
    }

    fn step(&mut self, root: &Root) -> Option<u64> {
        let mut sum = self.microjoules?;
        let now = uptime(root)?;
        let passed = now.checked_sub(self.time)?;
        for package in &mut self.packages {
            if passed.saturating_mul(MOST) >= package.range {
                return None;
            }
            let counter: u64 = root.number(format!("{}/energy_uj", package.folder))?;
            let before = std::mem::replace(&mut package.counter, counter);
            let grown = counter.checked_sub(before);
            let around = || package.range.checked_sub(before)?.checked_add(counter);
            let grown = grown.or_else(around)?;
            // After the machine has slept, counters start at 0.
            if grown > passed.saturating_add(JITTER).saturating_mul(MOST) {
                return None;
            }
            sum = sum.checked_add(grown)?;
        }
        self.time = now;
        Some(sum)
    }
}

/// Those of whole processors: `intel-rapl:0`, by AMD too. Parts of one are `intel-rapl:0:1`.
fn folders(root: &Root) -> Vec<String> {
    let names = root.names("sys/class/powercap").into_iter();
    let folders = names
        .filter(|name| {
            let number = name.strip_prefix("intel-rapl:");
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        })
        .map(|name| format!("sys/class/powercap/{name}"));
    folders
        .filter(|folder| {
            root.text(format!("{folder}/name")).is_some_and(|name| name.starts_with("package-"))
        })
        .collect()
}
