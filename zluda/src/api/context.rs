//! Contexts.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::context::place::Place;
use crate::core::context::{self, Context, current, handle_or_current, top};
use crate::core::device::driver::driver;
use crate::core::error::is_sticky;
use crate::core::memory::pool;
use crate::core::stream::PRIORITIES;
use cuda_types::cuda::{
    CUcontext, CUctx_flags, CUctxCreateParams, CUdevice, CUerror, CUexecAffinityParam,
    CUexecAffinityType, CUfunc_cache, CUlimit, CUres, CUsharedconfig,
};
use std::ffi::{c_int, c_uint, c_ulonglong};
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

/// `INVALID_VALUE` for flags that do not exist, or more than one way of waiting.
pub(crate) fn check_flags(flags: c_uint) -> CUres {
    let known = CUctx_flags::CU_CTX_FLAGS_MASK.0;
    let scheduling = flags & CUctx_flags::CU_CTX_SCHED_MASK.0;
    if flags & !known != 0 || !matches!(scheduling, 0 | 1 | 2 | 4) {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(())
}

/// The context with this handle: `INVALID_VALUE` for null, `INVALID_CONTEXT` for what is none.
fn not_null(handle: CUcontext) -> CUres<Place> {
    if handle.is_null() { Err(CUerror::INVALID_VALUE) } else { Place::from_handle(handle) }
}

fn create(out: Out<CUcontext>, flags: c_uint, device: CUdevice) -> CUres {
    out.check()?;
    check_flags(flags)?;
    let device = driver()?.device(device)?;
    let context = Context::create(device.ordinal, flags)?;
    out.set(context.handle())?;
    // "The context is [...] made current to the calling thread."
    context::push(context.into())
}

pub(crate) fn cuCtxCreate_v2(context: Out<CUcontext>, flags: c_uint, device: CUdevice) -> CUres {
    create(context, flags, device)
}

pub(crate) fn cuCtxCreate_v3(
    context: Out<CUcontext>,
    affinity: In<CUexecAffinityParam>,
    params: c_int,
    flags: c_uint,
    device: CUdevice,
) -> CUres {
    // An H100 takes fewer than none for none.
    if params > 0 {
        affinity.get()?;
        return Err(CUerror::UNSUPPORTED_EXEC_AFFINITY);
    }
    create(context, flags, device)
}

pub(crate) fn cuCtxCreate_v4(
    context: Out<CUcontext>,
    params: In<CUctxCreateParams>,
    flags: c_uint,
    device: CUdevice,
) -> CUres {
    if let Some(params) = params.optional() {
        if params.numExecAffinityParams != 0 {
            return Err(CUerror::UNSUPPORTED_EXEC_AFFINITY);
        }
        if !params.cigParams.is_null() {
            return Err(CUerror::NOT_SUPPORTED);
        }
    }
    create(context, flags, device)
}

pub(crate) fn cuCtxDestroy_v2(context: CUcontext) -> CUres {
    let place = not_null(context)?;
    if place.context.is_primary {
        return Err(CUerror::INVALID_CONTEXT);
    }
    // "If ctx is current to the calling thread then ctx will also be popped from the current thread's
    // context stack (as though cuCtxPopCurrent() were called)."
    if top().is_some_and(|top| top.is(&place)) {
        context::pop()?;
    }
    place.context.end();
    Ok(())
}

pub(crate) fn cuCtxAttach(out: Out<CUcontext>, flags: c_uint) -> CUres {
    out.check()?;
    // "Currently, flags must be 0."
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let current = current()?;
    current.context.attached.fetch_add(1, Ordering::Relaxed);
    out.set(current.context.handle())
}

pub(crate) fn cuCtxDetach(handle: CUcontext) -> CUres {
    let place = Place::from_handle(handle)?;
    if place.green.is_some() || top().is_none_or(|top| !top.is(&place)) {
        return Err(CUerror::INVALID_CONTEXT);
    }
    match place.context.attached.fetch_sub(1, Ordering::AcqRel) {
        1 => cuCtxDestroy_v2(handle),
        _ => Ok(()),
    }
}

pub(crate) fn cuCtxPushCurrent_v2(context: CUcontext) -> CUres {
    context::push(not_null(context)?)
}

pub(crate) fn cuCtxPopCurrent_v2(context: Out<CUcontext>) -> CUres {
    let popped = context::pop()?;
    context.set_if_wanted(popped.handle());
    Ok(())
}

pub(crate) fn cuCtxSetCurrent(handle: CUcontext) -> CUres {
    // "If hCtx is NULL then the CUDA context previously at the top of the calling host thread's stack will
    // be popped."
    let place = if handle.is_null() { None } else { Some(Place::from_handle(handle)?) };
    context::set_top(place)
}

pub(crate) fn cuCtxGetCurrent(context: Out<CUcontext>) -> CUres {
    context.set(top().map_or(null_mut(), |top| top.handle()))
}

pub(crate) fn cuCtxGetDevice(device: Out<CUdevice>) -> CUres {
    device.check()?;
    device.set(top().ok_or(CUerror::INVALID_CONTEXT)?.context.device)
}

pub(crate) fn cuCtxGetDevice_v2(device: Out<CUdevice>, context: CUcontext) -> CUres {
    device.check()?;
    if context.is_null() {
        return cuCtxGetDevice(device);
    }
    device.set(Context::from_handle(context)?.device)
}

pub(crate) fn cuCtxGetFlags(flags: Out<c_uint>) -> CUres {
    flags.check()?;
    let context = current()?.context;
    // Primary contexts have this one whether it was asked for or not, others do not.
    let always = if context.is_primary { CUctx_flags::CU_CTX_MAP_HOST.0 } else { 0 };
    flags.set(context.flags() | always)
}

pub(crate) fn cuCtxSetFlags(flags: c_uint) -> CUres {
    check_flags(flags)?;
    current()?.context.set_flags(flags);
    Ok(())
}

pub(crate) fn cuCtxGetId(context: CUcontext, id: Out<c_ulonglong>) -> CUres {
    id.check()?;
    id.set(handle_or_current(context)?.place().id())
}

pub(crate) fn cuCtxSynchronize() -> CUres {
    cuCtxSynchronize_v2(null_mut())
}

pub(crate) fn cuCtxSynchronize_v2(context: CUcontext) -> CUres {
    let current = handle_or_current(context)?;
    capture::check_none_in(&current.place())?;
    // SAFETY: has no preconditions.
    let result = current.check_synchronized(unsafe { current.driver.hip.hipDeviceSynchronize() });
    pool::waited(None);
    result
}

pub(crate) fn cuCtxGetApiVersion(context: CUcontext, version: Out<c_uint>) -> CUres {
    version.check()?;
    match handle_or_current(context) {
        // An H100 knows no version of a context that has ended, where it is named.
        Err(CUerror::CONTEXT_IS_DESTROYED) if !context.is_null() => {
            return Err(CUerror::INVALID_CONTEXT);
        }
        // CUDA's runtime asks before it resets a device that a kernel's error has made useless.
        Err(error) if !is_sticky(error) => return Err(error),
        _ => {}
    }
    // The version of the context interface, which has not changed since CUDA 3.2.
    version.set(3020)
}

/// "UNSUPPORTED_LIMIT": kernels of an H100's capability do not wait for kernels that they launch.
fn check_limit(limit: CUlimit) -> CUres {
    match limit {
        CUlimit::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH => Err(CUerror::UNSUPPORTED_LIMIT),
        CUlimit(9) => Err(CUerror::UNSUPPORTED_LIMIT),
        _ => Ok(()),
    }
}

pub(crate) fn cuCtxGetLimit(value: Out<usize>, limit: CUlimit) -> CUres {
    value.check()?;
    let current = current()?;
    check_limit(limit)?;
    value.set(current.context.limit(limit)?)
}

pub(crate) fn cuCtxSetLimit(limit: CUlimit, value: usize) -> CUres {
    capture::check_unsafe_call()?;
    let current = current()?;
    check_limit(limit)?;
    let value = match limit {
        // Stacks are whole pieces of 16 bytes.
        CUlimit::CU_LIMIT_STACK_SIZE => value.saturating_add(15) & !15,
        CUlimit::CU_LIMIT_MAX_L2_FETCH_GRANULARITY if value > 128 => {
            return Err(CUerror::INVALID_VALUE);
        }
        CUlimit::CU_LIMIT_SHMEM_SIZE => return Err(CUerror::NOT_PERMITTED),
        _ => value,
    };
    current.context.set_limit(current.driver, limit, value)
}

pub(crate) fn cuCtxGetCacheConfig(config: Out<CUfunc_cache>) -> CUres {
    config.check()?;
    config.set(current()?.context.settings.lock().cache_config)
}

pub(crate) fn cuCtxSetCacheConfig(config: CUfunc_cache) -> CUres {
    capture::check_unsafe_call()?;
    if config.0 > CUfunc_cache::CU_FUNC_CACHE_PREFER_EQUAL.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    current()?.context.settings.lock().cache_config = config;
    Ok(())
}

pub(crate) fn cuCtxGetSharedMemConfig(config: Out<CUsharedconfig>) -> CUres {
    config.check()?;
    current()?;
    // An H100 has banks of four bytes, whatever was asked for.
    config.set(CUsharedconfig::CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE)
}

pub(crate) fn cuCtxSetSharedMemConfig(config: CUsharedconfig) -> CUres {
    if config.0 > 2 {
        return Err(CUerror::INVALID_VALUE);
    }
    current().map(drop)
}

pub(crate) fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) -> CUres {
    current()?;
    least.set_if_wanted(PRIORITIES.1);
    greatest.set_if_wanted(PRIORITIES.0);
    Ok(())
}

pub(crate) fn cuCtxResetPersistingL2Cache() -> CUres {
    current()?;
    Ok(())
}

pub(crate) fn cuCtxGetExecAffinity(
    affinity: Out<CUexecAffinityParam>,
    kind: CUexecAffinityType,
) -> CUres {
    let current = current()?;
    affinity.check()?;
    if kind != CUexecAffinityType::CU_EXEC_AFFINITY_TYPE_SM_COUNT {
        return Err(CUerror::UNSUPPORTED_EXEC_AFFINITY);
    }
    // SAFETY: all zeros is a value of the union's members.
    let mut all: CUexecAffinityParam = unsafe { std::mem::zeroed() };
    all.type_ = kind;
    all.param.smCount.val = current.device()?.properties.multiprocessors as u32;
    affinity.set(all)
}
