//! Export tables: interfaces between NVIDIA's driver and NVIDIA's libraries, found by a GUID, and one for our own libraries.
//!
//! A table is an array of words. The first one is its size in bytes (but for context-local storage), the
//! others are functions. What is not known of a slot gives an error, and a line in the log.

mod context_checks;
mod context_local_storage;
mod context_wrapper;
mod cudart_interface;
mod identities;
mod libraries;
mod module_functions;
mod tools_root;
mod tools_runtime_callback_hooks;
mod tools_tls;
mod validity_check;

use cuda_types::cuda::CUresult;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// A slot of a table.
#[derive(Clone, Copy)]
#[repr(C)]
union Word {
    number: usize,
    function: *const (),
}

/// A table of `N` words.
#[repr(transparent)]
struct Table<const N: usize>([Word; N]);

// SAFETY: numbers and addresses of functions.
unsafe impl<const N: usize> Sync for Table<N> {}

impl<const N: usize> Table<N> {
    /// A table whose first word is its size, and whose other words are functions.
    const fn sized(functions: [*const (); N]) -> Self {
        let mut words = [Word { number: size_of::<[usize; N]>() }; N];
        let mut i = 1;
        while i < N {
            words[i] = Word { function: functions[i] };
            i += 1;
        }
        Table(words)
    }

    /// A table of functions alone.
    const fn plain(functions: [*const (); N]) -> Self {
        let mut words = [Word { number: 0 }; N];
        let mut i = 0;
        while i < N {
            words[i] = Word { function: functions[i] };
            i += 1;
        }
        Table(words)
    }

    fn address(&'static self) -> *const c_void {
        (&raw const *self).cast()
    }

    /// The address that a slot holds.
    fn slot(&self, index: usize) -> usize {
        // SAFETY: both members are words of which every value is valid.
        self.0.get(index).map_or(0, |word| unsafe { word.number })
    }
}

/// The place of the size.
const SIZE: *const () = std::ptr::null();
/// A slot of which nothing is known.
const UNKNOWN: *const () = unknown as *const ();

extern "C" fn unknown() -> CUresult {
    static LOGGED: AtomicBool = AtomicBool::new(false);
    if !LOGGED.swap(true, Ordering::Relaxed) {
        tracing::warn!("unsupported: an unknown function of an export table was called");
    }
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

/// A slot that is called by libraries that we know, and of which nothing is known but that.
extern "C" fn unknown_slot<const SLOT: usize>() -> CUresult {
    if zluda_common::log::first_time(&format!("slot {SLOT}")) {
        tracing::warn!("unsupported: function {SLOT} of an export table was called");
    }
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

/// The table with this GUID.
pub(crate) fn find(id: &[u8; 16]) -> Option<*const c_void> {
    Some(match u128::from_be_bytes(*id) {
        cudart_interface::ID => cudart_interface::TABLE.address(),
        tools_root::ID => tools_root::TABLE.address(),
        tools_runtime_callback_hooks::ID => tools_runtime_callback_hooks::TABLE.address(),
        tools_tls::ID => tools_tls::TABLE.address(),
        identities::ID => identities::TABLE.address(),
        module_functions::ID => module_functions::TABLE.address(),
        context_local_storage::ID => context_local_storage::TABLE.address(),
        context_checks::ID => context_checks::TABLE.address(),
        context_wrapper::ID => context_wrapper::TABLE.address(),
        validity_check::ID => validity_check::TABLE.address(),
        libraries::ID => (&raw const libraries::TABLE).cast(),
        _ => return None,
    })
}
