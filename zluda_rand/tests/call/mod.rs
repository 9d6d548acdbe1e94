//! Calls of the built library by name.

#![allow(dead_code)]

use libloading::Library;
use std::ffi::c_void;

pub type Handle = *mut c_void;

pub fn open() -> Library {
    // SAFETY: the library has no initialisers of its own.
    unsafe { Library::new(exported::file::built("libzluda_rand.so")) }.expect("the library loads")
}

/// The status of a call of a function by name, with the types of its arguments, which are what a test passes on purpose.
#[macro_export]
macro_rules! call {
    ($library:expr, $name:expr, $($ty:ty: $value:expr),*) => {{
        type Function = unsafe extern "C" fn($($ty),*) -> cuda_types::curand::curandStatus_t;
        let (library, name): (&libloading::Library, &str) = (&$library, $name);
        // SAFETY: the function of this name has this type.
        let function = unsafe { library.get::<Function>(name.as_bytes()) }.expect(name);
        #[allow(clippy::macro_metavars_in_unsafe)]
        // SAFETY: places are null or of the test, and large enough.
        let status = unsafe { function($($value),*) };
        status.0
    }};
}
