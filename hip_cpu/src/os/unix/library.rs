//! Compiled code, by the system's own loader.

use std::ffi::{CStr, CString, c_void};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use hip_host::executor::Image;
use hip_runtime_sys::hipError_t;

/// A loaded object.
pub struct Library(*mut c_void);

// SAFETY: the loader locks itself.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads an object.
    pub fn load(image: &Image) -> Result<Library, hipError_t> {
        // The loader takes files of one name for one file, and descriptors are used again: so each load has
        // a path of its own, spelt with a number in steps to where it already is.
        static LOADS: AtomicU64 = AtomicU64::new(0);
        let number = LOADS.fetch_add(1, Ordering::Relaxed);
        let steps: String =
            (0..32).map(|bit| if number >> bit & 1 != 0 { "/." } else { "/" }).collect();
        let path = format!("/proc/self/fd{steps}/{}", image.copied.0.as_raw_fd());
        let path = CString::new(path).map_err(|_| hipError_t::hipErrorUnknown)?;
        // SAFETY: the path ends in NUL; whoever loads a module wants its code to run.
        unsafe {
            let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            if handle.is_null() {
                let error = libc::dlerror();
                let text = if error.is_null() { c"unknown" } else { CStr::from_ptr(error) };
                tracing::error!("image: {}", text.to_string_lossy());
                return Err(hipError_t::hipErrorInvalidImage);
            }
            Ok(Library(handle))
        }
    }

    /// The address of a symbol that the object exports.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is open, the name ends in NUL.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address.cast_const())
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once; kernels in flight keep their module.
        unsafe { libc::dlclose(self.0) };
    }
}
