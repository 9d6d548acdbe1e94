//! Made machines: trees of files as Linux has them in `/proc` and `/sys`.

use super::super::Cpu;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(super) const LIBRARY: &str = "libdevice.so";

pub(super) struct Machine(TempDir);

impl Machine {
    pub(super) fn empty() -> Machine {
        Machine(tempfile::tempdir().unwrap())
    }

    pub(super) fn with(files: &[(&str, &str)]) -> Machine {
        let machine = Machine::empty();
        machine.write(files);
        machine
    }

    /// Adds or changes files.
    pub(super) fn write(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.path(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn cpu(&self) -> Cpu {
        Cpu::at(self.0.path(), LIBRARY)
    }

    /// Sets the time, in seconds since the system started, and the load of each processor: hundredths of a
    /// second that it was busy and idle.
    pub(super) fn time(&self, uptime: f64, processors: &[(u64, u64)]) {
        let mut stat = "cpu  1 2 3 4 5 6 7 8 9 10\n".to_owned();
        for (number, (busy, idle)) in processors.iter().enumerate() {
            let (user, system) = (busy / 2, busy - busy / 2);
            let (wait, idle) = (idle / 4, idle - idle / 4);
            stat += &format!("cpu{number} {user} 0 {system} {idle} {wait} 0 0 0 {user} 0\n");
        }
        stat += "intr 1 2 3\nprocs_running 2\nprocs_blocked 0\n";
        self.write(&[("proc/stat", &stat), ("proc/uptime", &format!("{uptime:.2} 0.00\n"))]);
    }
}

/// A laptop of AMD: four processors, one package with energy counters that everybody may read.
pub(super) fn laptop() -> Machine {
    let machine = Machine::with(&[
        (
            "proc/meminfo",
            "MemTotal:  16000000 kB\nMemFree:  1000000 kB\nMemAvailable:  6000000 kB\n",
        ),
        ("proc/self/status", "Name:\tprogram\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n"),
        ("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"),
        (
            "proc/cpuinfo",
            "processor\t: 0\ncpu MHz\t\t: 1397.123\n\nprocessor\t: 1\ncpu MHz\t\t: 4291.600\n\n\
             processor\t: 2\ncpu MHz\t\t: 400.000\n\nprocessor\t: 3\ncpu MHz\t\t: 4391.000\n\n",
        ),
        ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "4507000\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "4507000\n"),
        ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
        ("sys/class/hwmon/hwmon0/name", "acpitz\n"),
        ("sys/class/hwmon/hwmon0/temp1_input", "90000\n"),
        ("sys/class/hwmon/hwmon3/name", "k10temp\n"),
        ("sys/class/hwmon/hwmon3/temp1_input", "61625\n"),
        ("sys/class/hwmon/hwmon3/temp1_label", "Tctl\n"),
        ("sys/class/hwmon/hwmon3/temp3_input", "75000\n"),
        ("sys/class/hwmon/hwmon3/temp3_label", "Tccd1\n"),
        ("sys/class/hwmon/hwmon4/name", "amdgpu\n"),
        ("sys/class/hwmon/hwmon4/temp1_input", "80000\n"),
        ("sys/class/powercap/intel-rapl:0/name", "package-0\n"),
        ("sys/class/powercap/intel-rapl:0/energy_uj", "65500000000\n"),
        ("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "65532610987\n"),
        ("sys/class/powercap/intel-rapl:0:0/name", "core\n"),
        ("sys/class/powercap/intel-rapl:0:0/energy_uj", "1\n"),
    ]);
    machine.time(1000.0, &[(100, 900); 4]);
    machine
}

/// A server of Intel with two packages, limits of power, counts of throttling and of errors.
pub(super) fn server() -> Machine {
    let machine = Machine::with(&[
        (
            "proc/meminfo",
            "MemTotal:  264000000 kB\nMemFree:  200000000 kB\nBuffers: 1000 kB\nCached: 2000 kB\n",
        ),
        ("proc/self/status", "Cpus_allowed_list:\t0-1\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3900000\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3100000\n"),
        ("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2099997\n"),
        ("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "5\n"),
        ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n"),
        ("sys/devices/system/edac/mc/mc0/ce_count", "3\n"),
        ("sys/devices/system/edac/mc/mc0/ue_count", "0\n"),
        ("sys/devices/system/edac/mc/mc1/ce_count", "4\n"),
        ("sys/devices/system/edac/mc/mc1/ue_count", "1\n"),
        ("sys/class/hwmon/hwmon1/name", "coretemp\n"),
        ("sys/class/hwmon/hwmon1/temp1_input", "52000\n"),
        ("sys/class/hwmon/hwmon1/temp1_label", "Package id 0\n"),
        ("sys/class/hwmon/hwmon1/temp1_max", "83000\n"),
        ("sys/class/hwmon/hwmon1/temp1_crit", "93000\n"),
        ("sys/class/hwmon/hwmon1/temp2_input", "60000\n"),
        ("sys/class/hwmon/hwmon1/temp2_label", "Core 0\n"),
        ("sys/class/hwmon/hwmon2/name", "coretemp\n"),
        ("sys/class/hwmon/hwmon2/temp1_input", "56000\n"),
        ("sys/class/hwmon/hwmon2/temp1_label", "Package id 1\n"),
        ("sys/class/hwmon/hwmon2/temp1_max", "84000\n"),
        ("sys/class/hwmon/hwmon2/temp1_crit", "94000\n"),
    ]);
    for package in ["0", "1"] {
        let folder = format!("sys/class/powercap/intel-rapl:{package}");
        machine.write(&[
            (&format!("{folder}/name"), &format!("package-{package}\n")),
            (&format!("{folder}/energy_uj"), "1000000000\n"),
            (&format!("{folder}/max_energy_range_uj"), "262143328850\n"),
            (&format!("{folder}/constraint_0_name"), "short_term\n"),
            (&format!("{folder}/constraint_0_power_limit_uw"), "180000000\n"),
            (&format!("{folder}/constraint_1_name"), "long_term\n"),
            (&format!("{folder}/constraint_1_power_limit_uw"), "150000000\n"),
        ]);
    }
    machine.time(5000.0, &[(100, 900); 2]);
    machine
}

/// A container without sensors whose group, or the one around it, has one and a half of eight processors and
/// 2 GiB.
pub(super) fn container() -> Machine {
    let machine = Machine::with(&[
        ("proc/meminfo", "MemTotal:  16777216 kB\nMemAvailable:  8388608 kB\n"),
        ("proc/self/status", "Cpus_allowed_list:\t0-127\n"),
        ("proc/self/cgroup", "0::/kubepods/pod1/run\n"),
        ("sys/fs/cgroup/cpu.max", "400000 100000\n"),
        ("sys/fs/cgroup/cpu.stat", "usage_usec 999999999\n"),
        ("sys/fs/cgroup/kubepods/pod1/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/kubepods/pod1/cpu.stat", "usage_usec 3000000\nuser_usec 1\n"),
        ("sys/fs/cgroup/kubepods/pod1/run/cpu.max", "max 100000\n"),
        ("sys/fs/cgroup/kubepods/pod1/run/cpu.stat", "usage_usec 1000000\n"),
        ("sys/fs/cgroup/kubepods/pod1/memory.max", "max\n"),
        ("sys/fs/cgroup/kubepods/pod1/memory.current", "5368709120\n"),
        ("sys/fs/cgroup/kubepods/pod1/run/memory.max", "2147483648\n"),
        ("sys/fs/cgroup/kubepods/pod1/run/memory.current", "1073741824\n"),
        (
            "sys/fs/cgroup/kubepods/pod1/run/memory.stat",
            "anon 1\nfile 2\ninactive_file 268435456\n",
        ),
    ]);
    machine.time(100.0, &[(100, 900); 8]);
    machine
}

/// The same with groups of version 1, of which the container sees only its own.
pub(super) fn old_container() -> Machine {
    let machine = Machine::with(&[
        ("proc/meminfo", "MemTotal:  16777216 kB\nMemAvailable:  8388608 kB\n"),
        ("proc/self/status", "Cpus_allowed_list:\t0-7\n"),
        (
            "proc/self/cgroup",
            "9:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n1:name=systemd:/docker/0123\n0::/\n",
        ),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "3000000000\n"),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 268435456\n"),
    ]);
    machine.time(100.0, &[(100, 900); 8]);
    machine
}

/// Adds a process that has mapped a file, has run for some ticks and was started at another.
pub(super) fn process(machine: &Machine, pid: u32, mapped: &str, ran: u64, started: u64) {
    let maps = format!(
        "55d0c0000000-55d0c0001000 r--p 00000000 08:01 1 /usr/bin/program\n\
         7f0000000000-7f0000001000 r-xp 00001000 08:01 2                          {mapped}\n\
         7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n"
    );
    let fields = "S 1 1 1 0 -1 4194304 100 0 0 0";
    let stat = format!("{pid} (a) (b c) {fields} {ran} 0 0 0 20 0 4 0 {started} 1000000 500\n");
    machine.write(&[
        (&format!("proc/{pid}/maps"), &maps),
        (&format!("proc/{pid}/stat"), &stat),
        (&format!("proc/{pid}/status"), "Name:\ta) (b c\nVmSize:\t 9999 kB\nVmRSS:\t    2048 kB\n"),
    ]);
}
