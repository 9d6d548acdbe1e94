//! Where ROCm SMI is found. It is never linked, and never closed once it works.

use super::functions::*;
use libloading::Library;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The library by its names, the newest first. The last is that of Debian up to ROCm 6. AMD has none for Windows.
const NAMES: &[&str] = if cfg!(windows) {
    &[]
} else {
    &["librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5", "librocm_smi64.so.1"]
};

/// More than a machine has of either.
const MOST_PROCESSES: u32 = 1 << 16;
const MOST_GPUS: u32 = 1 << 10;

/// ROCm SMI cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("ROCm SMI is not there: {}", reasons.join("; "))]
    Missing {
        /// For each library that was tried, what the system said.
        reasons: Vec<String>,
    },
    #[error("rsmi_init of {name} gave {status}")]
    Init { name: String, status: u32 },
}

/// ROCm SMI, ready to answer.
pub struct Smi {
    pub(super) functions: Functions,
    name: String,
    /// Keeps the functions where they are.
    _library: Option<Library>,
}

impl std::fmt::Debug for Smi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Smi").field(&self.name).finish()
    }
}

impl Smi {
    /// The library as the system finds it, opened with the first call.
    pub fn get() -> Result<Arc<Smi>, &'static OpenError> {
        static SMI: OnceLock<Result<Arc<Smi>, OpenError>> = OnceLock::new();
        let open = || Smi::open(NAMES.iter().map(PathBuf::from)).map(Arc::new);
        SMI.get_or_init(open).as_ref().map(Arc::clone)
    }

    /// The library at a path.
    pub fn at(path: &Path) -> Result<Smi, OpenError> {
        Smi::open([path.to_owned()])
    }

    fn open(paths: impl IntoIterator<Item = PathBuf>) -> Result<Smi, OpenError> {
        let mut reasons = Vec::new();
        for path in paths {
            // SAFETY: ROCm SMI's initialisers have no preconditions.
            match unsafe { Library::new(&path) } {
                Ok(library) => {
                    // SAFETY: the names are ROCm SMI's alone, and `Smi` keeps the library.
                    let functions = unsafe { Functions::new(&library) };
                    let name = path.display().to_string();
                    return Smi::start(functions, name, Some(library));
                }
                Err(error) => reasons.push(error.to_string()),
            }
        }
        Err(OpenError::Missing { reasons })
    }

    pub(super) fn start(
        functions: Functions,
        name: String,
        library: Option<Library>,
    ) -> Result<Smi, OpenError> {
        match functions.rsmi_init(OWN_LOCKS) {
            RSMI_STATUS_SUCCESS => Ok(Smi { functions, name, _library: library }),
            status => Err(OpenError::Init { name, status }),
        }
    }

    /// The names of functions that this version lacks.
    pub fn missing(&self) -> Vec<&'static str> {
        self.functions.missing()
    }

    /// The value that a function stores through its last argument, if it succeeds.
    pub(super) fn number<T: Default>(
        &self,
        ask: impl FnOnce(*mut T) -> rsmi_status_t,
    ) -> Option<T> {
        let mut answer = T::default();
        (ask(&mut answer) == RSMI_STATUS_SUCCESS).then_some(answer)
    }

    /// The identifiers of processes that compute on any GPU.
    pub(super) fn processes(&self) -> Vec<u32> {
        let ask = |processes, count| self.functions.rsmi_compute_process_info_get(processes, count);
        let mut pids: Vec<u32> = list(MOST_PROCESSES, ask)
            .into_iter()
            .map(|process: rsmi_process_info_t| process.process_id)
            .collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    /// The numbers of the GPUs that a process computes on.
    pub(super) fn gpus_of(&self, pid: u32) -> Vec<u32> {
        list(MOST_GPUS, |gpus, count| {
            self.functions.rsmi_compute_process_gpus_get(pid, gpus, count)
        })
    }
}

/// A list of which a function first says how long it is, and then what it holds.
fn list<T: Clone + Default>(most: u32, ask: impl Fn(*mut T, *mut u32) -> rsmi_status_t) -> Vec<T> {
    let mut count = 0;
    if ask(std::ptr::null_mut(), &mut count) != RSMI_STATUS_SUCCESS {
        return Vec::new();
    }
    // It may have grown by the second call.
    let room = count.saturating_add(16).min(most);
    let (mut items, mut count) = (vec![T::default(); room as usize], room);
    match ask(items.as_mut_ptr(), &mut count) {
        RSMI_STATUS_SUCCESS | RSMI_STATUS_INSUFFICIENT_SIZE => {
            items.truncate(count as usize);
            items
        }
        _ => Vec::new(),
    }
}
