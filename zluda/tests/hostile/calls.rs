//! Every declared function of the API, called with arguments that are words.

use cuda_types::cuda::*;
use std::ffi::c_void;

pub struct Function {
    pub name: &'static str,
    /// Name and type of each parameter, as the declaration spells them.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Calls the function at an address with one word for each argument.
    pub call: unsafe fn(*const c_void, &[u64]) -> CUresult,
}

/// The first bytes of a value are those of the word; all others are 0.
///
/// # Safety
/// Any bytes make a `T`, as they do for all argument types of a C interface.
unsafe fn value<T>(word: u64) -> T {
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

macro_rules! table {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> CUresult;)*) => {
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            parameters: &[$((stringify!($argument), stringify!($ty))),*],
            call: {
                #[allow(unused_variables, unused_mut)]
                unsafe fn call(address: *const c_void, words: &[u64]) -> CUresult {
                    let mut words = words.iter().copied();
                    // SAFETY: the caller has the address of the function of this name.
                    unsafe {
                        let function: unsafe extern "C" fn($($ty),*) -> CUresult =
                            std::mem::transmute(address);
                        function($(value::<$ty>(words.next().expect(stringify!($argument)))),*)
                    }
                }
                call
            },
        }),*];
    };
}

cuda_macros::function_declarations!(cuda, table);
