//! Memory pools: names under which stream-ordered memory is allocated.

use crate::convert::FromC;
use crate::core::driver::driver;
use crate::core::kind;
use cuda_types::cuda::{CUdevice, CUerror, CUmemoryPool, CUres};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::HandleTable;

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) device: CUdevice,
    is_default: bool,
    handle: OnceLock<u64>,
    /// Values of attributes that were set.
    pub(crate) attributes: Mutex<HashMap<u32, u64>>,
}

static POOLS: LazyLock<HandleTable<Pool>> = LazyLock::new(|| HandleTable::new(kind::POOL));

/// The default and the current pool of each device.
static OF_DEVICES: LazyLock<Mutex<HashMap<CUdevice, [Arc<Pool>; 2]>>> =
    LazyLock::new(Mutex::default);

impl FromC<CUmemoryPool> for Arc<Pool> {
    unsafe fn from_c(handle: CUmemoryPool) -> CUres<Self> {
        POOLS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

pub(crate) fn create(device: CUdevice, is_default: bool) -> CUres<Arc<Pool>> {
    driver()?.device(device)?;
    let pool = Arc::new(Pool {
        device,
        is_default,
        handle: OnceLock::new(),
        attributes: Mutex::default(),
    });
    let handle = POOLS.insert(pool.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = pool.handle.set(handle);
    Ok(pool)
}

/// Ends a pool's handle; its memory lives on. `INVALID_VALUE` for a device's own pool.
pub(crate) fn destroy(pool: &Arc<Pool>) -> CUres {
    if pool.is_default {
        return Err(CUerror::INVALID_VALUE);
    }
    POOLS.remove(pool.handle() as u64);
    // "If this is the current mempool for a device, the device's default pool becomes the current one."
    for [default, current] in OF_DEVICES.lock().values_mut() {
        if Arc::ptr_eq(current, pool) {
            *current = default.clone();
        }
    }
    Ok(())
}

/// A device's default and current pool.
pub(crate) fn of_device(device: CUdevice) -> CUres<[Arc<Pool>; 2]> {
    driver()?.device(device)?;
    let mut pools = OF_DEVICES.lock();
    if let Some(found) = pools.get(&device) {
        return Ok(found.clone());
    }
    let default = create(device, true)?;
    let both = [default.clone(), default];
    pools.insert(device, both.clone());
    Ok(both)
}

pub(crate) fn set_current(device: CUdevice, pool: Arc<Pool>) -> CUres {
    of_device(device)?;
    if let Some([_, current]) = OF_DEVICES.lock().get_mut(&device) {
        *current = pool;
    }
    Ok(())
}

impl Pool {
    pub(crate) fn handle(&self) -> CUmemoryPool {
        self.handle.get().copied().unwrap_or(0) as CUmemoryPool
    }
}
