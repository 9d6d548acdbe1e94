//! Readings of machines that the tests make up.

mod machine;

use super::super::{
    ClockDomain, ClockKind, EccErrors, Locality, Memory, PowerLimits, Process, ProcessUtilization,
    Scope, Telemetry, Threshold, Throttling, Utilization,
};
use super::Cpu;
use machine::{LIBRARY, Machine, container, laptop, old_container, process, server};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const GIB: u64 = 1 << 30;

fn load(cpu: &Cpu) -> Option<u32> {
    let Utilization { device, memory } = cpu.utilization()?;
    assert_eq!(memory, None);
    Some(device)
}

#[test]
fn load_is_counted_from_the_last_question() {
    let machine = laptop();
    let cpu = machine.cpu();
    machine.time(1001.0, &[(200, 900), (150, 950), (100, 1000), (150, 950)]);
    assert_eq!(load(&cpu), Some(50));
    machine.time(1002.0, &[(300, 900), (250, 950), (200, 1000), (250, 950)]);
    assert_eq!(load(&cpu), Some(100));
    // Too soon: the answer before.
    machine.time(1002.02, &[(300, 902), (250, 952), (200, 1002), (250, 952)]);
    assert_eq!(load(&cpu), Some(100));
    machine.time(1003.0, &[(300, 1000), (250, 1050), (200, 1100), (250, 1050)]);
    assert_eq!(load(&cpu), Some(0));
}

#[test]
fn the_first_answer_is_of_the_moment() {
    let machine = laptop();
    let cpu = machine.cpu();
    // Two threads run, of which one asks.
    assert_eq!(load(&cpu), Some(25));
}

#[test]
fn only_usable_processors_count() {
    let machine = laptop();
    machine.write(&[("proc/self/status", "Cpus_allowed_list:\t0,2\n")]);
    let cpu = machine.cpu();
    machine.time(1001.0, &[(200, 900), (200, 900), (100, 1000), (200, 900)]);
    assert_eq!(load(&cpu), Some(50));
    assert_eq!(cpu.clock(ClockDomain::Compute, ClockKind::Current), Some(1397));
    // The load of other processors is not compared with it.
    machine.write(&[("proc/self/status", "Cpus_allowed_list:\t2\n")]);
    machine.time(1002.0, &[(300, 900), (300, 900), (200, 1000), (300, 900)]);
    assert_eq!(load(&cpu), Some(100));
    machine.time(1003.0, &[(400, 900), (400, 900), (200, 1100), (400, 900)]);
    assert_eq!(load(&cpu), Some(0));
}

#[test]
fn the_device_is_near_what_the_process_could_use_when_it_was_opened() {
    let machine = laptop();
    machine.write(&[("sys/devices/system/cpu/online", "0-3\n")]);
    let near = Locality { processors: vec![0, 1, 2, 3], nodes: vec![0] };
    assert_eq!(machine.cpu().locality(Scope::Node), Some(near));
    let status = "Cpus_allowed_list:\t1-2,7\nMems_allowed_list:\t1-5\n";
    machine
        .write(&[("proc/self/status", status), ("sys/devices/system/node/has_memory", "0-1,3\n")]);
    let cpu = machine.cpu();
    machine.write(&[("proc/self/status", "Cpus_allowed_list:\t2\n")]);
    let near = Locality { processors: vec![1, 2], nodes: vec![1, 3] };
    for scope in [Scope::Node, Scope::Socket] {
        assert_eq!(cpu.locality(scope), Some(near.clone()));
    }
    assert_eq!(Machine::empty().cpu().locality(Scope::Node), None);
}

#[test]
fn a_quota_is_the_capacity() {
    let machine = container();
    let cpu = machine.cpu();
    machine.time(102.0, &[(300, 900); 8]);
    // 0.75 of 1.5 processors in two seconds.
    let path = "sys/fs/cgroup/kubepods/pod1/cpu.stat";
    machine.write(&[(path, "usage_usec 4500000\n")]);
    assert_eq!(load(&cpu), Some(50));

    let machine = old_container();
    let cpu = machine.cpu();
    machine.time(102.0, &[(300, 900); 8]);
    machine.write(&[("sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "5250000000\n")]);
    assert_eq!(load(&cpu), Some(75));
    // More than the machine has is no quota.
    machine.write(&[("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "900000\n")]);
    assert_eq!(load(&cpu), Some(13));
    machine.time(103.0, &[(325, 975); 8]);
    assert_eq!(load(&cpu), Some(25));
}

#[test]
fn memory_of_the_machine_and_of_groups() {
    let memory = |total, used| Some(Memory { total, reserved: 0, used, free: total - used });
    assert_eq!(laptop().cpu().memory(), memory(16_000_000 << 10, 10_000_000 << 10));
    // An old kernel, which does not say what is available.
    assert_eq!(server().cpu().memory(), memory(264_000_000 << 10, 63_997_000 << 10));
    for machine in [container(), old_container()] {
        assert_eq!(machine.cpu().memory(), memory(2 * GIB, 3 * GIB / 4));
        // The machine has less left than the group may take.
        let text = "MemTotal:  16777216 kB\nMemAvailable:  524288 kB\n";
        machine.write(&[("proc/meminfo", text)]);
        assert_eq!(machine.cpu().memory(), memory(2 * GIB, 3 * GIB / 2));
    }
    // A group outside of the part of the tree that is seen: that of the root counts.
    let machine = container();
    machine.write(&[
        ("proc/self/cgroup", "0::/../kubepods/pod1/run\n"),
        ("sys/fs/cgroup/memory.max", "4294967296\n"),
        ("sys/fs/cgroup/memory.current", "1073741824\n"),
    ]);
    assert_eq!(machine.cpu().memory(), memory(4 * GIB, GIB));
}

#[test]
fn clocks() {
    use ClockDomain::{Compute, Graphics, Video};
    use ClockKind::{Current, Maximum};
    let clocks = |machine: Machine| {
        let cpu = machine.cpu();
        assert_eq!(cpu.clock(Graphics, Current), cpu.clock(Compute, Current));
        assert_eq!(cpu.clock(Graphics, Maximum), cpu.clock(Compute, Maximum));
        assert_eq!(cpu.clock(ClockDomain::Memory, Current), None);
        assert_eq!(cpu.clock(Video, Maximum), None);
        (cpu.clock(Compute, Current), cpu.clock(Compute, Maximum))
    };
    assert_eq!(clocks(laptop()), (Some(4391), Some(4507)));
    assert_eq!(clocks(server()), (Some(3100), Some(3900)));
    assert_eq!(clocks(container()), (None, None));
}

#[test]
fn throttling_is_counted_from_the_last_question() {
    let machine = server();
    let cpu = machine.cpu();
    let thermal = |thermal| Some(Throttling { thermal, power: false });
    assert_eq!(cpu.throttling(), thermal(false));
    let path = "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count";
    machine.write(&[(path, "6\n")]);
    assert_eq!(cpu.throttling(), thermal(true));
    assert_eq!(cpu.throttling(), thermal(false));
    assert_eq!(laptop().cpu().throttling(), None);
}

#[test]
fn temperatures() {
    let temperatures = |machine: &Machine| {
        let cpu = machine.cpu();
        let thresholds = [Threshold::Shutdown, Threshold::Slowdown, Threshold::Maximum];
        assert_eq!(cpu.temperature_threshold(Threshold::MemoryMaximum), None);
        (cpu.temperature(), thresholds.map(|which| cpu.temperature_threshold(which)))
    };
    let machine = laptop();
    assert_eq!(temperatures(&machine), (Some(62), [None; 3]));
    // `Tctl` has an offset where there is `Tdie`.
    machine.write(&[
        ("sys/class/hwmon/hwmon3/temp2_input", "51400\n"),
        ("sys/class/hwmon/hwmon3/temp2_label", "Tdie\n"),
    ]);
    assert_eq!(temperatures(&machine), (Some(51), [None; 3]));
    // The hotter package with its own limits.
    assert_eq!(temperatures(&server()), (Some(56), [None, Some(94), Some(84)]));
    assert_eq!(temperatures(&container()), (None, [None; 3]));
    let zones = Machine::with(&[
        ("sys/class/thermal/thermal_zone0/type", "acpitz\n"),
        ("sys/class/thermal/thermal_zone0/temp", "99000\n"),
        ("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n"),
        ("sys/class/thermal/thermal_zone1/temp", "47500\n"),
        ("sys/class/thermal/thermal_zone1/trip_point_0_type", "passive\n"),
        ("sys/class/thermal/thermal_zone1/trip_point_0_temp", "80000\n"),
        ("sys/class/thermal/thermal_zone1/trip_point_1_type", "critical\n"),
        ("sys/class/thermal/thermal_zone1/trip_point_1_temp", "105000\n"),
    ]);
    assert_eq!(temperatures(&zones), (Some(48), [Some(105), None, None]));
}

#[test]
fn sensors_that_are_not_connected_are_left_out() {
    for nothing in ["0\n", "-274000\n", "255000\n", "", "hot\n"] {
        let machine = laptop();
        machine.write(&[("sys/class/hwmon/hwmon3/temp1_input", nothing)]);
        assert_eq!(machine.cpu().temperature(), None, "{nothing:?}");
    }
}

#[test]
fn energy_and_power() {
    let machine = laptop();
    let cpu = machine.cpu();
    assert_eq!((cpu.power(), cpu.energy()), (None, Some(0)));
    // 60 J in two seconds, and the counter goes around.
    machine.write(&[("sys/class/powercap/intel-rapl:0/energy_uj", "27389013\n")]);
    machine.time(1002.0, &[(100, 900); 4]);
    assert_eq!((cpu.power(), cpu.energy()), (Some(30_000), Some(60_000)));
    assert_eq!(cpu.power_limits(), None);
    // Longer than the counter takes at most to go around.
    machine.time(1100.0, &[(100, 900); 4]);
    assert_eq!((cpu.power(), cpu.energy()), (None, None));

    let machine = server();
    let cpu = machine.cpu();
    machine.write(&[
        ("sys/class/powercap/intel-rapl:0/energy_uj", "1100000000\n"),
        ("sys/class/powercap/intel-rapl:1/energy_uj", "1050000000\n"),
    ]);
    machine.time(5001.0, &[(100, 900); 2]);
    assert_eq!((cpu.power(), cpu.energy()), (Some(150_000), Some(150_000)));
    let limits = PowerLimits { enforced: 300_000, default: None, range: None };
    assert_eq!(cpu.power_limits(), Some(limits));
    // The machine has slept, and the counters have started again.
    machine.write(&[("sys/class/powercap/intel-rapl:0/energy_uj", "50000000\n")]);
    machine.time(5060.0, &[(100, 900); 2]);
    assert_eq!((cpu.power(), cpu.energy()), (None, None));
}

#[test]
fn counters_of_energy_that_only_the_administrator_reads() {
    let machine = laptop();
    std::fs::remove_file(machine.path("sys/class/powercap/intel-rapl:0/energy_uj")).unwrap();
    let cpu = machine.cpu();
    machine.time(1002.0, &[(100, 900); 4]);
    assert_eq!((cpu.power(), cpu.energy()), (None, None));
}

#[test]
fn errors_of_memory() {
    let errors = EccErrors { corrected: 7, uncorrected: 1 };
    assert_eq!(server().cpu().ecc_errors(), Some(errors));
    assert_eq!(laptop().cpu().ecc_errors(), None);
}

#[test]
fn processes_are_those_with_the_library() {
    let machine = laptop();
    process(&machine, 1000, "/opt/device/libdevice.so", 0, 0);
    process(&machine, 20, "/opt/device with blanks/libdevice.so (deleted)", 0, 0);
    process(&machine, 30, "/opt/device/other_libdevice.so", 0, 0);
    process(&machine, 40, "/opt/libdevice.so/other", 0, 0);
    // Of another user.
    process(&machine, 50, "/opt/device/libdevice.so", 0, 0);
    std::fs::remove_file(machine.path("proc/50/maps")).unwrap();
    let memory = Some(2 << 20);
    let all = [Process { pid: 20, memory }, Process { pid: 1000, memory }];
    let cpu = machine.cpu();
    assert_eq!(cpu.processes(), all);
    std::fs::remove_dir_all(machine.path("proc/20")).unwrap();
    assert_eq!(cpu.processes(), all[1..]);
    process(&machine, 60, "/opt/device/libdevice.so", 0, 0);
    assert_eq!(cpu.processes(), all[1..], "not looked for again so soon");
    machine.time(1001.0, &[(100, 900); 4]);
    assert_eq!(cpu.processes(), [Process { pid: 60, memory }, Process { pid: 1000, memory }]);
}

#[test]
fn processes_have_their_part_of_the_processors() {
    let machine = laptop();
    let cpu = machine.cpu();
    // Two of four processors for half of its 10 seconds.
    process(&machine, 7, "/libdevice.so", 1000, 99_000);
    let part = |pid, device| ProcessUtilization { pid, device };
    assert_eq!(cpu.process_utilization(), [part(7, 25)]);
    machine.time(1002.0, &[(100, 900); 4]);
    process(&machine, 7, "/libdevice.so", 1600, 99_000);
    process(&machine, 8, "/libdevice.so", 100, 100_000);
    assert_eq!(cpu.process_utilization(), [part(7, 75), part(8, 13)]);
    // Another process by the same number.
    machine.time(1003.0, &[(100, 900); 4]);
    process(&machine, 8, "/libdevice.so", 200, 100_250);
    assert_eq!(cpu.process_utilization(), [part(7, 0), part(8, 100)]);
}

/// All answers, in words.
fn ask(cpu: &Cpu) -> Vec<String> {
    let mut answers = vec![
        format!("{:?}", cpu.utilization()),
        format!("{:?}", cpu.memory()),
        format!("{:?}", cpu.visible_memory()),
        format!("{:?}", cpu.temperature()),
        format!("{:?}", cpu.throttling()),
        format!("{:?}", cpu.power()),
        format!("{:?}", cpu.power_limits()),
        format!("{:?}", cpu.energy()),
        format!("{:?}", cpu.pcie_link()),
        format!("{:?}", cpu.pcie_throughput()),
        format!("{:?}", cpu.ecc_errors()),
        format!("{:?}", cpu.fan_speeds().first()),
        format!("{:?}", cpu.processes().first()),
        format!("{:?}", cpu.process_utilization().first()),
    ];
    for which in [Threshold::Shutdown, Threshold::Slowdown, Threshold::Maximum] {
        answers.push(format!("{:?}", cpu.temperature_threshold(which)));
    }
    for kind in [ClockKind::Current, ClockKind::Maximum] {
        answers.push(format!("{:?}", cpu.clock(ClockDomain::Compute, kind)));
    }
    answers
}

#[test]
fn a_machine_that_says_nothing() {
    let answers = ask(&Machine::empty().cpu());
    assert!(answers.iter().all(|answer| answer == "None"), "{answers:?}");
    let answers = ask(&Cpu::at("/nowhere/at/all", LIBRARY));
    assert!(answers.iter().all(|answer| answer == "None"), "{answers:?}");
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

const GARBAGE: &[&[u8]] = &[
    b"\xff\xfe\x00\n",
    b"-1\n",
    b"18446744073709551615\n",
    b"9223372036854775807\n",
    b"cpu0 18446744073709551615 1 1 1\ncpu1 1 2 3 18446744073709551615\n",
    b"1e308 nan : ) ( - , ,\n",
];

/// Every file of every machine in turn is spoiled, before the machine is opened and after.
#[test]
fn garbage_is_left_out() {
    for make in [laptop, server, container, old_container] {
        let machine = make();
        process(&machine, 7, "/libdevice.so", 1000, 9000);
        let good = ask(&machine.cpu());
        let mut paths = Vec::new();
        files(&machine.path(""), &mut paths);
        for path in paths {
            let whole = std::fs::read(&path).unwrap();
            let mut texts = vec![whole[..0].to_vec(), whole[..whole.len() / 2].to_vec()];
            texts.extend(GARBAGE.iter().map(|text| text.to_vec()));
            for text in texts {
                std::fs::write(&path, &text).unwrap();
                ask(&machine.cpu());
                std::fs::write(&path, &whole).unwrap();
                let cpu = machine.cpu();
                std::fs::write(&path, &text).unwrap();
                ask(&cpu);
            }
            std::fs::remove_file(&path).unwrap();
            ask(&machine.cpu());
            // A pipe that nobody writes to must not be waited for, and a folder is no file.
            let name = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
            // SAFETY: the name ends with 0.
            assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
            ask(&machine.cpu());
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
            ask(&machine.cpu());
            std::fs::remove_dir(&path).unwrap();
            std::fs::write(&path, &whole).unwrap();
        }
        assert_eq!(ask(&machine.cpu()), good);
    }
}

#[test]
fn files_without_an_end_are_cut() {
    let machine = laptop();
    for path in ["proc/cpuinfo", "proc/stat", "proc/meminfo"] {
        std::fs::remove_file(machine.path(path)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", machine.path(path)).unwrap();
    }
    process(&machine, 7, "/libdevice.so", 0, 0);
    std::fs::remove_file(machine.path("proc/7/maps")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", machine.path("proc/7/maps")).unwrap();
    let cpu = machine.cpu();
    assert_eq!(cpu.clock(ClockDomain::Compute, ClockKind::Current), None);
    assert_eq!((load(&cpu), cpu.memory()), (None, None));
    assert_eq!(cpu.processes(), []);
}

/// Nothing is known of this machine but this process.
#[test]
fn this_machine() {
    let program = std::env::current_exe().unwrap();
    let cpu = Cpu::new(program.file_name().unwrap().to_str().unwrap());
    let memory = cpu.memory().unwrap();
    assert_eq!(memory.total, memory.used + memory.free);
    assert!(memory.total > 64 << 20 && memory.used > 0, "{memory:?}");
    assert!(load(&cpu).unwrap() <= 100);
    let own = |pid: u32| pid == std::process::id();
    let process = cpu.processes().into_iter().find(|process| own(process.pid)).unwrap();
    assert!((1 << 20..memory.total).contains(&process.memory.unwrap()), "{process:?}");
    if let Some(clock) = cpu.clock(ClockDomain::Compute, ClockKind::Current) {
        assert!((100..10_000).contains(&clock), "{clock}");
    }
}
