//! Devices.

use crate::convert::{Out, Text};
use crate::core::device::attributes as limits;
use crate::core::device::driver::driver;
use crate::core::texture::array::Format;
use cuda_types::cuda::{
    CUarray_format, CUdevice, CUdevice_attribute, CUdevprop, CUerror, CUexecAffinityType, CUres,
    CUuuid,
};
use std::ffi::{c_char, c_int, c_uint};
use zluda_common::config::config;
use zluda_common::pci;

/// The size of a locally unique identifier. No adapter of Windows's has the one that a device is given here.
const LUID: usize = 8;

pub(crate) fn cuDeviceGet(device: Out<CUdevice>, ordinal: c_int) -> CUres {
    device.check()?;
    device.set(driver()?.device(ordinal)?.ordinal)
}

pub(crate) fn cuDeviceGetCount(count: Out<c_int>) -> CUres {
    count.set(driver()?.devices.len() as c_int)
}

pub(crate) fn cuDeviceGetName(name: Out<c_char>, len: c_int, device: CUdevice) -> CUres {
    name.check()?;
    let device = driver()?.device(device)?;
    let size = usize::try_from(len).ok().filter(|size| *size > 0).ok_or(CUerror::INVALID_VALUE)?;
    name.set_text(device.name.as_bytes(), size);
    Ok(())
}

pub(crate) fn cuDeviceGetUuid(uuid: Out<CUuuid>, device: CUdevice) -> CUres {
    uuid.check()?;
    uuid.set(CUuuid { bytes: driver()?.device(device)?.uuid.map(|byte| byte as c_char) })
}

pub(crate) fn cuDeviceGetLuid(luid: Out<c_char>, mask: Out<c_uint>, device: CUdevice) -> CUres {
    luid.check()?;
    mask.check()?;
    let device = driver()?.device(device)?;
    // Locally unique identifiers exist on Windows only, where NVIDIA's runtime does not start without.
    if !cfg!(windows) {
        return Err(CUerror::NOT_SUPPORTED);
    }
    luid.set_all(device.uuid.iter().map(|byte| *byte as c_char), LUID);
    mask.set(1)
}

pub(crate) fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: CUdevice) -> CUres {
    bytes.check()?;
    bytes.set(driver()?.device(device)?.total_memory)
}

pub(crate) fn cuDeviceGetAttribute(
    value: Out<c_int>,
    attribute: CUdevice_attribute,
    device: CUdevice,
) -> CUres {
    value.check()?;
    value.set(driver()?.device(device)?.attribute(attribute)?)
}

pub(crate) fn cuDeviceComputeCapability(
    major: Out<c_int>,
    minor: Out<c_int>,
    device: CUdevice,
) -> CUres {
    major.check()?;
    minor.check()?;
    driver()?.device(device)?;
    let capability = config().compute_capability;
    major.set(capability.major as c_int)?;
    minor.set(capability.minor as c_int)
}

pub(crate) fn cuDeviceGetProperties(properties: Out<CUdevprop>, device: CUdevice) -> CUres {
    properties.check()?;
    let device = driver()?.device(device)?;
    properties.set(CUdevprop {
        maxThreadsPerBlock: limits::MAX_THREADS_PER_BLOCK as c_int,
        maxThreadsDim: limits::MAX_BLOCK_DIM.map(|size| size as c_int),
        maxGridSize: limits::MAX_GRID_DIM.map(|size| size as c_int),
        sharedMemPerBlock: limits::SHARED_MEMORY_PER_BLOCK as c_int,
        totalConstantMemory: 64 << 10,
        SIMDWidth: limits::WARP_SIZE as c_int,
        memPitch: c_int::MAX,
        regsPerBlock: limits::REGISTERS_PER_BLOCK as c_int,
        clockRate: device.properties.clock_rate,
        textureAlign: 512,
    })
}

pub(crate) fn cuDeviceGetByPCIBusId(device: Out<CUdevice>, id: Text<'_>) -> CUres {
    device.check()?;
    let id = id.get()?.to_str().map_err(|_| CUerror::INVALID_VALUE)?;
    // "[domain]:[bus]:[device].[function], [domain]:[bus]:[device] or [bus]:[device].[function]"
    let place = id.split_once('.').map_or(id, |(place, _)| place);
    let wanted = pci::parse(place).ok_or(CUerror::INVALID_VALUE)?;
    let found = driver()?.devices.iter().find(|device| device.pci_address() == wanted);
    device.set(found.ok_or(CUerror::INVALID_DEVICE)?.ordinal)
}

pub(crate) fn cuDeviceGetPCIBusId(id: Out<c_char>, len: c_int, device: CUdevice) -> CUres {
    id.check()?;
    let device = driver()?.device(device)?;
    let text = pci::text(device.pci_address(), 4);
    let size = usize::try_from(len)
        .ok()
        .filter(|size| *size > text.len())
        .ok_or(CUerror::INVALID_VALUE)?;
    id.set_text(text.as_bytes(), size);
    Ok(())
}

pub(crate) fn cuDeviceGetTexture1DLinearMaxWidth(
    width: Out<usize>,
    format: CUarray_format,
    channels: c_uint,
    device: CUdevice,
) -> CUres {
    width.check()?;
    driver()?.device(device)?;
    // As an H100 has it: 4 GiB, and no more than that many texels.
    let texel = Format::new(format, channels).map_err(|_| CUerror::INVALID_VALUE)?.size();
    width.set(((1 << 32) / texel).min(1 << 30))
}

pub(crate) fn cuDeviceGetExecAffinitySupport(
    supported: Out<c_int>,
    _kind: CUexecAffinityType,
    device: CUdevice,
) -> CUres {
    supported.check()?;
    driver()?.device(device)?;
    supported.set(0)
}
