//! Two programs that have the driver put into them share one cache of compiled kernels.

use super::LIMIT;
use crate::program::capture;
use crate::repository::make_empty;
use crate::windows::wine::{Wine, windows_path};
use crate::windows::{folder, staged};
use std::path::Path;
use std::process::Command;

/// The program that runs, of the samples.
const SAMPLE: &str = "vector_add";

/// Starts two at once with a new cache, and a third that finds there what it needs.
pub fn run(wine: &Wine, programs: &Path) -> Result<(), String> {
    let program = format!("{SAMPLE}.exe");
    if !programs.join(&program).exists() {
        return Err(format!("{program} is not there"));
    }
    let cache = folder().join("shared cache");
    make_empty(&cache).map_err(|error| error.to_string())?;
    let zluda = |arguments: &[&str]| {
        let mut command = wine.command(&staged().join("zluda.exe"));
        command.args(arguments).current_dir(programs).env("ZLUDA_CACHE_DIR", windows_path(&cache));
        command
    };
    let good = |mut command: Command| {
        let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
        output.succeeded()?;
        Ok::<_, String>(output.stdout)
    };
    let start = || good(zluda(&["run", "--", &program]));
    let ends = std::thread::scope(|scope| {
        let both = [scope.spawn(start), scope.spawn(start)];
        both.map(|thread| thread.join().unwrap_or_else(|_| Err("its thread fails".to_owned())))
    });
    for end in ends {
        end?;
    }
    let kernels = || Ok::<_, String>(count(&good(zluda(&["cache", "stats"]))?));
    let before = kernels()?.filter(|count| *count > 0).ok_or("nothing is in the cache")?;
    start()?;
    match kernels()? {
        Some(after) if after == before => Ok(()),
        after => Err(format!("{before} kernels, and after a third program {after:?}")),
    }
}

/// The number of kernels in the line that `zluda cache stats` prints.
fn count(line: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("kernels"))?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn kernels_are_counted() {
        let line = r"Z:\target\shared cache: 12 kernels, 0.1 MiB of 1024.0 MiB";
        assert_eq!(super::count(line), Some(12));
        assert_eq!(super::count("none"), None);
    }
}
