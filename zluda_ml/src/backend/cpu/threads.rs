//! The processors of the system, and those on which a thread may run.

use std::io;

/// How many there are, those that are switched off too.
pub fn processors() -> u32 {
    // SAFETY: has no preconditions.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    u32::try_from(count).unwrap_or(1)
}

/// Lets the calling thread run on these alone.
pub fn bind(processors: &[u32]) -> io::Result<()> {
    // SAFETY: all zeros is a value of this structure.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &number in processors.iter().filter(|number| **number < libc::CPU_SETSIZE as u32) {
        // SAFETY: the number is below the size.
        unsafe { libc::CPU_SET(number as usize, &mut set) };
    }
    // SAFETY: the set lives during the call; 0 is the thread that calls.
    match unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets the calling thread run on all: Linux leaves out what the process may not use.
pub fn unbind() -> io::Result<()> {
    bind(&Vec::from_iter(0..libc::CPU_SETSIZE as u32))
}
