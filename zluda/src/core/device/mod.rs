//! Devices: what the provider says of them, and their primary contexts. In what they differ stands behind one seam,
//! [`backend::Backend`].

pub(crate) mod attributes;
pub(crate) mod backend;
pub(crate) mod driver;

use crate::core::context::Context;
use crate::core::device::attributes::Multiprocessor;
use crate::core::device::backend::Backend;
use crate::core::error::{check, convert};
use cuda_types::cuda::{CUcontext, CUres};
use hip_runtime_sys::{HipRuntime, hipDeviceProp_tR0600, hipUUID};
use parking_lot::Mutex;
use std::ffi::{CStr, c_char};
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) ordinal: i32,
    pub(crate) backend: &'static dyn Backend,
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
    /// Bytes of device memory.
    pub(crate) total_memory: usize,
    pub(crate) properties: Properties,
    pub(crate) primary: Primary,
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
    /// The architecture that code is compiled for on an AMD GPU, such as `gfx1100`.
    pub(crate) gcn_arch: String,
}

/// A device's primary context.
#[derive(Debug, Default)]
pub(crate) struct Primary {
    /// Made when first asked for; the same one ever after.
    context: OnceLock<Arc<Context>>,
    state: Mutex<PrimaryState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PrimaryState {
    retained: usize,
    flags: u32,
}

impl Device {
    /// The provider's device of this number.
    pub(crate) fn open(
        hip: &HipRuntime,
        backend: &'static dyn Backend,
        ordinal: i32,
    ) -> CUres<Device> {
        let properties = hip.device_properties(ordinal).map_err(convert)?;
        let name = match text(&properties.name) {
            name if name.starts_with("ZLUDA") => name,
            name => format!("{name} [ZLUDA]"),
        };
        Ok(Device {
            ordinal,
            backend,
            uuid: uuid(hip, ordinal, &properties, &name),
            name,
            total_memory: properties.totalGlobalMem,
            properties: Properties {
                multiprocessors: properties.multiProcessorCount.max(1),
                multiprocessor: backend.multiprocessor(&properties),
                clock_rate: properties.clockRate,
                memory_clock_rate: properties.memoryClockRate,
                memory_bus_width: properties.memoryBusWidth,
                l2_cache_size: properties.l2CacheSize,
                pci_domain: properties.pciDomainID,
                pci_bus: properties.pciBusID,
                pci_device: properties.pciDeviceID,
                gcn_arch: architecture(&properties),
            },
            primary: Primary::default(),
        })
    }

    /// The PCI address in the form `0000:00:00.0`.
    pub(crate) fn pci_bus_id(&self) -> String {
        let Properties { pci_domain, pci_bus, pci_device, .. } = self.properties;
        format!("{pci_domain:04X}:{pci_bus:02X}:{pci_device:02X}.0")
    }

    /// The primary context, alive or not.
    pub(crate) fn primary_context(&self) -> CUres<&Arc<Context>> {
        if let Some(context) = self.primary.context.get() {
            return Ok(context);
        }
        let context = Context::new_primary(self.ordinal)?;
        Ok(self.primary.context.get_or_init(|| context))
    }

    /// Counts one more user of the primary context, which is alive from now on.
    pub(crate) fn retain_primary(&self) -> CUres<CUcontext> {
        let context = self.primary_context()?;
        let mut state = self.primary.state.lock();
        state.retained += 1;
        context.revive(state.flags);
        Ok(context.handle())
    }

    /// Counts one user less; `INVALID_CONTEXT` when there is none. The last one ends the context's life.
    pub(crate) fn release_primary(&self) -> CUres {
        let context = self.primary_context()?;
        let mut state = self.primary.state.lock();
        match state.retained {
            0 => return Err(cuda_types::cuda::CUerror::INVALID_CONTEXT),
            1 => {
                state.retained = 0;
                drop(state);
                context.end();
            }
            _ => state.retained -= 1,
        }
        Ok(())
    }

    /// Ends the life of the primary context, whoever uses it.
    pub(crate) fn reset_primary(&self) -> CUres {
        let context = self.primary_context()?;
        let mut state = self.primary.state.lock();
        state.retained = 0;
        state.flags = 0;
        drop(state);
        context.end();
        Ok(())
    }

    /// Sets the flags of the primary context, which its present life has from now on too.
    pub(crate) fn set_primary_flags(&self, flags: u32) -> CUres {
        self.primary.state.lock().flags = flags;
        self.primary_context()?.set_flags(flags);
        Ok(())
    }

    /// The flags of the primary context, and whether it is alive.
    pub(crate) fn primary_state(&self) -> (u32, bool) {
        let alive = self.primary.context.get().is_some_and(|context| context.is_alive());
        (self.primary.state.lock().flags, alive)
    }
}

/// LLVM's name of an AMD GPU: `gfx90a`, of which HIP says `gfx90a:sramecc+:xnack-`.
pub(crate) fn architecture(properties: &hipDeviceProp_tR0600) -> String {
    text(&properties.gcnArchName).split(':').next().unwrap_or_default().to_owned()
}

fn text(characters: &[c_char]) -> String {
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
