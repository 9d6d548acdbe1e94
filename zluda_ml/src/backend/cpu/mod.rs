//! This machine, as `/proc` and `/sys` of Linux describe it.
//!
//! Everything is read below a root, `/` but in tests. What is not there, cannot be read or makes no sense is
//! left out of the answers.
//!
//! - [`processors`] and [`zluda_common::linux::cgroup`]: which part of the machine this process may use.
//! - The other files have a question of [`Telemetry`] each.

mod clocks;
mod energy;
mod errors;
mod load;
mod locality;
mod memory;
mod processes;
mod processors;
mod temperature;
#[cfg(test)]
mod tests;
mod threads;

use super::{
    ClockDomain, ClockKind, EccErrors, Locality, Memory, PowerLimits, Process, ProcessUtilization,
    Scope, Telemetry, Threshold, Throttling, Utilization,
};
use energy::Energy;
use load::Load;
use parking_lot::Mutex;
use processes::Processes;
pub use processes::process_name;
use std::path::PathBuf;
pub use threads::{bind, processors, unbind};
use zluda_common::linux::files::Root;

/// The processors and the memory that this process may use.
#[derive(Debug)]
pub struct Cpu {
    root: Root,
    load: Mutex<Load>,
    energy: Mutex<Energy>,
    processes: Mutex<Processes>,
    throttling: Mutex<Option<u64>>,
    /// When it was opened: threads may bind themselves to less.
    locality: Option<Locality>,
}

impl Cpu {
    /// `library` is the file name of the library that processes have loaded which compute on the device.
    pub fn new(library: &str) -> Cpu {
        Cpu::at("/", library)
    }

    /// Reads below the folder `root` what [`Cpu::new`] reads below `/`.
    pub fn at(root: impl Into<PathBuf>, library: &str) -> Cpu {
        let root = Root::new(root.into());
        Cpu {
            load: Mutex::new(Load::new(&root)),
            energy: Mutex::new(Energy::new(&root)),
            processes: Mutex::new(Processes::new(library)),
            throttling: Mutex::new(clocks::throttled(&root)),
            locality: locality::locality(&root),
            root,
        }
    }
}

impl Telemetry for Cpu {
    fn utilization(&self) -> Option<Utilization> {
        let device = self.load.lock().percent(&self.root)?;
        Some(Utilization { device, memory: None })
    }

    fn memory(&self) -> Option<Memory> {
        memory::memory(&self.root)
    }

    fn temperature(&self) -> Option<u32> {
        Some(temperature::hottest(&self.root)?.now)
    }

    fn temperature_threshold(&self, which: Threshold) -> Option<u32> {
        let sensor = temperature::hottest(&self.root)?;
        match which {
            Threshold::Shutdown => sensor.shutdown,
            Threshold::Slowdown => sensor.slowdown,
            Threshold::Maximum => sensor.maximum,
            Threshold::MemoryMaximum => None,
        }
    }

    fn clock(&self, domain: ClockDomain, kind: ClockKind) -> Option<u32> {
        match (domain, kind) {
            (ClockDomain::Memory | ClockDomain::Video, _) => None,
            (ClockDomain::Graphics | ClockDomain::Compute, ClockKind::Current) => {
                clocks::current(&self.root)
            }
            (ClockDomain::Graphics | ClockDomain::Compute, ClockKind::Maximum) => {
                clocks::maximum(&self.root)
            }
        }
    }

    fn throttling(&self) -> Option<Throttling> {
        let now = clocks::throttled(&self.root);
        let before = std::mem::replace(&mut *self.throttling.lock(), now);
        Some(Throttling { thermal: now? > before?, power: false })
    }

    fn power(&self) -> Option<u32> {
        self.energy.lock().power(&self.root)
    }

    fn power_limits(&self) -> Option<PowerLimits> {
        let enforced = self.energy.lock().limit(&self.root)?;
        Some(PowerLimits { enforced, default: None, range: None })
    }

    fn energy(&self) -> Option<u64> {
        self.energy.lock().total(&self.root)
    }

    fn ecc_errors(&self) -> Option<EccErrors> {
        errors::errors(&self.root)
    }

    fn locality(&self, _: Scope) -> Option<Locality> {
        self.locality.clone()
    }

    fn processes(&self) -> Vec<Process> {
        self.processes.lock().list(&self.root)
    }

    fn process_utilization(&self) -> Vec<ProcessUtilization> {
        self.processes.lock().utilization(&self.root)
    }
}
