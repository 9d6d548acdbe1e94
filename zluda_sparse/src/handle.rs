//! The library's contexts: what a program has set, and how work gets into its stream.

use crate::convert::{FromC, INVALID};
use cuda_types::cuda::{CUcontext, CUerror, CUstream};
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::{Address, Factor, Type};
use std::ops::Deref;
use std::sync::{Arc, LazyLock};
pub(crate) use zluda_api::driver::threads;
use zluda_api::driver::{Driver, Failures};
use zluda_common::handle::{HandleTable, Kind};

/// A context of cuSPARSE.
pub(crate) struct Handle {
    context: CUcontext,
    settings: Mutex<Settings>,
}

// SAFETY: the driver's context is a number.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// The settings of a handle.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) stream: CUstream,
    pub(crate) pointer_mode: cusparsePointerMode_t,
}

static HANDLES: LazyLock<HandleTable<Handle>> = LazyLock::new(|| HandleTable::new(Kind::CUSPARSE));

impl FromC<cusparseHandle_t> for Arc<Handle> {
    unsafe fn from_c(handle: cusparseHandle_t) -> CusparseResult<Self> {
        HANDLES.get(handle as u64).ok_or(cusparseError::NOT_INITIALIZED)
    }
}

/// The handle of a function of the generic API, for which none is a wrong argument.
pub(crate) struct Generic(Arc<Handle>);

impl FromC<cusparseHandle_t> for Generic {
    unsafe fn from_c(handle: cusparseHandle_t) -> CusparseResult<Self> {
        HANDLES.get(handle as u64).map(Generic).ok_or(INVALID)
    }
}

impl Deref for Generic {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.0
    }
}

const FAILURES: Failures<cusparseError> = Failures {
    no_driver: cusparseError::NOT_INITIALIZED,
    foreign_driver: cusparseError::ARCH_MISMATCH,
    out_of_memory: cusparseError::ALLOC_FAILED,
    no_device: cusparseError::NOT_INITIALIZED,
    not_supported: cusparseError::NOT_SUPPORTED,
    other: cusparseError::EXECUTION_FAILED,
};

/// The driver, which is opened at the first call.
fn driver() -> CusparseResult<&'static Driver> {
    FAILURES.driver()
}

/// The driver's error as cuSPARSE tells it.
fn convert(error: CUerror) -> cusparseError {
    FAILURES.call(error)
}

impl Handle {
    /// Makes a handle for the current device.
    pub(crate) fn create() -> CusparseResult<u64> {
        let driver = driver()?;
        let context = driver.current_context().map_err(convert)?;
        let settings = Settings {
            stream: std::ptr::null_mut(),
            pointer_mode: cusparsePointerMode_t::CUSPARSE_POINTER_MODE_HOST,
        };
        let handle = Arc::new(Handle { context, settings: Mutex::new(settings) });
        HANDLES.insert(handle).ok_or(cusparseError::ALLOC_FAILED)
    }

    /// Ends a handle; what it was asked for is done first, as its memory may be the program's next.
    pub(crate) fn destroy(handle: u64) -> CusparseResult {
        let handle = HANDLES.remove(handle).ok_or(cusparseError::NOT_INITIALIZED)?;
        driver()?.finish(handle.settings().stream).map_err(convert)
    }

    pub(crate) fn settings(&self) -> Settings {
        *self.settings.lock()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings.lock());
    }

    /// Whether numbers and results lie on the device.
    pub(crate) fn on_device(&self) -> bool {
        self.settings().pointer_mode == cusparsePointerMode_t::CUSPARSE_POINTER_MODE_DEVICE
    }

    /// A number that the program passes, of a type that is computed with.
    ///
    /// # Safety
    /// A place of the host can be read.
    pub(crate) unsafe fn factor(&self, place: Address, ty: Type) -> CusparseResult<Factor> {
        if place.is_null() {
            return Err(INVALID);
        }
        Ok(match self.on_device() {
            true => Factor::Device(place),
            // SAFETY: the caller says so.
            false => unsafe { Factor::host(place.0, ty.size()) },
        })
    }

    /// Puts work of `parts` parts into the handle's stream. Nothing is done where there is none.
    pub(crate) fn run(
        &self,
        parts: usize,
        run: impl Fn(usize) + Send + Sync + 'static,
    ) -> CusparseResult {
        let place = (self.context, self.settings().stream);
        zluda_api::driver::run(driver()?, place, parts, run).map_err(convert)
    }

    /// Bytes of the device's memory that are free.
    pub(crate) fn free_memory(&self) -> CusparseResult<usize> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: both places live during the call.
        unsafe { driver()?.cuMemGetInfo_v2(&mut free, &mut total) }.map_err(convert)?;
        Ok(free)
    }

    /// Waits for a result in memory of the host, which a graph brings there when it is launched.
    pub(crate) fn wait_for_result(&self) -> CusparseResult {
        let stream = driver()?.stream(self.settings().stream).map_err(convert)?;
        if self.on_device() || stream.is_captured { Ok(()) } else { self.wait() }
    }

    /// Waits for the handle's stream.
    pub(crate) fn wait(&self) -> CusparseResult {
        // SAFETY: a stream is a number.
        unsafe { driver()?.cuStreamSynchronize(self.settings().stream) }.map_err(convert)
    }
}
