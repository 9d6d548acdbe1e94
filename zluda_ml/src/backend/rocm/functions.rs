//! The functions and numbers of ROCm SMI that are used, as `rocm_smi/rocm_smi.h` has them. `./x test hip` holds
//! this file against the headers and the libraries of several versions.

// The names are ROCm SMI's.
#![allow(non_camel_case_types)]

pub(super) use super::layouts::{rsmi_frequencies_t, rsmi_gpu_metrics_t, rsmi_pcie_bandwidth_t};
use libloading::Library;

pub(super) type rsmi_status_t = u32;
pub(super) type rsmi_memory_type_t = u32;
pub(super) type rsmi_temperature_metric_t = u32;
pub(super) type rsmi_clk_type_t = u32;
pub(super) type rsmi_gpu_block_t = u64;
pub(super) type RSMI_POWER_TYPE = u32;

/// The numbers of an enumeration.
macro_rules! enumerators {
    ($($type:ident: $($name:ident = $value:literal)*;)*) => {
        $($(pub(super) const $name: $type = $value;)*)*
    };
}

enumerators! {
    rsmi_status_t: RSMI_STATUS_SUCCESS = 0 RSMI_STATUS_NOT_SUPPORTED = 2 RSMI_STATUS_INSUFFICIENT_SIZE = 11;
    rsmi_memory_type_t: RSMI_MEM_TYPE_VRAM = 0 RSMI_MEM_TYPE_VIS_VRAM = 1;
    rsmi_temperature_metric_t: RSMI_TEMP_CURRENT = 0 RSMI_TEMP_MAX = 1 RSMI_TEMP_CRITICAL = 5 RSMI_TEMP_EMERGENCY = 7;
    rsmi_temperature_type_t: RSMI_TEMP_TYPE_EDGE = 0 RSMI_TEMP_TYPE_JUNCTION = 1 RSMI_TEMP_TYPE_MEMORY = 2;
    rsmi_clk_type_t: RSMI_CLK_TYPE_SYS = 0 RSMI_CLK_TYPE_SOC = 3 RSMI_CLK_TYPE_MEM = 4;
    rsmi_gpu_block_t: RSMI_GPU_BLOCK_UMC = 1;
    RSMI_POWER_TYPE: RSMI_INVALID_POWER = 4294967295;
}

/// A sensor is passed as a plain number.
pub(super) type rsmi_temperature_type_t = u32;

/// `RSMI_INIT_FLAG_THRAD_ONLY_MUTEX`: other processes are not waited for. Versions before 6.2 ignore it.
pub(super) const OWN_LOCKS: u64 = 0x0400_0000_0000_0000;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct rsmi_error_count_t {
    pub(super) correctable_err: u64,
    pub(super) uncorrectable_err: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct rsmi_process_info_t {
    pub(super) process_id: u32,
    pub(super) pasid: u32,
    pub(super) vram_usage: u64,
    pub(super) sdma_usage: u64,
    pub(super) cu_occupancy: u32,
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// The functions of one library, as far as it has them.
        #[derive(Default)]
        pub(super) struct Functions {
            $(pub(super) $name: Option<unsafe extern "C" fn($($type),*) -> rsmi_status_t>,)*
        }

        impl Functions {
            /// Looks all of them up.
            ///
            /// # Safety
            /// The symbols of `library` that have these names must be ROCm SMI's, and must not be called
            /// once it is closed.
            pub(super) unsafe fn new(library: &Library) -> Functions {
                Functions {
                    // SAFETY: the caller vouches for the library's functions.
                    $($name: unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .ok()
                        .map(|symbol| *symbol),)*
                }
            }

            /// The names of those that the library lacks.
            pub(super) fn missing(&self) -> Vec<&'static str> {
                let all = [$((stringify!($name), self.$name.is_none())),*];
                all.into_iter().filter_map(|(name, lacks)| lacks.then_some(name)).collect()
            }

            $(
                /// Calls the library's function. What it lacks is not supported.
                pub(super) fn $name(&self, $($argument: $type),*) -> rsmi_status_t {
                    match self.$name {
                        // SAFETY: pointers come from references of the caller's, to types of the right size.
                        Some(function) => unsafe { function($($argument),*) },
                        None => RSMI_STATUS_NOT_SUPPORTED,
                    }
                }
            )*
        }
    };
}

functions! {
    rsmi_init(flags: u64);
    rsmi_num_monitor_devices(count: *mut u32);
    rsmi_dev_pci_id_get(gpu: u32, address: *mut u64);
    rsmi_dev_busy_percent_get(gpu: u32, percent: *mut u32);
    rsmi_dev_memory_busy_percent_get(gpu: u32, percent: *mut u32);
    rsmi_dev_memory_total_get(gpu: u32, kind: rsmi_memory_type_t, bytes: *mut u64);
    rsmi_dev_memory_usage_get(gpu: u32, kind: rsmi_memory_type_t, bytes: *mut u64);
    rsmi_dev_temp_metric_get(gpu: u32, sensor: u32, metric: rsmi_temperature_metric_t, thousandths: *mut i64);
    rsmi_dev_gpu_clk_freq_get(gpu: u32, clock: rsmi_clk_type_t, frequencies: *mut rsmi_frequencies_t);
    rsmi_dev_gpu_metrics_info_get(gpu: u32, metrics: *mut rsmi_gpu_metrics_t);
    rsmi_dev_power_get(gpu: u32, microwatts: *mut u64, kind: *mut RSMI_POWER_TYPE);
    rsmi_dev_power_ave_get(gpu: u32, sensor: u32, microwatts: *mut u64);
    rsmi_dev_power_cap_get(gpu: u32, sensor: u32, microwatts: *mut u64);
    rsmi_dev_power_cap_default_get(gpu: u32, microwatts: *mut u64);
    rsmi_dev_power_cap_range_get(gpu: u32, sensor: u32, highest: *mut u64, lowest: *mut u64);
    rsmi_dev_energy_count_get(gpu: u32, counter: *mut u64, microjoules: *mut f32, time: *mut u64);
    rsmi_dev_fan_speed_get(gpu: u32, sensor: u32, speed: *mut i64);
    rsmi_dev_fan_speed_max_get(gpu: u32, sensor: u32, speed: *mut u64);
    rsmi_dev_pci_bandwidth_get(gpu: u32, bandwidth: *mut rsmi_pcie_bandwidth_t);
    rsmi_dev_ecc_enabled_get(gpu: u32, blocks: *mut u64);
    rsmi_dev_ecc_count_get(gpu: u32, block: rsmi_gpu_block_t, counts: *mut rsmi_error_count_t);
    rsmi_compute_process_info_get(processes: *mut rsmi_process_info_t, count: *mut u32);
    rsmi_compute_process_gpus_get(pid: u32, gpus: *mut u32, count: *mut u32);
    rsmi_compute_process_info_by_device_get(pid: u32, gpu: u32, process: *mut rsmi_process_info_t);
}
