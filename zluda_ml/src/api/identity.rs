//! The identity of a device.

use crate::backend::PciIdentity;
use crate::convert::{Out, put_text, versioned};
use crate::devices::Device;
use cuda_types::cuda::CUdevice_attribute as A;
use cuda_types::nvml::*;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong};
use std::sync::Arc;
use zluda_api::driver::ProviderKind;

pub(crate) fn nvmlDeviceGetName(
    device: Arc<Device>,
    name: Out<c_char>,
    length: c_uint,
) -> NvmlResult {
    put_text(name, length, &device.name)
}

pub(crate) fn nvmlDeviceGetUUID(
    device: Arc<Device>,
    uuid: Out<c_char>,
    length: c_uint,
) -> NvmlResult {
    put_text(uuid, length, &device.uuid_text())
}

/// Zeros of devices that are on no bus, whose address is one that nothing else has.
fn on_the_bus(device: &Device) -> PciIdentity {
    device.telemetry.pci_identity().unwrap_or_default()
}

/// "The combined 16-bit device id and 16-bit vendor id".
fn combined(device: u16, vendor: u16) -> c_uint {
    c_uint::from(device) << 16 | c_uint::from(vendor)
}

pub(crate) fn nvmlDeviceGetPciInfo(device: Arc<Device>, pci: Out<nvmlPciInfo_t>) -> NvmlResult {
    let [domain, bus, number] = device.info.pci.map(|number| number as c_uint);
    let identity = on_the_bus(&device);
    pci.set(nvmlPciInfo_t {
        busIdLegacy: text(&device.bus_id(4)),
        domain,
        bus,
        device: number,
        pciDeviceId: combined(identity.device, identity.vendor),
        pciSubSystemId: combined(identity.subsystem, identity.subsystem_vendor),
        busId: text(&device.bus_id(8)),
    })
}

pub(crate) fn nvmlDeviceGetPciInfoExt(
    device: Arc<Device>,
    pci: *mut nvmlPciInfoExt_t,
) -> NvmlResult {
    let asked = versioned(pci, 1)?;
    let [domain, bus, number] = device.info.pci.map(|number| number as c_uint);
    let identity = on_the_bus(&device);
    Out::of(pci).set(nvmlPciInfoExt_t {
        domain,
        bus,
        device: number,
        pciDeviceId: combined(identity.device, identity.vendor),
        pciSubSystemId: combined(identity.subsystem, identity.subsystem_vendor),
        baseClass: identity.class.into(),
        subClass: identity.subclass.into(),
        busId: text(&device.bus_id(8)),
        ..asked
    })
}

/// The first half of the UUID: an identifier as good as it.
pub(crate) fn nvmlDeviceGetPdi(device: Arc<Device>, pdi: *mut nvmlPdi_t) -> NvmlResult {
    let asked = versioned(pdi, 1)?;
    let (half, _) = device.uuid.split_at(8);
    let value = half.iter().fold(0, |value, byte| value << 8 | c_ulonglong::from(*byte));
    Out::of(pdi).set(nvmlPdi_t { value, ..asked })
}

/// "For non-baseboard products, this ID would always be 0."
pub(crate) fn nvmlDeviceGetModuleId(_: Arc<Device>, module: Out<c_uint>) -> NvmlResult {
    module.set(0)
}

/// Text with its NUL, cut where it does not fit.
fn text<const N: usize>(text: &str) -> [c_char; N] {
    let mut bytes = text.bytes().take(N - 1);
    std::array::from_fn(|_| bytes.next().unwrap_or(0) as c_char)
}

/// No brand of NVIDIA's.
pub(crate) fn nvmlDeviceGetBrand(_: Arc<Device>, brand: Out<nvmlBrandType_t>) -> NvmlResult {
    brand.set(nvmlBrandType_t::NVML_BRAND_UNKNOWN)
}

/// That of the compute capability that the driver reports.
pub(crate) fn nvmlDeviceGetArchitecture(
    device: Arc<Device>,
    architecture: Out<nvmlDeviceArchitecture_t>,
) -> NvmlResult {
    architecture.set(match device.capability {
        (5, _) => NVML_DEVICE_ARCH_MAXWELL,
        (6, _) => NVML_DEVICE_ARCH_PASCAL,
        (7, 0..=4) => NVML_DEVICE_ARCH_VOLTA,
        (7, _) => NVML_DEVICE_ARCH_TURING,
        (8, 9) => NVML_DEVICE_ARCH_ADA,
        (8, _) => NVML_DEVICE_ARCH_AMPERE,
        (9, _) => NVML_DEVICE_ARCH_HOPPER,
        (10.., _) => NVML_DEVICE_ARCH_BLACKWELL,
        _ => NVML_DEVICE_ARCH_UNKNOWN,
    })
}

pub(crate) fn nvmlDeviceGetBusType(device: Arc<Device>, bus: Out<nvmlBusType_t>) -> NvmlResult {
    bus.set(match device.info.provider {
        ProviderKind::Rocm => NVML_BUS_TYPE_PCIE,
        _ => NVML_BUS_TYPE_UNKNOWN,
    })
}

pub(crate) fn nvmlDeviceGetCudaComputeCapability(
    device: Arc<Device>,
    major: Out<c_int>,
    minor: Out<c_int>,
) -> NvmlResult {
    major.check()?;
    minor.set(device.capability.1)?;
    major.set(device.capability.0)
}

pub(crate) fn nvmlDeviceGetMemoryBusWidth(device: Arc<Device>, width: Out<c_uint>) -> NvmlResult {
    width.check()?;
    width.set(device.attribute(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)? as c_uint)
}

pub(crate) fn nvmlDeviceGetComputeMode(_: Arc<Device>, mode: Out<nvmlComputeMode_t>) -> NvmlResult {
    mode.set(nvmlComputeMode_t::NVML_COMPUTEMODE_DEFAULT)
}

pub(crate) fn nvmlDeviceGetDisplayActive(
    _: Arc<Device>,
    is_active: Out<nvmlEnableState_t>,
) -> NvmlResult {
    is_active.set(nvmlEnableState_t::NVML_FEATURE_DISABLED)
}

pub(crate) fn nvmlDeviceGetDisplayMode(
    device: Arc<Device>,
    mode: Out<nvmlEnableState_t>,
) -> NvmlResult {
    nvmlDeviceGetDisplayActive(device, mode)
}

pub(crate) fn nvmlDeviceGetMultiGpuBoard(_: Arc<Device>, is_multi: Out<c_uint>) -> NvmlResult {
    is_multi.set(0)
}
