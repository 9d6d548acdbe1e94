//! Asks libraries of ROCm questions that need no GPU, and prints the answers, a line each. `./x test hip` runs
//! it with the libraries of each version.
//!
//! - `rocm_probe hip LIBRARY`: what HIP's library has and says;
//! - `rocm_probe driver LIBCUDA`: what the driver says on whatever HIP it finds;
//! - `rocm_probe smi LIBRARY NAME...`: which functions ROCm SMI's library lacks, and how it starts;
//! - `rocm_probe metadata LIBRARY FILE...`: whether the library of code objects finds the kernels of these;
//! - `rocm_probe code LIBRARY FILE...`: that, and whether it disassembles them.

// A program for tests prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod comgr;

use cuda_types::cuda::CUresult;
use hip_runtime_sys::Provider;
use libloading::Library;
use std::ffi::c_uint;
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match *arguments {
        ["hip", library] => hip(library),
        ["driver", library] => driver(library),
        ["smi", library, ref names @ ..] => smi(library, names),
        ["metadata", library, ref files @ ..] => comgr::run(library, files, false),
        ["code", library, ref files @ ..] => comgr::run(library, files, true),
        _ => Err("usage: rocm_probe hip|driver|smi|metadata|code LIBRARY [NAME|FILE...]".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn hip(library: &str) -> Result<()> {
    let hip = Provider::Path(library.into()).open()?;
    for name in hip.missing() {
        println!("missing {name}");
    }
    let (mut version, mut count) = (0, 0);
    // SAFETY: the variables outlive the calls.
    unsafe {
        println!("hipInit {}", hip.hipInit(0).0);
        println!("hipGetDeviceCount {}", hip.hipGetDeviceCount(&mut count).0);
        if hip.hipRuntimeGetVersion(&mut version).0 == 0 {
            println!("version {}.{}", version / 10_000_000, version / 100_000 % 100);
        }
    }
    // There is no device, so this is an error whatever the layout.
    if hip.device_properties(0).is_err() {
        println!("no properties");
    }
    Ok(())
}

fn driver(library: &str) -> Result<()> {
    // SAFETY: the driver's initialisers have no preconditions.
    let library = unsafe { Library::new(library) }?;
    // SAFETY: the function has this type.
    let init = unsafe { library.get::<unsafe extern "C" fn(c_uint) -> CUresult>(b"cuInit\0") }?;
    // SAFETY: has no preconditions.
    println!("cuInit {}", unsafe { init(0) }.0);
    Ok(())
}

fn smi(library: &str, names: &[&str]) -> Result<()> {
    // SAFETY: the library's initialisers have no preconditions.
    let library = unsafe { Library::new(library) }?;
    for name in names {
        // SAFETY: the symbol is not used.
        if unsafe { library.get::<*const ()>(name.as_bytes()) }.is_err() {
            println!("missing {name}");
        }
    }
    // SAFETY: the function has this type.
    let init = unsafe { library.get::<unsafe extern "C" fn(u64) -> c_uint>(b"rsmi_init\0") }?;
    // SAFETY: has no preconditions.
    println!("rsmi_init {}", unsafe { init(0) });
    Ok(())
}
