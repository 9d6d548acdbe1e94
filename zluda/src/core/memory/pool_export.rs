//! Pools whose memory other processes can get: the provider's, which lie in what it can export.

use super::pool::{self, Pool, Share};
use super::{Kind, Memory, Owner, find, insert_share};
use crate::core::context::{Alive, Current, use_device};
use crate::core::device::driver::driver;
use crate::core::error::check;
use cuda_types::cuda::{
    CUdeviceptr, CUerror, CUmemAllocationHandleType, CUmemPoolPtrExportData, CUres,
};
use hip_runtime_sys::{
    hipMemAllocationHandleType, hipMemAllocationType, hipMemLocation, hipMemPool_t,
    hipMemPoolProps, hipMemPoolPtrExportData,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};

/// The provider's pool, destroyed when nobody uses it any more.
#[derive(Debug)]
pub(crate) struct HipPool(hipMemPool_t);

// SAFETY: HIP's pools may be used from any thread.
unsafe impl Send for HipPool {}
// SAFETY: as above.
unsafe impl Sync for HipPool {}

impl Drop for HipPool {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the provider has given the pool, which nobody uses any more.
            let _ = unsafe { driver.hip.hipMemPoolDestroy(self.0) };
        }
    }
}

/// HIP's handle types, whose numbers are CUDA's.
fn hip_type(types: CUmemAllocationHandleType) -> hipMemAllocationHandleType {
    hipMemAllocationHandleType(types.0)
}

impl HipPool {
    /// A pool of the memory of a place, as the provider names it, that can be exported by handles of these types.
    pub(crate) fn new(
        location: hipMemLocation,
        types: CUmemAllocationHandleType,
    ) -> CUres<HipPool> {
        let properties = hipMemPoolProps {
            allocType: hipMemAllocationType::hipMemAllocationTypePinned,
            handleTypes: hip_type(types),
            location,
            win32SecurityAttributes: null_mut(),
            maxSize: 0,
            reserved: [0; 56],
        };
        let mut pool = null_mut();
        // SAFETY: both outlive the call.
        check(unsafe { driver()?.hip.hipMemPoolCreate(&mut pool, &properties) })?;
        Ok(HipPool(pool))
    }

    /// The pool that another process has exported as a handle of this type.
    pub(crate) fn import(handle: usize, types: CUmemAllocationHandleType) -> CUres<HipPool> {
        let mut pool = null_mut();
        let handle = handle as *mut c_void;
        // SAFETY: `pool` outlives the call.
        check(unsafe {
            driver()?.hip.hipMemPoolImportFromShareableHandle(&mut pool, handle, hip_type(types), 0)
        })?;
        Ok(HipPool(pool))
    }

    /// The place of the pool, as the provider names it.
    pub(crate) fn location(&self) -> CUres<hipMemLocation> {
        // SAFETY: the provider has given the pool.
        unsafe { driver()?.hip.pool_location(self.0) }.ok_or(CUerror::NOT_SUPPORTED)
    }

    pub(crate) fn get(&self) -> hipMemPool_t {
        self.0
    }
}

/// A file descriptor of a pool for the program, which closes it; `INVALID_VALUE` unless it was made for such.
pub(crate) fn export(pool: &Pool, types: CUmemAllocationHandleType) -> CUres<i32> {
    pool.check_own()?;
    let hip = pool.hip().filter(|_| pool.handle_types == types).ok_or(CUerror::INVALID_VALUE)?;
    let mut descriptor = -1;
    // SAFETY: `descriptor` outlives the call; the pool is the provider's.
    check(unsafe {
        let to = (&raw mut descriptor).cast();
        driver()?.hip.hipMemPoolExportToShareableHandle(to, hip, hip_type(types), 0)
    })?;
    Ok(descriptor)
}

/// What other processes find memory of a pool by; `INVALID_VALUE` unless it begins at the address.
pub(crate) fn export_pointer(address: CUdeviceptr) -> CUres<CUmemPoolPtrExportData> {
    let is_whole = find(address)
        .is_some_and(|found| found.base == address && matches!(found.kind, Kind::Pool(_)));
    let owner = pool::owner(address).filter(|_| is_whole).ok_or(CUerror::INVALID_VALUE)?;
    owner.check_own()?;
    owner.hip().ok_or(CUerror::INVALID_VALUE)?;
    let mut data = hipMemPoolPtrExportData { reserved: [0; 64] };
    // SAFETY: `data` outlives the call; the memory is the provider's.
    check(unsafe { driver()?.hip.hipMemPoolExportPointer(&mut data, address as *mut c_void) })?;
    Ok(CUmemPoolPtrExportData { reserved: data.reserved })
}

/// The owner of memory of a pool that a context takes: it, or another device that the memory is of, or that of the context
/// for the host's.
pub(super) fn owner_of(alive: &Alive, pool: &Pool) -> Owner {
    let own = alive.context.device;
    match pool.place.device() {
        Some(device) if device == own => Owner::Context(alive.context.clone()),
        device => Owner::Device(device.unwrap_or(own)),
    }
}

/// The address for the host of memory of a pool that processes share: that of devices where it is a node's.
pub(super) fn host_address(memory: Memory, base: u64) -> u64 {
    if memory == Memory::Host { base } else { 0 }
}

/// A pool, and what memory of it is found by.
type Key = (u64, [u8; 64]);

/// The addresses of what has been imported.
static IMPORTED: LazyLock<Mutex<HashMap<Key, CUdeviceptr>>> = LazyLock::new(Mutex::default);

/// The address of memory that another process has exported from the pool: the same one as long as it is not freed. cuda.core
/// takes it while no context is current: then it is the device's.
pub(crate) fn import_pointer(
    current: Option<&Current>,
    pool: &Arc<Pool>,
    data: CUmemPoolPtrExportData,
) -> CUres<CUdeviceptr> {
    let hip_pool = pool.check_imported()?;
    let mut imported = IMPORTED.lock();
    let is_there =
        |address: u64| pool::owner(address).is_some_and(|owner| Arc::ptr_eq(&owner, pool));
    imported.retain(|_, address| pool::owner(*address).is_some());
    let key = (pool.handle() as u64, data.reserved);
    if let Some(known) = imported.get(&key).copied().filter(|known| is_there(*known)) {
        return Ok(known);
    }
    let driver = driver()?;
    let alive = current.map(|current| current.context.keep_alive()).transpose()?;
    let owner = match &alive {
        Some(alive) => owner_of(alive, pool),
        None => Owner::Device(pool.place.device().unwrap_or(0)),
    };
    if let (Owner::Device(device), None) = (&owner, &alive) {
        use_device(driver, *device);
    }
    let check = |error| match current {
        Some(current) => current.check(error),
        None => check(error),
    };
    let mut data = hipMemPoolPtrExportData { reserved: data.reserved };
    let (mut address, mut size) = (null_mut(), 0);
    // SAFETY: all outlive the calls; the pool is the provider's.
    check(unsafe { driver.hip.hipMemPoolImportPointer(&mut address, hip_pool, &mut data) })?;
    // SAFETY: as above.
    check(unsafe { driver.hip.hipMemGetAddressRange(&mut null_mut(), &mut size, address) })?;
    let base = address as u64;
    insert_share(owner, Share::imported(pool), base, host_address(pool.memory(), base), size);
    imported.insert(key, base);
    Ok(base)
}
