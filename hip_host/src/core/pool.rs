//! Memory pools. A pool only counts what is taken from it; the memory is the device's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hip_runtime_sys::{hipError_t, hipMemPool_t, hipMemPoolAttr};

use super::device::Device;
use super::memory::{Kind, Range};

pub struct Pool {
    default: bool,
    /// Bytes that may ever be taken at the same time; 0: no limit but the device's.
    max_size: u64,
    used: AtomicU64,
    used_high: AtomicU64,
    threshold: AtomicU64,
    /// Attributes that change nothing here, as they were set: reuse by event, opportunistic, internal.
    reuse: [AtomicU64; 3],
}

impl Pool {
    /// A pool that nothing has been taken from; `max_size` is in bytes, 0 for no limit.
    pub fn new(default: bool, max_size: u64) -> Pool {
        Pool {
            default,
            max_size,
            used: AtomicU64::new(0),
            used_high: AtomicU64::new(0),
            threshold: AtomicU64::new(0),
            reuse: [const { AtomicU64::new(1) }; 3],
        }
    }

    /// Whether this is the device's own pool, which nobody can destroy.
    pub fn is_default(&self) -> bool {
        self.default
    }

    /// Takes memory; it can be used at once, which is sooner than it has to be.
    pub fn allocate(&self, handle: hipMemPool_t, size: usize) -> Result<Range, hipError_t> {
        // More than there can be would overflow the sum of what is used.
        if size > isize::MAX as usize {
            return Err(hipError_t::hipErrorOutOfMemory);
        }
        let used = self.used.fetch_add(size as u64, Ordering::Relaxed) + size as u64;
        let result = if self.max_size != 0 && used > self.max_size {
            Err(hipError_t::hipErrorOutOfMemory)
        } else {
            let allocate = || Device::get().memory.allocate(Kind::Device, size, 0, handle.addr());
            allocate().or_else(|_| {
                // What was freed in some stream may be all that is missing.
                Device::get().streams.wait_for_all();
                allocate()
            })
        };
        match result {
            Ok(_) => self.used_high.fetch_max(used, Ordering::Relaxed),
            Err(_) => self.used.fetch_sub(size as u64, Ordering::Relaxed),
        };
        result
    }

    /// Memory that was taken has been freed.
    pub fn freed(&self, size: usize) {
        self.used.fetch_sub(size as u64, Ordering::Relaxed);
    }

    /// The attribute's storage, and whether programs may set it.
    pub fn attribute(&self, attribute: hipMemPoolAttr) -> Option<(&AtomicU64, bool)> {
        Some(match attribute {
            hipMemPoolAttr::hipMemPoolReuseFollowEventDependencies => (&self.reuse[0], true),
            hipMemPoolAttr::hipMemPoolReuseAllowOpportunistic => (&self.reuse[1], true),
            hipMemPoolAttr::hipMemPoolReuseAllowInternalDependencies => (&self.reuse[2], true),
            hipMemPoolAttr::hipMemPoolAttrReleaseThreshold => (&self.threshold, true),
            hipMemPoolAttr::hipMemPoolAttrReservedMemCurrent => (&self.used, false),
            hipMemPoolAttr::hipMemPoolAttrReservedMemHigh => (&self.used_high, true),
            hipMemPoolAttr::hipMemPoolAttrUsedMemCurrent => (&self.used, false),
            hipMemPoolAttr::hipMemPoolAttrUsedMemHigh => (&self.used_high, true),
            _ => return None,
        })
    }
}

/// The pool that `hipMallocAsync` takes from, and its handle.
pub fn default_pool() -> (hipMemPool_t, Arc<Pool>) {
    static DEFAULT: std::sync::LazyLock<(usize, Arc<Pool>)> = std::sync::LazyLock::new(|| {
        let pool = Arc::new(Pool::new(true, 0));
        let handle: hipMemPool_t = Device::get().pools.insert(pool.clone());
        (handle.addr(), pool)
    });
    (std::ptr::without_provenance_mut(DEFAULT.0), DEFAULT.1.clone())
}
