//! Virtual memory management: memory at reserved addresses is memory like any other, as long as it is mapped and its
//! access is set. Expected values are those of the manual.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUdeviceptr, CUfunction, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemGenericAllocationHandle as Handle,
    CUmemLocation, CUmemLocationType, CUmodule, CUpointer_attribute as A, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::MutexGuard;

const TEXT: &[u8] = b".version 8.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 to, .param .u32 value) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret; }
\0";

const INVALID: R = R::CUDA_ERROR_INVALID_VALUE;
const OK: R = R::CUDA_SUCCESS;
const UNIT: usize = 2 << 20;

struct Driver {
    library: Library,
    fill: CUfunction,
    _alone: MutexGuard<'static, ()>,
}

impl Driver {
    /// One at a time: tests count what memory is free, and break the context.
    fn new() -> Driver {
        let alone = common::alone();
        let library = common::driver();
        let (mut module, mut fill): (CUmodule, CUfunction) = (null_mut(), null_mut());
        assert_eq!(
            call!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()): (*mut CUmodule, *const c_void)),
            OK
        );
        assert_eq!(
            call!(library, cuModuleGetFunction(&mut fill, module, c"fill".as_ptr()): (*mut CUfunction, CUmodule, *const c_char)),
            OK
        );
        Driver { library, fill, _alone: alone }
    }

    fn reserve(&self, size: usize, align: usize, at: u64) -> (R, CUdeviceptr) {
        let mut address = 0;
        let result = call!(self.library, cuMemAddressReserve(&mut address, size, align, at, 0):
            (*mut CUdeviceptr, usize, usize, CUdeviceptr, u64));
        (result, address)
    }

    fn create(&self, size: usize, properties: &CUmemAllocationProp) -> (R, Handle) {
        let mut handle = 0;
        let result = call!(self.library, cuMemCreate(&mut handle, size, properties, 0):
            (*mut Handle, usize, *const CUmemAllocationProp, u64));
        (result, handle)
    }

    fn map(&self, at: CUdeviceptr, size: usize, handle: Handle) -> R {
        call!(self.library, cuMemMap(at, size, 0, handle, 0): (CUdeviceptr, usize, usize, Handle, u64))
    }

    fn unmap(&self, at: CUdeviceptr, size: usize) -> R {
        call!(self.library, cuMemUnmap(at, size): (CUdeviceptr, usize))
    }

    fn release(&self, handle: Handle) -> R {
        call!(self.library, cuMemRelease(handle): (Handle))
    }

    fn set_access(&self, at: CUdeviceptr, size: usize, flags: CUmemAccess_flags) -> R {
        let description = CUmemAccessDesc { location: device(), flags };
        call!(self.library, cuMemSetAccess(at, size, &description, 1):
            (CUdeviceptr, usize, *const CUmemAccessDesc, usize))
    }

    fn access(&self, at: CUdeviceptr) -> (R, u64) {
        let mut flags = 77;
        let result = call!(self.library, cuMemGetAccess(&mut flags, &device(), at):
            (*mut u64, *const CUmemLocation, CUdeviceptr));
        (result, flags)
    }

    fn free(&self, at: CUdeviceptr, size: usize) -> R {
        call!(self.library, cuMemAddressFree(at, size): (CUdeviceptr, usize))
    }

    fn set(&self, at: CUdeviceptr, value: u8, size: usize) -> R {
        call!(self.library, cuMemsetD8_v2(at, value, size): (CUdeviceptr, u8, usize))
    }

    fn read(&self, at: CUdeviceptr) -> (R, u32) {
        let mut word = 0u32;
        let to: *mut c_void = (&raw mut word).cast();
        (call!(self.library, cuMemcpyDtoH_v2(to, at, 4): (*mut c_void, CUdeviceptr, usize)), word)
    }

    /// Lets 64 threads write as many words.
    fn fill(&self, to: CUdeviceptr, value: u32) -> R {
        let (mut to, mut value) = (to, value);
        let mut params: [*mut c_void; 2] = [(&raw mut to).cast(), (&raw mut value).cast()];
        let launched = call!(self.library, cuLaunchKernel(self.fill, 1, 1, 1, 64, 1, 1, 0, null_mut(),
            params.as_mut_ptr(), null_mut()): (CUfunction, u32, u32, u32, u32, u32, u32, u32, CUstream,
            *mut *mut c_void, *mut *mut c_void));
        match launched {
            OK => call!(self.library, cuCtxSynchronize(): ()),
            error => error,
        }
    }

    fn word(&self, attribute: A, at: CUdeviceptr) -> (R, u64) {
        let mut value = 0u64;
        let to: *mut c_void = (&raw mut value).cast();
        (
            call!(self.library, cuPointerGetAttribute(to, attribute, at): (*mut c_void, A, CUdeviceptr)),
            value,
        )
    }

    fn free_bytes(&self) -> usize {
        let (mut free, mut total) = (0, 0);
        assert_eq!(
            call!(self.library, cuMemGetInfo_v2(&mut free, &mut total): (*mut usize, *mut usize)),
            OK
        );
        free
    }

    fn attribute(&self, number: c_uint) -> c_int {
        let mut value = -1;
        assert_eq!(
            call!(self.library, cuDeviceGetAttribute(&mut value, number, 0): (*mut c_int, c_uint, c_int)),
            OK
        );
        value
    }
}

fn device() -> CUmemLocation {
    CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 }
}

fn properties(handle_types: CUmemAllocationHandleType) -> CUmemAllocationProp {
    // SAFETY: all zeros is a value of this structure.
    let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = device();
    properties.requestedHandleTypes = handle_types;
    properties
}

fn plain() -> CUmemAllocationProp {
    properties(CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE)
}

const NONE: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE;
const READ: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READ;
const BOTH: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

/// What PyTorch does with expandable segments: one range of addresses that memory comes to and goes from.
#[test]
fn a_segment_grows_and_shrinks() {
    let driver = Driver::new();
    // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    assert_eq!(driver.attribute(102), 1);
    let free = driver.free_bytes();
    let (result, base) = driver.reserve(1 << 30, 0, 0);
    assert_eq!((result, base % UNIT as u64), (OK, 0));
    assert_eq!(driver.free_bytes(), free, "addresses are no memory");
    let handles: Vec<Handle> = (0..3).map(|_| driver.create(UNIT, &plain()).1).collect();
    assert_eq!(driver.free_bytes(), free - 3 * UNIT);
    for (at, handle) in (0..).map(|at| base + at * UNIT as u64).zip(&handles) {
        assert_eq!(driver.map(at, UNIT, *handle), OK);
    }
    // "all mappings start with no accessibility setup"
    assert_eq!(driver.access(base), (OK, 0));
    assert_eq!(driver.set(base, 1, 16), INVALID);
    assert_eq!(driver.set_access(base, 3 * UNIT, BOTH), OK);
    assert_eq!(driver.access(base + 5), (OK, 3));
    // Copies, fills and kernels go over the borders of mappings.
    let border = base + UNIT as u64;
    assert_eq!(driver.set(base, 1, 3 * UNIT), OK);
    assert_eq!(driver.read(border - 2), (OK, 0x0101_0101));
    assert_eq!(driver.fill(border - 128, 0x1234_5678), OK);
    assert_eq!(driver.read(border - 128), (OK, 0x1234_5678));
    assert_eq!(driver.read(border + 124), (OK, 0x1234_5678));
    assert_eq!(driver.read(border + 128), (OK, 0x0101_0101));
    // Not over the end of the last one.
    assert_eq!(driver.set(base, 1, 3 * UNIT + 1), INVALID);
    assert_eq!(driver.set(base + 3 * UNIT as u64, 1, 1), INVALID);

    // Reserved addresses are no memory of the program.
    let unified = |to: CUdeviceptr, from: CUdeviceptr| call!(driver.library, cuMemcpy(to, from, 4): (CUdeviceptr, CUdeviceptr, usize));
    assert_eq!(unified(base, base + 3 * UNIT as u64), INVALID);
    assert_eq!(unified(base + 3 * UNIT as u64, base), INVALID);
    assert_eq!(unified(base + 8, border), OK);

    // A hole in the middle.
    assert_eq!(driver.unmap(border, UNIT), OK);
    assert_eq!(driver.set(base, 1, 2 * UNIT), INVALID);
    assert_eq!(driver.set(border, 1, 1), INVALID);
    assert_eq!(driver.read(base + 2 * UNIT as u64).0, OK);
    assert_eq!(driver.free_bytes(), free - 3 * UNIT, "the handle keeps the memory");
    // What lay there is there again.
    assert_eq!(driver.map(border, UNIT, handles[1]), OK);
    assert_eq!(driver.set_access(border, UNIT, BOTH), OK);
    assert_eq!(driver.read(border), (OK, 0x1234_5678));

    for handle in &handles {
        assert_eq!(driver.release(*handle), OK);
        assert_eq!(driver.release(*handle), INVALID);
    }
    assert_eq!(driver.read(border), (OK, 0x1234_5678), "mappings keep the memory");
    assert_eq!(driver.free_bytes(), free - 3 * UNIT);
    assert_eq!(driver.free(base, 1 << 30), INVALID, "something is mapped");
    assert_eq!(driver.unmap(base, 3 * UNIT), OK);
    assert_eq!(driver.free_bytes(), free);
    assert_eq!(driver.free(base, UNIT), INVALID);
    assert_eq!(driver.free(base, 1 << 30), OK);
    assert_eq!(driver.free(base, 1 << 30), INVALID);
}

#[test]
fn one_memory_at_two_addresses() {
    let driver = Driver::new();
    let (_, base) = driver.reserve(2 * UNIT, 0, 0);
    let (_, handle) = driver.create(UNIT, &plain());
    let other = base + UNIT as u64;
    assert_eq!([driver.map(base, UNIT, handle), driver.map(other, UNIT, handle)], [OK, OK]);
    assert_eq!(driver.set_access(base, 2 * UNIT, BOTH), OK);
    assert_eq!(driver.fill(base + 64, 99), OK);
    assert_eq!(driver.read(other + 64), (OK, 99));
    let (mut retained, mut size) = (0, 0);
    let retain = |to: *mut Handle, at: CUdeviceptr| call!(driver.library, cuMemRetainAllocationHandle(to, at as *mut c_void): (*mut Handle, *mut c_void));
    // "The address addr, can be any address in a range previously mapped by cuMemMap"
    assert_eq!(retain(&mut retained, other + 77), OK);
    assert_eq!(retained, handle);
    assert_eq!(driver.release(handle), OK);
    assert_eq!(driver.release(handle), OK, "it was retained once");
    assert_eq!(driver.release(handle), INVALID);
    // A handle of what has none any more.
    assert_eq!(retain(&mut retained, base), OK);
    assert_ne!(retained, handle);
    assert_eq!(driver.release(retained), OK);
    assert_eq!(retain(&mut retained, 0x1234), INVALID);

    let mut start = 0;
    assert_eq!(
        call!(driver.library, cuMemGetAddressRange_v2(&mut start, &mut size, other + 5):
        (*mut CUdeviceptr, *mut usize, CUdeviceptr)),
        OK
    );
    assert_eq!((start, size), (other, UNIT));
    for (attribute, expected) in [
        (A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2),
        (A::CU_POINTER_ATTRIBUTE_IS_MANAGED, 0),
        (A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 0),
        (A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER, other),
        (A::CU_POINTER_ATTRIBUTE_MAPPED, 1),
        (A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, 3),
        (A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, 0),
        (A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE, UNIT as u64),
        (A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, other),
    ] {
        assert_eq!(driver.word(attribute, other), (OK, expected), "{attribute:?}");
    }
    assert_eq!(call!(driver.library, cuMemFree_v2(base): (CUdeviceptr)), INVALID);
    // Host code of the driver would fault where a device does.
    assert_eq!(driver.set_access(base, 2 * UNIT, READ), OK);
    assert_eq!(driver.access(other), (OK, 1));
    assert_eq!(driver.set(base, 1, 4), INVALID);
    assert_eq!(driver.read(base + 64), (OK, 99));
    assert_eq!(driver.set_access(base, 2 * UNIT, NONE), OK);
    assert_eq!(driver.read(base + 64).0, INVALID);
    assert_eq!(driver.unmap(base, 2 * UNIT), OK);
    assert_eq!(driver.word(A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base).0, INVALID);
    assert_eq!(driver.free(base, 2 * UNIT), OK);
}

/// A kernel that goes where nothing is mapped ends with `CUDA_ERROR_ILLEGAL_ADDRESS`, as anywhere else; so does one that
/// writes what can only be read.
#[test]
fn kernels_fault_where_they_have_no_access() {
    for readable in [false, true] {
        let driver = Driver::new();
        let (_, base) = driver.reserve(UNIT, 0, 0);
        let (_, handle) = driver.create(UNIT, &plain());
        if readable {
            assert_eq!(driver.map(base, UNIT, handle), OK);
            assert_eq!(driver.set_access(base, UNIT, READ), OK);
        }
        assert_eq!(driver.fill(base, 5), R::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(call!(driver.library, cuDevicePrimaryCtxReset_v2(0): (c_int)), OK);
    }
}

#[test]
fn wrong_arguments() {
    let driver = Driver::new();
    let (_, base) = driver.reserve(4 * UNIT, 0, 0);
    let (_, handle) = driver.create(2 * UNIT, &plain());
    for (size, align) in [(0, 0), (1, 0), (UNIT, 3), (UNIT, UNIT + 1), (UNIT + 1, 0)] {
        assert_eq!(driver.reserve(size, align, 0).0, INVALID, "{size} {align}");
    }
    assert_eq!(driver.reserve(1 << 50, 0, 0).0, R::CUDA_ERROR_OUT_OF_MEMORY);
    // An address is a hint.
    let (result, other) = driver.reserve(UNIT, 0, base);
    assert_eq!(result, OK);
    assert_ne!(other, base);
    assert_eq!(driver.free(other, UNIT), OK);
    assert_eq!(driver.reserve(UNIT, 0, other), (OK, other));
    assert_eq!(driver.free(other, UNIT), OK);
    let (result, aligned) = driver.reserve(UNIT, 1 << 30, 0);
    assert_eq!((result, aligned % (1 << 30)), (OK, 0));
    assert_eq!(driver.free(aligned, UNIT), OK);

    for size in [0, 1, UNIT - 1, UNIT + 4096] {
        assert_eq!(driver.create(size, &plain()).0, INVALID, "{size}");
    }
    assert_eq!(driver.create(1 << 50, &plain()).0, R::CUDA_ERROR_OUT_OF_MEMORY);
    let mut wrong = plain();
    wrong.location.id = 99;
    assert_eq!(driver.create(UNIT, &wrong).0, R::CUDA_ERROR_INVALID_DEVICE);
    wrong = plain();
    wrong.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_INVALID;
    assert_eq!(driver.create(UNIT, &wrong).0, INVALID);
    assert_eq!(driver.create(UNIT, &properties(CUmemAllocationHandleType(2))).0, INVALID);

    assert_eq!(driver.map(base, UNIT, 0x1234), INVALID);
    assert_eq!(driver.map(base + 4096, UNIT, handle), INVALID);
    assert_eq!(driver.map(base, 4096, handle), R::CUDA_ERROR_NOT_SUPPORTED, "a part");
    assert_eq!(driver.map(base, 0, handle), INVALID);
    assert_eq!(driver.map(base, 3 * UNIT, handle), R::CUDA_ERROR_NOT_SUPPORTED, "too much");
    assert_eq!(driver.map(base + 3 * UNIT as u64, 2 * UNIT, handle), INVALID, "not reserved");
    assert_eq!(driver.map(0, 2 * UNIT, handle), INVALID);
    assert_eq!(driver.map(!(UNIT as u64 - 1), 2 * UNIT, handle), INVALID);
    assert_eq!(driver.map(base, 2 * UNIT, handle), OK);
    assert_eq!(driver.map(base + UNIT as u64, 2 * UNIT, handle), INVALID, "something lies there");
    // "cuMemUnmap cannot unmap a sub-range of an address range mapped"
    assert_eq!(driver.unmap(base, UNIT), INVALID);
    assert_eq!(driver.unmap(base + UNIT as u64, UNIT), INVALID);
    assert_eq!(driver.unmap(base, 5 * UNIT), INVALID);
    assert_eq!(driver.unmap(base, usize::MAX), INVALID);
    assert_eq!(driver.set_access(base, UNIT, BOTH), INVALID);
    assert_eq!(driver.set_access(base, 4 * UNIT, BOTH), INVALID);
    assert_eq!(driver.set_access(base, 2 * UNIT, CUmemAccess_flags(2)), INVALID);
    assert_eq!(driver.access(base + 2 * UNIT as u64).0, INVALID);
    // What is not mapped may be unmapped with it, or alone.
    assert_eq!(driver.unmap(base, 3 * UNIT), OK);
    assert_eq!(driver.unmap(base, 2 * UNIT), OK);
    assert_eq!(driver.map(base, 2 * UNIT, handle), OK);
    assert_eq!(driver.unmap(base, 2 * UNIT), OK);
    assert_eq!(driver.release(handle), OK);
    assert_eq!(driver.map(base, 2 * UNIT, handle), INVALID);
    assert_eq!(driver.free(base, 4 * UNIT), OK);
}

#[test]
fn memory_is_shared_by_file_descriptors() {
    let driver = Driver::new();
    // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    assert_eq!(driver.attribute(103), 1);
    let posix = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let export = |handle: Handle| {
        let mut descriptor: c_int = -1;
        let to: *mut c_void = (&raw mut descriptor).cast();
        (
            call!(driver.library, cuMemExportToShareableHandle(to, handle, posix, 0):
            (*mut c_void, Handle, CUmemAllocationHandleType, u64)),
            descriptor,
        )
    };
    let import = |descriptor: c_int| {
        let mut handle: Handle = 0;
        (
            call!(driver.library, cuMemImportFromShareableHandle(&mut handle, descriptor as usize as *mut c_void, posix):
            (*mut Handle, *mut c_void, CUmemAllocationHandleType)),
            handle,
        )
    };
    let (_, private) = driver.create(UNIT, &plain());
    assert_eq!(export(private).0, INVALID, "it was not asked for");
    let (_, handle) = driver.create(UNIT, &properties(posix));
    let (result, descriptor) = export(handle);
    assert_eq!(result, OK);
    let (result, imported) = import(descriptor);
    assert_eq!(result, OK);
    assert_ne!(imported, handle);
    let mut told = plain();
    assert_eq!(
        call!(driver.library, cuMemGetAllocationPropertiesFromHandle(&mut told, imported):
        (*mut CUmemAllocationProp, Handle)),
        OK
    );
    assert_eq!((told.type_.0, told.requestedHandleTypes.0, told.location.id), (1, 1, 0));
    let (_, base) = driver.reserve(2 * UNIT, 0, 0);
    let other = base + UNIT as u64;
    assert_eq!([driver.map(base, UNIT, handle), driver.map(other, UNIT, imported)], [OK, OK]);
    assert_eq!(driver.set_access(base, 2 * UNIT, BOTH), OK);
    assert_eq!(driver.fill(base, 4711), OK);
    assert_eq!(driver.read(other), (OK, 4711));
    for handle in [private, handle, imported] {
        assert_eq!(driver.release(handle), OK);
    }
    assert_eq!(driver.unmap(base, 2 * UNIT), OK);
    assert_eq!(driver.free(base, 2 * UNIT), OK);
    // Another file is no memory, and nothing is neither: an H100 tells the one from the other.
    let file = tempfile::tempfile().unwrap();
    file.set_len(UNIT as u64).unwrap();
    assert_eq!(import(std::os::fd::AsRawFd::as_raw_fd(&file)).0, INVALID);
    assert_eq!(import(-1).0, INVALID);
    assert_eq!(import(9999).0, R::CUDA_ERROR_UNKNOWN);
}
