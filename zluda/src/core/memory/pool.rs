//! Memory pools: names under which stream-ordered memory is allocated.

use super::Memory;
use super::pool_export::HipPool;
use crate::convert::FromC;
use crate::core::device::driver::driver;
use crate::core::memory::pool_ledger::{Ledger, Taken};
use cuda_types::cuda::{
    CUdevice, CUerror, CUmemAccess_flags, CUmemAllocationHandleType, CUmemAllocationType as Type,
    CUmemLocation, CUmemLocationType as L, CUmemPool_attribute, CUmemoryPool, CUres,
};
use hip_runtime_sys::{hipMemLocation, hipMemLocationType, hipMemPool_t};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

const RELEASE_THRESHOLD: u32 = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD.0;

/// The memory that a pool is of: pools of one place are those that a program can choose among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    kind: Type,
    location: L,
    id: i32,
}

impl Place {
    /// `INVALID_VALUE` for a place that has no memory of this kind, `NOT_SUPPORTED` for managed memory of one that no
    /// header names.
    pub(crate) fn new(kind: Type, location: CUmemLocation) -> CUres<Place> {
        let CUmemLocation { type_, id } = location;
        let is_managed = match kind {
            Type::CU_MEM_ALLOCATION_TYPE_PINNED => false,
            Type::CU_MEM_ALLOCATION_TYPE_MANAGED => true,
            _ => return Err(CUerror::INVALID_VALUE),
        };
        let id = match type_ {
            L::CU_MEM_LOCATION_TYPE_DEVICE if driver()?.device(id).is_ok() => id,
            L::CU_MEM_LOCATION_TYPE_HOST_NUMA if crate::os::has_numa_node(id) => id,
            // Their numbers mean nothing.
            L::CU_MEM_LOCATION_TYPE_HOST => 0,
            L::CU_MEM_LOCATION_TYPE_NONE | L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
                if is_managed =>
            {
                0
            }
            L::CU_MEM_LOCATION_TYPE_DEVICE | L::CU_MEM_LOCATION_TYPE_HOST_NUMA => {
                return Err(CUerror::INVALID_VALUE);
            }
            _ if is_managed => return Err(CUerror::NOT_SUPPORTED),
            _ => return Err(CUerror::INVALID_VALUE),
        };
        Ok(Place { kind, location: type_, id })
    }

    /// The memory that a device itself has.
    pub(crate) fn of_device(device: CUdevice) -> Place {
        Place {
            kind: Type::CU_MEM_ALLOCATION_TYPE_PINNED,
            location: L::CU_MEM_LOCATION_TYPE_DEVICE,
            id: device,
        }
    }

    /// The place as the provider names it, for pools whose memory processes share.
    fn to_hip(self) -> CUres<hipMemLocation> {
        Ok(match self.device() {
            Some(device) => hipMemLocation {
                type_: hipMemLocationType::hipMemLocationTypeDevice,
                id: driver()?.device(device)?.hip,
            },
            None => hipMemLocation {
                type_: hipMemLocationType::hipMemLocationTypeHostNuma,
                id: self.id,
            },
        })
    }

    /// The place that the provider of another process names so; of devices that this one does not see, the first stands for
    /// all: they share their memory.
    fn of_hip(location: hipMemLocation) -> CUres<Place> {
        if location.type_ != hipMemLocationType::hipMemLocationTypeHostNuma {
            let devices = &driver()?.devices;
            let device = devices.iter().position(|device| device.hip == location.id);
            return Ok(Place::of_device(device.unwrap_or(0) as CUdevice));
        }
        let (kind, type_) =
            (Type::CU_MEM_ALLOCATION_TYPE_PINNED, L::CU_MEM_LOCATION_TYPE_HOST_NUMA);
        Ok(Place { kind, location: type_, id: location.id })
    }

    /// The memory that a pool of this place gives.
    pub(crate) fn memory(&self) -> Memory {
        match (self.kind, self.location) {
            (Type::CU_MEM_ALLOCATION_TYPE_MANAGED, _) => Memory::Managed,
            (_, L::CU_MEM_LOCATION_TYPE_DEVICE) => Memory::Device,
            _ => Memory::Host,
        }
    }

    /// Whether memory there can be shared between processes.
    pub(crate) fn is_of_device_or_node(&self) -> bool {
        self.location != L::CU_MEM_LOCATION_TYPE_HOST
    }

    /// Bytes that the device of the place has; where it is none, device 0's, since those of this machine are more.
    pub(crate) fn total_memory(&self) -> CUres<usize> {
        Ok(driver()?.device(self.device().unwrap_or(0))?.total_memory)
    }

    /// The device of the place, if it is one.
    pub(crate) fn device(&self) -> Option<CUdevice> {
        (self.location == L::CU_MEM_LOCATION_TYPE_DEVICE).then_some(self.id)
    }
}

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) place: Place,
    origin: Origin,
    pub(crate) handle_types: CUmemAllocationHandleType,
    handle: OnceLock<u64>,
    /// Values of attributes that were set.
    pub(crate) attributes: Mutex<FxHashMap<u32, u64>>,
    pub(crate) ledger: Mutex<Ledger>,
    /// How devices may access what is not device memory: `CUmemAccess_flags`.
    access: AtomicU32,
    /// How the host may access managed memory, which it can whatever this says.
    pub(crate) host_access: AtomicU32,
    /// The other devices that may access the memory of a device.
    peers: Mutex<Vec<CUdevice>>,
}

#[derive(Debug)]
enum Origin {
    /// The driver's own, of some place.
    Default,
    Created,
    /// The program's, of memory that other processes can get.
    Shareable(HipPool),
    /// Another process's.
    Imported(HipPool),
}

/// What an allocation of a pool has to do with it.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) pool: Arc<Pool>,
    /// Its place there; none of what another process's pool counts.
    taken: Option<Taken>,
}

/// Pools with handles in which memory was freed since the program has waited for it.
static WAITING: Mutex<Vec<Arc<Pool>>> = Mutex::new(Vec::new());

static POOLS: LazyLock<HandleTable<Pool>> = LazyLock::new(|| HandleTable::new(Kind::POOL));

/// The default and the current pool of each place.
static OF_PLACES: LazyLock<Mutex<FxHashMap<Place, [Arc<Pool>; 2]>>> = LazyLock::new(Mutex::default);

impl FromC<CUmemoryPool> for Arc<Pool> {
    unsafe fn from_c(handle: CUmemoryPool) -> CUres<Self> {
        POOLS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

/// Makes a memory pool of a place, whose memory other processes can get by handles of these types. `maximum`: its size in
/// bytes, 0 for no limit.
pub(crate) fn create(
    place: Place,
    handle_types: CUmemAllocationHandleType,
    maximum: u64,
) -> CUres<Arc<Pool>> {
    let origin = match handle_types {
        CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE => Origin::Created,
        _ => Origin::Shareable(HipPool::new(place.to_hip()?, handle_types)?),
    };
    enter(place, handle_types, origin, maximum)
}

/// The pool of another process with this descriptor.
pub(crate) fn import(descriptor: usize, types: CUmemAllocationHandleType) -> CUres<Arc<Pool>> {
    let hip = HipPool::import(descriptor, types)?;
    let place = Place::of_hip(hip.location()?)?;
    enter(place, types, Origin::Imported(hip), 0)
}

fn enter(
    place: Place,
    handle_types: CUmemAllocationHandleType,
    origin: Origin,
    maximum: u64,
) -> CUres<Arc<Pool>> {
    let pool = Arc::new(Pool {
        place,
        origin,
        handle_types,
        handle: OnceLock::new(),
        attributes: Mutex::default(),
        ledger: Mutex::new(Ledger::new(maximum)),
        access: AtomicU32::new(0),
        host_access: AtomicU32::new(0),
        peers: Mutex::default(),
    });
    let handle = POOLS.insert(pool.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = pool.handle.set(handle);
    Ok(pool)
}

/// Ends a pool's handle; its memory lives on. `INVALID_VALUE` for a default pool, and for another process's whose memory
/// this one has.
pub(crate) fn destroy(pool: &Arc<Pool>) -> CUres {
    match pool.origin {
        Origin::Default => return Err(CUerror::INVALID_VALUE),
        Origin::Imported(_) if !super::of_pool(pool).is_empty() => {
            return Err(CUerror::INVALID_VALUE);
        }
        _ => {}
    }
    // Another thread may do the same.
    POOLS.remove(pool.handle() as u64).ok_or(CUerror::INVALID_VALUE)?;
    // Nobody can ask what it keeps any more.
    WAITING.lock().retain(|known| !Arc::ptr_eq(known, pool));
    // "If this is the current mempool for a device, the device's default pool becomes the current one."
    for [default, current] in OF_PLACES.lock().values_mut() {
        if Arc::ptr_eq(current, pool) {
            *current = default.clone();
        }
    }
    Ok(())
}

/// The default and the current pool of a device's own memory.
pub(crate) fn of_device(device: CUdevice) -> CUres<[Arc<Pool>; 2]> {
    driver()?.device(device)?;
    of_place(Place::of_device(device))
}

/// The default and the current pool of a place.
pub(crate) fn of_place(place: Place) -> CUres<[Arc<Pool>; 2]> {
    let mut pools = OF_PLACES.lock();
    if let Some(found) = pools.get(&place) {
        return Ok(found.clone());
    }
    let types = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE;
    let default = enter(place, types, Origin::Default, 0)?;
    let both = [default.clone(), default];
    pools.insert(place, both.clone());
    Ok(both)
}

/// Makes a pool the current one of its place; `INVALID_VALUE` for another process's.
pub(crate) fn set_current(pool: Arc<Pool>) -> CUres {
    pool.check_own()?;
    of_place(pool.place)?;
    let mut pools = OF_PLACES.lock();
    // Another thread may destroy it: it is the current one no more then, or not at all.
    if !pool.has_handle() {
        return Err(CUerror::INVALID_VALUE);
    }
    if let Some([_, current]) = pools.get_mut(&pool.place) {
        *current = pool;
    }
    Ok(())
}

/// The current pool of a device's own memory.
pub(crate) fn current_of_device(device: CUdevice) -> CUres<Arc<Pool>> {
    let place = Place::of_device(device);
    if let Some([_, current]) = OF_PLACES.lock().get(&place) {
        return Ok(current.clone());
    }
    let [_, current] = of_device(device)?;
    Ok(current)
}

impl Share {
    /// The memory of a place that was taken in a pool is there.
    pub(crate) fn new(pool: Arc<Pool>, taken: Taken) -> Share {
        pool.ledger.lock().settle(&taken);
        Share { pool, taken: Some(taken) }
    }

    /// Memory of another process's pool, which counts it.
    pub(crate) fn imported(pool: &Arc<Pool>) -> Share {
        Share { pool: pool.clone(), taken: None }
    }

    /// The memory goes back to the pool in a stream, whose handle that is; 0 where no stream orders it.
    pub(crate) fn give_back(&self, stream: u64) {
        let Some(taken) = &self.taken else { return };
        let is_first = self.pool.ledger.lock().give_back(taken, stream);
        if is_first {
            let mut waiting = WAITING.lock();
            // Nobody can ask what it keeps without one, and who ends it looks here afterwards.
            if self.pool.has_handle() {
                waiting.push(self.pool.clone());
            }
        }
    }
}

/// The pool of memory that begins at an address.
pub(crate) fn owner(address: u64) -> Option<Arc<Pool>> {
    let found = super::find(address).filter(|found| found.base == address)?;
    found.share.as_ref().map(|share| share.pool.clone())
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
    /// The memory that it gives.
    pub(crate) fn memory(&self) -> Memory {
        self.place.memory()
    }

    /// The provider's pool, of one whose memory processes share.
    pub(crate) fn hip(&self) -> Option<hipMemPool_t> {
        match &self.origin {
            Origin::Shareable(pool) | Origin::Imported(pool) => Some(pool.get()),
            Origin::Default | Origin::Created => None,
        }
    }

    /// `INVALID_VALUE` for another process's pool, in which memory can be imported and nothing else.
    pub(crate) fn check_own(&self) -> CUres {
        match self.origin {
            Origin::Imported(_) => Err(CUerror::INVALID_VALUE),
            _ => Ok(()),
        }
    }

    /// Another process's pool; `INVALID_VALUE` for any other.
    pub(crate) fn check_imported(&self) -> CUres<hipMemPool_t> {
        match &self.origin {
            Origin::Imported(pool) => Ok(pool.get()),
            _ => Err(CUerror::INVALID_VALUE),
        }
    }

    /// Whether a device may access the pool's device memory.
    pub(crate) fn is_accessible_from(&self, device: CUdevice) -> bool {
        self.place.device() == Some(device) || self.peers.lock().contains(&device)
    }

    /// Lets another device access the pool's device memory, or no more.
    pub(crate) fn set_peer(&self, device: CUdevice, may_access: bool) {
        let mut peers = self.peers.lock();
        peers.retain(|peer| *peer != device);
        if may_access {
            peers.push(device);
        }
    }

    /// How devices may access memory that is none of theirs.
    pub(crate) fn access(&self) -> CUmemAccess_flags {
        CUmemAccess_flags(self.access.load(Ordering::Acquire))
    }

    /// Whether devices may access such memory.
    pub(crate) fn is_accessible(&self) -> bool {
        self.access() != CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE
    }

    /// Lets devices access the pool's host or managed memory so from now on, that which has been taken too.
    pub(crate) fn set_access(self: &Arc<Self>, flags: CUmemAccess_flags) {
        self.access.store(flags.0, Ordering::Release);
        if self.memory() != Memory::Host {
            return;
        }
        for allocation in super::of_pool(self) {
            allocation.is_absent.store(!self.is_accessible(), Ordering::Release);
        }
    }

    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`
    fn threshold(&self) -> u64 {
        self.attributes.lock().get(&RELEASE_THRESHOLD).copied().unwrap_or(0)
    }

    /// Whether the program's handle is one still.
    fn has_handle(&self) -> bool {
        POOLS.get(self.handle() as u64).is_some()
    }

    /// The program's handle.
    pub(crate) fn handle(&self) -> CUmemoryPool {
        self.handle.get().copied().unwrap_or(0) as CUmemoryPool
    }
}
