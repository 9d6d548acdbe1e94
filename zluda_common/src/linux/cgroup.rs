//! The limits of the groups of processes that this process is in: both versions of cgroups, and in containers
//! that see only their own part of the tree.

use super::files::{Root, value};
use std::path::{Path, PathBuf};

/// The share of the machine's processors that a group may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quota {
    /// How many processors the group may keep busy.
    pub processors: f64,
    /// Microseconds that its processes have run, all processors together.
    pub used: u64,
}

/// The part of the machine's memory that a group may use, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    pub limit: u64,
    /// Without what the system can take back at once.
    pub used: u64,
}

/// The tightest quota of this process's groups.
pub fn quota(root: &Root) -> Option<Quota> {
    let unified = levels(root, "").into_iter().filter_map(|folder| {
        let text = root.text(folder.join("cpu.max"))?;
        let (quota, period) = text.trim().split_once(' ')?;
        let stat = root.text(folder.join("cpu.stat"))?;
        let used = value(&stat, "usage_usec")?.parse().ok()?;
        quota_of(quota.parse().ok()?, period.parse().ok()?, used)
    });
    let legacy = levels(root, "cpu").into_iter().filter_map(|folder| {
        let quota = root.number(folder.join("cpu.cfs_quota_us"))?;
        let period = root.number(folder.join("cpu.cfs_period_us"))?;
        let used: u64 = root.number(folder.join("cpuacct.usage"))?;
        quota_of(quota, period, used / 1000)
    });
    unified.chain(legacy).min_by(|a, b| a.processors.total_cmp(&b.processors))
}

fn quota_of(quota: i64, period: i64, used: u64) -> Option<Quota> {
    let processors = quota as f64 / period as f64;
    // -1 is no quota; a thousandth of a processor is the least that the kernel takes.
    (quota > 0 && period > 0 && processors >= 0.001).then_some(Quota { processors, used })
}

/// The tightest limit on memory of this process's groups.
pub fn memory(root: &Root) -> Option<MemoryLimit> {
    let unified = levels(root, "")
        .into_iter()
        .map(|folder| (folder, ["memory.max", "memory.current", "inactive_file"]));
    let legacy = levels(root, "memory").into_iter().map(|folder| {
        (folder, ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"])
    });
    let limits = unified.chain(legacy).filter_map(|(folder, [limit, used, inactive])| {
        let limit = root.number(folder.join(limit))?;
        let used: u64 = root.number(folder.join(used))?;
        let stat = root.text(folder.join("memory.stat")).unwrap_or_default();
        let inactive = value(&stat, inactive).and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        Some(MemoryLimit { limit, used: used.saturating_sub(inactive) })
    });
    limits.min_by_key(|limit| limit.limit)
}

/// The folders of this process's group for a controller of version 1, or, without one, of version 2, and of
/// the groups around it.
fn levels(root: &Root, controller: &str) -> Vec<PathBuf> {
    let groups = root.text("proc/self/cgroup").unwrap_or_default();
    let found = groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, group) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some((controllers, group))
    });
    let Some((controllers, group)) = found else { return Vec::new() };
    // Where only a part of the tree is mounted, the group's folder may be missing, and its part is the root.
    let group = group.trim_start_matches('/');
    let mounted = Path::new("sys/fs/cgroup");
    let trees = [controllers, controller];
    let trees = if controllers == controller { &trees[..1] } else { &trees[..] };
    let folders = trees.iter().flat_map(|tree| {
        let around = Path::new(group).ancestors();
        around.map(move |group| mounted.join(tree).join(group))
    });
    folders.collect()
}
