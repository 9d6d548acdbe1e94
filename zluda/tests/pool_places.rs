//! Memory pools that are imported know the place of their memory: a device, or a node of the host's memory. The process
//! imports what it has exported itself.
#![cfg(target_os = "linux")]
// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUdevice_attribute, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType,
    CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPoolProps, CUmemPoolPtrExportData,
    CUmemoryPool, CUmemorytype, CUpointer_attribute, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_int, c_uint, c_void};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const OK: R = R::CUDA_SUCCESS;
const POSIX: CUmemAllocationHandleType =
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const DEVICE: CUmemLocationType = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
const NODE: CUmemLocationType = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA;
const BOTH: CUmemAccess_flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

/// The driver with two devices.
fn driver() -> Library {
    // SAFETY: the tests of this file say the same, before anything reads it.
    unsafe { std::env::set_var("ZLUDA_DEVICES", "2") };
    common::driver()
}

/// A pool of a place, and the same one imported.
fn pools(library: &Library, type_: CUmemLocationType, id: i32) -> [CUmemoryPool; 2] {
    // SAFETY: all zeros is a value of this structure.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = CUmemLocation { type_, id };
    properties.handleTypes = POSIX;
    let (mut own, mut imported, mut descriptor): (_, _, c_int) = (null_mut(), null_mut(), -1);
    assert_eq!(
        call!(library, cuMemPoolCreate(&mut own, &properties): (*mut CUmemoryPool, *const CUmemPoolProps)),
        OK
    );
    let to: *mut c_void = (&raw mut descriptor).cast();
    assert_eq!(
        call!(library, cuMemPoolExportToShareableHandle(to, own, POSIX, 0):
        (*mut c_void, CUmemoryPool, CUmemAllocationHandleType, u64)),
        OK
    );
    // SAFETY: the descriptor is the program's.
    let file = unsafe { File::from_raw_fd(descriptor) };
    let shared = file.as_raw_fd() as usize as *mut c_void;
    assert_eq!(
        call!(library, cuMemPoolImportFromShareableHandle(&mut imported, shared, POSIX, 0):
        (*mut CUmemoryPool, *mut c_void, CUmemAllocationHandleType, u64)),
        OK
    );
    [own, imported]
}

/// Memory of a pool, and the same by the imported one.
fn memory(library: &Library, [own, imported]: [CUmemoryPool; 2]) -> [CUdeviceptr; 2] {
    let (first, data) = export(library, own);
    [first, import(library, imported, data)]
}

/// Memory of a pool, and what other processes find it by.
fn export(library: &Library, own: CUmemoryPool) -> (CUdeviceptr, CUmemPoolPtrExportData) {
    let mut first = 0;
    let stream: CUstream = null_mut();
    assert_eq!(
        call!(library, cuMemAllocFromPoolAsync(&mut first, 64, own, stream):
        (*mut CUdeviceptr, usize, CUmemoryPool, CUstream)),
        OK
    );
    let mut data = CUmemPoolPtrExportData { reserved: [0; 64] };
    assert_eq!(
        call!(library, cuMemPoolExportPointer(&mut data, first): (*mut CUmemPoolPtrExportData, CUdeviceptr)),
        OK
    );
    (first, data)
}

fn import(
    library: &Library,
    imported: CUmemoryPool,
    mut data: CUmemPoolPtrExportData,
) -> CUdeviceptr {
    let mut second = 0;
    assert_eq!(
        call!(library, cuMemPoolImportPointer(&mut second, imported, &mut data):
        (*mut CUdeviceptr, CUmemoryPool, *mut CUmemPoolPtrExportData)),
        OK
    );
    second
}

fn attribute(library: &Library, attribute: CUpointer_attribute, pointer: CUdeviceptr) -> u32 {
    let mut value = 99u32;
    let to: *mut c_void = (&raw mut value).cast();
    assert_eq!(
        call!(library, cuPointerGetAttribute(to, attribute, pointer): (*mut c_void, CUpointer_attribute, CUdeviceptr)),
        OK
    );
    value
}

fn access(library: &Library, pool: CUmemoryPool, device: i32) -> CUmemAccess_flags {
    let (mut flags, location) =
        (CUmemAccess_flags(99), CUmemLocation { type_: DEVICE, id: device });
    assert_eq!(
        call!(library, cuMemPoolGetAccess(&mut flags, pool, &location):
        (*mut CUmemAccess_flags, CUmemoryPool, *const CUmemLocation)),
        OK
    );
    flags
}

/// Writes by the device to one address are read by it from the other.
fn check_same(library: &Library, [first, second]: [CUdeviceptr; 2]) {
    let (mut word, stream): (u32, CUstream) = (0, null_mut());
    assert_eq!(
        call!(library, cuMemsetD32Async(first, 0x1234, 16, stream): (CUdeviceptr, c_uint, usize, CUstream)),
        OK
    );
    assert_eq!(call!(library, cuStreamSynchronize(stream): (CUstream)), OK);
    assert_eq!(
        call!(library, cuMemcpyDtoH_v2((&raw mut word).cast(), second + 60, 4): (*mut c_void, CUdeviceptr, usize)),
        OK
    );
    assert_eq!(word, 0x1234);
}

#[test]
fn memory_of_an_imported_pool_is_of_its_device() {
    let library = driver();
    for device in [1, 0] {
        let pools = pools(&library, DEVICE, device);
        for pool in pools {
            let none = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE;
            assert_eq!(
                (access(&library, pool, device), access(&library, pool, 1 - device)),
                (BOTH, none)
            );
        }
        let ordinal = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        for pointer in memory(&library, pools) {
            assert_eq!(attribute(&library, ordinal, pointer), device as u32);
        }
    }
    let pools = pools(&library, DEVICE, 0);
    check_same(&library, memory(&library, pools));
}

/// cuda.core imports what a process is handed when it starts, before it makes a context current.
#[test]
fn memory_is_imported_without_a_context() {
    let library = driver();
    for device in [1, 0] {
        let [own, imported] = pools(&library, DEVICE, device);
        let (first, data) = export(&library, own);
        let imported = imported as usize;
        let second = std::thread::scope(|scope| {
            let other = || import(&library, imported as CUmemoryPool, data);
            scope.spawn(other).join().unwrap()
        });
        let ordinal = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        assert_eq!(attribute(&library, ordinal, second), device as u32);
        assert_eq!(import(&library, imported as CUmemoryPool, data), second);
        // The context is device 0's, which cannot access the other one's pool.
        if device == 0 {
            check_same(&library, [first, second]);
        }
    }
}

/// The node that the device names, as far as the system has any.
fn node(library: &Library) -> c_int {
    let mut node = 99;
    let which = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID;
    assert_eq!(
        call!(library, cuDeviceGetAttribute(&mut node, which, 0): (*mut c_int, CUdevice_attribute, c_int)),
        OK
    );
    let named = std::path::Path::new(&format!("/sys/devices/system/node/node{node}")).is_dir();
    assert!(named || node == -1 && !std::path::Path::new("/sys/devices/system/node").exists());
    node.max(0)
}

#[test]
fn pools_of_nodes_are_shared() {
    let library = driver();
    let pools = pools(&library, NODE, node(&library));
    let all = CUmemAccessDesc { location: CUmemLocation { type_: DEVICE, id: 0 }, flags: BOTH };
    for pool in pools {
        assert_eq!(
            call!(library, cuMemPoolSetAccess(pool, &all, 1): (CUmemoryPool, *const CUmemAccessDesc, usize)),
            OK
        );
    }
    let pointers = memory(&library, pools);
    check_same(&library, pointers);
    let kind = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    for pointer in pointers {
        assert_eq!(
            attribute(&library, kind, pointer),
            CUmemorytype::CU_MEMORYTYPE_HOST.0,
            "of the host"
        );
        // SAFETY: the host can read the memory of its nodes, which has not been freed.
        assert_eq!(unsafe { (pointer as *const u32).read_volatile() }, 0x1234);
    }
    for pointer in pointers.into_iter().rev() {
        assert_eq!(call!(library, cuMemFree_v2(pointer): (CUdeviceptr)), OK);
    }
}

/// The files of pools that this process has.
fn files() -> usize {
    let all = std::fs::read_dir("/proc/self/fd").expect("Linux has it").flatten();
    let is_of_pool = |path: std::path::PathBuf| path.to_string_lossy().contains("memory-pool");
    all.filter(|file| std::fs::read_link(file.path()).is_ok_and(is_of_pool)).count()
}

/// Pools whose memory was freed, and that were destroyed, keep nothing, whether or not anybody waits for the stream.
#[test]
fn destroyed_pools_go_while_nobody_waits() {
    let (library, most) = (driver(), 100);
    for _ in 0..3 * most {
        let [own, imported] = pools(&library, DEVICE, 0);
        for pointer in memory(&library, [own, imported]).into_iter().rev() {
            let freed =
                call!(library, cuMemFreeAsync(pointer, null_mut()): (CUdeviceptr, CUstream));
            assert_eq!(freed, OK);
        }
        for pool in [imported, own] {
            assert_eq!(call!(library, cuMemPoolDestroy(pool): (CUmemoryPool)), OK);
            let again = call!(library, cuMemPoolDestroy(pool): (CUmemoryPool));
            assert_eq!(again, R::CUDA_ERROR_INVALID_VALUE);
        }
    }
    // What a stream does goes on when nobody waits, too.
    let begun = Instant::now();
    while files() > most {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} files of pools are open", files());
        std::thread::sleep(Duration::from_millis(10));
    }
}
