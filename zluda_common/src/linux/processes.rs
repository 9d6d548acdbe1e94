//! What other processes have in their memory.

use super::files::Root;
use std::io::Read;

/// Mappings of a process take about a hundred bytes each.
const MAPS_LIMIT: u64 = 8 << 20;

/// Whether a process has a library of this file name loaded. Of those of other users nobody says.
pub fn has_loaded(root: &Root, pid: u32, library: &str) -> bool {
    let mut text = Vec::new();
    let Some(file) = root.open(format!("proc/{pid}/maps")) else { return false };
    // What was read before an error counts.
    let _ = file.take(MAPS_LIMIT).read_to_end(&mut text);
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = line.strip_suffix(b" (deleted)").unwrap_or(line);
        let path = line.strip_suffix(library.as_bytes());
        path.is_some_and(|path| path.ends_with(b"/"))
    })
}
