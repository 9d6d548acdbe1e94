//! Clocks of the processors, and what keeps them down.

use super::processors::Processors;
use zluda_common::linux::files::{Root, value_of_line};

/// MHz: more than any processor has.
const MOST: f64 = 100_000.0;

/// MHz of the fastest processor that this process may use: the clocks of those that have nothing to do say
/// nothing about the others. `/proc/cpuinfo` comes first since one reading has all processors; kernels before
/// 5.18 wait a hundredth of a second for each file of cpufreq.
pub(super) fn current(root: &Root) -> Option<u32> {
    let usable = Processors::usable(root);
    let text = root.text("proc/cpuinfo").unwrap_or_default();
    let mut ours = true;
    let mut fastest = None;
    for line in text.lines() {
        if let Some(number) = value_of_line(line, "processor") {
            ours = number.parse().is_ok_and(|number| usable.contains(number));
        } else if let Some(clock) = value_of_line(line, "cpu MHz").filter(|_| ours) {
            fastest = fastest.max(clock.parse().ok().and_then(mhz));
        }
    }
    fastest.or_else(|| cpufreq(root, "scaling_cur_freq"))
}

/// MHz that the fastest processor can have that this process may use.
pub(super) fn maximum(root: &Root) -> Option<u32> {
    cpufreq(root, "cpuinfo_max_freq")
}

fn cpufreq(root: &Root, file: &str) -> Option<u32> {
    let folders = Processors::usable(root).folders(root);
    let clocks = folders.iter().filter_map(|folder| {
        let kilohertz: f64 = root.number(format!("{folder}/cpufreq/{file}"))?;
        mhz(kilohertz / 1000.0)
    });
    clocks.max()
}

fn mhz(clock: f64) -> Option<u32> {
    (1.0..MOST).contains(&clock).then_some(clock.round() as u32)
}

/// How often the processors have lowered their clocks because they were too hot, where they count it.
pub(super) fn throttled(root: &Root) -> Option<u64> {
    let folders = Processors::usable(root).folders(root);
    let counts = folders.iter().flat_map(|folder| {
        ["core_throttle_count", "package_throttle_count"]
            .map(|file| root.number::<u64>(format!("{folder}/thermal_throttle/{file}")))
    });
    counts.flatten().fold(None, |sum, count| Some(sum.unwrap_or(0u64).saturating_add(count)))
}
