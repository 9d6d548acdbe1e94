//! Kernels that a stream gets all at once and that run one after the other, which this project's own providers have:
//! elsewhere each is launched by itself.

use core::ffi::c_void;

use crate::{HipRuntime, hipError_t, hipFunction_t, hipStream_t};

/// A kernel of a sequence. The parameters are those that `HIP_LAUNCH_PARAM_BUFFER_POINTER` and its size would be.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SequenceKernel {
    pub function: hipFunction_t,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Blocks of a cluster along each axis; zeros where nobody asks for clusters.
    pub cluster: [u32; 3],
    pub params: *const c_void,
    pub size: usize,
}

/// The type of the function that makes a sequence of so many kernels, whose parameters it copies.
pub type CreateSequence = unsafe extern "C" fn(
    sequence: *mut *mut c_void,
    kernels: *const SequenceKernel,
    count: usize,
) -> hipError_t;
/// The type of the function that puts a sequence into a stream.
pub type LaunchSequence =
    unsafe extern "C" fn(sequence: *mut c_void, stream: hipStream_t) -> hipError_t;
/// The type of the function that ends a sequence; what it was launched as goes on.
pub type DestroySequence = unsafe extern "C" fn(sequence: *mut c_void);

/// The names of the functions of these types that providers export.
pub const CREATE_SEQUENCE: &str = "zluda_create_sequence";
/// As above.
pub const LAUNCH_SEQUENCE: &str = "zluda_launch_sequence";
/// As above.
pub const DESTROY_SEQUENCE: &str = "zluda_destroy_sequence";

/// A sequence of a provider.
#[derive(Debug)]
pub struct Sequence {
    handle: *mut c_void,
    launch: LaunchSequence,
    destroy: DestroySequence,
}

// SAFETY: providers let any thread use a sequence.
unsafe impl Send for Sequence {}
// SAFETY: as above.
unsafe impl Sync for Sequence {}

impl Drop for Sequence {
    fn drop(&mut self) {
        // SAFETY: made once, ended once.
        unsafe { (self.destroy)(self.handle) };
    }
}

impl HipRuntime {
    /// Makes a sequence; `hipErrorNotSupported` of a provider that has none.
    ///
    /// # Safety
    /// The parameters are readable.
    pub unsafe fn create_sequence(
        &self,
        kernels: &[SequenceKernel],
    ) -> Result<Sequence, hipError_t> {
        // SAFETY: this project's providers export the names with these types, and nobody else does.
        let functions = unsafe {
            (
                self.own_function::<CreateSequence>(CREATE_SEQUENCE),
                self.own_function::<LaunchSequence>(LAUNCH_SEQUENCE),
                self.own_function::<DestroySequence>(DESTROY_SEQUENCE),
            )
        };
        let (Some(create), Some(launch), Some(destroy)) = functions else {
            return Err(hipError_t::hipErrorNotSupported);
        };
        let mut handle = core::ptr::null_mut();
        // SAFETY: `handle` outlives the call; the caller's promise.
        match unsafe { create(&mut handle, kernels.as_ptr(), kernels.len()) } {
            hipError_t::hipSuccess => Ok(Sequence { handle, launch, destroy }),
            error => Err(error),
        }
    }
}

impl Sequence {
    /// Puts the kernels into a stream.
    ///
    /// # Safety
    /// The stream is one of the provider's.
    pub unsafe fn launch(&self, stream: hipStream_t) -> hipError_t {
        // SAFETY: the sequence is one; the caller's promise.
        unsafe { (self.launch)(self.handle, stream) }
    }
}
