//! `zluda doctor`: what this machine has for programs to run on, and what is missing.

use crate::{Failure, info, os, staged};
use hip_runtime_sys::{HipRuntime, Provider, hipError_t};
use std::ffi::{CStr, c_int};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// A program of which to say which driver it loads
    #[cfg(windows)]
    program: Option<std::ffi::OsString>,
}

impl Options {
    #[cfg(windows)]
    fn program(&self) -> Option<&std::ffi::OsStr> {
        self.program.as_deref()
    }

    #[cfg(unix)]
    fn program(&self) -> Option<&std::ffi::OsStr> {
        None
    }
}

/// Prints what it finds of the installation, the system's driver and ROCm, then what [`info::run`] prints; fails as
/// that does.
pub fn run(options: &Options) -> Result<ExitCode, Failure> {
    match staged::folder() {
        Ok(folder) => {
            println!("ok: the driver lies in {}", folder.display());
            os::examine_driver(&folder, options.program());
        }
        Err(reason) => println!("problem: {reason}"),
    }
    os::examine_system();
    let usable = rocm();
    println!("\nWhat programs see:");
    // Whatever is wrong, here it shows.
    let code = info::run()?;
    if usable == 0 {
        println!("\nWithout an AMD GPU, programs run on the processor.");
    }
    Ok(code)
}

/// ROCm's library and its devices. Returns how many devices code is made for.
fn rocm() -> usize {
    match Provider::Rocm.open() {
        Ok(hip) => {
            println!("ok: {} is there, of ROCm {}", hip.name(), version(&hip));
            devices(&hip)
        }
        // What Windows says of a DLL does not name it.
        Err(_) if cfg!(windows) => {
            println!(
                "problem: neither amdhip64_7.dll nor an older one can be loaded: is AMD's driver installed?"
            );
            0
        }
        Err(error) => {
            for reason in error.reasons {
                println!("problem: {reason}");
            }
            0
        }
    }
}

fn version(hip: &HipRuntime) -> String {
    let mut version = 0;
    // SAFETY: `version` outlives the call.
    match unsafe { hip.hipRuntimeGetVersion(&mut version) }.result() {
        Ok(()) => format!("{}.{}", version / 10_000_000, version / 100_000 % 100),
        Err(_) => "an unknown version".to_owned(),
    }
}

fn devices(hip: &HipRuntime) -> usize {
    let mut count: c_int = 0;
    // SAFETY: `count` outlives the call.
    let result = unsafe {
        match hip.hipInit(0) {
            hipError_t::hipSuccess => hip.hipGetDeviceCount(&mut count),
            error => error,
        }
    };
    if let Err(error) = result.result() {
        println!("problem: {} finds no AMD GPU: {}", hip.name(), error_name(hip, error));
        return 0;
    }
    let mut usable = 0;
    for device in 0..count {
        match hip.device_properties(device) {
            Err(error) => println!("problem: device {device}: {}", error_name(hip, error)),
            Ok(properties) => {
                let name = text(&properties.name.map(|c| c as u8));
                let gfx = text(&properties.gcnArchName.map(|c| c as u8));
                if ptx::Gpu::named(&gfx).is_some() {
                    println!("ok: device {device}: {name}, {gfx}");
                    usable += 1;
                } else {
                    println!("problem: device {device}: {name}: code is not made for a {gfx}");
                }
            }
        }
    }
    usable
}

fn error_name(hip: &HipRuntime, error: hipError_t) -> String {
    // SAFETY: HIP's names of errors live as long as the library.
    let name = unsafe {
        let name = hip.hipGetErrorName(error);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    name.unwrap_or_else(|| format!("error {}", error.0))
}

fn text(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes).unwrap_or_default().to_string_lossy().into_owned()
}
