//! Programs that run one case each, so that the crash of one does not meet the next.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a child leaves, and whether it ended by itself: it is killed when it has run for longer than `limit`.
pub fn output(command: &mut Command, limit: Duration) -> (Output, bool) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let mut has_ended = false;
    while !has_ended && start.elapsed() < limit {
        std::thread::sleep(Duration::from_millis(2));
        has_ended = child.try_wait().unwrap().is_some();
    }
    if !has_ended {
        child.kill().unwrap();
    }
    (child.wait_with_output().unwrap(), has_ended)
}
