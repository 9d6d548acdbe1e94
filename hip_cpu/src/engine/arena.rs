//! Shared memory of blocks: arenas below 4 GiB, so that 32-bit shared addresses are whole.

use parking_lot::Mutex;

/// Bytes of each arena: the most shared memory that a block can have, and slack.
pub const ARENA_SIZE: usize = 256 << 10;
const GUARD: usize = 4 << 10;
const WHOLE: usize = ARENA_SIZE + 2 * GUARD;

static FREE: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The shared memory of one block at a time. Its contents are whatever was there before.
pub struct Arena(usize);

impl Arena {
    /// An arena, or nothing where memory below 4 GiB is exhausted.
    pub fn new() -> Option<Arena> {
        let free = FREE.lock().pop();
        free.or_else(map).map(Arena)
    }

    /// The first byte; aligned to a page.
    pub fn pointer(&self) -> *mut u8 {
        self.0 as *mut u8
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        FREE.lock().push(self.0);
    }
}

fn map() -> Option<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let place = |address: usize, flags: i32| {
        // SAFETY: a fresh private mapping; a fixed address never replaces what is there.
        let start = unsafe { libc::mmap(address as *mut _, WHOLE, libc::PROT_NONE, flags, -1, 0) };
        (start != libc::MAP_FAILED).then_some(start as usize)
    };
    let start = place(0, flags | libc::MAP_32BIT).or_else(|| {
        // MAP_32BIT looks only below 2 GiB.
        (0x8000_0000..0xf000_0000usize)
            .step_by(1 << 20)
            .find_map(|address| place(address, flags | libc::MAP_FIXED_NOREPLACE))
    })?;
    let start_of_data = start + GUARD;
    // SAFETY: within the mapping just made.
    let result = unsafe {
        libc::mprotect(start_of_data as *mut _, ARENA_SIZE, libc::PROT_READ | libc::PROT_WRITE)
    };
    if result != 0 || start + WHOLE > 1 << 32 {
        // SAFETY: as above.
        unsafe { libc::munmap(start as *mut _, WHOLE) };
        return None;
    }
    Some(start_of_data)
}
