//! The threads of this machine that work is cut for.

use std::sync::LazyLock;

/// How many parts of a task run at the same time on this machine's processor, at least 1.
pub fn threads() -> usize {
    static THREADS: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *THREADS
}
