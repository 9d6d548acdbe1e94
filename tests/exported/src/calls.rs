//! Every declared function of an API, called with arguments that are words.

use libloading::Library;
use std::ffi::c_void;

/// A function of an API.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    /// Name and type of each parameter, as the declaration spells them.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Calls the function at an address with a word for each argument, 0 for those that are left out. The status, or the
    /// lower half of another result.
    pub call: unsafe fn(*const c_void, &[u64]) -> u32,
}

impl Function {
    /// The status of the function of this name in a library.
    ///
    /// # Safety
    /// The library is of the function's API. Pointers are null, or point to what the function asks for.
    pub unsafe fn run(&self, library: &Library, words: &[u64]) -> u32 {
        // SAFETY: the address is called with the type of the declaration; the caller says the rest.
        unsafe { (self.call)(address(library, self.name), words) }
    }

    /// Words for a call with a right handle: no places and no streams, and `other` for sizes and enumerations.
    pub fn words_after(&self, handle: u64, other: u64) -> Vec<u64> {
        let is_number = |ty: &str| !ty.starts_with('*') && !ty.ends_with("Stream_t");
        let words = self.types().skip(1).map(|ty| if is_number(ty) { other } else { 0 });
        [handle].into_iter().chain(words).collect()
    }

    /// The types of its parameters.
    pub fn types(&self) -> impl Iterator<Item = &'static str> {
        self.parameters.iter().map(|(_, ty)| *ty)
    }
}

/// The function of a name.
pub fn find(functions: &'static [Function], name: &str) -> &'static Function {
    let found = functions.iter().find(|function| function.name == name);
    found.unwrap_or_else(|| panic!("{name} is not declared"))
}

/// The address of a function of a library that is not unloaded any more.
pub fn address(library: &Library, name: &str) -> *const c_void {
    // SAFETY: only the address is taken.
    match unsafe { library.get::<*const c_void>(name.as_bytes()) } {
        // SAFETY: the caller says that the library stays.
        Ok(symbol) => unsafe { symbol.into_raw() }.as_raw_ptr(),
        Err(error) => panic!("{name}: {error}"),
    }
}

/// A value whose first bytes are those of a word; all others are 0.
///
/// # Safety
/// Any bytes make a `T`, as they do for all argument types of a C interface.
#[doc(hidden)]
pub unsafe fn from_word<T>(word: u64) -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    let size = size_of::<T>().min(size_of::<u64>());
    // SAFETY: both are at least `size` bytes; the caller says that the bytes are a value.
    unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const word).cast::<u8>(),
            value.as_mut_ptr().cast(),
            size,
        );
        value.assume_init()
    }
}

/// The first four bytes of a result.
#[doc(hidden)]
pub fn to_status<T>(result: T) -> u32 {
    let mut status = 0u32;
    let size = size_of::<T>().min(size_of::<u32>());
    // SAFETY: both are at least `size` bytes, which the results of a C interface have without gaps.
    unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const result).cast::<u8>(),
            (&raw mut status).cast(),
            size,
        );
    }
    status
}

/// `functions!(nvml)` defines `FUNCTIONS`, all functions of an API of `cuda_types`, whose types have to be in scope.
#[macro_export]
macro_rules! functions {
    ($api:ident) => {
        $crate::cuda_macros::function_declarations!($api, $crate::table);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! table {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        pub const FUNCTIONS: &[$crate::calls::Function] = &[$($crate::calls::Function {
            name: stringify!($name),
            parameters: &[$((stringify!($argument), stringify!($ty))),*],
            call: {
                #[allow(unused_variables, unused_mut)]
                unsafe fn call(address: *const std::ffi::c_void, words: &[u64]) -> u32 {
                    let mut words = words.iter().copied();
                    // SAFETY: the caller has the address of the function of this name.
                    unsafe {
                        let function: unsafe extern "C" fn($($ty),*) $(-> $result)? =
                            std::mem::transmute(address);
                        $crate::calls::to_status(function($({
                            let $argument = words.next().unwrap_or(0);
                            $crate::calls::from_word::<$ty>($argument)
                        }),*))
                    }
                }
                call
            },
        }),*];
    };
}
