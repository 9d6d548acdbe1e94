//! Processors and memory.

use zluda_common::linux::cgroup;
use zluda_common::linux::files::Root;

/// The processor that this thread runs on, or ran on a moment ago.
pub fn processor() -> u32 {
    // SAFETY: no arguments; negative where the system cannot say.
    u32::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

/// Bytes of the memory that the machine, or the tightest of its groups, leaves this process.
pub fn memory() -> usize {
    // SAFETY: reads two numbers of the system.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let machine = (pages.max(0) as usize).saturating_mul(page.max(0) as usize);
    let group = cgroup::memory(&Root::new("/".into())).map(|group| group.limit);
    let group = group.and_then(|bytes| usize::try_from(bytes).ok());
    machine.min(group.unwrap_or(usize::MAX))
}

/// Bytes of the last cache before memory, 0 where the system does not say.
pub fn last_cache() -> usize {
    // SAFETY: asks for a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_LEVEL3_CACHE_SIZE) }).unwrap_or(0)
}
