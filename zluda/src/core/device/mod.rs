//! Devices: what the provider says of them. In what they differ stands behind one seam, [`backend::Backend`].

pub(crate) mod attributes;
pub(crate) mod backend;
pub(crate) mod driver;
pub(crate) mod launch;
pub(crate) mod part;
pub(crate) mod texture;
mod visible;

use crate::core::device::attributes::Multiprocessor;
use crate::core::device::backend::{Backend, Model};
use crate::core::error::{check, convert};
use cuda_types::cuda::CUres;
use hip_runtime_sys::{HipRuntime, hipDeviceAttribute_t as A, hipDeviceProp_tR0600, hipUUID};
use std::ffi::{CStr, c_char};
use zluda_common::pci;

#[derive(Debug)]
pub(crate) struct Device {
    /// The program's number of the device.
    pub(crate) ordinal: i32,
    /// The provider's.
    pub(crate) hip: i32,
    pub(crate) backend: &'static dyn Backend,
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
    /// Bytes of device memory.
    pub(crate) total_memory: usize,
    pub(crate) properties: Properties,
    pub(crate) model: Box<dyn Model>,
}

/// The properties that differ from machine to machine; what they all have in common stands in
/// [`attributes`].
#[derive(Clone, Debug)]
pub(crate) struct Properties {
    pub(crate) multiprocessors: i32,
    pub(crate) multiprocessor: Multiprocessor,
    /// Kilohertz.
    pub(crate) clock_rate: i32,
    /// Kilohertz.
    pub(crate) memory_clock_rate: i32,
    /// Bits.
    pub(crate) memory_bus_width: i32,
    /// Bytes.
    pub(crate) l2_cache_size: i32,
    pub(crate) pci_domain: i32,
    pub(crate) pci_bus: i32,
    pub(crate) pci_device: i32,
    pub(crate) abilities: Abilities,
}

/// What the provider says that the device can do.
#[derive(Clone, Debug)]
pub(crate) struct Abilities {
    /// Addresses and memory can be had apart from each other.
    pub(crate) virtual_memory: bool,
    pub(crate) cooperative_launch: bool,
    pub(crate) managed_memory: bool,
    pub(crate) concurrent_managed_access: bool,
    pub(crate) mapped_host_memory: bool,
    pub(crate) unified_addressing: bool,
    pub(crate) registered_memory: bool,
    /// The host's addresses of registered memory are the device's.
    pub(crate) registered_at_host_address: bool,
    pub(crate) memory_pools: bool,
}

impl Abilities {
    /// `answer` is the provider's about an attribute, none where it does not know what that is.
    fn ask(answer: impl Fn(A) -> Option<bool>) -> Abilities {
        let can = |attribute| answer(attribute).unwrap_or(false);
        // What all devices of ROCm do, which its old versions have no word for.
        let does = |attribute| answer(attribute).unwrap_or(true);
        Abilities {
            virtual_memory: can(A::hipDeviceAttributeVirtualMemoryManagementSupported),
            cooperative_launch: can(A::hipDeviceAttributeCooperativeLaunch),
            managed_memory: can(A::hipDeviceAttributeManagedMemory),
            concurrent_managed_access: can(A::hipDeviceAttributeConcurrentManagedAccess),
            mapped_host_memory: does(A::hipDeviceAttributeCanMapHostMemory),
            unified_addressing: does(A::hipDeviceAttributeUnifiedAddressing),
            registered_memory: does(A::hipDeviceAttributeHostRegisterSupported),
            registered_at_host_address: can(A::hipDeviceAttributeCanUseHostPointerForRegisteredMem),
            memory_pools: does(A::hipDeviceAttributeMemoryPoolsSupported),
        }
    }
}

impl Device {
    /// The provider's device of this number, which is the program's too unless it names devices itself.
    pub(crate) fn open(
        hip: &HipRuntime,
        backend: &'static dyn Backend,
        ordinal: i32,
    ) -> CUres<Device> {
        let properties = hip.device_properties(ordinal).map_err(convert)?;
        let model = backend.model(&properties);
        let mut abilities = Abilities::ask(|attribute| answer(hip, ordinal, attribute));
        abilities.virtual_memory &= hip.has("hipMemCreate");
        let name = match text(&properties.name) {
            name if name.starts_with("ZLUDA") => name,
            name => format!("{name} [ZLUDA]"),
        };
        Ok(Device {
            ordinal,
            hip: ordinal,
            backend,
            uuid: uuid(hip, ordinal, &properties, &name),
            name,
            total_memory: properties.totalGlobalMem,
            properties: Properties {
                multiprocessors: properties.multiProcessorCount.max(1),
                multiprocessor: model.multiprocessor(),
                clock_rate: properties.clockRate,
                memory_clock_rate: properties.memoryClockRate,
                memory_bus_width: properties.memoryBusWidth,
                l2_cache_size: properties.l2CacheSize,
                pci_domain: properties.pciDomainID,
                pci_bus: properties.pciBusID,
                pci_device: properties.pciDeviceID,
                abilities,
            },
            model,
        })
    }

    pub(crate) fn pci_address(&self) -> pci::Address {
        let Properties { pci_domain, pci_bus, pci_device, .. } = self.properties;
        [pci_domain, pci_bus, pci_device]
    }
}

/// What the provider says of whether a device can do something; none if it does not know what that is.
fn answer(hip: &HipRuntime, ordinal: i32, attribute: A) -> Option<bool> {
    let mut answer = 0;
    // SAFETY: `answer` outlives the call.
    let asked = check(unsafe { hip.hipDeviceGetAttribute(&mut answer, attribute, ordinal) });
    asked.is_ok().then_some(answer != 0)
}

/// A text of the provider's properties, which ends with a zero.
pub(crate) fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The provider's UUID; where it has none, one made of the name and the ordinal.
fn uuid(hip: &HipRuntime, ordinal: i32, properties: &hipDeviceProp_tR0600, name: &str) -> [u8; 16] {
    let mut uuid = hipUUID { bytes: [0; 16] };
    // SAFETY: `uuid` outlives the call.
    let asked = check(unsafe { hip.hipDeviceGetUuid(&mut uuid, ordinal) });
    let bytes = match asked {
        Ok(()) => uuid.bytes,
        Err(_) => properties.uuid.bytes,
    }
    .map(|c| c as u8);
    if bytes != [0; 16] {
        return bytes;
    }
    let hash = blake3::hash(format!("{ordinal} {name}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::backends::cpu::Cpu;
    use cuda_types::cuda::CUdevice_attribute as C;

    fn device(abilities: Abilities) -> Device {
        // SAFETY: numbers and texts, of which 0 is one.
        let properties: hipDeviceProp_tR0600 = unsafe { std::mem::zeroed() };
        let model = Cpu.model(&properties);
        Device {
            ordinal: 0,
            hip: 0,
            backend: &Cpu,
            name: String::new(),
            uuid: [0; 16],
            total_memory: 0,
            properties: Properties {
                multiprocessors: 1,
                multiprocessor: model.multiprocessor(),
                clock_rate: 0,
                memory_clock_rate: 0,
                memory_bus_width: 0,
                l2_cache_size: 0,
                pci_domain: 0,
                pci_bus: 0,
                pci_device: 0,
                abilities,
            },
            model,
        }
    }

    /// Attributes of CUDA, the attribute of HIP that is asked for them, and what they are where a provider lacks that.
    const ASKED: [(C, A, bool); 10] = [
        (
            C::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
            A::hipDeviceAttributeVirtualMemoryManagementSupported,
            false,
        ),
        (C::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, A::hipDeviceAttributeCooperativeLaunch, false),
        (C::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, A::hipDeviceAttributeManagedMemory, false),
        (
            C::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
            A::hipDeviceAttributeConcurrentManagedAccess,
            false,
        ),
        (C::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, A::hipDeviceAttributeCanMapHostMemory, true),
        (C::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, A::hipDeviceAttributeUnifiedAddressing, true),
        (
            C::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,
            A::hipDeviceAttributeHostRegisterSupported,
            true,
        ),
        (
            C::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
            A::hipDeviceAttributeCanUseHostPointerForRegisteredMem,
            false,
        ),
        (
            C::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
            A::hipDeviceAttributeMemoryPoolsSupported,
            true,
        ),
        (
            C::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
            A::hipDeviceAttributeMemoryPoolsSupported,
            true,
        ),
    ];

    #[test]
    fn attributes_are_what_the_provider_says() {
        for (attribute, asked, if_unknown) in ASKED {
            let value = |answer: &dyn Fn(A) -> Option<bool>| {
                device(Abilities::ask(answer)).attribute(attribute)
            };
            assert_eq!(value(&|_| None), Ok(if_unknown.into()), "{attribute:?}");
            for can in [false, true] {
                let only = |other| Some((other == asked) == can);
                assert_eq!(value(&only), Ok(can.into()), "{attribute:?}");
            }
        }
    }
}
