//! Telemetry of devices: clocks, temperatures, power, load. No type of CUDA or NVML is named here.
//!
//! - [`Telemetry`]: the questions, with their units.
//! - [`machine`]: this machine, as Linux or Windows describes it.
//! - [`pci`]: where a device on the bus is, as Linux describes it.
//! - [`rocm`]: AMD GPUs, through ROCm SMI.
//! - [`rate`]: counters that grow with time.

#[cfg(target_os = "linux")]
pub mod cpu;
pub mod pci;
mod rate;
pub mod rocm;
#[cfg(windows)]
pub mod windows;

#[cfg(target_os = "linux")]
pub use cpu as machine;
#[cfg(windows)]
pub use windows as machine;

/// The answers of one device. `None`, or an empty list: it has no such thing, or does not say.
///
/// No method waits: what needs two readings is counted from the question before, or from when the device
/// was opened. Questions that come within a few hundredths of a second get the answer before once more.
pub trait Telemetry: Send + Sync {
    /// How busy the device was since the last question.
    fn utilization(&self) -> Option<Utilization> {
        None
    }

    /// The device's memory.
    fn memory(&self) -> Option<Memory> {
        None
    }

    /// The part of the device's memory that the host can address.
    fn visible_memory(&self) -> Option<Memory> {
        None
    }

    /// Degrees Celsius, at the hottest place that the device reports as its temperature.
    fn temperature(&self) -> Option<u32> {
        None
    }

    /// Degrees Celsius.
    fn temperature_threshold(&self, _which: Threshold) -> Option<u32> {
        None
    }

    /// MHz.
    fn clock(&self, _domain: ClockDomain, _kind: ClockKind) -> Option<u32> {
        None
    }

    /// The reasons for lower clocks since the last question.
    fn throttling(&self) -> Option<Throttling> {
        None
    }

    /// Milliwatts, over the time since the last question or as the device averages it.
    fn power(&self) -> Option<u32> {
        None
    }

    /// The limits of the power.
    fn power_limits(&self) -> Option<PowerLimits> {
        None
    }

    /// Millijoules, since a moment that stays the same while the device is open.
    fn energy(&self) -> Option<u64> {
        None
    }

    /// Percent of the highest speed, for each fan.
    fn fan_speeds(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The link to the host.
    fn pcie_link(&self) -> Option<PcieLink> {
        None
    }

    /// The traffic over the link to the host.
    fn pcie_throughput(&self) -> Option<PcieThroughput> {
        None
    }

    /// Errors of the device's memory since the system started, where its memory has a code that finds them.
    fn ecc_errors(&self) -> Option<EccErrors> {
        None
    }

    /// The processors and the memory of the host that are nearest to the device.
    fn locality(&self, _scope: Scope) -> Option<Locality> {
        None
    }

    /// What the device is on the bus, where it is on one.
    fn pci_identity(&self) -> Option<PciIdentity> {
        None
    }

    /// The processes that compute on the device, by their identifiers.
    fn processes(&self) -> Vec<Process> {
        Vec::new()
    }

    /// How busy each process kept the device since the last question, or since the process started where it
    /// was not there at the last one.
    fn process_utilization(&self) -> Vec<ProcessUtilization> {
        Vec::new()
    }
}

/// Percent of the time, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utilization {
    /// In which the device computed.
    pub device: u32,
    /// In which its memory was read or written.
    pub memory: Option<u32>,
}

/// Bytes. `total` is the sum of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub total: u64,
    /// Kept by the system for itself.
    pub reserved: u64,
    pub used: u64,
    pub free: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// The device turns itself off.
    Shutdown,
    /// The device lowers its clocks to protect itself.
    Slowdown,
    /// The highest temperature that the device is meant to work at.
    Maximum,
    /// The highest temperature that its memory is meant to work at.
    MemoryMaximum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockDomain {
    /// The units that draw.
    Graphics,
    /// The units that compute.
    Compute,
    Memory,
    /// The encoders and decoders of video.
    Video,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    Current,
    /// The highest that the device can have.
    Maximum,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttling {
    /// The device was too hot.
    pub thermal: bool,
    /// It would have taken more power than it may.
    pub power: bool,
}

/// Milliwatts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerLimits {
    /// The one that holds now.
    pub enforced: u32,
    /// The one that held when the system started.
    pub default: Option<u32>,
    /// The lowest and the highest that can be chosen.
    pub range: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcieLink {
    /// 1 is 2.5 GT/s, 2 is 5, 3 is 8, 4 is 16, 5 is 32, 6 is 64.
    pub generation: Option<u32>,
    /// Lanes.
    pub width: Option<u32>,
    pub maximum_generation: Option<u32>,
    pub maximum_width: Option<u32>,
}

/// Bytes in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcieThroughput {
    /// From the device to the host.
    pub sent: u64,
    /// From the host to the device.
    pub received: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EccErrors {
    pub corrected: u64,
    pub uncorrected: u64,
}

/// How far what is near may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the same NUMA node.
    Node,
    /// In the same package of processors.
    Socket,
}

/// Numbers of Linux, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locality {
    pub processors: Vec<u32>,
    /// NUMA nodes.
    pub nodes: Vec<u32>,
}

/// As a device's configuration has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PciIdentity {
    pub vendor: u16,
    pub device: u16,
    pub subsystem_vendor: u16,
    pub subsystem: u16,
    pub class: u8,
    pub subclass: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// Bytes of the device's memory.
    pub memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUtilization {
    pub pid: u32,
    /// Percent of what the device could have done, 0 to 100.
    pub device: u32,
}
