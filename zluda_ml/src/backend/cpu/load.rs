//! How busy the processors are.

use super::super::rate::{Count, Rate, percent};
use super::processors::Processors;
use zluda_common::linux::cgroup::{Quota, quota};
use zluda_common::linux::files::{Root, uptime, value};

/// Microseconds in the unit of `/proc/stat`, which is the same on all machines that programs see.
pub(super) const TICK: u64 = 10_000;

/// The load since the last question.
#[derive(Debug)]
pub(super) struct Load {
    state: Option<(Capacity, Rate)>,
}

/// The whole that the load is a part of. Counters of another capacity cannot be compared.
#[derive(Clone, Debug, PartialEq)]
struct Capacity {
    usable: Processors,
    present: u32,
    quota: Option<f64>,
}

impl Load {
    pub(super) fn new(root: &Root) -> Load {
        Load { state: read(root).map(|(capacity, count)| (capacity, Rate::new(count))) }
    }

    /// Percent of the processors that this process may use. Where a group of processes has a quota that is
    /// smaller, percent of that.
    pub(super) fn percent(&mut self, root: &Root) -> Option<u32> {
        let (capacity, now) = read(root)?;
        let whole = capacity.quota.unwrap_or(capacity.present.into());
        let busy = match &mut self.state {
            Some((before, rate)) if *before == capacity => rate.next(now),
            state => {
                *state = Some((capacity, Rate::new(now)));
                None
            }
        };
        // The first question may come before the counters have moved.
        Some(percent(busy.or_else(|| Some(f64::from(running(root)?) / whole))?))
    }
}

/// How many processors' work the processors that this process may use can do at once.
pub(super) fn capacity(root: &Root) -> Option<f64> {
    let (capacity, _) = read(root)?;
    Some(capacity.quota.unwrap_or(capacity.present.into()))
}

/// The threads that run or could, but for the one that asks.
fn running(root: &Root) -> Option<u32> {
    let stat = root.text("proc/stat")?;
    Some(value(&stat, "procs_running")?.parse::<u32>().ok()?.saturating_sub(1))
}

/// How long all of the capacity was busy, and the time.
fn read(root: &Root) -> Option<(Capacity, Count)> {
    let usable = Processors::usable(root);
    let (present, count) = ticks(&root.text("proc/stat")?, &usable)?;
    let tight = quota(root).filter(|quota| quota.processors < present.into());
    if let Some(Quota { processors, used }) = tight {
        let count = Count { amount: (used as f64 / processors) as u64, time: uptime(root)? };
        return Some((Capacity { usable, present, quota: Some(processors) }, count));
    }
    Some((Capacity { usable, present, quota: None }, count))
}

/// The number of processors, and their mean time, busy and altogether.
fn ticks(stat: &str, usable: &Processors) -> Option<(u32, Count)> {
    let (mut present, mut busy, mut total) = (0, 0u64, 0u64);
    for line in stat.lines() {
        let mut words = line.split_ascii_whitespace();
        let number = words.next().and_then(|name| name.strip_prefix("cpu")?.parse().ok());
        if !number.is_some_and(|number| usable.contains(number)) {
            continue;
        }
        // user nice system idle iowait irq softirq steal, and then guests, who are in user and nice.
        let times: Vec<u64> = words.take(8).map_while(|word| word.parse().ok()).collect();
        let (Some(idle), Some(sum)) = (times.get(3), sum(&times)) else { continue };
        let idle = idle.saturating_add(times.get(4).copied().unwrap_or(0));
        present += 1;
        total = total.saturating_add(sum);
        busy = busy.saturating_add(sum.saturating_sub(idle));
    }
    let mean = |ticks: u64| ticks.saturating_mul(TICK) / u64::from(present);
    (present > 0).then(|| (present, Count { amount: mean(busy), time: mean(total) }))
}

fn sum(times: &[u64]) -> Option<u64> {
    times.iter().try_fold(0u64, |sum, time| sum.checked_add(*time))
}
