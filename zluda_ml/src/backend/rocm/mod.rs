//! AMD GPUs, through ROCm SMI.
//!
//! - [`functions`]: the functions and numbers of ROCm SMI that are used.
//! - [`layouts`]: structures that differ between its versions.
//! - [`library`]: where it is found.

mod functions;
mod layouts;
mod library;
#[cfg(test)]
mod tests;

use super::pci::{PciAddress, Place};
use super::{
    ClockDomain, ClockKind, EccErrors, Locality, Memory, PciIdentity, PcieLink, PowerLimits,
    Process, Scope, Telemetry, Threshold, Throttling, Utilization,
};
use functions::*;
use layouts::{Frequencies, Layout, Metrics, PcieRates};
pub use library::{OpenError, Smi};
use std::sync::{Arc, OnceLock};

/// An AMD GPU.
#[derive(Debug)]
pub struct Gpu {
    place: Place,
    smi: Arc<Smi>,
    index: u32,
    /// Of the library's structures; found out with the first answer that shows it.
    layout: OnceLock<Layout>,
}

impl Gpu {
    /// The GPU at a place, if the library knows it.
    pub fn new(smi: Arc<Smi>, place: Place) -> Option<Gpu> {
        let PciAddress { domain, bus, device, function } = place.address;
        let wanted = u64::from(domain) << 32
            | u64::from(bus) << 8
            | u64::from(device & 0x1f) << 3
            | u64::from(function & 7);
        // Parts of a GPU have numbers in these bits; the first one stands for all.
        const PART: u64 = 0xf000_0000;
        let count = smi.number(|count| smi.functions.rsmi_num_monitor_devices(count))?;
        let index = (0..count).find(|&index| {
            let address = smi.number(|address| smi.functions.rsmi_dev_pci_id_get(index, address));
            address.is_some_and(|address: u64| address & !PART == wanted)
        })?;
        Some(Gpu { place, smi, index, layout: OnceLock::new() })
    }

    /// A function's answer for this GPU.
    fn read<T: Default>(
        &self,
        ask: impl FnOnce(&Functions, u32, *mut T) -> rsmi_status_t,
    ) -> Option<T> {
        self.smi.number(|answer| ask(&self.smi.functions, self.index, answer))
    }

    fn memory_of(&self, kind: rsmi_memory_type_t) -> Option<Memory> {
        let total = self.read(|smi, gpu, total| smi.rsmi_dev_memory_total_get(gpu, kind, total))?;
        let used = self.read(|smi, gpu, used| smi.rsmi_dev_memory_usage_get(gpu, kind, used))?;
        let used = total.min(used);
        (total > 0).then_some(Memory { total, reserved: 0, used, free: total - used })
    }

    /// Degrees Celsius.
    fn degrees(&self, sensor: u32, metric: rsmi_temperature_metric_t) -> Option<u32> {
        let thousandths: i64 = self
            .read(|smi, gpu, answer| smi.rsmi_dev_temp_metric_get(gpu, sensor, metric, answer))?;
        // What is not connected gives 0.
        (500..200_000).contains(&thousandths).then(|| ((thousandths + 500) / 1000) as u32)
    }

    /// The sensor that stands for the GPU: those for servers have none at the edge of the chip.
    fn sensor(&self) -> u32 {
        let edge = self.degrees(RSMI_TEMP_TYPE_EDGE, RSMI_TEMP_CURRENT);
        if edge.is_some() { RSMI_TEMP_TYPE_EDGE } else { RSMI_TEMP_TYPE_JUNCTION }
    }

    fn frequencies(&self, clock: rsmi_clk_type_t) -> Option<Frequencies> {
        let mut bytes = rsmi_frequencies_t::new();
        let status = self.smi.functions.rsmi_dev_gpu_clk_freq_get(self.index, clock, &mut bytes);
        let layout = (status == RSMI_STATUS_SUCCESS).then(|| Layout::of(&bytes))?;
        Some(Frequencies::read(&bytes, *self.layout.get_or_init(|| layout)))
    }

    fn layout(&self) -> Option<Layout> {
        let clocks = [RSMI_CLK_TYPE_SYS, RSMI_CLK_TYPE_MEM, RSMI_CLK_TYPE_SOC];
        let known = || self.layout.get().copied();
        known()
            .or_else(|| clocks.into_iter().find_map(|clock| self.frequencies(clock)).and(known()))
    }

    /// Milliwatts of microwatts. What is not measured is 0.
    fn milliwatts(microwatts: u64) -> Option<u32> {
        u32::try_from(microwatts / 1000).ok().filter(|&milliwatts| milliwatts > 0)
    }
}

impl Telemetry for Gpu {
    fn utilization(&self) -> Option<Utilization> {
        let percent = |percent: &u32| *percent <= 100;
        let device = self.read(|smi, gpu, answer| smi.rsmi_dev_busy_percent_get(gpu, answer));
        let memory =
            self.read(|smi, gpu, answer| smi.rsmi_dev_memory_busy_percent_get(gpu, answer));
        Some(Utilization { device: device.filter(percent)?, memory: memory.filter(percent) })
    }

    fn memory(&self) -> Option<Memory> {
        self.memory_of(RSMI_MEM_TYPE_VRAM)
    }

    fn visible_memory(&self) -> Option<Memory> {
        self.memory_of(RSMI_MEM_TYPE_VIS_VRAM)
    }

    fn temperature(&self) -> Option<u32> {
        self.degrees(self.sensor(), RSMI_TEMP_CURRENT)
    }

    fn temperature_threshold(&self, which: Threshold) -> Option<u32> {
        match which {
            Threshold::Shutdown => self.degrees(self.sensor(), RSMI_TEMP_EMERGENCY),
            Threshold::Slowdown => self.degrees(self.sensor(), RSMI_TEMP_CRITICAL),
            Threshold::Maximum => self.degrees(self.sensor(), RSMI_TEMP_MAX),
            Threshold::MemoryMaximum => self.degrees(RSMI_TEMP_TYPE_MEMORY, RSMI_TEMP_CRITICAL),
        }
    }

    fn clock(&self, domain: ClockDomain, kind: ClockKind) -> Option<u32> {
        let frequencies = self.frequencies(match domain {
            ClockDomain::Graphics | ClockDomain::Compute => RSMI_CLK_TYPE_SYS,
            ClockDomain::Memory => RSMI_CLK_TYPE_MEM,
            ClockDomain::Video => return None,
        })?;
        let hertz = match kind {
            ClockKind::Current => frequencies.current()?,
            ClockKind::Maximum => frequencies.highest()?,
        };
        u32::try_from(hertz / 1_000_000).ok().filter(|&clock| clock > 0)
    }

    fn throttling(&self) -> Option<Throttling> {
        let mut bytes = rsmi_gpu_metrics_t::new();
        let status = self.smi.functions.rsmi_dev_gpu_metrics_info_get(self.index, &mut bytes);
        let reasons =
            (status == RSMI_STATUS_SUCCESS).then(|| Metrics::read(&bytes).throttling)??;
        // Linux, amdgpu_smu.h: power and current, and then temperatures.
        const POWER: u64 = 0x00ff_ffff;
        const THERMAL: u64 = 0xffff << 32;
        Some(Throttling { thermal: reasons & THERMAL != 0, power: reasons & POWER != 0 })
    }

    fn power(&self) -> Option<u32> {
        let mut kind = RSMI_INVALID_POWER;
        let power = self.read(|smi, gpu, power| smi.rsmi_dev_power_get(gpu, power, &mut kind));
        // Before 6.0.
        let mean = || self.read(|smi, gpu, power| smi.rsmi_dev_power_ave_get(gpu, 0, power));
        power.or_else(mean).and_then(Gpu::milliwatts)
    }

    fn power_limits(&self) -> Option<PowerLimits> {
        let enforced = self.read(|smi, gpu, limit| smi.rsmi_dev_power_cap_get(gpu, 0, limit))?;
        let default = self.read(|smi, gpu, limit| smi.rsmi_dev_power_cap_default_get(gpu, limit));
        let mut lowest = 0;
        let highest = self
            .read(|smi, gpu, limit| smi.rsmi_dev_power_cap_range_get(gpu, 0, limit, &mut lowest));
        let range = highest.and_then(Gpu::milliwatts).map(|most| ((lowest / 1000) as u32, most));
        Some(PowerLimits {
            enforced: Gpu::milliwatts(enforced)?,
            default: default.and_then(Gpu::milliwatts),
            range: range.filter(|(least, most)| least <= most),
        })
    }

    fn energy(&self) -> Option<u64> {
        let (mut resolution, mut time) = (0f32, 0);
        let counter = self.read(|smi, gpu, counter| {
            smi.rsmi_dev_energy_count_get(gpu, counter, &mut resolution, &mut time)
        })?;
        // GPUs without a counter have one of these.
        let counter = Some(counter).filter(|counter| ![0, u64::MAX].contains(counter))?;
        let microjoules = counter as f64 * f64::from(resolution);
        (microjoules >= 0.0 && resolution > 0.0).then_some((microjoules / 1000.0) as u64)
    }

    fn fan_speeds(&self) -> Vec<u32> {
        // Counted from 0 without gaps, and seldom more than one.
        let fans = (0..8).map_while(|fan| {
            let speed: i64 =
                self.read(|smi, gpu, speed| smi.rsmi_dev_fan_speed_get(gpu, fan, speed))?;
            let most: u64 =
                self.read(|smi, gpu, speed| smi.rsmi_dev_fan_speed_max_get(gpu, fan, speed))?;
            let percent = u64::try_from(speed).ok()?.checked_mul(100)?.checked_div(most)?;
            (percent <= 100).then_some(percent as u32)
        });
        fans.collect()
    }

    fn pcie_link(&self) -> Option<PcieLink> {
        let layout = self.layout()?;
        let mut bytes = rsmi_pcie_bandwidth_t::new();
        let status = self.smi.functions.rsmi_dev_pci_bandwidth_get(self.index, &mut bytes);
        let rates = (status == RSMI_STATUS_SUCCESS).then(|| PcieRates::read(&bytes, layout))?;
        let (now, most) = (rates.current(), rates.best());
        Some(PcieLink {
            generation: now.and_then(|(rate, _)| generation(rate)),
            width: now.map(|(_, lanes)| lanes),
            maximum_generation: most.and_then(|(rate, _)| generation(rate)),
            maximum_width: most.map(|(_, lanes)| lanes),
        })
    }

    fn ecc_errors(&self) -> Option<EccErrors> {
        let blocks = self.read(|smi, gpu, blocks| smi.rsmi_dev_ecc_enabled_get(gpu, blocks))?;
        let memory = RSMI_GPU_BLOCK_UMC;
        let counts: rsmi_error_count_t =
            self.read(|smi, gpu, counts| smi.rsmi_dev_ecc_count_get(gpu, memory, counts))?;
        (blocks & memory != 0).then_some(EccErrors {
            corrected: counts.correctable_err,
            uncorrected: counts.uncorrectable_err,
        })
    }

    fn locality(&self, scope: Scope) -> Option<Locality> {
        self.place.locality(scope)
    }

    fn pci_identity(&self) -> Option<PciIdentity> {
        self.place.pci_identity()
    }

    fn processes(&self) -> Vec<Process> {
        self.smi.processes().into_iter().filter_map(|pid| self.process(pid)).collect()
    }
}

impl Gpu {
    fn process(&self, pid: u32) -> Option<Process> {
        if !self.smi.gpus_of(pid).contains(&self.index) {
            return None;
        }
        let here = self.read(|smi, gpu, process: *mut rsmi_process_info_t| {
            smi.rsmi_compute_process_info_by_device_get(pid, gpu, process)
        });
        Some(Process { pid, memory: here.map(|process| process.vram_usage) })
    }
}

/// The generation of PCI Express that has this many transfers in a second.
fn generation(rate: u64) -> Option<u32> {
    let rates = [2_500, 5_000, 8_000, 16_000, 32_000, 64_000];
    let found = rates.iter().position(|&megatransfers| megatransfers == rate / 1_000_000)?;
    Some(found as u32 + 1)
}
