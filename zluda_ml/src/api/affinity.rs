//! The processors and the memory of the host that are nearest to a device.

use crate::backend::{Locality, Scope, machine};
use crate::convert::Out;
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_uint, c_ulong};
use std::io;
use std::sync::Arc;

fn locality(device: &Device, scope: nvmlAffinityScope_t) -> NvmlResult<Locality> {
    let scope = match scope {
        NVML_AFFINITY_SCOPE_NODE => Scope::Node,
        NVML_AFFINITY_SCOPE_SOCKET => Scope::Socket,
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    device.telemetry.locality(scope).ok_or(nvmlError::NOT_SUPPORTED)
}

/// Stores a set as bits, in all `size` words of a caller's array. What does not fit is left out.
fn put_bits(words: Out<c_ulong>, size: c_uint, numbers: &[u32]) {
    let word = |index: u32| {
        let here = numbers.iter().filter(|number| **number / c_ulong::BITS == index);
        here.fold(0, |word, number| word | 1 << (number % c_ulong::BITS))
    };
    words.set_all((0..size).map(word), size as usize);
}

fn check(words: &Out<c_ulong>, size: c_uint) -> NvmlResult {
    words.check()?;
    if size == 0 { Err(nvmlError::INVALID_ARGUMENT) } else { Ok(()) }
}

pub(crate) fn nvmlDeviceGetCpuAffinityWithinScope(
    device: Arc<Device>,
    size: c_uint,
    processors: Out<c_ulong>,
    scope: nvmlAffinityScope_t,
) -> NvmlResult {
    check(&processors, size)?;
    put_bits(processors, size, &locality(&device, scope)?.processors);
    Ok(())
}

pub(crate) fn nvmlDeviceGetCpuAffinity(
    device: Arc<Device>,
    size: c_uint,
    processors: Out<c_ulong>,
) -> NvmlResult {
    nvmlDeviceGetCpuAffinityWithinScope(device, size, processors, NVML_AFFINITY_SCOPE_NODE)
}

pub(crate) fn nvmlDeviceGetMemoryAffinity(
    device: Arc<Device>,
    size: c_uint,
    nodes: Out<c_ulong>,
    scope: nvmlAffinityScope_t,
) -> NvmlResult {
    check(&nodes, size)?;
    put_bits(nodes, size, &locality(&device, scope)?.nodes);
    Ok(())
}

/// "Sets the ideal affinity for the calling thread and device."
pub(crate) fn nvmlDeviceSetCpuAffinity(device: Arc<Device>) -> NvmlResult {
    done(machine::bind(&locality(&device, NVML_AFFINITY_SCOPE_NODE)?.processors))
}

/// "Clear all affinity bindings for the calling thread."
pub(crate) fn nvmlDeviceClearCpuAffinity(_: Arc<Device>) -> NvmlResult {
    done(machine::unbind())
}

fn done(result: io::Result<()>) -> NvmlResult {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::Unsupported => nvmlError::NOT_SUPPORTED,
        _ => nvmlError::UNKNOWN,
    })
}

// Words have 32 bits on Windows.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn sets_are_bits_of_as_many_words_as_there_is_room_for() {
        let stored = |size: u32, numbers: &[u32]| {
            let mut words: [c_ulong; 3] = [7; 3];
            put_bits(Out::of(words.as_mut_ptr()), size, numbers);
            words
        };
        assert_eq!(stored(2, &[0, 1, 32, 33, 64]), [0x3_0000_0003, 1, 7]);
        assert_eq!(stored(1, &[63, 64]), [1 << 63, 7, 7]);
        assert_eq!(stored(3, &[]), [0, 0, 0]);
    }
}
