//! The differences between versions of ROCm. The types are those of ROCm 7; each function here takes and gives them,
//! whatever the library takes and gives. `./x test hip` compares the layouts with the headers of every version.

// The names are HIP's.
#![allow(non_camel_case_types, non_snake_case)]

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::mem::{offset_of, zeroed};
use core::ptr::null_mut;

use crate::{
    HIP_MEMCPY3D, HipRuntime, hipArray_t, hipDeviceProp_tR0600, hipError_t, hipFunction_t,
    hipIpcMemHandle_t, hipIpcMemLazyEnablePeerAccess, hipMemoryType, hipStream_t,
};

/// The properties of a device before ROCm 6, as far as they are read here.
#[repr(C)]
#[derive(Clone, Copy)]
struct hipDeviceProp_tR0000 {
    name: [c_char; 256],
    totalGlobalMem: usize,
    sharedMemPerBlock: usize,
    regsPerBlock: c_int,
    warpSize: c_int,
    maxThreadsPerBlock: c_int,
    maxThreadsDim: [c_int; 3],
    maxGridSize: [c_int; 3],
    clockRate: c_int,
    memoryClockRate: c_int,
    memoryBusWidth: c_int,
    totalConstMem: usize,
    major: c_int,
    minor: c_int,
    multiProcessorCount: c_int,
    l2CacheSize: c_int,
    maxThreadsPerMultiProcessor: c_int,
    computeMode: c_int,
    clockInstructionRate: c_int,
    arch: u32,
    concurrentKernels: c_int,
    pciDomainID: c_int,
    pciBusID: c_int,
    pciDeviceID: c_int,
    maxSharedMemoryPerMultiProcessor: usize,
    isMultiGpuBoard: c_int,
    canMapHostMemory: c_int,
    gcnArch: c_int,
    gcnArchName: [c_char; 256],
    rest: [c_int; 35],
}

/// A copy before ROCm 6, when sizes had 32 bits.
#[repr(C)]
#[derive(Clone, Copy)]
struct HIP_MEMCPY3D_R0000 {
    srcXInBytes: c_uint,
    srcY: c_uint,
    srcZ: c_uint,
    srcLOD: c_uint,
    srcMemoryType: c_uint,
    srcHost: *const c_void,
    srcDevice: *mut c_void,
    srcArray: hipArray_t,
    srcPitch: c_uint,
    srcHeight: c_uint,
    dstXInBytes: c_uint,
    dstY: c_uint,
    dstZ: c_uint,
    dstLOD: c_uint,
    dstMemoryType: c_uint,
    dstHost: *mut c_void,
    dstDevice: *mut c_void,
    dstArray: hipArray_t,
    dstPitch: c_uint,
    dstHeight: c_uint,
    WidthInBytes: c_uint,
    Height: c_uint,
    Depth: c_uint,
}

type GetDeviceProperties = unsafe extern "C" fn(*mut hipDeviceProp_tR0000, c_int) -> hipError_t;
type DrvMemcpy3DAsync = unsafe extern "C" fn(*const HIP_MEMCPY3D_R0000, hipStream_t) -> hipError_t;

/// Functions of versions before ROCm 6 whose parameters have other layouts now.
#[derive(Clone, Copy)]
pub(crate) struct Before6 {
    get_device_properties: GetDeviceProperties,
    memcpy_3d_async: DrvMemcpy3DAsync,
}

impl Before6 {
    /// The functions, where a library has the old layouts: such a one lacks the function that was new in ROCm 6.
    ///
    /// # Safety
    /// `library` is a HIP library.
    pub(crate) unsafe fn new(library: &libloading::Library) -> Option<Before6> {
        // SAFETY: the caller says that these names are HIP's, which have these types in such libraries.
        unsafe {
            if library.get::<GetDeviceProperties>(b"hipGetDevicePropertiesR0600\0").is_ok() {
                return None;
            }
            Some(Before6 {
                get_device_properties: *library.get(b"hipGetDeviceProperties\0").ok()?,
                memcpy_3d_async: *library.get(b"hipDrvMemcpy3DAsync\0").ok()?,
            })
        }
    }
}

/// The number of a kind of memory before ROCm 6.
fn old_memory_type(kind: hipMemoryType) -> Option<c_uint> {
    Some(match kind {
        hipMemoryType::hipMemoryTypeHost => 0,
        hipMemoryType::hipMemoryTypeDevice => 1,
        hipMemoryType::hipMemoryTypeArray => 2,
        hipMemoryType::hipMemoryTypeUnified => 3,
        hipMemoryType::hipMemoryTypeManaged => 4,
        _ => return None,
    })
}

impl HIP_MEMCPY3D_R0000 {
    /// `None` for sizes that need more than 32 bits.
    fn new(copy: &HIP_MEMCPY3D) -> Option<Self> {
        let word = |size: usize| c_uint::try_from(size).ok();
        Some(Self {
            srcXInBytes: word(copy.srcXInBytes)?,
            srcY: word(copy.srcY)?,
            srcZ: word(copy.srcZ)?,
            srcLOD: word(copy.srcLOD)?,
            srcMemoryType: old_memory_type(copy.srcMemoryType)?,
            srcHost: copy.srcHost,
            srcDevice: copy.srcDevice,
            srcArray: copy.srcArray,
            srcPitch: word(copy.srcPitch)?,
            srcHeight: word(copy.srcHeight)?,
            dstXInBytes: word(copy.dstXInBytes)?,
            dstY: word(copy.dstY)?,
            dstZ: word(copy.dstZ)?,
            dstLOD: word(copy.dstLOD)?,
            dstMemoryType: old_memory_type(copy.dstMemoryType)?,
            dstHost: copy.dstHost,
            dstDevice: copy.dstDevice,
            dstArray: copy.dstArray,
            dstPitch: word(copy.dstPitch)?,
            dstHeight: word(copy.dstHeight)?,
            WidthInBytes: word(copy.WidthInBytes)?,
            Height: word(copy.Height)?,
            Depth: word(copy.Depth)?,
        })
    }
}

/// The kernel of a launch, its dimensions and its stream.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub function: hipFunction_t,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    pub stream: hipStream_t,
}

impl HipRuntime {
    /// The properties of a device; before ROCm 6, only those that a driver has to know, and zeros.
    pub fn device_properties(&self, device: c_int) -> Result<hipDeviceProp_tR0600, hipError_t> {
        // SAFETY: all-zero is a valid value of this structure of numbers, text and pointers.
        let mut new: hipDeviceProp_tR0600 = unsafe { zeroed() };
        let Some(before_6) = self.before_6() else {
            // SAFETY: `new` outlives the call.
            unsafe { self.hipGetDevicePropertiesR0600(&mut new, device) }.result()?;
            return Ok(new);
        };
        // SAFETY: as above.
        let mut old: hipDeviceProp_tR0000 = unsafe { zeroed() };
        // SAFETY: `old` outlives the call.
        unsafe { (before_6.get_device_properties)(&mut old, device) }.result()?;
        new.name = old.name;
        new.totalGlobalMem = old.totalGlobalMem;
        new.sharedMemPerBlock = old.sharedMemPerBlock;
        new.regsPerBlock = old.regsPerBlock;
        new.warpSize = old.warpSize;
        new.maxThreadsPerBlock = old.maxThreadsPerBlock;
        new.clockRate = old.clockRate;
        new.memoryClockRate = old.memoryClockRate;
        new.memoryBusWidth = old.memoryBusWidth;
        new.multiProcessorCount = old.multiProcessorCount;
        new.l2CacheSize = old.l2CacheSize;
        new.maxThreadsPerMultiProcessor = old.maxThreadsPerMultiProcessor;
        new.pciDomainID = old.pciDomainID;
        new.pciBusID = old.pciBusID;
        new.pciDeviceID = old.pciDeviceID;
        new.maxSharedMemoryPerMultiProcessor = old.maxSharedMemoryPerMultiProcessor;
        new.gcnArchName = old.gcnArchName;
        Ok(new)
    }

    /// `hipDrvMemcpy3DAsync`. Before ROCm 6, `hipErrorInvalidValue` for sizes of 4 GiB and more.
    ///
    /// # Safety
    /// As HIP's manual says.
    pub unsafe fn memcpy_3d_async(&self, copy: &HIP_MEMCPY3D, stream: hipStream_t) -> hipError_t {
        let Some(before_6) = self.before_6() else {
            // SAFETY: the caller says so.
            return unsafe { self.hipDrvMemcpy3DAsync(copy, stream) };
        };
        match HIP_MEMCPY3D_R0000::new(copy) {
            // SAFETY: as above.
            Some(copy) => unsafe { (before_6.memcpy_3d_async)(&copy, stream) },
            None => hipError_t::hipErrorInvalidValue,
        }
    }

    /// `hipIpcOpenMemHandle` with its only flag, whose number was another one before ROCm 6.
    ///
    /// # Safety
    /// As HIP's manual says.
    pub unsafe fn ipc_open_memory(
        &self,
        to: *mut *mut c_void,
        handle: hipIpcMemHandle_t,
    ) -> hipError_t {
        let flags = if self.before_6().is_some() { 0 } else { hipIpcMemLazyEnablePeerAccess };
        // SAFETY: the caller says so.
        unsafe { self.hipIpcOpenMemHandle(to, handle, flags) }
    }

    /// Launches a kernel whose blocks all run at the same time. All versions from ROCm 5.7 on have a function
    /// for it, which takes a pointer for each of the kernel's arguments and no buffer of all of them.
    ///
    /// # Safety
    /// The function is loaded, `arguments` are those of the kernel, and the stream is one.
    pub unsafe fn launch_cooperative(
        &self,
        launch: &Launch,
        arguments: &mut [*mut c_void],
    ) -> hipError_t {
        let ([grid_x, grid_y, grid_z], [x, y, z]) = (launch.grid, launch.block);
        let arguments = if arguments.is_empty() { null_mut() } else { arguments.as_mut_ptr() };
        let (shared, stream) = (launch.shared, launch.stream);
        // SAFETY: the caller says so.
        unsafe {
            self.hipModuleLaunchCooperativeKernel(
                launch.function,
                grid_x,
                grid_y,
                grid_z,
                x,
                y,
                z,
                shared,
                stream,
                arguments,
            )
        }
    }
}

/// Checks where a structure's fields lie. `./x test hip` reads these lines, and compares them with the headers.
macro_rules! layout {
    ($name:ident of $header:ident: $size:literal; $($field:ident $offset:literal)*) => {
        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(offset_of!($name, $field) == $offset);)*
        };
    };
}

layout! {
    hipDeviceProp_tR0000 of hipDeviceProp_t: 792;
    name 0 totalGlobalMem 256 sharedMemPerBlock 264 regsPerBlock 272 warpSize 276
    maxThreadsPerBlock 280 maxThreadsDim 284 maxGridSize 296 clockRate 308 memoryClockRate 312
    memoryBusWidth 316 totalConstMem 320 major 328 minor 332 multiProcessorCount 336
    l2CacheSize 340 maxThreadsPerMultiProcessor 344 computeMode 348 clockInstructionRate 352
    arch 356 concurrentKernels 360 pciDomainID 364 pciBusID 368 pciDeviceID 372
    maxSharedMemoryPerMultiProcessor 376 isMultiGpuBoard 384 canMapHostMemory 388 gcnArch 392
    gcnArchName 396
}

layout! {
    HIP_MEMCPY3D_R0000 of HIP_MEMCPY3D: 128;
    srcXInBytes 0 srcY 4 srcZ 8 srcLOD 12 srcMemoryType 16 srcHost 24 srcDevice 32 srcArray 40
    srcPitch 48 srcHeight 52 dstXInBytes 56 dstY 60 dstZ 64 dstLOD 68 dstMemoryType 72 dstHost 80
    dstDevice 88 dstArray 96 dstPitch 104 dstHeight 108 WidthInBytes 112 Height 116 Depth 120
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_rocm_5_have_32_bits() {
        // SAFETY: all zeros is a description of a copy.
        let mut copy: HIP_MEMCPY3D = unsafe { zeroed() };
        copy.srcMemoryType = hipMemoryType::hipMemoryTypeArray;
        copy.dstMemoryType = hipMemoryType::hipMemoryTypeHost;
        copy.dstPitch = 4096;
        copy.Height = 7;
        let old = HIP_MEMCPY3D_R0000::new(&copy).unwrap();
        assert_eq!((old.srcMemoryType, old.dstMemoryType), (2, 0));
        assert_eq!((old.dstPitch, old.Height), (4096, 7));
        copy.WidthInBytes = 1 << 32;
        assert!(HIP_MEMCPY3D_R0000::new(&copy).is_none());
    }
}
