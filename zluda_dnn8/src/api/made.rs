//! Descriptors of the engine that last as long as a call.

use crate::engine;
use cuda_types::cudnn8::*;

/// An opaque structure that descriptors point to.
pub(crate) trait Opaque: Sized {
    const CREATE: unsafe fn(*mut *mut Self) -> CudnnResult;
    const DESTROY: unsafe fn(*mut Self) -> CudnnResult;
}

macro_rules! opaque {
    ($($ty:ident: $create:ident, $destroy:ident;)*) => {$(
        impl Opaque for $ty {
            const CREATE: unsafe fn(*mut *mut Self) -> CudnnResult = engine::$create;
            const DESTROY: unsafe fn(*mut Self) -> CudnnResult = engine::$destroy;
        }
    )*};
}

opaque! {
    cudnnTensorStruct: cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor;
    cudnnRNNStruct: cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor;
    cudnnRNNDataStruct: cudnnCreateRNNDataDescriptor, cudnnDestroyRNNDataDescriptor;
}

/// A descriptor, destroyed at the end.
pub(crate) struct Made<T: Opaque>(*mut T);

impl<T: Opaque> Made<T> {
    pub(crate) fn new() -> CudnnResult<Self> {
        let mut made = std::ptr::null_mut();
        // SAFETY: the place lives during the call.
        unsafe { T::CREATE(&mut made) }?;
        Ok(Made(made))
    }

    /// The handle.
    pub(crate) fn get(&self) -> *mut T {
        self.0
    }
}

impl<T: Opaque> Drop for Made<T> {
    fn drop(&mut self) {
        // SAFETY: nobody else knows the descriptor.
        let _ = unsafe { T::DESTROY(self.0) };
    }
}
