//! Our own table, for the libraries above the driver: see [`zluda_api::driver`].

use crate::convert::Out;
use crate::core::device::driver::driver;
use crate::core::initialize;
use crate::core::stream::from_handle;
use crate::export::{guard, guard_before_init};
use cuda_types::cuda::{CUdevice, CUresult, CUstream};
use hip_runtime_sys::OwnedTask;
use std::ffi::c_int;
use zluda_api::driver::{DeviceInfo, ID as NAME, StreamInfo, StreamTask, Table};

pub(super) const ID: u128 = u128::from_be_bytes(NAME);

pub(super) static TABLE: Table =
    Table { size: size_of::<Table>(), device, any_device, stream, enqueue };

unsafe extern "C" fn device(ordinal: CUdevice, info: *mut DeviceInfo) -> CUresult {
    guard_before_init("device", || {
        initialize()?;
        let driver = driver()?;
        let device = driver.device(ordinal)?;
        let properties = &device.properties;
        Out::of(info).set(DeviceInfo {
            provider: driver.provider,
            hip_device: device.hip,
            pci: [properties.pci_domain, properties.pci_bus, properties.pci_device],
        })
    })
}

unsafe extern "C" fn any_device(hip: c_int, number: *mut CUdevice) -> CUresult {
    guard_before_init("any_device", || {
        initialize()?;
        Out::of(number).set(driver()?.any_device(hip)?.ordinal)
    })
}

unsafe extern "C" fn stream(stream: CUstream, info: *mut StreamInfo) -> CUresult {
    guard("stream", || {
        let target = from_handle(stream)?.enter_to_work()?;
        let context = &target.stream.current.context;
        Out::of(info).set(StreamInfo {
            context: context.handle(),
            device: context.device,
            hip_stream: target.stream.hip,
            is_captured: target.recorder.is_some(),
        })
    })
}

unsafe extern "C" fn enqueue(stream: CUstream, task: *const StreamTask) -> CUresult {
    // SAFETY: the library passes a task, or null.
    let Some(task) = (unsafe { task.as_ref() }) else { return CUresult::CUDA_ERROR_INVALID_VALUE };
    // SAFETY: the library says that its functions may be called from any thread. Whatever happens, the task is released.
    let task = unsafe { OwnedTask::new(*task) };
    guard("enqueue", move || from_handle(stream)?.enter_to_work()?.add_task(task))
}
