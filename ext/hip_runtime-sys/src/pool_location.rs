//! The place whose memory a pool gives, which HIP is told and does not tell: of another process's pool it is news.

use crate::{HipRuntime, hipMemLocation, hipMemPool_t};

/// The type of the function that stores the place of a pool.
pub type PoolLocation =
    unsafe extern "C" fn(pool: hipMemPool_t, location: *mut hipMemLocation) -> crate::hipError_t;

/// The name of the function of type [`PoolLocation`] that providers export.
pub const POOL_LOCATION: &str = "zluda_pool_location";

impl HipRuntime {
    /// The place of a pool, where the provider tells.
    ///
    /// # Safety
    /// The pool is one of the provider's.
    pub unsafe fn pool_location(&self, pool: hipMemPool_t) -> Option<hipMemLocation> {
        // SAFETY: this project's providers export the name with this type, and nobody else does.
        let tell = unsafe { self.own_function::<PoolLocation>(POOL_LOCATION) }?;
        let mut location = hipMemLocation { type_: crate::hipMemLocationType(0), id: 0 };
        // SAFETY: the caller's promise; `location` outlives the call.
        let error = unsafe { tell(pool, &mut location) };
        (error == crate::hipError_t::hipSuccess).then_some(location)
    }
}
