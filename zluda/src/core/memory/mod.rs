//! Memory: what has been allocated, and to whom it belongs.
//!
//! The driver keeps its own map of all allocations, so that addresses are checked before anything
//! touches them, and questions about pointers have the same answers on every provider.

pub(crate) mod external;
pub(crate) mod graph_memory;
pub(crate) mod hints;
pub(crate) mod ipc;
pub(crate) mod pool;
pub(crate) mod pool_export;
pub(crate) mod pool_ledger;
pub(crate) mod variable;
pub(crate) mod virtual_memory;

use crate::core::context::{self, Alive, Context, Current};
use crate::core::device::driver::driver;
use crate::core::error::check;
use cuda_types::cuda::{CU_MEMHOSTREGISTER_READ_ONLY, CUdevice, CUdeviceptr, CUerror, CUres};
use hints::Hints;
use hip_runtime_sys::{
    HipRuntime, hipError_t, hipHostMallocCoherent, hipMemAttachGlobal, hipStream_t,
};
use parking_lot::{Mutex, RwLock};
use pool::{Pool, Share};
use pool_ledger::Taken;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use virtual_memory::Mapping;
use zluda_api::driver::ProviderKind;

/// The origin of an allocation, which says how it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Device,
    Managed,
    /// `cuMemHostAlloc`, with its flags.
    Host(u32),
    /// `cuMemHostRegister`, with its flags.
    Registered(u32),
    /// Stream-ordered, from a memory pool of such memory.
    Pool(Memory),
    /// Memory of another process, opened by its handle.
    Opened,
    /// A part of memory of another interface.
    External,
    /// The variables of a module; goes with it.
    Module,
    /// Memory that is mapped to reserved addresses. Its context, if any, does not matter.
    Mapped,
    /// Of nodes of graphs: it is there while such a node has allocated it, and goes with the graphs. No host memory.
    Graph(Memory),
}

/// Memory that pools give, and nodes of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    Device,
    Host,
    Managed,
}

/// Whose memory it is.
#[derive(Clone, Debug)]
pub(crate) enum Owner {
    /// It goes with the context.
    Context(Arc<Context>),
    Device(CUdevice),
}

#[derive(Debug)]
pub(crate) struct Allocation {
    /// The address for kernels.
    pub(crate) base: u64,
    /// The address for the host; null for device memory.
    pub(crate) host: u64,
    pub(crate) size: usize,
    pub(crate) kind: Kind,
    owner: Owner,
    /// The memory that lies there, of a mapping.
    pub(crate) mapping: Option<Mapping>,
    /// Its part in a pool, of memory that was taken from one.
    pub(crate) share: Option<Share>,
    /// What the program has said about the use of managed memory.
    pub(crate) hints: Mutex<Hints>,
    /// A number that no other allocation of the process has had.
    pub(crate) id: u64,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`
    pub(crate) sync_memops: AtomicI32,
    /// Memory of a graph that is not allocated now, or a mapping that cannot be accessed.
    pub(crate) is_absent: AtomicBool,
}

/// All allocations, by base address. Registered host memory that lies elsewhere for the device is there
/// twice.
static ALLOCATIONS: RwLock<BTreeMap<u64, Arc<Allocation>>> = RwLock::new(BTreeMap::new());

impl Allocation {
    fn new(
        owner: Owner,
        base: u64,
        host: u64,
        size: usize,
        kind: Kind,
        source: Source,
    ) -> Allocation {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        // As an H100 tells programs.
        let is_synchronized = match kind {
            Kind::Managed | Kind::Pool(Memory::Managed) | Kind::Graph(Memory::Managed) => true,
            Kind::Mapped => false,
            _ => host == 0,
        };
        let (mapping, share) = match source {
            Source::Own => (None, None),
            Source::Mapping(mapping) => (Some(mapping), None),
            Source::Pool(share) => (None, Some(share)),
        };
        Allocation {
            base,
            host,
            size,
            kind,
            owner,
            mapping,
            share,
            hints: Mutex::default(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            sync_memops: AtomicI32::new(i32::from(is_synchronized)),
            is_absent: AtomicBool::new(matches!(kind, Kind::Graph(_) | Kind::Mapped)),
        }
    }

    fn contains(&self, address: u64) -> bool {
        address >= self.base && address - self.base < self.size as u64
    }

    /// Whether it has any byte from `start` to before `end`.
    fn contains_any(&self, start: u64, end: u64) -> bool {
        self.base < end && self.base + self.size as u64 > start
    }

    /// The context that the memory goes with.
    pub(crate) fn context(&self) -> Option<&Arc<Context>> {
        match &self.owner {
            Owner::Context(context) => Some(context),
            Owner::Device(_) => None,
        }
    }

    /// The device that the memory is of.
    pub(crate) fn device(&self) -> CUdevice {
        match &self.owner {
            Owner::Context(context) => context.device,
            Owner::Device(device) => *device,
        }
    }

    /// Whether it is host memory, allocated or registered.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.kind, Kind::Host(_) | Kind::Registered(_) | Kind::Pool(Memory::Host))
    }

    /// Whether kernels of a context may access it, as far as its device decides that.
    pub(crate) fn is_accessible_in(&self, context: &Context) -> bool {
        match self.kind {
            Kind::Device | Kind::Module | Kind::Graph(Memory::Device) => {
                context.may_access(self.device(), self.context())
            }
            Kind::Pool(Memory::Device) => {
                let device = context.device;
                device == self.device()
                    || self.share.as_ref().is_some_and(|s| s.pool.is_accessible_from(device))
            }
            Kind::Mapped => virtual_memory::is_accessible_from(self, context.device),
            _ => true,
        }
    }

    /// Whether it is managed memory.
    pub(crate) fn is_managed(&self) -> bool {
        matches!(
            self.kind,
            Kind::Managed | Kind::Pool(Memory::Managed) | Kind::Graph(Memory::Managed)
        )
    }

    /// Whether it is memory of a pool that devices may not access.
    pub(crate) fn is_of_host_alone(&self) -> bool {
        self.kind == Kind::Pool(Memory::Host) && self.is_absent.load(Ordering::Acquire)
    }
}

/// Enters an allocation that the provider has just made in a context, which was alive before: its end takes all memory
/// that is known then.
fn insert(alive: &Alive, base: u64, host: u64, size: usize, kind: Kind) -> Arc<Allocation> {
    insert_of(Owner::Context(alive.context.clone()), base, host, size, kind, Source::Own)
}

/// Where the memory of an allocation comes from.
pub(crate) enum Source {
    /// It was made for the allocation.
    Own,
    Mapping(Mapping),
    Pool(Share),
}

/// As [`insert`], for an owner that may be no context.
fn insert_of(
    owner: Owner,
    base: u64,
    host: u64,
    size: usize,
    kind: Kind,
    source: Source,
) -> Arc<Allocation> {
    let allocation = Arc::new(Allocation::new(owner, base, host, size, kind, source));
    ALLOCATIONS.write().insert(base, allocation.clone());
    allocation
}

/// Enters memory of a pool.
fn insert_share(owner: Owner, share: Share, base: u64, host: u64, size: usize) {
    let memory = share.pool.memory();
    // Who changes whether devices may access it looks through what is known: it is, before anybody asks here.
    let pool = (memory == Memory::Host).then(|| share.pool.clone());
    let (kind, source) = (Kind::Pool(memory), Source::Pool(share));
    let allocation = Arc::new(Allocation::new(owner, base, host, size, kind, source));
    let Some(pool) = pool else {
        ALLOCATIONS.write().insert(base, allocation);
        return;
    };
    ALLOCATIONS.write().insert(base, allocation.clone());
    allocation.is_absent.store(!pool.is_accessible(), Ordering::Release);
}

/// The allocation that holds this address.
pub(crate) fn find(address: u64) -> Option<Arc<Allocation>> {
    let allocations = ALLOCATIONS.read();
    let (_, allocation) = allocations.range(..=address).next_back()?;
    allocation.contains(address).then(|| allocation.clone())
}

/// The allocations of a pool.
fn of_pool(pool: &Arc<Pool>) -> Vec<Arc<Allocation>> {
    let is_of_pool = |allocation: &&Arc<Allocation>| {
        allocation.share.as_ref().is_some_and(|share| Arc::ptr_eq(&share.pool, pool))
    };
    ALLOCATIONS.read().values().filter(is_of_pool).cloned().collect()
}

/// The allocation with this host address.
pub(crate) fn find_host(address: u64) -> Option<Arc<Allocation>> {
    // Host and device addresses are nearly always the same.
    if let Some(found) = find(address).filter(|found| found.host != 0) {
        return Some(found);
    }
    let allocations = ALLOCATIONS.read();
    allocations
        .values()
        .find(|a| a.host != 0 && address >= a.host && address - a.host < a.size as u64)
        .cloned()
}

/// The current context, or, where there is none, that of an allocation: what frees memory asks for no context.
pub(crate) fn current_or_owner(address: u64) -> CUres<Current> {
    let none = match context::current() {
        Err(error @ CUerror::INVALID_CONTEXT) => error,
        current => return current,
    };
    let found = find(address).or_else(|| find_host(address)).ok_or(none)?;
    match &found.owner {
        Owner::Context(context) => context::enter(context),
        Owner::Device(_) => Err(none),
    }
}

/// The time at which memory has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    Now,
    /// At the time when a node of a graph uses it, which may have been allocated by then.
    Later,
}

/// `INVALID_VALUE` unless one allocation, or mappings side by side, hold the whole range.
pub(crate) fn check_range(address: u64, size: usize) -> CUres {
    check_range_by(Rules::Now, address, size)
}

/// As [`check_range`], for memory that has to be there at the time that `rules` says.
pub(crate) fn check_range_by(rules: Rules, address: u64, size: usize) -> CUres {
    if size == 0 {
        return Ok(());
    }
    let allocations = ALLOCATIONS.read();
    let (mut address, mut size, mut is_first) = (address, size, true);
    loop {
        let (_, allocation) =
            allocations.range(..=address).next_back().ok_or(CUerror::INVALID_VALUE)?;
        let offset = (address - allocation.base) as usize;
        let is_there = rules == Rules::Later || !allocation.is_absent.load(Ordering::Acquire);
        let is_mapped = allocation.kind == Kind::Mapped;
        if !is_there || offset >= allocation.size || !(is_first || is_mapped) {
            return Err(CUerror::INVALID_VALUE);
        }
        let left = allocation.size - offset;
        if size <= left {
            return Ok(());
        }
        // Mappings side by side are one range.
        if !is_mapped {
            return Err(CUerror::INVALID_VALUE);
        }
        (address, size, is_first) = (address + left as u64, size - left, false);
    }
}

/// `INVALID_VALUE` where kernels of a context may not access the memory at an address, which is there.
pub(crate) fn check_accessible(context: &Context, address: u64) -> CUres {
    match find(address) {
        Some(found) if !found.is_accessible_in(context) => Err(CUerror::INVALID_VALUE),
        _ => Ok(()),
    }
}

/// Device memory.
pub(crate) fn allocate(current: &Current, size: usize, kind: Kind) -> CUres<Arc<Allocation>> {
    let alive = current.context.keep_alive()?;
    let mut address: *mut c_void = null_mut();
    // SAFETY: `address` outlives the call.
    current.check(unsafe { current.driver.hip.hipMalloc(&mut address, size) })?;
    Ok(insert(&alive, address as u64, 0, size, kind))
}

/// Memory for a module's variables, some of which the host may use at the same address.
pub(crate) fn allocate_variables(
    current: &Current,
    size: usize,
    are_managed: bool,
) -> CUres<Arc<Allocation>> {
    if !are_managed {
        return allocate(current, size, Kind::Module);
    }
    let alive = current.context.keep_alive()?;
    let mut address: *mut c_void = null_mut();
    let hip = &current.driver.hip;
    // SAFETY: `address` outlives the call.
    current.check(unsafe { hip.hipMallocManaged(&mut address, size, hipMemAttachGlobal) })?;
    // Only the variables that are managed are so for programs.
    Ok(insert(&alive, address as u64, 0, size, Kind::Module))
}

/// Memory that both the host and devices use at the same address.
pub(crate) fn allocate_managed(
    current: &Current,
    size: usize,
    kind: Kind,
) -> CUres<Arc<Allocation>> {
    let alive = current.context.keep_alive()?;
    let mut address: *mut c_void = null_mut();
    let hip = &current.driver.hip;
    // Whose memory it is at first is a hint.
    // SAFETY: `address` outlives the call.
    current.check(unsafe { hip.hipMallocManaged(&mut address, size, hipMemAttachGlobal) })?;
    Ok(insert(&alive, address as u64, address as u64, size, kind))
}

/// Host memory that devices can use.
pub(crate) fn allocate_host(current: &Current, size: usize, flags: u32) -> CUres<Arc<Allocation>> {
    let alive = current.context.keep_alive()?;
    let hip = &current.driver.hip;
    let mut address: *mut c_void = null_mut();
    // CUDA's flags have HIP's values, and its host memory is coherent while kernels run. HIP's is so only where
    // one asks for it.
    let hip_flags = flags | hipHostMallocCoherent;
    // SAFETY: `address` outlives the call.
    current.check(unsafe { hip.hipHostMalloc(&mut address, size, hip_flags) })?;
    let base = device_address(current, address);
    Ok(insert(&alive, base, address as u64, size, Kind::Host(flags)))
}

/// Lets devices use memory of the program.
pub(crate) fn register_host(
    current: &Current,
    address: *mut c_void,
    size: usize,
    flags: u32,
) -> CUres {
    // The provider's devices may find out only when they use it.
    if !crate::os::is_readable(address as u64, size) {
        return Err(CUerror::INVALID_VALUE);
    }
    let end = address as u64 + size as u64;
    if let Some((_, last)) = ALLOCATIONS.read().range(..end).next_back()
        && last.base + last.size as u64 > address as u64
    {
        // Only what the program has registered itself is so already: an H200 refuses memory of cuMemHostAlloc as no
        // memory of the program.
        return Err(match last.kind {
            Kind::Registered(_) => CUerror::HOST_MEMORY_ALREADY_REGISTERED,
            _ => CUerror::INVALID_VALUE,
        });
    }
    let alive = current.context.keep_alive()?;
    // That devices only read is a hint, and HIP has had other flags of this number.
    let hip_flags = flags & !CU_MEMHOSTREGISTER_READ_ONLY;
    // SAFETY: the provider checks the range.
    current.check(unsafe { current.driver.hip.hipHostRegister(address, size, hip_flags) })?;
    let base = device_address(current, address);
    insert(&alive, base, address as u64, size, Kind::Registered(flags));
    Ok(())
}

fn device_address(current: &Current, host: *mut c_void) -> u64 {
    let mut device: *mut c_void = null_mut();
    // SAFETY: `device` outlives the call.
    match check(unsafe { current.driver.hip.hipHostGetDevicePointer(&mut device, host, 0) }) {
        Ok(()) if !device.is_null() => device as u64,
        _ => host as u64,
    }
}

/// Stream-ordered memory of a pool, for which a place was taken there; returns its address. The place is given back where there
/// is no memory.
pub(crate) fn allocate_async(
    current: &Current,
    pool: Arc<Pool>,
    taken: Taken,
    size: usize,
    stream: hipStream_t,
) -> CUres<u64> {
    let alive = current.context.keep_alive();
    let made = alive.and_then(|alive| Ok((alive, place_async(current, &pool, size, stream)?)));
    let (alive, address) = made.inspect_err(|_| pool.ledger.lock().leave(&taken))?;
    let (memory, is_shareable) = (pool.memory(), pool.hip().is_some());
    let owner = match is_shareable || memory == Memory::Device {
        true => pool_export::owner_of(&alive, &pool),
        // It is of no context.
        false => Owner::Device(current.context.device),
    };
    let (base, host) = match memory {
        Memory::Device => (address as u64, 0),
        _ if is_shareable => (address as u64, pool_export::host_address(memory, address as u64)),
        Memory::Host => (device_address(current, address), address as u64),
        Memory::Managed => (address as u64, address as u64),
    };
    insert_share(owner, Share::new(pool, taken), base, host, size);
    Ok(base)
}

/// The provider's memory for an allocation of a pool.
fn place_async(
    current: &Current,
    pool: &Pool,
    size: usize,
    stream: hipStream_t,
) -> CUres<*mut c_void> {
    let hip = &current.driver.hip;
    let mut address: *mut c_void = null_mut();
    let memory = pool.memory();
    // SAFETY: `address` outlives the calls; the stream has been checked; the pool is the provider's.
    current.check(unsafe {
        match (pool.hip(), memory) {
            (Some(hip_pool), _) => hip.hipMallocFromPoolAsync(&mut address, size, hip_pool, stream),
            (None, Memory::Host) => hip.hipHostMalloc(&mut address, size, hipHostMallocCoherent),
            (None, Memory::Managed) => hip.hipMallocManaged(&mut address, size, hipMemAttachGlobal),
            (None, Memory::Device) => match hip.hipMallocAsync(&mut address, size, stream) {
                // Some GPUs and systems have no pools.
                hipError_t::hipErrorNotSupported => hip.hipMalloc(&mut address, size),
                error => error,
            },
        }
    })?;
    Ok(address)
}

/// Takes the allocation with this base out of the map, if `accept` says so; `INVALID_VALUE` otherwise.
fn take(base: u64, accept: impl FnOnce(&Allocation) -> bool) -> CUres<Arc<Allocation>> {
    match ALLOCATIONS.write().entry(base) {
        Entry::Occupied(found) if accept(found.get()) => Ok(found.remove()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// Frees device or managed memory; `INVALID_VALUE` unless `address` is the beginning of some.
pub(crate) fn free(current: &Current, address: CUdeviceptr) -> CUres {
    let found = take(address, |a| {
        matches!(a.kind, Kind::Device | Kind::Managed | Kind::Pool(_) | Kind::External)
    });
    match found {
        Ok(allocation) => current.check(release(&allocation)?),
        Err(_) if is_of_graph(address) => graph_memory::free(address),
        Err(error) => Err(error),
    }
}

/// Frees memory in the order of a stream.
pub(crate) fn free_async(current: &Current, address: CUdeviceptr, stream: hipStream_t) -> CUres {
    let found = take(address, |a| matches!(a.kind, Kind::Device | Kind::Pool(_)));
    let allocation = match found {
        Ok(allocation) => allocation,
        // What comes later in streams may use it again, but only after a node has allocated it in their order.
        Err(_) if is_of_graph(address) => return graph_memory::free(address),
        Err(error) => return Err(error),
    };
    // A pool may end with the last of its memory: the allocation holds it.
    if let Some(share) = &allocation.share {
        share.give_back(stream as u64);
    }
    let hip = &current.driver.hip;
    // What frees memory of the host in stream order is this project's provider, where both are one.
    let is_ordered = match allocation.kind {
        Kind::Pool(Memory::Device) => true,
        Kind::Pool(_) => current.driver.provider != ProviderKind::Rocm,
        _ => false,
    };
    let pointer = allocation.base as *mut c_void;
    // SAFETY: the allocation was in the map, so the provider knows it; the stream has been checked.
    current.check(unsafe {
        let error = match is_ordered {
            true => hip.hipFreeAsync(pointer, stream),
            false => hipError_t::hipErrorNotSupported,
        };
        match error {
            // The provider waits for whatever uses the memory.
            hipError_t::hipErrorNotSupported => give_to_provider(hip, &allocation),
            error => error,
        }
    })
}

/// Frees host memory of [`allocate_host`]; `INVALID_VALUE` unless `address` is the beginning of some.
pub(crate) fn free_host(current: &Current, address: *mut c_void) -> CUres {
    let found = find_host(address as u64)
        .filter(|a| a.host == address as u64)
        .ok_or(CUerror::INVALID_VALUE)?;
    let allocation = take(found.base, |a| matches!(a.kind, Kind::Host(_)))?;
    current.check(release(&allocation)?)
}

/// Ends a registration; `HOST_MEMORY_NOT_REGISTERED` if there is none that begins there.
pub(crate) fn unregister_host(current: &Current, address: *mut c_void) -> CUres {
    let error = CUerror::HOST_MEMORY_NOT_REGISTERED;
    let found = find_host(address as u64).ok_or(error)?;
    // Of memory that was allocated here, and of a place inside, an H100 says INVALID_VALUE.
    if found.host != address as u64 {
        return Err(CUerror::INVALID_VALUE);
    }
    let allocation = take(found.base, |a| matches!(a.kind, Kind::Registered(_)))?;
    current.check(release(&allocation)?)
}

fn is_of_graph(address: u64) -> bool {
    find(address).is_some_and(|found| matches!(found.kind, Kind::Graph(_)) && found.base == address)
}

/// The graphs of this memory are gone: it goes too, or, if it is allocated, becomes like any other.
pub(crate) fn leave_graph(allocation: &Arc<Allocation>) {
    let mut allocations = ALLOCATIONS.write();
    let is_there = !allocation.is_absent.load(Ordering::Acquire);
    let is_known =
        allocations.get(&allocation.base).is_some_and(|known| Arc::ptr_eq(known, allocation));
    // Contexts take their memory with them.
    if !is_known {
        return;
    }
    if is_there {
        let Allocation { base, host, size, id, .. } = **allocation;
        let plain = Allocation {
            base,
            host,
            size,
            kind: match allocation.kind {
                // Unlike other managed memory it may be freed in the order of a stream.
                Kind::Graph(Memory::Managed) => Kind::Pool(Memory::Managed),
                _ => Kind::Device,
            },
            owner: allocation.owner.clone(),
            mapping: None,
            share: None,
            hints: Mutex::default(),
            id,
            sync_memops: AtomicI32::new(allocation.sync_memops.load(Ordering::Relaxed)),
            is_absent: AtomicBool::new(false),
        };
        allocations.insert(base, Arc::new(plain));
    } else {
        allocations.remove(&allocation.base);
        drop(allocations);
        let _ = release(allocation);
    }
}

/// Frees the variables of a module.
pub(crate) fn free_module(base: u64) {
    if let Ok(allocation) = take(base, |a| a.kind == Kind::Module) {
        variable::remove_all(base, allocation.size);
        let _ = release(&allocation);
    }
}

/// Gives an allocation that is no longer in the map back to the provider.
fn release(allocation: &Allocation) -> CUres<hipError_t> {
    let hip = &driver()?.hip;
    if let Some(share) = &allocation.share {
        share.give_back(0);
    }
    // SAFETY: the allocation was in the map, so the provider knows it, and nobody else frees it.
    Ok(unsafe { give_to_provider(hip, allocation) })
}

/// Frees memory, which waits for whatever uses it.
///
/// # Safety
/// The provider knows the memory, and nobody else frees it.
unsafe fn give_to_provider(hip: &HipRuntime, allocation: &Allocation) -> hipError_t {
    let (base, host) = (allocation.base as *mut c_void, allocation.host as *mut c_void);
    // SAFETY: the caller says so.
    unsafe {
        match allocation.kind {
            Kind::Device
            | Kind::Managed
            | Kind::Pool(Memory::Device | Memory::Managed)
            | Kind::External
            | Kind::Module
            | Kind::Graph(_) => hip.hipFree(base),
            Kind::Pool(Memory::Host) => match hip.hipHostFree(host) {
                // What processes share is a device's to the provider.
                hipError_t::hipErrorInvalidValue => hip.hipFree(base),
                error => error,
            },
            Kind::Host(_) => hip.hipHostFree(host),
            Kind::Registered(_) => hip.hipHostUnregister(host),
            Kind::Opened => hip.hipIpcCloseMemHandle(base),
            // It is unmapped, not freed.
            Kind::Mapped => hipError_t::hipSuccess,
        }
    }
}

/// Frees everything that belongs to a context.
pub(crate) fn end_context(context: u64) {
    ipc::end_context(context);
    let mut ended = Vec::new();
    ALLOCATIONS.write().retain(|_, allocation| {
        let keep = allocation.context().is_none_or(|owner| owner.id() != context);
        if !keep {
            ended.push(allocation.clone());
        }
        keep
    });
    for allocation in ended {
        let _ = release(&allocation);
    }
}
