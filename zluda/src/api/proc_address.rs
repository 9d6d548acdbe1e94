//! Look-up of the driver's functions by name and version.

use crate::convert::{Out, Text};
use crate::proc_address::{ENTRIES, Entry};
use cuda_types::cuda::{
    CUdriverProcAddress_flags as F, CUdriverProcAddressQueryResult as Q, CUerror, CUres,
};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

pub(crate) fn cuGetProcAddress(
    symbol: Text<'_>,
    function: Out<*mut c_void>,
    version: c_int,
    flags: u64,
) -> CUres {
    let status = look_up(symbol, function, version, flags)?;
    // "CUDA_ERROR_NOT_FOUND"
    if status == Q::CU_GET_PROC_ADDRESS_SUCCESS { Ok(()) } else { Err(CUerror::NOT_FOUND) }
}

pub(crate) fn cuGetProcAddress_v2(
    symbol: Text<'_>,
    function: Out<*mut c_void>,
    version: c_int,
    flags: u64,
    status: Out<Q>,
) -> CUres {
    let found = look_up(symbol, function, version, flags)?;
    // The first version leaves the program's pointer as it is.
    if found != Q::CU_GET_PROC_ADDRESS_SUCCESS {
        function.set(null_mut())?;
    }
    status.set_if_wanted(found);
    // Without a status the program learns it from the result.
    if found != Q::CU_GET_PROC_ADDRESS_SUCCESS && status.is_null() {
        return Err(CUerror::NOT_FOUND);
    }
    Ok(())
}

fn look_up(symbol: Text<'_>, function: Out<*mut c_void>, version: c_int, flags: u64) -> CUres<Q> {
    function.check()?;
    let symbol = symbol.get()?;
    let known =
        F::CU_GET_PROC_ADDRESS_LEGACY_STREAM.0 | F::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM.0;
    if flags & !u64::from(known) != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let per_thread = flags & u64::from(F::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM.0) != 0;
    match choose(symbol.to_bytes(), version, per_thread) {
        Ok(entry) => {
            let found = crate::IMPLEMENTED.binary_search_by_key(&entry.symbol, |(name, _)| *name);
            let Some((_, address)) = found.ok().and_then(|i| crate::IMPLEMENTED.get(i)) else {
                // Programs that ask can do without what is not there: they would not expect it to fail.
                tracing::info!("unsupported: {} is asked for and not implemented", entry.symbol);
                return Ok(Q::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
            };
            function.set(address.0.cast_mut().cast())?;
            Ok(Q::CU_GET_PROC_ADDRESS_SUCCESS)
        }
        Err(status) => Ok(status),
    }
}

/// The newest variant that is not newer than `version`, per thread where there is such a variant.
fn choose(name: &[u8], version: c_int, per_thread: bool) -> Result<&'static Entry, Q> {
    let start = ENTRIES.partition_point(|entry| entry.name.as_bytes() < name);
    let entries = || ENTRIES[start..].iter().take_while(|entry| entry.name.as_bytes() == name);
    let has_variant = per_thread && entries().any(|entry| entry.per_thread);
    let newest = entries()
        .filter(|entry| entry.per_thread == has_variant && entry.version as c_int <= version)
        .last();
    newest.ok_or(match entries().next() {
        Some(_) => Q::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
        None => Q::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_choose_symbols() {
        for (name, version, per_thread, symbol) in [
            ("cuInit", 2000, false, "cuInit"),
            ("cuMemAlloc", 3020, false, "cuMemAlloc_v2"),
            ("cuMemAlloc", 3010, false, "cuMemAlloc"),
            ("cuCtxCreate", 13000, false, "cuCtxCreate_v4"),
            ("cuCtxCreate", 12000, false, "cuCtxCreate_v3"),
            ("cuMemcpyHtoD", 7000, true, "cuMemcpyHtoD_v2_ptds"),
            ("cuMemcpyHtoD", 13000, false, "cuMemcpyHtoD_v2"),
            ("cuLaunchKernel", 7000, true, "cuLaunchKernel_ptsz"),
            ("cuCtxSynchronize", 2000, false, "cuCtxSynchronize"),
            ("cuCtxSynchronize", 13000, true, "cuCtxSynchronize_v2"),
            ("cuStreamWaitValue32", 8000, true, "cuStreamWaitValue32_ptsz"),
            ("cuProfilerStart", 4000, false, "cuProfilerStart"),
        ] {
            assert_eq!(
                choose(name.as_bytes(), version, per_thread).map(|entry| entry.symbol),
                Ok(symbol),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_not_there_is_told_from_what_is_too_new() {
        let missing = choose(b"cuNoSuchFunction", 13000, false).map(|entry| entry.symbol);
        assert_eq!(missing, Err(Q::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
        let new = choose(b"cuLaunchKernelEx", 11000, false).map(|entry| entry.symbol);
        assert_eq!(new, Err(Q::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
        assert!(choose(b"", 0, false).is_err());
    }
}
