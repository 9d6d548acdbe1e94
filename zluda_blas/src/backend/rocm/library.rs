//! Where hipBLAS is found, and its handles.

use super::lt::Lt;
use super::numbers::*;
use crate::device::{convert, driver};
use crate::settings::Settings;
use cuda_types::cublas::*;
use cuda_types::cuda::CUcontext;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_api::rocm::{self, OpenError, RocmLibrary, Source};

/// hipBLAS as AMD and Debian name it, from ROCm 5.7 on.
const SOURCE: Source = Source {
    name: "hipBLAS",
    files: &[
        ("libamdhip64.so.7", &["libhipblas.so.3"]),
        ("libamdhip64.so.6", &["libhipblas.so.2"]),
        ("libamdhip64.so.5", &["libhipblas.so.1", "libhipblas.so.0"]),
    ],
};

/// The differences between versions: of ROCm 5, 6 and 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// Sizes of 32 bits, types of its own, triangular products in place.
    First,
    /// Products of several types in two forms: `_v2` is that of the third.
    Second,
    Third,
}

impl Generation {
    fn of(file: &str) -> Generation {
        match file {
            "libhipblas.so.0" | "libhipblas.so.1" => Generation::First,
            "libhipblas.so.2" => Generation::Second,
            _ => Generation::Third,
        }
    }
}

/// `hipblasHandle_t`
pub(crate) type HipHandle = *mut c_void;

/// The functions of handles.
struct Functions {
    library: RocmLibrary,
    create: unsafe extern "C" fn(*mut HipHandle) -> u32,
    destroy: unsafe extern "C" fn(HipHandle) -> u32,
    set_stream: unsafe extern "C" fn(HipHandle, *mut c_void) -> u32,
    set_pointer_mode: unsafe extern "C" fn(HipHandle, u32) -> u32,
    set_atomics_mode: unsafe extern "C" fn(HipHandle, u32) -> u32,
}

impl Functions {
    /// Looks all of them up; the name of one that is not there.
    fn new(library: RocmLibrary) -> Result<Functions, &'static str> {
        // SAFETY: hipBLAS's functions of these names have these types.
        unsafe {
            Ok(Functions {
                create: library.get("hipblasCreate").ok_or("hipblasCreate")?,
                destroy: library.get("hipblasDestroy").ok_or("hipblasDestroy")?,
                set_stream: library.get("hipblasSetStream").ok_or("hipblasSetStream")?,
                set_pointer_mode: library
                    .get("hipblasSetPointerMode")
                    .ok_or("hipblasSetPointerMode")?,
                set_atomics_mode: library
                    .get("hipblasSetAtomicsMode")
                    .ok_or("hipblasSetAtomicsMode")?,
                library,
            })
        }
    }

    /// The library, opened with the first handle; what is wrong with it is logged then.
    fn get() -> CublasResult<&'static Functions> {
        static FUNCTIONS: LazyLock<Result<Functions, OpenError>> = LazyLock::new(|| {
            let functions = RocmLibrary::functions(&SOURCE, Functions::new);
            functions.inspect_err(|error| tracing::error!("cuBLAS on AMD GPUs: {error}"))
        });
        FUNCTIONS.as_ref().map_err(|_| cublasError::NOT_INITIALIZED)
    }
}

/// A handle of hipBLAS, for the device that was the thread's when it was made.
pub(crate) struct Blas {
    context: Context,
    functions: &'static Functions,
    /// Locked while the handle has the stream and the modes of a call.
    handle: Mutex<Owned>,
    /// hipBLASLt, from the first product on that needs it.
    lt: OnceLock<CublasResult<Arc<Lt>>>,
}

struct Owned(HipHandle);

struct Context(CUcontext);

// SAFETY: the driver's context is a number.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

// SAFETY: hipBLAS's handles may be used on any thread, one at a time.
unsafe impl Send for Owned {}

impl Blas {
    /// Makes a handle for a context, whose device is the thread's.
    pub(crate) fn new(context: CUcontext) -> CublasResult<Blas> {
        let functions = Functions::get()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives during the call.
        let status = unsafe { (functions.create)(&mut handle) };
        error(status).inspect_err(|error| {
            tracing::error!("hipblasCreate of {}: {error}", functions.library.file);
        })?;
        let handle = Mutex::new(Owned(handle));
        Ok(Blas { context: Context(context), functions, handle, lt: OnceLock::new() })
    }

    pub(crate) fn library(&self) -> &'static RocmLibrary {
        &self.functions.library
    }

    pub(crate) fn generation(&self) -> Generation {
        Generation::of(self.library().file)
    }

    /// hipBLASLt for the thread's device; `NOT_SUPPORTED` where it is not there.
    pub(crate) fn lt(&self) -> CublasResult<Arc<Lt>> {
        self.lt.get_or_init(|| Lt::new().map(Arc::new)).clone()
    }

    /// Makes the handle's context current on a thread that has none.
    pub(crate) fn enter(&self) -> CublasResult {
        driver()?.enter(self.context.0).map_err(convert)
    }

    /// Calls a function with the handle set for it.
    fn run(
        &self,
        stream: *mut c_void,
        settings: &Modes,
        call: impl Fn(HipHandle) -> CublasResult,
    ) -> CublasResult {
        let handle = self.handle.lock();
        let functions = self.functions;
        // SAFETY: the handle is one of hipBLAS's, and the stream one of the provider's.
        unsafe {
            error((functions.set_stream)(handle.0, stream))?;
            error((functions.set_pointer_mode)(handle.0, settings.pointer))?;
            error((functions.set_atomics_mode)(handle.0, settings.atomics))?;
        }
        call(handle.0)
    }

    /// Puts a call into the stream of these settings, with their modes.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        settings: &Settings,
        name: &'static str,
        call: impl Fn(HipHandle) -> CublasResult + Send + Sync + 'static,
    ) -> CublasResult {
        let (blas, modes) = (self.clone(), Modes::of(settings));
        self.enter()?;
        rocm::call(driver()?, settings.stream, name, move |stream| {
            blas.run(stream.cast(), &modes, &call)
        })
        .map_err(convert)?
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: the handle is hipBLAS's, and nobody else has it.
        let status = unsafe { (self.functions.destroy)(self.handle.get_mut().0) };
        if let Err(error) = error(status) {
            tracing::debug!("hipblasDestroy: {error}");
        }
    }
}

/// A handle's modes, by hipBLAS's numbers.
struct Modes {
    pointer: u32,
    atomics: u32,
}

impl Modes {
    fn of(settings: &Settings) -> Modes {
        use cublasAtomicsMode_t as A;
        use cublasPointerMode_t as P;
        let pointer = match settings.pointer_mode {
            P::CUBLAS_POINTER_MODE_DEVICE => HIPBLAS_POINTER_MODE_DEVICE,
            _ => HIPBLAS_POINTER_MODE_HOST,
        };
        let atomics = match settings.atomics_mode {
            A::CUBLAS_ATOMICS_ALLOWED => HIPBLAS_ATOMICS_ALLOWED,
            _ => HIPBLAS_ATOMICS_NOT_ALLOWED,
        };
        Modes { pointer, atomics }
    }
}
