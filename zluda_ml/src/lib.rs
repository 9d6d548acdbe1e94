//! NVML, NVIDIA's management library (libnvidia-ml.so.1), for the devices that the driver runs programs on.
//!
//! This file is the list of exports; names that are not in it answer "not supported". What they do stands in [`api`];
//! [`devices`] has the devices that the driver tells of, [`backend`] what a device says of itself while it works, without
//! any of NVML's types.

mod api;
pub mod backend;
mod convert;
mod devices;
mod export;

#[allow(unused_imports)]
use cuda_types::nvml::*;

cuda_macros::export_api! {
    nvml;
    #[before_init]
    init { nvmlInit, nvmlInit_v2 => nvmlInit, nvmlInitWithFlags, nvmlShutdown, nvmlErrorString },
    #[before_init]
    versions {
        nvmlSystemGetDriverVersion, nvmlSystemGetNVMLVersion, nvmlSystemGetCudaDriverVersion,
        nvmlSystemGetCudaDriverVersion_v2 => nvmlSystemGetCudaDriverVersion,
    },
    versions { nvmlSystemGetDriverBranch },
    system { nvmlSystemGetProcessName, nvmlUnitGetCount, nvmlGetExcludedDeviceCount },
    handles {
        nvmlDeviceGetCount, nvmlDeviceGetCount_v2 => nvmlDeviceGetCount, nvmlDeviceGetHandleByIndex,
        nvmlDeviceGetHandleByIndex_v2 => nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByUUID,
        nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2 => nvmlDeviceGetHandleByPciBusId,
        nvmlDeviceGetHandleByUUIDV, nvmlDeviceGetHandleBySerial, nvmlDeviceGetIndex, nvmlDeviceGetMinorNumber,
    },
    identity {
        nvmlDeviceGetName, nvmlDeviceGetUUID, nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v2 => nvmlDeviceGetPciInfo,
        nvmlDeviceGetPciInfo_v3 => nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfoExt, nvmlDeviceGetPdi,
        nvmlDeviceGetModuleId, nvmlDeviceGetBrand, nvmlDeviceGetArchitecture,
        nvmlDeviceGetBusType, nvmlDeviceGetCudaComputeCapability, nvmlDeviceGetMemoryBusWidth,
        nvmlDeviceGetComputeMode, nvmlDeviceGetDisplayActive, nvmlDeviceGetDisplayMode, nvmlDeviceGetMultiGpuBoard,
    },
    memory { nvmlDeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo_v2, nvmlDeviceGetBAR1MemoryInfo },
    load {
        nvmlDeviceGetUtilizationRates, nvmlDeviceGetProcessUtilization, nvmlDeviceGetSamples,
        nvmlDeviceGetFieldValues,
    },
    processes {
        nvmlDeviceGetComputeRunningProcesses, nvmlDeviceGetComputeRunningProcesses_v2,
        nvmlDeviceGetComputeRunningProcesses_v3 => nvmlDeviceGetComputeRunningProcesses_v2,
        nvmlDeviceGetGraphicsRunningProcesses, nvmlDeviceGetGraphicsRunningProcesses_v2,
        nvmlDeviceGetGraphicsRunningProcesses_v3 => nvmlDeviceGetGraphicsRunningProcesses_v2,
        nvmlDeviceGetMPSComputeRunningProcesses => nvmlDeviceGetGraphicsRunningProcesses,
        nvmlDeviceGetMPSComputeRunningProcesses_v2 => nvmlDeviceGetGraphicsRunningProcesses_v2,
        nvmlDeviceGetMPSComputeRunningProcesses_v3 => nvmlDeviceGetGraphicsRunningProcesses_v2,
        nvmlDeviceGetRunningProcessDetailList,
    },
    clocks {
        nvmlDeviceGetClockInfo, nvmlDeviceGetMaxClockInfo, nvmlDeviceGetClock,
        nvmlDeviceGetCurrentClocksThrottleReasons => nvmlDeviceGetCurrentClocksEventReasons,
        nvmlDeviceGetCurrentClocksEventReasons,
        nvmlDeviceGetSupportedClocksThrottleReasons => nvmlDeviceGetSupportedClocksEventReasons,
        nvmlDeviceGetSupportedClocksEventReasons,
    },
    power {
        nvmlDeviceGetPowerUsage, nvmlDeviceGetPowerManagementLimit => nvmlDeviceGetEnforcedPowerLimit,
        nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetPowerManagementDefaultLimit,
        nvmlDeviceGetPowerManagementLimitConstraints, nvmlDeviceGetPowerManagementMode,
        nvmlDeviceGetTotalEnergyConsumption,
    },
    temperature {
        nvmlDeviceGetTemperature, nvmlDeviceGetTemperatureV, nvmlDeviceGetTemperatureThreshold, nvmlDeviceGetFanSpeed,
        nvmlDeviceGetFanSpeed_v2, nvmlDeviceGetNumFans,
    },
    pcie {
        nvmlDeviceGetCurrPcieLinkGeneration, nvmlDeviceGetMaxPcieLinkGeneration, nvmlDeviceGetCurrPcieLinkWidth,
        nvmlDeviceGetMaxPcieLinkWidth, nvmlDeviceGetPcieThroughput,
    },
    errors { nvmlDeviceGetEccMode, nvmlDeviceGetTotalEccErrors },
    absent {
        nvmlDeviceGetMaxMigDeviceCount, nvmlDeviceIsMigDeviceHandle, nvmlDeviceGetMigDeviceHandleByIndex,
        nvmlDeviceGetMigMode, nvmlDeviceGetGpuInstanceId, nvmlDeviceGetComputeInstanceId,
        nvmlDeviceGetDeviceHandleFromMigDeviceHandle, nvmlDeviceGetNvLinkState, nvmlDeviceGetNvLinkVersion,
        nvmlDeviceGetNvLinkCapability, nvmlDeviceGetNvLinkRemotePciInfo, nvmlDeviceGetNvLinkRemotePciInfo_v2,
        nvmlDeviceGetNvLinkRemoteDeviceType, nvmlDeviceGetGpuFabricInfo, nvmlDeviceGetGpuFabricInfoV,
        nvmlDeviceGetEncoderUtilization, nvmlDeviceGetDecoderUtilization, nvmlDeviceGetSerial,
        nvmlDeviceGetPerformanceState, nvmlDeviceGetNumaNodeId, nvmlDeviceGetCapabilities,
        nvmlDeviceGetGridLicensableFeatures_v4, nvmlDeviceGetVirtualizationMode, nvmlDeviceDiscoverGpus,
        nvmlDeviceGetAttributes_v2, nvmlDeviceGetAutoBoostedClocksEnabled, nvmlDeviceGetBridgeChipInfo,
        nvmlDeviceGetCurrentClockFreqs, nvmlDeviceGetInforomImageVersion, nvmlDeviceGetNvlinkSupportedBwModes,
        nvmlDeviceGetPerformanceModes, nvmlDeviceGetRepairStatus, nvmlDeviceGetRetiredPages,
        nvmlDeviceGetVgpuHeterogeneousMode, nvmlDeviceReadWritePRM_v1, nvmlDeviceGetConfComputeGpuCertificate,
        nvmlDeviceGetConfComputeGpuAttestationReport, nvmlDeviceGetAddressingMode, nvmlDeviceGetC2cModeInfoV,
        nvmlDeviceGetDriverModel,
        nvmlDeviceGetDriverModel_v2, nvmlDeviceGetConfComputeMemSizeInfo, nvmlSystemGetConfComputeState,
    },
    topology {
        nvmlDeviceGetP2PStatus, nvmlDeviceOnSameBoard, nvmlDeviceGetTopologyCommonAncestor,
        nvmlDeviceGetTopologyNearestGpus, nvmlSystemGetTopologyGpuSet,
    },
    affinity {
        nvmlDeviceGetCpuAffinity, nvmlDeviceGetCpuAffinityWithinScope, nvmlDeviceGetMemoryAffinity,
        nvmlDeviceSetCpuAffinity, nvmlDeviceClearCpuAffinity,
    },
    settings {
        nvmlDeviceGetPersistenceMode, nvmlDeviceSetPersistenceMode, nvmlDeviceSetComputeMode,
        nvmlDeviceSetPowerManagementLimit, nvmlDeviceSetPowerManagementLimit_v2,
    },
    events {
        nvmlEventSetCreate, nvmlEventSetFree, nvmlEventSetWait => nvmlEventSetWait_v2, nvmlEventSetWait_v2,
        nvmlDeviceGetSupportedEventTypes, nvmlDeviceRegisterEvents,
    },
    system_events {
        nvmlSystemEventSetCreate, nvmlSystemEventSetFree, nvmlSystemRegisterEvents, nvmlSystemEventSetWait,
    },
}
