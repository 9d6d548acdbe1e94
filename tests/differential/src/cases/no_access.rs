//! Copies of pages of the program's own that cannot be accessed, behind other work of their stream.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::Duration;

use cuda_types::cuda::*;
use differential::api::Api;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;

const SIZE: usize = 1 << 20;

/// Pages that are there and cannot be accessed.
fn pages() -> *mut c_void {
    #[cfg(unix)]
    // SAFETY: a mapping of its own.
    return unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(null_mut(), SIZE, libc::PROT_NONE, flags, -1, 0)
    };
    #[cfg(not(unix))]
    null_mut()
}

/// A call in a stream that waits for half a second, and what comes after.
fn call(
    api: &Api,
    sheet: &mut Sheet,
    call: impl FnOnce(*mut c_void, CUdeviceptr, CUstream) -> i64,
) {
    context(api);
    let (memory, stream) = (allocate(api, SIZE), stream(api));
    let mut word = null_mut();
    must(api.cuMemHostAlloc(&mut word, 4, 2));
    // SAFETY: the word is there for the whole case.
    unsafe { word.cast::<u32>().write_volatile(0) };
    must(api.cuStreamWaitValue32_v2(stream, word as u64, 1, 1));
    let address = word.addr();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        // SAFETY: as above.
        unsafe { std::ptr::without_provenance_mut::<u32>(address).write_volatile(1) };
    });
    sheet.put("call", call(pages(), memory, stream));
    sheet.put("synchronize", api.cuStreamSynchronize(stream));
    sheet.put("fill", api.cuMemsetD32_v2(memory, 1, 16));
    sheet.put("after", api.cuCtxSynchronize());
    writer.join().unwrap();
}

pub const CASES: &[NamedCase] = &[
    ("no_access/to_pages", |api, sheet| {
        call(api, sheet, |pages, memory, stream| {
            api.cuMemcpyDtoHAsync_v2(pages, memory, SIZE, stream)
        });
    }),
    ("no_access/from_pages", |api, sheet| {
        call(api, sheet, |pages, memory, stream| {
            api.cuMemcpyHtoDAsync_v2(memory, pages, SIZE, stream)
        });
    }),
    ("no_access/few_to_pages", |api, sheet| {
        call(api, sheet, |pages, memory, stream| {
            api.cuMemcpyDtoHAsync_v2(pages, memory, 64, stream)
        });
    }),
    ("no_access/few_from_pages", |api, sheet| {
        call(api, sheet, |pages, memory, stream| {
            api.cuMemcpyHtoDAsync_v2(memory, pages, 64, stream)
        });
    }),
];
