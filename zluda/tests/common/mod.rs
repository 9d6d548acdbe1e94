//! The built library, as programs see it.

#![allow(dead_code, unused_macros)]

use std::path::PathBuf;

/// The file that cargo built for these tests.
pub fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.with_file_name("libzluda_cuda.so")
}

/// Whether this process has some part of a file of this name in its memory.
pub fn is_mapped(file: &str) -> bool {
    std::fs::read_to_string("/proc/self/maps").expect("Linux has it").contains(file)
}

/// Calls a function of the driver, `call!(library, name(arguments): (types))`, where `R` is its result.
macro_rules! call {
    ($library:expr, $name:ident($($argument:expr),* $(,)?): ($($ty:ty),*)) => {{
        // SAFETY: the signature is that of `cuda.h`.
        let function = unsafe {
            $library.get::<unsafe extern "C" fn($($ty),*) -> R>(stringify!($name).as_bytes())
        }
        .expect(stringify!($name));
        // SAFETY: pointers are those of local variables, handles those that were given.
        unsafe { function($($argument),*) }
    }};
}
