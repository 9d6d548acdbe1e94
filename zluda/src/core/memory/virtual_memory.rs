//! Virtual memory management: reservations of addresses, memory without an address, and what maps the one to the other.
//!
//! The provider does it; what programs may ask it for is checked here. A mapping is an allocation like others
//! ([`Kind::Mapped`]), of no context, and cannot be accessed before its access is set: it is absent.

use super::{ALLOCATIONS, Allocation, Kind, Owner, Source};
use crate::core::context::{Context, use_device};
use crate::core::device::driver::driver;
use crate::core::error::check;
use cuda_types::cuda::{
    CUdevice, CUerror, CUmemAccessDesc, CUmemAllocationHandleType as H,
    CUmemGenericAllocationHandle, CUmemLocation, CUres,
};
use hip_runtime_sys::{
    hipMemAccessDesc, hipMemAccessFlags, hipMemAllocationGranularity_flags,
    hipMemAllocationHandleType, hipMemAllocationProp, hipMemAllocationProp__bindgen_ty_1,
    hipMemAllocationProp__bindgen_ty_2, hipMemAllocationType, hipMemGenericAllocationHandle_t,
    hipMemLocation, hipMemLocationType,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind as HandleKind};

/// Memory without an address, which goes when neither a handle nor a mapping has it.
#[derive(Debug)]
pub(crate) struct Physical {
    hip: HipHandle,
    pub(crate) size: usize,
    pub(crate) properties: Properties,
    /// The handle, or 0, and how often it has to be released.
    handle: Mutex<(u64, usize)>,
}

/// The provider's handle.
#[derive(Debug)]
struct HipHandle(hipMemGenericAllocationHandle_t);

// SAFETY: HIP's handles may be used from any thread.
unsafe impl Send for HipHandle {}
// SAFETY: as above.
unsafe impl Sync for HipHandle {}

impl Drop for HipHandle {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the provider has given the handle, which nobody uses any more.
            let _ = unsafe { driver.hip.hipMemRelease(self.0) };
        }
    }
}

/// The properties that programs are told of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties {
    pub(crate) device: CUdevice,
    pub(crate) handle_types: H,
    pub(crate) rdma: u8,
}

/// What lies in a part of a reservation.
#[derive(Debug)]
pub(crate) struct Mapping {
    pub(crate) memory: Arc<Physical>,
    /// `CUmemAccess_flags` of each device.
    access: Mutex<BTreeMap<CUdevice, u32>>,
}

/// Reservations: sizes, by first address.
static RESERVATIONS: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

static HANDLES: LazyLock<HandleTable<Physical>> =
    LazyLock::new(|| HandleTable::new(HandleKind::MEMORY));

/// Mappings that can be read and not written. Few programs have any.
static READ_ONLY: AtomicUsize = AtomicUsize::new(0);

/// `CU_MEM_ACCESS_FLAGS_PROT_READ`
const READ: u32 = 1;

impl Properties {
    fn hip(&self) -> hipMemAllocationProp {
        hipMemAllocationProp {
            type_: hipMemAllocationType::hipMemAllocationTypePinned,
            __bindgen_anon_1: hipMemAllocationProp__bindgen_ty_1 {
                // The numbers are CUDA's, and file descriptors all that there is.
                requestedHandleTypes: hipMemAllocationHandleType(
                    self.handle_types.0 & H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0,
                ),
            },
            location: hip_location(self.device),
            win32HandleMetaData: null_mut(),
            allocFlags: hipMemAllocationProp__bindgen_ty_2 {
                compressionType: 0,
                gpuDirectRDMACapable: self.rdma,
                usage: 0,
            },
        }
    }
}

fn hip_location(device: CUdevice) -> hipMemLocation {
    // A number that is none is the provider's to refuse.
    let id = driver().and_then(|driver| driver.device(device)).map_or(device, |device| device.hip);
    hipMemLocation { type_: hipMemLocationType::hipMemLocationTypeDevice, id }
}

/// The unit of sizes and addresses for memory of such properties.
pub(crate) fn granularity(properties: &Properties, recommended: bool) -> CUres<usize> {
    let option = match recommended {
        false => hipMemAllocationGranularity_flags::hipMemAllocationGranularityMinimum,
        true => hipMemAllocationGranularity_flags::hipMemAllocationGranularityRecommended,
    };
    let mut size = 0;
    // SAFETY: both outlive the call.
    check(unsafe {
        driver()?.hip.hipMemGetAllocationGranularity(&mut size, &properties.hip(), option)
    })?;
    Ok(size.max(1))
}

/// Reserves addresses, at `hint` if they are free there.
pub(crate) fn reserve(size: usize, align: usize, hint: u64) -> CUres<u64> {
    let driver = driver()?;
    let mut address: *mut c_void = null_mut();
    // SAFETY: `address` outlives the call.
    check(unsafe {
        driver.hip.hipMemAddressReserve(&mut address, size, align, hint as *mut c_void, 0)
    })?;
    RESERVATIONS.lock().insert(address as u64, size);
    Ok(address as u64)
}

/// Ends a reservation; `INVALID_VALUE` unless it is a whole one in which nothing is mapped.
pub(crate) fn free(address: u64, size: usize) -> CUres {
    let mut reservations = RESERVATIONS.lock();
    if reservations.get(&address) != Some(&size) || has_mapping(address, size) {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: a reservation of the provider's, in which nothing lies.
    check(unsafe { driver()?.hip.hipMemAddressFree(address as *mut c_void, size) })?;
    reservations.remove(&address);
    Ok(())
}

/// Whether any allocation has a byte of a range in a reservation.
fn has_mapping(address: u64, size: usize) -> bool {
    let allocations = ALLOCATIONS.read();
    let last = allocations.range(..address + size as u64).next_back();
    last.is_some_and(|(base, allocation)| base + allocation.size as u64 > address)
}

/// The one of the reservations that holds an address: where it begins, and its size.
fn holding(reservations: &BTreeMap<u64, usize>, address: u64) -> Option<(u64, usize)> {
    let (base, size) = reservations.range(..=address).next_back()?;
    (address - base < *size as u64).then_some((*base, *size))
}

/// The reservation that holds an address: where it begins, and its size.
pub(crate) fn reservation(address: u64) -> Option<(u64, usize)> {
    holding(&RESERVATIONS.lock(), address)
}

/// Whether any byte of a range is reserved.
pub(crate) fn is_reserved(address: u64, size: usize) -> bool {
    let reservations = RESERVATIONS.lock();
    let last = reservations.range(..address.saturating_add(size as u64)).next_back();
    last.is_some_and(|(base, all)| base + *all as u64 > address)
}

/// Makes memory without an address; its handle.
pub(crate) fn create(size: usize, properties: Properties) -> CUres<CUmemGenericAllocationHandle> {
    let driver = driver()?;
    let mut hip = null_mut();
    // SAFETY: both outlive the call.
    check(unsafe { driver.hip.hipMemCreate(&mut hip, size, &properties.hip(), 0) })?;
    Physical { hip: HipHandle(hip), size, properties, handle: Mutex::new((0, 0)) }.into_handle()
}

/// Memory that this or another process has exported as a file descriptor, which the program closes.
pub(crate) fn import(
    descriptor: i32,
    properties: Properties,
) -> CUres<CUmemGenericAllocationHandle> {
    // An H100's driver says so of descriptors that are none.
    let size = crate::os::file_size(descriptor).ok_or(CUerror::UNKNOWN)?;
    let mut hip = null_mut();
    let kind = hipMemAllocationHandleType(properties.handle_types.0);
    // SAFETY: `hip` outlives the call.
    check(unsafe {
        let descriptor = descriptor as usize as *mut c_void;
        driver()?.hip.hipMemImportFromShareableHandle(&mut hip, descriptor, kind)
    })?;
    Physical { hip: HipHandle(hip), size, properties, handle: Mutex::new((0, 0)) }.into_handle()
}

/// The memory with this handle; `INVALID_VALUE` if there is none.
pub(crate) fn from_handle(handle: CUmemGenericAllocationHandle) -> CUres<Arc<Physical>> {
    HANDLES.get(handle).ok_or(CUerror::INVALID_VALUE)
}

impl Physical {
    fn into_handle(self) -> CUres<CUmemGenericAllocationHandle> {
        Arc::new(self).retain()
    }

    /// The handle, which has to be released once more.
    pub(crate) fn retain(self: &Arc<Self>) -> CUres<CUmemGenericAllocationHandle> {
        let mut handle = self.handle.lock();
        if handle.1 == 0 {
            handle.0 = HANDLES.insert(self.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
        }
        handle.1 += 1;
        Ok(handle.0)
    }

    /// Releases the handle once; `INVALID_VALUE` if it has ended already.
    pub(crate) fn release(&self) -> CUres {
        let mut handle = self.handle.lock();
        handle.1 = handle.1.checked_sub(1).ok_or(CUerror::INVALID_VALUE)?;
        if handle.1 == 0 {
            HANDLES.remove(handle.0);
        }
        Ok(())
    }

    /// A file descriptor of the memory for the program, which closes it.
    pub(crate) fn export(&self) -> CUres<i32> {
        let mut descriptor = -1;
        let kind = hipMemAllocationHandleType(self.properties.handle_types.0);
        // SAFETY: `descriptor` outlives the call; the handle is the provider's.
        check(unsafe {
            let to = (&raw mut descriptor).cast();
            driver()?.hip.hipMemExportToShareableHandle(to, self.hip.0, kind, 0)
        })?;
        Ok(descriptor)
    }
}

/// Maps memory to a part of a reservation, where nothing is mapped: all of it, as on an H100, which calls parts
/// `NOT_SUPPORTED`.
pub(crate) fn map(address: u64, size: usize, offset: usize, memory: Arc<Physical>) -> CUres {
    let unit = granularity(&memory.properties, false)?;
    let end = address.checked_add(size as u64).ok_or(CUerror::INVALID_VALUE)?;
    if size == 0 || !address.is_multiple_of(unit as u64) {
        return Err(CUerror::INVALID_VALUE);
    }
    let reservations = RESERVATIONS.lock();
    let around = holding(&reservations, address);
    let is_reserved = around.is_some_and(|(base, all)| end <= base + all as u64);
    if !is_reserved || has_mapping(address, size) {
        return Err(CUerror::INVALID_VALUE);
    }
    if offset != 0 || size != memory.size {
        return Err(CUerror::NOT_SUPPORTED);
    }
    // SAFETY: a part of a reservation of the provider's, in which nothing lies.
    check(unsafe { driver()?.hip.hipMemMap(address as *mut c_void, size, 0, memory.hip.0, 0) })?;
    let owner = Owner::Device(memory.properties.device);
    let mapping = Mapping { memory, access: Mutex::default() };
    super::insert_of(owner, address, 0, size, Kind::Mapped, Source::Mapping(mapping));
    Ok(())
}

/// The mappings that together are exactly this range; `INVALID_VALUE` if there are none.
fn exactly(address: u64, size: usize) -> CUres<Vec<Arc<Allocation>>> {
    let end = address.checked_add(size as u64).ok_or(CUerror::INVALID_VALUE)?;
    let allocations = ALLOCATIONS.read();
    let (mut next, mut found) = (address, Vec::new());
    while next < end {
        let mapping = allocations.get(&next).filter(|a| a.kind == Kind::Mapped);
        let mapping = mapping.ok_or(CUerror::INVALID_VALUE)?;
        next += mapping.size as u64;
        found.push(mapping.clone());
    }
    if next == end && size != 0 { Ok(found) } else { Err(CUerror::INVALID_VALUE) }
}

/// The mappings in a part of a reservation; `INVALID_VALUE` for other addresses, and where one lies in it in part only.
fn within(address: u64, size: usize) -> CUres<Vec<Arc<Allocation>>> {
    let end = address.checked_add(size as u64).ok_or(CUerror::INVALID_VALUE)?;
    let around = reservation(address).filter(|(base, all)| end <= base + *all as u64);
    if size == 0 || around.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    let allocations = ALLOCATIONS.read();
    let begins_inside = allocations
        .range(..address)
        .next_back()
        .is_none_or(|(base, before)| base + before.size as u64 <= address);
    let found: Vec<_> = allocations.range(address..end).map(|(_, found)| found.clone()).collect();
    let ends_inside = found.last().is_none_or(|last| last.base + last.size as u64 <= end);
    if begins_inside && ends_inside { Ok(found) } else { Err(CUerror::INVALID_VALUE) }
}

/// "The range must be the entire contiguous address range that was mapped to", and an H100 takes parts of a reservation
/// where nothing is mapped with it. Waits for all work.
pub(crate) fn unmap(address: u64, size: usize) -> CUres {
    let mappings = within(address, size)?;
    if mappings.is_empty() {
        return Ok(());
    }
    let driver = driver()?;
    let device = mappings.first().and_then(|first| first.mapping.as_ref());
    use_device(driver, device.map_or(0, |mapping| mapping.memory.properties.device));
    // New work finds nothing there while what there is goes on.
    {
        let mut allocations = ALLOCATIONS.write();
        let is_there = |mapping: &Arc<Allocation>| {
            allocations.get(&mapping.base).is_some_and(|found| Arc::ptr_eq(found, mapping))
        };
        // Another thread may do the same.
        if !mappings.iter().all(is_there) {
            return Err(CUerror::INVALID_VALUE);
        }
        for mapping in &mappings {
            allocations.remove(&mapping.base);
        }
    }
    // SAFETY: has no preconditions.
    let mut result = check(unsafe { driver.hip.hipDeviceSynchronize() });
    for mapping in mappings {
        // SAFETY: a mapping of the provider's.
        let unmap = || unsafe { driver.hip.hipMemUnmap(mapping.base as *mut c_void, mapping.size) };
        result = result.and_then(|()| check(unmap()));
        match result {
            Ok(()) => mapping.clear_access(),
            Err(_) => _ = ALLOCATIONS.write().insert(mapping.base, mapping),
        }
    }
    result
}

/// "The range must be a fully mapped address range containing all allocations created by cuMemMap / cuMemCreate."
pub(crate) fn set_access(address: u64, size: usize, descriptions: &[CUmemAccessDesc]) -> CUres {
    let mappings = exactly(address, size)?;
    let driver = driver()?;
    for description in descriptions {
        let device = description.location.id;
        use_device(driver, device);
        let hip = hipMemAccessDesc {
            location: hip_location(device),
            // The numbers are CUDA's.
            flags: hipMemAccessFlags(description.flags.0),
        };
        // SAFETY: the range is one of mappings of the provider's; `hip` outlives the call.
        check(unsafe { driver.hip.hipMemSetAccess(address as *mut c_void, size, &hip, 1) })?;
        for allocation in &mappings {
            allocation.change_access(|access| _ = access.insert(device, description.flags.0));
        }
    }
    Ok(())
}

impl Mapping {
    /// How a device can access the memory.
    pub(crate) fn access_of(&self, device: CUdevice) -> u32 {
        self.access.lock().get(&device).copied().unwrap_or(0)
    }

    /// How the memory's own device can.
    pub(crate) fn own_access(&self) -> u32 {
        self.access_of(self.memory.properties.device)
    }

    /// How some device can: what one may do, the host does for all.
    fn widest(&self) -> u32 {
        self.access.lock().values().copied().max().unwrap_or(0)
    }
}

impl Allocation {
    fn clear_access(&self) {
        self.change_access(BTreeMap::clear);
    }

    /// Notes how devices can access a mapping from now on.
    fn change_access(&self, change: impl FnOnce(&mut BTreeMap<CUdevice, u32>)) {
        let Some(mapping) = &self.mapping else { return };
        let before = mapping.widest();
        change(&mut mapping.access.lock());
        let flags = mapping.widest();
        match (before == READ, flags == READ) {
            (false, true) => _ = READ_ONLY.fetch_add(1, Ordering::AcqRel),
            (true, false) => _ = READ_ONLY.fetch_sub(1, Ordering::AcqRel),
            _ => {}
        }
        self.is_absent.store(flags == 0, Ordering::Release);
    }
}

/// How a device can access a mapping; `INVALID_VALUE` where no memory is. Other memory has no access that could be set.
pub(crate) fn access(address: u64, location: CUmemLocation) -> CUres<u64> {
    let allocation = super::find(address).ok_or(CUerror::INVALID_VALUE)?;
    let Some(mapping) = &allocation.mapping else { return Ok(0) };
    Ok(mapping.access_of(location.id).into())
}

/// Whether a device can access a mapping.
pub(super) fn is_accessible_from(allocation: &Allocation, device: CUdevice) -> bool {
    allocation.mapping.as_ref().is_none_or(|mapping| mapping.access_of(device) != 0)
}

/// `INVALID_VALUE` where a mapping lies at an address that a context's device cannot access.
pub(crate) fn check_mapped(context: &Context, address: u64) -> CUres {
    match super::find(address) {
        Some(found) if !is_accessible_from(&found, context.device) => Err(CUerror::INVALID_VALUE),
        _ => Ok(()),
    }
}

/// The memory that is mapped at an address; `INVALID_VALUE` if there is none.
pub(crate) fn at(address: u64) -> CUres<Arc<Physical>> {
    let allocation = super::find(address).ok_or(CUerror::INVALID_VALUE)?;
    Ok(allocation.mapping.as_ref().ok_or(CUerror::INVALID_VALUE)?.memory.clone())
}

/// `INVALID_VALUE` where the range has memory that can only be read: what the host does for the device would fault.
pub(crate) fn check_writable(address: u64, size: usize) -> CUres {
    if READ_ONLY.load(Ordering::Acquire) == 0 || size == 0 {
        return Ok(());
    }
    let end = address.saturating_add(size as u64);
    let allocations = ALLOCATIONS.read();
    let first = allocations.range(..=address).next_back().map_or(address, |(base, _)| *base);
    let mut touched = allocations.range(first..end).map(|(_, allocation)| allocation);
    let is_read_only = |allocation: &Arc<Allocation>| {
        allocation.contains_any(address, end)
            && allocation.mapping.as_ref().is_some_and(|mapping| mapping.widest() == READ)
    };
    if touched.any(is_read_only) { Err(CUerror::INVALID_VALUE) } else { Ok(()) }
}
