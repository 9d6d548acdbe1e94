//! Processors and memory.

use windows_sys::Win32::System::SystemInformation::{
    CacheUnified, GetLogicalProcessorInformation, GlobalMemoryStatusEx, MEMORYSTATUSEX,
    RelationCache, SYSTEM_LOGICAL_PROCESSOR_INFORMATION,
};
use windows_sys::Win32::System::Threading::GetCurrentProcessorNumber;

/// The processor that this thread runs on, or ran on a moment ago.
pub fn processor() -> u32 {
    // SAFETY: no arguments.
    unsafe { GetCurrentProcessorNumber() }
}

/// Bytes of the machine's memory.
pub fn memory() -> usize {
    let mut status =
        MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: the structure says how long it is.
    match unsafe { GlobalMemoryStatusEx(&mut status) } {
        0 => 0,
        _ => usize::try_from(status.ullTotalPhys).unwrap_or(usize::MAX),
    }
}

/// Bytes of the last cache before memory, 0 where the system does not say.
pub fn last_cache() -> usize {
    let mut bytes = 0;
    // SAFETY: asks for the size only.
    unsafe { GetLogicalProcessorInformation(std::ptr::null_mut(), &mut bytes) };
    let each = size_of::<SYSTEM_LOGICAL_PROCESSOR_INFORMATION>();
    let mut parts = vec![SYSTEM_LOGICAL_PROCESSOR_INFORMATION::default(); bytes as usize / each];
    // SAFETY: there is room for as many bytes as asked for.
    if unsafe { GetLogicalProcessorInformation(parts.as_mut_ptr(), &mut bytes) } == 0 {
        return 0;
    }
    let caches = parts.iter().filter(|part| part.Relationship == RelationCache);
    // SAFETY: the relationship says which member is there.
    let caches = caches.map(|part| unsafe { part.Anonymous.Cache });
    let sizes = caches.filter(|cache| cache.Level == 3 && cache.Type == CacheUnified);
    sizes.map(|cache| cache.Size as usize).max().unwrap_or(0)
}
