//! `zluda info`: asks the driver what programs would see.

use crate::cache::{describe, mebibytes};
use crate::{Failure, os, staged};
use cuda_types::cuda::{CUdevice, CUdevice_attribute, CUresult};
use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::process::ExitCode;
use zluda_cache::Cache;
use zluda_common::config::{VARIABLES, config};
use zluda_staged::{CPU_PROVIDER, EMULATED_PROVIDER};

/// Prints the driver, its provider and devices, the cache and the variables that are set; fails without one that works.
pub fn run() -> Result<ExitCode, Failure> {
    let folder = staged::folder()?;
    println!("libraries: {}", folder.display());
    let driver = Driver::open(&folder.join(staged::DRIVER))?;
    let version = driver.version()?;
    println!("driver: CUDA {}.{}", version / 1000, version % 1000 / 10);
    // The process that uses the driver has loaded it, whatever it is.
    println!("provider: {}", provider().unwrap_or_else(|| "none".to_owned()));
    let devices = driver.devices()?;
    for device in 0..devices {
        println!("device {device}: {}", driver.describe(device)?);
    }
    if devices == 0 {
        println!("devices: none");
    }
    println!("cache: {}", describe(&Cache::open(config()).stats()));
    for variable in VARIABLES {
        if let Some(value) = std::env::var_os(variable.name).filter(|value| !value.is_empty()) {
            println!("{}={}", variable.name, value.to_string_lossy());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The HIP library that this process has loaded.
fn provider() -> Option<String> {
    os::loaded(&[
        CPU_PROVIDER,
        EMULATED_PROVIDER,
        "libamdhip64.so",
        "amdhip64_7.dll",
        "amdhip64_6.dll",
    ])
}

/// The driver, initialised.
struct Driver {
    library: Library,
}

impl Driver {
    fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: this is our own driver, whose initialisers have no preconditions.
        let library = unsafe { Library::new(path) }
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let driver = Self { library };
        let init: Symbol<'_, unsafe extern "C" fn(u32) -> CUresult> = driver.function(c"cuInit")?;
        // SAFETY: cuInit takes flags, which must be 0.
        check("cuInit", unsafe { init(0) })?;
        Ok(driver)
    }

    /// A function of the driver. `F` is its type.
    fn function<F>(&self, name: &CStr) -> Result<Symbol<'_, F>, String> {
        // SAFETY: the callers give the type that CUDA's headers declare.
        unsafe { self.library.get(name.to_bytes_with_nul()) }.map_err(|error| error.to_string())
    }

    /// 1000 * major + 10 * minor
    fn version(&self) -> Result<c_int, String> {
        let get: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> CUresult> =
            self.function(c"cuDriverGetVersion")?;
        let mut version = 0;
        // SAFETY: `version` is a place for the answer.
        check("cuDriverGetVersion", unsafe { get(&mut version) })?;
        Ok(version)
    }

    fn devices(&self) -> Result<c_int, String> {
        let get: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> CUresult> =
            self.function(c"cuDeviceGetCount")?;
        let mut count = 0;
        // SAFETY: `count` is a place for the answer.
        check("cuDeviceGetCount", unsafe { get(&mut count) })?;
        Ok(count)
    }

    /// Name, compute capability, multiprocessors and memory.
    fn describe(&self, device: CUdevice) -> Result<String, String> {
        let get_name: Symbol<'_, unsafe extern "C" fn(*mut c_char, c_int, CUdevice) -> CUresult> =
            self.function(c"cuDeviceGetName")?;
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: `name` has the size that is given, and is a C string whatever is written below its last byte.
        check("cuDeviceGetName", unsafe { get_name(name.as_mut_ptr(), 255, device) })?;
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy();
        let get_memory: Symbol<'_, unsafe extern "C" fn(*mut usize, CUdevice) -> CUresult> =
            self.function(c"cuDeviceTotalMem_v2")?;
        let mut memory = 0;
        // SAFETY: `memory` is a place for the answer.
        check("cuDeviceTotalMem", unsafe { get_memory(&mut memory, device) })?;
        Ok(format!(
            "{name}, compute capability {}.{}, {} multiprocessors, {} of memory",
            self.attribute(
                device,
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
            )?,
            self.attribute(
                device,
                CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
            )?,
            self.attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            mebibytes(memory as u64)
        ))
    }

    fn attribute(&self, device: CUdevice, attribute: CUdevice_attribute) -> Result<c_int, String> {
        let get: Symbol<
            '_,
            unsafe extern "C" fn(*mut c_int, CUdevice_attribute, CUdevice) -> CUresult,
        > = self.function(c"cuDeviceGetAttribute")?;
        let mut value = 0;
        // SAFETY: `value` is a place for the answer.
        check("cuDeviceGetAttribute", unsafe { get(&mut value, attribute, device) })?;
        Ok(value)
    }
}

fn check(function: &str, result: CUresult) -> Result<(), String> {
    if result == CUresult::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(format!("{function} failed: {result:?}"))
    }
}
