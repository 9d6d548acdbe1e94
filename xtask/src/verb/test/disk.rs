//! What a run of all suites fetches ahead of them, and what it removes when that has served: all of it at once would be
//! some 19 GB.

use super::Suite;
use super::report::is_continuous_integration;
use crate::Result;
use crate::repository::Profile;
use crate::toolkit::{Ahead, Part};
use std::fs;
use std::path::PathBuf;

/// The disk of a run.
pub struct Disk {
    all_run: bool,
    /// Our own program. Its file is replaced by builds, and then the system does not know its name.
    program: PathBuf,
    /// What is on its way.
    ahead: Option<Ahead>,
}

impl Disk {
    /// Does nothing unless all suites run.
    pub fn begin(all_run: bool) -> Result<Disk> {
        let mut disk = Disk { all_run, program: std::env::current_exe()?, ahead: None };
        disk.fetch(Part::Compilers);
        Ok(disk)
    }

    /// Makes room when a suite has run, and has fetched what later ones need.
    pub fn has_run(&mut self, suite: Suite) {
        match suite {
            Suite::Rust => self.remove(|| vec![Profile::Debug.folder().join("deps")]),
            Suite::Windows => {
                self.remove(windows);
                self.fetch(Part::Libraries);
            }
            Suite::Python => {
                self.remove(|| [Part::Compilers, Part::Libraries].map(Part::folders).concat());
                self.fetch(Part::Debian);
            }
            Suite::Torch => self.remove(|| Part::Debian.folders()),
            _ => {}
        }
    }

    /// Half of an installation is waiting: it goes on beside the suites.
    fn fetch(&mut self, part: Part) {
        if self.all_run {
            // One after the other.
            self.ahead = None;
            let begun = Ahead::begin(&self.program, part);
            self.ahead =
                begun.inspect_err(|error| println!("nothing is fetched ahead: {error}")).ok();
        }
    }

    /// Removes folders that no later suite takes, where nothing runs a second time and disks are small.
    fn remove(&mut self, folders: impl FnOnce() -> Vec<PathBuf>) {
        if self.all_run && is_continuous_integration() {
            self.ahead = None;
            for folder in folders() {
                // It need not be there; and what Wine's server, which ends a little later, writes meanwhile may stay.
                let _ = fs::remove_dir_all(folder);
            }
        }
    }
}

/// All but what is to stay for other builds, LLVM for Windows.
fn windows() -> Vec<PathBuf> {
    let windows = crate::windows::folder();
    ["build", "programs", "python", "nvidia", "sysroot", "wine"]
        .map(|name| windows.join(name))
        .to_vec()
}
