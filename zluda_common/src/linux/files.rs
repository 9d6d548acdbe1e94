//! Small files below a root, read without waiting and without reading more than they should hold.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// `/proc/cpuinfo` of a thousand processors has about 2 MiB.
const TEXT_LIMIT: u64 = 8 << 20;
const NUMBER_LIMIT: u64 = 64;
const ENTRY_LIMIT: usize = 1 << 16;

/// The folder in which `proc` and `sys` are.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// The root at this folder: `/` but in tests.
    pub fn new(folder: PathBuf) -> Root {
        Root(folder)
    }

    /// The file at a path below the root. Pipes do not block.
    pub fn open(&self, path: impl AsRef<Path>) -> Option<File> {
        let path = self.0.join(path);
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()
    }

    /// The text at a path below the root: of a file that is too long, the first lines.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let mut bytes = self.bytes(path, TEXT_LIMIT)?;
        if bytes.len() as u64 == TEXT_LIMIT {
            let end = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
            bytes.truncate(end);
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The number that is all that the file at a path holds.
    pub fn number<T: FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        let bytes = self.bytes(path, NUMBER_LIMIT)?;
        std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
    }

    /// The names in a folder, in order.
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let Ok(folder) = std::fs::read_dir(self.0.join(path)) else { return Vec::new() };
        let names = folder.take(ENTRY_LIMIT).flatten();
        let mut names: Vec<_> =
            names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    fn bytes(&self, path: impl AsRef<Path>, limit: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(path)?.take(limit).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// The rest of the line that starts with `key`, a name and maybe blanks before a colon or blanks.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| value_of_line(line, key))
}

/// As [`value`], of one line.
pub fn value_of_line<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?;
    let value = rest.trim_start_matches([' ', '\t', ':']);
    (value.len() < rest.len()).then(|| value.trim_end())
}

/// More than any machine has of anything.
const MOST: u32 = 1 << 16;

/// A list of numbers as the kernel writes it, `0-3,8,10-11`, as first and last of each part.
pub fn ranges(list: &str) -> Option<Vec<(u32, u32)>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last && last < MOST).then_some((first, last))
    };
    list.trim_end().split(',').map(range).collect()
}

/// All numbers of a list as [`ranges`] reads it, in order, each once.
pub fn numbers(list: &str) -> Option<Vec<u32>> {
    let mut numbers: Vec<u32> =
        ranges(list)?.into_iter().flat_map(|(first, last)| first..=last).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

/// Microseconds since the system started: the clock that all counters are held against.
pub fn uptime(root: &Root) -> Option<u64> {
    let text = root.text("proc/uptime")?;
    let seconds: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1e6) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel() {
        assert_eq!(ranges("0"), Some(vec![(0, 0)]));
        assert_eq!(ranges("0-3,8,10-11\n"), Some(vec![(0, 3), (8, 8), (10, 11)]));
        assert_eq!(numbers("8,0-3,2\n"), Some(vec![0, 1, 2, 3, 8]));
        for garbage in ["", ",", "1-", "-1", "3-1", "0-99999999999", "a", "0-4294967295"] {
            assert_eq!(ranges(garbage), None, "{garbage}");
            assert_eq!(numbers(garbage), None, "{garbage}");
        }
    }

    #[test]
    fn long_texts_end_with_a_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "1234567\n123456789\n".repeat(TEXT_LIMIT as usize / 18 + 1);
        std::fs::write(folder.path().join("long"), lines).unwrap();
        let text = Root::new(folder.path().to_owned()).text("long").unwrap();
        assert!(text.len() as u64 + 10 > TEXT_LIMIT && text.len() as u64 <= TEXT_LIMIT);
        assert!(["1234567", "123456789"].contains(&text.lines().last().unwrap()));
        assert_ne!(text.lines().nth_back(0), text.lines().nth_back(1));
    }
}
