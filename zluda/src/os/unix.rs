use std::ffi::c_void;
use std::ptr::null_mut;
use zluda_common::linux::files::Root;
use zluda_common::linux::nodes;
use zluda_common::linux::processes::has_loaded;

/// Whether the calling thread is the one that the process began with.
pub(crate) fn is_main_thread() -> bool {
    // SAFETY: both always succeed.
    unsafe { libc::gettid() == libc::getpid() }
}

/// A number of the calling thread, as NVIDIA's runtime computes it.
pub(crate) fn thread_number() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::pthread_self() as u32 }
}

/// The number by which the system's threads know the calling one.
pub(crate) fn thread_id() -> u64 {
    // SAFETY: always succeeds.
    unsafe { libc::pthread_self() as u64 }
}

/// The hour, the minute and the second of a time since 1970, where the user is.
pub(crate) fn local_time(seconds: u64) -> [u32; 3] {
    // SAFETY: all zeros is a value of this structure; both outlive the call.
    let time = unsafe {
        let mut time: libc::tm = std::mem::zeroed();
        libc::localtime_r(&(seconds as libc::time_t), &mut time);
        time
    };
    [time.tm_hour as u32, time.tm_min as u32, time.tm_sec as u32]
}

/// Has this library stay until the process ends: the linker has seen to it (build.rs).
pub(crate) fn stay_loaded() {}

/// Has a function called in each child that this process forks from now on, before the child goes on.
pub(crate) fn call_in_forked_children(function: extern "C" fn()) {
    let function: unsafe extern "C" fn() = function;
    // SAFETY: a plain function, which stays as long as this library.
    let error = unsafe { libc::pthread_atfork(None, None, Some(function)) };
    if error != 0 {
        tracing::warn!("forked children will not know what they are: {error}");
    }
}

/// Has a function called when the process exits, before those that were registered before it.
pub(crate) fn call_at_exit(function: extern "C" fn()) {
    type Register = unsafe extern "C" fn(extern "C" fn(), *mut c_void, *mut c_void) -> i32;
    // That of the C library: what is linked with this one registers nothing (llvm_zluda/cpp/kept_objects.c).
    // SAFETY: the name ends in a NUL; the function has this type, but for an argument that the registered one does not use.
    let register = unsafe {
        std::mem::transmute::<*mut c_void, Option<Register>>(libc::dlsym(
            libc::RTLD_DEFAULT,
            c"__cxa_atexit".as_ptr(),
        ))
    };
    // SAFETY: a plain function, which stays as long as this library, and belongs to none that is unloaded.
    let error =
        register.map_or(-1, |register| unsafe { register(function, null_mut(), null_mut()) });
    if error != 0 {
        tracing::warn!("the end of the process will not be noticed");
    }
}

/// The size of the file behind a descriptor, if there is one.
pub(crate) fn file_size(descriptor: i32) -> Option<usize> {
    // SAFETY: all zeros is a value of this structure, which outlives the call.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    (unsafe { libc::fstat(descriptor, &mut status) } == 0)
        .then_some(status.st_size)
        .and_then(|size| usize::try_from(size).ok())
}

/// Whether there is memory of any kind in the whole range.
pub(crate) fn is_mapped(address: u64, size: usize) -> bool {
    // SAFETY: has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64;
    let start = address / page * page;
    let length = (address - start).checked_add(size as u64);
    // The system rounds lengths up, the largest ones to nothing.
    let Some(length) = length.filter(|length| *length <= isize::MAX as u64) else { return false };
    // SAFETY: an asynchronous flush does nothing but look whether there are mappings; it changes no memory,
    // and fails for addresses that have none.
    unsafe { libc::msync(start as *mut _, length as usize, libc::MS_ASYNC) == 0 }
}

/// Whether the whole range is memory that can be read.
pub(crate) fn is_readable(address: u64, size: usize) -> bool {
    let Some(end) = address.checked_add(size as u64) else { return false };
    // Without the file, what is mapped is taken for memory.
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else {
        return is_mapped(address, size);
    };
    let mut next = address;
    // "7f8c00000000-7f8c00021000 rw-p ...", in order.
    for line in maps.lines() {
        let mapping = line.split_once(' ').and_then(|(range, rest)| {
            let (from, to) = range.split_once('-')?;
            let number = |text| u64::from_str_radix(text, 16).ok();
            Some((number(from)?, number(to)?, rest.starts_with('r')))
        });
        let Some((from, to, is_readable)) = mapping else { continue };
        if to <= next {
            continue;
        }
        if from > next || !is_readable {
            break;
        }
        next = to;
        if next >= end {
            return true;
        }
    }
    next >= end
}

/// Whether the machine has a NUMA node of this number. One whose system names none is one node.
pub(crate) fn has_numa_node(node: i32) -> bool {
    node == 0 || std::path::Path::new(&format!("/sys/devices/system/node/node{node}")).is_dir()
}

/// The node of the host's memory that is nearest to the device at an address on the bus, or to this process where none of
/// them is on it; -1 where the system names none.
pub(crate) fn nearest_numa_node([domain, bus, device]: zluda_common::pci::Address) -> i32 {
    let root = Root::new("/".into());
    let path = format!("sys/bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.0/numa_node");
    let of_device = root.number(path).filter(|node| *node >= 0);
    let of_process = || i32::try_from(*nodes::usable(&root)?.first()?).ok();
    of_device.or_else(of_process).unwrap_or(-1)
}

/// Whether another process has a device of this machine's processors open.
pub(crate) fn computes(process: u32) -> bool {
    let root = Root::new("/".into());
    let mut providers = [zluda_staged::CPU_PROVIDER, zluda_staged::EMULATED_PROVIDER].into_iter();
    providers.any(|provider| has_loaded(&root, process, provider))
}
