//! Context-local storage: values that NVIDIA's libraries keep with a context.

use cuda_types::cuda::CUcontext;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ffi::c_void;

/// Called with a value that goes, as `(context, key, value)`.
pub(crate) type Destructor = unsafe extern "C" fn(CUcontext, *mut c_void, *mut c_void);

#[derive(Debug, Default)]
pub(crate) struct LocalStorage(Mutex<FxHashMap<usize, Value>>);

/// A value's address is a number here; only its owner reads it.
#[derive(Clone, Copy, Debug)]
struct Value {
    address: usize,
    destructor: Option<Destructor>,
}

impl LocalStorage {
    /// Stores a value, with the function to be called when it goes.
    pub(crate) fn put(&self, key: usize, value: usize, destructor: Option<Destructor>) {
        self.0.lock().insert(key, Value { address: value, destructor });
    }

    /// The value of a key, if there is one.
    pub(crate) fn get(&self, key: usize) -> Option<usize> {
        self.0.lock().get(&key).map(|value| value.address)
    }

    /// Removes a value without destroying it. False if there is none.
    pub(crate) fn delete(&self, key: usize) -> bool {
        self.0.lock().remove(&key).is_some()
    }

    /// Destroys all values, as the context `handle` ends.
    pub(crate) fn clear(&self, handle: CUcontext) {
        // Destructors may call back: the lock is not held.
        let values = std::mem::take(&mut *self.0.lock());
        for (key, value) in values {
            if let Some(destructor) = value.destructor {
                // SAFETY: whoever put the value gave this function for its end.
                unsafe { destructor(handle, key as *mut c_void, value.address as *mut c_void) }
            }
        }
    }
}
