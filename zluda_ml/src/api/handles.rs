//! From numbers, identifiers and addresses to devices.

use crate::convert::{Out, Text};
use crate::devices::{self, Device};
use cuda_types::nvml::{NvmlResult, nvmlDevice_t, nvmlError};
use std::ffi::c_uint;
use std::sync::Arc;
use zluda_common::pci;

pub(crate) fn nvmlDeviceGetCount(count: Out<c_uint>) -> NvmlResult {
    count.set(devices::all().len() as c_uint)
}

fn find(
    to: Out<nvmlDevice_t>,
    missing: nvmlError,
    is_wanted: impl Fn(&Device) -> bool,
) -> NvmlResult {
    to.check()?;
    let device = devices::all().iter().find(|device| is_wanted(device)).ok_or(missing)?;
    to.set(device.handle as nvmlDevice_t)
}

pub(crate) fn nvmlDeviceGetHandleByIndex(index: c_uint, device: Out<nvmlDevice_t>) -> NvmlResult {
    find(device, nvmlError::INVALID_ARGUMENT, |device| device.index as c_uint == index)
}

/// With or without `GPU-`, in any case.
pub(crate) fn nvmlDeviceGetHandleByUUID(uuid: Text<'_>, device: Out<nvmlDevice_t>) -> NvmlResult {
    let uuid = uuid.get()?.to_str().map_err(|_| nvmlError::INVALID_ARGUMENT)?;
    find(device, nvmlError::NOT_FOUND, |device| device.uuid_text().eq_ignore_ascii_case(uuid))
}

/// `domain:bus:device.function`, of which the domain and the function may be left out.
pub(crate) fn nvmlDeviceGetHandleByPciBusId(id: Text<'_>, device: Out<nvmlDevice_t>) -> NvmlResult {
    let id = id.get()?.to_str().map_err(|_| nvmlError::INVALID_ARGUMENT)?;
    let wanted = address(id).ok_or(nvmlError::INVALID_ARGUMENT)?;
    find(device, nvmlError::NOT_FOUND, |device| device.info.pci == wanted)
}

/// Domain, bus and device of an address.
fn address(id: &str) -> Option<pci::Address> {
    let (place, function) = id.split_once('.').unwrap_or((id, "0"));
    let number = |text: &str| i32::from_str_radix(text, 16).ok().filter(|number| *number >= 0);
    number(function)?;
    pci::parse(place).filter(|address| address.iter().all(|number| *number >= 0))
}

/// No device has a serial number.
pub(crate) fn nvmlDeviceGetHandleBySerial(
    serial: Text<'_>,
    device: Out<nvmlDevice_t>,
) -> NvmlResult {
    serial.get()?;
    find(device, nvmlError::NOT_FOUND, |_| false)
}

pub(crate) fn nvmlDeviceGetIndex(device: Arc<Device>, index: Out<c_uint>) -> NvmlResult {
    index.set(device.index as c_uint)
}

/// The number in `/dev/nvidia<number>`, which is not there.
pub(crate) fn nvmlDeviceGetMinorNumber(device: Arc<Device>, number: Out<c_uint>) -> NvmlResult {
    nvmlDeviceGetIndex(device, number)
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_have_two_or_three_numbers_and_a_function() {
        assert_eq!(address("00000000:0A:1f.0"), Some([0, 10, 31]));
        assert_eq!(address("0001:02:03.7"), Some([1, 2, 3]));
        assert_eq!(address("02:03"), Some([0, 2, 3]));
        for wrong in ["", ":", "1", "1:2:3:4", "g:1", "-1:2", "1:2.", "1:2.x", "999999999:1:1"] {
            assert_eq!(address(wrong), None, "{wrong}");
        }
    }
}
