//! The driver as a library above it sees it: the API's functions, looked up at run time, and the [`Table`] of our own.

mod context;
mod failures;
mod table;
mod task;
mod threads;

pub use failures::Failures;
pub use hip_runtime_sys::StreamTask;
pub use table::{DeviceInfo, ID, ProviderKind, StreamInfo, Table};
pub use task::{Part, compute, enqueue, run};
pub use threads::threads;

use cuda_types::cuda::*;
use libloading::Library;
use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::LazyLock;
use zluda_common::own_file;

/// The CUDA version that the driver reports: 13.0.
pub const VERSION: c_int = 13000;

/// The driver that lies beside the library.
#[derive(Debug)]
pub struct Driver {
    library: Library,
    table: &'static Table,
}

/// There is no driver of ours.
#[derive(Debug)]
pub enum OpenError {
    /// No library of the name could be opened; what the system said.
    NotFound(String),
    /// It is NVIDIA's, or of another build.
    Foreign,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::NotFound(why) => write!(f, "the driver cannot be opened: {why}"),
            OpenError::Foreign => {
                f.write_str("the driver is not the one that this library belongs to")
            }
        }
    }
}

/// [`Driver::open`], the first time that a library asks; an error is logged then.
pub fn shared() -> Result<&'static Driver, &'static OpenError> {
    static DRIVER: LazyLock<Result<Driver, OpenError>> = LazyLock::new(|| {
        zluda_common::log::init();
        Driver::open().inspect_err(|error| tracing::error!("{error}"))
    });
    DRIVER.as_ref()
}

impl Driver {
    /// Opens the driver in the folder of the library that holds this code, or where there is none the one that the system
    /// finds.
    pub fn open() -> Result<Driver, OpenError> {
        let beside = own_file::folder().map(|folder| folder.join(zluda_staged::DRIVER));
        let beside = beside.filter(|path| path.exists());
        Driver::open_file(&beside.unwrap_or(zluda_staged::DRIVER.into()))
    }

    /// Opens a driver by path or name. Calls nothing but `cuGetExportTable`.
    pub fn open_file(file: &Path) -> Result<Driver, OpenError> {
        // SAFETY: the driver's initialisers have no preconditions.
        let library = unsafe { Library::new(file) };
        let library = library.map_err(|error| OpenError::NotFound(error.to_string()))?;
        type GetExportTable = unsafe extern "C" fn(*mut *const c_void, *const CUuuid) -> CUresult;
        // SAFETY: a driver's function of that name has this type.
        let find = unsafe { library.get::<GetExportTable>(b"cuGetExportTable\0") };
        let find = find.map_err(|error| OpenError::NotFound(error.to_string()))?;
        let mut table = std::ptr::null();
        // SAFETY: both arguments live during the call.
        let result = unsafe { find(&mut table, &CUuuid { bytes: ID.map(|byte| byte as _) }) };
        if result != CUresult::CUDA_SUCCESS {
            return Err(OpenError::Foreign);
        }
        // SAFETY: a table of this name is one of ours, which begins with its size.
        let table = unsafe { table.cast::<Table>().as_ref() }
            .filter(|table| table.size == size_of::<Table>())
            .ok_or(OpenError::Foreign)?;
        Ok(Driver { library, table })
    }

    /// The device with this ordinal.
    pub fn device(&self, ordinal: CUdevice) -> CUres<DeviceInfo> {
        let mut info = MaybeUninit::uninit();
        // SAFETY: the place lives during the call.
        check(unsafe { (self.table.device)(ordinal, info.as_mut_ptr()) })?;
        // SAFETY: success means that it was written.
        Ok(unsafe { info.assume_init() })
    }

    /// The number of the provider's device of this number, for questions about it: `CUDA_VISIBLE_DEVICES` may hide it.
    pub fn any_device(&self, hip: c_int) -> CUres<CUdevice> {
        let mut number = 0;
        // SAFETY: the place lives during the call.
        check(unsafe { (self.table.any_device)(hip, &mut number) })?;
        Ok(number)
    }

    /// The stream with this handle.
    // A handle is a number, which nothing follows.
    #[allow(clippy::not_unsafe_ptr_arg_deref)]
    pub fn stream(&self, stream: CUstream) -> CUres<StreamInfo> {
        let mut info = MaybeUninit::uninit();
        // SAFETY: the place lives during the call.
        check(unsafe { (self.table.stream)(stream, info.as_mut_ptr()) })?;
        // SAFETY: success means that it was written.
        Ok(unsafe { info.assume_init() })
    }

    fn symbol<T: Copy>(&self, name: &CStr) -> Option<T> {
        // SAFETY: the callers below name a function with its type.
        unsafe { self.library.get::<T>(name.to_bytes_with_nul()) }.ok().map(|function| *function)
    }
}

/// The error of a result.
pub fn check(result: CUresult) -> CUres {
    if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(CUerror::of(result)) }
}

macro_rules! methods {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> CUresult;)*) => {
        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl Driver {
            $(
                #[doc = concat!("`", stringify!($name), "` of the driver, looked up by name.")]
                ///
                /// # Safety
                /// As the driver API's manual says: pointers are null where that is allowed, or valid.
                pub unsafe fn $name(&self, $($argument: $ty),*) -> CUres {
                    const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    };
                    let function = self.symbol::<unsafe extern "C" fn($($ty),*) -> CUresult>(NAME);
                    let function = function.ok_or(CUerror::NOT_SUPPORTED)?;
                    // SAFETY: the driver's function of this name has this type; the caller upholds the rest.
                    check(unsafe { function($($argument),*) })
                }
            )*
        }
    };
}

cuda_macros::function_declarations!(cuda, methods);
