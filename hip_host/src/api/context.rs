//! Initialisation, the current device, contexts, limits, peers.
//!
//! Each device has a primary context, which is always there.

use std::ffi::c_void;

use hip_runtime_sys::{
    hipCtx_t, hipDevice_t, hipDeviceP2PAttr, hipError_t, hipFuncCache_t, hipLimit_t,
    hipSharedMemConfig,
};

use super::{INVALID, Result, check_device, check_may_wait, hip_api, put};
use crate::core::context::{self, Context, current, set_current};
use crate::core::device::{self, Device};
use crate::core::stream;
use crate::core::tables::tables;

fn handle(context: &Context) -> hipCtx_t {
    std::ptr::without_provenance_mut(context.handle.load(std::sync::atomic::Ordering::Relaxed))
}

fn find(handle: hipCtx_t) -> Result<&'static Context> {
    tables().contexts.get(handle).map(|context| *context).ok_or(hipError_t::hipErrorInvalidContext)
}

hip_api! {
    always fn hipInit(flags: u32) {
        if flags == 0 { Ok(()) } else { Err(INVALID) }
    }

    always fn hipDriverGetVersion(driverVersion: *mut i32) {
        // SAFETY: the program's pointer.
        unsafe { put(driverVersion, hip_runtime_sys::HIP_VERSION as i32) }
    }

    always fn hipRuntimeGetVersion(runtimeVersion: *mut i32) {
        // SAFETY: the program's pointer.
        unsafe { put(runtimeVersion, hip_runtime_sys::HIP_VERSION as i32) }
    }

    always fn hipGetDeviceCount(count: *mut i32) {
        // SAFETY: the program's pointer.
        unsafe { put(count, device::all().len() as i32) }
    }

    always fn hipGetDevice(deviceId: *mut i32) {
        // SAFETY: the program's pointer.
        unsafe { put(deviceId, current().device.ordinal as i32) }
    }

    always fn hipSetDevice(deviceId: i32) {
        set_current(Device::of(deviceId)?.primary());
        Ok(())
    }

    always fn hipSetDeviceFlags(flags: u32) {
        // Three bits say how to wait, one each asks for mapped memory and for local memory to stay.
        if flags & !0x1f == 0 { Ok(()) } else { Err(INVALID) }
    }

    always fn hipGetDeviceFlags(flags: *mut u32) {
        // SAFETY: the program's pointer.
        unsafe { put(flags, 0) }
    }

    healthy fn hipDeviceSynchronize() {
        check_may_wait()?;
        current().synchronize()
    }

    healthy fn hipCtxSynchronize() {
        check_may_wait()?;
        current().synchronize()
    }

    always fn hipDeviceReset() {
        check_may_wait()?;
        current().device.reset();
        Ok(())
    }

    always fn hipDevicePrimaryCtxReset(dev: hipDevice_t) {
        let device = Device::of(dev)?;
        check_may_wait()?;
        device.reset();
        Ok(())
    }

    always fn hipDevicePrimaryCtxRetain(pctx: *mut hipCtx_t, dev: hipDevice_t) {
        // SAFETY: the program's pointer.
        unsafe { put(pctx, handle(Device::of(dev)?.primary())) }
    }

    always fn hipDevicePrimaryCtxRelease(dev: hipDevice_t) {
        check_device(dev)
    }

    always fn hipDevicePrimaryCtxGetState(dev: hipDevice_t, flags: *mut u32, active: *mut i32) {
        check_device(dev)?;
        // SAFETY: the program's pointers.
        unsafe {
            put(flags, 0)?;
            put(active, 1)
        }
    }

    always fn hipDevicePrimaryCtxSetFlags(dev: hipDevice_t, _flags: u32) {
        check_device(dev)
    }

    always fn hipCtxGetCurrent(ctx: *mut hipCtx_t) {
        // SAFETY: the program's pointer.
        unsafe { put(ctx, handle(current())) }
    }

    always fn hipCtxSetCurrent(ctx: hipCtx_t) {
        // Null means the device's own.
        set_current(if ctx.is_null() { current().device.primary() } else { find(ctx)? });
        Ok(())
    }

    always fn hipCtxCreate(ctx: *mut hipCtx_t, _flags: u32, device: hipDevice_t) {
        let device = Device::of(device)?;
        if ctx.is_null() {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        unsafe { put(ctx, handle(context::create(device))) }
    }

    always fn hipCtxDestroy(ctx: hipCtx_t) {
        let context = find(ctx)?;
        if context == context.device.primary() {
            return Err(hipError_t::hipErrorInvalidContext);
        }
        check_may_wait()?;
        tables().contexts.remove(ctx);
        if context == current() {
            set_current(context.device.primary());
        }
        context.end();
        Ok(())
    }

    always fn hipCtxGetDevice(device: *mut hipDevice_t) {
        // SAFETY: the program's pointer.
        unsafe { put(device, current().device.ordinal as i32) }
    }

    healthy fn hipDeviceGetLimit(pValue: *mut usize, limit: hipLimit_t) {
        let context = current();
        let value = match limit {
            hipLimit_t::hipLimitStackSize => context.limits.stack(),
            hipLimit_t::hipLimitPrintfFifoSize => context.limits.printf(),
            hipLimit_t::hipLimitMallocHeapSize => context.heap.limit(),
            _ => return Err(hipError_t::hipErrorUnsupportedLimit),
        };
        // SAFETY: the program's pointer.
        unsafe { put(pValue, value) }
    }

    healthy fn hipDeviceSetLimit(limit: hipLimit_t, value: usize) {
        let context = current();
        match limit {
            // A thread's stack on a device has half a megabyte at most.
            hipLimit_t::hipLimitStackSize if value <= 512 << 10 => context.limits.set_stack(value),
            hipLimit_t::hipLimitStackSize => return Err(INVALID),
            hipLimit_t::hipLimitPrintfFifoSize => context.limits.set_printf(value),
            hipLimit_t::hipLimitMallocHeapSize if value <= tables().memory.limit() => {
                check_may_wait()?;
                context.streams.wait_for_all();
                context.heap.set_limit(value);
            }
            hipLimit_t::hipLimitMallocHeapSize => return Err(hipError_t::hipErrorOutOfMemory),
            _ => return Err(hipError_t::hipErrorUnsupportedLimit),
        }
        Ok(())
    }

    healthy fn hipDeviceGetCacheConfig(cacheConfig: *mut hipFuncCache_t) {
        // SAFETY: the program's pointer.
        unsafe { put(cacheConfig, hipFuncCache_t::hipFuncCachePreferNone) }
    }

    healthy fn hipDeviceSetCacheConfig(_cacheConfig: hipFuncCache_t) {
        // A hint.
        Ok(())
    }

    healthy fn hipDeviceGetSharedMemConfig(pConfig: *mut hipSharedMemConfig) {
        // SAFETY: the program's pointer.
        unsafe { put(pConfig, hipSharedMemConfig::hipSharedMemBankSizeFourByte) }
    }

    healthy fn hipDeviceSetSharedMemConfig(_config: hipSharedMemConfig) {
        Ok(())
    }

    healthy fn hipDeviceCanAccessPeer(canAccessPeer: *mut i32, deviceId: i32, peerDeviceId: i32) {
        let both = [Device::of(deviceId)?, Device::of(peerDeviceId)?];
        // "A device is no peer of itself."
        // SAFETY: the program's pointer.
        unsafe { put(canAccessPeer, (both[0].ordinal != both[1].ordinal).into()) }
    }

    healthy fn hipDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32) {
        if flags != 0 {
            return Err(INVALID);
        }
        let peer = Device::of(peerDeviceId)?;
        if std::ptr::eq(peer, current().device) {
            return Err(hipError_t::hipErrorInvalidDevice);
        }
        current().add_peer(peer)
    }

    healthy fn hipDeviceDisablePeerAccess(peerDeviceId: i32) {
        current().remove_peer(Device::of(peerDeviceId)?)
    }

    healthy fn hipDeviceGetP2PAttribute(
        value: *mut i32, attr: hipDeviceP2PAttr, srcDevice: i32, dstDevice: i32,
    ) {
        check_device(srcDevice)?;
        check_device(dstDevice)?;
        // "The devices must not be the same."
        if srcDevice == dstDevice {
            return Err(hipError_t::hipErrorInvalidDevice);
        }
        let answer = match attr {
            hipDeviceP2PAttr::hipDevP2PAttrPerformanceRank => 0,
            hipDeviceP2PAttr::hipDevP2PAttrAccessSupported
            | hipDeviceP2PAttr::hipDevP2PAttrNativeAtomicSupported
            | hipDeviceP2PAttr::hipDevP2PAttrHipArrayAccessSupported => 1,
            _ => return Err(INVALID),
        };
        // SAFETY: the program's pointer.
        unsafe { put(value, answer) }
    }

    always fn hipProfilerStart() {
        Ok(())
    }

    always fn hipProfilerStop() {
        Ok(())
    }

    healthy fn hipMemAdvise(dev_ptr: *const c_void, count: usize, _advice: hip_runtime_sys::hipMemoryAdvise, _device: i32) {
        super::check_known(dev_ptr, count)
    }

    healthy fn hipMemPrefetchAsync(
        dev_ptr: *const c_void, count: usize, _device: i32, stream: hip_runtime_sys::hipStream_t,
    ) {
        stream::find(stream)?;
        super::check_known(dev_ptr, count)
    }
}
