//! Memory pools: names under which stream-ordered memory is allocated.

use crate::convert::FromC;
use crate::core::device::driver::driver;
use crate::core::memory::pool_ledger::Ledger;
use cuda_types::cuda::{CUdevice, CUerror, CUmemPool_attribute, CUmemoryPool, CUres};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

const RELEASE_THRESHOLD: u32 = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.0;

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) device: CUdevice,
    is_default: bool,
    handle: OnceLock<u64>,
    /// Values of attributes that were set.
    pub(crate) attributes: Mutex<HashMap<u32, u64>>,
    pub(crate) ledger: Mutex<Ledger>,
}

/// The pools of addresses.
static OWNERS: LazyLock<Mutex<HashMap<u64, Arc<Pool>>>> = LazyLock::new(Mutex::default);

/// Pools in which memory was freed since the program has waited for it.
static WAITING: Mutex<Vec<Arc<Pool>>> = Mutex::new(Vec::new());

static POOLS: LazyLock<HandleTable<Pool>> = LazyLock::new(|| HandleTable::new(Kind::POOL));

/// The default and the current pool of each device.
static OF_DEVICES: LazyLock<Mutex<HashMap<CUdevice, [Arc<Pool>; 2]>>> =
    LazyLock::new(Mutex::default);

impl FromC<CUmemoryPool> for Arc<Pool> {
    unsafe fn from_c(handle: CUmemoryPool) -> CUres<Self> {
        POOLS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

/// Makes a memory pool of a device; `is_default` for the device's own.
pub(crate) fn create(device: CUdevice, is_default: bool) -> CUres<Arc<Pool>> {
    driver()?.device(device)?;
    let pool = Arc::new(Pool {
        device,
        is_default,
        handle: OnceLock::new(),
        attributes: Mutex::default(),
        ledger: Mutex::default(),
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

/// Makes a pool the current one of a device.
pub(crate) fn set_current(device: CUdevice, pool: Arc<Pool>) -> CUres {
    of_device(device)?;
    if let Some([_, current]) = OF_DEVICES.lock().get_mut(&device) {
        *current = pool;
    }
    Ok(())
}

/// Memory at an address is one of the pool's from now on.
pub(crate) fn take(pool: &Arc<Pool>, address: u64, bytes: usize) {
    // A context that has ended took its memory with it.
    give_back(address, 0);
    pool.ledger.lock().take(address, bytes as u64);
    OWNERS.lock().insert(address, pool.clone());
}

/// Memory goes back to its pool in a stream, whose handle that is; 0 where no stream orders it.
pub(crate) fn give_back(address: u64, stream: u64) {
    let Some(pool) = OWNERS.lock().remove(&address) else { return };
    pool.ledger.lock().give_back(address, stream);
    let mut waiting = WAITING.lock();
    if !waiting.iter().any(|known| Arc::ptr_eq(known, &pool)) {
        waiting.push(pool);
    }
}

/// The pool of memory at an address.
pub(crate) fn owner(address: u64) -> Option<Arc<Pool>> {
    OWNERS.lock().get(&address).cloned()
}

/// The program has waited for the stream with this handle, or for more: pools give back what they need not keep.
pub(crate) fn waited(stream: Option<u64>) {
    WAITING.lock().retain(|pool| {
        let keep = pool.threshold();
        let mut ledger = pool.ledger.lock();
        ledger.wait(stream, keep);
        ledger.waits()
    });
}

impl Pool {
    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`
    fn threshold(&self) -> u64 {
        self.attributes.lock().get(&RELEASE_THRESHOLD).copied().unwrap_or(0)
    }

    /// The program's handle.
    pub(crate) fn handle(&self) -> CUmemoryPool {
        self.handle.get().copied().unwrap_or(0) as CUmemoryPool
    }
}
