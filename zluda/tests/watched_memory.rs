//! Memory of a program that learns of accesses by the protection of its pages: copies to it go through the program's own handler
//! of faults, page by page, each time.
#![cfg(target_os = "linux")]

#[macro_use]
mod common;

use cuda_types::cuda::{CUdeviceptr, CUresult as R};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

const PAGE: usize = 4096;
const PAGES: usize = 3;

/// Where the pages begin.
static START: AtomicUsize = AtomicUsize::new(0);
/// Accesses that the program has let go on.
static SEEN: AtomicUsize = AtomicUsize::new(0);

extern "C" fn look(_signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: the system passes a valid pointer.
    let address = unsafe { (*info).si_addr() } as usize;
    let start = START.load(Ordering::Relaxed);
    if !(start..start + PAGES * PAGE).contains(&address) {
        // SAFETY: nothing else can be done about it.
        unsafe { libc::abort() };
    }
    SEEN.fetch_add(1, Ordering::Relaxed);
    let page = (address - address % PAGE) as *mut c_void;
    // SAFETY: the page is this test's own.
    unsafe { libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE) };
}

#[test]
fn copies_go_through_the_programs_handler_at_each_page() {
    // SAFETY: new memory, of which nobody else knows, and a handler that does what handlers may.
    let memory = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = look as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &action, null_mut()), 0);
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(null_mut(), PAGES * PAGE, libc::PROT_NONE, how, -1, 0)
    };
    assert_ne!(memory, libc::MAP_FAILED);
    START.store(memory.addr(), Ordering::Relaxed);

    let library = common::driver();
    let mut device: CUdeviceptr = 0;
    assert_eq!(
        call!(library, cuMemAlloc_v2(&mut device, PAGES * PAGE): (*mut CUdeviceptr, usize)),
        R::CUDA_SUCCESS
    );
    for round in 1..=3 {
        // SAFETY: the memory is there.
        unsafe { libc::mprotect(memory, PAGES * PAGE, libc::PROT_NONE) };
        let filled = call!(library, cuMemsetD8_v2(device, round as u8, PAGES * PAGE): (CUdeviceptr, u8, usize));
        assert_eq!(filled, R::CUDA_SUCCESS);
        let copied = call!(library, cuMemcpyDtoH_v2(memory, device, PAGES * PAGE): (*mut c_void, CUdeviceptr, usize));
        assert_eq!(copied, R::CUDA_SUCCESS, "round {round}");
        assert_eq!(SEEN.load(Ordering::Relaxed), round * PAGES);
        // SAFETY: the handler has made it accessible.
        let bytes = unsafe { std::slice::from_raw_parts(memory.cast::<u8>(), PAGES * PAGE) };
        assert!(bytes.iter().all(|byte| usize::from(*byte) == round));
    }
}
