//! From numbers, identifiers and addresses to devices.

use crate::convert::{In, Out, Text, versioned};
use crate::devices::{self, Device};
use cuda_types::nvml::{NvmlResult, nvmlDevice_t, nvmlError, nvmlUUID_t, nvmlUUIDType_t};
use std::ffi::{CStr, c_uint};
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

pub(crate) fn nvmlDeviceGetHandleByUUID(uuid: Text<'_>, device: Out<nvmlDevice_t>) -> NvmlResult {
    let uuid = uuid.get()?.to_str().map_err(|_| nvmlError::INVALID_ARGUMENT)?;
    find(device, nvmlError::NOT_FOUND, |device| is_text_of(uuid, &device.uuid_text()))
}

pub(crate) fn nvmlDeviceGetHandleByUUIDV(
    uuid: In<nvmlUUID_t>,
    device: Out<nvmlDevice_t>,
) -> NvmlResult {
    device.check()?;
    let asked = versioned(uuid.place(), 1)?;
    match nvmlUUIDType_t(asked.type_) {
        nvmlUUIDType_t::NVML_UUID_TYPE_ASCII => {
            // SAFETY: the type says what the caller has stored there; any bytes are such a text.
            let text = unsafe { asked.value.str_ }.map(|byte| byte as u8);
            let text = CStr::from_bytes_until_nul(&text).ok().and_then(|text| text.to_str().ok());
            let text = text.ok_or(nvmlError::INVALID_ARGUMENT)?;
            find(device, nvmlError::NOT_FOUND, |device| is_text_of(text, &device.uuid_text()))
        }
        nvmlUUIDType_t::NVML_UUID_TYPE_BINARY => {
            // SAFETY: as above.
            let bytes = unsafe { asked.value.bytes };
            find(device, nvmlError::NOT_FOUND, |device| device.uuid == bytes)
        }
        _ => Err(nvmlError::INVALID_ARGUMENT),
    }
}

/// Whether a text is this identifier, with or without the `GPU-` before it, in any case.
fn is_text_of(text: &str, whole: &str) -> bool {
    let plain = |text: &str| text.strip_prefix("GPU-").unwrap_or(text).to_owned();
    let [text, whole] = [text, whole].map(|text| plain(&text.to_ascii_uppercase()));
    text == whole
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
    use super::{address, is_text_of};

    #[test]
    fn identifiers_may_lack_their_beginning() {
        let whole = "GPU-01234567-89ab-cdef-0123-456789abcdef";
        let plain = &whole[4..];
        for text in [whole, plain, &whole.to_lowercase(), &plain.to_uppercase()] {
            assert!(is_text_of(text, whole), "{text}");
        }
        for text in ["", "GPU-", "MIG-01234567-89ab-cdef-0123-456789abcdef", &plain[1..]] {
            assert!(!is_text_of(text, whole), "{text}");
        }
    }

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
