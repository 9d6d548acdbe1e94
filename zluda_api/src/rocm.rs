//! ROCm's libraries above HIP, for libraries of ours that forward to them: found at run time, never linked, never closed.

use crate::driver::{Driver, enqueue};
use cuda_types::cuda::{CUres, CUstream};
use hip_runtime_sys::{hipError_t, hipStream_t};
use libloading::Library;
use parking_lot::Mutex;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A library of ROCm, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// As its manual calls it.
    pub name: &'static str,
    /// Its file names for each file name of HIP that they belong to, the best first.
    pub files: &'static [(&'static str, &'static [&'static str])],
}

/// A library of ROCm that is there.
#[derive(Debug)]
pub struct RocmLibrary {
    /// ROCm's libraries have threads of their own, so it stays.
    library: ManuallyDrop<Library>,
    /// The name that it was found by.
    pub file: &'static str,
}

/// A library of ROCm is not there.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("this process has no HIP library that {0} belongs to")]
    NoHip(&'static str),
    #[error("{name} is not installed, which programs on AMD GPUs need here: {}", reasons.join("; "))]
    Missing {
        name: &'static str,
        /// For each file that was tried, what the system said.
        reasons: Vec<String>,
    },
    #[error("{file} belongs to {theirs}, but this process uses {ours}")]
    OtherHip { file: &'static str, theirs: &'static str, ours: &'static str },
}

#[cfg(unix)]
fn is_loaded(file: &str) -> bool {
    use libloading::os::unix::{Library, RTLD_NOW};
    /// `RTLD_NOLOAD`: nothing is opened that is not there already.
    const NO_LOAD: i32 = 4;
    // SAFETY: nothing is loaded, so no initialiser runs.
    unsafe { Library::open(Some(file), RTLD_NOW | NO_LOAD) }.is_ok()
}

#[cfg(windows)]
fn is_loaded(file: &str) -> bool {
    libloading::os::windows::Library::open_already_loaded(file).is_ok()
}

impl RocmLibrary {
    /// Opens the library that belongs to the HIP library which this process has.
    pub fn open(source: &Source) -> Result<RocmLibrary, OpenError> {
        let (hip, files) = source
            .files
            .iter()
            .find(|(hip, _)| is_loaded(hip))
            .ok_or(OpenError::NoHip(source.name))?;
        let mut reasons = Vec::new();
        for file in *files {
            // SAFETY: the initialisers of ROCm's libraries have no preconditions.
            match unsafe { Library::new(file) } {
                Ok(library) => {
                    // Two versions of HIP in a process do not know each other's streams.
                    let other =
                        source.files.iter().find(|(other, _)| other != hip && is_loaded(other));
                    if let Some((theirs, _)) = other {
                        return Err(OpenError::OtherHip { file, theirs, ours: hip });
                    }
                    return Ok(RocmLibrary { library: ManuallyDrop::new(library), file });
                }
                Err(error) => reasons.push(error.to_string()),
            }
        }
        Err(OpenError::Missing { name: source.name, reasons })
    }

    /// Opens the library as [`Self::open`] does, and looks functions up in it, of which `look_up` names one that is not there.
    pub fn functions<F>(
        source: &Source,
        look_up: impl FnOnce(RocmLibrary) -> Result<F, &'static str>,
    ) -> Result<F, OpenError> {
        let library = RocmLibrary::open(source)?;
        let file = library.file;
        look_up(library).map_err(|function| OpenError::Missing {
            name: source.name,
            reasons: vec![format!("{file} has no {function}")],
        })
    }

    /// Whether it has a function of this name.
    pub fn has(&self, name: &str) -> bool {
        // SAFETY: nothing uses the address.
        unsafe { self.get::<*const ()>(name) }.is_some()
    }

    /// The function with a name.
    ///
    /// # Safety
    /// `T` is the type of a pointer to it.
    pub unsafe fn get<T: Copy>(&self, name: &str) -> Option<T> {
        // SAFETY: the caller says so, and the library is never closed.
        unsafe { self.library.get::<T>(name.as_bytes()) }.ok().map(|function| *function)
    }
}

/// A function of a library, looked up with the first call of it.
#[derive(Debug)]
pub struct Function<T>(OnceLock<Option<T>>);

impl<T: Copy> Function<T> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Function<T> {
        Function(OnceLock::new())
    }

    /// The function, or `None` with a line in the log, the first time, where the library lacks it.
    ///
    /// # Safety
    /// `T` is the type of a pointer to a function of this name, and all calls name the same one.
    pub unsafe fn get(&self, library: &RocmLibrary, name: &str) -> Option<T> {
        *self.0.get_or_init(|| {
            // SAFETY: the caller says so.
            let found = unsafe { library.get(name) };
            if found.is_none() {
                tracing::warn!("unsupported: {} has no {name}", library.file);
            }
            found
        })
    }
}

/// Puts a call of a library of ROCm into a stream: `run` gets the provider's stream, at once and again with each launch of a
/// graph that the stream is captured to.
///
/// Gives what the call answered. A captured one has not been made yet: what is wrong with it is told by the launch.
// A stream is a number, which nothing follows.
#[allow(clippy::not_unsafe_ptr_arg_deref)]
pub fn call<E: std::fmt::Debug + Send + 'static>(
    driver: &Driver,
    stream: CUstream,
    name: &'static str,
    run: impl Fn(hipStream_t) -> Result<(), E> + Send + Sync + 'static,
) -> CUres<Result<(), E>> {
    let answer = Arc::new((AtomicBool::new(true), Mutex::new(Ok(()))));
    let told = answer.clone();
    enqueue(driver, stream, 1, move |part| {
        let result = run(part.stream);
        let (now, place) = &*told;
        if now.load(Ordering::Acquire) {
            *place.lock() = result;
            return Ok(());
        }
        result.map_err(|error| {
            tracing::error!("{name} in a graph: {error:?}");
            hipError_t::hipErrorLaunchFailure
        })
    })?;
    let (now, place) = &*answer;
    now.store(false, Ordering::Release);
    Ok(std::mem::replace(&mut *place.lock(), Ok(())))
}

/// Defines the numbers of enumerations of a library.
#[macro_export]
macro_rules! rocm_enumerators {
    ($($type:ident: $($name:ident = $value:literal)*;)*) => {
        $($(pub(super) const $name: $type = $value;)*)*
    };
}

/// Defines `Functions`, all functions of one library that are used. They answer statuses of 32 bits.
#[macro_export]
macro_rules! rocm_functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// The functions of one library.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($type),*) -> u32,)*
        }

        impl Functions {
            /// Looks all of them up; the name of one that is not there.
            pub(super) fn new(library: $crate::rocm::RocmLibrary) -> Result<Functions, &'static str> {
                Ok(Functions {
                    // SAFETY: the library's functions have these types.
                    $($name: unsafe { library.get(stringify!($name)) }.ok_or(stringify!($name))?,)*
                })
            }
        }
    };
}
