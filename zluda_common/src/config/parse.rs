//! The values of environment variables. An error is the reason, without the variable's name.

use super::{
    AmdMatrix, CacheDir, CheckConfig, ComputeCapability, CpuTarget, DebugConfig, DeviceChoice,
    Devices, EmulatedMemory, Executor, Libraries, LogConfig, LogLevel, MOST_DEVICES, MachineCode,
    Math,
};
use std::ffi::OsString;
use std::path::PathBuf;

fn text(value: OsString) -> Result<String, String> {
    value.into_string().map_err(|_| "it is not UTF-8".to_owned())
}

/// `auto`, `rocm`, `cpu`, or `emu:` and the gfx name of an emulated GPU.
pub(super) fn device(value: OsString) -> Result<DeviceChoice, String> {
    let value = text(value)?;
    match value.as_str() {
        "auto" => Ok(DeviceChoice::Auto),
        "rocm" => Ok(DeviceChoice::Rocm),
        "cpu" => Ok(DeviceChoice::Cpu),
        _ => match value.strip_prefix("emu:") {
            Some(name) => gpu(name.into()).map(DeviceChoice::Emulated),
            None => Err("there is no such device".to_owned()),
        },
    }
}

/// The gfx name of an emulated GPU.
pub(super) fn gpu(value: OsString) -> Result<String, String> {
    let name = text(value)?;
    match is_gfx_name(&name) {
        true => Ok(name),
        false => Err("the emulated GPU is not a gfx name such as gfx1100".to_owned()),
    }
}

/// A number of devices, and `:divided`.
pub(super) fn devices(value: OsString) -> Result<Devices, String> {
    let value = text(value)?;
    let (number, are_divided) = match value.split_once(':') {
        None => (value.as_str(), false),
        Some((number, "divided")) => (number, true),
        Some(_) => return Err("they can be divided, and nothing else".to_owned()),
    };
    match number.trim().parse() {
        Ok(count) if (1..=MOST_DEVICES).contains(&count) => Ok(Devices { count, are_divided }),
        _ => Err("it is not a number of devices".to_owned()),
    }
}

fn is_gfx_name(name: &str) -> bool {
    name.strip_prefix("gfx").is_some_and(|digits| {
        (3..=4).contains(&digits.len())
            && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Bytes, with an optional suffix K, M, G or T (KiB and KB are taken for K, likewise for the others).
pub(super) fn size(value: OsString) -> Result<u64, String> {
    let value = text(value)?;
    let value = value.trim();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = value.split_at(digits);
    let number: u64 = number.parse().map_err(|_| "it is not a size".to_owned())?;
    let suffix = suffix.trim().to_ascii_uppercase();
    let shift = match suffix.trim_end_matches('B').trim_end_matches('I') {
        "" if matches!(suffix.as_str(), "" | "B") => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("the unit is unknown".to_owned()),
    };
    match number.checked_mul(1 << shift) {
        None => Err("it is too large".to_owned()),
        Some(0) => Err("it is zero".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

/// `auto`, `own` or `nvidia`.
pub(super) fn libraries(value: OsString) -> Result<Libraries, String> {
    Libraries::parse(text(value)?.as_bytes())
        .ok_or_else(|| "nobody of that name has libraries".to_owned())
}

/// A number in decimal, of at most 64 bits.
pub(super) fn seed(value: OsString) -> Result<u64, String> {
    text(value)?.trim().parse().map_err(|_| "it is not a number".to_owned())
}

/// `major.minor`, from 5.0 to 14.9.
pub(super) fn compute_capability(value: OsString) -> Result<ComputeCapability, String> {
    let value = text(value)?;
    let parsed = value.split_once('.').and_then(|(major, minor)| {
        Some(ComputeCapability { major: major.parse().ok()?, minor: minor.parse().ok()? })
    });
    match parsed {
        Some(capability) if (5..=14).contains(&capability.major) && capability.minor <= 9 => {
            Ok(capability)
        }
        _ => Err("it is not a compute capability".to_owned()),
    }
}

/// `off`, or the absolute path of a folder.
pub(super) fn cache_dir(value: OsString) -> Result<CacheDir, String> {
    if value == "off" {
        return Ok(CacheDir::Off);
    }
    let folder = PathBuf::from(value);
    if folder.is_absolute() {
        Ok(CacheDir::Folder(folder))
    } else {
        Err("the path is not absolute".to_owned())
    }
}

/// Parts between commas: a level, `target=level`, or `file=path`.
pub(super) fn log(value: OsString) -> Result<LogConfig, String> {
    let value = text(value)?;
    let mut log = LogConfig::default();
    for part in value.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("file", path)) if !path.is_empty() => log.file = Some(PathBuf::from(path)),
            Some(("file", _)) => return Err("file= wants a path".to_owned()),
            Some((name, level)) => log.levels.push((name.to_owned(), log_level(level)?)),
            None => log.levels.push((String::new(), log_level(part)?)),
        }
    }
    Ok(log)
}

fn log_level(name: &str) -> Result<LogLevel, String> {
    Ok(match name {
        "off" => LogLevel::Off,
        "error" => LogLevel::Error,
        "warn" => LogLevel::Warn,
        "info" => LogLevel::Info,
        "debug" => LogLevel::Debug,
        "trace" => LogLevel::Trace,
        _ => return Err(format!("there is no level `{name}`")),
    })
}

/// `vector` or `reference`.
pub(super) fn executor(value: OsString) -> Result<Executor, String> {
    match text(value)?.as_str() {
        "vector" => Ok(Executor::Vector),
        "reference" => Ok(Executor::Reference),
        _ => Err("there is no such executor".to_owned()),
    }
}

/// `exact`, `mixed` or `fast`.
pub(super) fn math(value: OsString) -> Result<Math, String> {
    match text(value)?.as_str() {
        "exact" => Ok(Math::Exact),
        "mixed" => Ok(Math::Mixed),
        "fast" => Ok(Math::Fast),
        _ => Err("there is no such way".to_owned()),
    }
}

/// `on`, `off` or `prefer`.
pub(super) fn machine_code(value: OsString) -> Result<MachineCode, String> {
    match text(value)?.as_str() {
        "on" => Ok(MachineCode::On),
        "off" => Ok(MachineCode::Off),
        "prefer" => Ok(MachineCode::Prefer),
        _ => Err("it is on, off or prefer".to_owned()),
    }
}

/// `apart` or `shared`.
pub(super) fn emulated_memory(value: OsString) -> Result<EmulatedMemory, String> {
    match text(value)?.as_str() {
        "apart" => Ok(EmulatedMemory::Apart),
        "shared" => Ok(EmulatedMemory::Shared),
        _ => Err("it is apart or shared".to_owned()),
    }
}

/// `exact` or `fast`.
pub(super) fn amd_matrix(value: OsString) -> Result<AmdMatrix, String> {
    match text(value)?.as_str() {
        "exact" => Ok(AmdMatrix::Exact),
        "fast" => Ok(AmdMatrix::Fast),
        _ => Err("there is no such way".to_owned()),
    }
}

/// `native`, or a level of x86-64 that this processor has.
pub(super) fn cpu_target(value: OsString) -> Result<CpuTarget, String> {
    let value = text(value)?;
    if value == "native" {
        return Ok(CpuTarget::Native);
    }
    let (name, runs) = match value.as_str() {
        "x86-64-v2" => ("x86-64-v2", has_v2()),
        "x86-64-v3" => ("x86-64-v3", has_v3()),
        "x86-64-v4" => ("x86-64-v4", has_v4()),
        _ => return Err("there is no such processor".to_owned()),
    };
    if runs { Ok(CpuTarget::Level(name)) } else { Err("this processor can do less".to_owned()) }
}

/// Whether this processor has all named features.
macro_rules! has {
    ($($feature:tt)*) => {{
        #[cfg(target_arch = "x86_64")]
        let all = $(std::arch::is_x86_feature_detected!($feature))&&*;
        #[cfg(not(target_arch = "x86_64"))]
        let all = false;
        all
    }};
}

fn has_v2() -> bool {
    has!("cmpxchg16b" "popcnt" "sse3" "ssse3" "sse4.1" "sse4.2")
}

fn has_v3() -> bool {
    has_v2() && has!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe")
}

fn has_v4() -> bool {
    has_v3() && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl")
}

/// Checks between commas; `align` is the only one.
pub(super) fn check(value: OsString) -> Result<CheckConfig, String> {
    let value = text(value)?;
    let mut check = CheckConfig::default();
    for part in value.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part {
            "align" => check.align = true,
            "bounds" => check.bounds = true,
            _ => return Err(format!("`{part}` is not known")),
        }
    }
    Ok(check)
}

/// Parts between commas: `print=pass`, `stop-after=pass`, `ptx=folder`, `verify`, `time`.
pub(super) fn debug(value: OsString) -> Result<DebugConfig, String> {
    let value = text(value)?;
    let mut debug = DebugConfig::default();
    for part in value.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("print", pass)) if !pass.is_empty() => debug.print.push(pass.to_owned()),
            Some(("stop-after", pass)) if !pass.is_empty() => {
                debug.stop_after = Some(pass.to_owned())
            }
            Some(("ptx", folder)) if folder.starts_with('/') => debug.ptx = Some(folder.into()),
            None if part == "verify" => debug.verify = true,
            None if part == "time" => debug.time = true,
            _ => return Err(format!("`{part}` is not known")),
        }
    }
    Ok(debug)
}
