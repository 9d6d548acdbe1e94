//! The driver's export table of our own: what a library above the driver asks it besides the API.
//!
//! The library and the driver are built together and lie in one folder; the size at the table's beginning tells a driver
//! of another build, or NVIDIA's, which has no such table.

use cuda_types::cuda::{CUcontext, CUdevice, CUresult, CUstream};
use hip_runtime_sys::{StreamTask, hipStream_t};
use std::ffi::c_int;

/// The table's name for `cuGetExportTable`.
pub const ID: [u8; 16] = *b"ZLUDA libraries\x01";

/// The table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its size in bytes.
    pub size: usize,
    /// Tells of a device; the driver is initialised where it is not. `INVALID_DEVICE`, `INVALID_VALUE`.
    pub device: unsafe extern "C" fn(CUdevice, *mut DeviceInfo) -> CUresult,
    /// The number of a device of the provider's, which is also known where `CUDA_VISIBLE_DEVICES` hides it: functions that
    /// ask about devices take it. `INVALID_DEVICE`, `INVALID_VALUE`.
    pub any_device: unsafe extern "C" fn(c_int, *mut CUdevice) -> CUresult,
    /// Tells of a stream. `INVALID_HANDLE`, `INVALID_CONTEXT`, `INVALID_VALUE`.
    pub stream: unsafe extern "C" fn(CUstream, *mut StreamInfo) -> CUresult,
    /// Puts work into a stream, or into the graph that the stream's work becomes: then it runs each time that the graph
    /// does, and is released with the last graph that has it. It is released too where it is not taken.
    pub enqueue: unsafe extern "C" fn(CUstream, *const StreamTask) -> CUresult,
}

/// The provider that runs the work of a device.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// An AMD GPU.
    Rocm = 1,
    /// This machine's processor.
    Cpu = 2,
    /// An emulated AMD GPU, whose libraries' work this machine's processor does.
    Emulated = 3,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceInfo {
    pub provider: ProviderKind,
    /// The provider's number of the device.
    pub hip_device: c_int,
    /// Domain, bus and device.
    pub pci: [i32; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StreamInfo {
    /// The context in which its work runs: that of the stream, or the current one for a default stream.
    pub context: CUcontext,
    pub device: CUdevice,
    /// The provider's stream. What is put into it directly goes round captures.
    pub hip_stream: hipStream_t,
    /// Whether the stream is captured: what is put into it becomes nodes of a graph.
    pub is_captured: bool,
}
