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
    /// Addresses and memory can be had apart from each other.
    pub(crate) virtual_memory: bool,
    pub(crate) cooperative_launch: bool,
    pub(crate) managed_memory: bool,
    pub(crate) concurrent_managed_access: bool,
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
        let can = |attribute| can(hip, ordinal, attribute);
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
                virtual_memory: can(A::hipDeviceAttributeVirtualMemoryManagementSupported)
                    && hip.has("hipMemCreate"),
                cooperative_launch: can(A::hipDeviceAttributeCooperativeLaunch),
                managed_memory: can(A::hipDeviceAttributeManagedMemory),
                concurrent_managed_access: can(A::hipDeviceAttributeConcurrentManagedAccess),
            },
            model,
        })
    }

    pub(crate) fn pci_address(&self) -> pci::Address {
        let Properties { pci_domain, pci_bus, pci_device, .. } = self.properties;
        [pci_domain, pci_bus, pci_device]
    }
}

/// Whether the provider says that a device can do something.
fn can(hip: &HipRuntime, ordinal: i32, attribute: A) -> bool {
    let mut answer = 0;
    // SAFETY: `answer` outlives the call.
    let asked = check(unsafe { hip.hipDeviceGetAttribute(&mut answer, attribute, ordinal) });
    asked.is_ok() && answer != 0
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
