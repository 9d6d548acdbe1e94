//! The memory that this process may use.

use super::super::Memory;
use zluda_common::linux::cgroup;
use zluda_common::linux::files::{Root, value};

/// The machine's memory, or that of the tightest group of processes. What the system holds only as long as
/// nobody wants it is free.
pub(super) fn memory(root: &Root) -> Option<Memory> {
    let text = root.text("proc/meminfo")?;
    let read = |key| {
        let (number, unit) = value(&text, key)?.split_once(' ')?;
        (unit == "kB").then_some(number.parse::<u64>().ok()?.checked_mul(1024)?)
    };
    let total = read("MemTotal").filter(|&total| total > 0)?;
    // Kernels before 3.14 do not say what is available.
    let estimate = || {
        let sum = read("Buffers").unwrap_or(0).saturating_add(read("Cached").unwrap_or(0));
        Some(read("MemFree")?.saturating_add(sum))
    };
    let free = read("MemAvailable").or_else(estimate)?.min(total);
    let group = cgroup::memory(root).filter(|group| group.limit < total);
    let (total, free) = match group {
        Some(group) => (group.limit, group.limit.saturating_sub(group.used).min(free)),
        None => (total, free),
    };
    Some(Memory { total, reserved: 0, used: total - free, free })
}
