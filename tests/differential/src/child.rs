//! Programs that run one case each, so that the crash of one does not meet the next.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a program said, and behind it how it ended if that was no good end: the right answer is none where a crash comes behind it.
pub fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout);
    let end = if output.status.success() { "" } else { " crash" };
    format!("{}{end}", said.trim()).trim().to_owned()
}

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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn no_crash_is_overheard() {
        let limit = Duration::from_secs(60);
        for (script, expected) in [
            ("echo 0 0 7", "0 0 7"),
            ("echo 0 0 7; kill -SEGV $$", "0 0 7 crash"),
            ("echo 0 0 7; exit 1", "0 0 7 crash"),
            ("kill -ABRT $$", "crash"),
        ] {
            let (output, has_ended) = output(Command::new("sh").args(["-c", script]), limit);
            assert!(has_ended);
            assert_eq!(said(&output), expected, "{script}");
        }
    }
}
