//! The state of the process: the HIP provider and its devices, from the first `cuInit` on.

use crate::core::device::backend::Backend;
use crate::core::device::{Device, visible};
use crate::core::error::convert;
use crate::os;
use cuda_types::cuda::{CUdevice, CUerror, CUres, CUresult};
use hip_runtime_sys::{HipRuntime, Provider, hipError_t};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use zluda_api::driver::ProviderKind;
use zluda_common::config::{DeviceChoice, EmulatedMemory, config};
use zluda_common::own_file;
use zluda_staged::{CPU_PROVIDER, EMULATED_PROVIDER};

pub(crate) use zluda_api::driver::VERSION as DRIVER_VERSION;

#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) hip: HipRuntime,
    pub(crate) provider: ProviderKind,
    /// The backend for the provider's kind of devices.
    pub(crate) backend: &'static dyn Backend,
    pub(crate) devices: Vec<Device>,
    /// Those that `CUDA_VISIBLE_DEVICES` hides, for NVML alone: their numbers run down from [`HIDDEN`].
    hidden: Vec<Device>,
}

const HIDDEN: CUdevice = -1000;

/// The backends for the devices of providers.
#[derive(Clone, Copy)]
pub(crate) struct Backends {
    /// For ROCm, and for the emulated GPU.
    pub(crate) amd: &'static dyn Backend,
    pub(crate) cpu: &'static dyn Backend,
}

static DRIVER: OnceLock<CUres<Driver>> = OnceLock::new();

/// The error of all calls from now on, or 0.
///
/// `NOT_INITIALIZED` where this process is the child of one that had opened the provider. It has the parent's memory and none
/// of its threads, so nothing can be done here: NVIDIA's driver too is of no use in such a child, until that runs another
/// program.
///
/// `DEINITIALIZED` where it is in `exit`: what a program calls in exit handlers that it registered before `cuInit`, or in
/// destructors of static objects, finds a driver that has gone.
static OVER: AtomicU32 = AtomicU32::new(0);

/// `cuInit` has begun, or ended: before that a fork is harmless.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Opens the provider, once. A fork while it is being opened leaves a child without the thread that does it: the child knows
/// that, as the notice of forks comes first.
pub(crate) fn initialize(backends: Backends) -> CUres {
    check_not_over()?;
    expect_forks();
    HAS_BEGUN.store(true, Ordering::SeqCst);
    match DRIVER.get_or_init(|| open(backends)) {
        Ok(_) => Ok(()),
        Err(error) => Err(*error),
    }
}

/// Has forks noticed. Two threads that come here at once both see to it, which does no harm: none waits for the other.
fn expect_forks() {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    if !IS_DONE.load(Ordering::Acquire) {
        os::call_in_forked_children(note_fork);
        IS_DONE.store(true, Ordering::Release);
    }
}

#[inline]
fn check_not_over() -> CUres {
    match OVER.load(Ordering::Relaxed) {
        0 => Ok(()),
        code => Err(CUerror::of(CUresult(code))),
    }
}

/// `DEINITIALIZED` while the process ends, for what a forked child and a process before `cuInit` can ask.
pub(crate) fn check_not_ending() -> CUres {
    match check_not_over() {
        Err(CUerror::DEINITIALIZED) => Err(CUerror::DEINITIALIZED),
        _ => Ok(()),
    }
}

/// `NOT_INITIALIZED` in a forked child, for what can be asked before `cuInit`, but has locks that a thread of the parent may
/// have held.
pub(crate) fn check_not_forked() -> CUres {
    match check_not_over() {
        Err(CUerror::NOT_INITIALIZED) => Err(CUerror::NOT_INITIALIZED),
        _ => Ok(()),
    }
}

/// Whether `cuInit` has succeeded, in this process, which goes on: `NOT_INITIALIZED` or `DEINITIALIZED`.
#[inline]
pub(crate) fn check_initialized() -> CUres {
    driver().map(drop)
}

/// The driver; `NOT_INITIALIZED` before `cuInit`, and in a forked child after it, `DEINITIALIZED` while the process ends.
#[inline]
pub(crate) fn driver() -> CUres<&'static Driver> {
    check_not_over()?;
    match DRIVER.get() {
        Some(Ok(driver)) => Ok(driver),
        _ => Err(CUerror::NOT_INITIALIZED),
    }
}

impl Driver {
    /// The device with this ordinal; `INVALID_DEVICE` if there is none.
    pub(crate) fn device(&self, device: CUdevice) -> CUres<&Device> {
        let found = match usize::try_from(device) {
            Ok(place) => self.devices.get(place),
            Err(_) => self.hidden.iter().find(|hidden| hidden.ordinal == device),
        };
        found.ok_or(CUerror::INVALID_DEVICE)
    }

    /// The device with this number of the provider's, hidden or not; `INVALID_DEVICE` if there is none.
    pub(crate) fn any_device(&self, hip: i32) -> CUres<&Device> {
        let mut all = self.devices.iter().chain(&self.hidden);
        all.find(|device| device.hip == hip).ok_or(CUerror::INVALID_DEVICE)
    }

    /// Whether the provider has contexts that are independent of each other; ROCm has one for each device.
    pub(crate) fn has_contexts(&self) -> bool {
        self.provider != ProviderKind::Rocm
    }

    /// Whether the host finds nothing at the addresses of the devices' memory.
    pub(crate) fn has_memory_apart(&self) -> bool {
        match self.provider {
            ProviderKind::Rocm => true,
            ProviderKind::Emulated => config().emulated_memory == EmulatedMemory::Apart,
            ProviderKind::Cpu => false,
        }
    }

    /// Whether other processes can have memory of the devices, by file descriptors: how ROCm wants to be given one is not
    /// known.
    pub(crate) fn shares_memory(&self) -> bool {
        cfg!(unix) && self.provider != ProviderKind::Rocm
    }
}

fn open(Backends { amd, cpu }: Backends) -> CUres<Driver> {
    zluda_common::log::init();
    os::stay_loaded();
    os::call_at_exit(note_exit);
    let (hip, provider) = match &config().device {
        DeviceChoice::Rocm => (open_provider(&Provider::Rocm)?, ProviderKind::Rocm),
        DeviceChoice::Cpu => (open_own(CPU_PROVIDER)?, ProviderKind::Cpu),
        // The library knows which GPU from the same place.
        DeviceChoice::Emulated(_) => (open_own(EMULATED_PROVIDER)?, ProviderKind::Emulated),
        DeviceChoice::Auto => match open_rocm_with_device(amd) {
            Some(hip) => (hip, ProviderKind::Rocm),
            None => (open_own(CPU_PROVIDER)?, ProviderKind::Cpu),
        },
    };
    let backend = match provider {
        ProviderKind::Cpu => cpu,
        _ => amd,
    };
    let count = device_count(&hip)?;
    if count == 0 {
        tracing::error!(
            "{} finds no AMD GPU: is the driver amdgpu loaded, and may this user open /dev/kfd and \
             /dev/dri/renderD*?",
            hip.name()
        );
        return Err(CUerror::NO_DEVICE);
    }
    let devices = (0..count)
        .map(|ordinal| Device::open(&hip, backend, ordinal))
        .collect::<CUres<Vec<_>>>()?;
    let (devices, hidden) = choose(devices, provider)?;
    for device in &devices {
        tracing::info!("device {}: {} (through {})", device.ordinal, device.name, hip.name());
        device.model.warn(device.ordinal);
    }
    backend.begin(&hip);
    Ok(Driver { hip, provider, backend, devices, hidden })
}

/// The devices that the program sees, in its order, and the others. ROCm has chosen already: it reads the same variable.
fn choose(all: Vec<Device>, provider: ProviderKind) -> CUres<(Vec<Device>, Vec<Device>)> {
    let value = std::env::var("CUDA_VISIBLE_DEVICES");
    let Some(value) = value.ok().filter(|_| provider != ProviderKind::Rocm) else {
        return Ok((all, Vec::new()));
    };
    let uuids: Vec<_> = all.iter().map(|device| device.uuid).collect();
    let places = visible::choose(&value, &uuids)?;
    let mut all: Vec<_> = all.into_iter().map(Some).collect();
    let mut numbered = |places: &mut dyn Iterator<Item = usize>, number: fn(i32) -> CUdevice| {
        let devices = places.filter_map(|place| all[place].take());
        devices.zip(0..).map(|(device, n)| Device { ordinal: number(n), ..device }).collect()
    };
    let visible = numbered(&mut places.into_iter(), |n| n);
    let hidden = numbered(&mut (0..uuids.len()), |n| HIDDEN - n);
    Ok((visible, hidden))
}

/// Runs between `fork` and its return in the child.
extern "C" fn note_fork() {
    if HAS_BEGUN.load(Ordering::SeqCst) {
        OVER.store(CUresult::CUDA_ERROR_NOT_INITIALIZED.0, Ordering::Relaxed);
    }
}

/// Runs in `exit`. Work in flight goes on until the process is gone: nothing that it needs is freed.
extern "C" fn note_exit() {
    let code = CUresult::CUDA_ERROR_DEINITIALIZED.0;
    let _ = OVER.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
}

/// ROCm, if it is there and has a device.
fn open_rocm_with_device(amd: &dyn Backend) -> Option<HipRuntime> {
    match Provider::Rocm.open() {
        Err(error) => {
            tracing::debug!("no ROCm: {error}");
            None
        }
        Ok(hip) => match device_count(&hip) {
            Ok(count) if (0..count).any(|device| has_code(&hip, amd, device)) => Some(hip),
            _ => {
                tracing::info!("{} has no device that code is made for", hip.name());
                None
            }
        },
    }
}

/// Code is made for this device.
fn has_code(hip: &HipRuntime, backend: &dyn Backend, device: i32) -> bool {
    hip.device_properties(device).is_ok_and(|properties| backend.model(&properties).has_code())
}

/// A provider that lies beside the driver.
fn open_own(file: &str) -> CUres<HipRuntime> {
    let Some(folder) = own_file::folder() else {
        tracing::error!("the folder of the driver's own file is not known");
        return Err(CUerror::NO_DEVICE);
    };
    open_provider(&Provider::Path(folder.join(file)))
}

fn open_provider(provider: &Provider) -> CUres<HipRuntime> {
    provider.open().map_err(|error| {
        tracing::error!("{error}");
        CUerror::NO_DEVICE
    })
}

fn device_count(hip: &HipRuntime) -> CUres<i32> {
    let mut count = 0;
    // SAFETY: `count` outlives the calls.
    unsafe {
        let error = match hip.hipInit(0) {
            hipError_t::hipSuccess => hip.hipGetDeviceCount(&mut count),
            error => error,
        };
        match error {
            hipError_t::hipSuccess => Ok(count),
            // ROCm says the second one where no driver runs.
            hipError_t::hipErrorNoDevice | hipError_t::hipErrorInvalidDevice => Ok(0),
            error => Err(convert(error)),
        }
    }
}
