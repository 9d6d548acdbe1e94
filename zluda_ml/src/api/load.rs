//! How busy a device is, and values by number. Times are microseconds since 1970.

use crate::backend::{ClockDomain, ClockKind, EccErrors, PowerLimits};
use crate::convert::{In, Out, answer, put_array};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// More values at once are a wrong count.
const MOST_FIELDS: usize = 1024;

fn now() -> c_ulonglong {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as c_ulonglong)
}

pub(crate) fn nvmlDeviceGetUtilizationRates(
    device: Arc<Device>,
    rates: Out<nvmlUtilization_t>,
) -> NvmlResult {
    let used = device.telemetry.utilization();
    let rates_of = |used: crate::backend::Utilization| nvmlUtilization_t {
        gpu: used.device,
        memory: used.memory.unwrap_or(0),
    };
    answer(rates, used.map(rates_of))
}

/// One sample for each process, of now: none is kept, so all are newer than the last that was seen.
pub(crate) fn nvmlDeviceGetProcessUtilization(
    device: Arc<Device>,
    samples: Out<nvmlProcessUtilizationSample_t>,
    count: *mut c_uint,
    _last_seen: c_ulonglong,
) -> NvmlResult {
    let time = now();
    let processes = device.telemetry.process_utilization();
    if processes.is_empty() {
        Out::of(count).set(0)?;
        return Err(nvmlError::NOT_FOUND);
    }
    let sample = |process: crate::backend::ProcessUtilization| nvmlProcessUtilizationSample_t {
        pid: process.pid,
        timeStamp: time,
        smUtil: process.device,
        memUtil: 0,
        encUtil: 0,
        decUtil: 0,
    };
    put_array(count, samples, processes.into_iter().map(sample))
}

/// One sample, of now. Asked without room for samples, it says that there is one.
pub(crate) fn nvmlDeviceGetSamples(
    device: Arc<Device>,
    kind: nvmlSamplingType_t,
    _last_seen: c_ulonglong,
    value_type: Out<nvmlValueType_t>,
    count: *mut c_uint,
    samples: Out<nvmlSample_t>,
) -> NvmlResult {
    use nvmlSamplingType_t as S;
    value_type.check()?;
    let telemetry = &device.telemetry;
    let clock = |domain| telemetry.clock(domain, ClockKind::Current);
    let value = match kind {
        S::NVML_TOTAL_POWER_SAMPLES => telemetry.power(),
        S::NVML_GPU_UTILIZATION_SAMPLES => telemetry.utilization().map(|used| used.device),
        S::NVML_MEMORY_UTILIZATION_SAMPLES => telemetry.utilization().and_then(|used| used.memory),
        S::NVML_PROCESSOR_CLK_SAMPLES => clock(ClockDomain::Compute),
        S::NVML_MEMORY_CLK_SAMPLES => clock(ClockDomain::Memory),
        S(other) if other < S::NVML_SAMPLINGTYPE_COUNT.0 => None,
        _ => return Err(nvmlError::INVALID_ARGUMENT),
    };
    let value = value.ok_or(nvmlError::NOT_SUPPORTED)?;
    value_type.set(nvmlValueType_t::NVML_VALUE_TYPE_UNSIGNED_INT)?;
    if samples.is_null() {
        return Out::of(count).set(1);
    }
    let sample = nvmlSample_t { timeStamp: now(), sampleValue: nvmlValue_t { uiVal: value } };
    put_array(count, samples, std::iter::once(sample))
}

/// Each value has a status of its own.
pub(crate) fn nvmlDeviceGetFieldValues(
    device: Arc<Device>,
    count: c_int,
    values: *mut nvmlFieldValue_t,
) -> NvmlResult {
    let count = usize::try_from(count).ok().filter(|count| *count != 0);
    let count = count.ok_or(nvmlError::INVALID_ARGUMENT)?;
    let asked: Vec<nvmlFieldValue_t> = In::of(values).array(count, MOST_FIELDS)?;
    let answers = asked.into_iter().map(|asked| {
        let value = field(&device, asked.fieldId);
        nvmlFieldValue_t {
            timestamp: now() as _,
            latencyUsec: 0,
            valueType: nvmlValueType_t::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG,
            nvmlReturn: match value {
                Some(_) => nvmlReturn_t::NVML_SUCCESS,
                None => nvmlReturn_t::NVML_ERROR_NOT_SUPPORTED,
            },
            value: nvmlValue_t { ullVal: value.unwrap_or(0) },
            ..asked
        }
    });
    Out::of(values).set_all(answers, count);
    Ok(())
}

fn field(device: &Device, id: c_uint) -> Option<u64> {
    let telemetry = &device.telemetry;
    let errors = |part: fn(EccErrors) -> u64| telemetry.ecc_errors().map(part);
    let limit = |part: fn(PowerLimits) -> Option<u32>| telemetry.power_limits().and_then(part);
    match id {
        NVML_FI_DEV_ECC_SBE_VOL_TOTAL => errors(|errors| errors.corrected),
        NVML_FI_DEV_ECC_DBE_VOL_TOTAL => errors(|errors| errors.uncorrected),
        NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION => telemetry.energy(),
        NVML_FI_DEV_POWER_AVERAGE | NVML_FI_DEV_POWER_INSTANT => telemetry.power().map(u64::from),
        NVML_FI_DEV_POWER_CURRENT_LIMIT | NVML_FI_DEV_POWER_REQUESTED_LIMIT => {
            limit(|limits| Some(limits.enforced)).map(u64::from)
        }
        NVML_FI_DEV_POWER_DEFAULT_LIMIT => limit(|limits| limits.default).map(u64::from),
        NVML_FI_DEV_POWER_MIN_LIMIT => limit(|limits| Some(limits.range?.0)).map(u64::from),
        NVML_FI_DEV_POWER_MAX_LIMIT => limit(|limits| Some(limits.range?.1)).map(u64::from),
        _ => None,
    }
}
