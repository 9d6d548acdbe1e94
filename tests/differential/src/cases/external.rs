//! Memory and semaphores of other interfaces, by file descriptor.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

type M = CUexternalMemoryHandleType;
type S = CUexternalSemaphoreHandleType;

fn memory(kind: M, descriptor: i32, size: u64) -> CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    let mut wanted: CUDA_EXTERNAL_MEMORY_HANDLE_DESC = zeroed();
    wanted.type_ = kind;
    wanted.handle.fd = descriptor;
    wanted.size = size;
    wanted
}

fn semaphore(kind: S, descriptor: i32) -> CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    let mut wanted: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC = zeroed();
    wanted.type_ = kind;
    wanted.handle.fd = descriptor;
    wanted
}

/// A descriptor of a file in memory of 4 MiB.
#[cfg(unix)]
fn file() -> i32 {
    // SAFETY: the name is a C string.
    let descriptor = unsafe { libc::memfd_create(c"file".as_ptr(), 0) };
    // SAFETY: has no preconditions.
    assert_eq!(unsafe { libc::ftruncate(descriptor, 4 << 20) }, 0);
    descriptor
}

/// Cases that ask for it are in `answers/not_on_windows.txt`.
#[cfg(windows)]
fn file() -> i32 {
    panic!("Windows has no file descriptors")
}

/// A descriptor of memory of the driver's own, of 2 MiB.
fn exported(api: &Api) -> i32 {
    let mut properties: CUmemAllocationProp = zeroed();
    properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    let kind = CUmemAllocationHandleType_enum::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.requestedHandleTypes = kind;
    let (mut handle, mut descriptor) = (0, -1_i32);
    must(api.cuMemCreate(&mut handle, 2 << 20, &properties, 0));
    must(api.cuMemExportToShareableHandle((&raw mut descriptor).cast(), handle, kind, 0));
    descriptor
}

pub const CASES: &[Case] = &[
    ("external/memory_arguments", |api| {
        context(api);
        let (mut object, fd) = (null_mut(), M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
        let mut flags = memory(fd, file(), 4096);
        flags.flags = 77;
        let mut answers: Answers = vec![
            api.cuImportExternalMemory(null_mut(), &memory(fd, file(), 4096)),
            api.cuImportExternalMemory(&mut object, null()),
            api.cuImportExternalMemory(&mut object, &memory(fd, -1, 4096)),
            api.cuImportExternalMemory(&mut object, &memory(fd, 999, 4096)),
            api.cuImportExternalMemory(&mut object, &memory(fd, file(), 0)),
            api.cuImportExternalMemory(&mut object, &flags),
        ];
        for kind in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99] {
            let wanted = memory(CUexternalMemoryHandleType_enum(kind), 999, 4096);
            answers.push(api.cuImportExternalMemory(&mut object, &wanted));
        }
        answers
    }),
    ("external/memory_of_file", |api| {
        context(api);
        let (mut object, fd) = (null_mut(), M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
        vec![api.cuImportExternalMemory(&mut object, &memory(fd, file(), 2 << 20))]
    }),
    ("external/memory_of_own", |api| {
        context(api);
        let (mut object, fd) = (null_mut(), M::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
        let wanted = memory(fd, exported(api), 2 << 20);
        let mut answers = vec![api.cuImportExternalMemory(&mut object, &wanted)];
        if answers[0] != 0 {
            return answers;
        }
        let mut buffer: CUDA_EXTERNAL_MEMORY_BUFFER_DESC = zeroed();
        let (mut pointer, mut word) = (0, 0_u32);
        for (offset, size, flags) in [
            (0, 0, 0),
            (0, 4 << 20, 0),
            (4096, 2 << 20, 0),
            (0, 4096, 1),
            (4096, 4096, 0),
            (0, 2 << 20, 0),
        ] {
            (buffer.offset, buffer.size, buffer.flags) = (offset, size, flags);
            answers.push(api.cuExternalMemoryGetMappedBuffer(&mut pointer, object, &buffer));
        }
        answers.extend([
            api.cuMemsetD32_v2(pointer, 5, 16),
            api.cuMemcpyDtoH_v2((&raw mut word).cast(), pointer, 4),
            word.into(),
            api.cuExternalMemoryGetMappedBuffer(null_mut(), object, &buffer),
            api.cuExternalMemoryGetMappedBuffer(&mut pointer, object, null()),
            api.cuExternalMemoryGetMappedBuffer(&mut pointer, null_mut(), &buffer),
            api.cuMemFree_v2(pointer),
            api.cuDestroyExternalMemory(object),
        ]);
        answers
    }),
    ("external/destroy_null", |api| {
        context(api);
        vec![api.cuDestroyExternalMemory(null_mut()), api.cuDestroyExternalSemaphore(null_mut())]
    }),
    ("external/semaphore_arguments", |api| {
        context(api);
        let (mut object, fd) = (null_mut(), S::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
        let mut flags = semaphore(fd, file());
        flags.flags = 77;
        let mut answers: Answers = vec![
            api.cuImportExternalSemaphore(null_mut(), &semaphore(fd, file())),
            api.cuImportExternalSemaphore(&mut object, null()),
            api.cuImportExternalSemaphore(&mut object, &semaphore(fd, -1)),
            api.cuImportExternalSemaphore(&mut object, &semaphore(fd, 999)),
            api.cuImportExternalSemaphore(&mut object, &semaphore(fd, file())),
            api.cuImportExternalSemaphore(&mut object, &flags),
        ];
        for kind in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99] {
            let wanted = semaphore(CUexternalSemaphoreHandleType_enum(kind), 999);
            answers.push(api.cuImportExternalSemaphore(&mut object, &wanted));
        }
        answers
    }),
    ("external/use_of_no_semaphores", |api| {
        context(api);
        let stream = stream(api);
        let (signal, wait) = (zeroed(), zeroed());
        let none: CUexternalSemaphore = null_mut();
        vec![
            api.cuSignalExternalSemaphoresAsync(&none, &signal, 0, stream),
            api.cuWaitExternalSemaphoresAsync(&none, &wait, 0, stream),
            api.cuSignalExternalSemaphoresAsync(null(), &signal, 1, stream),
            api.cuWaitExternalSemaphoresAsync(null(), &wait, 1, stream),
            api.cuSignalExternalSemaphoresAsync(&none, null(), 1, stream),
            api.cuWaitExternalSemaphoresAsync(&none, null(), 1, stream),
        ]
    }),
];
