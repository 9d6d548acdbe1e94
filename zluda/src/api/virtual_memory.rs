//! Virtual memory management.

use crate::convert::{In, Out};
use crate::core::device::driver::driver;
use crate::core::memory::virtual_memory::{self, Properties};
use cuda_types::cuda::{
    CU_MEM_CREATE_USAGE_HW_DECOMPRESS, CU_MEM_CREATE_USAGE_TILE_POOL, CUdeviceptr, CUerror,
    CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags,
    CUmemAllocationHandleType as H, CUmemAllocationProp, CUmemAllocationType,
    CUmemGenericAllocationHandle, CUmemLocation, CUmemLocationType, CUres,
};
use std::ffi::{c_int, c_ulonglong, c_void};

/// The host's pages, in bytes.
const PAGE: u64 = 4 << 10;

/// What memory of the first device has that nothing was asked of.
const PLAIN: Properties =
    Properties { device: 0, handle_types: H::CU_MEM_HANDLE_TYPE_NONE, rdma: 0 };

/// There are fewer places than this that memory can be accessed from. A program that passes more has passed a wrong
/// count.
const MOST_DESCRIPTIONS: usize = 1024;

/// `INVALID_DEVICE` for devices that are none, `NOT_SUPPORTED` where there is a place but no such memory.
fn check_location(location: CUmemLocation) -> CUres {
    match location.type_ {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => driver()?.device(location.id).map(drop),
        CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
        | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA
        | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Err(CUerror::NOT_SUPPORTED),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// File descriptors are the handles of this system, others those of another system or of fabrics. An H100 takes bits that
/// name none.
fn check_handle_types(types: H) -> CUres {
    let is = |kind: H| types.0 & kind.0 != 0;
    if is(H::CU_MEM_HANDLE_TYPE_WIN32) || is(H::CU_MEM_HANDLE_TYPE_WIN32_KMT) {
        return Err(CUerror::INVALID_VALUE);
    }
    let is_shared = is(H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if is(H::CU_MEM_HANDLE_TYPE_FABRIC) || is_shared && !driver()?.shares_memory() {
        return Err(CUerror::NOT_SUPPORTED);
    }
    Ok(())
}

fn check_properties(properties: &CUmemAllocationProp) -> CUres<Properties> {
    if properties.type_ != CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED {
        return Err(CUerror::INVALID_VALUE);
    }
    check_location(properties.location)?;
    check_handle_types(properties.requestedHandleTypes)?;
    // Whether memory is compressed is told by its properties: "allocations may not be granted" it.
    match u32::from(properties.allocFlags.usage) {
        0 => {}
        CU_MEM_CREATE_USAGE_TILE_POOL | CU_MEM_CREATE_USAGE_HW_DECOMPRESS => {
            return Err(CUerror::NOT_SUPPORTED);
        }
        _ => return Err(CUerror::INVALID_VALUE),
    }
    Ok(Properties {
        device: properties.location.id,
        handle_types: properties.requestedHandleTypes,
        rdma: properties.allocFlags.gpuDirectRDMACapable,
    })
}

pub(crate) fn cuMemGetAllocationGranularity(
    granularity: Out<usize>,
    properties: In<CUmemAllocationProp>,
    option: CUmemAllocationGranularity_flags,
) -> CUres {
    granularity.check()?;
    // An H100 has one granularity, for what it does not make too.
    let properties = properties.get()?;
    let device = driver()?.device(properties.location.id).map_or(0, |_| properties.location.id);
    let properties = Properties { device, ..PLAIN };
    let recommended = match option {
        CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM => false,
        CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED => true,
        _ => return Err(CUerror::INVALID_VALUE),
    };
    granularity.set(virtual_memory::granularity(&properties, recommended)?)
}

pub(crate) fn cuMemAddressReserve(
    pointer: Out<CUdeviceptr>,
    size: usize,
    alignment: usize,
    address: CUdeviceptr,
    flags: c_ulonglong,
) -> CUres {
    pointer.check()?;
    // "The size and address parameters must be a multiple of the host page size and the alignment must be a power of two
    // or zero for default alignment." An H100 wants sizes of its own large pages. "flags: Currently unused, must be zero"
    let unit = virtual_memory::granularity(&PLAIN, false)?;
    if flags != 0
        || size == 0
        || !size.is_multiple_of(unit)
        || !address.is_multiple_of(PAGE)
        || (alignment != 0 && !alignment.is_power_of_two())
    {
        return Err(CUerror::INVALID_VALUE);
    }
    pointer.set(virtual_memory::reserve(size, alignment, address)?)
}

pub(crate) fn cuMemAddressFree(pointer: CUdeviceptr, size: usize) -> CUres {
    virtual_memory::free(pointer, size)
}

pub(crate) fn cuMemCreate(
    handle: Out<CUmemGenericAllocationHandle>,
    size: usize,
    properties: In<CUmemAllocationProp>,
    flags: c_ulonglong,
) -> CUres {
    handle.check()?;
    let properties = check_properties(&properties.get()?)?;
    // "This parameter must be zero."
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    // "Size of the allocation requested. Must be a multiple of" the granularity.
    if size == 0 || !size.is_multiple_of(virtual_memory::granularity(&properties, false)?) {
        return Err(CUerror::INVALID_VALUE);
    }
    handle.set(virtual_memory::create(size, properties)?)
}

pub(crate) fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUres {
    virtual_memory::from_handle(handle)?.release()
}

pub(crate) fn cuMemMap(
    pointer: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: c_ulonglong,
) -> CUres {
    let memory = virtual_memory::from_handle(handle)?;
    // "flags: Currently must be zero."
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    virtual_memory::map(pointer, size, offset, memory)
}

pub(crate) fn cuMemUnmap(pointer: CUdeviceptr, size: usize) -> CUres {
    virtual_memory::unmap(pointer, size)
}

pub(crate) fn cuMemSetAccess(
    pointer: CUdeviceptr,
    size: usize,
    descriptions: In<CUmemAccessDesc>,
    count: usize,
) -> CUres {
    let descriptions = descriptions.array(count, MOST_DESCRIPTIONS)?;
    if descriptions.is_empty() {
        return Err(CUerror::INVALID_VALUE);
    }
    for description in &descriptions {
        // An H100 says so of devices that are none, but not where access is asked for.
        let is_device = |error| match error {
            CUerror::INVALID_DEVICE => CUerror::INVALID_VALUE,
            error => error,
        };
        check_location(description.location).map_err(is_device)?;
        match description.flags {
            CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE
            | CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ
            | CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE => {}
            _ => return Err(CUerror::INVALID_VALUE),
        }
    }
    virtual_memory::set_access(pointer, size, &descriptions)
}

pub(crate) fn cuMemGetAccess(
    flags: Out<c_ulonglong>,
    location: In<CUmemLocation>,
    pointer: CUdeviceptr,
) -> CUres {
    flags.check()?;
    let location = location.get()?;
    check_location(location)?;
    let access = virtual_memory::access(pointer, location);
    // Where something is reserved and nothing mapped, an H100 says that nothing can be accessed, and fails.
    if access.is_err() && virtual_memory::reservation(pointer).is_some() {
        flags.set(0)?;
    }
    flags.set(access?)
}

pub(crate) fn cuMemGetAllocationPropertiesFromHandle(
    properties: Out<CUmemAllocationProp>,
    handle: CUmemGenericAllocationHandle,
) -> CUres {
    properties.check()?;
    let memory = virtual_memory::from_handle(handle)?;
    // SAFETY: all zeros is a value of this structure.
    let mut answer: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    answer.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    answer.requestedHandleTypes = memory.properties.handle_types;
    answer.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    answer.location.id = memory.properties.device;
    answer.allocFlags.gpuDirectRDMACapable = memory.properties.rdma;
    properties.set(answer)
}

pub(crate) fn cuMemRetainAllocationHandle(
    handle: Out<CUmemGenericAllocationHandle>,
    address: *mut c_void,
) -> CUres {
    handle.check()?;
    handle.set(virtual_memory::at(address as u64)?.retain()?)
}

pub(crate) fn cuMemExportToShareableHandle(
    shared: Out<c_void>,
    handle: CUmemGenericAllocationHandle,
    kind: H,
    flags: c_ulonglong,
) -> CUres {
    shared.check()?;
    let memory = virtual_memory::from_handle(handle)?;
    // "requestedHandleTypes ... must be specified" when the memory is created. "flags: Reserved, must be zero"
    if flags != 0
        || kind != H::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        || memory.properties.handle_types != kind
    {
        return Err(CUerror::INVALID_VALUE);
    }
    shared.cast::<c_int>().set(memory.export()?)
}

pub(crate) fn cuMemImportFromShareableHandle(
    handle: Out<CUmemGenericAllocationHandle>,
    shared: *mut c_void,
    kind: H,
) -> CUres {
    handle.check()?;
    if kind == H::CU_MEM_HANDLE_TYPE_NONE {
        return Err(CUerror::INVALID_VALUE);
    }
    check_handle_types(kind)?;
    let descriptor = c_int::try_from(shared as usize).map_err(|_| CUerror::INVALID_VALUE)?;
    // A file does not say of which device it is: those that share memory are one.
    let properties = Properties { handle_types: kind, ..PLAIN };
    handle.set(virtual_memory::import(descriptor, properties)?)
}
