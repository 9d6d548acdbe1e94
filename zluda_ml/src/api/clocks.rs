//! Clocks, in MHz, and what keeps them down.

use crate::backend::{ClockDomain, ClockKind};
use crate::convert::{Out, answer};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::Arc;

fn domain(clock: nvmlClockType_t) -> NvmlResult<ClockDomain> {
    Ok(match clock {
        nvmlClockType_t::NVML_CLOCK_GRAPHICS => ClockDomain::Graphics,
        nvmlClockType_t::NVML_CLOCK_SM => ClockDomain::Compute,
        nvmlClockType_t::NVML_CLOCK_MEM => ClockDomain::Memory,
        nvmlClockType_t::NVML_CLOCK_VIDEO => ClockDomain::Video,
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    })
}

pub(crate) fn nvmlDeviceGetClockInfo(
    device: Arc<Device>,
    clock: nvmlClockType_t,
    mhz: Out<c_uint>,
) -> NvmlResult {
    answer(mhz, device.telemetry.clock(domain(clock)?, ClockKind::Current))
}

pub(crate) fn nvmlDeviceGetMaxClockInfo(
    device: Arc<Device>,
    clock: nvmlClockType_t,
    mhz: Out<c_uint>,
) -> NvmlResult {
    answer(mhz, device.telemetry.clock(domain(clock)?, ClockKind::Maximum))
}

pub(crate) fn nvmlDeviceGetClock(
    device: Arc<Device>,
    clock: nvmlClockType_t,
    which: nvmlClockId_t,
    mhz: Out<c_uint>,
) -> NvmlResult {
    let domain = domain(clock)?;
    let kind = match which {
        nvmlClockId_t::NVML_CLOCK_ID_CURRENT => ClockKind::Current,
        nvmlClockId_t::NVML_CLOCK_ID_CUSTOMER_BOOST_MAX => ClockKind::Maximum,
        nvmlClockId_t::NVML_CLOCK_ID_APP_CLOCK_TARGET
        | nvmlClockId_t::NVML_CLOCK_ID_APP_CLOCK_DEFAULT => return Err(nvmlError::NOT_SUPPORTED),
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    answer(mhz, device.telemetry.clock(domain, kind))
}

const THERMAL: c_ulonglong = nvmlClocksEventReasonSwThermalSlowdown as c_ulonglong;
const POWER: c_ulonglong = nvmlClocksEventReasonSwPowerCap as c_ulonglong;

pub(crate) fn nvmlDeviceGetCurrentClocksEventReasons(
    device: Arc<Device>,
    reasons: Out<c_ulonglong>,
) -> NvmlResult {
    answer(
        reasons,
        device.telemetry.throttling().map(|throttling| {
            let thermal = if throttling.thermal { THERMAL } else { 0 };
            thermal | if throttling.power { POWER } else { 0 }
        }),
    )
}

pub(crate) fn nvmlDeviceGetSupportedClocksEventReasons(
    device: Arc<Device>,
    reasons: Out<c_ulonglong>,
) -> NvmlResult {
    answer(reasons, device.telemetry.throttling().map(|_| THERMAL | POWER))
}
