//! Devices: names and attributes. The driver corrects what CUDA programs see.

use std::ffi::c_char;
use std::sync::LazyLock;

use hip_runtime_sys::{
    hipDevice_t, hipDeviceAttribute_t, hipDeviceProp_tR0600, hipUUID, hipUUID_t,
};

use super::{INVALID, Result, check_device, hip_api, put, text};
use crate::core::apart;
use crate::core::device::Device;
use crate::core::executor::executor;
use crate::core::tables::tables;
use crate::os::machine;

/// The device's name: the executor's, or else that of the processor.
fn name() -> &'static str {
    if let Some(name) = executor().name() {
        return name;
    }
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        model.map_or("x86-64 processor", |(_, model)| model.trim()).to_owned()
    });
    &NAME
}

/// Kilohertz, as far as the system says.
fn clock() -> i32 {
    static CLOCK: LazyLock<i32> = LazyLock::new(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let speed = text.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(':'));
        speed
            .and_then(|(_, speed)| speed.trim().parse::<f64>().ok())
            .map_or(1_000_000, |speed| (speed * 1000.0) as i32)
    });
    *CLOCK
}

/// Stays the same for a machine and a number.
fn uuid(ordinal: i32) -> [u8; 16] {
    static UUID: LazyLock<[u8; 16]> = LazyLock::new(|| {
        let mut bytes = *b"zluda-cpu\0\0\0\0\0\0\0";
        let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
        for (index, byte) in machine.trim().bytes().chain(name().bytes()).enumerate() {
            let place = &mut bytes[9 + index % 7];
            *place = place.wrapping_mul(31).wrapping_add(byte);
        }
        bytes
    });
    let mut bytes = *UUID;
    // Programs name devices by the first characters that tell them apart.
    bytes[0] = bytes[0].wrapping_add(ordinal as u8);
    bytes
}

/// The PCI domain of the device, where no machine has one: NCCL asks Linux what lies at a device's address, and at
/// 0000:00:00.0 that is the machine's host bridge.
const PCI_DOMAIN: i32 = 0xffff;

/// The PCI address of a device: its bus is its number.
fn bus_id(ordinal: i32) -> String {
    format!("{PCI_DOMAIN:04x}:{ordinal:02x}:00.0")
}

fn attribute(device: &Device, attribute: hipDeviceAttribute_t) -> Result<i32> {
    use hipDeviceAttribute_t as A;
    let memory = || i32::try_from(tables().memory.limit()).unwrap_or(i32::MAX);
    let cache = || i32::try_from(machine::last_cache()).unwrap_or(i32::MAX);
    #[allow(non_upper_case_globals)]
    Ok(match attribute {
        A::hipDeviceAttributeAsyncEngineCount => 2,
        A::hipDeviceAttributeCanMapHostMemory
        | A::hipDeviceAttributeCanUseHostPointerForRegisteredMem
        | A::hipDeviceAttributeConcurrentKernels
        | A::hipDeviceAttributeConcurrentManagedAccess
        | A::hipDeviceAttributeCooperativeLaunch
        | A::hipDeviceAttributeDeviceOverlap
        | A::hipDeviceAttributeGlobalL1CacheSupported
        | A::hipDeviceAttributeHostRegisterSupported
        | A::hipDeviceAttributeLocalL1CacheSupported
        | A::hipDeviceAttributeManagedMemory
        | A::hipDeviceAttributeMemoryPoolsSupported
        | A::hipDeviceAttributeStreamPrioritiesSupported
        | A::hipDeviceAttributeUnifiedAddressing => 1,
        // A card has memory of its own, and a bus to the host's.
        A::hipDeviceAttributeDirectManagedMemAccessFromHost
        | A::hipDeviceAttributeHostNativeAtomicSupported
        | A::hipDeviceAttributeIntegrated
        | A::hipDeviceAttributePageableMemoryAccess
        | A::hipDeviceAttributePageableMemoryAccessUsesHostPageTables => {
            i32::from(!apart::is_apart())
        }
        A::hipDeviceAttributeClockRate | A::hipDeviceAttributeClockInstructionRate => clock(),
        A::hipDeviceAttributeWallClockRate => 1_000_000,
        A::hipDeviceAttributeMemoryClockRate => 1_600_000,
        A::hipDeviceAttributeMemoryBusWidth => 128,
        A::hipDeviceAttributeL2CacheSize => cache(),
        A::hipDeviceAttributeComputeCapabilityMajor => 8,
        A::hipDeviceAttributeComputeCapabilityMinor => 0,
        A::hipDeviceAttributeMaxBlocksPerMultiProcessor => 32,
        A::hipDeviceAttributeMaxBlockDimX | A::hipDeviceAttributeMaxBlockDimY => 1024,
        A::hipDeviceAttributeMaxBlockDimZ => 64,
        A::hipDeviceAttributeMaxThreadsPerBlock | A::hipDeviceAttributeMaxThreadsDim => 1024,
        A::hipDeviceAttributeMaxThreadsPerMultiProcessor => 2048,
        A::hipDeviceAttributeMaxGridDimX => i32::MAX,
        A::hipDeviceAttributeMaxGridDimY | A::hipDeviceAttributeMaxGridDimZ => 65535,
        A::hipDeviceAttributeMaxPitch => i32::MAX,
        A::hipDeviceAttributeMultiprocessorCount
        | A::hipDeviceAttributePhysicalMultiProcessorCount => device.processors() as i32,
        A::hipDeviceAttributeMaxRegistersPerBlock
        | A::hipDeviceAttributeMaxRegistersPerMultiprocessor => 65536,
        A::hipDeviceAttributeReservedSharedMemPerBlock => 1024,
        A::hipDeviceAttributeMaxSharedMemoryPerBlock => executor().limits().shared_default as i32,
        A::hipDeviceAttributeSharedMemPerBlockOptin => executor().limits().shared as i32,
        A::hipDeviceAttributeSharedMemPerMultiprocessor
        | A::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor => {
            executor().limits().shared as i32 + 1024
        }
        A::hipDeviceAttributePciDomainID => PCI_DOMAIN,
        A::hipDeviceAttributePciBusId => device.ordinal as i32,
        A::hipDeviceAttributeSingleToDoublePrecisionPerfRatio => 2,
        A::hipDeviceAttributeTextureAlignment | A::hipDeviceAttributeSurfaceAlignment => 512,
        A::hipDeviceAttributeTexturePitchAlignment => 32,
        A::hipDeviceAttributeTotalConstantMemory => 65536,
        A::hipDeviceAttributeVirtualMemoryManagementSupported => 1,
        A::hipDeviceAttributeTotalGlobalMem => memory(),
        A::hipDeviceAttributeWarpSize => 32,
        // Every other one is something that the device does not have, or a number that is 0.
        hipDeviceAttribute_t(number) if number < 10_000 + 64 => 0,
        _ => return Err(INVALID),
    })
}

/// Copies a string that must fit with its NUL.
///
/// # Safety
/// `to` is null or has room for `length` bytes.
unsafe fn put_text(to: *mut c_char, length: i32, text: &[u8]) -> Result {
    let room = usize::try_from(length).unwrap_or(0);
    if to.is_null() || room == 0 {
        return Err(INVALID);
    }
    let text = &text[..text.len().min(room - 1)];
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
        to.add(text.len()).write(0);
    }
    Ok(())
}

hip_api! {
    always fn hipDeviceGet(device: *mut hipDevice_t, ordinal: i32) {
        check_device(ordinal)?;
        // SAFETY: the program's pointer.
        unsafe { put(device, ordinal) }
    }

    always fn hipDeviceGetName(name: *mut c_char, len: i32, device: hipDevice_t) {
        check_device(device)?;
        // SAFETY: the program's buffer.
        unsafe { put_text(name, len, self::name().as_bytes()) }
    }

    always fn hipDeviceGetUuid(uuid: *mut hipUUID, device: hipDevice_t) {
        check_device(device)?;
        // SAFETY: the program's pointer.
        unsafe { put(uuid, hipUUID_t { bytes: self::uuid(device).map(|byte| byte as c_char) }) }
    }

    always fn hipDeviceGetAttribute(pi: *mut i32, attr: hipDeviceAttribute_t, deviceId: i32) {
        let device = Device::of(deviceId)?;
        // SAFETY: the program's pointer.
        unsafe { put(pi, attribute(device, attr)?) }
    }

    always fn hipDeviceTotalMem(bytes: *mut usize, device: hipDevice_t) {
        check_device(device)?;
        // SAFETY: the program's pointer.
        unsafe { put(bytes, tables().memory.limit()) }
    }

    always fn hipDeviceComputeCapability(major: *mut i32, minor: *mut i32, device: hipDevice_t) {
        let device = Device::of(device)?;
        // SAFETY: the program's pointers.
        unsafe {
            put(major, attribute(device, hipDeviceAttribute_t::hipDeviceAttributeComputeCapabilityMajor)?)?;
            put(minor, attribute(device, hipDeviceAttribute_t::hipDeviceAttributeComputeCapabilityMinor)?)
        }
    }

    always fn hipDeviceGetPCIBusId(pciBusId: *mut c_char, len: i32, device: i32) {
        check_device(device)?;
        // SAFETY: the program's buffer.
        unsafe { put_text(pciBusId, len, bus_id(device).as_bytes()) }
    }

    always fn hipDeviceGetByPCIBusId(device: *mut i32, pciBusId: *const c_char) {
        // SAFETY: the program's string.
        let wanted = unsafe { text(pciBusId) }?;
        let found = (0..crate::core::device::all().len() as i32).find(|ordinal| bus_id(*ordinal) == wanted);
        // SAFETY: the program's pointer.
        unsafe { put(device, found.ok_or(hip_runtime_sys::hipError_t::hipErrorInvalidDevice)?) }
    }

    always fn hipGetDevicePropertiesR0600(prop: *mut hipDeviceProp_tR0600, deviceId: i32) {
        let device = Device::of(deviceId)?;
        use hipDeviceAttribute_t as A;
        // SAFETY: all fields are numbers, arrays of numbers, or pointers: zero is a value of each.
        let mut properties: hipDeviceProp_tR0600 = unsafe { std::mem::zeroed() };
        // SAFETY: the arrays are as long as is said.
        unsafe {
            let (text, size) = (properties.name.as_mut_ptr(), properties.name.len() as i32);
            put_text(text, size, name().as_bytes())?;
            let (text, size) = (properties.gcnArchName.as_mut_ptr(), properties.gcnArchName.len() as i32);
            put_text(text, size, executor().arch().as_bytes())?;
        }
        properties.uuid = hipUUID_t { bytes: uuid(deviceId).map(|byte| byte as c_char) };
        properties.totalGlobalMem = tables().memory.limit();
        let limits = executor().limits();
        properties.sharedMemPerBlock = limits.shared_default as usize;
        properties.sharedMemPerBlockOptin = limits.shared as usize;
        properties.sharedMemPerMultiprocessor = limits.shared as usize + 1024;
        properties.maxSharedMemoryPerMultiProcessor = limits.shared as usize + 1024;
        properties.reservedSharedMemPerBlock = 1024;
        properties.regsPerBlock = attribute(device, A::hipDeviceAttributeMaxRegistersPerBlock)?;
        properties.regsPerMultiprocessor = properties.regsPerBlock;
        properties.warpSize = 32;
        properties.memPitch = i32::MAX as usize;
        properties.maxThreadsPerBlock = 1024;
        properties.maxThreadsDim = [1024, 1024, 64];
        properties.maxGridSize = [i32::MAX, 65535, 65535];
        properties.clockRate = clock();
        properties.totalConstMem = 65536;
        properties.major = attribute(device, A::hipDeviceAttributeComputeCapabilityMajor)?;
        properties.minor = attribute(device, A::hipDeviceAttributeComputeCapabilityMinor)?;
        properties.pciDomainID = PCI_DOMAIN;
        properties.pciBusID = deviceId;
        properties.textureAlignment = 512;
        properties.texturePitchAlignment = 32;
        properties.surfaceAlignment = 512;
        properties.deviceOverlap = 1;
        properties.multiProcessorCount = device.processors() as i32;
        let is_one = i32::from(!apart::is_apart());
        properties.integrated = is_one;
        properties.canMapHostMemory = 1;
        properties.concurrentKernels = 1;
        properties.asyncEngineCount = 2;
        properties.unifiedAddressing = 1;
        properties.memoryClockRate = attribute(device, A::hipDeviceAttributeMemoryClockRate)?;
        properties.memoryBusWidth = attribute(device, A::hipDeviceAttributeMemoryBusWidth)?;
        properties.l2CacheSize = attribute(device, A::hipDeviceAttributeL2CacheSize)?;
        properties.maxThreadsPerMultiProcessor = 2048;
        properties.maxBlocksPerMultiProcessor = 32;
        properties.streamPrioritiesSupported = 1;
        properties.globalL1CacheSupported = 1;
        properties.localL1CacheSupported = 1;
        properties.managedMemory = 1;
        properties.hostNativeAtomicSupported = is_one;
        properties.singleToDoublePrecisionPerfRatio = 2;
        properties.pageableMemoryAccess = is_one;
        properties.concurrentManagedAccess = 1;
        properties.canUseHostPointerForRegisteredMem = 1;
        properties.cooperativeLaunch = 1;
        properties.pageableMemoryAccessUsesHostPageTables = is_one;
        properties.directManagedMemAccessFromHost = is_one;
        properties.hostRegisterSupported = 1;
        properties.memoryPoolsSupported = 1;
        // SAFETY: the program's pointer.
        unsafe { put(prop, properties) }
    }
}
