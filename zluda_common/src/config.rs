//! Configuration through environment variables.
//!
//! [`VARIABLES`] is the one table of them. A variable that is unset or empty has its default. A value
//! that makes no sense is reported with one log line and replaced by the default.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::LazyLock;
pub use zluda_staged::Libraries;

mod parse;

/// One environment variable, as documentation and `zluda info` show it.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub name: &'static str,
    pub meaning: &'static str,
    pub values: &'static str,
    pub default: &'static str,
    /// Stores the value, or says what is wrong with it.
    apply: fn(&mut Config, OsString) -> Result<(), String>,
}

/// The cache's folder where no variable names one.
const USERS_CACHE: &str =
    r"$XDG_CACHE_HOME/zluda, else ~/.cache/zluda; on Windows %LOCALAPPDATA%\zluda";

/// Every variable that is read.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "ZLUDA_DEVICE",
        meaning: "the device that programs run on",
        values: "auto, rocm, cpu, emu:<gfx name>",
        default: "auto: an AMD GPU if there is one, else the CPU",
        apply: |config, value| parse::device(value).map(|device| config.device = device),
    },
    Variable {
        name: "ZLUDA_DEVICES",
        meaning: "how many devices the CPU, or the emulated GPU, is: each has all cores, and they have one memory; or \
                  cores and memory are divided among them",
        values: "<number>, from 1 to 32; <number>:divided",
        default: "1",
        apply: |config, value| parse::devices(value).map(|devices| config.devices = devices),
    },
    Variable {
        name: "ZLUDA_EMULATED_GPU",
        meaning: "the GPU that `libzluda_hip_emu.so` emulates where ROCm's libraries have it in place of \
                  `libamdhip64.so`, as with `ZLUDA_DEVICE=rocm`",
        values: "gfx1100, ...",
        default: "none",
        apply: |config, value| parse::gpu(value).map(|gpu| config.emulated_gpu = Some(gpu)),
    },
    Variable {
        name: "ZLUDA_EMULATED_MEMORY",
        meaning: "whether the memory of an emulated GPU lies apart from the host's, which cannot access it, as that of a \
                  card; or at addresses at which the host finds it too",
        values: "apart, shared",
        default: "apart",
        apply: |config, value| {
            parse::emulated_memory(value).map(|memory| config.emulated_memory = memory)
        },
    },
    Variable {
        name: "ZLUDA_MEMORY",
        meaning: "the most device memory that one process may allocate on the CPU device, or on all of them",
        values: "bytes, with an optional K, M, G or T (powers of 1024)",
        default: "three quarters of the machine's memory",
        apply: |config, value| parse::size(value).map(|bytes| config.memory = Some(bytes)),
    },
    Variable {
        name: "ZLUDA_CC",
        meaning: "the compute capability that devices report",
        values: "<major>.<minor>, from 5.0 to 14.9",
        default: "8.0",
        apply: |config, value| {
            parse::compute_capability(value)
                .map(|capability| config.compute_capability = capability)
        },
    },
    Variable {
        name: "ZLUDA_LIBRARIES",
        meaning: "whose libraries above the driver (cuBLAS, ...) programs get by `zluda run` and the audit library: \
                  ZLUDA's own, NVIDIA's, or NVIDIA's where they are installed and `ZLUDA_CC` is at least 13.0, which \
                  they need, else ZLUDA's own",
        values: "auto, own, nvidia",
        default: "auto",
        apply: |config, value| {
            parse::libraries(value).map(|libraries| config.libraries = libraries)
        },
    },
    Variable {
        name: "ZLUDA_CACHE_DIR",
        meaning: "the folder of compiled kernels",
        values: "an absolute path, or off",
        default: USERS_CACHE,
        apply: |config, value| parse::cache_dir(value).map(|folder| config.cache_dir = folder),
    },
    Variable {
        name: "ZLUDA_CACHE_SIZE",
        meaning: "the size that the folder of compiled kernels may have",
        values: "bytes, with an optional K, M, G or T (powers of 1024)",
        default: "1G",
        apply: |config, value| parse::size(value).map(|bytes| config.cache_size = bytes),
    },
    Variable {
        name: "ZLUDA_LOG",
        meaning: "what is logged, and where to",
        values: "off, error, warn, info, debug or trace; <crate>=<level>; file=<path>; joined by commas",
        default: "warn, to standard error",
        apply: |config, value| parse::log(value).map(|log| config.log = log),
    },
    Variable {
        name: "ZLUDA_EXECUTOR",
        meaning: "how the CPU device runs kernels: as vector code, or one lane at a time to check results",
        values: "vector, reference",
        default: "vector",
        apply: |config, value| parse::executor(value).map(|executor| config.executor = executor),
    },
    Variable {
        name: "ZLUDA_CPU_TARGET",
        meaning: "the processor that the CPU device compiles kernels for, which may be less than this one",
        values: "native, x86-64-v2, x86-64-v3 (AVX2), x86-64-v4 (AVX-512)",
        default: "native",
        apply: |config, value| parse::cpu_target(value).map(|target| config.cpu_target = target),
    },
    Variable {
        name: "ZLUDA_MATH",
        meaning: "how the approximate functions (`ex2.approx`, `rsqrt.approx`, ...) are computed: with the bits of \
                  an H100, as the reference executor always does; in the device's own way, which is faster; or with \
                  those bits but for reciprocals, roots and quotients (AMD GPUs: as fast)",
        values: "exact, mixed, fast",
        default: "mixed",
        apply: |config, value| parse::math(value).map(|math| config.math = math),
    },
    Variable {
        name: "ZLUDA_SASS",
        meaning: "whether machine code of NVIDIA's GPUs (sm_75 to sm_90) runs: where a program brings no PTX; never; or before PTX \
                  where it brings both",
        values: "on, off, prefer",
        default: "on",
        apply: |config, value| {
            parse::machine_code(value).map(|choice| config.machine_code = choice)
        },
    },
    Variable {
        name: "ZLUDA_AMD_MATRIX",
        meaning: "how AMD GPUs multiply matrices of floats: with the bits of an NVIDIA GPU, or by their own \
                  matrix instructions where they have them",
        values: "exact, fast",
        default: "exact",
        apply: |config, value| parse::amd_matrix(value).map(|matrix| config.amd_matrix = matrix),
    },
    Variable {
        name: "ZLUDA_CHAOS",
        meaning: "a seed with which the CPU device varies all that programs may not rely on, so that mistakes in \
                  the order of things show soon: threads, who runs first and how long; kernels run slower",
        values: "a number from 0 to 2^64 - 1",
        default: "off",
        apply: |config, value| parse::seed(value).map(|seed| config.chaos = Some(seed)),
    },
    Variable {
        name: "ZLUDA_CHECK",
        meaning: "mistakes of kernels that are looked for: align, which costs time, accesses at addresses that are \
                  no multiples of their sizes, which end the kernel with error 716 as on an NVIDIA GPU; bounds, accesses \
                  behind the last page of 4 KiB of an allocation of more than 64 KiB, which reaches to a multiple of 2 MiB \
                  otherwise, as with NVIDIA's driver",
        values: "align, bounds; joined by commas",
        default: "nothing",
        apply: |config, value| parse::check(value).map(|check| config.check = check),
    },
    Variable {
        name: "ZLUDA_DEBUG",
        meaning: "what the compiler shows, checks and keeps",
        values: "print=<pass>, stop-after=<pass>, verify, time, ptx=<folder>; joined by commas",
        default: "nothing",
        apply: |config, value| parse::debug(value).map(|debug| config.debug = debug),
    },
];

/// The compute capability that devices report unless `ZLUDA_CC` says otherwise.
pub const DEFAULT_COMPUTE_CAPABILITY: ComputeCapability = ComputeCapability { major: 8, minor: 0 };

/// There are no more devices in a process.
pub const MOST_DEVICES: usize = 32;

const DEFAULT_CACHE_SIZE: u64 = 1 << 30;

/// The values of all [`VARIABLES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    pub device: DeviceChoice,
    pub devices: Devices,
    /// Bytes. `None`: three quarters of the machine's memory.
    pub memory: Option<u64>,
    pub compute_capability: ComputeCapability,
    pub libraries: Libraries,
    pub cache_dir: CacheDir,
    /// Bytes.
    pub cache_size: u64,
    pub log: LogConfig,
    pub executor: Executor,
    pub cpu_target: CpuTarget,
    pub math: Math,
    pub machine_code: MachineCode,
    pub amd_matrix: AmdMatrix,
    /// Its gfx name.
    pub emulated_gpu: Option<String>,
    pub emulated_memory: EmulatedMemory,
    /// A seed.
    pub chaos: Option<u64>,
    pub check: CheckConfig,
    pub debug: DebugConfig,
}

/// `ZLUDA_DEVICE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    #[default]
    Auto,
    Rocm,
    Cpu,
    /// The emulated AMD GPU with this name, such as `gfx1100`.
    Emulated(String),
}

/// `ZLUDA_DEVICES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Devices {
    /// At least 1.
    pub count: usize,
    /// Each has its part of the cores and of the memory, and not all of them.
    pub are_divided: bool,
}

/// `ZLUDA_CC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComputeCapability {
    pub major: u32,
    pub minor: u32,
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// `ZLUDA_CACHE_DIR`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CacheDir {
    /// `$XDG_CACHE_HOME/zluda`, else `~/.cache/zluda`; on Windows `%LOCALAPPDATA%\\zluda`.
    #[default]
    User,
    Folder(PathBuf),
    Off,
}

/// `ZLUDA_LOG`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogConfig {
    /// Overrides of the default level, by crate, in the order given; the empty name stands for all crates.
    pub levels: Vec<(String, LogLevel)>,
    /// `None`: standard error.
    pub file: Option<PathBuf>,
}

/// The amount of logging: the level named, and all more urgent ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Off,
    Error,
    #[default]
    Warn,
    Info,
    Debug,
    Trace,
}

/// `ZLUDA_EXECUTOR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// 32-lane vector code.
    #[default]
    Vector,
    /// One lane at a time: slow, simple, for comparison.
    Reference,
}

/// `ZLUDA_CPU_TARGET`. This machine can run code for each value that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuTarget {
    /// This machine's processor, with all that it can do.
    #[default]
    Native,
    /// A level of the x86-64 ABI, in LLVM's spelling.
    Level(&'static str),
}

/// `ZLUDA_MATH`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Math {
    Exact,
    #[default]
    Mixed,
    Fast,
}

/// `ZLUDA_SASS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineCode {
    /// Where there is no PTX.
    #[default]
    On,
    Off,
    /// Before PTX.
    Prefer,
}

/// `ZLUDA_EMULATED_MEMORY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmulatedMemory {
    /// The host cannot access it.
    #[default]
    Apart,
    Shared,
}

/// `ZLUDA_AMD_MATRIX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AmdMatrix {
    #[default]
    Exact,
    Fast,
}

/// `ZLUDA_CHECK`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckConfig {
    /// Accesses at addresses that are no multiples of their sizes.
    pub align: bool,
    /// Accesses behind allocations of more than 64 KiB.
    pub bounds: bool,
}

/// `ZLUDA_DEBUG`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugConfig {
    /// Passes whose result is printed to the log.
    pub print: Vec<String>,
    /// The pass after which compilation ends.
    pub stop_after: Option<String>,
    /// The verifier runs between passes.
    pub verify: bool,
    /// The time that each pass takes is logged.
    pub time: bool,
    /// A folder that gets the PTX that programs load and link.
    pub ptx: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            device: DeviceChoice::default(),
            devices: Devices { count: 1, are_divided: false },
            memory: None,
            compute_capability: DEFAULT_COMPUTE_CAPABILITY,
            libraries: Libraries::default(),
            cache_dir: CacheDir::default(),
            cache_size: DEFAULT_CACHE_SIZE,
            log: LogConfig::default(),
            executor: Executor::default(),
            cpu_target: CpuTarget::default(),
            math: Math::default(),
            machine_code: MachineCode::default(),
            amd_matrix: AmdMatrix::default(),
            emulated_gpu: None,
            emulated_memory: EmulatedMemory::default(),
            chaos: None,
            check: CheckConfig::default(),
            debug: DebugConfig::default(),
        }
    }
}

impl Config {
    /// Whether kernels for the CPU have places between accesses of memory where threads may be left: for
    /// the reference executor, and for every other seed of `ZLUDA_CHAOS` as vector code too.
    pub fn preempts(&self) -> bool {
        self.chaos.is_some_and(|seed| self.executor == Executor::Reference || seed % 2 == 1)
    }

    /// Whether programs get our libraries above the driver although NVIDIA's may be installed.
    pub fn prefers_own_libraries(&self) -> bool {
        self.libraries.prefer_own(self.compute_capability.major)
    }

    /// Reads all [`VARIABLES`] through `lookup`. Returns the configuration and a line for each bad value.
    pub fn read(lookup: impl Fn(&str) -> Option<OsString>) -> (Self, Vec<String>) {
        let mut config = Self::default();
        let mut problems = Vec::new();
        for variable in VARIABLES {
            let Some(value) = lookup(variable.name).filter(|value| !value.is_empty()) else {
                continue;
            };
            let shown = value.to_string_lossy().into_owned();
            if let Err(reason) = (variable.apply)(&mut config, value) {
                problems.push(format!(
                    "{}={shown} is ignored: {reason}; values: {}; default: {}",
                    variable.name, variable.values, variable.default
                ));
            }
        }
        (config, problems)
    }
}

static PROCESS: LazyLock<(Config, Vec<String>)> =
    LazyLock::new(|| Config::read(|name| std::env::var_os(name)));

/// The configuration of this process, read at the first call.
pub fn config() -> &'static Config {
    &PROCESS.0
}

/// A line for each bad value in this process's environment; [`crate::log::init`] logs them.
pub(crate) fn problems() -> &'static [String] {
    &PROCESS.1
}

#[cfg(test)]
mod tests;
