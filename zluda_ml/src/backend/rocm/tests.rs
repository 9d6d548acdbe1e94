//! Answers of made libraries, in the layouts of versions before and from 6.0 on.

use super::*;
use std::path::Path;

const BEFORE: bool = false;
const FROM: bool = true;

/// The GPU that the made libraries know everything about: 0 is another one, 1 and 2 are parts of one.
const GPU: u32 = 1;
const ADDRESS: PciAddress = PciAddress { domain: 1, bus: 0xc3, device: 2, function: 1 };

/// Writes an answer, for the GPU that is asked for.
fn put<T>(gpu: u32, answer: *mut T, value: Option<T>) -> rsmi_status_t {
    match value {
        _ if gpu != GPU => 1,
        // SAFETY: the code under test passes places for answers.
        Some(value) => unsafe {
            answer.write(value);
            RSMI_STATUS_SUCCESS
        },
        None => RSMI_STATUS_NOT_SUPPORTED,
    }
}

extern "C" fn init(flags: u64) -> rsmi_status_t {
    if flags == OWN_LOCKS { RSMI_STATUS_SUCCESS } else { 1 }
}

extern "C" fn count(count: *mut u32) -> rsmi_status_t {
    put(GPU, count, Some(3))
}

extern "C" fn address(gpu: u32, address: *mut u64) -> rsmi_status_t {
    let all = [0xc311, 0x1_1000_c311, 0x1_2000_c311];
    put(GPU, address, all.get(gpu as usize).copied())
}

extern "C" fn busy(gpu: u32, percent: *mut u32) -> rsmi_status_t {
    put(gpu, percent, Some(87))
}

extern "C" fn memory_busy(gpu: u32, percent: *mut u32) -> rsmi_status_t {
    put(gpu, percent, Some(12))
}

extern "C" fn memory_total(gpu: u32, kind: u32, bytes: *mut u64) -> rsmi_status_t {
    put(gpu, bytes, [16 << 30, 256 << 20].get(kind as usize).copied())
}

extern "C" fn memory_used(gpu: u32, kind: u32, bytes: *mut u64) -> rsmi_status_t {
    put(gpu, bytes, [3 << 30, 64 << 20].get(kind as usize).copied())
}

extern "C" fn temperature(gpu: u32, sensor: u32, metric: u32, answer: *mut i64) -> rsmi_status_t {
    let value = match (sensor, metric) {
        (RSMI_TEMP_TYPE_EDGE, RSMI_TEMP_CURRENT) => Some(54_500),
        (RSMI_TEMP_TYPE_EDGE, RSMI_TEMP_CRITICAL) => Some(100_000),
        (RSMI_TEMP_TYPE_EDGE, RSMI_TEMP_EMERGENCY) => Some(105_000),
        (RSMI_TEMP_TYPE_JUNCTION, RSMI_TEMP_CURRENT) => Some(71_000),
        (RSMI_TEMP_TYPE_MEMORY, RSMI_TEMP_CRITICAL) => Some(95_000),
        _ => None,
    };
    put(gpu, answer, value)
}

/// Of a GPU for servers.
extern "C" fn junction(gpu: u32, sensor: u32, metric: u32, answer: *mut i64) -> rsmi_status_t {
    let value = match (sensor, metric) {
        (RSMI_TEMP_TYPE_JUNCTION, RSMI_TEMP_CURRENT) => Some(71_000),
        (RSMI_TEMP_TYPE_JUNCTION, RSMI_TEMP_CRITICAL) => Some(110_000),
        _ => None,
    };
    put(gpu, answer, value)
}

/// `rsmi_frequencies_t` in C, before 6.0.
#[repr(C)]
struct OldFrequencies {
    num_supported: u32,
    current: u32,
    frequency: [u64; 32],
}

/// `rsmi_frequencies_t` in C, from 6.0 on.
#[repr(C)]
struct NewFrequencies {
    has_deep_sleep: bool,
    num_supported: u32,
    current: u32,
    frequency: [u64; 33],
}

#[repr(C)]
struct Bandwidth<F, const MOST: usize> {
    transfer_rate: F,
    lanes: [u32; MOST],
}

/// From 6.0 on, the library clears all of the structure first, before that it writes no more than it has to say.
fn frequencies<const NEW: bool>(
    gpu: u32,
    answer: *mut u8,
    current: u32,
    values: &[u64],
) -> rsmi_status_t {
    // SAFETY: the code under test passes a place for the structure.
    unsafe {
        let list = match NEW {
            true => {
                let answer = answer.cast::<NewFrequencies>();
                answer.write_bytes(0, 1);
                (*answer).num_supported = values.len() as u32;
                (*answer).current = current;
                (&raw mut (*answer).frequency).cast::<u64>()
            }
            false => {
                let answer = answer.cast::<OldFrequencies>();
                (*answer).num_supported = values.len() as u32;
                (*answer).current = current;
                (&raw mut (*answer).frequency).cast::<u64>()
            }
        };
        values.iter().enumerate().for_each(|(index, value)| list.add(index).write(*value));
    }
    if gpu == GPU { RSMI_STATUS_SUCCESS } else { 1 }
}

extern "C" fn clocks<const NEW: bool>(
    gpu: u32,
    clock: u32,
    answer: *mut rsmi_frequencies_t,
) -> rsmi_status_t {
    match clock {
        RSMI_CLK_TYPE_SYS => {
            frequencies::<NEW>(gpu, answer.cast(), 1, &[500_000_000, 1_234_000_000, 2_575_000_000])
        }
        // As many as there can be.
        RSMI_CLK_TYPE_MEM => {
            let most = if NEW { 33 } else { 32 };
            let all: Vec<u64> = (1..=most).map(|step| step * 50_000_000).collect();
            frequencies::<NEW>(gpu, answer.cast(), 0, &all)
        }
        _ => RSMI_STATUS_NOT_SUPPORTED,
    }
}

extern "C" fn bandwidth<const NEW: bool>(
    gpu: u32,
    answer: *mut rsmi_pcie_bandwidth_t,
) -> rsmi_status_t {
    // SAFETY: the code under test passes a place for the structure.
    let lanes = unsafe {
        match NEW {
            true => (&raw mut (*answer.cast::<Bandwidth<NewFrequencies, 33>>()).lanes).cast(),
            false => (&raw mut (*answer.cast::<Bandwidth<OldFrequencies, 32>>()).lanes).cast(),
        }
    };
    let status =
        frequencies::<NEW>(gpu, answer.cast(), 1, &[2_500_000_000, 8_000_000_000, 16_000_000_000]);
    for (index, count) in [1u32, 8, 16].into_iter().enumerate() {
        // SAFETY: within the structure.
        unsafe { <*mut u32>::add(lanes, index).write(count) };
    }
    status
}

/// The library's answer for a link at 8 GT/s with 4 lanes.
extern "C" fn made_up_bandwidth(gpu: u32, answer: *mut rsmi_pcie_bandwidth_t) -> rsmi_status_t {
    let rates: Vec<u64> =
        [25, 50, 80, 160].iter().flat_map(|rate| [rate * 100_000_000; 6]).collect();
    let status = frequencies::<FROM>(gpu, answer.cast(), 2 * 6 + 2, &rates);
    let answer = answer.cast::<Bandwidth<NewFrequencies, 33>>();
    for (index, count) in [1, 2, 4, 8, 12, 16].into_iter().cycle().take(24).enumerate() {
        // SAFETY: the code under test passes a place for the structure.
        unsafe { (*answer).lanes[index] = count };
    }
    status
}

extern "C" fn metrics<const REASONS: u64>(
    gpu: u32,
    answer: *mut rsmi_gpu_metrics_t,
) -> rsmi_status_t {
    // SAFETY: the code under test passes a place for the structure, of which ROCm 6.0 has 352 bytes.
    unsafe {
        answer.cast::<u8>().write_bytes(0, 352);
        answer.cast::<u64>().add(112 / 8).write(REASONS);
    }
    if gpu == GPU { RSMI_STATUS_SUCCESS } else { 1 }
}

extern "C" fn power(gpu: u32, microwatts: *mut u64, kind: *mut u32) -> rsmi_status_t {
    put(gpu, kind, Some(1));
    put(gpu, microwatts, Some(212_345_678))
}

extern "C" fn mean_power(gpu: u32, sensor: u32, microwatts: *mut u64) -> rsmi_status_t {
    put(gpu, microwatts, [198_000_000].get(sensor as usize).copied())
}

extern "C" fn cap(gpu: u32, sensor: u32, microwatts: *mut u64) -> rsmi_status_t {
    put(gpu, microwatts, [250_000_000].get(sensor as usize).copied())
}

extern "C" fn default_cap(gpu: u32, microwatts: *mut u64) -> rsmi_status_t {
    put(gpu, microwatts, Some(300_000_000))
}

extern "C" fn caps(gpu: u32, _sensor: u32, most: *mut u64, least: *mut u64) -> rsmi_status_t {
    put(gpu, least, Some(0));
    put(gpu, most, Some(345_000_000))
}

extern "C" fn energy(gpu: u32, counter: *mut u64, unit: *mut f32, time: *mut u64) -> rsmi_status_t {
    put(gpu, unit, Some(15.25));
    put(gpu, time, Some(1));
    put(gpu, counter, Some(4_000_000))
}

extern "C" fn fan(gpu: u32, sensor: u32, speed: *mut i64) -> rsmi_status_t {
    put(gpu, speed, [102, 51].get(sensor as usize).copied())
}

extern "C" fn fastest_fan(gpu: u32, sensor: u32, speed: *mut u64) -> rsmi_status_t {
    put(gpu, speed, [255, 255].get(sensor as usize).copied())
}

extern "C" fn ecc_blocks<const BLOCKS: u64>(gpu: u32, blocks: *mut u64) -> rsmi_status_t {
    put(gpu, blocks, Some(BLOCKS))
}

extern "C" fn ecc(gpu: u32, block: u64, counts: *mut rsmi_error_count_t) -> rsmi_status_t {
    let counted = rsmi_error_count_t { correctable_err: 4, uncorrectable_err: 2 };
    put(gpu, counts, (block == RSMI_GPU_BLOCK_UMC).then_some(counted))
}

/// A list, as the library hands it out.
fn hand_out<T: Copy>(items: &[T], places: *mut T, count: *mut u32) -> rsmi_status_t {
    // SAFETY: the code under test passes a place for the number, and as many for items as it says, or none.
    unsafe {
        let room = (*count as usize).min(items.len());
        if !places.is_null() {
            places.copy_from_nonoverlapping(items.as_ptr(), room);
        }
        count.write(if places.is_null() { items.len() } else { room } as u32);
        if !places.is_null() && room < items.len() { 11 } else { RSMI_STATUS_SUCCESS }
    }
}

extern "C" fn processes(places: *mut rsmi_process_info_t, count: *mut u32) -> rsmi_status_t {
    let process = |process_id| rsmi_process_info_t { process_id, ..Default::default() };
    hand_out(&[process(300), process(100), process(200)], places, count)
}

extern "C" fn gpus_of(pid: u32, places: *mut u32, count: *mut u32) -> rsmi_status_t {
    match pid {
        100 => hand_out(&[GPU], places, count),
        200 => hand_out(&[0, 2], places, count),
        300 => hand_out(&[0, GPU], places, count),
        _ => RSMI_STATUS_NOT_SUPPORTED,
    }
}

extern "C" fn process(pid: u32, gpu: u32, answer: *mut rsmi_process_info_t) -> rsmi_status_t {
    let vram_usage = u64::from(pid) << 20;
    put(
        gpu,
        answer,
        Some(rsmi_process_info_t { process_id: pid, vram_usage, ..Default::default() }),
    )
}

fn functions<const NEW: bool>() -> Functions {
    Functions {
        rsmi_init: Some(init),
        rsmi_num_monitor_devices: Some(count),
        rsmi_dev_pci_id_get: Some(address),
        rsmi_dev_busy_percent_get: Some(busy),
        rsmi_dev_memory_busy_percent_get: Some(memory_busy),
        rsmi_dev_memory_total_get: Some(memory_total),
        rsmi_dev_memory_usage_get: Some(memory_used),
        rsmi_dev_temp_metric_get: Some(temperature),
        rsmi_dev_gpu_clk_freq_get: Some(clocks::<NEW>),
        rsmi_dev_gpu_metrics_info_get: Some(metrics::<{ 1 << 36 }>),
        rsmi_dev_power_get: if NEW { Some(power) } else { None },
        rsmi_dev_power_ave_get: Some(mean_power),
        rsmi_dev_power_cap_get: Some(cap),
        rsmi_dev_power_cap_default_get: Some(default_cap),
        rsmi_dev_power_cap_range_get: Some(caps),
        rsmi_dev_energy_count_get: Some(energy),
        rsmi_dev_fan_speed_get: Some(fan),
        rsmi_dev_fan_speed_max_get: Some(fastest_fan),
        rsmi_dev_pci_bandwidth_get: Some(bandwidth::<NEW>),
        rsmi_dev_ecc_enabled_get: Some(ecc_blocks::<5>),
        rsmi_dev_ecc_count_get: Some(ecc),
        rsmi_compute_process_info_get: Some(processes),
        rsmi_compute_process_gpus_get: Some(gpus_of),
        rsmi_compute_process_info_by_device_get: if NEW { Some(process) } else { None },
    }
}

fn smi(functions: Functions) -> Arc<Smi> {
    Arc::new(Smi::start(functions, "made".to_owned(), None).unwrap())
}

fn gpu(functions: Functions) -> Gpu {
    Gpu::new(smi(functions), Place::new(ADDRESS)).unwrap()
}

#[test]
fn a_gpu_is_found_by_its_address() {
    let smi = smi(functions::<FROM>());
    let index = |address| Gpu::new(smi.clone(), Place::new(address)).map(|gpu| gpu.index);
    assert_eq!(index(ADDRESS), Some(GPU));
    assert_eq!(index(PciAddress { domain: 0, ..ADDRESS }), Some(0));
    for address in [
        PciAddress { domain: 2, ..ADDRESS },
        PciAddress { bus: 0xc2, ..ADDRESS },
        PciAddress { device: 3, ..ADDRESS },
        PciAddress { function: 0, ..ADDRESS },
    ] {
        assert_eq!(index(address), None, "{address:?}");
    }
}

#[test]
fn readings() {
    let gpu = gpu(functions::<FROM>());
    assert_eq!(gpu.utilization(), Some(Utilization { device: 87, memory: Some(12) }));
    let memory = |total, used| Some(Memory { total, reserved: 0, used, free: total - used });
    assert_eq!(gpu.memory(), memory(16 << 30, 3 << 30));
    assert_eq!(gpu.visible_memory(), memory(256 << 20, 64 << 20));
    assert_eq!(gpu.power(), Some(212_345));
    let limits =
        PowerLimits { enforced: 250_000, default: Some(300_000), range: Some((0, 345_000)) };
    assert_eq!(gpu.power_limits(), Some(limits));
    assert_eq!(gpu.energy(), Some(61_000));
    assert_eq!(gpu.fan_speeds(), [40, 20]);
    assert_eq!(gpu.ecc_errors(), Some(EccErrors { corrected: 4, uncorrected: 2 }));
    let process = |pid| Process { pid, memory: Some(u64::from(pid) << 20) };
    assert_eq!(gpu.processes(), [process(100), process(300)]);
}

#[test]
fn temperatures() {
    let temperatures = |temperature| {
        let gpu =
            gpu(Functions { rsmi_dev_temp_metric_get: Some(temperature), ..functions::<FROM>() });
        let thresholds = [
            Threshold::Shutdown,
            Threshold::Slowdown,
            Threshold::Maximum,
            Threshold::MemoryMaximum,
        ];
        (gpu.temperature(), thresholds.map(|which| gpu.temperature_threshold(which)))
    };
    assert_eq!(temperatures(temperature), (Some(55), [Some(105), Some(100), None, Some(95)]));
    assert_eq!(temperatures(junction), (Some(71), [None, Some(110), None, None]));
}

#[test]
fn both_layouts() {
    let link = PcieLink {
        generation: Some(3),
        width: Some(8),
        maximum_generation: Some(4),
        maximum_width: Some(16),
    };
    let same = |functions: fn() -> Functions, most| {
        let new = || gpu(functions());
        let clock = |domain, kind| new().clock(domain, kind);
        assert_eq!(clock(ClockDomain::Compute, ClockKind::Current), Some(1234));
        assert_eq!(clock(ClockDomain::Graphics, ClockKind::Maximum), Some(2575));
        assert_eq!(clock(ClockDomain::Memory, ClockKind::Current), Some(50));
        assert_eq!(clock(ClockDomain::Memory, ClockKind::Maximum), Some(most));
        assert_eq!(clock(ClockDomain::Video, ClockKind::Current), None);
        assert_eq!(new().pcie_link(), Some(link));
    };
    same(functions::<BEFORE>, 1600);
    same(functions::<FROM>, 1650);
}

#[test]
fn an_old_library() {
    let gpu = gpu(functions::<BEFORE>());
    assert_eq!(gpu.power(), Some(198_000));
    let process = |pid| Process { pid, memory: None };
    assert_eq!(gpu.processes(), [process(100), process(300)]);
    let missing = ["rsmi_dev_power_get", "rsmi_compute_process_info_by_device_get"];
    assert_eq!(gpu.smi.missing(), missing);
}

#[test]
fn the_best_of_a_link_is_not_made_up() {
    let bandwidth = Some(made_up_bandwidth as _);
    let gpu = gpu(Functions { rsmi_dev_pci_bandwidth_get: bandwidth, ..functions::<FROM>() });
    let link = PcieLink {
        generation: Some(3),
        width: Some(4),
        maximum_generation: None,
        maximum_width: None,
    };
    assert_eq!(gpu.pcie_link(), Some(link));
}

#[test]
fn throttling() {
    let throttling = |metrics| {
        let functions =
            Functions { rsmi_dev_gpu_metrics_info_get: Some(metrics), ..functions::<FROM>() };
        gpu(functions).throttling().map(|is| (is.thermal, is.power))
    };
    assert_eq!(throttling(metrics::<{ 1 << 36 }>), Some((true, false)));
    assert_eq!(throttling(metrics::<{ 1 << 47 }>), Some((true, false)));
    assert_eq!(throttling(metrics::<{ 1 << 16 | 1 << 56 }>), Some((false, true)));
    assert_eq!(throttling(metrics::<0>), Some((false, false)));
    assert_eq!(throttling(metrics::<{ u64::MAX }>), None);
}

#[test]
fn memory_without_ecc_has_no_errors() {
    let blocks = Some(ecc_blocks::<4> as _);
    let gpu = gpu(Functions { rsmi_dev_ecc_enabled_get: blocks, ..functions::<FROM>() });
    assert_eq!(gpu.ecc_errors(), None);
}

#[test]
fn a_library_that_only_finds_gpus() {
    let gpu = gpu(Functions {
        rsmi_init: Some(init),
        rsmi_num_monitor_devices: Some(count),
        rsmi_dev_pci_id_get: Some(address),
        ..Functions::default()
    });
    assert_eq!((gpu.utilization(), gpu.memory(), gpu.temperature()), (None, None, None));
    assert_eq!((gpu.power(), gpu.power_limits(), gpu.energy()), (None, None, None));
    assert_eq!((gpu.pcie_link(), gpu.throttling(), gpu.ecc_errors()), (None, None, None));
    assert_eq!(gpu.clock(ClockDomain::Compute, ClockKind::Current), None);
    assert_eq!((gpu.fan_speeds(), gpu.processes()), (vec![], vec![]));
}

/// All answers are numbers of which every bit is set.
#[test]
fn answers_out_of_all_bounds_are_left_out() {
    extern "C" fn percent(_: u32, answer: *mut u32) -> rsmi_status_t {
        put(GPU, answer, Some(u32::MAX))
    }
    extern "C" fn long(_: u32, answer: *mut u64) -> rsmi_status_t {
        put(GPU, answer, Some(u64::MAX))
    }
    extern "C" fn of_sensor<T: From<i8>>(_: u32, _: u32, answer: *mut T) -> rsmi_status_t {
        put(GPU, answer, Some(T::from(-1)))
    }
    extern "C" fn long_of_sensor(_: u32, _: u32, answer: *mut u64) -> rsmi_status_t {
        put(GPU, answer, Some(u64::MAX))
    }
    extern "C" fn hot(_: u32, _: u32, _: u32, answer: *mut i64) -> rsmi_status_t {
        put(GPU, answer, Some(i64::MAX))
    }
    extern "C" fn range(_: u32, _: u32, most: *mut u64, least: *mut u64) -> rsmi_status_t {
        put(GPU, least, Some(u64::MAX));
        put(GPU, most, Some(u64::MAX))
    }
    extern "C" fn untouched<T>(_: u32, _: *mut T) -> rsmi_status_t {
        RSMI_STATUS_SUCCESS
    }
    extern "C" fn untouched_clocks(_: u32, _: u32, _: *mut rsmi_frequencies_t) -> rsmi_status_t {
        RSMI_STATUS_SUCCESS
    }
    extern "C" fn counter(_: u32, answer: *mut u64, unit: *mut f32, _: *mut u64) -> rsmi_status_t {
        put(GPU, unit, Some(f32::NAN));
        put(GPU, answer, Some(u64::MAX))
    }
    extern "C" fn endless<T>(_: *mut T, count: *mut u32) -> rsmi_status_t {
        put(GPU, count, Some(u32::MAX))
    }
    extern "C" fn endless_gpus(_: u32, _: *mut u32, count: *mut u32) -> rsmi_status_t {
        put(GPU, count, Some(u32::MAX))
    }
    let gpu = gpu(Functions {
        rsmi_init: Some(init),
        rsmi_num_monitor_devices: Some(count),
        rsmi_dev_pci_id_get: Some(address),
        rsmi_dev_busy_percent_get: Some(percent),
        rsmi_dev_temp_metric_get: Some(hot),
        rsmi_dev_gpu_clk_freq_get: Some(untouched_clocks),
        rsmi_dev_gpu_metrics_info_get: Some(untouched),
        rsmi_dev_power_ave_get: Some(long_of_sensor),
        rsmi_dev_power_cap_get: Some(cap),
        rsmi_dev_power_cap_default_get: Some(long),
        rsmi_dev_power_cap_range_get: Some(range),
        rsmi_dev_energy_count_get: Some(counter),
        rsmi_dev_fan_speed_get: Some(of_sensor::<i64>),
        rsmi_dev_fan_speed_max_get: Some(long_of_sensor),
        rsmi_dev_pci_bandwidth_get: Some(untouched),
        rsmi_compute_process_info_get: Some(endless),
        rsmi_compute_process_gpus_get: Some(endless_gpus),
        ..Functions::default()
    });
    assert_eq!((gpu.utilization(), gpu.temperature(), gpu.power()), (None, None, None));
    let limits = PowerLimits { enforced: 250_000, default: None, range: None };
    assert_eq!((gpu.power_limits(), gpu.energy()), (Some(limits), None));
    assert_eq!(gpu.clock(ClockDomain::Memory, ClockKind::Maximum), None);
    let link =
        PcieLink { generation: None, width: None, maximum_generation: None, maximum_width: None };
    assert_eq!((gpu.pcie_link(), gpu.throttling()), (Some(link), None));
    assert_eq!((gpu.fan_speeds(), gpu.processes()), (vec![], vec![]));
}

#[test]
fn libraries_that_cannot_be_used() {
    let error = Smi::at(Path::new("/nonexistent/librocm_smi64.so")).unwrap_err();
    assert!(error.to_string().contains("/nonexistent/librocm_smi64.so"), "{error}");
    // A library that has no function of ROCm SMI at all.
    let error = Smi::at(Path::new("libc.so.6")).unwrap_err();
    assert_eq!(error.to_string(), "rsmi_init of libc.so.6 gave 2");
}
