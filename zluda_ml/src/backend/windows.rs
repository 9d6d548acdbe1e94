//! This machine, as Windows describes it.
//!
//! What its functions do not say to everybody is left out of the answers: temperatures, power, errors of the memory.

mod processes;

use super::rate::{Count, Rate, percent};
use super::{ClockDomain, ClockKind, Memory, Process, ProcessUtilization, Telemetry, Utilization};
use parking_lot::Mutex;
use processes::Processes;
pub use processes::process_name;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Power::{
    CallNtPowerInformation, PROCESSOR_POWER_INFORMATION, ProcessorInformation,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{
    ALL_PROCESSOR_GROUPS, GetActiveProcessorCount, GetSystemTimes,
};

/// How many processors there are.
pub fn processors() -> u32 {
    // SAFETY: has no preconditions. It fails with 0.
    unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) }.max(1)
}

/// "Supported on Linux only."
pub fn bind(_processors: &[u32]) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// As [`bind`].
pub fn unbind() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The processors and the memory.
#[derive(Debug)]
pub struct Cpu {
    load: Mutex<Option<Rate>>,
    processes: Mutex<Processes>,
}

impl Cpu {
    /// `library` is the file name of the library that processes have loaded which compute on the device.
    pub fn new(library: &str) -> Cpu {
        Cpu {
            load: Mutex::new(busy().map(Rate::new)),
            processes: Mutex::new(Processes::new(library)),
        }
    }
}

impl Telemetry for Cpu {
    fn utilization(&self) -> Option<Utilization> {
        let now = busy()?;
        let rate = self.load.lock().get_or_insert_with(|| Rate::new(now)).next(now);
        // The first question may come before the counters have moved: the mean since the system started.
        let rate = rate.unwrap_or(now.amount as f64 / now.time.max(1) as f64);
        Some(Utilization { device: percent(rate), memory: None })
    }

    fn memory(&self) -> Option<Memory> {
        let mut status =
            MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
        // SAFETY: the structure says how long it is.
        if unsafe { GlobalMemoryStatusEx(&mut status) } == 0 || status.ullTotalPhys == 0 {
            return None;
        }
        let total = status.ullTotalPhys;
        let free = status.ullAvailPhys.min(total);
        Some(Memory { total, reserved: 0, used: total - free, free })
    }

    fn clock(&self, domain: ClockDomain, kind: ClockKind) -> Option<u32> {
        let all = clocks()?.into_iter();
        let highest = match (domain, kind) {
            (ClockDomain::Memory | ClockDomain::Video, _) => None,
            (_, ClockKind::Current) => all.map(|clock| clock.CurrentMhz).max(),
            (_, ClockKind::Maximum) => all.map(|clock| clock.MaxMhz).max(),
        };
        highest.filter(|&clock| clock > 0)
    }

    fn processes(&self) -> Vec<Process> {
        self.processes.lock().list()
    }

    fn process_utilization(&self) -> Vec<ProcessUtilization> {
        self.processes.lock().utilization()
    }
}

/// Microseconds of a time, which Windows counts in tenths of them.
fn microseconds(time: FILETIME) -> u64 {
    (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) / 10
}

/// How long the processors were busy, and altogether: the mean of all.
fn busy() -> Option<Count> {
    let [mut idle, mut kernel, mut user] = [FILETIME::default(); 3];
    // SAFETY: the places live during the call.
    if unsafe { GetSystemTimes(&mut idle, &mut kernel, &mut user) } == 0 {
        return None;
    }
    // That of the kernel has the idle time in it.
    let total = microseconds(kernel).saturating_add(microseconds(user));
    let busy = total.saturating_sub(microseconds(idle));
    let mean = |sum: u64| sum / u64::from(processors());
    Some(Count { amount: mean(busy), time: mean(total) })
}

/// What each processor says of its clock.
fn clocks() -> Option<Vec<PROCESSOR_POWER_INFORMATION>> {
    let mut clocks = vec![PROCESSOR_POWER_INFORMATION::default(); processors() as usize];
    let bytes = u32::try_from(size_of_val(&*clocks)).ok()?;
    // SAFETY: there is room for as many bytes as the call is told.
    let status = unsafe {
        let place = clocks.as_mut_ptr().cast();
        CallNtPowerInformation(ProcessorInformation, std::ptr::null(), 0, place, bytes)
    };
    (status == 0).then_some(clocks)
}
