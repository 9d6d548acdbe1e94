//! Our cuDNN 9, which lies beside this library: its functions by name, with the types that version 8 declares. Those have
//! the same sizes and values in both versions, statuses aside.

use crate::export::{self, Plain};
use crate::status;
use cuda_types::cudnn8::*;
use libloading::Library;
use std::ffi::c_char;
use std::sync::atomic::AtomicBool;
use std::sync::{LazyLock, OnceLock};
use zluda_common::own_file;

/// The library; none where it cannot be opened, which the log says.
static LIBRARY: LazyLock<Option<Library>> = LazyLock::new(|| {
    zluda_common::log::init();
    let beside = own_file::folder().map(|folder| folder.join(zluda_staged::NETWORKS));
    let beside = beside.filter(|path| path.exists());
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(beside.unwrap_or(zluda_staged::NETWORKS.into())) };
    library.inspect_err(|error| tracing::error!("cuDNN's engine cannot be opened: {error}")).ok()
});

/// A function of the library, looked up when it is first called.
pub(crate) struct Function {
    name: &'static str,
    address: OnceLock<Option<usize>>,
    logged: AtomicBool,
}

impl Function {
    const fn new(name: &'static str) -> Self {
        Function { name, address: OnceLock::new(), logged: AtomicBool::new(false) }
    }

    fn address(&self) -> Option<*const ()> {
        let look_up = || {
            // SAFETY: only the address is taken.
            let found = unsafe { LIBRARY.as_ref()?.get::<*const ()>(self.name.as_bytes()) };
            found.ok().map(|symbol| symbol.expose_provenance())
        };
        self.address.get_or_init(look_up).map(std::ptr::with_exposed_provenance)
    }
}

/// What a function returns, and what that is here.
pub(crate) trait Answer {
    type Given;

    fn given(self) -> Self::Given;

    /// What there is to say where the engine does not have the function.
    fn without(function: &Function) -> Self::Given;
}

impl Answer for cudnnStatus_t {
    type Given = CudnnResult;

    fn given(self) -> CudnnResult {
        status::of_nine(cuda_types::cudnn::cudnnStatus_t(self.0))
    }

    fn without(function: &Function) -> CudnnResult {
        if LIBRARY.is_none() {
            return Err(cudnnError::NOT_INITIALIZED);
        }
        Err(cudnnError::of(export::not_supported(function.name, &function.logged)))
    }
}

/// Of functions that tell versions apart, which nothing here calls.
macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl Answer for $ty {
            type Given = $ty;

            fn given(self) -> $ty {
                self
            }

            fn without(_: &Function) -> $ty {
                <$ty as Plain>::NOTHING
            }
        }
    )*};
}

plain!(usize, *const c_char);

macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> $result:ty;)*) => {$(
        /// # Safety
        /// The arguments are what cuDNN's manual asks for.
        #[allow(dead_code, clippy::too_many_arguments)]
        pub(crate) unsafe fn $name($($argument: $ty),*) -> <$result as Answer>::Given {
            static FUNCTION: Function = Function::new(stringify!($name));
            let Some(address) = FUNCTION.address() else {
                return <$result as Answer>::without(&FUNCTION);
            };
            // SAFETY: the engine's function of this name has this type; the caller says the rest.
            unsafe {
                let function: unsafe extern "C" fn($($ty),*) -> $result = std::mem::transmute(address);
                Answer::given(function($($argument),*))
            }
        }
    )*};
}

cuda_macros::function_declarations!(cudnn8, functions);
