//! A program's output, kept beside it: for people, and for a run that goes on where one before it stopped.

use crate::Result;
use crate::corpus::build::Run;
use crate::corpus::run::{Driver, Platform};
use crate::program::Output;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

/// Its name in the program's folder, or the end of its name where there are several programs.
pub const NAME: &str = ".corpus_output.txt";

/// The key of a record: one line that says where, on which driver and by which lines the program ran.
pub fn key(driver: &Driver, place: &Platform, runs: &[Run]) -> String {
    let library = fs::metadata(driver.libraries.join("libcuda.so.1"));
    let built = library.and_then(|library| library.modified()).ok();
    let built = built.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let lines: Vec<&str> = runs.iter().map(|run| run.line.as_str()).collect();
    let built = built.unwrap_or_default().as_secs();
    format!("{}, driver of {built} s: {}", place.name, lines.join("; "))
}

/// Writes the key, the status as the system has it and the seconds, and the output.
pub fn keep(record: &Path, key: &str, output: &Output) -> Result<()> {
    let status =
        output.status.map_or_else(|| "none".to_owned(), |status| status.into_raw().to_string());
    let seconds = output.time.as_secs_f64();
    let text = format!("{key}\n{status} {seconds:.3}\n{}{}", output.stdout, output.stderr);
    Ok(fs::write(record, text)?)
}

/// The output that was kept under the same key; both streams are one.
pub fn recall(record: &Path, key: &str) -> Option<Output> {
    let text = fs::read_to_string(record).ok()?;
    let (found, rest) = text.split_once('\n')?;
    let (status, stdout) = rest.split_once('\n')?;
    let (status, seconds) = status.split_once(' ')?;
    let status = match status {
        "none" => None,
        raw => Some(ExitStatus::from_raw(raw.parse().ok()?)),
    };
    let time = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
    let output = Output { status, stdout: stdout.to_owned(), stderr: String::new(), time };
    (found == key).then_some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_recalled_under_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join(NAME);
        for status in [None, Some(ExitStatus::from_raw(11)), Some(ExitStatus::from_raw(256))] {
            let time = Duration::from_millis(1500);
            let (stdout, stderr) = ("a\nb\n".to_owned(), "c\n".to_owned());
            keep(&record, "cpu: ./main", &Output { status, stdout, stderr, time }).unwrap();
            let recalled = recall(&record, "cpu: ./main").unwrap();
            assert_eq!((recalled.status, recalled.time), (status, time));
            assert_eq!(recalled.stdout, "a\nb\nc\n");
            assert!(recall(&record, "cpu: ./main 1").is_none());
        }
        assert!(recall(&folder.path().join("none"), "").is_none());
    }
}
