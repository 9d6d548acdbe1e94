//! Features that no device of ours has: parts of a GPU as devices of their own (MIG), virtual GPUs, NVLink, chips beside
//! the GPU, video engines, serial numbers, a memory of its own for what it is (InfoROM), pages that are retired or
//! repaired, performance states, clocks that are raised for a time, driver models of Windows, confidential computing. Tools ask for it and take "not supported" for an
//! answer, so nothing is logged.

use crate::convert::{Out, versioned};
use crate::devices::Device;
use cuda_types::nvml::*;
use std::ffi::{c_char, c_uint, c_ulonglong};
use std::sync::Arc;

/// "Not supported", for a device that is one.
macro_rules! absent {
    ($($name:ident($($argument:ty),*);)*) => {$(
        pub(crate) fn $name($(_: $argument),*) -> NvmlResult {
            Err(nvmlError::NOT_SUPPORTED)
        }
    )*};
}

type A = Arc<Device>;

absent! {
    nvmlDeviceGetMigMode(A, Out<c_uint>, Out<c_uint>);
    nvmlDeviceGetGpuInstanceId(A, Out<c_uint>);
    nvmlDeviceGetComputeInstanceId(A, Out<c_uint>);
    nvmlDeviceGetDeviceHandleFromMigDeviceHandle(A, Out<nvmlDevice_t>);
    nvmlDeviceGetNvLinkState(A, c_uint, Out<nvmlEnableState_t>);
    nvmlDeviceGetNvLinkVersion(A, c_uint, Out<c_uint>);
    nvmlDeviceGetNvLinkCapability(A, c_uint, nvmlNvLinkCapability_t, Out<c_uint>);
    nvmlDeviceGetNvLinkRemotePciInfo(A, c_uint, Out<nvmlPciInfo_t>);
    nvmlDeviceGetNvLinkRemotePciInfo_v2(A, c_uint, Out<nvmlPciInfo_t>);
    nvmlDeviceGetNvLinkRemoteDeviceType(A, c_uint, Out<nvmlIntNvLinkDeviceType_t>);
    nvmlDeviceGetGpuFabricInfo(A, Out<nvmlGpuFabricInfo_t>);
    nvmlDeviceGetGpuFabricInfoV(A, Out<nvmlGpuFabricInfoV_t>);
    nvmlDeviceGetEncoderUtilization(A, Out<c_uint>, Out<c_uint>);
    nvmlDeviceGetDecoderUtilization(A, Out<c_uint>, Out<c_uint>);
    nvmlDeviceGetSerial(A, Out<c_char>, c_uint);
    nvmlDeviceGetPerformanceState(A, Out<nvmlPstates_t>);
    nvmlDeviceGetDriverModel(A, Out<nvmlDriverModel_t>, Out<nvmlDriverModel_t>);
    nvmlDeviceGetDriverModel_v2(A, Out<nvmlDriverModel_t>, Out<nvmlDriverModel_t>);
    nvmlDeviceGetConfComputeMemSizeInfo(A, Out<nvmlConfComputeMemSizeInfo_t>);
    nvmlDeviceGetNumaNodeId(A, Out<c_uint>);
    nvmlDeviceDiscoverGpus(Out<nvmlPciInfo_t>);
    nvmlDeviceGetAttributes_v2(A, Out<nvmlDeviceAttributes_t>);
    nvmlDeviceGetAutoBoostedClocksEnabled(A, Out<nvmlEnableState_t>, Out<nvmlEnableState_t>);
    nvmlDeviceGetBridgeChipInfo(A, Out<nvmlBridgeChipHierarchy_t>);
    nvmlDeviceGetCurrentClockFreqs(A, Out<nvmlDeviceCurrentClockFreqs_t>);
    nvmlDeviceGetInforomImageVersion(A, Out<c_char>, c_uint);
    nvmlDeviceGetNvlinkSupportedBwModes(A, Out<nvmlNvlinkSupportedBwModes_t>);
    nvmlDeviceGetPerformanceModes(A, Out<nvmlDevicePerfModes_t>);
    nvmlDeviceGetRepairStatus(A, Out<nvmlRepairStatus_t>);
    nvmlDeviceGetRetiredPages(A, nvmlPageRetirementCause_t, Out<c_uint>, Out<c_ulonglong>);
    nvmlDeviceGetVgpuHeterogeneousMode(A, Out<nvmlVgpuHeterogeneousMode_t>);
    nvmlDeviceReadWritePRM_v1(A, Out<nvmlPRMTLV_v1_t>);
    nvmlDeviceGetConfComputeGpuCertificate(A, Out<nvmlConfComputeGpuCertificate_t>);
    nvmlDeviceGetConfComputeGpuAttestationReport(A, Out<nvmlConfComputeGpuAttestationReport_t>);
    nvmlSystemGetConfComputeState(Out<nvmlConfComputeSystemState_t>);
}

pub(crate) fn nvmlDeviceGetMaxMigDeviceCount(_: Arc<Device>, count: Out<c_uint>) -> NvmlResult {
    count.set(0)
}

pub(crate) fn nvmlDeviceIsMigDeviceHandle(_: Arc<Device>, is_mig: Out<c_uint>) -> NvmlResult {
    is_mig.set(0)
}

pub(crate) fn nvmlDeviceGetMigDeviceHandleByIndex(
    _: Arc<Device>,
    _: c_uint,
    device: Out<nvmlDevice_t>,
) -> NvmlResult {
    device.check()?;
    Err(nvmlError::NOT_FOUND)
}

/// No feature beyond those of all devices.
pub(crate) fn nvmlDeviceGetCapabilities(
    _: Arc<Device>,
    capabilities: *mut nvmlDeviceCapabilities_t,
) -> NvmlResult {
    let asked = versioned(capabilities, 1)?;
    Out::of(capabilities).set(nvmlDeviceCapabilities_t { capMask: 0, ..asked })
}

/// Nothing of it needs a license.
pub(crate) fn nvmlDeviceGetGridLicensableFeatures_v4(
    _: Arc<Device>,
    features: Out<nvmlGridLicensableFeatures_t>,
) -> NvmlResult {
    // SAFETY: all zeros is a value of this structure of numbers and texts.
    features.set(unsafe { std::mem::zeroed() })
}

/// No hypervisor passes it on or divides it.
pub(crate) fn nvmlDeviceGetVirtualizationMode(
    _: Arc<Device>,
    mode: Out<nvmlGpuVirtualizationMode_t>,
) -> NvmlResult {
    mode.set(nvmlGpuVirtualizationMode_t::NVML_GPU_VIRTUALIZATION_MODE_NONE)
}

/// No memory of the host's that was not asked for can be accessed (`CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`).
pub(crate) fn nvmlDeviceGetAddressingMode(
    _: Arc<Device>,
    mode: *mut nvmlDeviceAddressingMode_t,
) -> NvmlResult {
    let asked = versioned(mode, 1)?;
    let none = nvmlDeviceAddressingModeType_t::NVML_DEVICE_ADDRESSING_MODE_NONE;
    Out::of(mode).set(nvmlDeviceAddressingMode_t { value: none.0, ..asked })
}

pub(crate) fn nvmlDeviceGetC2cModeInfoV(
    _: Arc<Device>,
    mode: Out<nvmlC2cModeInfo_v1_t>,
) -> NvmlResult {
    mode.set(nvmlC2cModeInfo_v1_t { isC2cEnabled: 0 })
}
