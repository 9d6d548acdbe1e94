//! The table of a provider's functions.

// The names are HIP's.
#![allow(non_snake_case)]

use core::ffi::{c_char, c_int};

use libloading::Library;

use crate::*;

/// The answer of a function that the provider does not have.
trait Missing {
    fn missing() -> Self;
}

impl Missing for hipError_t {
    fn missing() -> Self {
        hipError_t::hipErrorNotSupported
    }
}

impl Missing for *const c_char {
    fn missing() -> Self {
        core::ptr::null()
    }
}

impl Missing for c_int {
    fn missing() -> Self {
        -1
    }
}

impl Missing for hipChannelFormatDesc {
    fn missing() -> Self {
        hipChannelFormatDesc {
            x: 0,
            y: 0,
            z: 0,
            w: 0,
            f: hipChannelFormatKind::hipChannelFormatKindNone,
        }
    }
}

macro_rules! table {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        /// The type of each function, under its name: whoever exports HIP can check itself against it.
        #[allow(non_camel_case_types)]
        pub mod signatures {
            use super::*;

            $(pub type $name = unsafe extern "C" fn($($argument: $type),*) -> $result;)*
        }

        /// The functions of one HIP library.
        ///
        /// Each method calls the library's function of that name. A function that the library lacks
        /// answers `hipErrorNotSupported`; [`HipRuntime::has`] tells.
        pub struct HipRuntime {
            name: String,
            missing: Vec<&'static str>,
            before_6: Option<crate::versions::Before6>,
            enqueue_task: Option<EnqueueTask>,
            is_rocm: bool,
            $($name: signatures::$name,)*
            /// Keeps the functions above where they are.
            library: Library,
        }

        impl HipRuntime {
            /// Looks up every function of `library`; `name` is what messages call it. Where it stands for ROCm's, an emulated
            /// GPU in its place included, nothing is used that ROCm's has not.
            ///
            /// # Safety
            /// Symbols of `library` that have names of HIP functions must be those functions.
            pub unsafe fn new(library: Library, name: String, is_rocm: bool) -> HipRuntime {
                let mut missing = Vec::new();
                $(
                    let $name = {
                        unsafe extern "C" fn stub($(_: $type),*) -> $result {
                            <$result as Missing>::missing()
                        }
                        type Function = signatures::$name;
                        // SAFETY: the caller says that the symbol is HIP's function, whose signature
                        // comes from HIP's header.
                        match unsafe { library.get::<Function>(concat!(stringify!($name), "\0").as_bytes()) } {
                            Ok(function) => *function,
                            Err(_) => {
                                missing.push(stringify!($name));
                                stub as Function
                            }
                        }
                    };
                )*
                // SAFETY: as above.
                let before_6 = unsafe { crate::versions::Before6::new(&library) };
                let enqueue_task = None;
                let mut runtime =
                    HipRuntime { name, missing, before_6, enqueue_task, is_rocm, $($name,)* library };
                // Looked up once: tasks are small and many.
                // SAFETY: this project's providers export the name with this type, and nobody else does.
                runtime.enqueue_task = unsafe { runtime.own_function(ENQUEUE_TASK) };
                runtime
            }

            /// The provider's function that takes tasks, where it is one of this project's.
            pub(crate) fn enqueue_function(&self) -> Option<EnqueueTask> {
                self.enqueue_task
            }

            /// A function that is not HIP's, which this project's own providers have.
            ///
            /// # Safety
            /// A symbol of this name is a function of type `T`, which is used only as long as `self` lives.
            pub unsafe fn own_function<T: Copy>(&self, name: &str) -> Option<T> {
                if self.is_rocm {
                    return None;
                }
                // SAFETY: the caller says so.
                unsafe { self.library.get::<T>(name.as_bytes()) }.ok().map(|function| *function)
            }

            $(
                #[doc = concat!("`", stringify!($name), "`, see HIP's manual.")]
                ///
                /// # Safety
                /// As the manual says: pointers are null where that is allowed, or valid.
                #[allow(clippy::too_many_arguments)]
                pub unsafe fn $name(&self, $($argument: $type),*) -> $result {
                    // SAFETY: the library is loaded as long as `self` lives; the caller upholds the rest.
                    unsafe { (self.$name)($($argument),*) }
                }
            )*
        }
    };
}

hip_functions!(table);

impl HipRuntime {
    /// The library's file name or path, as it was opened.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The functions with old layouts, where the library is older than ROCm 6.
    pub(crate) fn before_6(&self) -> Option<&crate::versions::Before6> {
        self.before_6.as_ref()
    }

    /// Whether the library has this function.
    pub fn has(&self, function: &str) -> bool {
        !self.missing.contains(&function)
    }

    /// The functions of HIP's header that the library lacks.
    pub fn missing(&self) -> &[&'static str] {
        &self.missing
    }
}

impl core::fmt::Debug for HipRuntime {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_struct("HipRuntime").field("name", &self.name).finish_non_exhaustive()
    }
}
