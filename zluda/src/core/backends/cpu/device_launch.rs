//! Launches by kernels: what the engine asks for them ([`hip_runtime_sys::device_runtime`]).

use crate::core::context::{Current, enter};
use crate::core::device::launch::LaunchConfig;
use crate::core::graph::device_node;
use crate::core::graph::environment;
use crate::core::launch::occupancy::Occupancy;
use crate::core::module::function::Function;
use crate::core::module::{self, Module};
use cuda_types::cuda::{CUdevice_attribute, CUerror, CUfunction_attribute, CUlimit, CUres};
use hip_runtime_sys::HipRuntime;
use hip_runtime_sys::device_runtime::{
    Child, DeviceRuntime, Error, GraphRequest, PARAMETER_BYTES, Question, SETTER, Setter,
};
use parking_lot::RwLock;
use simt::parameters::hidden_words;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The handles of modules whose kernels may be launched by kernels, by the segments of their variables.
static MODULES: RwLock<BTreeMap<u64, u64>> = RwLock::new(BTreeMap::new());

/// Makes the kernels of a module known to launches by kernels; `segment` is the address of its variables.
pub(super) fn add_module(segment: u64, handle: u64) {
    MODULES.write().insert(segment, handle);
}

/// Forgets the module whose variables are at `segment`.
pub(super) fn end_module(segment: u64) {
    MODULES.write().remove(&segment);
}

/// Gives these functions to a provider that can launch from kernels.
pub(super) fn offer(hip: &HipRuntime) {
    static RUNTIME: DeviceRuntime = DeviceRuntime { prepare, ask, graph };
    // SAFETY: the provider is this project's, whose symbol of this name has this type.
    if let Some(set) = unsafe { hip.own_function::<Setter>(SETTER) } {
        // SAFETY: the functions stay.
        unsafe { set(&RUNTIME) };
    }
}

/// Errors of launches by kernels; others than these are one.
fn error_of(error: CUerror) -> Error {
    match error {
        CUerror::INVALID_VALUE => Error::InvalidValue,
        CUerror::INVALID_DEVICE => Error::InvalidDevice,
        CUerror::OUT_OF_MEMORY => Error::OutOfMemory,
        CUerror::LAUNCH_OUT_OF_RESOURCES => Error::OutOfResources,
        CUerror::UNSUPPORTED_LIMIT => Error::UnsupportedLimit,
        _ => Error::Unknown,
    }
}

/// Runs what a kernel asks for; no panic leaves it.
fn answer(segment: u64, call: impl FnOnce(&Arc<Module>, &Current) -> Result<(), Error>) -> u32 {
    let asked = || {
        let handle = MODULES.read().get(&segment).copied().ok_or(Error::InvalidValue)?;
        let module = module::from_handle(handle).map_err(error_of)?;
        let current = enter(&module.data.context).map_err(error_of)?;
        call(&module, &current)
    };
    without_panic(asked)
}

fn without_panic(asked: impl FnOnce() -> Result<(), Error>) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(asked)).unwrap_or_else(|_| {
        tracing::error!("bug: a panic in a launch by a kernel");
        Err(Error::Unknown)
    });
    result.err().unwrap_or(Error::None) as u32
}

/// The kernel that a number stands for.
fn function(module: &Module, address: u64) -> CUres<Arc<Function>> {
    let metadata = module.data.program.metadata().map_err(|failure| failure.error)?;
    let is_it = |kernel: &ptx::KernelInfo| address != 0 && kernel.address == address;
    let mut found = metadata.kernels.iter().enumerate().filter(|(_, kernel)| is_it(kernel));
    // Which of two is meant is not known.
    let (Some((index, _)), None) = (found.next(), found.next()) else {
        return Err(CUerror::INVALID_VALUE);
    };
    Ok(module.function(index)?.1)
}

unsafe extern "C" fn prepare(segment: u64, child: *mut Child) -> u32 {
    answer(segment, |module, current| {
        // SAFETY: the engine's own, for the time of the call.
        let child = unsafe { child.as_mut() }.ok_or(Error::InvalidValue)?;
        let function = function(module, child.function).map_err(error_of)?;
        let info = function.loaded().map_err(error_of)?;
        let config = LaunchConfig::new(child.grid, child.block, child.shared);
        config.check(&function).map_err(|_| Error::InvalidConfiguration)?;
        let config = config.with_needed_block(&function);
        child.block = config.block;
        let cluster = function.settings.cluster.of_launch(info, config.grid, None);
        child.cluster = cluster.map_err(|_| Error::InvalidConfiguration)?.unwrap_or([0; 3]);
        if info.total_param_size as usize > PARAMETER_BYTES {
            return Err(Error::InvalidValue);
        }
        let own = module.data.segment(current).map_err(error_of)?;
        for (offset, word) in hidden_words(info.hidden_offset, own, 0, 0) {
            // SAFETY: there is room for that many bytes.
            unsafe { child.parameters.add(offset).cast::<u64>().write_unaligned(word) }
        }
        let code = function.code(current, config.block, false).map_err(error_of)?;
        child.code = code.function;
        Ok(())
    })
}

unsafe extern "C" fn ask(
    segment: u64,
    question: u32,
    words: *const [u64; 3],
    value: *mut u64,
) -> u32 {
    answer(segment, |module, current| {
        // SAFETY: the engine's own, for the time of the call.
        let (Some([a, b, c]), Some(value)) = (unsafe { words.as_ref() }, unsafe { value.as_mut() })
        else {
            return Err(Error::InvalidValue);
        };
        let found = || match question {
            q if q == Question::FunctionAttribute as u32 => {
                let function = function(module, *b)?;
                let attribute = CUfunction_attribute(*a as u32);
                Ok(function.settings.get(&function.info, attribute)? as u64)
            }
            q if q == Question::DeviceAttribute as u32 => {
                let device = current.driver.device(*b as i32)?;
                Ok(device.attribute(CUdevice_attribute(*a as u32))? as u64)
            }
            q if q == Question::Limit as u32 => {
                if *a == u64::from(CUlimit::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH.0) {
                    return Err(CUerror::UNSUPPORTED_LIMIT);
                }
                Ok(current.context.limit(CUlimit(*a as u32))? as u64)
            }
            q if q == Question::Occupancy as u32 => {
                let function = function(module, *a)?;
                Ok(Occupancy::new(current, &function)?.blocks(*b as u32, *c as usize)?.into())
            }
            _ => Err(CUerror::INVALID_VALUE),
        };
        *value = found().map_err(error_of)?;
        Ok(())
    })
}

unsafe extern "C" fn graph(
    launch: u64,
    request: u32,
    words: *const [u64; 4],
    value: *mut u64,
) -> u32 {
    without_panic(|| {
        // SAFETY: the engine's own, for the time of the call.
        let (Some(&[a, b, c, d]), Some(value)) =
            (unsafe { words.as_ref() }, unsafe { value.as_mut() })
        else {
            return Err(Error::InvalidValue);
        };
        let Some(request) = GraphRequest::ALL.get(request as usize) else {
            return Err(Error::InvalidValue);
        };
        let size = |word: u64| u32::try_from(word).map_err(|_| CUerror::INVALID_VALUE);
        let mut done = || match request {
            GraphRequest::Launch => environment::launch(launch, a, b),
            GraphRequest::Current => {
                *value = environment::current(launch);
                Ok(())
            }
            GraphRequest::Parameter => {
                // SAFETY: as above.
                let bytes = unsafe { std::slice::from_raw_parts(c as *const u8, d as usize) };
                device_node::set_parameter(a, b, bytes)
            }
            GraphRequest::Enabled => device_node::set_enabled(a, b & 0xff != 0),
            GraphRequest::Grid => device_node::set_grid(a, [size(b)?, size(c)?, size(d)?]),
        };
        done().map_err(error_of)
    })
}
