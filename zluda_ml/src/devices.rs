//! The devices that the driver tells of, from the first `nvmlInit` on.

use crate::backend::Telemetry;
use crate::backend::machine::Cpu;
use crate::backend::pci::{PciAddress, Place};
use crate::backend::rocm::{Gpu, Smi};
use crate::convert::FromC;
use cuda_types::cuda::{CUdevice_attribute as A, CUerror, CUuuid};
use cuda_types::nvml::{NvmlResult, nvmlDevice_t, nvmlError};
use parking_lot::Mutex;
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_api::driver::{DeviceInfo, Driver, Failures, ProviderKind};
use zluda_common::handle::{HandleTable, Kind};
use zluda_common::pci;

/// A device.
pub(crate) struct Device {
    pub(crate) handle: u64,
    /// NVML's number, which counts devices that `CUDA_VISIBLE_DEVICES` hides.
    pub(crate) index: c_int,
    /// The driver's.
    pub(crate) ordinal: c_int,
    pub(crate) info: DeviceInfo,
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
    /// Of compute capability: major and minor.
    pub(crate) capability: (c_int, c_int),
    pub(crate) telemetry: Box<dyn Telemetry>,
}

/// The driver and its devices, open from the first `nvmlInit` on, for good: threads may use handles while another one
/// shuts NVML down.
struct State {
    driver: &'static Driver,
    devices: Vec<Arc<Device>>,
}

static STATE: OnceLock<State> = OnceLock::new();
/// Held while the state is made.
static OPENING: Mutex<()> = Mutex::new(());
/// `nvmlInit`s without their `nvmlShutdown`.
static USERS: AtomicUsize = AtomicUsize::new(0);
static HANDLES: LazyLock<HandleTable<Device>> =
    LazyLock::new(|| HandleTable::new(Kind::NVML_DEVICE));

/// Opens the driver and its devices, once, and counts the users. `GPU_NOT_FOUND` where there is no device, unless that
/// is well.
pub(crate) fn initialize(may_be_none: bool) -> NvmlResult {
    zluda_common::log::init();
    let _alone = OPENING.lock();
    if STATE.get().is_none() {
        let _ = STATE.set(open()?);
    }
    if all().is_empty() && !may_be_none {
        return Err(nvmlError::GPU_NOT_FOUND);
    }
    USERS.fetch_add(1, Ordering::AcqRel);
    Ok(())
}

/// Ends a use; `UNINITIALIZED` where there is none.
pub(crate) fn shut_down() -> NvmlResult {
    USERS
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, |users| users.checked_sub(1))
        .map_err(|_| nvmlError::UNINITIALIZED)
        .map(drop)
}

/// `UNINITIALIZED` before `nvmlInit` and after its `nvmlShutdown`.
pub(crate) fn check_initialized() -> NvmlResult {
    if USERS.load(Ordering::Acquire) == 0 { Err(nvmlError::UNINITIALIZED) } else { Ok(()) }
}

/// The devices in the driver's order.
pub(crate) fn all() -> &'static [Arc<Device>] {
    STATE.get().map_or(&[], |state| &state.devices)
}

/// The driver; `UNINITIALIZED` before `nvmlInit`.
pub(crate) fn driver() -> NvmlResult<&'static Driver> {
    STATE.get().map(|state| state.driver).ok_or(nvmlError::UNINITIALIZED)
}

impl FromC<nvmlDevice_t> for Arc<Device> {
    unsafe fn from_c(handle: nvmlDevice_t) -> NvmlResult<Self> {
        HANDLES.get(handle as u64).ok_or(nvmlError::INVALID_ARGUMENT)
    }
}

fn open() -> NvmlResult<State> {
    let driver = FAILURES.driver()?;
    // SAFETY: has no preconditions.
    match unsafe { driver.cuInit(0) } {
        // The second one is about `CUDA_VISIBLE_DEVICES`, which is no matter here.
        Ok(()) | Err(CUerror::NO_DEVICE | CUerror::INVALID_DEVICE) => {}
        Err(error) => return Err(convert(error)),
    }
    let numbers = (0..).map_while(|hip| Some((hip, driver.any_device(hip).ok()?)));
    let devices: NvmlResult<_> =
        numbers.map(|(index, ordinal)| Device::open(driver, index, ordinal)).collect();
    Ok(State { devices: devices?, driver })
}

const FAILURES: Failures<nvmlError> = Failures {
    no_driver: nvmlError::DRIVER_NOT_LOADED,
    foreign_driver: nvmlError::LIB_RM_VERSION_MISMATCH,
    out_of_memory: nvmlError::MEMORY,
    ..Failures::all(nvmlError::UNKNOWN)
};

fn convert(error: CUerror) -> nvmlError {
    FAILURES.call(error)
}

impl Device {
    fn open(driver: &Driver, index: c_int, ordinal: c_int) -> NvmlResult<Arc<Device>> {
        let info = driver.device(ordinal).map_err(convert)?;
        let mut name = [0; 256];
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the places are as large as the calls are told, and live during them.
        unsafe {
            driver
                .cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, ordinal)
                .and_then(|()| driver.cuDeviceGetUuid_v2(&mut uuid, ordinal))
                .map_err(convert)?;
        }
        let name = CStr::from_bytes_until_nul(&name.map(|byte| byte as u8))
            .map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let attribute = |which| attribute(driver, ordinal, which);
        let capability = (
            attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        let device = |handle| {
            Arc::new(Device {
                handle,
                index,
                ordinal,
                info,
                name,
                uuid: uuid.bytes.map(|byte| byte as u8),
                capability,
                telemetry: telemetry(&info),
            })
        };
        let handle = HANDLES.insert_with(device).ok_or(nvmlError::MEMORY)?;
        HANDLES.get(handle).ok_or(nvmlError::UNKNOWN)
    }

    /// An attribute of the driver's device.
    pub(crate) fn attribute(&self, which: A) -> NvmlResult<c_int> {
        attribute(driver()?, self.ordinal, which)
    }

    /// `GPU-` and the identifier, as NVML and nvidia-smi write it.
    pub(crate) fn uuid_text(&self) -> String {
        let hex: String = self.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        format!(
            "GPU-{}-{}-{}-{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        )
    }

    /// Domain, bus, device and function, of which the domain has `digits` digits.
    pub(crate) fn bus_id(&self, digits: usize) -> String {
        pci::text(self.info.pci, digits)
    }
}

fn attribute(driver: &Driver, ordinal: c_int, which: A) -> NvmlResult<c_int> {
    let mut value = 0;
    // SAFETY: the place lives during the call.
    unsafe { driver.cuDeviceGetAttribute(&mut value, which, ordinal) }.map_err(convert)?;
    Ok(value)
}

/// A device that says nothing of itself.
struct Silent;

impl Telemetry for Silent {}

fn telemetry(info: &DeviceInfo) -> Box<dyn Telemetry> {
    match info.provider {
        ProviderKind::Cpu => Box::new(Cpu::new(zluda_staged::CPU_PROVIDER)),
        // The processor does its work, in this machine's memory.
        ProviderKind::Emulated => Box::new(Cpu::new(zluda_staged::EMULATED_PROVIDER)),
        ProviderKind::Rocm => gpu(info),
    }
}

/// What ROCm SMI tells of a GPU; else what Linux does.
fn gpu(info: &DeviceInfo) -> Box<dyn Telemetry> {
    let Some(address) = address(info) else { return Box::new(Silent) };
    let gpu = match Smi::get() {
        Ok(smi) => Gpu::new(smi, Place::new(address)),
        Err(error) => {
            tracing::warn!("{error}: AMD GPUs do not say how busy, hot or full they are");
            None
        }
    };
    match gpu {
        Some(gpu) => Box::new(gpu),
        None => Box::new(Place::new(address)),
    }
}

fn address(info: &DeviceInfo) -> Option<PciAddress> {
    let [domain, bus, device] = info.pci;
    let (bus, device) = (u8::try_from(bus).ok()?, u8::try_from(device).ok()?);
    Some(PciAddress { domain: u32::try_from(domain).ok()?, bus, device, function: 0 })
}
