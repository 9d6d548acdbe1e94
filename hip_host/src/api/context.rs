//! Initialisation, the current device, contexts, limits, peers.
//!
//! There is one device with one context, its primary one, which is always there.

use std::ffi::c_void;

use hip_runtime_sys::{
    hipCtx_t, hipDevice_t, hipDeviceP2PAttr, hipError_t, hipFuncCache_t, hipLimit_t,
    hipSharedMemConfig,
};

use super::{INVALID, check_device, check_may_wait, hip_api, put};
use crate::core::device::Device;

/// The handle of the primary context.
const PRIMARY: hipCtx_t = std::ptr::without_provenance_mut(0x5a1);

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
        unsafe { put(count, 1) }
    }

    always fn hipGetDevice(deviceId: *mut i32) {
        // SAFETY: the program's pointer.
        unsafe { put(deviceId, 0) }
    }

    always fn hipSetDevice(deviceId: i32) {
        check_device(deviceId)
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
        Device::get().synchronize()
    }

    healthy fn hipCtxSynchronize() {
        check_may_wait()?;
        Device::get().synchronize()
    }

    always fn hipDeviceReset() {
        check_may_wait()?;
        Device::get().reset();
        Ok(())
    }

    always fn hipDevicePrimaryCtxReset(dev: hipDevice_t) {
        check_device(dev)?;
        check_may_wait()?;
        Device::get().reset();
        Ok(())
    }

    always fn hipDevicePrimaryCtxRetain(pctx: *mut hipCtx_t, dev: hipDevice_t) {
        check_device(dev)?;
        // SAFETY: the program's pointer.
        unsafe { put(pctx, PRIMARY) }
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
        unsafe { put(ctx, PRIMARY) }
    }

    always fn hipCtxSetCurrent(ctx: hipCtx_t) {
        if ctx.is_null() || ctx == PRIMARY { Ok(()) } else { Err(hipError_t::hipErrorInvalidContext) }
    }

    always fn hipCtxGetDevice(device: *mut hipDevice_t) {
        // SAFETY: the program's pointer.
        unsafe { put(device, 0) }
    }

    healthy fn hipDeviceGetLimit(pValue: *mut usize, limit: hipLimit_t) {
        let device = Device::get();
        let value = match limit {
            hipLimit_t::hipLimitStackSize => device.limits.stack(),
            hipLimit_t::hipLimitPrintfFifoSize => device.limits.printf(),
            hipLimit_t::hipLimitMallocHeapSize => device.heap.limit(),
            _ => return Err(hipError_t::hipErrorUnsupportedLimit),
        };
        // SAFETY: the program's pointer.
        unsafe { put(pValue, value) }
    }

    healthy fn hipDeviceSetLimit(limit: hipLimit_t, value: usize) {
        let device = Device::get();
        match limit {
            // A thread's stack on a device has half a megabyte at most.
            hipLimit_t::hipLimitStackSize if value <= 512 << 10 => device.limits.set_stack(value),
            hipLimit_t::hipLimitStackSize => return Err(INVALID),
            hipLimit_t::hipLimitPrintfFifoSize => device.limits.set_printf(value),
            hipLimit_t::hipLimitMallocHeapSize if value <= device.memory.limit() => {
                check_may_wait()?;
                device.streams.wait_for_all();
                device.heap.set_limit(value);
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
        check_device(deviceId)?;
        check_device(peerDeviceId)?;
        // "A device is no peer of itself."
        // SAFETY: the program's pointer.
        unsafe { put(canAccessPeer, 0) }
    }

    healthy fn hipDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32) {
        if flags != 0 {
            return Err(INVALID);
        }
        check_device(peerDeviceId)?;
        Err(hipError_t::hipErrorInvalidDevice)
    }

    healthy fn hipDeviceDisablePeerAccess(peerDeviceId: i32) {
        check_device(peerDeviceId)?;
        Err(hipError_t::hipErrorPeerAccessNotEnabled)
    }

    healthy fn hipDeviceGetP2PAttribute(
        value: *mut i32, attr: hipDeviceP2PAttr, srcDevice: i32, dstDevice: i32,
    ) {
        check_device(srcDevice)?;
        check_device(dstDevice)?;
        let _ = (value, attr);
        // "The devices must not be the same."
        Err(hipError_t::hipErrorInvalidDevice)
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
        Device::get().streams.find(stream)?;
        super::check_known(dev_ptr, count)
    }
}
