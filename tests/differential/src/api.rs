//! The driver API of a library that is loaded at run time, one method a function.

use std::path::Path;

use cuda_types::cuda::*;
use libloading::Library;

pub struct Api {
    library: Library,
}

impl Api {
    /// Loads the driver's library from this path; fails if the system cannot.
    pub fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: loading a driver library runs its initialisers, which is what is wanted.
        let library = unsafe { Library::new(path) }
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { library })
    }

    fn symbol<T: Copy>(&self, name: &str) -> T {
        // SAFETY: the generated methods ask for the type that the header declares.
        unsafe {
            *self
                .library
                .get::<T>(name.as_bytes())
                .unwrap_or_else(|error| panic!("{name}: {error}"))
        }
    }
}

/// Makes a method of each declared function; all return the result code as a number.
macro_rules! methods {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> CUresult;)*) => {
        #[allow(non_snake_case, clippy::too_many_arguments, dead_code, clippy::not_unsafe_ptr_arg_deref)]
        impl Api {
            $(
                pub fn $name(&self, $($argument: $ty),*) -> i64 {
                    let function: unsafe extern "C" fn($($ty),*) -> CUresult = self.symbol(stringify!($name));
                    // SAFETY: cases pass what they mean to test; each runs in a process of its own.
                    unsafe { function($($argument),*) }.0 as i64
                }
            )*
        }
    };
}

cuda_macros::function_declarations!(cuda, methods);
