use std::ffi::c_void;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetCurrentThreadId() -> u32;
    fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
}

/// Has this library stay until the process ends, whoever frees it: threads of its own and the provider's go on in it, and
/// callbacks of programs return to it.
pub(crate) fn stay_loaded() {
    const PIN: u32 = 1;
    const FROM_ADDRESS: u32 = 4;
    let mut module = std::ptr::null_mut();
    let here = stay_loaded as *const () as *const c_void;
    // SAFETY: the address is in this library; `module` outlives the call.
    if unsafe { GetModuleHandleExW(PIN | FROM_ADDRESS, here, &mut module) } == 0 {
        tracing::warn!("whoever frees the driver takes it from under its threads");
    }
}

/// Whether the calling thread is known to be the one that the process began with.
pub(crate) fn is_main_thread() -> bool {
    false
}

/// A number of the calling thread, as NVIDIA's runtime computes it.
pub(crate) fn thread_number() -> u32 {
    // SAFETY: always succeeds.
    unsafe { GetCurrentThreadId() }
}

/// The number by which the system's threads know the calling one.
pub(crate) fn thread_id() -> u64 {
    thread_number().into()
}

/// The hour, the minute and the second of a time since 1970, at Greenwich.
pub(crate) fn local_time(seconds: u64) -> [u32; 3] {
    [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(|part| part as u32)
}

/// Nothing is forked here.
pub(crate) fn call_in_forked_children(_function: extern "C" fn()) {}

/// A library's own handlers run when it goes, and no other's behind them.
pub(crate) fn call_at_exit(_function: extern "C" fn()) {}

/// The size of the file behind a descriptor: there are none here.
pub(crate) fn file_size(_descriptor: i32) -> Option<usize> {
    None
}

/// Whether there is memory of any kind in the whole range. It is taken for granted here.
pub(crate) fn is_mapped(_address: u64, _size: usize) -> bool {
    true
}

/// Whether the whole range is memory that can be read. As above.
pub(crate) fn is_readable(_address: u64, _size: usize) -> bool {
    true
}

/// Whether the machine has a NUMA node of this number: it counts as one.
pub(crate) fn has_numa_node(node: i32) -> bool {
    node == 0
}

/// The node of the host's memory that is nearest to a device: that one.
pub(crate) fn nearest_numa_node(_address: zluda_common::pci::Address) -> i32 {
    0
}

/// Whether another process has a device of this machine's processors open: nobody says.
pub(crate) fn computes(_process: u32) -> bool {
    false
}
