//! Equal shares of this machine's processors: each program that runs has one to itself.

use crate::Result;
use std::fs;
use std::sync::{Mutex, PoisonError};

/// The shares of a run, which are as many as programs that run side by side.
#[derive(Debug)]
pub struct Shares {
    /// Processors of a share.
    pub size: usize,
    pub count: usize,
    /// Lists of processors as `taskset` takes them.
    free: Mutex<Vec<String>>,
}

impl Shares {
    /// Shares of `size` processors; `None` is one of all.
    pub fn new(size: Option<usize>) -> Result<Self> {
        let status = fs::read_to_string("/proc/self/status")?;
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let processors = processors(list.unwrap_or_default().trim());
        let size = size.unwrap_or(processors.len()).clamp(1, processors.len().max(1));
        let free: Vec<String> =
            processors.chunks_exact(size).map(|share| share.join(",")).collect();
        Ok(Self { size, count: free.len(), free: Mutex::new(free) })
    }

    /// Calls `work` with a share that nobody else has. There are never more calls at once than shares.
    pub fn with<R>(&self, work: impl FnOnce(&str) -> R) -> R {
        let lock = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let share = lock().pop().unwrap_or_default();
        let result = work(&share);
        lock().push(share);
        result
    }
}

/// The numbers of a list such as `0-3,8`.
fn processors(list: &str) -> Vec<String> {
    let range = |part: &str| -> Option<std::ops::RangeInclusive<usize>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().map(|number| number.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_those_of_linux() {
        assert_eq!(processors("0-2,5,8-9"), ["0", "1", "2", "5", "8", "9"]);
        assert!(processors("").is_empty());
    }

    #[test]
    fn no_two_programs_have_the_same_processors() {
        let shares = Shares::new(Some(1)).unwrap();
        shares.with(|first| {
            if shares.count > 1 {
                shares.with(|second| assert_ne!(first, second));
            }
        });
        assert_eq!(Shares::new(None).unwrap().count, 1);
    }
}
