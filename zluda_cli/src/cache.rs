//! `zluda cache`: the compiled kernels on disk.

use crate::Failure;
use std::process::ExitCode;
use zluda_cache::{Cache, Stats};
use zluda_common::config::config;

#[derive(clap::Subcommand)]
pub enum Action {
    /// Show where the cache lies and how full it is
    Stats,
    /// Remove all compiled kernels
    Clear,
}

/// Prints what the cache holds, or empties it; fails if there is none to empty.
pub fn run(action: Action) -> Result<ExitCode, Failure> {
    let cache = Cache::open(config());
    match action {
        Action::Stats => println!("{}", describe(&cache.stats())),
        Action::Clear => {
            let before = cache.stats();
            if !cache.clear() {
                return Err(Failure::from("there is no cache that can be cleared".to_owned()));
            }
            println!("removed {} kernels, {}", before.entries, mebibytes(before.bytes));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One line about a cache.
pub fn describe(stats: &Stats) -> String {
    match &stats.folder {
        None => "none".to_owned(),
        Some(folder) => format!(
            "{}: {} kernels, {} of {}",
            folder.display(),
            stats.entries,
            mebibytes(stats.bytes),
            mebibytes(stats.limit)
        ),
    }
}

/// Bytes in MiB.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
