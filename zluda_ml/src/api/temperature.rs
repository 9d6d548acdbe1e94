//! Heat, in degrees Celsius, and fans, in percent of their highest speed.

use crate::backend::Threshold;
use crate::convert::{Out, answer, versioned};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

fn check_sensor(sensor: nvmlTemperatureSensors_t) -> NvmlResult {
    match sensor {
        nvmlTemperatureSensors_t::NVML_TEMPERATURE_GPU => Ok(()),
        _ => Err(nvmlError::INVALID_ARGUMENT),
    }
}

pub(crate) fn nvmlDeviceGetTemperature(
    device: Arc<Device>,
    sensor: nvmlTemperatureSensors_t,
    degrees: Out<c_uint>,
) -> NvmlResult {
    check_sensor(sensor)?;
    answer(degrees, device.telemetry.temperature())
}

pub(crate) fn nvmlDeviceGetTemperatureV(
    device: Arc<Device>,
    temperature: *mut nvmlTemperature_t,
) -> NvmlResult {
    let asked = versioned(temperature, 1)?;
    check_sensor(asked.sensorType)?;
    let degrees = device.telemetry.temperature();
    let filled = |degrees| nvmlTemperature_t { temperature: degrees as c_int, ..asked };
    answer(Out::of(temperature), degrees.map(filled))
}

pub(crate) fn nvmlDeviceGetTemperatureThreshold(
    device: Arc<Device>,
    which: nvmlTemperatureThresholds_t,
    degrees: Out<c_uint>,
) -> NvmlResult {
    use nvmlTemperatureThresholds_t as T;
    let which = match which {
        T::NVML_TEMPERATURE_THRESHOLD_SHUTDOWN => Threshold::Shutdown,
        T::NVML_TEMPERATURE_THRESHOLD_SLOWDOWN => Threshold::Slowdown,
        T::NVML_TEMPERATURE_THRESHOLD_GPU_MAX => Threshold::Maximum,
        T::NVML_TEMPERATURE_THRESHOLD_MEM_MAX => Threshold::MemoryMaximum,
        T::NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_MIN
        | T::NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR
        | T::NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_MAX
        | T::NVML_TEMPERATURE_THRESHOLD_GPS_CURR => return Err(nvmlError::NOT_SUPPORTED),
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    answer(degrees, device.telemetry.temperature_threshold(which))
}

/// The first fan's speed.
pub(crate) fn nvmlDeviceGetFanSpeed(device: Arc<Device>, speed: Out<c_uint>) -> NvmlResult {
    answer(speed, device.telemetry.fan_speeds().first().copied())
}

pub(crate) fn nvmlDeviceGetFanSpeed_v2(
    device: Arc<Device>,
    fan: c_uint,
    speed: Out<c_uint>,
) -> NvmlResult {
    speed.check()?;
    let speeds = device.telemetry.fan_speeds();
    if speeds.is_empty() {
        return Err(nvmlError::NOT_SUPPORTED);
    }
    speed.set(*speeds.get(fan as usize).ok_or(nvmlError::INVALID_ARGUMENT)?)
}

pub(crate) fn nvmlDeviceGetNumFans(device: Arc<Device>, count: Out<c_uint>) -> NvmlResult {
    count.set(device.telemetry.fan_speeds().len() as c_uint)
}
